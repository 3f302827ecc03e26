/* SPDX-License-Identifier: MIT */
#include "platform/meter/meter.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/strbuf.h"
#include "platform/meter/parts.h"

const char *meter_kind_name(enum meter_kind kind)
{
	static const char *const names[] = {"powercap", "pmu", "hwmon-energy", "hwmon-power"};

	return kind < METER_KINDS ? names[kind] : "none";
}

const char *meter_remedy(enum meter_kind kind)
{
	switch (kind) {
	case METER_POWERCAP:
		return "as root: chmod a+r /sys/class/powercap/intel-rapl:*/energy_uj (a side channel: see "
		       "CVE-2020-8694)";
	case METER_PMU:
		return "as root: sysctl kernel.perf_event_paranoid=0, or the capability CAP_PERFMON";
	default:
		return "as root: chmod a+r of that file below /sys/class/hwmon";
	}
}

void meter_find(struct meter_sources *out, const char *sysroot)
{
	meter_find_powercap(out, sysroot);
	meter_find_pmu(out, sysroot);
	meter_find_hwmon(out, sysroot);
}

void meter_release(struct meter_sources *s)
{
	for (size_t i = 0; i < s->n; i++) {
		free(s->at[i].name);
		free(s->at[i].path);
	}
	vec_release(s);
}

#define MOST_WATTS 10000 /* a counter that would have had more did not wrap around: it was set anew */

/* One source that is being read. */
struct reading {
	const struct meter_source *s;
	int fd;          /* of the PMU, else -1 */
	double last;     /* counts, or watts */
	double joules;   /* since the beginning */
	uint64_t events; /* raw count of the PMU at the beginning */
};

struct meter {
	struct meter_sources sources;
	struct VEC(struct reading) readings;
	char *sysroot, *name;
	double before; /* when it was read */
	uint64_t wraps;
	bool begun;
};

/* @s cannot be read by @error (above 0). */
static int cannot_read(const struct meter_source *s, int error, struct err *err)
{
	return err_set(err, -EIO, "%s %s cannot be read: %s %s", meter_kind_name(s->kind), s->name, s->path,
		       s->kind == METER_PMU ? strerror(error) : meter_why(error));
}

static int meter_fetch(const struct meter *m, struct reading *r, double *value)
{
	uint64_t count;

	if (r->fd < 0)
		return meter_number(m->sysroot, r->s->path, value);
	if (read(r->fd, &count, sizeof(count)) != sizeof(count))
		return errno ? -errno : -EIO;
	if (!m->begun)
		r->events = count;
	*value = (double)(count - r->events); /* 64 bits have more than a double */
	return 0;
}

/* No counter holds less than nothing, more than 64 bits, or more than it says it can. */
static int check_count(const struct meter_source *s, double value, struct err *err)
{
	if (s->kind == METER_POWER)
		return 0;
	if (value >= 0 && value < 0x1p64 && (s->range <= 0 || value * s->unit <= s->range))
		return 0;
	return err_set(err, -EIO, "%s %s shows %.0f, which is no count of joules%s", meter_kind_name(s->kind),
		       s->name, value, value >= 0 && value < 0x1p64 ? " below its own range" : "");
}

static void name_meter(struct meter *m)
{
	struct strbuf sb = STRBUF_INIT;

	for (size_t i = 0; i < m->readings.n; i++) {
		const struct meter_source *s = m->readings.at[i].s;

		strbuf_printf(&sb, "%s %s", i ? "," : meter_kind_name(s->kind), s->name);
	}
	m->name = strbuf_detach(&sb);
}

/* The parts of the sum of @kind; *refused: one of them that cannot be read. */
static void choose(struct meter *m, enum meter_kind kind, const struct meter_source **refused, bool *there)
{
	m->readings.n = 0;
	for (size_t i = 0; i < m->sources.n; i++) {
		const struct meter_source *s = &m->sources.at[i];

		if (s->kind != kind)
			continue;
		*there = true;
		if (!s->whole)
			continue;
		if (s->error)
			*refused = s;
		else
			vec_push(&m->readings, ((struct reading){.s = s, .fd = -1}));
	}
}

static int choose_kind(struct meter *m, enum meter_kind wanted, struct err *err)
{
	const struct meter_source *refused = NULL, *first = NULL;
	bool there = false;

	for (int k = 0; k < METER_KINDS; k++) {
		if (wanted != METER_KINDS && wanted != (enum meter_kind)k)
			continue;
		refused = NULL;
		choose(m, (enum meter_kind)k, &refused, &there);
		/* Of two packages one is no sum. */
		if (m->readings.n && !refused)
			return 0;
		first = first ? first : refused;
	}
	m->readings.n = 0;
	if (first && (first->error == EACCES || first->error == EPERM)) {
		err_set(err, -EACCES, "%s %s is there, but this user may not read it",
			meter_kind_name(first->kind), first->name);
		return err_advise(err, "%s", meter_remedy(first->kind));
	}
	if (first)
		return cannot_read(first, first->error, err);
	if (there)
		return err_set(err, -ENOENT, "of several sensors none is known to be of the whole processor");
	return err_set(err, -ENOENT, "this machine shows no meter%s%s",
		       wanted == METER_KINDS ? "" : " of the kind ",
		       wanted == METER_KINDS ? "" : meter_kind_name(wanted));
}

static int begin(struct meter *m, struct err *err)
{
	for (size_t i = 0; i < m->readings.n; i++) {
		struct reading *r = &m->readings.at[i];
		int ret = 0;

		if (r->s->kind == METER_PMU) {
			r->fd = meter_pmu_open(r->s);
			ret = r->fd < 0 ? r->fd : 0;
		}
		if (!ret)
			ret = meter_fetch(m, r, &r->last);
		if (ret)
			return cannot_read(r->s, -ret, err);
		ret = check_count(r->s, r->last, err);
		if (ret)
			return ret;
	}
	m->before = -1;
	m->begun = true;
	return 0;
}

int meter_open(struct meter **out, enum meter_kind kind, const char *sysroot, struct err *err)
{
	struct meter *m = mem_new(1, sizeof(*m));
	int ret;

	*out = NULL;
	m->sysroot = mem_strdup(sysroot);
	meter_find(&m->sources, sysroot);
	ret = choose_kind(m, kind, err);
	if (!ret)
		ret = begin(m, err);
	if (ret) {
		meter_close(m);
		return ret;
	}
	name_meter(m);
	*out = m;
	return 0;
}

void meter_close(struct meter *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->readings.n; i++)
		if (m->readings.at[i].fd >= 0)
			close(m->readings.at[i].fd);
	vec_release(&m->readings);
	meter_release(&m->sources);
	free(m->sysroot);
	free(m->name);
	free(m);
}

const char *meter_name(const struct meter *m)
{
	return m->name;
}

double meter_step(const struct meter *m)
{
	double step = 0;

	for (size_t i = 0; i < m->readings.n; i++)
		if (m->readings.at[i].s->kind != METER_POWER)
			step += m->readings.at[i].s->unit;
	return step;
}

double meter_latency(const struct meter *m)
{
	double most = 0;

	for (size_t i = 0; i < m->readings.n; i++)
		most = fmax(most, m->readings.at[i].s->latency);
	return most;
}

uint64_t meter_wraps(const struct meter *m)
{
	return m->wraps;
}

/* What @r counted since it was read, J. */
static int advance(struct meter *m, struct reading *r, double value, double seconds, struct err *err)
{
	double d;

	if (r->s->kind == METER_POWER) {
		r->joules += seconds * (value + r->last) / 2 * r->s->unit;
		r->last = value;
		return 0;
	}
	d = (value - r->last) * r->s->unit;
	if (d < 0 && r->s->range > 0 && d + r->s->range <= MOST_WATTS * seconds) {
		d += r->s->range;
		m->wraps++;
	}
	if (d < 0)
		return err_set(err, -EIO, "the counter of %s fell from %.0f to %.0f: it was set anew",
			       r->s->name, r->last, value);
	r->joules += d;
	r->last = value;
	return 0;
}

int meter_read(struct meter *m, double now, double *joules, struct err *err)
{
	*joules = 0;
	for (size_t i = 0; i < m->readings.n; i++) {
		struct reading *r = &m->readings.at[i];
		double value;
		int ret = meter_fetch(m, r, &value);

		if (ret)
			return cannot_read(r->s, -ret, err);
		ret = check_count(r->s, value, err);
		if (ret)
			return ret;
		ret = advance(m, r, value, m->before < 0 ? 0 : now - m->before, err);
		if (ret)
			return ret;
		*joules += r->joules;
	}
	m->before = now;
	return 0;
}

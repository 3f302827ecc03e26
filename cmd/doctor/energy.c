/* SPDX-License-Identifier: MIT */
/* perseus doctor: which meter of joules is there, and what follows. */
#include <errno.h>
#include <string.h>

#include "cmd/doctor/doctor.h"
#include "lib/strbuf.h"
#include "platform/events/counters.h"
#include "platform/meter/meter.h"

static const char *const what[METER_KINDS] = {"RAPL zones", "RAPL events of perf", "energy sensors (hwmon)",
					      "power sensors (hwmon)"};

/* What is known of the sources of one kind. */
struct kind {
	size_t parts, refused; /* of the sum of the machine */
	size_t others;         /* that are not in it */
	int error;             /* of the first one that was refused, */
	const char *path;      /* ... and its file */
	double latency;
	struct strbuf names;
};

static void meter_look(struct kind *k, const struct meter_sources *s, enum meter_kind kind)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct meter_source *m = &s->at[i];

		if (m->kind != kind)
			continue;
		if (!m->whole) {
			k->others++;
			continue;
		}
		strbuf_printf(&k->names, "%s%s", k->parts++ ? ", " : "", m->name);
		k->latency = m->latency;
		if (m->error && !k->refused++) {
			k->error = m->error;
			k->path = m->path;
		}
	}
}

/* Below a sysroot a directory stands for a file that even root may not read. */
static bool may_not(int error)
{
	return error == EACCES || error == EPERM || error == EISDIR;
}

static void row_of(struct doctor *d, enum meter_kind kind, const struct kind *k)
{
	if (!k->parts) {
		doctor_row(d, "energy", DOCTOR_LIMITED,
			   "%s are there, but none is known to be of the whole processor", what[kind]);
		doctor_remedy(d, "an external meter: perseus record --energy --meter=FILE PROGRAM");
	} else if (k->error == ENOTSUP && *d->sysroot) {
		doctor_row(d, "energy", DOCTOR_NOT_TRIED, "%s: %s; they cannot be tried in a sysroot",
			   what[kind], k->names.s);
	} else if (k->refused && !may_not(k->error)) {
		doctor_row(d, "energy", DOCTOR_LIMITED, "%s are there, but %s %s", what[kind], k->path,
			   kind == METER_PMU ? strerror(k->error) : meter_why(k->error));
		doctor_remedy(d, "an external meter: perseus record --energy --meter=FILE PROGRAM");
	} else if (k->refused) {
		doctor_row(d, "energy", DOCTOR_LIMITED, "%s are there, but not readable for this user",
			   what[kind]);
		doctor_remedy(d, "%s", meter_remedy(kind));
	} else {
		doctor_row(d, "energy", DOCTOR_OK, "%s can be read: %s%s; joules by perseus record --energy",
			   what[kind], k->names.s,
			   k->latency > 0.05 ? ", for programs of a minute and more" : "");
	}
}

static void row_of_none(struct doctor *d)
{
	doctor_row(d, "energy", DOCTOR_LIMITED, "no RAPL%s and no sensor: joules are modelled, or absent",
		   counters_virtual(d->sysroot) ? " in this virtual machine" : "");
	doctor_remedy(d,
		      "an external meter: perseus record --energy --meter=FILE; a model of such a machine: "
		      "perseus report --energy --energy-model=FILE; for plans: perseus plan --platform FILE "
		      "with watts (xeon-e5320 is built in)");
}

void doctor_energy(struct doctor *d)
{
	struct meter_sources s = VEC_INIT;
	struct kind k[METER_KINDS] = {{0}};
	int best = -1;

	meter_find(&s, d->sysroot);
	for (int i = METER_KINDS - 1; i >= 0; i--) {
		meter_look(&k[i], &s, (enum meter_kind)i);
		/* The best that can be read; else that of which something is there. */
		if ((k[i].parts || k[i].others) &&
		    (best < 0 || (k[i].parts && !k[i].refused) || k[best].refused || !k[best].parts))
			best = i;
	}
	if (best < 0)
		row_of_none(d);
	else
		row_of(d, (enum meter_kind)best, &k[best]);
	for (int i = 0; i < METER_KINDS; i++)
		strbuf_release(&k[i].names);
	meter_release(&s);
}

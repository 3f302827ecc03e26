/* SPDX-License-Identifier: MIT */
#include "report/trace/trace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "lib/vec.h"

#define NEST_MAX 65536u /* calls without one round them that are kept apart */

/* A call that has returned and may still turn out to be inside another. */
struct nested {
	uint64_t start, ticks, pairs;
};

/* One site of one thread, to compare with the record. */
struct tally {
	uint64_t calls, ticks;
};

/* One process while its streams are read; all arrays by process-wide number. */
struct reading {
	const struct run_process *process;
	struct trace_site **sites;
	uint64_t *accesses;
	struct tally *tally;
	uint64_t *mem_tally;
	uint32_t n_calls, n_mems;
	struct nested *nest;
	size_t n_nest;
	uint64_t foreign; /* records of sites that the process does not have */
};

/* ---- one record ------------------------------------------------------------------------ */

static struct trace_site *site_of(struct reading *r, uint32_t number)
{
	struct trace_site *s = r->sites[number];

	if (!s) {
		s = r->sites[number] = mem_new(1, sizeof(*s));
		s->process = r->process;
		s->site = number;
		s->min = UINT64_MAX;
	}
	return s;
}

/* Neighbours become one: what is long past is seldom distinguished by a call that is still to return. */
static void nest_thin(struct reading *r)
{
	size_t half = NEST_MAX / 2, n = 0;

	for (size_t i = 0; i + 1 < half; i += 2) {
		struct nested *a = &r->nest[i], *b = &r->nest[i + 1];

		r->nest[n++] = (struct nested){a->start, a->ticks + b->ticks, a->pairs + b->pairs};
	}
	memmove(&r->nest[n], &r->nest[half], (NEST_MAX - half) * sizeof(*r->nest));
	r->n_nest = n + NEST_MAX - half;
}

static void add_call(struct reading *r, const uint64_t *unit)
{
	uint64_t ticks = ctf_length(unit), end = ctf_time(unit);
	uint64_t start = end > ticks ? end - ticks : 0, pairs = 1;
	uint32_t number = ctf_call_site(unit);
	struct trace_site *s;

	if (number >= r->n_calls) {
		r->foreign++;
		return;
	}
	s = site_of(r, number);
	while (r->n_nest && r->nest[r->n_nest - 1].start >= start) {
		const struct nested *in = &r->nest[--r->n_nest];

		s->child += in->ticks;
		s->direct++;
		pairs += in->pairs;
	}
	s->inside += pairs - 1;
	s->calls++;
	s->sum += ticks;
	s->moved += unit[1] >> 32 & PRS_TRACE_MOVED ? 1 : 0;
	if (ticks < s->min)
		s->min = ticks;
	if (ticks > s->max)
		s->max = ticks;
	s->hist[prs_hist_index(ticks)]++;
	r->tally[number].calls++;
	r->tally[number].ticks += ticks;
	if (r->n_nest == NEST_MAX)
		nest_thin(r);
	r->nest[r->n_nest++] = (struct nested){start, ticks, pairs};
}

static void add_other(struct trace_figures *f, struct reading *r, const uint64_t *unit)
{
	uint32_t site = (uint32_t)unit[1];

	if (ctf_class(unit) == PRS_CLASS_MEMORY) {
		f->mems++;
		if (site >= r->n_mems) {
			r->foreign++;
			return;
		}
		r->accesses[site]++;
		r->mem_tally[site]++;
		return;
	}
	f->notes++;
	if (unit[1] >> 32 == PRS_TRACE_GAP) {
		uint64_t begin = unit[2] & PRS_VALUE_MASK, end = ctf_time(unit);

		f->gaps++;
		if (end > begin)
			f->gap_ns += (double)(end - begin) * r->process->ns_per_tick;
	}
}

static void add_units(struct trace_figures *f, struct reading *r, const uint64_t *unit, size_t n)
{
	for (size_t i = 0; i < n; i += ctf_units(unit + 2 * i)) {
		if (ctf_class(unit + 2 * i) == PRS_CLASS_CALL) {
			f->calls++;
			add_call(r, unit + 2 * i);
		} else {
			add_other(f, r, unit + 2 * i);
		}
	}
}

/* ---- against the record ------------------------------------------------------------------- */

/* A long call keeps 27 bits of its length. */
static bool same_ticks(uint64_t a, uint64_t b)
{
	double d = fabs((double)a - (double)b);

	return d <= 1 || d <= 1e-7 * (double)(a > b ? a : b);
}

/* What the record has of thread @t, site by site; the thread's tally starts anew. */
static void trace_compare(struct trace_figures *f, struct reading *r, const struct run_thread *t)
{
	struct tally *record = mem_new(r->n_calls + 1u, sizeof(*record));

	for (size_t i = 0; i < t->n_calls; i++) {
		if (t->totals[i] > t->calls[i]->timed)
			f->untimed += t->totals[i] - t->calls[i]->timed;
		record[t->calls[i]->site].calls += t->calls[i]->timed;
		record[t->calls[i]->site].ticks += t->calls[i]->sum;
	}
	for (uint32_t i = 0; i < r->n_calls; i++) {
		struct tally *mine = &r->tally[i];

		if (!record[i].calls && !mine->calls)
			continue;
		f->compared++;
		f->differ += record[i].calls != mine->calls || !same_ticks(record[i].ticks, mine->ticks);
		if (record[i].calls > mine->calls)
			f->missing += record[i].calls - mine->calls;
	}
	for (uint32_t i = 0; i < r->n_mems && t->mem_counts; i++) {
		if (!t->mem_counts[i] && !r->mem_tally[i])
			continue;
		f->compared++;
		f->differ += t->mem_counts[i] != r->mem_tally[i];
	}
	memset(r->tally, 0, r->n_calls * sizeof(*r->tally));
	memset(r->mem_tally, 0, r->n_mems * sizeof(*r->mem_tally));
	free(record);
}

/* ---- streams ---------------------------------------------------------------------------------- */

static void note_damage(struct trace_figures *f, const char *path, const char *what)
{
	struct strbuf text = STRBUF_INIT;
	const char *slash = strrchr(path, '/');

	if (f->damage)
		return;
	strbuf_printf(&text, "stream '%s' %s", slash ? slash + 1 : path, what);
	f->damage = strbuf_detach(&text);
}

static void read_stream(struct trace_figures *f, struct reading *r, const struct ctf *ctf,
			const struct ctf_stream *s)
{
	struct err err = ERR_INIT;
	struct ctf_cursor c;
	const uint64_t *units;
	size_t n;

	r->n_nest = 0;
	if (ctf_cursor_open(&c, ctf, s, &err)) {
		note_damage(f, s->path, "cannot be opened");
		ctf_cursor_close(&c);
		return;
	}
	while ((n = ctf_read(&c, &units)) > 0)
		add_units(f, r, units, n);
	f->lost += c.discarded;
	if (c.damage[0])
		note_damage(f, s->path, c.damage);
	ctf_cursor_close(&c);
}

static const struct ctf_stream *stream_of(const struct ctf *ctf, const struct run_process *p, uint32_t thread)
{
	size_t low = 0, high = ctf->n_streams;

	while (low < high) {
		size_t mid = (low + high) / 2;
		const struct ctf_stream *s = &ctf->streams[mid];
		int order = s->pid != p->header->pid       ? (s->pid < p->header->pid ? -1 : 1)
			    : s->epoch != p->header->epoch ? (s->epoch < p->header->epoch ? -1 : 1)
			    : s->thread != thread          ? (s->thread < thread ? -1 : 1)
							   : 0;

		if (!order)
			return s;
		if (order < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

static void reading_begin(struct reading *r, const struct run_process *p)
{
	*r = (struct reading){.process = p, .n_calls = p->header->n_calls, .n_mems = p->header->n_mems};
	r->sites = mem_new(r->n_calls + 1u, sizeof(struct trace_site *));
	r->tally = mem_new(r->n_calls + 1u, sizeof(*r->tally));
	r->accesses = mem_new(r->n_mems + 1u, sizeof(*r->accesses));
	r->mem_tally = mem_new(r->n_mems + 1u, sizeof(*r->mem_tally));
	r->nest = mem_new(NEST_MAX, sizeof(*r->nest));
}

/* Hand over what was found, and free the rest. */
static void reading_end(struct trace_figures *f, struct reading *r)
{
	for (uint32_t i = 0; i < r->n_calls; i++) {
		if (!r->sites[i])
			continue;
		f->sites = mem_resize(f->sites, f->n_sites + 1, sizeof(*f->sites));
		f->sites[f->n_sites++] = *r->sites[i];
		free(r->sites[i]);
	}
	for (uint32_t i = 0; i < r->n_mems; i++) {
		if (!r->accesses[i])
			continue;
		f->accesses = mem_resize(f->accesses, f->n_accesses + 1, sizeof(*f->accesses));
		f->accesses[f->n_accesses++] = (struct trace_access){r->process, i, r->accesses[i]};
	}
	if (r->foreign)
		note_damage(f, "", "names sites that its process does not have");
	free(r->sites);
	free(r->tally);
	free(r->accesses);
	free(r->mem_tally);
	free(r->nest);
}

static void read_process(struct trace_figures *f, const struct ctf *ctf, const struct run_process *p)
{
	struct reading r;

	reading_begin(&r, p);
	for (size_t i = 0; i < p->n_threads; i++) {
		const struct ctf_stream *s = stream_of(ctf, p, (uint32_t)i);

		if (s) {
			f->streams++;
			f->bytes += s->bytes;
			read_stream(f, &r, ctf, s);
		}
		trace_compare(f, &r, &p->threads[i]);
	}
	reading_end(f, &r);
}

static int by_self(const void *a, const void *b)
{
	const struct trace_site *x = a, *y = b;
	double sx = trace_self_ns(x), sy = trace_self_ns(y);

	if (sx != sy)
		return sx < sy ? 1 : -1;
	return (x->site > y->site) - (x->site < y->site);
}

static int by_count(const void *a, const void *b)
{
	const struct trace_access *x = a, *y = b;

	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return (x->site > y->site) - (x->site < y->site);
}

int trace_read(struct trace_figures *f, const struct run *run, struct err *err)
{
	struct ctf ctf;
	int ret;

	*f = (struct trace_figures){.run = run};
	ret = ctf_open(&ctf, run->path, err);
	if (ret)
		return ret;
	f->refused = ctf.refused;
	f->ended_early = strcmp(ctf.state, "complete") != 0;
	if (ctf.unreadable)
		note_damage(f, "", ctf.unreadable);
	for (size_t i = 0; i < run->n_processes; i++)
		read_process(f, &ctf, &run->processes[i]);
	if (f->streams < ctf.n_streams)
		note_damage(f, "", "belongs to a process that left no record");
	ctf_close(&ctf);
	if (f->n_sites)
		qsort(f->sites, f->n_sites, sizeof(*f->sites), by_self);
	if (f->n_accesses)
		qsort(f->accesses, f->n_accesses, sizeof(*f->accesses), by_count);
	return 0;
}

void trace_release(struct trace_figures *f)
{
	free(f->sites);
	free(f->accesses);
	free(f->damage);
	*f = (struct trace_figures){0};
}

bool trace_whole(const struct trace_figures *f)
{
	return !f->damage && !f->ended_early && !f->differ;
}

/* ---- figures -------------------------------------------------------------------------------- */

/* Never below zero: the probes' price is a mean, and some calls pay less. */
static double at_least_0(double v)
{
	return v > 0 ? v : 0;
}

double trace_total_ns(const struct trace_site *s)
{
	const struct prs_rec_header *h = s->process->header;
	double probes = (double)h->pair_ticks * (double)s->inside + (double)h->own_ticks * (double)s->calls;

	return at_least_0((double)s->sum - probes) * s->process->ns_per_tick;
}

double trace_self_ns(const struct trace_site *s)
{
	const struct prs_rec_header *h = s->process->header;
	double pair = (double)h->pair_ticks - (double)h->own_ticks;
	double probes = pair * (double)s->direct + (double)h->own_ticks * (double)s->calls;

	return at_least_0((double)s->sum - (double)s->child - probes) * s->process->ns_per_tick;
}

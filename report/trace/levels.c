/* SPDX-License-Identifier: MIT */
#include "report/trace/levels.h"

#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "lib/vec.h"

#define BIN_ROWS    150000u /* of the whole run at most */
#define BIN_SITES   3u      /* of each bin that are kept */
#define SLICES_MAX  512u
#define SLICES_MIN  16u
#define LOCAL_SITES 512u  /* of a thread that have bins of their own */
#define NEST_MAX    4096u /* calls that may still turn out to be inside another */
#define FINE        4096u /* slices in which calls are counted, to choose windows */
#define WINDOWS     16u
#define SLOW_EACH   20u
#define SLOW_MAX    20000u

struct slow_list VEC(struct level_call);
struct call_list VEC(struct level_call);
struct bin_list VEC(struct level_bin);

/* Time that is in calls already seen, and in which place of the run. */
struct covered {
	double begin, end, ns;
};

/* The longest calls of one site. */
struct slowest {
	struct level_call at[SLOW_EACH];
	size_t n;
	const struct run_call_site *site;
};
struct slowest_list VEC(struct slowest);

struct levels_reading {
	struct trace_levels *l;
	const struct run *run;
	uint64_t first_ns;
	uint64_t fine[FINE];
	struct bin_list bins;
	struct call_list calls;
	struct slowest_list slow;
	size_t max_calls;
	bool cut;
	/* of the stream that is read */
	const struct run_process *process;
	uint32_t thread;
	double base_ns;
	uint32_t *local;      /* by site number: 1 + its column in cells; 0: none */
	uint32_t *slow_index; /* ... 1 + its place in slow */
	uint32_t owner[LOCAL_SITES];
	uint32_t n_local;
	double *cells; /* slices x LOCAL_SITES; column 0: the rest */
	struct covered nest[NEST_MAX];
	size_t n_nest;
};

static bool read_calls(struct levels_reading *r, const struct ctf *ctf, const struct ctf_stream *s,
		       void (*add)(struct levels_reading *, uint32_t site, double begin, double ns))
{
	struct err err = ERR_INIT;
	struct ctf_cursor c;
	const uint64_t *unit;
	bool whole;
	size_t n;

	if (ctf_cursor_open(&c, ctf, s, &err)) {
		ctf_cursor_close(&c);
		return false;
	}
	while ((n = ctf_read(&c, &unit)) > 0)
		for (size_t i = 0; i < n; i += ctf_units(unit + 2 * i)) {
			uint64_t ticks = ctf_length(unit + 2 * i), end = ctf_time(unit + 2 * i);
			double ns = (double)ticks * r->process->ns_per_tick;

			if (ctf_class(unit + 2 * i) == PRS_CLASS_CALL)
				add(r, ctf_call_site(unit + 2 * i),
				    r->base_ns + (double)run_ns(r->process, end) - ns, ns);
		}
	whole = !c.damage[0] && !c.discarded;
	ctf_cursor_close(&c);
	return whole;
}

/* Make @s the stream that is read; false: its process left no record. */
static bool turn_to(struct levels_reading *r, const struct ctf_stream *s)
{
	r->process = trace_process(r->run, s);
	if (!r->process)
		return false;
	r->thread = s->thread;
	r->base_ns = (double)(r->process->header->mono_start_ns - r->first_ns);
	return true;
}

/* ---- the whole run in bins ----------------------------------------------------------- */

static uint32_t column_of(struct levels_reading *r, uint32_t site)
{
	if (site >= r->process->header->n_calls)
		return 0;
	if (!r->local[site] && r->n_local < LOCAL_SITES) {
		r->owner[r->n_local] = site;
		r->local[site] = r->n_local++ + 1;
	}
	return r->local[site] ? r->local[site] - 1 : 0;
}

/* Spread @ns evenly over the bins from @begin to @end. */
static void levels_spread(struct levels_reading *r, uint32_t column, double begin, double end, double ns)
{
	double slice = r->l->end_ns / (double)r->l->n_slices, span = end - begin;
	size_t last = r->l->n_slices - 1;
	size_t from = begin > 0 ? (size_t)(begin / slice) : 0, to = end > 0 ? (size_t)(end / slice) : 0;

	from = from > last ? last : from;
	to = to > last ? last : to;
	for (size_t b = from; b <= to; b++) {
		double low = b == from ? begin : (double)b * slice,
		       high = b == to ? end : (double)(b + 1) * slice;

		r->cells[b * LOCAL_SITES + column] += span > 0 ? ns * (high - low) / span : ns;
	}
}

/* Neighbours become one. */
static void thin(struct levels_reading *r)
{
	size_t n = 0;

	for (size_t i = 0; i + 1 < NEST_MAX / 2; i += 2) {
		const struct covered *a = &r->nest[i], *b = &r->nest[i + 1];

		r->nest[n++] = (struct covered){a->begin, b->end, a->ns + b->ns};
	}
	memmove(&r->nest[n], &r->nest[NEST_MAX / 2], NEST_MAX / 2 * sizeof(*r->nest));
	r->n_nest = n + NEST_MAX / 2;
}

static void add_slow(struct levels_reading *r, uint32_t number, double begin, double ns)
{
	struct slowest *s;
	size_t at;

	if (number >= r->process->header->n_calls)
		return;
	if (!r->slow_index[number]) {
		vec_add(&r->slow)->site = run_call_site(r->process, number);
		r->slow_index[number] = (uint32_t)r->slow.n;
	}
	s = &r->slow.at[r->slow_index[number] - 1];
	if (s->n == SLOW_EACH && ns <= s->at[SLOW_EACH - 1].ns)
		return;
	for (at = s->n < SLOW_EACH ? s->n++ : SLOW_EACH - 1; at && s->at[at - 1].ns < ns; at--)
		s->at[at] = s->at[at - 1];
	s->at[at] = (struct level_call){r->process, r->thread, s->site, begin, ns};
}

static void add_overview(struct levels_reading *r, uint32_t site, double begin, double ns)
{
	double share = r->l->end_ns > 0 ? begin / r->l->end_ns : 0;
	size_t fine = share < 0 ? 0 : share >= 1 ? FINE - 1 : (size_t)(share * FINE);

	r->l->n_total++;
	r->fine[fine]++;
	add_slow(r, site, begin, ns);
	if (!r->cells)
		return;
	levels_spread(r, column_of(r, site), begin, begin + ns, ns);
	while (r->n_nest && r->nest[r->n_nest - 1].begin >= begin) {
		const struct covered *in = &r->nest[--r->n_nest];

		levels_spread(r, column_of(r, site), in->begin, in->end, -in->ns);
	}
	if (r->n_nest == NEST_MAX)
		thin(r);
	r->nest[r->n_nest++] = (struct covered){begin, begin + ns, ns};
}

/* The sites with most time in bin @b go to the list. */
static void keep_bin(struct levels_reading *r, size_t b)
{
	double *cell = &r->cells[b * LOCAL_SITES], least = r->l->end_ns / (double)r->l->n_slices / 200;

	for (size_t k = 0; k < BIN_SITES; k++) {
		uint32_t best = 0;

		for (uint32_t c = 1; c < r->n_local; c++)
			if (cell[c] > cell[best])
				best = c;
		if (cell[best] <= least)
			return;
		vec_push(&r->bins,
			 ((struct level_bin){r->process, r->thread, (uint32_t)b,
					     best ? run_call_site(r->process, r->owner[best]) : NULL,
					     cell[best]}));
		cell[best] = 0;
	}
}

static void end_bins(struct levels_reading *r)
{
	for (size_t b = 0; r->cells && b < r->l->n_slices; b++)
		keep_bin(r, b);
	if (r->cells)
		memset(r->cells, 0, r->l->n_slices * LOCAL_SITES * sizeof(*r->cells));
	r->n_nest = 0;
}

static void choose_slices(struct levels_reading *r, size_t streams)
{
	size_t n = BIN_ROWS / (BIN_SITES * (streams ? streams : 1));

	r->l->n_slices = n > SLICES_MAX ? SLICES_MAX : n < SLICES_MIN ? SLICES_MIN : n;
	r->cells = mem_new(r->l->n_slices * LOCAL_SITES, sizeof(*r->cells));
}

static void read_overview(struct levels_reading *r, const struct ctf *ctf)
{
	size_t room = BIN_ROWS / (BIN_SITES * SLICES_MIN);
	const struct run_process *before = NULL;
	double *cells;

	choose_slices(r, ctf->n_streams);
	cells = r->cells;
	for (size_t i = 0; i < ctf->n_streams; i++) {
		if (!turn_to(r, &ctf->streams[i])) {
			r->l->whole = false;
			continue;
		}
		if (r->process != before) {
			free(r->slow_index);
			r->slow_index = mem_new(r->process->header->n_calls + 1, sizeof(*r->slow_index));
			before = r->process;
		}
		r->local = mem_new(r->process->header->n_calls + 1, sizeof(*r->local));
		r->n_local = 1; /* column 0 is the rest's */
		r->cells = i < room ? cells : NULL;
		r->l->n_left_out += !r->cells;
		r->l->whole &= read_calls(r, ctf, &ctf->streams[i], add_overview);
		end_bins(r);
		free(r->local);
	}
	free(r->slow_index);
	free(cells);
}

/* ---- windows ---------------------------------------------------------------------------- */

static int levels_by_begin(const void *a, const void *b)
{
	const struct level_window *x = a, *y = b;

	return (x->begin > y->begin) - (x->begin < y->begin);
}

/* As wide a window round @at as @room calls allow. */
static struct level_window window_round(const struct levels_reading *r, double at, uint64_t room)
{
	double slice = r->l->end_ns / FINE;
	size_t low = at > 0 ? (size_t)(at / slice) : 0, high;
	uint64_t n;

	low = low >= FINE ? FINE - 1 : low;
	high = low;
	n = r->fine[low];
	if (n > room) {
		double half = slice * (double)room / (double)n / 2;

		return (struct level_window){at - half, at + half};
	}
	while (low || high < FINE - 1) {
		uint64_t left = low ? r->fine[low - 1] : 0, right = high < FINE - 1 ? r->fine[high + 1] : 0;

		if (n + left + right > room)
			break;
		n += left + right;
		low -= low > 0;
		high += high < FINE - 1;
	}
	return (struct level_window){(double)low * slice, (double)(high + 1) * slice};
}

static void join_windows(struct trace_levels *l)
{
	size_t n = 0;

	if (l->n_windows)
		qsort(l->windows, l->n_windows, sizeof(*l->windows), levels_by_begin);
	for (size_t i = 0; i < l->n_windows; i++) {
		if (n && l->windows[i].begin <= l->windows[n - 1].end) {
			if (l->windows[i].end > l->windows[n - 1].end)
				l->windows[n - 1].end = l->windows[i].end;
		} else {
			l->windows[n++] = l->windows[i];
		}
	}
	l->n_windows = n;
}

static void choose_windows(struct levels_reading *r, const double *moments, size_t n)
{
	struct trace_levels *l = r->l;

	l->windows = mem_new(WINDOWS + 1, sizeof(*l->windows));
	if (l->n_total <= r->max_calls) {
		l->windows[l->n_windows++] = (struct level_window){0, l->end_ns};
		return;
	}
	for (size_t i = 0; i < n && l->n_windows < WINDOWS / 2; i++)
		l->windows[l->n_windows++] = window_round(r, moments[i], r->max_calls / WINDOWS);
	for (size_t i = 0; i < l->n_slow && l->n_windows < WINDOWS; i++)
		l->windows[l->n_windows++] =
			window_round(r, l->slow[i].begin + l->slow[i].ns, r->max_calls / WINDOWS);
	join_windows(l);
}

static void add_detail(struct levels_reading *r, uint32_t site, double begin, double ns)
{
	for (size_t i = 0; i < r->l->n_windows; i++) {
		if (begin >= r->l->windows[i].end || begin + ns <= r->l->windows[i].begin)
			continue;
		if (r->calls.n < 2 * r->max_calls)
			vec_push(&r->calls,
				 ((struct level_call){r->process, r->thread, run_call_site(r->process, site),
						      begin, ns}));
		else
			r->cut = true;
		return;
	}
}

static void read_windows(struct levels_reading *r, const struct ctf *ctf)
{
	for (size_t i = 0; i < ctf->n_streams; i++)
		if (turn_to(r, &ctf->streams[i]))
			read_calls(r, ctf, &ctf->streams[i], add_detail);
	/* More than was counted on: what is there is a part without a rule, which nobody can read. */
	if (r->cut)
		r->calls.n = r->l->n_windows = 0;
}

/* ---- all of it ---------------------------------------------------------------------------- */

static int levels_longest(const void *a, const void *b)
{
	const struct level_call *x = a, *y = b;

	return (x->ns < y->ns) - (x->ns > y->ns);
}

static void gather_slow(struct levels_reading *r)
{
	struct slow_list all = VEC_INIT;

	for (size_t i = 0; i < r->slow.n; i++)
		for (size_t k = 0; k < r->slow.at[i].n; k++)
			vec_push(&all, r->slow.at[i].at[k]);
	if (all.n)
		qsort(all.at, all.n, sizeof(*all.at), levels_longest);
	r->l->slow = all.at;
	r->l->n_slow = all.n < SLOW_MAX ? all.n : SLOW_MAX;
	vec_release(&r->slow);
}

static double run_end(const struct run *run, uint64_t first)
{
	double end = 0;

	for (size_t i = 0; i < run->n_processes; i++) {
		const struct run_process *p = &run->processes[i];
		double at = (double)(p->header->mono_start_ns - first) + (double)run_ns(p, p->end);

		end = at > end ? at : end;
	}
	return end;
}

int trace_levels_read(struct trace_levels *l, const struct run *run, const double *moments, size_t n,
		      size_t max_calls, struct err *err)
{
	struct levels_reading *r;
	struct ctf ctf;
	int ret = ctf_open(&ctf, run->path, err);

	*l = (struct trace_levels){.whole = true};
	if (ret)
		return ret;
	r = mem_new(1, sizeof(*r));
	r->l = l;
	r->run = run;
	r->max_calls = max_calls;
	r->first_ns = trace_start(run);
	l->end_ns = run_end(run, r->first_ns);
	l->whole = !strcmp(ctf.state, "complete") && !ctf.unreadable;
	read_overview(r, &ctf);
	gather_slow(r);
	choose_windows(r, moments, n);
	read_windows(r, &ctf);
	l->bins = r->bins.at;
	l->n_bins = r->bins.n;
	l->calls = r->calls.at;
	l->n_calls = r->calls.n;
	ctf_close(&ctf);
	free(r);
	return 0;
}

void trace_levels_release(struct trace_levels *l)
{
	free(l->bins);
	free(l->windows);
	free(l->calls);
	free(l->slow);
	*l = (struct trace_levels){0};
}

/* SPDX-License-Identifier: MIT */
#include "analyzer/evidence.h"

/* Shorter gaps cannot be told apart, ns: our own code takes longer, and the work hides behind it. */
#define LEAST_GAP 1.0

/* So many gaps make a mean. */
#define ENOUGH_GAPS 8

/* The longest that a line travels, ns, between the farthest cores of common machines. */
#define TRAVEL_NS 300.0

/* mem_ticks is the time from our end to our begin; the probe's own part is on top of it. */
#define COLD_PART 1.3

/* All uses of one thread on one line. */
struct sum {
	double span;     /* native ns from the first to the last that was seen */
	double watched;  /* native ns inside windows */
	double accesses; /* all */
	double known;    /* ... of those whose gaps are known */
	double time;     /* sum of gaps x accesses */
	double squares;  /* sum of gaps^2 x accesses */
	bool by_span;    /* the number is the span over the gaps */
};

/*
 * Mean native time between the thread's access before and one of this use, 0:
 * not seen.  As a rule the line was away in between, and its travel is in the
 * mean; the gaps without it say how long the work takes.  What is longer by
 * more than any travel is work that does not take the same time always.
 */
static double gap_of(const struct line_use *u, const struct run_process *p, const struct line_pace *pace)
{
	const struct prs_line *l = u->raw;
	double mean, own;

	if (l->gaps < ENOUGH_GAPS)
		return 0;
	mean = ((double)l->gap_ticks / (double)l->gaps - p->header->mem_ticks) * p->ns_per_tick;
	own = (l->gap_own / 16.0 - COLD_PART * p->header->mem_ticks) * p->ns_per_tick;
	if (l->gap_own)
		mean = mean - TRAVEL_NS > own ? mean - TRAVEL_NS : own;
	mean *= pace->work;
	return mean > LEAST_GAP ? mean : LEAST_GAP;
}

/*
 * What stands for one thing that was seen in a burst, if it went on from the
 * first to the last: bursts of the length b come every period, and one of them
 * is there at the least.  Nothing is said of the time before and after.
 */
static double each_seen(const struct line_use *u, const struct run_process *p)
{
	const struct prs_rec_header *h = p->header;
	double span = u->raw->last > u->raw->first ? (double)(u->raw->last - u->raw->first) : 0;
	double length, period;

	if (!h->n_bursts || !h->burst_ticks || p->end <= h->tsc_start)
		return 1;
	length = (double)h->burst_ticks / h->n_bursts;
	period = (double)(p->end - h->tsc_start) / h->n_bursts;
	return period > length ? (span + length) / ((span / period + 1) * length) : 1;
}

/*
 * Misses in the whole run.  Where an access was looked at in bursts only, so
 * often as the bursts are short.
 */
static double misses_of(const struct line_use *u, const struct run_process *p)
{
	double in_bursts = (double)u->raw->burst_misses * each_seen(u, p);

	return in_bursts > (double)u->raw->misses ? in_bursts : (double)u->raw->misses;
}

/* Accesses that were seen, at least. */
static double seen_of(const struct line_use *u, const struct run_process *p)
{
	double seen = (double)u->raw->misses + (double)u->raw->watched;
	double in_bursts = (double)u->raw->burst_accesses * each_seen(u, p);

	return in_bursts > seen ? in_bursts : seen;
}

static void add_span(struct sum *s, const struct line_use *u, size_t n, const struct run_process *p,
		     const struct line_pace *pace)
{
	uint64_t first = UINT64_MAX, last = 0;

	for (size_t i = 0; i < n; i++) {
		first = u[i].raw->first < first ? u[i].raw->first : first;
		last = u[i].raw->last > last ? u[i].raw->last : last;
		s->watched += gap_of(&u[i], p, pace) * (double)u[i].raw->gaps;
	}
	s->span = last > first ? (double)(last - first) * p->ns_per_tick * pace->time : 0;
	if (s->span > pace->cpu_ns)
		s->span = pace->cpu_ns;
}

/* How many accesses a use makes, and who says so. */
static void count(struct line_use *u, const struct sum *s, const struct run_process *p, double gap)
{
	double seen = seen_of(u, p);

	if (u->accesses > 0) {
		u->how = EVIDENCE_COUNTED;
		return;
	}
	u->how = EVIDENCE_SEEN;
	u->accesses = seen;
	if (u->raw->trips) {
		u->how = EVIDENCE_ANNOUNCED;
		u->accesses = (double)u->raw->trips;
	} else if (gap > 0 && s->watched > 0) {
		u->how = EVIDENCE_WINDOW;
		u->accesses = s->span * (double)u->raw->gaps / s->watched;
	}
	if (u->accesses < seen)
		u->accesses = seen;
}

/*
 * Several fields used at one visit cost one transfer: the gap that counts is
 * the one an instant of the thread's time lies in, which short gaps hardly
 * change.  The number of accesses, where it is known, is surer than the gaps,
 * which are short times measured one by one.
 */
static void set_visits(struct line_use *u, size_t n, const struct sum *s, const struct line_pace *pace)
{
	double active = s->time > 0 && s->known > 0 ? s->time * s->accesses / s->known : s->span;
	double gap = s->time > 0 ? s->squares / s->time : s->accesses > 0 ? s->span / s->accesses : 0;
	double visits = gap > 0 ? active / gap : s->accesses;

	for (size_t i = 0; i < n; i++) {
		u[i].active_ns = active < pace->cpu_ns ? active : pace->cpu_ns;
		u[i].visits = visits;
		u[i].gap_waits = s->time <= 0;
		u[i].active_waits = s->by_span;
	}
}

void evidence_fill(struct line_use *u, size_t n, const struct run_process *p, const struct line_pace *pace)
{
	struct sum s = {0};

	add_span(&s, u, n, p, pace);
	for (size_t i = 0; i < n; i++) {
		double gap = gap_of(&u[i], p, pace);

		count(&u[i], &s, p, gap);
		u[i].scale = u[i].raw->misses ? misses_of(&u[i], p) / (double)u[i].raw->misses : 1;
		s.by_span |= u[i].how == EVIDENCE_WINDOW;
		s.accesses += u[i].accesses;
		s.known += gap > 0 ? u[i].accesses : 0;
		s.time += gap * u[i].accesses;
		s.squares += gap * gap * u[i].accesses;
	}
	set_visits(u, n, &s, pace);
}

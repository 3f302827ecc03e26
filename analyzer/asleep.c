/* SPDX-License-Identifier: MIT */
#include "analyzer/asleep.h"

#include <stdlib.h>

#include "lib/mem.h"
#include "lib/num.h"

/* Less than this part of the run is not worth a word. */
#define WORTH_SAYING 0.05

/* Does the event last as long as a timer, or somebody outside of the program, wants? */
static bool is_outside(const struct prs_event *e)
{
	switch (e->kind) {
	case PRS_EV_SLEEP:
	case PRS_EV_WAITPID:
	case PRS_EV_ACCEPT:
	case PRS_EV_CONNECT:
	case PRS_EV_SIGWAIT:
		return true;
	case PRS_EV_POLL:
		return !e->object; /* nothing was ready: the time was up */
	default:
		return false;
	}
}

/* What a thread slept from @from to @to, waits inside waits once; @at: its first event that may count. */
static struct asleep slept(const struct timeline *tl, uint32_t thread, uint64_t from, uint64_t to, size_t *at)
{
	const struct run_thread *t = &tl->p->threads[thread];
	struct asleep sum = {0};
	uint64_t reached = from;

	/* In order of end. */
	while (*at < t->n_events && t->events[*at].end <= from)
		++*at;
	for (size_t i = *at; i < t->n_events && t->events[i].begin < to; i++) {
		const struct prs_event *e = &t->events[i];
		uint64_t a = e->begin > reached ? e->begin : reached, b = e->end < to ? e->end : to;

		if (!is_outside(e) || a >= b)
			continue;
		sum.ns += (double)(b - a) * tl->p->ns_per_tick;
		sum.calls += e->begin >= from;
		sum.other |= e->kind != PRS_EV_SLEEP && e->kind != PRS_EV_POLL;
		reached = b;
	}
	return sum;
}

/* Add what sleep made longer between @a and @b; NULL: the end. */
static void add_between(struct asleep *out, const struct timeline *tl, const struct bound *a,
			const struct bound *b, size_t *at)
{
	double most_work = 0, most = 0;
	struct asleep longest = {0};

	for (uint32_t t = 0; t < tl->p->n_threads; t++) {
		uint64_t from = bound_cpu(tl, a, t),
			 to = b ? bound_cpu(tl, b, t) : cpu_at(&tl->cpu[t], tl->p->end);
		double work = to > from ? (double)(to - from) : 0;
		struct asleep s = slept(tl, t, bound_tick(a, t), b ? bound_tick(b, t) : tl->p->end, &at[t]);

		most_work = work > most_work ? work : most_work;
		if (work + s.ns <= most)
			continue;
		most = work + s.ns;
		longest = s;
	}
	if (longest.ns <= 0 || most <= most_work)
		return;
	out->ns += most - most_work;
	out->calls += longest.calls;
	out->other |= longest.other;
}

struct asleep asleep_find(const struct timeline *tl, const struct bounds *b)
{
	size_t *at = mem_new(tl->p->n_threads + 1, sizeof(*at));
	struct asleep all = {0};

	for (size_t i = 0; i < b->n; i++)
		add_between(&all, tl, &b->at[i], i + 1 < b->n ? &b->at[i + 1] : NULL, at);
	free(at);
	return all;
}

void asleep_say(const struct timeline *tl, const struct bounds *b, struct notes *notes)
{
	struct asleep all = asleep_find(tl, b);
	double run = (double)run_span_ns(tl->p, tl->p->end - tl->p->header->tsc_start);
	char time[32];

	if (all.ns <= WORTH_SAYING * run)
		return;
	notes_add(notes,
		  "threads slept%s %s in %llu call%s while nobody worked, %.0f %% of the run: not in the "
		  "model; "
		  "times, deadlines and idle energy are without it",
		  all.other ? " or waited for what is outside of the program," : "",
		  num_time(time, sizeof(time), all.ns / 1e9), (unsigned long long)all.calls,
		  all.calls == 1 ? "" : "s", 100 * all.ns / run);
}

/* SPDX-License-Identifier: MIT */
#include "analyzer/lines/kept.h"

#include <stdlib.h>
#include <string.h>

#include "lib/vec.h"
#include "perseus/abi.h"

/* Who was kept for all but this part of its time: what it did in that says nothing of the rest. */
#define LEAST_HAD 0.05

/* Fewer sleeps of one place do not show how long these are as a rule. */
#define FEW_SLEEPS 4

/* A sleep of less than this part of the usual one ends at a time that was set: what came before took longer. */
#define CUT_SHORT 0.75

/* ... if such a part of them does: any clock jumps now and then. */
#define SOME_CUT 0.02

/* Who asks the time once in so many ns of its time does little else than wait for it. */
#define ASKS_NS 200.0

/* One sleep. */
struct nap {
	uint64_t caller, ticks;
};
struct vec_nap VEC(struct nap);

static int by_place_and_length(const void *a, const void *b)
{
	const struct nap *x = a, *y = b;

	if (x->caller != y->caller)
		return x->caller < y->caller ? -1 : 1;
	return (x->ticks > y->ticks) - (x->ticks < y->ticks);
}

/* Sleeps by the clock: what ends others is another thread, whose time they tell of. */
static void list_naps(struct vec_nap *naps, const struct run_thread *t)
{
	for (size_t i = 0; i < t->n_events; i++) {
		const struct prs_event *ev = &t->events[i];

		if ((ev->kind == PRS_EV_SLEEP || ev->kind == PRS_EV_POLL) && ev->end > ev->begin)
			vec_push(naps, ((struct nap){ev->caller, ev->end - ev->begin}));
	}
	if (naps->n)
		qsort(naps->at, naps->n, sizeof(*naps->at), by_place_and_length);
}

/* Sleeps of one thread: ticks, those longer than they are at their place as a rule, and how many are short. */
struct sleeps {
	double all, late, n, cut;
};

static struct sleeps sleeps_of(const struct run_thread *t)
{
	struct vec_nap naps = VEC_INIT;
	struct sleeps s = {0};
	size_t to;

	list_naps(&naps, t);
	for (size_t from = 0; from < naps.n; from = to) {
		double usual;

		for (to = from + 1; to < naps.n && naps.at[to].caller == naps.at[from].caller;)
			to++;
		usual = (double)naps.at[from + (to - from) / 2].ticks;
		for (size_t i = from; i < to; i++) {
			double ticks = (double)naps.at[i].ticks;

			s.all += ticks;
			s.late += to - from >= FEW_SLEEPS && ticks > usual ? ticks - usual : 0;
			s.cut += ticks < CUT_SHORT * usual;
		}
	}
	s.n = (double)naps.n;
	vec_release(&naps);
	return s;
}

/* Functions that tell the time. */
static bool tells_time(const char *callee)
{
	static const char *const names[] = {"clock_gettime", "gettimeofday", "time",         "clock",
					    "timespec_get",  "times",        "omp_get_wtime"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(callee, names[i]))
			return true;
	return strstr(callee, "6chrono") && strstr(callee, "3nowEv");
}

static double asks_of(const struct run_process *p, const struct run_thread *t)
{
	double asks = 0;

	for (size_t i = 0; i < t->n_calls; i++) {
		const struct run_call_site *s = run_call_site(p, t->calls[i]->site);

		if (s && tells_time(s->callee))
			asks += (double)t->totals[i];
	}
	return asks;
}

void kept_pace(struct line_pace *pace, const struct run_process *p, uint32_t thread)
{
	struct sleeps s = sleeps_of(&p->threads[thread]);
	double asks = asks_of(p, &p->threads[thread]);

	pace->late = s.all > 0 ? s.late / s.all : 0;
	/* Elsewhere what makes up for missed time is seen as often as it is done. */
	pace->cut = p->header->sharing_mode == PRS_SHARING_RATE && s.cut > SOME_CUT * s.n;
	pace->spins = asks > 0 && asks * ASKS_NS >= pace->cpu_ns;
}

double kept_factor(const struct there *there)
{
	double had = there->whole - there->kept;

	if (there->whole <= 0)
		return 1;
	return there->whole / (had > LEAST_HAD * there->whole ? had : LEAST_HAD * there->whole);
}

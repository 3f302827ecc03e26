/* SPDX-License-Identifier: MIT */
#include "analyzer/sharing/doubts.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/pairs/turns.h"
#include "analyzer/time/cpu.h"
#include "lib/vec.h"
#include "record/blocks/bursts.h"

/* More threads than this can run, on average: several. */
#define SEVERAL 1.2

/*
 * What threads lost is known for all of their lives, not when.  Where they could have run side by side for no
 * more than some time slices (of two cores together), it may have been all of the time in which they would have
 * met: if it is this part of what the second of them used.
 */
#define SHORT_NS 20e6
#define LOST     0.5

/* Several threads for this part of the run: on one core they had to take turns. */
#define BY_TURNS 0.1

/* At one moment a thread begins or ends. */
struct turn {
	uint64_t tick;
	double can,
		had; /* parts of its life that the thread can run, and ran: + at its begin, - at its end */
};
struct vec_turn VEC(struct turn);

static int by_tick(const void *a, const void *b)
{
	const struct turn *x = a, *y = b;

	return x->tick < y->tick ? -1 : x->tick > y->tick;
}

/* Ticks that the thread waited for something and used no processor. */
static uint64_t waited(const struct run_thread *t)
{
	uint64_t ticks = 0;

	for (size_t i = 0; i < t->n_waits; i++) {
		const struct prs_wait *w = &t->waits[i];

		if (!(w->flags & PRS_WAIT_TAKEN) && w->kind != PRS_EV_SPIN && w->kind != PRS_EV_TEAM)
			ticks += w->ticks;
	}
	return ticks;
}

static double cpu_ticks(const struct run_process *p, const struct run_thread *t)
{
	struct cpu_line line;
	double ns;

	cpu_line_make(&line, t, p->end);
	ns = (double)cpu_total(&line);
	cpu_line_release(&line);
	return p->ns_per_tick > 0 ? ns / p->ns_per_tick : 0;
}

static void add_thread(struct vec_turn *turns, const struct run_process *p, const struct run_thread *t)
{
	uint64_t from = t->raw->start_tsc, to = t->raw->end_tsc ? t->raw->end_tsc : p->end;
	double life = to > from ? (double)(to - from) : 0, out = (double)waited(t);
	double can = life > out ? (life - out) / life : 0, had;

	if (life <= 0)
		return;
	had = cpu_ticks(p, t) / life;
	/* What is spent in a wait, spinning first, is no sign that it could have run longer. */
	if (had > can)
		can = had < 1 ? had : 1;
	vec_push(turns, ((struct turn){from, can, had}));
	vec_push(turns, ((struct turn){to, -can, -had}));
	/* From when it was made until it first ran it waited for a core. */
	if (t->raw->create_tsc && t->raw->create_tsc < from) {
		vec_push(turns, ((struct turn){t->raw->create_tsc, can, 0}));
		vec_push(turns, ((struct turn){from, -can, 0}));
	}
}

/* Processor time that threads of @p could have used, and had, while several could run, in ticks of one core. */
static void side_by_side(const struct run_process *p, double cores, double *could, double *did)
{
	struct vec_turn turns = VEC_INIT;
	double can = 0, had = 0, all = 0, used = 0;

	for (size_t i = 0; i < p->n_threads; i++)
		add_thread(&turns, p, &p->threads[i]);
	if (turns.n)
		qsort(turns.at, turns.n, sizeof(*turns.at), by_tick);
	for (size_t i = 0; i + 1 < turns.n; i++) {
		double ticks = (double)(turns.at[i + 1].tick - turns.at[i].tick), most;

		can += turns.at[i].can;
		had += turns.at[i].had;
		most = can < cores ? can : cores;
		if (can < SEVERAL)
			continue;
		all += ticks * most;
		used += ticks * (had < most ? had : most);
	}
	vec_release(&turns);
	*could = all;
	*did = used;
}

/* Processor time of the thread of @p that used most but for one, in ns; 0: there are no two. */
static double second_busiest(const struct run_process *p)
{
	double most = 0, second = 0;

	for (size_t i = 0; i < p->n_threads; i++) {
		double ns = cpu_ticks(p, &p->threads[i]) * p->ns_per_tick;

		second = ns > most ? most : ns > second ? ns : second;
		most = ns > most ? ns : most;
	}
	return second;
}

double doubts_apart(const struct run_process *p, double cores)
{
	double could, did, lost;

	side_by_side(p, cores, &could, &did);
	lost = (could - did) * p->ns_per_tick;
	return could * p->ns_per_tick < SHORT_NS && lost > LOST * second_busiest(p) ? lost : 0;
}

double doubts_together(const struct run_process *p, double cores)
{
	double could, did;

	side_by_side(p, cores, &could, &did);
	return could > 0 ? did / could : 1;
}

bool doubts_one_core(const struct run *run, const struct run_process *p)
{
	double could, did, life = p->end > p->header->tsc_start ? (double)(p->end - p->header->tsc_start) : 0;

	side_by_side(p, 1, &could, &did);
	return run->manifest.cores == 1 && could > BY_TURNS * life;
}

static void doubt_side_by_side(struct notes *doubts, const struct run *run, const struct run_process *p,
			       const char *who, const char *why)
{
	double cores = run->manifest.cores ? run->manifest.cores : 1;
	double part = cores > 1 ? doubts_together(p, cores) : 1,
	       apart = cores > 1 ? doubts_apart(p, cores) : 0;

	if (part >= DOUBTS_TOGETHER && apart > 0)
		notes_add(doubts,
			  "the %s were there for some ms only, and had no core for %.2g ms of it: they may "
			  "never have "
			  "met (%s)",
			  who, apart / 1e6, why);
	if (part < DOUBTS_TOGETHER)
		notes_add(doubts,
			  "the %s had %.0f %% of the processor time that they could have used side by side "
			  "(%s)",
			  who, 100 * part, why);
}

/* Why threads had no time side by side. */
#define ONE_CORE "all of them were seen on one core"
#define BUSY     "the machine was busy"

static void doubt_together(struct notes *doubts, const struct run *run)
{
	struct core_looks looks;

	turns_looks(&looks, run);
	for (size_t i = 0; i < run->n_processes; i++) {
		const struct run_process *p = &run->processes[i];

		doubt_side_by_side(doubts, run, p, "threads", turns_one_core(p, &looks) ? ONE_CORE : BUSY);
		if (doubts_one_core(run, p))
			notes_add(doubts,
				  "the threads had one core, where no line travels: record on several");
	}
	vec_release(&looks);
}

void doubts_processes(struct notes *doubts, const struct run *run, const struct run_process *joined)
{
	doubt_side_by_side(doubts, run, joined, "processes", BUSY);
	if (doubts_one_core(run, joined))
		notes_add(doubts, "the processes had one core, where no line travels: record on several");
}

static void doubt_bursts(struct notes *doubts, const struct run *run)
{
	struct run_bursts b;
	double miss;

	run_bursts(&b, run);
	miss = b.rate ? run_bursts_miss(&b, BURSTS_RATE, BURSTS_NEED) : 0;
	if (miss > DOUBTS_MISS)
		notes_add(doubts,
			  "accesses were looked at for %.2g ms: a line that moves %.0f times a second is "
			  "missed with a probability of %.2g",
			  1e3 * b.seconds, BURSTS_RATE, miss);
}

void doubts_find(struct notes *doubts, const struct run *run)
{
	if (!run->complete)
		notes_add(doubts, "the run is incomplete: %s",
			  run->incomplete_why ? run->incomplete_why : "its end is missing");
	doubt_together(doubts, run);
	doubt_bursts(doubts, run);
}

void doubts_one_core_of(struct notes *doubts, const struct sharing_finding *f, size_t n)
{
	for (size_t i = 0; i < doubts->n; i++)
		if (strstr(doubts->at[i], "one core"))
			return;
	for (size_t i = 0; i < n; i++)
		if (f[i].one_core && (f[i].significant || f[i].perhaps)) {
			notes_add(doubts,
				  "the threads of %s were seen on one core only, where no line travels: "
				  "record with several",
				  f[i].evidence);
			return;
		}
}

void doubts_prices(struct notes *doubts, const struct platform *platform)
{
	if (platform->source && strstr(platform->source, "disturbed"))
		notes_add(doubts, "the prices of '%s' were measured on a disturbed machine", platform->name);
}

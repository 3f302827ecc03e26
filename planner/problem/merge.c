/* SPDX-License-Identifier: MIT */
/*
 * Phases of the model -> phases of the problem.
 *
 * The evaluator lets all threads of a phase begin and end together.  A
 * boundary at which main merely joined one of several workers, or created one
 * more, holds nobody else: counted as a barrier it would invent idle time
 * that depends on how the recorded machine interleaved the threads.  Such
 * phases are joined, and each thread's work is added up.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "planner/problem/inputs.h"

/* Members whose work together is below this share of the longest one's are light. */
#define LIGHT_PERCENT 1

/* A phase that another thread enters is joined to its neighbour if it is this many times shorter. */
#define BURST_RATIO 10

static int order_phases(struct problem *pb, struct err *err)
{
	const struct model *m = pb->model;
	uint32_t at = PROB_NONE, n = 0;

	pb->order = mem_new(m->n_phases + 1, sizeof(*pb->order));
	do {
		uint32_t next = PROB_NONE;

		for (uint32_t i = 0; i < m->n_phases && next == PROB_NONE; i++)
			if (m->phases[i].after == at)
				next = i;
		if (next == PROB_NONE)
			break;
		pb->order[n++] = at = next;
	} while (n < m->n_phases);
	if (n == m->n_phases)
		return 0;
	return err_set(err, -EINVAL,
		       "the phases of the model form no chain: %u of %zu can be reached from the first", n,
		       m->n_phases);
}

static const struct model_phase *nth(const struct problem *pb, uint32_t i)
{
	return &pb->model->phases[pb->order[i]];
}

static uint64_t top_ns(const struct problem *pb, uint64_t cycles, uint64_t memory_ns)
{
	return problem_work_ns(cycles, memory_ns, pb->machine->platform->steps[0].khz);
}

static bool agrees(const struct problem *pb, const struct model_phase *ph, const struct model_work *w)
{
	return pb->inputs->agrees[ph - pb->model->phases][w - ph->work];
}

static bool can_enter(const struct problem *pb, const struct model_phase *ph, const struct model_work *w)
{
	return ph->accepted && w->enter_site != MODEL_NONE && w->enter_visit &&
	       pb->model->threads[w->thread].plannable && (!pb->inputs || agrees(pb, ph, w));
}

/* Add the work of model phase @at to @ph; entries count only in its first phase. */
static void absorb(const struct problem *pb, struct prob_phase *ph, uint32_t at)
{
	const struct model_phase *mp = nth(pb, at);

	ph->members = mem_resize(ph->members, ph->n_members + mp->n_work + 1, sizeof(*ph->members));
	for (uint32_t i = 0; i < mp->n_work; i++) {
		const struct model_work *w = &mp->work[i];
		struct prob_member *m = prob_member_of(ph, w->thread);

		if (!m) {
			bool enters = can_enter(pb, mp, w);

			m = &ph->members[ph->n_members++];
			*m = (struct prob_member){.thread = w->thread,
						  .enter_phase = enters ? pb->order[at] : PROB_NONE,
						  .enter_work = i,
						  .starts = w->starts};
		}
		m->cycles += w->cycles;
		m->memory_ns += w->memory_ns;
	}
	ph->accepted &= mp->accepted;
	ph->model_last = at + 1;
}

struct weight {
	uint64_t ns;
	uint32_t thread; /* decides ties, so that which of equals is light is a rule */
	uint32_t member;
};

static int compare_weights(const void *a, const void *b)
{
	const struct weight *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	return (x->thread > y->thread) - (x->thread < y->thread);
}

void problem_weigh(const struct problem *pb, struct prob_phase *ph)
{
	struct weight *w = mem_new(ph->n_members + 1, sizeof(*w));
	struct prob_member *sorted = mem_new(ph->n_members + 1, sizeof(*sorted));
	uint64_t rest = 0;

	for (uint32_t i = 0; i < ph->n_members; i++)
		w[i] = (struct weight){top_ns(pb, ph->members[i].cycles, ph->members[i].memory_ns),
				       ph->members[i].thread, i};
	qsort(w, ph->n_members, sizeof(*w), compare_weights);
	ph->n_heavy = ph->n_members;
	while (ph->n_heavy) {
		rest += w[ph->n_heavy - 1].ns;
		if (rest && rest > w[0].ns / 100 * LIGHT_PERCENT)
			break;
		ph->n_heavy--;
	}
	for (uint32_t i = 0; i < ph->n_members; i++) {
		sorted[i] = ph->members[w[i].member];
		sorted[i].heavy = i < ph->n_heavy;
	}
	free(ph->members);
	free(w);
	ph->members = sorted;
}

static uint64_t merge_longest(const struct problem *pb, const struct prob_phase *ph)
{
	uint64_t max = 0;

	for (uint32_t i = 0; i < ph->n_members; i++) {
		uint64_t ns = top_ns(pb, ph->members[i].cycles, ph->members[i].memory_ns);

		max = ns > max ? ns : max;
	}
	return max;
}

static struct prob_phase single(const struct problem *pb, uint32_t at)
{
	struct prob_phase ph = {.model_first = at, .repeats = nth(pb, at)->repeats, .accepted = true};

	absorb(pb, &ph, at);
	problem_weigh(pb, &ph);
	if (!ph.repeats)
		ph.repeats = 1;
	return ph;
}

/* Does a thread that matters in both work over the boundary? */
static bool goes_on(const struct prob_phase *ph, const struct prob_phase *next)
{
	for (uint32_t i = 0; i < next->n_heavy; i++)
		if (!next->members[i].starts && next->members[i].enter_phase == PROB_NONE &&
		    prob_member_of(ph, next->members[i].thread))
			return true;
	return false;
}

/* Does the boundary before @next hold none of the threads that matter in both? */
static bool joins(const struct problem *pb, const struct prob_phase *ph, const struct prob_phase *next)
{
	const char *opened = nth(pb, next->model_first)->opened_by;
	uint64_t a = merge_longest(pb, ph), b = merge_longest(pb, next);
	bool continues = false, enters = false;

	if (ph->repeats != 1 || next->repeats != 1 || (opened && !strcmp(opened, "barrier")))
		return false;
	if (problem_opened_by_call(nth(pb, next->model_first)))
		return goes_on(ph, next);
	for (uint32_t i = 0; i < next->n_heavy; i++) {
		const struct prob_member *m = &next->members[i];

		if (m->starts || m->enter_phase != PROB_NONE)
			enters = true;
		else
			continues |= prob_member_of(ph, m->thread) != NULL;
	}
	return continues && (!enters || a / BURST_RATIO > b || b / BURST_RATIO > a);
}

void problem_fill_work(const struct problem *pb, struct prob_phase *ph)
{
	uint32_t n = pb->machine->n_steps;

	ph->work_ns = mem_new((size_t)ph->n_members * n + 1, sizeof(*ph->work_ns));
	for (uint32_t i = 0; i < ph->n_members; i++)
		for (uint32_t s = 0; s < n; s++)
			ph->work_ns[(size_t)i * n + s] =
				problem_work_ns(ph->members[i].cycles, ph->members[i].memory_ns,
						pb->machine->platform->steps[s].khz);
}

static void close_phase(struct problem *pb, struct prob_phase *ph)
{
	problem_weigh(pb, ph);
	problem_fill_work(pb, ph);
	if (ph->n_members > pb->max_members)
		pb->max_members = ph->n_members;
	pb->phases[pb->n_phases++] = *ph;
}

static void mark_continuing(struct problem *pb)
{
	for (uint32_t p = 1; p < pb->n_phases; p++)
		for (uint32_t i = 0; i < pb->phases[p].n_members; i++) {
			struct prob_member *m = &pb->phases[p].members[i];

			m->continues = !m->starts && m->enter_phase == PROB_NONE &&
				       prob_member_of(&pb->phases[p - 1], m->thread);
		}
}

int problem_phases(struct problem *pb, struct err *err)
{
	uint32_t n = (uint32_t)pb->model->n_phases;
	int ret = order_phases(pb, err);
	struct prob_phase ph;

	if (ret || !n)
		return ret;
	pb->phases = mem_new(n, sizeof(*pb->phases));
	ph = single(pb, 0);
	for (uint32_t i = 1; i < n; i++) {
		struct prob_phase next = single(pb, i);

		if (joins(pb, &ph, &next)) {
			absorb(pb, &ph, i);
			problem_weigh(pb, &ph);
			free(next.members);
		} else {
			close_phase(pb, &ph);
			ph = next;
		}
	}
	close_phase(pb, &ph);
	mark_continuing(pb);
	return 0;
}

struct prob_member *prob_member_of(const struct prob_phase *ph, uint32_t thread)
{
	for (uint32_t i = 0; i < ph->n_members; i++)
		if (ph->members[i].thread == thread)
			return &ph->members[i];
	return NULL;
}

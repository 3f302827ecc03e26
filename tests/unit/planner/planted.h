/* SPDX-License-Identifier: MIT */
/*
 * Instances of any size whose optimum is known because it was planted.
 *
 * Of the packages, `used` are filled: in each phase every core of them gets
 * threads whose work adds up to exactly one length L, and one core has a
 * single thread of length L.  The rest halts.  Sharing pairs lie within one
 * cache group, where an access to a shared line costs nothing more.  The
 * steps are such that one of them, `right`, needs least energy whether the
 * phase is short or long.
 *
 * Why nothing is better, for energy: the phase cannot be over before the
 * longest thread, awake packages cannot hold more than full cores, and each
 * thread runs at the step that is best for it; the planted design has
 * equality in all three.  So its cost is exactly relax_phase() of each phase,
 * which planted_cost() makes sure of by the evaluator instead of believing
 * this comment.  Changes between the phases cost extra: they are all that
 * separates the best plan from the sum.
 *
 * Threads are static with a given share: they take their core for the whole
 * run and can be placed at their start only.  The others are dealt anew in
 * each phase.
 */
#ifndef PERSEUS_TESTS_PLANNER_PLANTED_H
#define PERSEUS_TESTS_PLANNER_PLANTED_H

#include "planner/cost/relax.h"
#include "small.h"

struct planted_shape {
	uint32_t packages, groups, cores; /* groups a package, cores a group */
	uint32_t used;                    /* packages that the optimum keeps awake */
	uint32_t steps;                   /* 1 to 4 */
	uint32_t right;                   /* the step that is best */
	enum clocks clocks;
	uint32_t threads; /* at least one for each core of the used packages */
	uint32_t phases;
	uint32_t static_percent; /* threads that cannot be moved after their start */
	uint32_t pairs;          /* of threads that share a line */
	uint64_t seed;
};

struct planted {
	struct planted_shape shape;
	struct platform pf;
	struct maker k;
	uint16_t *core; /* of thread t + 1 in phase p: core[p * threads + t], index in pf.cores */
};

#define PLANTED_UNIT_CYCLES 120 /* divides into whole ns at every step below */

static const uint32_t planted_khz[4] = {2000000, 1600000, 1250000, 1000000};

/*
 * Busy power at a step: above @right it grows faster than the square of the
 * frequency, below it falls slower than the frequency, so that @right needs
 * least energy for a cycle, waiting packages included.
 */
__attribute__((unused)) static void planted_steps(struct platform *pf, uint32_t right)
{
	double base = planted_khz[right];

	for (uint32_t f = 0; f < pf->n_steps; f++) {
		double ratio = planted_khz[f] / base;
		double mw = f < right ? 6000 * ratio * ratio * ratio : 6000 * (0.3 + 0.7 * ratio);

		pf->steps[f] = (struct platform_step){
			.khz = planted_khz[f], .busy_mw = (uint64_t)mw, .idle_mw = 1200 + 20 * (3 - f)};
	}
}

__attribute__((unused)) static void planted_platform(struct platform *pf, const struct planted_shape *sh)
{
	small_platform(pf, sh->packages, sh->groups, sh->cores, sh->steps, sh->clocks);
	pf->package_halt_mw = 150 * sh->groups * sh->cores;
	planted_steps(pf, sh->right);
	for (int d = DIST_SMT; d < DIST_N; d++)
		pf->migrate_ns[d] = 2000u * (unsigned int)d;
	for (int k = 0; k < PRS_KIND_N; k++)
		for (int d = 0; d < DIST_N; d++)
			pf->price[k].shared_ps[d] =
				d <= DIST_CACHE ? pf->price[k].alone_ps : 40000 * (uint64_t)(d - DIST_CACHE);
	platform_complete(pf);
}

/* Cores are dealt as cores: each used core at least one, core 0 exactly one. */
struct planted_cores {
	uint32_t *core; /* of each */
	uint64_t *part; /* of each, in units of work */
	uint32_t *thread;
	uint32_t n;
};

__attribute__((unused)) static void planted_cores_init(struct planted_cores *s, const struct planted *x,
						       struct rng *rng)
{
	uint32_t n_cores = x->shape.used * x->shape.groups * x->shape.cores;

	s->n = x->shape.threads;
	s->core = mem_new(s->n, sizeof(*s->core));
	s->part = mem_new(s->n, sizeof(*s->part));
	s->thread = mem_new(s->n, sizeof(*s->thread));
	for (uint32_t i = 0; i < s->n; i++)
		s->core[i] = i < n_cores ? i : 1 + (uint32_t)rng_below(rng, n_cores - 1);
}

__attribute__((unused)) static void planted_cores_release(struct planted_cores *s)
{
	free(s->core);
	free(s->part);
	free(s->thread);
}

/* Cut each core's length @whole into parts, none below a third of an even one. */
__attribute__((unused)) static void planted_cut(struct planted_cores *s, uint64_t whole, struct rng *rng)
{
	for (uint32_t i = 0; i < s->n; i++) {
		uint32_t first = i, last = i, count = 0;
		uint64_t even;

		for (uint32_t j = 0; j < s->n; j++)
			if (s->core[j] == s->core[i]) {
				first = j < first ? j : first;
				last = j;
				count++;
			}
		even = whole / count;
		if (first == i)
			s->part[last] = whole;
		if (i == last)
			continue;
		s->part[i] = even / 3 + rng_below(rng, even);
		s->part[last] -= s->part[i];
	}
}

static uint32_t planted_group(const struct planted *x, uint32_t core)
{
	return core / x->shape.cores;
}

/* Exchange who sits in cores @a and @b unless that parts a pair or moves a static thread. */
__attribute__((unused)) static void planted_exchange(const struct planted *x, struct planted_cores *s,
						     uint32_t a, uint32_t b)
{
	uint32_t n_static = x->shape.threads * x->shape.static_percent / 100, t = s->thread[a];
	bool same = planted_group(x, s->core[a]) == planted_group(x, s->core[b]);

	if (t < n_static || s->thread[b] < n_static)
		return;
	if (!same && (t < 2 * x->shape.pairs || s->thread[b] < 2 * x->shape.pairs))
		return;
	s->thread[a] = s->thread[b];
	s->thread[b] = t;
}

/* Thread 0 and 1, 2 and 3, ... of the pairs get cores of one cache group; the others what is left. */
__attribute__((unused)) static void planted_slot(const struct planted *x, struct planted_cores *s)
{
	bool *taken = mem_new(s->n, 1);
	uint32_t t = 0;

	for (uint32_t a = 0; a < s->n && t < 2 * x->shape.pairs; a++)
		for (uint32_t b = a + 1; b < s->n && !taken[a]; b++) {
			if (taken[b] || planted_group(x, s->core[a]) != planted_group(x, s->core[b]))
				continue;
			taken[a] = taken[b] = true;
			s->thread[a] = t++;
			s->thread[b] = t++;
		}
	for (uint32_t a = 0; a < s->n; a++)
		if (!taken[a])
			s->thread[a] = t++;
	free(taken);
}

__attribute__((unused)) static void planted_phase(struct planted *x, struct planted_cores *s, uint32_t p,
						  struct rng *rng)
{
	uint64_t whole = 800000 + rng_below(rng, 1600000); /* 48 to 144 ms at the top step */
	uint32_t n_static = x->shape.threads * x->shape.static_percent / 100;

	planted_cut(s, whole, rng);
	for (uint32_t i = 0; p && i < 4 * s->n; i++)
		planted_exchange(x, s, (uint32_t)rng_below(rng, s->n), (uint32_t)rng_below(rng, s->n));
	maker_phase(&x->k, p ? "barrier" : "create");
	for (uint32_t t = 0; t < s->n; t++)
		for (uint32_t i = 0; i < s->n; i++) {
			struct model_work *w;

			if (s->thread[i] != t)
				continue;
			w = maker_work(&x->k, p, 1 + t, (double)(s->part[i] * PLANTED_UNIT_CYCLES));
			w->starts = p == 0;
			if (p && t >= n_static) {
				w->enter_site = 1;
				w->enter_visit = p;
			}
			x->core[(size_t)p * s->n + t] = (uint16_t)s->core[i];
		}
}

/* Make the instance; released by planted_release(). */
__attribute__((unused)) static void planted_make(struct planted *x, const struct planted_shape *shape)
{
	struct rng rng = rng_keyed(shape->seed, 0x706c616e74, shape->threads, shape->phases);
	struct planted_cores s;
	uint32_t create;

	*x = (struct planted){.shape = *shape};
	planted_platform(&x->pf, shape);
	maker_init(&x->k, "planted");
	maker_thread(&x->k, "main", MODEL_NONE, MODEL_NONE, 0);
	x->k.m.threads[0].plannable = false; /* it does nothing, so there is nothing to plan */
	create = maker_site(&x->k, "main", "pthread_create", 1);
	maker_site(&x->k, "worker", "pthread_barrier_wait", 2);
	for (uint32_t t = 0; t < shape->threads; t++)
		maker_thread(&x->k, "worker", 0, create, t);
	x->core = mem_new((size_t)shape->phases * shape->threads, sizeof(*x->core));
	planted_cores_init(&s, x, &rng);
	planted_slot(x, &s);
	for (uint32_t p = 0; p < shape->phases; p++)
		planted_phase(x, &s, p, &rng);
	for (uint32_t i = 0; i < shape->pairs; i++)
		maker_conflict(&x->k, 1 + 2 * i, 2 + 2 * i, 5);
	planted_cores_release(&s);
}

__attribute__((unused)) static void planted_release(struct planted *x)
{
	free(x->core);
	platform_release(&x->pf);
	model_release(&x->k.m);
}

/* The planted design.  Light slots, if any, stay on unit 0. */
__attribute__((unused)) static void planted_design(const struct planted *x, const struct problem *pb,
						   struct design *d)
{
	memset(d->step, (int)x->shape.right, (size_t)pb->n_epochs * pb->machine->n_domains);
	for (uint32_t p = 0; p < pb->n_phases; p++)
		for (uint32_t i = 0; i < pb->phases[p].n_members; i++) {
			const struct prob_member *m = &pb->phases[p].members[i];
			uint32_t core = x->core[(size_t)p * x->shape.threads + m->thread - 1];

			d->unit[m->slot] = (uint16_t)machine_unit_of(pb->machine, x->pf.cores[core].id);
		}
}

/*
 * What the planted design costs without changes, by the evaluator; 0 if it is
 * not the closed-form bound of every phase, and so not known to be optimal.
 */
__attribute__((unused)) static struct cost planted_cost(const struct planted *x, const struct problem *pb)
{
	struct cost sum = {0}, low;
	struct scratch s;
	struct design d;
	struct evaluation ev;

	scratch_init(&s, pb);
	design_init(&d, pb);
	evaluation_init(&ev, pb, false);
	planted_design(x, pb, &d);
	eval_all(pb, &d, &s, &ev);
	for (uint32_t p = 0; p < pb->n_phases; p++) {
		relax_phase(pb, &pb->phases[p], &low);
		sum.time_ns += low.time_ns;
		sum.energy_pj += low.energy_pj;
	}
	if (sum.energy_pj == ev.total.energy_pj)
		sum = ev.total;
	else
		sum = (struct cost){0};
	evaluation_release(&ev);
	design_release(&d);
	scratch_release(&s);
	return sum;
}

#endif

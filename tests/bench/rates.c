/* SPDX-License-Identifier: MIT */
/*
 * How many phase states a second one core evaluates, one figure a line.
 *
 *   distinct  placements of one phase counted through like a number, each met
 *             once and added up from nothing
 *   delta     one member of a phase moved, the rest kept
 *
 * CPU time of this thread, the best of several rounds.
 */
#include <time.h>

#include "planner/cost/live.h"
#include "tests/unit/planner/planted.h"

#define ROUNDS 7
#define BATCH  200000

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

struct bench {
	struct machine m;
	struct problem pb;
	struct scratch s;
	struct design d;
	uint32_t phase; /* the one with most members */
	uint64_t sum;   /* so that no result is left out */
};

static void bench_init(struct bench *b, const struct model *model, const struct platform *pf)
{
	*b = (struct bench){.sum = 0};
	if (machine_init(&b->m, pf, NULL) || problem_init(&b->pb, model, &b->m, NULL))
		exit(1);
	scratch_init(&b->s, &b->pb);
	design_init(&b->d, &b->pb);
	for (uint32_t p = 0; p < b->pb.n_phases; p++)
		if (b->pb.phases[p].n_heavy > b->pb.phases[b->phase].n_heavy)
			b->phase = p;
}

static void bench_release(struct bench *b)
{
	design_release(&b->d);
	scratch_release(&b->s);
	problem_release(&b->pb);
	machine_release(&b->m);
}

/* The next placement of the heavy members; the light ones stay. */
static void next_placement(const struct bench *b, uint16_t *unit)
{
	for (uint32_t i = 0; i < b->pb.phases[b->phase].n_heavy; i++) {
		if (++unit[i] < b->m.n_units)
			return;
		unit[i] = 0;
	}
}

static double distinct(struct bench *b)
{
	const struct prob_phase *ph = &b->pb.phases[b->phase];
	uint16_t *unit = mem_new(ph->n_members, sizeof(*unit));
	double best = 0;

	for (int round = 0; round < ROUNDS; round++) {
		double begin = seconds(), rate;

		for (int i = 0; i < BATCH; i++) {
			struct phase_cost c;

			next_placement(b, unit);
			phase_eval(&b->pb, ph, ph->n_members, unit, design_steps(&b->pb, &b->d, b->phase),
				   &b->s, &c);
			b->sum += c.energy_pj;
		}
		rate = BATCH / (seconds() - begin);
		best = rate > best ? rate : best;
	}
	free(unit);
	return best;
}

static double delta(struct bench *b)
{
	const struct prob_phase *ph = &b->pb.phases[b->phase];
	const uint8_t *step = design_steps(&b->pb, &b->d, b->phase);
	struct rng rng = rng_keyed(1, 0, 0, 0);
	struct live l;
	double best = 0;

	live_init(&l, &b->pb, &b->s);
	live_build(&l, &b->d, b->phase);
	for (uint32_t i = 0; i < ph->n_heavy; i++)
		live_move(&l, b->phase, i, (uint16_t)(i % b->m.n_units), step);
	for (int round = 0; round < ROUNDS; round++) {
		double begin = seconds(), rate;

		for (int i = 0; i < BATCH; i++) {
			uint64_t draw = rng_u64(&rng);

			live_move(&l, b->phase, (uint32_t)(draw % ph->n_heavy),
				  (uint16_t)((draw >> 32) % b->m.n_units), step);
			b->sum += l.cost[b->phase].energy_pj;
		}
		rate = BATCH / (seconds() - begin);
		best = rate > best ? rate : best;
	}
	live_release(&l);
	return best;
}

static void measure(const char *name, const struct model *model, const struct platform *pf)
{
	struct bench b;

	bench_init(&b, model, pf);
	printf("plan.%s.distinct_per_s %.0f\n", name, distinct(&b));
	printf("plan.%s.delta_per_s %.0f\n", name, delta(&b));
	fprintf(stderr, "%s %llu\n", name, (unsigned long long)b.sum);
	bench_release(&b);
}

int main(void)
{
	static const size_t cases[] = {2, 5, 9};
	const struct planted_shape large = {.packages = 4,
					    .groups = 4,
					    .cores = 4,
					    .used = 2,
					    .steps = 3,
					    .right = 1,
					    .clocks = CLOCK_PACKAGE,
					    .threads = 64,
					    .phases = 1,
					    .pairs = 16,
					    .seed = 1};
	struct planted planted;
	struct platform pf;
	struct err err = ERR_INIT;

	if (platform_find(&pf, "xeon-e5320", &err)) {
		fprintf(stderr, "%s\n", err.msg);
		return 1;
	}
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct maker k;

		gate_make(&k, &gate_cases[cases[i]], 1e9);
		measure(gate_cases[cases[i]].name, &k.m, &pf);
		model_release(&k.m);
	}
	platform_release(&pf);
	planted_make(&planted, &large);
	measure("large", &planted.k.m, &planted.pf);
	planted_release(&planted);
	return 0;
}

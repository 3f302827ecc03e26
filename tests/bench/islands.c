/* SPDX-License-Identifier: MIT */
/*
 * The islands against one population of the same kind and effort, one figure
 * a line: name and value.  Compiled by plan-islands.sh.
 */
#include "planner/heuristic/islands.h"
#include "tests/unit/planner/planted.h"

#define PINGPONGS 8
#define WORK  10000000

static double above(const struct cost *c, const struct cost *optimum)
{
	return 100 * ((double)c->energy_pj / (double)optimum->energy_pj - 1);
}

static double by_islands(const struct problem *pb, uint64_t seed, const struct cost *optimum)
{
	const struct islands_options o = {
		.goal.objective = PLAN_ENERGY, .seed = seed, .max_work = WORK, .threads = 1};
	struct islands_state end;
	struct design d;

	design_init(&d, pb);
	baseline_make(pb, BASELINE_SPREAD, 1, &d);
	islands_search(pb, &o, &d, &end);
	design_release(&d);
	return above(&end.best, optimum);
}

static double by_one(const struct problem *pb, uint64_t seed, const struct cost *optimum)
{
	const struct genetic_options o = {.goal.objective = PLAN_ENERGY, .seed = seed};
	struct genetic *g;
	struct design d;
	double percent;

	design_init(&d, pb);
	baseline_make(pb, BASELINE_SPREAD, 1, &d);
	g = genetic_new(pb, &o, &d);
	while (genetic_counts(g).work < WORK)
		genetic_evolve(g, 8, WORK);
	percent = above(&genetic_best(g)->ev.total, optimum);
	genetic_free(g);
	design_release(&d);
	return percent;
}

static void pingpong_figures(void)
{
	const struct planted_shape shape = {.packages = 4,
					    .groups = 2,
					    .cores = 4,
					    .used = 2,
					    .steps = 3,
					    .right = 1,
					    .clocks = CLOCK_PACKAGE,
					    .threads = 24,
					    .phases = 10,
					    .static_percent = 20,
					    .pairs = 4,
					    .seed = 1};
	double islands = 0, one = 0;
	struct machine machine;
	struct planted x;
	struct problem pb;
	struct cost optimum;

	planted_make(&x, &shape);
	if (machine_init(&machine, &x.pf, NULL) || problem_init(&pb, &x.k.m, &machine, NULL))
		exit(1);
	optimum = planted_cost(&x, &pb);
	for (uint64_t seed = 1; seed <= PINGPONGS; seed++) {
		islands += by_islands(&pb, seed, &optimum) / PINGPONGS;
		one += by_one(&pb, seed, &optimum) / PINGPONGS;
	}
	printf("above_percent %.2f\none_above_percent %.2f\n", islands, one);
	problem_release(&pb);
	machine_release(&machine);
	planted_release(&x);
}

int main(void)
{
	pingpong_figures();
	return 0;
}

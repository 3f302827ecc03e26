/* SPDX-License-Identifier: MIT */
/*
 * Figures of the planner on the five gate tests, one a line: name and value.
 * Compiled by plan.sh.
 */
#include <time.h>

#include "tests/unit/planner/gate.h"

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

struct result {
	double plan, bound; /* saved, percent of the baseline's energy */
	bool proven;
};

static struct result run(const struct gate_case *c, const struct platform *pf, enum planner_method method,
			 uint64_t seed)
{
	const struct planner_options o = {.goal.objective = PLAN_ENERGY, .method = method, .seed = seed};
	struct err err = ERR_INIT;
	struct result r;
	struct planner p;
	struct maker k;
	double base;

	gate_scaled(&k, c, pf);
	if (planner_run(&p, &k.m, pf, &o, &err)) {
		fprintf(stderr, "%s: %s\n", c->name, err.msg);
		exit(1);
	}
	base = (double)p.base_ev.total.energy_pj;
	r = (struct result){100 * (1 - (double)p.best_ev.total.energy_pj / base),
			    100 * (1 - (double)p.bound.energy_pj / base), p.proven};
	planner_release(&p);
	model_release(&k.m);
	return r;
}

/* Points between the bound and the known optimum (imgapp's stages are not known exactly: left out). */
static double points_off(const struct platform *pf)
{
	double worst = 0;

	for (size_t i = 0; i < GATE_CASES; i++) {
		struct result r = run(&gate_cases[i], pf, PLANNER_AUTO, 1);
		double off = gate_cases[i].optimum - r.bound;

		if (gate_cases[i].gate == GATE_IMGAPP)
			off = 0;
		off = off < 0 ? -off : off;
		off = r.proven ? off : 100;
		worst = off > worst ? off : worst;
	}
	return worst;
}

/* Points that the prices of changes take from the bound. */
static double price_points(const struct platform *pf)
{
	double worst = 0;

	for (size_t i = 0; i < GATE_CASES; i++) {
		struct result r = run(&gate_cases[i], pf, PLANNER_AUTO, 1);

		worst = r.bound - r.plan > worst ? r.bound - r.plan : worst;
	}
	return worst;
}

static double noexact_points(const struct platform *pf, uint64_t seeds)
{
	double worst = 0;

	for (size_t i = 0; i < GATE_CASES; i++) {
		double best = run(&gate_cases[i], pf, PLANNER_AUTO, 1).plan;

		for (uint64_t seed = 1; seed <= seeds; seed++) {
			double off = best - run(&gate_cases[i], pf, PLANNER_GENETIC, seed).plan;

			worst = off > worst ? off : worst;
		}
	}
	return worst;
}

/* Phases evaluated per second, in runs of three phases and nine threads, prices included. */
static double evaluations_per_second(const struct platform *pf)
{
	struct evaluation ev;
	struct machine machine;
	struct problem pb;
	struct scratch s;
	struct design d;
	struct maker k;
	double begin, t;
	uint64_t n = 0, pb_phases;

	gate_make(&k, &gate_cases[2], 1e9);
	machine_init(&machine, pf, NULL);
	problem_init(&pb, &k.m, &machine, NULL);
	scratch_init(&s, &pb);
	design_init(&d, &pb);
	evaluation_init(&ev, &pb, true);
	baseline_make(&pb, BASELINE_PACK, 1, &d);
	pb_phases = pb.n_phases;
	begin = seconds();
	do {
		for (int i = 0; i < 1000; i++, n++) {
			d.unit[n % pb.n_seats] = (uint16_t)(n % machine.n_units);
			eval_all(&pb, &d, &s, &ev);
		}
		t = seconds() - begin;
	} while (t < 0.5);
	evaluation_release(&ev);
	design_release(&d);
	scratch_release(&s);
	problem_release(&pb);
	machine_release(&machine);
	model_release(&k.m);
	n *= pb_phases;
	return (double)n / t;
}

int main(void)
{
	static const char *const names[] = {"haltstate", "float", "pairs"};
	struct platform pf;
	struct err err = ERR_INIT;
	double begin;

	if (platform_find(&pf, "xeon-e5320", &err)) {
		fprintf(stderr, "%s\n", err.msg);
		return 1;
	}
	begin = seconds();
	printf("plan.gate.points_off %.3f\n", points_off(&pf));
	printf("plan.gate.seconds %.3f\n", seconds() - begin);
	printf("plan.gate.price_points %.3f\n", price_points(&pf));
	for (size_t i = 0; i < 3; i++)
		printf("plan.%s.saved_percent %.2f\n", names[i],
		       run(&gate_cases[i], &pf, PLANNER_AUTO, 1).plan);
	printf("plan.noexact.points_off %.3f\n", noexact_points(&pf, 5));
	printf("plan.evals_per_s %.0f\n", evaluations_per_second(&pf));
	platform_release(&pf);
	return 0;
}

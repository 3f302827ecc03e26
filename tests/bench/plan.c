/* SPDX-License-Identifier: MIT */
/*
 * Figures of the planner on the five gate tests, one a line: name and value.
 * Compiled by plan.sh.
 */
#include <time.h>

#include "tests/unit/planner/gate.h"

/* Of CPU time: the machine may be shared. */
static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

struct result {
	double plan, bound; /* saved, percent of the baseline's energy */
	bool proven;
};

static struct result run(const struct gate_case *c, const struct platform *pf, bool exact_off, uint64_t seed)
{
	const struct planner_options o = {
		.goal.objective = PLAN_ENERGY, .exact_off = exact_off, .seed = seed, .threads = 1};
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
	base = (double)p.out.base_ev.total.energy_pj;
	r = (struct result){100 * (1 - (double)p.out.best_ev.total.energy_pj / base),
			    100 * (1 - (double)p.out.bound.energy_pj / base), p.out.proven};
	planner_release(&p);
	model_release(&k.m);
	return r;
}

/* Points between the bound and the known optimum (imgapp's stages are not known exactly: left out). */
static double points_off(const struct platform *pf)
{
	double worst = 0;

	for (size_t i = 0; i < GATE_CASES; i++) {
		struct result r = run(&gate_cases[i], pf, false, 1);
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
		struct result r = run(&gate_cases[i], pf, false, 1);

		worst = r.bound - r.plan > worst ? r.bound - r.plan : worst;
	}
	return worst;
}

struct noexact {
	double worst;   /* points below the plan with enumeration */
	double seconds; /* the longest of one seed over all cases */
};

static struct noexact noexact(const struct platform *pf, uint64_t seeds)
{
	struct noexact r = {0, 0};
	double best[GATE_CASES];

	for (size_t i = 0; i < GATE_CASES; i++)
		best[i] = run(&gate_cases[i], pf, false, 1).plan;
	for (uint64_t seed = 1; seed <= seeds; seed++) {
		double begin = seconds(), t;

		for (size_t i = 0; i < GATE_CASES; i++) {
			double off = best[i] - run(&gate_cases[i], pf, true, seed).plan;

			r.worst = off > r.worst ? off : r.worst;
		}
		t = seconds() - begin;
		r.seconds = t > r.seconds ? t : r.seconds;
	}
	return r;
}

int main(void)
{
	static const char *const names[] = {"haltstate", "float", "pairs"};
	struct platform pf;
	struct err err = ERR_INIT;
	struct noexact off;
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
		printf("plan.%s.saved_percent %.2f\n", names[i], run(&gate_cases[i], &pf, false, 1).plan);
	off = noexact(&pf, 30);
	printf("plan.noexact.points_off %.3f\n", off.worst);
	printf("plan.noexact.seconds %.3f\n", off.seconds);
	platform_release(&pf);
	return 0;
}

/* SPDX-License-Identifier: MIT */
#include "tests/bench/target.h"

#include <time.h>

#include "tests/unit/planner/planted.h"

/* The target: so much above the best that is known. */
#define WITHIN 1.01

struct target {
	struct planted planted; /* or only its model and platform */
	struct machine machine;
	struct problem pb;
	struct scratch s;
	struct design d;
	struct evaluation ev;
	unsigned int *slots; /* free ones */
	unsigned int n_slots;
	double joules;
	double begin, found; /* of the planner's run */
};

double target_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void make_signal(struct target *t)
{
	platform_find(&t->planted.pf, "xeon-e5320", NULL);
	gate_scaled(&t->planted.k, &gate_cases[9], &t->planted.pf);
}

static void make_planted(struct target *t)
{
	const struct planted_shape shape = {.packages = 2,
					    .groups = 2,
					    .cores = 4,
					    .used = 1,
					    .steps = 2,
					    .right = 1,
					    .clocks = CLOCK_PACKAGE,
					    .threads = 20,
					    .phases = 4,
					    .pairs = 4,
					    .seed = 1};

	planted_make(&t->planted, &shape);
}

/* What the planner finds with all its means is the best that is known. */
static double best_joules(const struct target *t)
{
	const struct planner_options o = {.goal.objective = PLAN_ENERGY, .seed = 1, .threads = 1};
	struct planner p;
	double joules;

	if (planner_run(&p, &t->planted.k.m, &t->planted.pf, &o, NULL))
		exit(1);
	joules = (double)p.out.best_ev.total.energy_pj * 1e-12;
	planner_release(&p);
	return joules;
}

struct target *target_open(const char *name)
{
	struct target *t = mem_new(1, sizeof(*t));

	if (!strcmp(name, "signal")) {
		make_signal(t);
	} else if (!strcmp(name, "planted")) {
		make_planted(t);
	} else {
		free(t);
		return NULL;
	}
	if (machine_init(&t->machine, &t->planted.pf, NULL) ||
	    problem_init(&t->pb, &t->planted.k.m, &t->machine, NULL))
		exit(1);
	scratch_init(&t->s, &t->pb);
	design_init(&t->d, &t->pb);
	evaluation_init(&t->ev, &t->pb, true);
	t->slots = mem_new(t->pb.n_slots + 1, sizeof(*t->slots));
	for (uint32_t i = 0; i < t->pb.n_slots; i++)
		if (t->pb.slots[i].kind != SLOT_FIXED && t->pb.slots[i].kind != SLOT_FOLLOW)
			t->slots[t->n_slots++] = i;
	t->joules = best_joules(t) * WITHIN;
	return t;
}

void target_close(struct target *t)
{
	free(t->slots);
	evaluation_release(&t->ev);
	design_release(&t->d);
	scratch_release(&t->s);
	problem_release(&t->pb);
	machine_release(&t->machine);
	planted_release(&t->planted);
	free(t);
}

unsigned int target_genes(const struct target *t)
{
	return t->n_slots + t->pb.n_epochs * t->machine.n_domains;
}

unsigned int target_limit(const struct target *t, unsigned int i)
{
	return (i < t->n_slots ? t->machine.n_units : t->machine.n_steps) - 1;
}

double target_joules(const struct target *t)
{
	return t->joules;
}

double target_fitness(struct target *t, const double *genes)
{
	for (unsigned int i = 0; i < t->n_slots; i++)
		t->d.unit[t->slots[i]] = (uint16_t)genes[i];
	for (unsigned int i = t->n_slots; i < target_genes(t); i++)
		t->d.step[i - t->n_slots] = (uint8_t)genes[i];
	eval_all(&t->pb, &t->d, &t->s, &t->ev);
	return (double)t->ev.total.energy_pj * 1e-12;
}

static void look(void *ctx, const struct progress *at)
{
	struct target *t = ctx;

	if (t->found < 0 && (double)at->out->best_ev.total.energy_pj * 1e-12 <= t->joules)
		t->found = target_now() - t->begin;
}

static bool stop(void *ctx)
{
	const struct target *t = ctx;

	return t->found >= 0;
}

double target_planner_seconds(struct target *t, unsigned int seed)
{
	const struct planner_options o = {.goal.objective = PLAN_ENERGY,
					  .exact_off = true,
					  .seed = seed,
					  .threads = 1,
					  .stop = stop,
					  .progress = look,
					  .ctx = t};
	struct planner p;

	t->found = -1;
	t->begin = target_now();
	if (planner_run(&p, &t->planted.k.m, &t->planted.pf, &o, NULL))
		exit(1);
	look(t, &(struct progress){.out = &p.out});
	planner_release(&p);
	return t->found;
}

/* SPDX-License-Identifier: MIT */
#include "planner/result/predict.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "planner/sim/sim.h"

/* Everything an evaluation needs. */
struct setting {
	struct machine machine;
	struct problem problem;
	struct scratch scratch;
	struct design design;
	struct evaluation ev;
};

static int open_setting(struct setting *s, const struct model *model, const struct platform *platform,
			bool priced, struct err *err)
{
	int ret;

	*s = (struct setting){0};
	ret = machine_init(&s->machine, platform, err);
	if (ret)
		return ret;
	ret = problem_init(&s->problem, model, &s->machine, err);
	if (ret) {
		machine_release(&s->machine);
		return ret;
	}
	scratch_init(&s->scratch, &s->problem);
	design_init(&s->design, &s->problem);
	evaluation_init(&s->ev, &s->problem, priced);
	return 0;
}

static void close_setting(struct setting *s)
{
	evaluation_release(&s->ev);
	design_release(&s->design);
	scratch_release(&s->scratch);
	problem_release(&s->problem);
	machine_release(&s->machine);
}

/* The unit that a core belongs to; MACHINE_NONE. */
static uint32_t predict_unit_of(const struct machine *m, uint64_t core)
{
	for (uint32_t u = 0; u < m->n_units; u++)
		for (uint32_t i = 0; i < m->units[u].n_cores; i++)
			if (machine_core_id(m, u, i) == core)
				return u;
	return MACHINE_NONE;
}

static int find_units(const struct machine *m, const uint64_t *cores, size_t n, uint16_t *units,
		      struct err *err)
{
	if (!n)
		return err_set(err, -EINVAL, "a placement names no core");
	for (size_t i = 0; i < n; i++) {
		uint32_t u = predict_unit_of(m, cores[i]);

		if (u == MACHINE_NONE)
			return err_set(err, -EINVAL, "the platform has no usable core %llu",
				       (unsigned long long)cores[i]);
		units[i] = (uint16_t)u;
	}
	return 0;
}

/* Thread 0 is main. */
static void slot(struct setting *s, const uint16_t *units, size_t n, uint16_t main_unit)
{
	for (uint32_t i = 0; i < s->problem.n_slots; i++) {
		uint32_t thread = s->problem.slots[i].thread;

		s->design.unit[i] = thread ? units[(thread - 1) % n] : main_unit;
	}
	memset(s->design.step, 0, (size_t)s->problem.n_epochs * s->machine.n_domains);
}

/* Nobody holds main: the system puts it where it is least in the way. */
static void find_place_of_main(struct setting *s, const uint16_t *units, size_t n)
{
	uint64_t least = UINT64_MAX;
	uint16_t best = 0;

	for (uint32_t u = 0; u < s->machine.n_units; u++) {
		slot(s, units, n, (uint16_t)u);
		eval_all(&s->problem, &s->design, &s->scratch, &s->ev);
		if (s->ev.total.time_ns < least) {
			least = s->ev.total.time_ns;
			best = (uint16_t)u;
		}
	}
	slot(s, units, n, best);
}

/*
 * The cost of the design.  The fluid model has threads get what they need of
 * cores and locks at once; with locks the turns are taken one by one.
 */
static int predict_judge(struct setting *s, bool priced, struct prediction *out, struct err *err)
{
	const struct sim_options opts = {.priced = priced};
	struct sim_result sim;
	int ret;

	eval_all(&s->problem, &s->design, &s->scratch, &s->ev);
	out->cost = s->ev.total;
	out->simulated = s->problem.max_uses > 0;
	if (!out->simulated)
		return 0;
	ret = sim_run(&s->problem, &s->design, &opts, &sim, err);
	if (!ret)
		out->cost = sim.cost;
	return ret;
}

int planner_predict(const struct model *model, const struct platform *platform, const uint64_t *cores,
		    size_t n, struct prediction *out, struct err *err)
{
	struct setting s;
	uint16_t *units;
	int ret = open_setting(&s, model, platform, true, err);

	*out = (struct prediction){.free_main = true};
	if (ret)
		return ret;
	units = mem_new(n + 1, sizeof(*units));
	ret = find_units(&s.machine, cores, n, units, err);
	if (!ret) {
		find_place_of_main(&s, units, n);
		ret = predict_judge(&s, true, out, err);
	}
	free(units);
	close_setting(&s);
	return ret;
}

int planner_predict_baseline(const struct model *model, const struct platform *platform, enum baseline kind,
			     uint64_t seed, struct prediction *out, struct err *err)
{
	struct setting s;
	int ret = open_setting(&s, model, platform, false, err);

	*out = (struct prediction){0};
	if (ret)
		return ret;
	baseline_make(&s.problem, kind, seed, &s.design);
	ret = predict_judge(&s, false, out, err);
	close_setting(&s);
	return ret;
}

/* SPDX-License-Identifier: MIT */
/* Break-even values, other baselines, and the problem with one figure changed. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "planner/result/export.h"
#include "planner/result/regret.h"
#include "planner/result/sensitivity.h"
#include "tests/unit/planner/small.h"

/* A plan for a gate test, on the seed's platform or one with other watts. */
struct made {
	struct platform pf;
	struct maker k;
	struct planner p;
};

static void make(struct made *x, const struct gate_case *c, enum plan_objective objective, uint64_t idle_mw)
{
	const struct planner_options o = {.goal.objective = objective, .seed = 1};
	struct err err = ERR_INIT;

	assert_int_equal(platform_find(&x->pf, "xeon-e5320", &err), 0);
	if (idle_mw)
		x->pf.steps[0].idle_mw = x->pf.steps[1].idle_mw = idle_mw;
	gate_scaled(&x->k, c, &x->pf);
	if (planner_run(&x->p, &x->k.m, &x->pf, &o, &err))
		fail_msg("%s", err.msg);
}

static void unmake(struct made *x)
{
	planner_release(&x->p);
	model_release(&x->k.m);
	platform_release(&x->pf);
}

static const struct breakeven *find(const struct breakeven *b, uint32_t n, enum figure_kind kind)
{
	for (uint32_t i = 0; i < n; i++)
		if (b[i].figure.kind == kind)
			return &b[i];
	fail_msg("no figure of kind %d", (int)kind);
	return NULL;
}

/* ---- what if ---- */

/* Put @value into a platform of its own; false if the figure is not one of the platform's alone. */
static bool put_figure(struct platform *pf, const struct figure *f, double value)
{
	uint64_t v = (uint64_t)(value + 0.5);

	switch (f->kind) {
	case FIGURE_BUSY:
		pf->steps[f->step].busy_mw = v;
		return true;
	case FIGURE_IDLE:
		pf->steps[f->step].idle_mw = v;
		return true;
	case FIGURE_HALT:
		pf->package_halt_mw = v;
		return true;
	case FIGURE_LINE: /* small_platform() knows no gaps, so the price is the difference at full rate */
		pf->price[f->access].shared_ps[f->distance] = pf->price[f->access].alone_ps + v;
		return true;
	case FIGURE_FREQUENCY:
		pf->frequency_ns = v;
		return true;
	case FIGURE_TRIGGER:
		pf->trigger_ns = v;
		return true;
	case FIGURE_AFFINITY:
		pf->affinity_ns = v;
		return true;
	default:
		return false;
	}
}

static struct cost cost_on(const struct platform *pf, const struct model *model, const struct design *d)
{
	struct evaluation ev;
	struct machine m;
	struct problem pb;
	struct scratch s;
	struct cost total;

	assert_int_equal(machine_init(&m, pf, NULL), 0);
	assert_int_equal(problem_init(&pb, model, &m, NULL), 0);
	scratch_init(&s, &pb);
	evaluation_init(&ev, &pb, true);
	eval_all(&pb, d, &s, &ev);
	total = ev.total;
	evaluation_release(&ev);
	scratch_release(&s);
	problem_release(&pb);
	machine_release(&m);
	return total;
}

static struct cost whatif_cost(const struct whatif *w, const struct design *d, bool priced)
{
	struct evaluation ev;
	struct cost total;

	evaluation_init(&ev, w->original, priced);
	whatif_eval(w, d, &ev);
	total = ev.total;
	evaluation_release(&ev);
	return total;
}

static void draw(const struct problem *pb, struct rng *rng, struct design *d)
{
	for (uint32_t i = 0; i < pb->n_slots; i++)
		d->unit[i] = (uint16_t)rng_below(rng, pb->machine->n_units);
	for (uint32_t i = 0; i < pb->n_epochs * pb->machine->n_domains; i++)
		d->step[i] = (uint8_t)rng_below(rng, pb->machine->n_steps);
}

/* The changed problem and one made anew for a platform with that figure cost the same. */
static void compare_figures(uint64_t seed)
{
	struct rng rng = rng_keyed(seed, 1, 0, 0);
	struct platform pf, other;
	struct machine m;
	struct problem pb;
	struct whatif w;
	struct design d;
	struct maker k;
	uint32_t n;
	struct figure *f;

	small_platform(&pf, 2, 2, 2, 2, CLOCK_CORE);
	small_model(&k, &rng, 4, 3, 3);
	assert_int_equal(machine_init(&m, &pf, NULL), 0);
	assert_int_equal(problem_init(&pb, &k.m, &m, NULL), 0);
	design_init(&d, &pb);
	draw(&pb, &rng, &d);
	whatif_init(&w, &pb);
	f = figure_list(&pb, &n);
	assert_true(n >= 12);
	for (uint32_t i = 0; i < n; i++) {
		double value = floor(f[i].low + (f[i].high - f[i].low) * rng_unit(&rng));
		struct cost is, wanted;

		small_platform(&other, 2, 2, 2, 2, CLOCK_CORE);
		if (put_figure(&other, &f[i], value)) {
			wanted = cost_on(&other, &k.m, &d);
			whatif_set(&w, &f[i], value);
			is = whatif_cost(&w, &d, true);
			assert_true(is.time_ns == wanted.time_ns && is.energy_pj == wanted.energy_pj);
		}
		platform_release(&other);
	}
	free(f);
	whatif_release(&w);
	design_release(&d);
	problem_release(&pb);
	machine_release(&m);
	model_release(&k.m);
	platform_release(&pf);
}

static void a_changed_figure_costs_what_a_changed_platform_does(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 40; seed++)
		compare_figures(seed);
}

static void the_platform_s_own_figure_changes_nothing(void **state)
{
	struct cost base, now;
	struct whatif w;
	struct figure *f;
	struct made x;
	uint32_t n;

	(void)state;
	make(&x, &gate_cases[2], PLAN_ENERGY, 0);
	whatif_init(&w, &x.p.problem);
	f = figure_list(&x.p.problem, &n);
	for (uint32_t i = 0; i < n; i++) {
		whatif_set(&w, &f[i], f[i].low);
		whatif_set(&w, &f[i], f[i].value);
		now = whatif_cost(&w, &x.p.out.best, true);
		base = x.p.out.best_ev.total;
		assert_true(now.time_ns == base.time_ns && now.energy_pj == base.energy_pj);
	}
	free(f);
	whatif_release(&w);
	unmake(&x);
}

/* ---- break-even ---- */

/* Energy is linear in what a halted package draws, so where it turns follows from how long packages halt. */
static void the_halt_power_that_turns_is_that_of_the_closed_form(void **state)
{
	const struct breakeven *halt;
	struct breakeven *b;
	struct made x;
	double plan, base, gain, at;
	uint32_t n;

	(void)state;
	make(&x, &gate_cases[0], PLAN_ENERGY, 7000);
	plan = (double)eval_halt_ns(&x.p.problem, &x.p.out.best, &x.p.search.scratch, &x.p.out.best_ev);
	base = (double)eval_halt_ns(&x.p.problem, &x.p.out.base, &x.p.search.scratch, &x.p.out.base_ev);
	gain = (double)x.p.out.base_ev.total.energy_pj - (double)x.p.out.best_ev.total.energy_pj;
	at = (double)x.pf.package_halt_mw + gain / (plan - base);
	b = planner_breakevens(&x.p.out, &n);
	halt = find(b, n, FIGURE_HALT);
	assert_true(halt->turns && fabs(halt->at - at) <= 2);
	assert_true(halt->refused && halt->refused_at < halt->at);
	free(b);
	unmake(&x);
}

/* Each break-even that is named is one: a platform just before it still gains, one just beyond does not. */
static void on_either_side_of_a_break_even_the_gain_differs_in_sign(void **state)
{
	struct breakeven *b;
	uint32_t n, turned = 0;
	struct made x;

	(void)state;
	make(&x, &gate_cases[0], PLAN_ENERGY, 7000);
	b = planner_breakevens(&x.p.out, &n);
	for (uint32_t i = 0; i < n; i++) {
		double sign = b[i].at > b[i].figure.value ? 1 : -1;

		for (int side = -1; b[i].turns && side <= 1; side += 2) {
			double value = b[i].at + sign * side * 3;
			struct cost base, plan;
			struct whatif w;

			whatif_init(&w, &x.p.problem);
			whatif_set(&w, &b[i].figure, value);
			base = whatif_cost(&w, &x.p.out.base, false);
			plan = whatif_cost(&w, &x.p.out.best, true);
			assert_true(side < 0 ? plan.energy_pj < base.energy_pj
					     : plan.energy_pj >= base.energy_pj);
			whatif_release(&w);
			turned++;
		}
	}
	assert_true(turned >= 2);
	free(b);
	unmake(&x);
}

static void the_closest_comes_first_and_what_has_no_part_last(void **state)
{
	struct breakeven *b;
	struct made x;
	uint32_t n;

	(void)state;
	make(&x, &gate_cases[2], PLAN_TIME, 0);
	b = planner_breakevens(&x.p.out, &n);
	for (uint32_t i = 1; i < n; i++)
		assert_true(floor(100 * b[i - 1].distance) <= floor(100 * b[i].distance));
	assert_true(find(b, n, FIGURE_LINE_ALL)->refused);
	assert_false(find(b, n, FIGURE_HALT)->matters);
	assert_false(find(b, n, FIGURE_BUSY_ALL)->matters);
	assert_false(b[n - 1].matters);
	free(b);
	unmake(&x);
}

/* The negative twin: on the seed's platform no watt turns haltstate's gain. */
static void a_plan_that_no_figure_turns_says_so(void **state)
{
	struct breakeven *b;
	struct made x;
	uint32_t n;
	char *text;

	(void)state;
	make(&x, &gate_cases[0], PLAN_ENERGY, 0);
	b = planner_breakevens(&x.p.out, &n);
	for (uint32_t i = 0; i < n; i++)
		assert_false(b[i].turns);
	text = breakeven_sentence(&x.p.out, &b[0]);
	assert_non_null(strstr(text, "no single figure"));
	free(text);
	free(b);
	unmake(&x);
}

/* ---- baselines ---- */

static void every_baseline_is_priced_and_the_own_one_as_in_the_plan(void **state)
{
	struct regret r[BASELINE_N], again[BASELINE_N];
	struct made x;

	(void)state;
	make(&x, &gate_cases[1], PLAN_ENERGY, 0);
	planner_regret(&x.p.out, r);
	planner_regret(&x.p.out, again);
	assert_memory_equal(r, again, sizeof(r));
	assert_true(r[BASELINE_SPREAD].energy_pj == x.p.out.base_ev.total.energy_pj);
	assert_true(r[BASELINE_SPREAD].time_ns == x.p.out.base_ev.total.time_ns);
	assert_true(r[BASELINE_PACK].energy_pj < r[BASELINE_SPREAD].energy_pj);
	assert_true(r[BASELINE_RANDOM].best.energy_pj < r[BASELINE_RANDOM].energy_pj);
	assert_true(r[BASELINE_RANDOM].worst.energy_pj > r[BASELINE_RANDOM].energy_pj);
	unmake(&x);
}

/* ---- export ---- */

static int export_of(const struct gate_case *c, enum plan_objective objective, struct strbuf *out)
{
	struct err err = ERR_INIT;
	struct made x;
	int ret;

	make(&x, c, objective, 0);
	ret = planner_export(&x.p.out, out, &err);
	assert_true(!ret == !err.msg[0]);
	unmake(&x);
	return ret;
}

static void what_has_no_linear_form_is_not_exported(void **state)
{
	struct strbuf out = STRBUF_INIT;

	(void)state;
	assert_int_equal(export_of(&gate_cases[2], PLAN_ENERGY, &out), -ENOTSUP); /* pairs: conflicts */
	assert_int_equal(export_of(&gate_cases[0], PLAN_EDP, &out), -ENOTSUP);
	assert_int_equal(out.len, 0);
	assert_int_equal(export_of(&gate_cases[0], PLAN_TIME, &out), 0);
	assert_true(out.len > 1000 && strstr(out.s, "\nsubject to\n") && strstr(out.s, "\nend\n"));
	strbuf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_changed_figure_costs_what_a_changed_platform_does),
		cmocka_unit_test(the_platform_s_own_figure_changes_nothing),
		cmocka_unit_test(the_halt_power_that_turns_is_that_of_the_closed_form),
		cmocka_unit_test(on_either_side_of_a_break_even_the_gain_differs_in_sign),
		cmocka_unit_test(the_closest_comes_first_and_what_has_no_part_last),
		cmocka_unit_test(a_plan_that_no_figure_turns_says_so),
		cmocka_unit_test(every_baseline_is_priced_and_the_own_one_as_in_the_plan),
		cmocka_unit_test(what_has_no_linear_form_is_not_exported),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

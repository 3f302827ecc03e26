/* SPDX-License-Identifier: MIT */
/* scheduler/search: the optimum is that of trying all, nothing beats the bound, and the check agrees. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/rng.h"
#include "scheduler/check/check.h"
#include "scheduler/search/search.h"

/* The text of a made-up workflow of @n tasks on @m nodes. */
static void workflow_text(uint64_t seed, size_t n, size_t m, struct strbuf *out)
{
	struct rng rng = rng_keyed(seed, 4, n, m);

	strbuf_puts(out, "workflow: 1\nnodes:\n");
	for (size_t i = 0; i < m; i++)
		strbuf_printf(out, "  - {name: n%zu, speed: %d}\n", i, 1 + (int)rng_below(&rng, 2));
	strbuf_puts(out, "tasks:\n");
	for (size_t t = 0; t < n; t++) {
		const char *comma = "";

		strbuf_printf(out, "  - {name: t%zu, seconds: %d, nodes: %d, release: %d", t,
			      1 + (int)rng_below(&rng, 9), 1 + (rng_below(&rng, 4) == 0),
			      (int)(rng_below(&rng, 3) ? 0 : rng_below(&rng, 6)));
		if (!rng_below(&rng, 3))
			strbuf_printf(out, ", deadline: %d", 3 + (int)rng_below(&rng, 12));
		strbuf_puts(out, ", after: [");
		for (size_t k = 0; k < t; k++)
			if (!rng_below(&rng, 4)) {
				strbuf_printf(out, "%st%zu", comma, k);
				comma = ", ";
			}
		strbuf_puts(out, "]}\n");
	}
}

static struct workflow workflow_make(uint64_t seed, size_t n, size_t m, struct strbuf *text)
{
	struct err err = ERR_INIT;
	struct workflow w;

	workflow_text(seed, n, m, text);
	if (work_parse(&w, text->s, text->len, "made", &err))
		fail_msg("%s", err.msg);
	return w;
}

/* All orders that dependencies allow, with all nodes: nothing is left out and nothing is bounded. */
static double try_all(const struct workflow *w, const double *freed, const double *end, unsigned done,
		      double cost_late, double makespan)
{
	double best = INFINITY;

	if (done + 1 == 1u << w->tasks.n)
		return makespan + cost_late;
	for (size_t t = 0; t < w->tasks.n; t++) {
		const struct work_task *task = &w->tasks.at[t];
		double ready = task->release;
		bool may = !(done >> t & 1);

		for (size_t k = 0; k < task->after.n; k++) {
			may = may && (done >> task->after.at[k] & 1);
			ready = fmax(ready, end[task->after.at[k]]);
		}
		for (unsigned set = 1; may && set < 1u << w->nodes.n; set++) {
			double f[8], e[8], start = ready, speed = INFINITY;

			if ((size_t)__builtin_popcount(set) != task->width)
				continue;
			memcpy(f, freed, sizeof(f));
			memcpy(e, end, sizeof(e));
			for (size_t i = 0; i < w->nodes.n; i++)
				if (set >> i & 1) {
					start = fmax(start, freed[i]);
					speed = fmin(speed, w->nodes.at[i].speed);
				}
			e[t] = start + task->seconds / speed;
			for (size_t i = 0; i < w->nodes.n; i++)
				if (set >> i & 1)
					f[i] = e[t];
			best = fmin(best, try_all(w, f, e, done | 1u << t,
						  cost_late + fmax(e[t] - task->deadline, 0),
						  fmax(makespan, e[t])));
		}
	}
	return best;
}

/* The check of the written schedule: 0, 1 or an error. */
static int check(const struct workflow *w, const struct schedule *s, const struct strbuf *text, bool proven)
{
	struct strbuf file = STRBUF_INIT;
	enum check_optimum optimum;
	struct err err = ERR_INIT;
	int ret;

	schedule_write(w, s, "test", proven, &file);
	ret = check_schedule(text->s, text->len, file.s, file.len, &optimum, &err);
	if (!ret)
		assert_int_equal(optimum, proven ? CHECK_SHOWN : CHECK_NOT_CLAIMED);
	if (ret)
		print_message("# %s\n", err.msg);
	strbuf_release(&file);
	return ret;
}

static void the_optimum_is_found(void **state)
{
	const struct search_limit limit = {.effort = 40};
	size_t heft = 0, genetic = 0, local = 0, bound = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 60; seed++) {
		struct strbuf text = STRBUF_INIT;
		struct workflow w = workflow_make(seed, 3 + seed % 3, 2 + seed % 2, &text);
		double freed[8] = {0}, end[8] = {0}, best = try_all(&w, freed, end, 0, 0, 0);
		struct schedule s, g, l;

		schedule_make(&s, &w);
		schedule_make(&g, &w);
		schedule_make(&l, &w);
		search_heft(&w, &s);
		assert_int_equal(check(&w, &s, &text, false), 0);
		assert_true(s.cost >= best * (1 - 1e-9));
		heft += s.cost <= best * (1 + 1e-9);
		/* It calls itself the optimum, with its cost as the bound. */
		assert_int_equal(check(&w, &s, &text, true), s.cost > best * (1 + 1e-5));
		search_genetic(&w, &g, seed, &limit);
		assert_int_equal(check(&w, &g, &text, false), 0);
		assert_true(g.cost >= best * (1 - 1e-9) && g.cost <= s.cost * (1 + 1e-9));
		genetic += g.cost <= best * (1 + 1e-9);
		search_local(&w, &l, seed, &limit);
		assert_int_equal(check(&w, &l, &text, false), 0);
		assert_true(l.cost >= best * (1 - 1e-9) && l.cost <= s.cost * (1 + 1e-9));
		local += l.cost <= best * (1 + 1e-9);
		assert_true(work_bound(&w) <= best * (1 + 1e-9));
		bound += work_bound(&w) >= best * (1 - 1e-9);
		assert_true(search_exact(&w, &s, 10000000));
		if (fabs(s.cost - best) > 1e-9 * best)
			fail_msg("seed %d: %g, and trying all finds %g", (int)seed, s.cost, best);
		assert_int_equal(check(&w, &s, &text, true), 0);
		schedule_release(&s);
		schedule_release(&g);
		schedule_release(&l);
		work_release(&w);
		strbuf_release(&text);
	}
	print_message("# of 60 optima HEFT has %zu, the genetic algorithm %zu, local search %zu; %zu bounds "
		      "are met\n",
		      heft, genetic, local, bound);
	assert_true(genetic >= heft && local >= heft);
}

static void the_same_seed_gives_the_same_schedule(void **state)
{
	struct strbuf text = STRBUF_INIT;
	struct workflow w = workflow_make(5, 40, 5, &text);
	const struct search_limit limit = {.effort = 20};
	struct schedule a, b, heft;

	(void)state;
	schedule_make(&a, &w);
	schedule_make(&b, &w);
	schedule_make(&heft, &w);
	search_heft(&w, &heft);
	for (int kind = 0; kind < 2; kind++) {
		(kind ? search_local : search_genetic)(&w, &a, 1, &limit);
		(kind ? search_local : search_genetic)(&w, &b, 1, &limit);
		assert_memory_equal(a.order, b.order, a.tasks * sizeof(*a.order));
		assert_memory_equal(a.host, b.host, a.hosts * sizeof(*a.host));
		assert_true(a.cost <= heft.cost && a.cost >= work_bound(&w) * (1 - 1e-9));
		assert_int_equal(check(&w, &a, &text, false), 0);
	}
	schedule_release(&a);
	schedule_release(&b);
	schedule_release(&heft);
	work_release(&w);
	strbuf_release(&text);
}

/* A schedule of @w whose end is known: one without holes, cut into tasks. */
static double workflow_planted(uint64_t seed, struct strbuf *text)
{
	struct rng rng = rng_keyed(seed, 9, 0, 0);
	double end = 0;
	size_t t = 0;

	strbuf_puts(
		text,
		"workflow: 1\nnodes:\n  - {name: a, count: 4}\n  - {name: b, count: 4, speed: 2}\ntasks:\n");
	for (size_t pool = 0; pool < 2; pool++)
		for (size_t at = 0, step; at < 60; at += step) {
			size_t cut = 1 + rng_below(&rng, 3);

			step = 1 + rng_below(&rng, 60 - at < 12 ? 60 - at : 12);
			/* Four nodes for so long: a wide task, and narrow ones beside it. */
			strbuf_printf(text, "  - {name: t%zu, seconds: %zu, nodes: %zu}\n", t++,
				      step * (pool + 1), cut);
			for (size_t k = cut; k < 4; k++)
				strbuf_printf(text, "  - {name: t%zu, seconds: %zu}\n", t++,
					      step * (pool + 1));
			end = 60;
		}
	return end;
}

static void a_known_optimum_is_the_bound_and_nearly_reached(void **state)
{
	const struct search_limit limit = {.effort = 20};

	(void)state;
	for (uint64_t seed = 1; seed <= 6; seed++) {
		struct strbuf text = STRBUF_INIT;
		struct err err = ERR_INIT;
		double best = workflow_planted(seed, &text);
		struct workflow w;
		struct schedule s;

		assert_int_equal(work_parse(&w, text.s, text.len, "planted", &err), 0);
		schedule_make(&s, &w);
		search_local(&w, &s, seed, &limit);
		assert_int_equal(check(&w, &s, &text, false), 0);
		assert_true(fabs(work_bound(&w) - best) < 1e-9 * best);
		if (s.cost > 1.05 * best)
			fail_msg("seed %d: %g, and the optimum is %g", (int)seed, s.cost, best);
		schedule_release(&s);
		work_release(&w);
		strbuf_release(&text);
	}
}

static bool at_once(void *arg)
{
	(void)arg;
	return true;
}

static void a_search_that_is_stopped_has_a_schedule(void **state)
{
	const struct search_limit limit = {.effort = 1000000, .stop = at_once};
	struct strbuf text = STRBUF_INIT;
	struct workflow w = workflow_make(7, 60, 4, &text);
	struct schedule s;

	(void)state;
	schedule_make(&s, &w);
	search_heft(&w, &s);
	search_local(&w, &s, 1, &limit);
	assert_int_equal(check(&w, &s, &text, false), 0);
	search_genetic(&w, &s, 1, &limit);
	assert_int_equal(check(&w, &s, &text, false), 0);
	schedule_release(&s);
	work_release(&w);
	strbuf_release(&text);
}

/* A wide task that comes later in the order leaves holes: short ones fill them. */
static void holes_are_filled(void **state)
{
	static const char text[] = "workflow: 1\nnodes:\n  - {name: a, count: 2}\ntasks:\n"
				   "  - {name: long, seconds: 10}\n  - {name: wide, seconds: 5, nodes: 2}\n"
				   "  - {name: short, seconds: 10}\n";
	struct err err = ERR_INIT;
	struct workflow w;
	struct schedule s;

	(void)state;
	assert_int_equal(work_parse(&w, text, sizeof(text) - 1, "holes", &err), 0);
	schedule_make(&s, &w);
	search_fifo(&w, &s);
	assert_true(s.makespan == 15 && s.start[2] == 0 && s.start[1] == 10);
	assert_int_equal(s.order[2], 1);
	schedule_release(&s);
	work_release(&w);
}

static const char two[] = "workflow: 1\nnodes:\n  - {name: a, count: 2}\ntasks:\n  - {name: x, seconds: 3}\n"
			  "  - {name: y, seconds: 4, after: [x], release: 1, deadline: 50}\n";
#define GOOD                                                                                                 \
	"late: 0\nbound: 7\ntasks:\n  - {task: x, start: 0, end: 3, nodes: [a.0]}\n  - {task: y, start: 3, " \
	"end: "                                                                                              \
	"7, nodes: [a.1]}\n"

static int check_text(const char *rest)
{
	struct strbuf text = STRBUF_INIT;
	enum check_optimum optimum;
	struct err err = ERR_INIT;
	struct workflow w;
	int ret;

	assert_int_equal(work_parse(&w, two, sizeof(two) - 1, "two", &err), 0);
	strbuf_printf(&text, "schedule: 1\nworkflow: \"%s\"\n%s", w.hash, rest);
	ret = check_schedule(two, sizeof(two) - 1, text.s, text.len, &optimum, &err);
	work_release(&w);
	strbuf_release(&text);
	return ret;
}

static void what_is_wrong_is_found(void **state)
{
	static const char *const bad[] = {
		/* another makespan, a late task that is none, a bound above the cost */
		"makespan: 8\n" GOOD,
		"makespan: 7\nlate: 1\nbound: 7\ntasks:\n  - {task: x, start: 0, end: 3, nodes: [a.0]}\n  - "
		"{task: y, "
		"start: 3, end: 7, nodes: [a.1]}\n",
		"makespan: 7\nlate: 0\nbound: 7.1\ntasks:\n  - {task: x, start: 0, end: 3, nodes: [a.0]}\n  "
		"- {task: "
		"y, start: 3, end: 7, nodes: [a.1]}\n",
		/* before its release or what it waits for, too short, no such node, too many, missing, twice */
		"makespan: 6\nlate: 0\nbound: 6\ntasks:\n  - {task: x, start: 0, end: 3, nodes: [a.0]}\n  - "
		"{task: y, "
		"start: 2, end: 6, nodes: [a.1]}\n",
		"makespan: 6\nlate: 0\nbound: 6\ntasks:\n  - {task: x, start: 0, end: 3, nodes: [a.0]}\n  - "
		"{task: y, "
		"start: 3, end: 6, nodes: [a.1]}\n",
		"makespan: 7\nlate: 0\nbound: 7\ntasks:\n  - {task: x, start: 0, end: 3, nodes: [a.2]}\n  - "
		"{task: y, "
		"start: 3, end: 7, nodes: [a.1]}\n",
		"makespan: 7\nlate: 0\nbound: 7\ntasks:\n  - {task: x, start: 0, end: 3, nodes: [a.0, "
		"a.1]}\n  - "
		"{task: y, start: 3, end: 7, nodes: [a.1]}\n",
		"makespan: 3\nlate: 0\nbound: 3\ntasks:\n  - {task: x, start: 0, end: 3, nodes: [a.0]}\n",
		"makespan: 7\nlate: 0\nbound: 7\ntasks:\n  - {task: x, start: 0, end: 3, nodes: [a.0]}\n  - "
		"{task: x, "
		"start: 3, end: 6, nodes: [a.0]}\n  - {task: y, start: 3, end: 7, nodes: [a.1]}\n",
		/* an optimum with a bound below it, and one that is beaten */
		"optimal: true\nmakespan: 7\nlate: 0\nbound: 6\ntasks:\n  - {task: x, start: 0, end: 3, "
		"nodes: "
		"[a.0]}\n  - {task: y, start: 3, end: 7, nodes: [a.1]}\n",
		"optimal: true\nmakespan: 8\nlate: 0\nbound: 8\ntasks:\n  - {task: x, start: 0, end: 3, "
		"nodes: "
		"[a.0]}\n  - {task: y, start: 4, end: 8, nodes: [a.1]}\n",
	};

	(void)state;
	assert_int_equal(check_text("makespan: 7\n" GOOD), 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (check_text(bad[i]) != 1)
			fail_msg("wrong schedule %zu passes", i);
}

static void bad_workflows_are_refused(void **state)
{
	static const struct {
		const char *tasks, *says;
	} bad[] = {
		{"{name: x, seconds: 1, after: [y]}, {name: y, seconds: 1, after: [x]}", "waits for itself"},
		{"{name: x, seconds: 1, after: [x]}", "waits for itself"},
		{"{name: x, seconds: 1, after: [z]}", "no such task"},
		{"{name: x, seconds: 0}", "seconds"},
		{"{name: x, seconds: .inf}", "seconds"},
		{"{name: x, seconds: nan}", "seconds"},
		{"{name: x, seconds: -1}", "seconds"},
		{"{name: x}", "no seconds"},
		{"{name: x, seconds: 2, low: 3}", "between"},
		{"{name: x, seconds: 2, nodes: 3}", "takes 3 nodes"},
		{"{name: x, seconds: 2}, {name: x, seconds: 2}", "twice"},
		{"{name: x, seconds: 2, colour: red}", "unknown key"},
		{"", "no tasks"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct strbuf text = STRBUF_INIT;
		struct err err = ERR_INIT;
		struct workflow w;

		strbuf_printf(&text, "workflow: 1\nnodes: [{name: a, count: 2}]\ntasks: [%s]\n",
			      bad[i].tasks);
		assert_true(work_parse(&w, text.s, text.len, "bad", &err) < 0);
		if (!strstr(err.msg, bad[i].says))
			fail_msg("'%s' does not say '%s'", err.msg, bad[i].says);
		strbuf_release(&text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_optimum_is_found),
		cmocka_unit_test(the_same_seed_gives_the_same_schedule),
		cmocka_unit_test(a_known_optimum_is_the_bound_and_nearly_reached),
		cmocka_unit_test(a_search_that_is_stopped_has_a_schedule),
		cmocka_unit_test(holes_are_filled),
		cmocka_unit_test(what_is_wrong_is_found),
		cmocka_unit_test(bad_workflows_are_refused),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

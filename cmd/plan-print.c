/* SPDX-License-Identifier: MIT */
#include "cmd/plan-print.h"

#include <stdarg.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/json.h"
#include "lib/num.h"
#include "lib/strbuf.h"

#define MAX_DECISIONS 8
#define MAX_NAMES     4  /* on one line */
#define TEXT_COLUMNS  70 /* behind the heads, to stay within 80 */
#define PLAN_SCHEMA   1

/* Share of @base that @now saves, percent; negative: costs more. */
static double saved(uint64_t base, uint64_t now)
{
	return base ? 100.0 * ((double)base - (double)now) / (double)base : 0;
}

static uint64_t figure(const struct planner *p, uint64_t time_ns, uint64_t energy_nj)
{
	return p->opts.goal.objective == PLAN_TIME ? time_ns : energy_nj;
}

static bool has_energy(const struct planner *p)
{
	return p->platform->energy_known;
}

static void print_cost(const struct planner *p, uint64_t time_ns, uint64_t energy_nj)
{
	char time[32];

	printf(" %9s", num_time(time, sizeof(time), (double)time_ns * 1e-9));
	if (has_energy(p))
		printf(" %9.2f J", (double)energy_nj * 1e-9);
}

/* Bytes of @s that fit into a line, broken at a blank where there is one. */
static size_t fitting(const char *s)
{
	size_t len = strlen(s);

	if (len <= TEXT_COLUMNS)
		return len;
	for (len = TEXT_COLUMNS; len && s[len] != ' '; len--)
		;
	return len ? len : strcspn(s, " ");
}

/* "HEAD      text", the text in as many lines as it needs. */
static void print_item(const char *head, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void print_item(const char *head, const char *fmt, ...)
{
	char *text = NULL;
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (len < 0)
		return;
	for (const char *s = text; *s; head = "") {
		size_t n = fitting(s);

		printf("%-9s %.*s\n", head, (int)n, s);
		s += n;
		s += strspn(s, " ");
	}
	free(text);
}

static void print_head(const struct planner *p, const struct plan *plan, const char *output)
{
	size_t starts = plan_thread_starts(plan), calls = plan_call_triggers(plan);
	const char *slash = strrchr(output, '/');
	char name[48];

	snprintf(name, sizeof(name), "%s (%.6s..)", plan->baseline, plan->baseline_sha256);
	printf("baseline  %-17s", name);
	print_cost(p, plan->base_time_ns, plan->base_energy_nj);
	printf("\nplan      %-17s", slash ? slash + 1 : output);
	print_cost(p, plan->time_ns, plan->energy_nj);
	/* Subtracted from zero, for nothing saved is not "-0.0". */
	printf("   %+.1f %% time", 0.0 - saved(plan->base_time_ns, plan->time_ns));
	if (has_energy(p))
		printf(", %+.1f %% energy", 0.0 - saved(plan->base_energy_nj, plan->energy_nj));
	putchar('\n');
	print_item("sets", "%zu thread start%s, %zu call trigger%s", starts, starts == 1 ? "" : "s", calls,
		   calls == 1 ? "" : "s");
}

/*
 * Where model and platform are of one machine, the recorded run time tells how
 * far the evaluator can be trusted.  Conflicts are priced as if both threads
 * used the line at full rate, so contended baselines come out too long.
 */
static void print_recorded(const struct planner *p, const struct plan *plan)
{
	double wall = (double)p->model->wall_ns, base = (double)plan->base_time_ns;
	double hz = (double)p->model->hz, top = (double)p->platform->steps[0].khz * 1e3;
	char text[40];

	if (fabs(hz - top) > 0.05 * top || !p->model->wall_ns || base < 1.1 * wall)
		return;
	print_item("recorded", "%s, placed by the system: the baseline is predicted %.0f %% longer",
		   num_time(text, sizeof(text), wall / 1e9), 100 * (base / wall - 1));
	print_item("", "than that, so expect less than promised; perseus prove measures it");
}

/* A baseline that is the best placement is worth setting: the system does not keep to it by itself. */
static void print_replaced(const struct planner *p)
{
	if (!p->replaced)
		return;
	print_item("instead", "of `%s`: that is the best placement, but nobody keeps to it",
		   baseline_name(p->asked));
	print_item("", "unless it is set, so the plan is compared with the system's own");
}

static void print_bound(const struct planner *p, const struct plan *plan)
{
	uint64_t base = figure(p, plan->base_time_ns, plan->base_energy_nj);
	double most = saved(base, figure(p, plan->bound_time_ns, plan->bound_energy_nj));
	double got = saved(base, figure(p, plan->time_ns, plan->energy_nj));
	const char *what = p->opts.goal.objective == PLAN_TIME ? "time" : "energy";

	print_item("bound", "no plan on this platform can save more than %.1f %% %s", most > 0 ? most : 0.0,
		   what);
	print_item("", "(gap %.1f points, %s)", most > got ? most - got : 0.0,
		   plan->proven ? "proven by enumeration" : "relaxed bound, not proven");
}

static void print_steps(const struct planner *p)
{
	for (uint32_t s = 0; s < p->platform->n_steps; s++)
		if (p->platform->steps[s].dominated)
			print_item("steps",
				   "%.0f MHz needs more energy a cycle than a faster step: only for cores "
				   "with time to spare",
				   p->platform->steps[s].khz / 1e3);
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static const struct platform_core *find_core(const struct planner *p, uint32_t id)
{
	for (uint32_t i = 0; i < p->platform->n_cores; i++)
		if (p->platform->cores[i].id == id)
			return &p->platform->cores[i];
	return &p->platform->cores[0];
}

static bool is_conflict(const struct plan_thread *t)
{
	return t->evidence && !strncmp(t->evidence, "share-", 6);
}

/* Has a thread company on its own core, for the same reason? */
static bool has_company(const struct plan *plan, const struct plan_thread *t)
{
	for (size_t i = 0; i < plan->n_threads; i++)
		if (&plan->threads[i] != t && plan->threads[i].core == t->core &&
		    same_text(plan->threads[i].evidence, t->evidence))
			return true;
	return false;
}

/*
 * Threads decided for one reason go on one line: those of a package, or,
 * where it is about a cache line, those on one core or behind one cache.
 */
static bool together(const struct planner *p, const struct plan *plan, const struct plan_thread *a,
		     const struct plan_thread *b)
{
	const struct platform_core *x, *y;

	if (a->core == PLAN_NONE || b->core == PLAN_NONE || !same_text(a->evidence, b->evidence))
		return false;
	if (a->core == b->core)
		return true;
	x = find_core(p, a->core);
	y = find_core(p, b->core);
	if (is_conflict(a))
		return x->cache_group == y->cache_group && !has_company(plan, a) && !has_company(plan, b);
	return x->package == y->package;
}

static bool is_first_of(const struct planner *p, const struct plan *plan, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (together(p, plan, &plan->threads[k], &plan->threads[i]))
			return false;
	return plan->threads[i].core != PLAN_NONE;
}

static void print_decision(const struct planner *p, const struct plan *plan, size_t first, const char *head)
{
	const struct plan_thread *t = &plan->threads[first];
	struct strbuf names = STRBUF_INIT, cores = STRBUF_INIT, why = STRBUF_INIT;
	size_t n = 0;

	for (size_t i = first; i < plan->n_threads; i++) {
		const struct plan_thread *o = &plan->threads[i];

		if (!together(p, plan, t, o))
			continue;
		if (++n > MAX_NAMES)
			continue;
		strbuf_printf(&names, "%s%s", names.len ? ", " : "", o->name ? o->name : "thread");
		strbuf_printf(&cores, "%s%u", cores.len ? ", " : "", o->core);
	}
	if (n > MAX_NAMES)
		strbuf_printf(&names, " and %zu more", n - MAX_NAMES);
	if (t->evidence)
		strbuf_printf(&why, "   [%s]", t->evidence);
	print_item(head, "%s -> core%s %s%s%s", names.s ? names.s : "", n > 1 ? "s" : "",
		   cores.s ? cores.s : "", n > MAX_NAMES ? ", .." : "", why.s ? why.s : "");
	strbuf_release(&why);
	strbuf_release(&names);
	strbuf_release(&cores);
}

static void print_decisions(const struct planner *p, const struct plan *plan)
{
	size_t n = 0, rest = 0;

	for (size_t i = 0; i < plan->n_threads; i++) {
		if (!is_first_of(p, plan, i))
			continue;
		if (n < MAX_DECISIONS)
			print_decision(p, plan, i, n ? "" : "decides");
		else
			rest++;
		n++;
	}
	if (rest)
		printf("          and %zu more\n", rest);
	for (size_t i = 0; i < plan->n_triggers && i < MAX_DECISIONS; i++) {
		const struct plan_trigger *t = &plan->triggers[i];

		print_item("trigger", "%04u %s: %s", t->number, plan->threads[t->thread].name, t->reason);
	}
	if (plan->n_triggers > MAX_DECISIONS)
		printf("          and %zu more\n", plan->n_triggers - MAX_DECISIONS);
}

/* What the planner had to leave alone, and why. */
static void print_limits(const struct planner *p)
{
	for (size_t i = 0; i < p->model->n_threads; i++)
		if (!p->model->threads[i].plannable)
			print_item("left", "%s (thread %zu): %s", p->model->threads[i].name, i,
				   p->model->threads[i].reason ? p->model->threads[i].reason
							       : "not plannable");
	for (size_t i = 0; i < p->model->n_phases; i++)
		if (!p->model->phases[i].accepted)
			print_item("left", "%s: %s", p->model->phases[i].name,
				   p->model->phases[i].reason ? p->model->phases[i].reason
							      : "differs between runs");
	if (p->problem.unpriced)
		print_item("left", "conflicts: the platform has no price for them, perseus calibrate "
				   "measures it");
	if (p->stopped)
		puts("left      the search was interrupted: this is the best design found until then");
}

static void print_verdict(const struct planner *p)
{
	char paced[32], best[32];

	if (p->verdict == PLANNER_NOISE)
		print_item("no plan",
			   "the best gain, %.1f %%, is below the noise of the recorded runs, %.1f %%: record "
			   "more runs on a quiet machine and analyze them together",
			   100 * p->gain, 100 * p->noise);
	else if (p->verdict == PLANNER_PACE)
		print_item("no plan",
			   "a scheduler that may move threads at any time is expected to need %s, the best "
			   "placement found %s: leave it to the system",
			   num_time(paced, sizeof(paced), (double)p->pace_ns / 1e9),
			   num_time(best, sizeof(best), (double)p->best_ev.total.time_ns / 1e9));
	else if (p->verdict == PLANNER_NO_GAIN)
		printf("no plan   nothing found is better than the baseline `%s` by 0.05 %% or more\n",
		       baseline_name(p->opts.baseline));
}

void plan_print(const struct planner *p, const struct plan *plan, const char *output)
{
	print_head(p, plan, output);
	print_replaced(p);
	print_recorded(p, plan);
	print_bound(p, plan);
	if (plan->turns_on)
		print_item("turns on", "%s", plan->turns_on);
	print_steps(p);
	print_decisions(p, plan);
	print_limits(p);
	print_verdict(p);
	printf("wrote %s%s\n", output,
	       p->verdict == PLANNER_GAIN ? "" : " (the baseline: no thread is placed)");
}

static void json_cost(struct json *j, const char *key, uint64_t time_ns, uint64_t energy_nj)
{
	json_object(j, key);
	json_u64(j, "time_ns", time_ns);
	json_u64(j, "energy_nj", energy_nj);
	json_end(j);
}

static void json_threads(struct json *j, const struct plan *plan)
{
	json_array(j, "threads");
	for (size_t i = 0; i < plan->n_threads; i++) {
		const struct plan_thread *t = &plan->threads[i];

		json_object(j, NULL);
		json_u64(j, "thread", i);
		json_string(j, "name", t->name);
		if (t->core != PLAN_NONE)
			json_u64(j, "core", t->core);
		json_string(j, "evidence", t->evidence);
		json_string(j, "reason", t->reason);
		json_end(j);
	}
	json_end(j);
}

void plan_print_json(const struct planner *p, const struct plan *plan, const char *output)
{
	static const char *const verdicts[] = {
		[PLANNER_GAIN] = "gain",
		[PLANNER_NO_GAIN] = "no-gain",
		[PLANNER_NOISE] = "noise",
		[PLANNER_PACE] = "pace",
	};
	struct strbuf sb = STRBUF_INIT;
	struct json j;

	json_init(&j, &sb);
	json_object(&j, NULL);
	json_u64(&j, "schema", PLAN_SCHEMA);
	json_string(&j, "program", plan->program);
	json_string(&j, "platform", plan->platform_name);
	json_string(&j, "objective", p->opts.goal.objective == PLAN_TIME ? "time" : "energy");
	json_string(&j, "verdict", verdicts[p->verdict]);
	json_string(&j, "baseline_name", plan->baseline);
	json_cost(&j, "baseline", plan->base_time_ns, plan->base_energy_nj);
	json_cost(&j, "plan", plan->time_ns, plan->energy_nj);
	json_cost(&j, "bound", plan->bound_time_ns, plan->bound_energy_nj);
	json_bool(&j, "proven", plan->proven);
	json_bool(&j, "interrupted", p->stopped);
	json_bool(&j, "energy_known", has_energy(p));
	json_double(&j, "noise_percent", 100 * p->noise);
	json_string(&j, "method", plan->method);
	json_u64(&j, "evaluations", plan->evaluations);
	json_string(&j, "turns_on", plan->turns_on);
	json_threads(&j, plan);
	json_u64(&j, "thread_starts", plan_thread_starts(plan));
	json_u64(&j, "call_triggers", plan_call_triggers(plan));
	json_string(&j, "output", output);
	json_end(&j);
	puts(sb.s);
	strbuf_release(&sb);
}

/* SPDX-License-Identifier: MIT */
#include "cmd/plan/print/decide.h"

#include <stdio.h>
#include <string.h>

#include "cmd/base/print.h"
#include "cmd/plan/print/text.h"
#include "lib/strbuf.h"

#define MAX_DECISIONS 8
#define MAX_NAMES     4 /* on one line */

static const struct platform_core *find_core(const struct outcome *o, uint32_t id)
{
	for (uint32_t i = 0; i < o->task->platform->n_cores; i++)
		if (o->task->platform->cores[i].id == id)
			return &o->task->platform->cores[i];
	return &o->task->platform->cores[0];
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
		    text_equal(plan->threads[i].evidence, t->evidence))
			return true;
	return false;
}

/*
 * Threads decided for one reason go on one line: those of a package, or,
 * where it is about a cache line, those on one core or behind one cache.
 */
static bool together(const struct outcome *o, const struct plan *plan, const struct plan_thread *a,
		     const struct plan_thread *b)
{
	const struct platform_core *x, *y;

	if (a->core == PLAN_NONE || b->core == PLAN_NONE || !text_equal(a->evidence, b->evidence))
		return false;
	if (a->core == b->core)
		return true;
	x = find_core(o, a->core);
	y = find_core(o, b->core);
	if (is_conflict(a))
		return x->cache_group == y->cache_group && !has_company(plan, a) && !has_company(plan, b);
	return x->package == y->package;
}

static bool is_first_of(const struct outcome *o, const struct plan *plan, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (together(o, plan, &plan->threads[k], &plan->threads[i]))
			return false;
	return plan->threads[i].core != PLAN_NONE;
}

static void print_decision(const struct outcome *o, const struct plan *plan, size_t first, const char *head)
{
	const struct plan_thread *t = &plan->threads[first];
	struct strbuf names = STRBUF_INIT, cores = STRBUF_INIT, why = STRBUF_INIT;
	size_t n = 0;

	for (size_t i = first; i < plan->n_threads; i++) {
		const struct plan_thread *other = &plan->threads[i];

		if (!together(o, plan, t, other))
			continue;
		if (++n > MAX_NAMES)
			continue;
		strbuf_printf(&names, "%s%s", names.len ? ", " : "", other->name ? other->name : "thread");
		strbuf_printf(&cores, "%s%u", cores.len ? ", " : "", other->core);
	}
	if (n > MAX_NAMES)
		strbuf_printf(&names, " and %zu more", n - MAX_NAMES);
	if (t->evidence)
		strbuf_printf(&why, "   [%s]", t->evidence);
	plan_item(head, "%s -> core%s %s%s%s", names.s ? names.s : "", n > 1 ? "s" : "",
		  cores.s ? cores.s : "", n > MAX_NAMES ? ", .." : "", why.s ? why.s : "");
	strbuf_release(&why);
	strbuf_release(&names);
	strbuf_release(&cores);
}

static bool sets_step(const struct plan_action *a, uint32_t khz)
{
	return a->kind == PLAN_STEP && a->khz == khz;
}

/* "domains 0, 1 to 2400000 kHz; domain 4 to ...": of each step that the trigger sets, once. */
static void name_steps(const struct plan_trigger *t, struct strbuf *out)
{
	for (size_t i = 0; i < t->n_actions; i++) {
		uint32_t khz = t->actions[i].khz;
		size_t n = 0, before = 0;

		for (size_t k = 0; k < t->n_actions; k++) {
			before += k < i && sets_step(&t->actions[k], khz);
			n += sets_step(&t->actions[k], khz);
		}
		if (t->actions[i].kind != PLAN_STEP || before)
			continue;
		strbuf_printf(out, "%sdomain%s", out->len ? "; " : "", n > 1 ? "s" : "");
		for (size_t k = i, named = 0; k < t->n_actions && named < MAX_NAMES; k++)
			if (sets_step(&t->actions[k], khz))
				strbuf_printf(out, "%s %u", named++ ? "," : "", t->actions[k].domain);
		if (n > MAX_NAMES)
			strbuf_printf(out, " and %zu more", n - MAX_NAMES);
		strbuf_printf(out, " to %u kHz", khz);
	}
}

static void print_trigger(const struct plan *plan, const struct plan_trigger *t)
{
	struct strbuf steps = STRBUF_INIT;

	name_steps(t, &steps);
	plan_item("trigger", "%04u %s: %s%s%s", t->number, plan->threads[t->thread].name,
		  steps.len ? steps.s : "", steps.len ? ": " : "", t->reason);
	strbuf_release(&steps);
}

void plan_decide_print(const struct outcome *o, const struct plan *plan)
{
	size_t n = 0, rest = 0;

	for (size_t i = 0; i < plan->n_threads; i++) {
		if (!is_first_of(o, plan, i))
			continue;
		if (n < MAX_DECISIONS)
			print_decision(o, plan, i, n ? "" : "decides");
		else
			rest++;
		n++;
	}
	if (rest)
		cmd_print("          and %zu more\n", rest);
	for (size_t i = 0; i < plan->n_triggers && i < MAX_DECISIONS; i++)
		print_trigger(plan, &plan->triggers[i]);
	if (plan->n_triggers > MAX_DECISIONS)
		cmd_print("          and %zu more\n", plan->n_triggers - MAX_DECISIONS);
}

/* SPDX-License-Identifier: MIT */
/* Which rules hold: a state for each rule and thread, README.md. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/hash.h"
#include "lib/mem.h"
#include "lib/strbuf.h"
#include "monitor/rules/rules.h"

void judge_init(struct judge *j, const struct rules *rules, const struct counts_events *events)
{
	*j = (struct judge){.rules = rules, .events = events};
}

void judge_release(struct judge *j)
{
	vec_release(&j->advice);
}

bool judge_can(const struct judge *j, const struct rule *rule)
{
	return counts_event(j->events, rule->event) < j->events->n;
}

bool advice_holds(const struct advice *a)
{
	return a->state == ADVICE_HOLDS || a->state == ADVICE_ENDING;
}

static struct advice *advice_of(struct judge *j, const struct rule *rule, const struct counts_thread *t)
{
	for (size_t i = 0; i < j->advice.n; i++) {
		struct advice *a = &j->advice.at[i];

		if (a->rule == rule && a->is.tid == t->tid && a->is.pid == t->pid)
			return a;
	}
	return NULL;
}

static struct advice *advice_add(struct judge *j, const struct rule *rule, const struct counts_thread *t)
{
	struct strbuf key = STRBUF_INIT;
	struct advice *a;

	a = vec_add(&j->advice);
	a->rule = rule;
	a->event = counts_event(j->events, rule->event);
	strbuf_printf(&key, "%s|%s|%s", rule->name, rule->event, t->name);
	evidence_id(a->id, sizeof(a->id), "rate", key.s, 0);
	strbuf_release(&key);
	return a;
}

/* Surely at or above the first limit; surely below the second one: an error that is not known is neither. */
static bool is_above(const struct rule *rule, const struct rate *r)
{
	return r->per_10ms >= 0 && r->error >= 0 && r->per_10ms - r->error >= rule->above;
}

static bool is_below(const struct rule *rule, const struct rate *r)
{
	return r->per_10ms >= 0 && r->error >= 0 && r->per_10ms + r->error < rule->below;
}

/* One window, from @from to @to. */
static void advice_step(struct advice *a, uint64_t from, uint64_t to)
{
	if (!advice_holds(a)) {
		if (!is_above(a->rule, &a->rate)) {
			a->state = ADVICE_NONE;
			return;
		}
		a->since_ns = a->state == ADVICE_NONE ? from : a->since_ns;
		a->begun = to - a->since_ns >= a->rule->begin_ns;
		a->state = a->begun ? ADVICE_HOLDS : ADVICE_WAITING;
		return;
	}
	if (!is_below(a->rule, &a->rate)) {
		a->state = ADVICE_HOLDS;
		return;
	}
	a->since_ns = a->state == ADVICE_HOLDS ? from : a->since_ns;
	a->ended = to - a->since_ns >= a->rule->end_ns;
	a->state = a->ended ? ADVICE_NONE : ADVICE_ENDING;
}

/* Those that came to an end, and those of threads that had gone, are forgotten. */
static void judge_forget(struct judge *j)
{
	size_t kept = 0;

	for (size_t i = 0; i < j->advice.n; i++)
		if (j->advice.at[i].there && j->advice.at[i].state != ADVICE_NONE)
			j->advice.at[kept++] = j->advice.at[i];
	j->advice.n = kept;
	for (size_t i = 0; i < kept; i++)
		j->advice.at[i].there = j->advice.at[i].begun = j->advice.at[i].ended = false;
}

static const char *name_of(const struct rates *r, uint32_t tid)
{
	for (size_t i = 0; tid && i < r->threads.n; i++)
		if (r->threads.at[i].tid == tid)
			return r->threads.at[i].name;
	return "";
}

static void judge_rule(struct judge *j, const struct rule *rule, const struct rates *r)
{
	uint64_t from = r->ns - (uint64_t)(r->seconds * 1e9 + 0.5);
	size_t event = counts_event(j->events, rule->event);

	for (size_t i = 0; event < j->events->n && i < r->threads.n; i++) {
		const struct rate *rate = &r->at.at[i * r->n_events + event];
		struct advice *a = advice_of(j, rule, &r->threads.at[i]);

		if (!a && is_above(rule, rate))
			a = advice_add(j, rule, &r->threads.at[i]);
		if (!a)
			continue;
		a->is = r->threads.at[i];
		a->rate = *rate;
		a->there = true;
		snprintf(a->partner, sizeof(a->partner), "%s", name_of(r, a->is.partner));
		advice_step(a, from, r->ns);
	}
}

void judge_window(struct judge *j, const struct rates *r)
{
	judge_forget(j);
	for (size_t k = 0; k < j->rules->n; k++)
		judge_rule(j, &j->rules->at[k], r);
	for (size_t i = 0; i < j->advice.n; i++) {
		struct advice *a = &j->advice.at[i];

		if (a->there)
			continue;
		a->ended = advice_holds(a);
		a->state = ADVICE_NONE;
	}
}

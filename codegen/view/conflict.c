/* SPDX-License-Identifier: MIT */
/* Two settings of a plan that cannot both be meant. */
#include "codegen/view/conflict.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Both set the same thing, and differently. */
static bool differ(const struct plan_action *a, const struct plan_action *b)
{
	if (a->kind != b->kind)
		return false;
	if (a->kind == PLAN_PIN)
		return a->core != b->core;
	return a->domain == b->domain && a->khz != b->khz;
}

static bool actions_differ(const struct plan_trigger *a, const struct plan_trigger *b)
{
	for (size_t i = 0; i < a->n_actions; i++)
		for (size_t k = 0; k < b->n_actions; k++)
			if (differ(&a->actions[i], &b->actions[k]))
				return true;
	return false;
}

static uint32_t common_divisor(uint32_t a, uint32_t b)
{
	while (b) {
		uint32_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* Is there a visit on which both act? */
static bool conflict_meet(const struct plan_trigger *a, const struct plan_trigger *b)
{
	const struct plan_trigger *low = a->first <= b->first ? a : b, *high = low == a ? b : a;
	uint32_t apart = high->first - low->first;

	if (!low->every)
		return !apart;
	if (!high->every)
		return apart % low->every == 0;
	return apart % common_divisor(low->every, high->every) == 0;
}

/* Do both stand where one thread comes by at one time? */
static bool together(const struct plan *p, const struct plan_trigger *a, const struct plan_trigger *b)
{
	if (a->thread != b->thread || (a->at == PLAN_AT_CALL) != (b->at == PLAN_AT_CALL))
		return false;
	if (a->at != PLAN_AT_CALL)
		return true;
	return a->after == b->after && conflict_same_site(&p->sites[a->site], &p->sites[b->site]) &&
	       conflict_meet(a, b);
}

static int check_within(const struct plan *p, const struct plan_trigger *t, struct err *err)
{
	const uint32_t start = p->threads[t->thread].core;

	if (!t->n_actions)
		return err_set(err, -EINVAL, "trigger %u sets nothing: its list of actions is empty",
			       t->number);
	if (actions_differ(t, t))
		return err_set(err, -EINVAL, "trigger %u sets one thing to two values", t->number);
	for (size_t i = 0; t->at != PLAN_AT_CALL && i < t->n_actions; i++)
		if (t->actions[i].kind == PLAN_PIN && start != PLAN_NONE && t->actions[i].core != start)
			return err_set(err, -EINVAL,
				       "trigger %u puts thread %u on core %u at its start, where the table "
				       "of threads says core %u",
				       t->number, t->thread, t->actions[i].core, start);
	return 0;
}

bool conflict_same_site(const struct plan_site *a, const struct plan_site *b)
{
	return !strcmp(a->id, b->id) && !strcmp(a->instance, b->instance);
}

/* One call would be at two sites of the plan. */
static bool overlap(const struct plan_site *a, const struct plan_site *b)
{
	return !strcmp(a->id, b->id) && strcmp(a->instance, b->instance) &&
	       (!strcmp(a->instance, "*") || !strcmp(b->instance, "*"));
}

static int check_pair(const struct plan *p, const struct plan_trigger *a, const struct plan_trigger *b,
		      struct err *err)
{
	if (a->at == PLAN_AT_CALL && b->at == PLAN_AT_CALL && a->after == b->after &&
	    overlap(&p->sites[a->site], &p->sites[b->site]))
		return err_set(err, -EINVAL,
			       "triggers %u and %u stand at site %s, one at all of its copies and one at a "
			       "copy\n  give both the same instance",
			       a->number, b->number, p->sites[a->site].id);
	if (together(p, a, b) && actions_differ(a, b))
		return err_set(err, -EINVAL,
			       "triggers %u and %u set one thing to two values in thread %u at the same time",
			       a->number, b->number, a->thread);
	return 0;
}

static int check_creates(const struct plan *p, size_t i, struct err *err)
{
	uint32_t site = p->threads[i].create_site;

	for (size_t k = 0; site != PLAN_NONE && k < i; k++) {
		uint32_t other = p->threads[k].create_site;

		if (other != PLAN_NONE && overlap(&p->sites[site], &p->sites[other]))
			return err_set(err, -EINVAL,
				       "threads %zu and %zu are created at site %s, one at all of its copies "
				       "and one at a copy\n  give both the same instance",
				       k, i, p->sites[site].id);
	}
	return 0;
}

int conflict_check(const struct plan *p, struct err *err)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < p->n_threads; i++)
		ret = check_creates(p, i, err);
	for (size_t i = 0; !ret && i < p->n_triggers; i++) {
		ret = check_within(p, &p->triggers[i], err);
		for (size_t k = 0; !ret && k < i; k++)
			ret = check_pair(p, &p->triggers[k], &p->triggers[i], err);
	}
	return ret;
}

/* ---- what is strange, but no contradiction ---- */

/* True if thread @i, or one that it comes from, was created where nobody saw it. */
static bool never_known(const struct plan *p, uint32_t i)
{
	while (i != 0) {
		if (p->threads[i].creator == PLAN_NONE)
			return true;
		i = p->threads[i].creator;
	}
	return false;
}

static bool is_set(const struct plan *p, uint32_t thread)
{
	if (p->threads[thread].core != PLAN_NONE)
		return true;
	for (size_t i = 0; i < p->n_triggers; i++)
		if (p->triggers[i].thread == thread)
			return true;
	return false;
}

static bool conflict_is_there(const struct plan *p, uint32_t thread, uint32_t ordinal)
{
	const struct plan_thread *t = &p->threads[thread];

	for (uint32_t i = 1; i < p->n_threads; i++)
		if (p->threads[i].creator == t->creator && p->threads[i].create_site == t->create_site &&
		    p->threads[i].ordinal == ordinal)
			return true;
	return false;
}

/* The same place and visits under two numbers. */
static bool twice(const struct plan *p, const struct plan_trigger *a, const struct plan_trigger *b)
{
	if (a->at != b->at || a->thread != b->thread)
		return false;
	if (a->at != PLAN_AT_CALL)
		return true;
	return a->after == b->after && a->first == b->first && a->every == b->every &&
	       conflict_same_site(&p->sites[a->site], &p->sites[b->site]);
}

/* The first trigger that could do what trigger @i does, PLAN_NONE if none can. */
static uint32_t twin_of(const struct plan *p, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (twice(p, &p->triggers[k], &p->triggers[i]))
			return p->triggers[k].number;
	return PLAN_NONE;
}

static void note_twins(const struct plan *p, struct strbuf *notes)
{
	for (size_t i = 0; i < p->n_triggers; i++) {
		uint32_t twin = twin_of(p, i);

		if (twin != PLAN_NONE)
			strbuf_printf(notes,
				      "trigger %u acts in the same thread at the same place and visits as "
				      "trigger %u: one could do both\n",
				      p->triggers[i].number, twin);
	}
}

void conflict_notes(const struct plan *p, struct strbuf *notes)
{
	for (uint32_t i = 1; i < p->n_threads; i++) {
		const struct plan_thread *t = &p->threads[i];

		if (!is_set(p, i))
			continue;
		if (never_known(p, i))
			strbuf_printf(notes,
				      "thread %u never appears: it comes from a thread whose creation was "
				      "not seen, so nothing is set in it\n",
				      i);
		else if (t->ordinal && !conflict_is_there(p, i, t->ordinal - 1))
			strbuf_printf(notes,
				      "thread %u is creation %u of its creator at that site, and the plan "
				      "names no creation %u: it appears only if that one happens too\n",
				      i, t->ordinal, t->ordinal - 1);
	}
	note_twins(p, notes);
}

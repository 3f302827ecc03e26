/* SPDX-License-Identifier: MIT */
#include "codegen/needs.h"

#include <string.h>

#include "codegen/parts.h"

enum {
	CPU,
	PINS,
	STEPS,
	BY_DAEMON,
	BY_DEVICE,
	BY_FILES,
	MOVES,
	SETTLES,
	PLACE,
	PLACE_MOVES,
	PLACE_STAYS,
	SITES,
	FAMILY,
	FAMILY_SITES,
	FAMILY_BARE,
	FAMILY_MOVES,
	FAMILY_STAYS,
	ALONE,
	CREATOR,
	CREATOR_MOVES,
	CREATOR_STAYS,
	STATE,
	NO_CORE,
	CALL,
	DUE,
	FLUSH,
	BARE,
	PARTS,
};

struct sums {
	size_t placed;  /* threads with a core at their start */
	size_t family;  /* threads whose creation is known */
	size_t starts;  /* triggers at starts */
	size_t counted; /* triggers that count visits */
	size_t due;     /* those that act again, but not from the first visit on */
	bool pin_at_start, pin_at_call;
};

static bool pins(const struct plan_trigger *t)
{
	for (size_t i = 0; i < t->n_actions; i++)
		if (t->actions[i].kind == PLAN_PIN)
			return true;
	return false;
}

bool needs_visits(const struct plan_trigger *t)
{
	return t->at == PLAN_AT_CALL && (t->first != 1 || t->every != 1);
}

bool needs_due(const struct plan_trigger *t)
{
	return t->at == PLAN_AT_CALL && t->first > 1 && t->every > 1;
}

bool needs_count(const struct view *v, const struct view_point *p, uint32_t thread)
{
	for (size_t i = 0; i < p->triggers.n; i++) {
		const struct plan_trigger *t = &v->plan->triggers[p->triggers.at[i]];

		if ((thread == PLAN_NONE || t->thread == thread) && needs_visits(t))
			return true;
	}
	return false;
}

static struct sums sum(const struct plan *p)
{
	struct sums s = {0};

	for (size_t i = 0; i < p->n_threads; i++) {
		s.placed += p->threads[i].core != PLAN_NONE;
		s.family += p->threads[i].creator != PLAN_NONE;
	}
	for (size_t i = 0; i < p->n_triggers; i++) {
		const struct plan_trigger *t = &p->triggers[i];

		s.starts += t->at != PLAN_AT_CALL;
		s.counted += needs_visits(t);
		s.due += needs_due(t);
		*(t->at == PLAN_AT_CALL ? &s.pin_at_call : &s.pin_at_start) |= pins(t);
	}
	return s;
}

/* As templates write them. */
static const char *const names[PARTS] = {
	[CPU] = "cpu",
	[PINS] = "pins",
	[STEPS] = "steps",
	[BY_DAEMON] = "by_daemon",
	[BY_DEVICE] = "by_device",
	[BY_FILES] = "by_files",
	[MOVES] = "moves",
	[SETTLES] = "settles",
	[PLACE] = "place",
	[PLACE_MOVES] = "place_moves",
	[PLACE_STAYS] = "place_stays",
	[SITES] = "sites",
	[FAMILY] = "family",
	[FAMILY_SITES] = "family_sites",
	[FAMILY_BARE] = "family_bare",
	[FAMILY_MOVES] = "family_moves",
	[FAMILY_STAYS] = "family_stays",
	[ALONE] = "alone",
	[CREATOR] = "creator",
	[CREATOR_MOVES] = "creator_moves",
	[CREATOR_STAYS] = "creator_stays",
	[STATE] = "state",
	[NO_CORE] = "no_core",
	[CALL] = "call",
	[DUE] = "due",
	[FLUSH] = "flush",
	[BARE] = "bare",
};

static void needs_fill(struct part *parts, const struct view *v)
{
	const struct sums s = sum(v->plan);
	const bool moves = s.pin_at_call, bind = s.placed || s.pin_at_start || moves;
	const bool place = s.placed || s.starts, sites = v->creates.n > 0, creator = sites || s.family;
	const bool wanted[PARTS] = {
		[CPU] = v->plan->cpu != NULL,
		[PINS] = bind,
		[STEPS] = v->steps.n > 0,
		[BY_DAEMON] = v->steps.n && v->in->frequency == CODEGEN_BY_PERSEUSD,
		[BY_DEVICE] = v->steps.n && v->in->frequency == CODEGEN_BY_DEVICE,
		[BY_FILES] = v->steps.n && v->in->frequency == CODEGEN_BY_CPUFREQ,
		[MOVES] = moves,
		[SETTLES] = bind && !moves,
		[PLACE] = place,
		[PLACE_MOVES] = place && moves,
		[PLACE_STAYS] = place && !moves,
		[SITES] = sites,
		[FAMILY] = s.family > 0,
		[FAMILY_SITES] = s.family && sites,
		[FAMILY_BARE] = s.family && !sites,
		[FAMILY_MOVES] = s.family && moves,
		[FAMILY_STAYS] = s.family && !moves,
		[ALONE] = !s.family,
		[CREATOR] = creator,
		[CREATOR_MOVES] = creator && moves,
		[CREATOR_STAYS] = creator && !moves,
		[STATE] = moves || sites || s.counted,
		[NO_CORE] = moves || s.placed<v->plan->n_threads, [CALL] = v->points.n> 0,
		[DUE] = s.due > 0,
		[FLUSH] = v->plan->n_flushes > 0,
		[BARE] = !bind && !v->steps.n,
	};

	for (int i = 0; i < PARTS; i++)
		parts[i] = (struct part){names[i], wanted[i]};
	parts[PARTS] = (struct part){NULL, false};
}

void needs_add(struct strbuf *out, const char *text, const struct view *v)
{
	struct part parts[PARTS + 1];

	needs_fill(parts, v);
	parts_add(out, text, parts);
}

bool needs(const struct view *v, const char *name)
{
	struct part parts[PARTS + 1];

	needs_fill(parts, v);
	for (int i = 0; i < PARTS; i++)
		if (!strcmp(parts[i].name, name))
			return parts[i].wanted;
	return false;
}

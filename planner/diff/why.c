/* SPDX-License-Identifier: MIT */
/* Notes: what differs between two plans without changing what they set or promise. */
#include <stdlib.h>
#include <string.h>

#include "planner/diff/pair.h"

/* ---- reasons ---- */

static const char *text_of(const struct plan *plan, const struct pair_setting *s, bool evidence)
{
	const struct plan_thread *thread = &plan->threads[s->own_thread];
	const char *text;

	if (s->trigger == PLAN_NONE)
		text = evidence ? thread->evidence : thread->reason;
	else
		text = evidence ? plan->triggers[s->trigger].evidence : plan->triggers[s->trigger].reason;
	return text ? text : "";
}

static void one_reason(struct pair *p, const struct pair_setting *old, const struct pair_setting *new,
		       bool evidence)
{
	const char *before = text_of(p->plan[PAIR_OLD], old, evidence);
	const char *after = text_of(p->plan[PAIR_NEW], new, evidence);
	struct strbuf subject = STRBUF_INIT, text = STRBUF_INIT, parts[2] = {STRBUF_INIT, STRBUF_INIT};

	if (!strcmp(before, after))
		return;
	pair_thread_name(&subject, p, PAIR_NEW, new->own_thread);
	pair_safe(&parts[0], before);
	pair_safe(&parts[1], after);
	strbuf_printf(&text, "%s ", subject.s);
	pair_place(&text, p->plan[PAIR_NEW], new);
	strbuf_printf(&text, ": %s `%s` instead of `%s`", evidence ? "rests on" : "the reason is", parts[1].s,
		      parts[0].s);
	pair_add(p, DIFF_NOTE, &subject, evidence ? "evidence" : "reason", parts[0].s, parts[1].s, &text);
	strbuf_release(&parts[0]);
	strbuf_release(&parts[1]);
}

void pair_reason(struct pair *p, const struct pair_setting *old, const struct pair_setting *new)
{
	one_reason(p, old, new, true);
	one_reason(p, old, new, false);
}

/* ---- names ---- */

static void name(struct pair *p, uint32_t old, uint32_t new)
{
	const char *before = p->plan[PAIR_OLD]->threads[old].name;
	struct strbuf subject = STRBUF_INIT, was = STRBUF_INIT, text = STRBUF_INIT;

	if (!strcmp(before, p->plan[PAIR_NEW]->threads[new].name))
		return;
	pair_thread_name(&subject, p, PAIR_NEW, new);
	pair_thread_name(&was, p, PAIR_OLD, old);
	strbuf_printf(&text, "%s was called %s", subject.s, was.s);
	pair_add(p, DIFF_NOTE, &subject, "name", was.s, subject.s, &text);
	strbuf_release(&was);
}

/* ---- lists for checks and readers: the same lines in any order ---- */

typedef void list_fn(struct match_list *out, const struct pair *p, int side);

static void add_places(struct match_list *out, const struct pair *p, int side, const struct plan_place *at,
		       size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct strbuf key = STRBUF_INIT;

		strbuf_printf(&key, "%u %u %u", p->thread[side][at[i].thread], at[i].phase, at[i].core);
		match_add(out, strbuf_detach(&key), 0);
	}
}

static void base_places(struct match_list *out, const struct pair *p, int side)
{
	add_places(out, p, side, p->plan[side]->base_places, p->plan[side]->n_base_places);
}

static void free_places(struct match_list *out, const struct pair *p, int side)
{
	add_places(out, p, side, p->plan[side]->free_places, p->plan[side]->n_free_places);
}

static void reaches(struct match_list *out, const struct pair *p, int side)
{
	for (size_t i = 0; i < p->plan[side]->n_kinds; i++) {
		const struct plan_reach *r = &p->plan[side]->kinds[i];
		struct strbuf key = STRBUF_INIT;

		strbuf_printf(&key, "%d %llu %llu %u", (int)r->kind, (unsigned long long)r->time_ns,
			      (unsigned long long)r->energy_nj, r->triggers);
		match_add(out, strbuf_detach(&key), 0);
	}
}

static void breakevens(struct match_list *out, const struct pair *p, int side)
{
	for (size_t i = 0; i < p->plan[side]->n_breakevens; i++) {
		const struct plan_breakeven *b = &p->plan[side]->breakevens[i];
		struct strbuf key = STRBUF_INIT;

		strbuf_printf(&key, "%s %.17g %.17g %s", b->parameter, b->value, b->at, b->unit);
		match_add(out, strbuf_detach(&key), 0);
	}
}

static void regrets(struct match_list *out, const struct pair *p, int side)
{
	for (size_t i = 0; i < p->plan[side]->n_regret; i++) {
		const struct plan_regret *r = &p->plan[side]->regret[i];
		struct strbuf key = STRBUF_INIT;

		strbuf_printf(&key, "%s %llu %llu", r->baseline, (unsigned long long)r->time_ns,
			      (unsigned long long)r->energy_nj);
		match_add(out, strbuf_detach(&key), 0);
	}
}

static void why_count(void *arg, uint32_t old, uint32_t new)
{
	(void)old;
	(void)new;
	++*(size_t *)arg;
}

static void one_list(struct pair *p, const char *what, list_fn *fill)
{
	struct match_list list[PAIR_SIDES] = {VEC_INIT, VEC_INIT};
	struct strbuf subject = STRBUF_INIT, text = STRBUF_INIT;
	size_t equal = 0;

	fill(&list[PAIR_OLD], p, PAIR_OLD);
	fill(&list[PAIR_NEW], p, PAIR_NEW);
	match_pairs(&list[PAIR_OLD], &list[PAIR_NEW], why_count, &equal);
	if (equal != list[PAIR_OLD].n || equal != list[PAIR_NEW].n) {
		strbuf_puts(&subject, what);
		strbuf_printf(&text, "%s: %zu of %zu are not among the %zu of the old plan", what,
			      list[PAIR_NEW].n - equal, list[PAIR_NEW].n, list[PAIR_OLD].n);
		pair_add(p, DIFF_NOTE, &subject, NULL, NULL, NULL, &text);
	}
	match_release(&list[PAIR_OLD]);
	match_release(&list[PAIR_NEW]);
}

void pair_why(struct pair *p)
{
	for (uint32_t i = 0; i < p->plan[PAIR_OLD]->n_threads; i++)
		if (p->matched[PAIR_OLD][i])
			name(p, i, p->thread[PAIR_OLD][i]);
	one_list(p, "cores on which the baseline's figures assume the threads", base_places);
	one_list(p, "cores on which the plan's figures assume the threads that it does not place",
		 free_places);
	one_list(p, "what other kinds of plan reach", reaches);
	one_list(p, "where the plan stops gaining", breakevens);
	one_list(p, "figures of other baselines", regrets);
}

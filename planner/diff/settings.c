/* SPDX-License-Identifier: MIT */
/* A plan as the values it sets, one by one, and their differences. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "planner/diff/pair.h"

/* ---- flatten ---- */

static int by_point(const void *x, const void *y)
{
	const struct pair_setting *a = x, *b = y;
	const uint32_t left[] = {a->thread, a->call, a->site, a->after, a->first, a->every, a->target};
	const uint32_t right[] = {b->thread, b->call, b->site, b->after, b->first, b->every, b->target};

	for (size_t i = 0; i < sizeof(left) / sizeof(left[0]); i++)
		if (left[i] != right[i])
			return left[i] < right[i] ? -1 : 1;
	return 0;
}

/* Order of effect: at a start the thread's own core, its triggers, those of the program; then by number. */
static int by_point_and_time(const void *x, const void *y)
{
	const struct pair_setting *a = x, *b = y;
	int order = by_point(x, y);

	/* `done` holds the rank of the moment meanwhile, `trigger` the place in the plan. */
	if (!order)
		order = (a->done > b->done) - (a->done < b->done);
	if (!order && a->trigger != b->trigger)
		order = a->trigger == PLAN_NONE || (b->trigger != PLAN_NONE && a->trigger < b->trigger) ? -1
													: 1;
	return order;
}

static void flatten_trigger(struct pair *p, int side, uint32_t i)
{
	const struct plan_trigger *t = &p->plan[side]->triggers[i];
	bool call = t->at == PLAN_AT_CALL && t->site < p->plan[side]->n_sites;

	for (size_t k = 0; k < t->n_actions; k++) {
		const struct plan_action *a = &t->actions[k];
		struct pair_setting s = {
			.thread = p->thread[side][t->thread],
			.own_thread = t->thread,
			.call = call,
			.site = call ? p->site[side][t->site] : 0,
			.after = call && t->after,
			.first = call ? t->first : 0,
			.every = call ? t->every : 0,
			.target = a->kind == PLAN_PIN ? PAIR_CORE : a->domain,
			.value = a->kind == PLAN_PIN ? a->core : a->khz,
			.trigger = i,
			.done = t->at == PLAN_AT_PROGRAM_START,
		};

		vec_push(&p->set[side], s);
	}
}

static void last_stays(struct pair_settings *set)
{
	size_t n = 0;

	if (set->n)
		qsort(set->at, set->n, sizeof(*set->at), by_point_and_time);
	for (size_t i = 0; i < set->n; i++)
		if (i + 1 == set->n || by_point(&set->at[i], &set->at[i + 1]))
			set->at[n++] = set->at[i];
	set->n = n;
	for (size_t i = 0; i < n; i++)
		set->at[i].done = false;
}

void pair_flatten(struct pair *p)
{
	for (int side = 0; side < PAIR_SIDES; side++) {
		const struct plan *plan = p->plan[side];

		for (uint32_t i = 0; i < plan->n_threads; i++) {
			struct pair_setting s = {.thread = p->thread[side][i],
						 .own_thread = i,
						 .target = PAIR_CORE,
						 .value = plan->threads[i].core,
						 .trigger = PLAN_NONE};

			if (s.value != PLAN_NONE)
				vec_push(&p->set[side], s);
		}
		for (uint32_t i = 0; i < plan->n_triggers; i++)
			flatten_trigger(p, side, i);
		last_stays(&p->set[side]);
	}
}

/* ---- words ---- */

static void value_text(char *out, size_t size, const struct pair_setting *s)
{
	if (s->target == PAIR_CORE)
		snprintf(out, size, "core %u", s->value);
	else
		snprintf(out, size, "%u kHz", s->value);
}

/* The phase of @plan that the evidence of @s names, NULL. */
static const char *phase_of(const struct plan *plan, const struct pair_setting *s)
{
	const char *ids = s->trigger == PLAN_NONE ? NULL : plan->triggers[s->trigger].evidence;

	for (size_t i = 0; ids && s->call && i < plan->n_phases; i++) {
		const char *name = plan->phases[i].name;
		const char *at = *name ? strstr(ids, name) : NULL;

		if (at && (at == ids || strchr(" ,", at[-1])) && strchr(" ,", at[strlen(name)]))
			return name;
	}
	return NULL;
}

static void add_phase(struct strbuf *out, const struct plan *plan, const struct pair_setting *s)
{
	const char *phase = phase_of(plan, s);

	if (!phase)
		return;
	strbuf_puts(out, !strncmp(phase, "phase", 5) ? " from " : " from phase ");
	pair_safe(out, phase);
	strbuf_puts(out, " on");
}

/* "worker 3 goes to core 5", "worker 3 sets domain 2 to 1853000 kHz". */
static void does(struct strbuf *out, const struct pair *p, int side, const struct pair_setting *s,
		 const char *now)
{
	pair_thread_name(out, p, side, s->own_thread);
	if (s->target == PAIR_CORE)
		strbuf_printf(out, " %s%s core %u", now, s->call ? "goes to" : "starts on", s->value);
	else
		strbuf_printf(out, " %ssets domain %u to %u kHz", now, s->target, s->value);
	add_phase(out, p->plan[side], s);
}

static void settings_add(struct pair *p, enum diff_kind kind, const struct pair_setting *old,
			 const struct pair_setting *new, struct strbuf *text)
{
	int side = new ? PAIR_NEW : PAIR_OLD;
	const struct pair_setting *s = new ? new : old;
	char what[32] = "core", before[32], after[32];
	struct strbuf subject = STRBUF_INIT;
	struct diff_change *c;

	pair_thread_name(&subject, p, side, s->own_thread);
	if (s->target != PAIR_CORE)
		snprintf(what, sizeof(what), "domain %u", s->target);
	if (old)
		value_text(before, sizeof(before), old);
	if (new)
		value_text(after, sizeof(after), new);
	c = pair_add(p, kind, &subject, what, old ? before : NULL, new ? after : NULL, text);
	if (new)
		c->thread = new->own_thread;
	if (s->trigger != PLAN_NONE)
		c->trigger = p->plan[side]->triggers[s->trigger].number;
}

/* ---- passes: what is left over from one goes to the next ---- */

typedef void key_fn(struct strbuf *key, const struct pair_setting *s);

static void key_point(struct strbuf *key, const struct pair_setting *s)
{
	strbuf_printf(key, "%08x %d %08x %d %08x %08x %08x", s->thread, s->call, s->site, s->after, s->first,
		      s->every, s->target);
}

static void key_visit(struct strbuf *key, const struct pair_setting *s)
{
	strbuf_printf(key, "%08x %d %08x %d %08x %08x", s->thread, s->call, s->site, s->after, s->target,
		      s->value);
}

static void key_site(struct strbuf *key, const struct pair_setting *s)
{
	strbuf_printf(key, "%08x %d %08x %d %08x", s->thread, s->call, s->site, s->after, s->target);
}

static void key_value(struct strbuf *key, const struct pair_setting *s)
{
	strbuf_printf(key, "%08x %08x %08x", s->thread, s->target, s->value);
}

/* A frequency belongs to the machine, whoever sets it. */
static void key_domain(struct strbuf *key, const struct pair_setting *s)
{
	if (s->target != PAIR_CORE)
		strbuf_printf(key, "%08x %08x", s->target, s->value);
}

/* "X is on core 5 instead of core 1 from phase P on: before fir ..., visit 1" */
static void say_changed(struct strbuf *text, struct pair *p, const struct pair_setting *old,
			const struct pair_setting *new)
{
	char before[32], after[32];

	value_text(before, sizeof(before), old);
	value_text(after, sizeof(after), new);
	if (new->target != PAIR_CORE) {
		strbuf_printf(text, "domain %u at %s instead of %s", new->target, after, before);
	} else {
		pair_thread_name(text, p, PAIR_NEW, new->own_thread);
		strbuf_printf(text, " %s %s instead of %s", new->call ? "now on" : "starts on", after,
			      before);
	}
	add_phase(text, p->plan[PAIR_NEW], new);
	if (!new->call &&new->target == PAIR_CORE)
		return;
	strbuf_puts(text, new->target == PAIR_CORE ? ": " : ", set by ");
	if (new->target != PAIR_CORE) {
		pair_thread_name(text, p, PAIR_NEW, new->own_thread);
		strbuf_puts(text, " ");
	}
	pair_place(text, p->plan[PAIR_NEW], new);
}

static void say_moved(struct strbuf *text, struct pair *p, const struct pair_setting *old,
		      const struct pair_setting *new)
{
	does(text, p, PAIR_NEW, new, "now ");
	strbuf_puts(text, " ");
	pair_place(text, p->plan[PAIR_NEW], new);
	strbuf_puts(text, " instead of ");
	if (old->thread == new->thread && old->call && old->site == new->site && old->after == new->after) {
		pair_visit(text, old);
		return;
	}
	if (old->thread != new->thread) {
		pair_thread_name(text, p, PAIR_OLD, old->own_thread);
		strbuf_puts(text, " ");
	}
	pair_place(text, p->plan[PAIR_OLD], old);
}

static void both(void *arg, uint32_t in_old, uint32_t in_new)
{
	struct pair *p = arg;
	struct pair_setting *old = &p->set[PAIR_OLD].at[in_old], *new = &p->set[PAIR_NEW].at[in_new];
	bool point = old->thread == new->thread && !by_point(old, new);
	struct strbuf text = STRBUF_INIT;

	old->done = new->done = true;
	pair_reason(p, old, new);
	if (point && old->value == new->value)
		return;
	if (old->value != new->value)
		say_changed(&text, p, old, new);
	else
		say_moved(&text, p, old, new);
	if (old->value != new->value && !point) {
		strbuf_puts(&text, "; it was ");
		pair_place(&text, p->plan[PAIR_OLD], old);
	}
	settings_add(p, old->value != new->value ? DIFF_CHANGED : DIFF_MOVED, old, new, &text);
}

static void pass(struct pair *p, key_fn *make_key)
{
	struct match_list list[PAIR_SIDES] = {VEC_INIT, VEC_INIT};

	for (int side = 0; side < PAIR_SIDES; side++)
		for (uint32_t i = 0; i < p->set[side].n; i++) {
			struct strbuf key = STRBUF_INIT;

			if (!p->set[side].at[i].done)
				make_key(&key, &p->set[side].at[i]);
			if (key.len)
				match_add(&list[side], strbuf_detach(&key), i);
		}
	match_pairs(&list[PAIR_OLD], &list[PAIR_NEW], both, p);
	match_release(&list[PAIR_OLD]);
	match_release(&list[PAIR_NEW]);
}

static void say_added(struct pair *p, const struct pair_setting *s)
{
	struct strbuf text = STRBUF_INIT;

	bool old = p->matched[PAIR_NEW][s->own_thread];

	does(&text, p, PAIR_NEW, s, old ? "now " : "");
	if (!s->call && s->target == PAIR_CORE) {
		strbuf_puts(&text, old ? "; before, the plan chose no core for it" : "; the thread is new");
	} else {
		strbuf_puts(&text, " ");
		pair_place(&text, p->plan[PAIR_NEW], s);
	}
	settings_add(p, DIFF_ADDED, NULL, s, &text);
}

static void say_dropped(struct pair *p, const struct pair_setting *s)
{
	struct strbuf text = STRBUF_INIT;

	strbuf_puts(&text, "no longer: ");
	does(&text, p, PAIR_OLD, s, "");
	if (s->call || s->target != PAIR_CORE) {
		strbuf_puts(&text, " ");
		pair_place(&text, p->plan[PAIR_OLD], s);
	}
	settings_add(p, DIFF_DROPPED, s, NULL, &text);
}

void pair_settings(struct pair *p)
{
	static key_fn *const keys[] = {key_point, key_visit, key_site, key_value, key_domain};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		pass(p, keys[i]);
	for (size_t i = 0; i < p->set[PAIR_NEW].n; i++)
		if (!p->set[PAIR_NEW].at[i].done)
			say_added(p, &p->set[PAIR_NEW].at[i]);
	for (size_t i = 0; i < p->set[PAIR_OLD].n; i++)
		if (!p->set[PAIR_OLD].at[i].done)
			say_dropped(p, &p->set[PAIR_OLD].at[i]);
}

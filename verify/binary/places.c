/* SPDX-License-Identifier: MIT */
#include "verify/binary/places.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verify/binary/choice.h"

static const char *places_name_of(const struct image_symbol *where)
{
	return where ? where->name : "code without a name";
}

/* Is the call in @function, by any of the names that the place has? */
static bool is_within(const struct symbols *s, const struct call *c, const char *function)
{
	if (!c->where)
		return false;
	for (size_t i = 0; i < s->n_functions; i++)
		if (s->function[i].address == c->where->address &&
		    symbols_same(s->function[i].name, function))
			return true;
	return false;
}

/*
 * Where the plan is for the call in the function's own body, there the call
 * must be, in all its clones.  A site inlined elsewhere leaves no name in the
 * symbol table that it could be compared with.
 */
static bool must_be_within(const struct binary *b, const struct vplan_site *site)
{
	return !b->grafted && !strcmp(site->instance, "00000000");
}

/* A function of this name that other files may call: nothing that is in its source can have been left out. */
static bool is_public(const struct binary *b, const char *name)
{
	for (size_t i = 0; i < b->symbols.n_functions; i++)
		if (b->symbols.function[i].bind == STB_GLOBAL && !strcmp(b->symbols.function[i].name, name))
			return true;
	return false;
}

struct copy *places_copy(struct binary *b, const struct generated_symbol *g, const struct image_symbol *where)
{
	for (size_t i = 0; i < b->n_copies; i++)
		if (b->copy[i].to == g && b->copy[i].where == where)
			return &b->copy[i];
	b->copy = need_more(b->copy, b->n_copies, sizeof(*b->copy));
	b->copy[b->n_copies] = (struct copy){.to = g, .where = where};
	return &b->copy[b->n_copies++];
}

static struct order_of order_of(const struct binary *b, const struct generated_symbol *g,
				const char *const *callee, size_t n, bool after)
{
	return (struct order_of){&b->image, &b->symbols, g, callee, n, after};
}

/* A call that nothing in the executable has the name of: built in, or folded into an equal function. */
static bool is_nameless(const struct binary *b, const struct order_of *o)
{
	for (size_t i = 0; i < o->n_callees; i++)
		if (!strcmp(o->callee[i], "indirect") || target_exists(&b->image, o->callee[i]))
			return false;
	return true;
}

/* One call of o->self at @c; the function round it is decoded once for all its calls. */
static struct order order_at(struct binary *b, const struct order_of *o, const struct call *c,
			     struct body *body, const struct image_symbol **decoded)
{
	struct order r;

	if (!c->where)
		return (struct order){ORDER_UNKNOWN, "the code round it has no name", false};
	if (*decoded != c->where) {
		body_release(body);
		body_read(body, &b->image, &b->symbols, c->where);
		*decoded = c->where;
	}
	r = order_check(o, body, c->from);
	if (r.state == ORDER_WRONG && is_nameless(b, o))
		return (struct order){ORDER_UNKNOWN, "the call it belongs to has no name in the executable",
				      false};
	return r;
}

/* Does the plan have generated function @g on the side of @o of a call of the same name? */
static bool is_like(const struct binary *b, const struct order_of *o, const struct generated_symbol *g)
{
	if (g == o->self || g->kind != GEN_TRIGGER || o->self->kind != GEN_TRIGGER)
		return g == o->self;
	for (size_t i = 0; i < b->plan->n_triggers; i++) {
		const struct vplan_trigger *t = &b->plan->trigger[i];

		if (t->at == VPLAN_CALL && t->number == g->number && t->point == t->number)
			return t->after == o->after && !strcmp(b->plan->site[t->site].callee, o->callee[0]);
	}
	return false;
}

/* One call too many of generated functions says more than the way on which it is seen. */
static void explain(const struct binary *b, const struct order_of *o, const struct call *c,
		    const struct order *r, const struct body *body, char *text, size_t size)
{
	size_t callees = order_callees(o, body), calls = 0, own = 0;

	text[0] = '\0';
	for (size_t i = 0; i < b->calls.n; i++) {
		calls += b->calls.call[i].where == c->where && is_like(b, o, b->calls.call[i].to);
		own += b->calls.call[i].where == c->where && b->calls.call[i].to == o->self;
	}
	if (c->where && body->readable && calls > callees)
		snprintf(text, size,
			 "; `%s` has %zu calls of it and its like, and %zu of `%s`: one belongs to none",
			 c->where->name, calls, callees, o->callee[0]);
	else if (c->where && body->readable && r->past && own > 1)
		snprintf(text, size, "; `%s` calls it %zu times: this one may belong to no call of `%s`",
			 c->where->name, own, o->callee[0]);
}

static void say_wrong(const struct binary *b, const struct order_of *o, const struct call *c,
		      const struct order *r, const struct body *body, struct findings *list)
{
	char extra[256];
	const char *more = o->n_callees > 1 ? " or the like" : "";
	unsigned long long at = c->from;

	explain(b, o, c, r, body, extra, sizeof(extra));
	if (r->past)
		findings_add(list, "%s in `%s` at 0x%llx is left out on a way from `%s`%s to %s%s",
			     o->self->s.name, places_name_of(c->where), at, o->callee[0], more, r->met,
			     extra);
	else
		findings_add(list, "%s is called in `%s` at 0x%llx, but not %s a call of `%s`%s: %s is %s%s",
			     o->self->s.name, places_name_of(c->where), at, o->after ? "after" : "before",
			     o->callee[0], more, r->met, o->after ? "before it" : "next", extra);
}

static void judge_order(struct binary *b, const struct order_of *o, const struct call *c,
			const struct order *r, const struct body *body, struct copy *copy,
			struct findings *list)
{
	copy->calls++;
	if (r->state == ORDER_SHOWN) {
		copy->shown++;
		b->ordered++;
	} else if (r->state == ORDER_WRONG) {
		say_wrong(b, o, c, r, body, list);
	} else {
		findings_add(&b->notes, "that %s in `%s` stands %s its call of `%s`: %s", o->self->s.name,
			     places_name_of(c->where), o->after ? "after" : "before", o->callee[0], r->met);
	}
}

/* All calls of o->self; those outside @function (NULL: anywhere is fine) are counted, and differences if @within. */
static uint32_t each_call(struct binary *b, const struct order_of *o, const struct vplan_site *site,
			  struct findings *list, uint32_t *inside)
{
	const struct image_symbol *decoded = NULL;
	struct body body = {0};
	uint32_t elsewhere = 0;

	for (size_t i = 0; i < b->calls.n; i++) {
		const struct call *c = &b->calls.call[i];
		struct copy *copy;
		struct order r;

		if (c->to != o->self)
			continue;
		r = order_at(b, o, c, &body, &decoded);
		copy = places_copy(b, o->self, c->where);
		copy->own = !site || is_within(&b->symbols, c, site->function);
		judge_order(b, o, c, &r, &body, copy, list);
		*inside += copy->own;
		elsewhere += !copy->own;
		if (!copy->own && must_be_within(b, site))
			findings_add(list,
				     "%s is called in `%s`, the plan has it in `%s` (%s) alone, not inlined",
				     o->self->s.name, places_name_of(c->where), site->function, site->unit);
		else if (!copy->own && r.state == ORDER_UNKNOWN && !r.past && !is_nameless(b, o))
			findings_add(list, "%s in `%s` is not explained by the plan: %s", o->self->s.name,
				     places_name_of(c->where), r.met);
	}
	body_release(&body);
	return elsewhere;
}

/* Which of several equal calls was meant is no matter of code. */
static void add_choices(struct binary *b, const struct order_of *o, const struct vplan_site *site)
{
	for (size_t i = 0; i < b->n_copies; i++) {
		const struct copy *c = &b->copy[i];
		struct body body;

		if (c->to != o->self || !c->where)
			continue;
		body_read(&body, &b->image, &b->symbols, c->where);
		choice_add(b, o, site, c->where, &body);
		body_release(&body);
	}
}

uint32_t places_check(struct binary *b, const struct vplan_site *site, const struct generated_symbol *g,
		      bool after, struct findings *list)
{
	struct order_of o = order_of(b, g, &site->callee, 1, after);
	uint32_t within = 0, elsewhere = each_call(b, &o, site, list, &within);

	add_choices(b, &o, site);
	/* A site in a header may be of an inline function, whose body another unit gave. */
	if (!within && !strcmp(site->instance, "*") && !strcmp(site->file, site->unit) &&
	    is_public(b, site->function))
		findings_add(list, "%s is not called in `%s` (%s), only elsewhere", g->s.name, site->function,
			     site->unit);
	return elsewhere;
}

static const struct image_symbol *main_of(const struct binary *b)
{
	for (size_t i = 0; i < b->symbols.n_functions; i++)
		if (!strcmp(b->symbols.function[i].name, "main"))
			return &b->symbols.function[i];
	return NULL;
}

static void judge_start(struct binary *b, const struct order_of *o, const struct image_symbol *where,
			struct findings *list)
{
	struct body body;
	struct order r;

	body_read(&body, &b->image, &b->symbols, where);
	r = order_first(o, &body);
	body_release(&body);
	if (r.state == ORDER_SHOWN)
		b->ordered++;
	else if (r.state == ORDER_WRONG)
		findings_add(list, "perseus_program_start is not the first call of `main`: %s is before it",
			     r.met);
	else
		findings_add(&b->notes, "that perseus_program_start is the first call of `main`: %s", r.met);
}

void places_check_start(struct binary *b, struct findings *list)
{
	const struct generated_symbol *g = symbols_generated(&b->symbols, GEN_PROGRAM_START, 0);
	const struct image_symbol *where = main_of(b);
	struct order_of o = order_of(b, g, NULL, 0, false);

	for (size_t i = 0; i < b->calls.n; i++) {
		const struct call *c = &b->calls.call[i];
		struct copy *copy;

		if (c->to != g)
			continue;
		copy = places_copy(b, g, c->where);
		copy->own = is_within(&b->symbols, c, "main");
		copy->calls++;
		if (!copy->own)
			findings_add(list, "perseus_program_start is called in `%s`, not in `main`",
				     places_name_of(c->where));
	}
	if (g->calls > 1)
		findings_add(list, "perseus_program_start is called %u times, expected once", g->calls);
	if (where)
		judge_start(b, &o, where, list);
}

/* Each marked creation is closed: a mark left open would count the next creation, too. */
static void check_closed(struct binary *b, struct order_of *open, const struct order_of *close,
			 struct findings *list)
{
	const struct image_symbol *decoded = NULL;
	struct body body = {0};

	for (size_t i = 0; i < b->calls.n; i++) {
		const struct call *c = &b->calls.call[i];
		struct order r;

		if (c->to->kind != GEN_CREATE_BEGIN || !c->where)
			continue;
		if (decoded != c->where) {
			body_release(&body);
			body_read(&body, &b->image, &b->symbols, c->where);
			decoded = c->where;
		}
		open->self = c->to;
		r = order_closed(open, close, &body, c->from);
		if (r.state == ORDER_WRONG && r.past)
			findings_add(
				list,
				"%s in `%s` at 0x%llx is not closed by perseus_create_end: %s comes first",
				c->to->s.name, places_name_of(c->where), (unsigned long long)c->from, r.met);
	}
	body_release(&body);
}

void places_check_end(struct binary *b, const struct vplan *p, struct findings *list)
{
	const struct generated_symbol *g = symbols_generated(&b->symbols, GEN_CREATE_END, 0);
	const char **callee = need(p->n_threads, sizeof(*callee));
	struct order_of o = order_of(b, g, callee, 0, true), open;
	uint32_t inside = 0;

	for (size_t i = 0; i < p->n_threads; i++)
		if (p->thread[i].create)
			callee[o.n_callees++] = p->site[p->thread[i].site].callee;
	open = order_of(b, NULL, callee, o.n_callees, false);
	if (g && o.n_callees) {
		each_call(b, &o, NULL, list, &inside);
		if (!is_nameless(b, &o))
			check_closed(b, &open, &o, list);
	} else if (g && g->calls) {
		findings_add(list, "perseus_create_end is called, but the plan creates no threads");
	}
	free(callee);
}

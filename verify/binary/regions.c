/* SPDX-License-Identifier: MIT */
#include "verify/binary/regions.h"

#include <stdlib.h>
#include <string.h>

#include "verify/binary/order.h"
#include "verify/binary/places.h"
#include "verify/elf/handlers.h"

/* Where a way is. */
enum { BEFORE = 1, INSIDE = 2, BEHIND = 4, WHERES = 3 };

struct place {
	size_t step;
	uint8_t where;
};

/* All ways through one region, from its begin on. */
struct ways {
	struct binary *b;
	const struct vplan_flush *u;
	const struct generated_symbol *begin, *end;
	struct body body;
	uint8_t *seen; /* by step: where ways were there */
	struct place *open;
	size_t n_open;
	struct findings *list;
	bool throws; /* the program has exceptions */
	bool asked;  /* whether one passes is open, and was said */
};

static unsigned long long address_of(const struct ways *x, size_t i)
{
	return (unsigned long long)x->body.step[i].address;
}

static void regions_go(struct ways *x, size_t i, uint8_t where)
{
	if (i == BODY_NONE || i >= x->body.n || x->seen[i] & where)
		return;
	x->seen[i] |= where;
	x->open[x->n_open++] = (struct place){i, where};
}

/* A way ends here for the caller. */
static void regions_leave(struct ways *x, size_t i, uint8_t where, const char *by)
{
	if (where == INSIDE)
		findings_add(x->list, "flush %u: `%s` is left by %s at 0x%llx without perseus_flush_%u_end",
			     x->u->number, x->u->function, by, address_of(x, i), x->u->number);
	else if (where == BEFORE)
		findings_add(x->list, "flush %u: `%s` is left by %s at 0x%llx before perseus_flush_%u_begin",
			     x->u->number, x->u->function, by, address_of(x, i), x->u->number);
}

/* What is called where nothing is flushed: compilers' own, and other generated functions.  False: it does not return. */
static bool call_outside(struct ways *x, size_t i, const struct target *t, uint8_t where)
{
	const char *name = target_name(&x->b->symbols, t);

	if (order_never_returns(name))
		return false;
	if (order_generated(&x->b->symbols, t) || order_is_helper(&x->b->symbols, t))
		return true;
	findings_add(x->list, "flush %u: `%s` at 0x%llx goes to %s %s", x->u->number, x->u->function,
		     address_of(x, i), name,
		     where == BEFORE ? "before the region begins" : "behind the region's end");
	return true;
}

/* An exception that the call at step @i lets through. */
static void check_handler(struct ways *x, size_t i, const char *name)
{
	uint64_t place = 0;
	enum handled h = HANDLED_UNKNOWN;

	if (x->b->has_frames)
		h = handlers_find(&x->b->image, &x->b->frames, x->body.step[i].address, &place);
	if (h == HANDLED_HERE && body_at(&x->body, place) == BODY_NONE)
		h = HANDLED_UNKNOWN;
	if (h == HANDLED_HERE)
		regions_go(x, body_at(&x->body, place), INSIDE);
	else if (h == HANDLED_BEYOND)
		regions_leave(x, i, INSIDE, "an exception");
	else if (h != HANDLED_ENDS && x->throws && !x->asked) {
		x->asked = true;
		findings_add(&x->b->notes,
			     "that no exception leaves `%s` past perseus_flush_%u_end, from the call of %s "
			     "at 0x%llx: "
			     "%s",
			     x->u->function, x->u->number, name, address_of(x, i),
			     h == HANDLED_NOT ? "it was compiled without handlers"
					      : "its table of handlers could not be read");
	}
}

/* Functions behind which something of the program goes on, though they do not return. */
static bool goes_elsewhere(const char *name)
{
	static const char *const list[] = {"exit",    "quick_exit", "pthread_exit", "thrd_exit",
					   "longjmp", "siglongjmp", "_longjmp",     "__longjmp_chk"};

	for (size_t i = 0; i < sizeof(list) / sizeof(*list); i++)
		if (symbols_same(name, list[i]))
			return true;
	return false;
}

/* A call inside the region; false: it does not come back. */
static bool call_inside(struct ways *x, size_t i, const struct target *t)
{
	const char *name = target_name(&x->b->symbols, t);

	if (order_generated(&x->b->symbols, t))
		return true;
	if (goes_elsewhere(name)) {
		regions_leave(x, i, INSIDE, name);
		return false;
	}
	check_handler(x, i, name);
	return !order_never_returns(name);
}

/* Where a way is behind the call of the region's own functions. */
static uint8_t pass_mark(struct ways *x, size_t i, const struct generated_symbol *g, uint8_t where)
{
	if (g == x->begin && where != BEFORE)
		findings_add(x->list, "flush %u: `%s` begins it again at 0x%llx", x->u->number,
			     x->u->function, address_of(x, i));
	if (g == x->end && where != INSIDE)
		findings_add(x->list, "flush %u: `%s` ends it at 0x%llx, where it is not inside",
			     x->u->number, x->u->function, address_of(x, i));
	return g == x->begin ? INSIDE : BEHIND;
}

/* A call, or a jump out of the function. */
static void regions_call(struct ways *x, size_t i, uint8_t where)
{
	const struct insn *s = &x->body.step[i].insn;
	struct target t = target_of(&x->b->image, &x->b->symbols, s);
	const struct generated_symbol *g = order_generated(&x->b->symbols, &t);
	bool is_call = s->flow == FLOW_CALL || s->flow == FLOW_CALL_BY, returns = true;
	uint8_t then = where;

	if (g && (g == x->begin || g == x->end))
		then = pass_mark(x, i, g, where);
	else if (where != INSIDE)
		returns = call_outside(x, i, &t, where);
	else if (is_call)
		returns = call_inside(x, i, &t);
	if (!is_call)
		regions_leave(x, i, then, "a jump");
	if (returns && body_falls(&x->body, i))
		regions_go(x, i + 1, is_call ? then : where);
}

/* The computed jump at step @i, by a table of the function. */
static void regions_switch(struct ways *x, size_t i, uint8_t where)
{
	bool any = false;

	for (size_t k = 0; k < x->body.n_edges; k++)
		if (x->body.edge[k].from == i) {
			regions_go(x, body_at(&x->body, x->body.edge[k].to), where);
			any = true;
		}
	if (!any)
		findings_add(&x->b->notes,
			     "where `%s` goes by the computed jump at 0x%llx, and so all ways out of it",
			     x->u->function, address_of(x, i));
}

static void regions_step(struct ways *x, size_t i, uint8_t where)
{
	const struct insn *s = &x->body.step[i].insn;
	bool jumps = s->flow == FLOW_JUMP || s->flow == FLOW_BRANCH;

	if (s->computes && where != INSIDE)
		findings_add(x->list, "flush %u: `%s` computes at 0x%llx %s", x->u->number, x->u->function,
			     address_of(x, i),
			     where == BEFORE ? "before the region begins" : "behind the region's end");
	if (s->flow == FLOW_STOP) {
		if (s->is_return)
			regions_leave(x, i, where, "a return");
	} else if (s->flow == FLOW_JUMP_BY && !s->slot) {
		regions_switch(x, i, where);
	} else if (s->flow == FLOW_NEXT || (jumps && body_at(&x->body, s->target) != BODY_NONE)) {
		if (jumps)
			regions_go(x, body_at(&x->body, s->target), where);
		if (body_falls(&x->body, i))
			regions_go(x, i + 1, where);
	} else {
		regions_call(x, i, where);
	}
}

static void regions_walk(struct ways *x, const struct image_symbol *f)
{
	body_read(&x->body, &x->b->image, &x->b->symbols, f);
	x->seen = need(x->body.n + 1, sizeof(*x->seen));
	x->open = need(WHERES * x->body.n + 1, sizeof(*x->open));
	if (x->body.readable)
		regions_go(x, body_at(&x->body, x->body.entry), BEFORE);
	else
		findings_add(&x->b->notes, "the ways through `%s`, whose code could not be read", f->name);
	while (x->n_open) {
		struct place p = x->open[--x->n_open];

		regions_step(x, p.step, p.where);
	}
	free(x->seen);
	free(x->open);
	body_release(&x->body);
}

/* Is @f the region, or the part of it that the compiler put elsewhere? */
static bool is_region(const struct ways *x, const struct image_symbol *f)
{
	const struct symbols *s = &x->b->symbols;

	for (size_t i = f ? symbols_at(s, f->address) : s->n_places;
	     i < s->n_places && s->place[i].address == f->address; i++)
		if (flow_is_part(s->place[i].name, x->u->function))
			return true;
	return false;
}

/* Where the region is, NULL if it is not begun in its function; calls elsewhere are differences. */
static const struct image_symbol *find_region(struct ways *x)
{
	const struct image_symbol *found = NULL;

	for (size_t i = 0; i < x->b->calls.n; i++) {
		const struct call *c = &x->b->calls.call[i];

		if (c->to != x->begin && c->to != x->end)
			continue;
		if (is_region(x, c->where)) {
			struct copy *copy = places_copy(x->b, c->to, c->where);

			copy->calls++;
			copy->own = true;
			if (c->to == x->begin)
				found = c->where;
		} else {
			findings_add(x->list, "%s is called in `%s`, the plan has it in `%s` (%s)",
				     c->to->s.name, c->where ? c->where->name : "code without a name",
				     x->u->function, x->u->unit);
		}
	}
	return found;
}

static void regions_check_one(struct ways *x)
{
	size_t wrong = x->list->n, open = x->b->notes.n;
	const struct image_symbol *f;

	x->begin = symbols_generated(&x->b->symbols, GEN_FLUSH_BEGIN, x->u->number);
	x->end = symbols_generated(&x->b->symbols, GEN_FLUSH_END, x->u->number);
	if (!x->begin || !x->end) {
		findings_add(x->list, "flush %u is missing: no function perseus_flush_%u_%s", x->u->number,
			     x->u->number, x->begin ? "end" : "begin");
		return;
	}
	f = find_region(x);
	if (f)
		regions_walk(x, f);
	else
		findings_add(x->list, "flush %u: `%s` (%s) does not call perseus_flush_%u_begin",
			     x->u->number, x->u->function, x->u->unit, x->u->number);
	x->b->regions += x->list->n == wrong && x->b->notes.n == open;
}

bool regions_planned(const struct vplan *p, uint32_t number)
{
	for (size_t i = 0; i < p->n_flushes; i++)
		if (p->flush[i].number == number)
			return true;
	return false;
}

static bool has_any(const struct binary *b, const char *const *name, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (target_exists(&b->image, name[i]))
			return true;
	return false;
}

static bool has_exceptions(const struct binary *b)
{
	static const char *const signs[] = {"__gxx_personality_v0", "__cxa_throw", "_Unwind_RaiseException"};

	for (size_t i = 0; i < b->needed.n; i++)
		if (!strncmp(b->needed.name[i], "libstdc++", 9) || !strncmp(b->needed.name[i], "libc++", 6))
			return true;
	return has_any(b, signs, sizeof(signs) / sizeof(*signs));
}

void regions_check(struct binary *b, const struct vplan *p, struct findings *list)
{
	static const char *const jumps[] = {"longjmp",       "siglongjmp", "_longjmp",
					    "__longjmp_chk", "setcontext", "swapcontext"};

	for (size_t i = 0; i < p->n_flushes; i++) {
		struct ways x = {.b = b, .u = &p->flush[i], .list = list, .throws = has_exceptions(b)};

		regions_check_one(&x);
	}
	if (p->n_flushes && has_any(b, jumps, sizeof(jumps) / sizeof(*jumps)))
		findings_add(&b->notes,
			     "that no longjmp() or change of context leaves a region past its end");
}

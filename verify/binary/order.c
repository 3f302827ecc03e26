/* SPDX-License-Identifier: MIT */
#include "verify/binary/order.h"

#include <stdlib.h>
#include <string.h>

#define STEPS_MAX 100000 /* looked at for one call */

enum meeting { MET_NOTHING, MET_RIGHT, MET_OTHER, MET_POINTER };

/* A walk along the jumps, forward or back, up to the first call on each way. */
struct walk {
	const struct order_of *o;
	const struct body *b;
	bool back;
	bool for_self; /* what is looked for is the generated function, else its callees */
	uint8_t *seen;
	size_t *open, n_open, n_seen;
	bool right, unknown;
	size_t last;       /* a step that met the right one */
	uint8_t *met;      /* by step: it met the right one; NULL: nobody asks */
	const char *other; /* a wrong one, or NULL */
	const char *why;   /* of unknown */
};

static bool in_list(const char *name, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(name, list[i]))
			return true;
	return false;
}

static bool is_copy(const char *name)
{
	static const char *const copies[] = {"memcpy", "memmove", "memset", "memcmp", "mcount", "_mcount"};

	return in_list(name, copies, sizeof(copies) / sizeof(*copies));
}

static bool is_copy_of(const struct symbols *s, const struct target *t)
{
	if (t->import)
		return is_copy(t->import);
	for (size_t i = symbols_at(s, t->address); i < s->n_places && s->place[i].address == t->address; i++)
		if (is_copy(s->place[i].name))
			return true;
	return false;
}

/* Calls that a compiler adds: its own library, structure copies, profiling, sanitizers.  In static programs functions
 * of the C library have names with and without underscores. */
bool order_is_helper(const struct symbols *s, const struct target *t)
{
	bool inner = true;
	size_t i;

	if (is_copy_of(s, t))
		return true;
	if (t->import)
		return !strncmp(t->import, "__", 2);
	for (i = symbols_at(s, t->address); i < s->n_places && s->place[i].address == t->address; i++)
		inner &= !strncmp(s->place[i].name, "__", 2);
	return inner && symbols_at(s, t->address) < s->n_places;
}

bool order_never_returns(const char *name)
{
	static const char *const list[] = {
		"abort",
		"exit",
		"_exit",
		"_Exit",
		"quick_exit",
		"__assert_fail",
		"__chk_fail",
		"pthread_exit",
		"thrd_exit",
		"longjmp",
		"__stack_chk_fail",
		"siglongjmp",
		"__cxa_throw",
		"__cxa_rethrow",
		"_Unwind_Resume",
		"__cxa_bad_cast",
		"_ZSt9terminatev",
		"__longjmp_chk",
	};

	return in_list(name, list, sizeof(list) / sizeof(*list)) ||
	       (!strncmp(name, "_ZSt", 4) && strstr(name, "__throw_"));
}

const struct generated_symbol *order_generated(const struct symbols *s, const struct target *t)
{
	for (size_t i = 0; t->known && !t->import && i < s->n_generated; i++)
		if (s->generated[i].s.address == t->address && s->generated[i].kind < GEN_HASH)
			return &s->generated[i];
	return NULL;
}

/* Is it a call that the generated one belongs to? */
static bool is_callee(const struct order_of *o, const struct target *t)
{
	for (size_t i = 0; i < o->n_callees; i++)
		if (t->known ? target_named(o->symbols, t, o->callee[i]) : !strcmp(o->callee[i], "indirect"))
			return true;
	return false;
}

static bool is_wanted(const struct walk *w, const struct target *t)
{
	if (w->for_self)
		return t->known && !t->import && t->address == w->o->self->s.address;
	return is_callee(w->o, t);
}

/* A compiler may put it there; but not what is asked about, whatever its name: that needs a generated call each time. */
static bool is_added(const struct walk *w, const struct target *t)
{
	if (!order_is_helper(w->o->symbols, t))
		return false;
	return is_copy_of(w->o->symbols, t) || !is_callee(w->o, t);
}

/* Does step @i leave the function, for a call or for good? */
static bool is_event(const struct walk *w, const struct insn *s)
{
	switch (s->flow) {
	case FLOW_CALL:
	case FLOW_CALL_BY:
	case FLOW_JUMP_BY:
		return true;
	case FLOW_JUMP:
	case FLOW_BRANCH:
		return body_at(w->b, s->target) == BODY_NONE;
	default:
		return false;
	}
}

static enum meeting order_meet(const struct walk *w, const struct insn *s, const char **name)
{
	struct target t = target_of(w->o->image, w->o->symbols, s);
	const struct generated_symbol *g = order_generated(w->o->symbols, &t);

	*name = target_name(w->o->symbols, &t);
	if (!t.known && s->flow == FLOW_JUMP_BY)
		return MET_POINTER;
	/* Where compilers join the ways to a call, each brings the trigger of its own site. */
	if (w->for_self && !w->o->after && g && g->kind == w->o->self->kind)
		return MET_RIGHT;
	if (is_wanted(w, &t))
		return MET_RIGHT;
	if (!t.known)
		return MET_POINTER;
	if (g ? g != w->o->self : (s->flow == FLOW_CALL || s->flow == FLOW_CALL_BY) && is_added(w, &t))
		return MET_NOTHING;
	return MET_OTHER;
}

static void open_step(struct walk *w, size_t i)
{
	if (w->seen[i] || ++w->n_seen > STEPS_MAX)
		return;
	w->seen[i] = 1;
	w->open[w->n_open++] = i;
}

static void set_unknown(struct walk *w, const char *why)
{
	w->unknown = true;
	w->why = why;
}

static void order_note(struct walk *w, enum meeting m, size_t i, const char *name)
{
	if (m == MET_RIGHT) {
		w->right = true;
		w->last = i;
		if (w->met)
			w->met[i] = 1;
	} else if (m == MET_OTHER) {
		w->other = name;
	} else if (m == MET_POINTER) {
		set_unknown(w, "a call or jump by a pointer is next to it");
	}
}

static void ahead(struct walk *w, size_t i)
{
	const struct insn *s = &w->b->step[i].insn;
	const char *name;

	if (is_event(w, s)) {
		enum meeting m = order_meet(w, s, &name);

		order_note(w, m, i, name);
		if (m != MET_NOTHING && s->flow != FLOW_BRANCH)
			return;
		if (m == MET_NOTHING && order_never_returns(name))
			return;
	} else if (s->flow == FLOW_STOP) {
		w->other = "the end of the function";
	} else if (s->flow == FLOW_JUMP || s->flow == FLOW_BRANCH) {
		open_step(w, body_at(w->b, s->target));
	}
	if (body_falls(w->b, i))
		open_step(w, i + 1);
}

/* Step @i leads to one that was reached on the way back. */
static void order_behind(struct walk *w, size_t i)
{
	const struct insn *s = &w->b->step[i].insn;
	const char *name;
	enum meeting m;

	if (!is_event(w, s) || s->flow == FLOW_BRANCH || (s->flow == FLOW_JUMP_BY && !s->slot)) {
		open_step(w, i);
		return;
	}
	m = order_meet(w, s, &name);
	if (m != MET_RIGHT && order_never_returns(name))
		return;
	order_note(w, m, i, name);
	if (m == MET_NOTHING)
		open_step(w, i);
}

static void back(struct walk *w, size_t i)
{
	const struct body *b = w->b;
	uint64_t address = b->step[i].address;
	size_t edge = body_edges_to(b, address);
	bool reached = edge < b->n_edges;

	if (address == b->entry) {
		w->other = "the start of the function";
		return;
	}
	for (; edge < b->n_edges && b->edge[edge].to == address; edge++)
		order_behind(w, b->edge[edge].from);
	if (i && body_falls(b, i - 1) && !body_is_padding(b, i - 1)) {
		reached = true;
		order_behind(w, i - 1);
	}
	if (!reached)
		set_unknown(w, "it is reached by a computed jump");
}

static void order_walk(struct walk *w)
{
	while (w->n_open) {
		size_t i = w->open[--w->n_open];

		if (w->back)
			back(w, i);
		else
			ahead(w, i);
	}
	if (w->n_seen > STEPS_MAX)
		set_unknown(w, "the function is too large");
}

static void walk_begin(struct walk *w, const struct order_of *o, const struct body *b, bool to_back,
		       bool for_self)
{
	*w = (struct walk){.o = o, .b = b, .back = to_back, .for_self = for_self};
	w->seen = need(b->n, sizeof(*w->seen));
	w->open = need(b->n, sizeof(*w->open));
}

static struct order walk_end(struct walk *w)
{
	struct order r = {ORDER_SHOWN, NULL, false};

	if (w->other)
		r = (struct order){ORDER_WRONG, w->other, false};
	else if (w->unknown)
		r = (struct order){ORDER_UNKNOWN, w->why, false};
	else if (!w->right)
		r = (struct order){ORDER_WRONG, "no call at all", false};
	free(w->seen);
	free(w->open);
	return r;
}

/* Begin on one side of step @i, which is a call itself. */
static void walk_from(struct walk *w, size_t i)
{
	if (w->back)
		back(w, i);
	else if (body_falls(w->b, i))
		open_step(w, i + 1);
	order_walk(w);
}

/* From the right call at step @i back to the generated one: is there a way past it? */
static struct order check_way(const struct order_of *o, const struct body *b, size_t i)
{
	struct walk w;
	struct order r;

	walk_begin(&w, o, b, !o->after, true);
	walk_from(&w, i);
	r = walk_end(&w);
	/* Compilers join equal ends of code, so the call may be that of another site as well. */
	if (r.state == ORDER_WRONG && !o->after)
		return (struct order){ORDER_UNKNOWN, "another way leads to the same call without it", true};
	if (r.state == ORDER_WRONG)
		r.past = true;
	return r;
}

/* The call that the generated one at @address belongs to; @step: where it is. */
static struct order find_right(const struct order_of *o, const struct body *b, uint64_t address, size_t *step)
{
	size_t i = body_round(b, address);
	struct walk w;

	if (!b->readable || i == BODY_NONE || b->step[i].insn.target != o->self->s.address)
		return (struct order){ORDER_UNKNOWN, "the code round it could not be read", false};
	walk_begin(&w, o, b, o->after, false);
	walk_from(&w, i);
	*step = w.last;
	return walk_end(&w);
}

struct order order_check(const struct order_of *o, const struct body *b, uint64_t address)
{
	size_t step;
	struct order r = find_right(o, b, address, &step);

	return r.state == ORDER_SHOWN ? check_way(o, b, step) : r;
}

struct order order_closed(const struct order_of *open, const struct order_of *close, const struct body *b,
			  uint64_t address)
{
	size_t step;
	struct order r = find_right(open, b, address, &step);

	return r.state == ORDER_SHOWN ? check_way(close, b, step) : r;
}

struct order order_first(const struct order_of *o, const struct body *b)
{
	size_t i = body_at(b, b->entry);
	struct walk w;

	if (!b->readable || i == BODY_NONE)
		return (struct order){ORDER_UNKNOWN, "the code round it could not be read", false};
	walk_begin(&w, o, b, false, true);
	open_step(&w, i);
	order_walk(&w);
	return walk_end(&w);
}

bool order_is_callee(const struct order_of *o, const struct body *b, size_t i)
{
	const struct walk w = {.o = o, .b = b};
	struct target t;

	if (!is_event(&w, &b->step[i].insn))
		return false;
	t = target_of(o->image, o->symbols, &b->step[i].insn);
	return is_wanted(&w, &t);
}

size_t order_callees(const struct order_of *o, const struct body *b)
{
	size_t n = 0;

	for (size_t i = 0; i < b->n; i++)
		n += order_is_callee(o, b, i);
	return n;
}

void order_belongs(const struct order_of *o, const struct body *b, uint64_t address, uint8_t *own)
{
	size_t i = body_round(b, address);
	struct walk w;

	if (!b->readable || i == BODY_NONE || b->step[i].insn.target != o->self->s.address)
		return;
	walk_begin(&w, o, b, o->after, false);
	w.met = own;
	walk_from(&w, i);
	walk_end(&w);
}

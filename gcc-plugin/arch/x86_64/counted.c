/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A loop is counted if it has one exit, whose jump compares a register or a place of
 * the frame with a constant; one instruction of the loop changes that counter, by a
 * constant; and a constant was put there on the only way in.  Then its turns are
 * counted one by one.
 */
#include "gcc-plugin/base/gcc-common.h"
#include "df.h"
#include "gcc-plugin/arch/x86_64/counted.h"

#define TURNS_MOST  100000 /* longer loops are no work between two accesses */
#define BLOCKS_BACK 8      /* so far before the loop its counter may have begun */

struct counter {
	rtx place; /* what counts */
	HOST_WIDE_INT first, step, limit;
	enum rtx_code leave; /* it is left if so: value, limit */
	bool stepped;        /* before it is compared */
};

bool counted_in_frame(const_rtx mem)
{
	rtx base = XEXP(mem, 0);

	if (GET_CODE(base) == PLUS && CONST_INT_P(XEXP(base, 1)))
		base = XEXP(base, 0);
	return REG_P(base) && (REGNO(base) == SP_REG || (REGNO(base) == BP_REG && frame_pointer_needed));
}

static bool counted_same_place(const_rtx a, const_rtx b)
{
	if (REG_P(a) && REG_P(b))
		return REGNO(a) == REGNO(b);
	return MEM_P(a) && MEM_P(b) && rtx_equal_p(XEXP(a, 0), XEXP(b, 0));
}

/* The part of @insn that sets @place, or the flags if it is NULL. */
static rtx set_in(rtx_insn *insn, const_rtx place)
{
	rtx body = PATTERN(insn);
	int n = GET_CODE(body) == PARALLEL ? XVECLEN(body, 0) : 1;

	for (int i = 0; i < n; i++) {
		rtx part = GET_CODE(body) == PARALLEL ? XVECEXP(body, 0, i) : body;

		if (GET_CODE(part) != SET)
			continue;
		if (place ? counted_same_place(SET_DEST(part), place)
			  : REG_P(SET_DEST(part)) && REGNO(SET_DEST(part)) == FLAGS_REG)
			return part;
	}
	return NULL_RTX;
}

struct changed {
	const_rtx place;
	bool yes;
};

static void note_changed(rtx to, const_rtx, void *data)
{
	struct changed *c = (struct changed *)data;

	c->yes |= counted_same_place(to, c->place);
}

static bool changes(rtx_insn *insn, const_rtx place)
{
	struct changed c = {place, CALL_P(insn)};

	note_stores(insn, note_changed, &c);
	return c.yes;
}

/* The only edge out of the loop; NULL: there are several. */
static edge only_exit(hash_set<basic_block> *body)
{
	edge found = NULL, e;
	edge_iterator ei;

	for (basic_block bb : *body)
		FOR_EACH_EDGE(e, ei, bb->succs)
	if (!body->contains(e->dest)) {
		if (found)
			return NULL;
		found = e;
	}
	return found;
}

/* What the jump to @out asks for; the comparison is left in @*flags. */
static bool find_condition(edge out, struct counter *c, rtx_insn **flags)
{
	rtx_insn *jump = BB_END(out->src), *at = jump;
	rtx set, test;

	if (!any_condjump_p(jump) || EDGE_COUNT(out->src->succs) != 2)
		return false;
	set = SET_SRC(pc_set(jump));
	test = XEXP(set, 0);
	c->leave = GET_CODE(test);
	if ((GET_CODE(XEXP(set, 1)) == LABEL_REF) != (out == BRANCH_EDGE(out->src)))
		c->leave = reverse_condition(c->leave);
	if (!REG_P(XEXP(test, 0)) || REGNO(XEXP(test, 0)) != FLAGS_REG || GET_MODE(XEXP(test, 0)) == CCCmode)
		return false;
	while (at != BB_HEAD(out->src)) {
		at = PREV_INSN(at);
		if (NONDEBUG_INSN_P(at) && (set = set_in(at, NULL))) {
			*flags = at;
			return GET_CODE(SET_SRC(set)) == COMPARE && CONST_INT_P(XEXP(SET_SRC(set), 1));
		}
	}
	return false;
}

/* @flags compares the counter, or what it steps to at the same time. */
static bool find_place(rtx_insn *flags, struct counter *c)
{
	rtx compare = SET_SRC(set_in(flags, NULL)), value = XEXP(compare, 0);

	c->limit = INTVAL(XEXP(compare, 1));
	c->place = GET_CODE(value) == PLUS ? XEXP(value, 0) : value;
	if (!REG_P(c->place) && !(MEM_P(c->place) && counted_in_frame(c->place)))
		return false;
	c->stepped = GET_CODE(value) == PLUS;
	return !c->stepped || set_in(flags, c->place);
}

/* One may come from @from to @to within the loop, but not through @without. */
static bool reaches(basic_block from, basic_block to, basic_block without, hash_set<basic_block> *body)
{
	auto_vec<basic_block, 32> pending;
	hash_set<basic_block> seen;
	edge_iterator ei;
	edge e;

	for (pending.safe_push(from); pending.length();) {
		basic_block bb = pending.pop();

		FOR_EACH_EDGE(e, ei, bb->succs)
		{
			if (e->dest == to)
				return true;
			if (e->dest != without && body->contains(e->dest) && !seen.add(e->dest))
				pending.safe_push(e->dest);
		}
	}
	return false;
}

/* The only instruction of the loop that changes the counter adds a constant. */
static bool find_step(basic_block header, hash_set<basic_block> *body, basic_block compares, rtx_insn *flags,
		      struct counter *c)
{
	rtx_insn *insn, *found = NULL;
	basic_block where = NULL;
	rtx set, sum;

	for (basic_block bb : *body)
		FOR_BB_INSNS(bb, insn)
	if (NONDEBUG_INSN_P(insn) && changes(insn, c->place)) {
		if (found)
			return false;
		found = insn;
		where = bb;
	}
	set = found ? set_in(found, c->place) : NULL_RTX;
	sum = set ? SET_SRC(set) : NULL_RTX;
	if (!sum || GET_CODE(sum) != PLUS || !counted_same_place(XEXP(sum, 0), c->place) ||
	    !CONST_INT_P(XEXP(sum, 1)))
		return false;
	c->step = INTVAL(XEXP(sum, 1));
	if (where != header && (reaches(header, header, where, body) || reaches(where, where, header, body)))
		return false;
	if (found == flags)
		return true;
	c->stepped = where != compares && compares != header;
	for (insn = flags; where == compares && insn != PREV_INSN(BB_HEAD(compares)); insn = PREV_INSN(insn))
		c->stepped |= insn == found;
	return true;
}

/* The constant in the counter when the loop is entered. */
static bool find_first(basic_block header, hash_set<basic_block> *body, struct counter *c)
{
	basic_block before = NULL;
	edge_iterator ei;
	rtx_insn *insn;
	edge e;

	FOR_EACH_EDGE(e, ei, header->preds)
	if (!body->contains(e->src)) {
		if (before)
			return false;
		before = e->src;
	}
	for (int i = 0; before && before->index >= NUM_FIXED_BLOCKS && i < BLOCKS_BACK; i++) {
		FOR_BB_INSNS_REVERSE(before, insn)
		if (NONDEBUG_INSN_P(insn) && changes(insn, c->place)) {
			rtx set = single_set(insn);

			if (!set || !counted_same_place(SET_DEST(set), c->place) ||
			    !CONST_INT_P(SET_SRC(set)))
				return false;
			c->first = INTVAL(SET_SRC(set));
			return true;
		}
		before = single_pred_p(before) ? single_pred(before) : NULL;
	}
	return false;
}

static bool leaves(const struct counter *c, HOST_WIDE_INT value)
{
	unsigned bits = GET_MODE_BITSIZE(as_a<scalar_int_mode>(GET_MODE(c->place)));
	HOST_WIDE_INT v = sext_hwi(value, bits), l = sext_hwi(c->limit, bits);
	unsigned HOST_WIDE_INT uv = zext_hwi(value, bits), ul = zext_hwi(c->limit, bits);

	switch (c->leave) {
	case EQ:
		return v == l;
	case NE:
		return v != l;
	case LT:
		return v < l;
	case LE:
		return v <= l;
	case GT:
		return v > l;
	case GE:
		return v >= l;
	case LTU:
		return uv < ul;
	case LEU:
		return uv <= ul;
	case GTU:
		return uv > ul;
	case GEU:
		return uv >= ul;
	default:
		return false;
	}
}

unsigned counted_turns(basic_block header, hash_set<basic_block> *body)
{
	edge out = only_exit(body);
	rtx_insn *flags = NULL;
	struct counter c;

	if (!out || !find_condition(out, &c, &flags) || !find_place(flags, &c) ||
	    !SCALAR_INT_MODE_P(GET_MODE(c.place)) || !find_step(header, body, out->src, flags, &c) ||
	    !find_first(header, body, &c))
		return 0;
	for (unsigned n = 0; n < TURNS_MOST; n++)
		/* Tested in front, the last turn does nothing. */
		if (leaves(&c, c.first + c.step * (HOST_WIDE_INT)(n + c.stepped)))
			return out->src == header && body->elements() > 1 ? n : n + 1;
	return 0;
}

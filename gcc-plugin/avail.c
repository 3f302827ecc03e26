/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An access needs no probe of its own if on every way to it one of the same
 * place has run that is as strong, and no other thread can have been heard of
 * since: available expressions, in one walk, as nothing is taken into a loop.
 * (A probe in front of a loop sees the line once; the loop may meet others there
 * each time.)
 *
 * A neighbour half a line away on the same base most likely lies in the line that
 * is looked at anyway (mem=windows).  It still has bytes of its own, by which true
 * sharing is told from false, so it keeps a probe for bursts.  That is not the
 * default: such a probe comes right behind one that took the line, so it hits, and
 * a hit shows no bytes; fields were missed.
 */
#include "gcc-common.h"
#include "perseus/abi.h"
#include "gcc-plugin/avail.h"
#include "gcc-plugin/hoist.h"

#define WINDOW                                                                                               \
	32 /* bytes from the first to the end of the last; they straddle a line in a quarter of cases at most */

/* A place: at + base + index * step + index2. */
struct spot {
	tree base, index, index2;
	HOST_WIDE_INT step, at;
	unsigned bytes;
	unsigned align;         /* of base, in bytes, as far as known */
	HOST_WIDE_INT misalign; /* bytes of base above that alignment */
	unsigned previous;      /* spot of an equal hash, + 1; 0: none */
};

/* What a spot may have, bits of the bitmaps: 4 * spot + ... */
#define FOR_STORE  1u /* written, not only read */
#define FOR_DIRECT 2u /* by a probe that is awake outside of bursts, too */
#define LEVELS     4u

void avail_begin(struct avail *v, function *fun, bool windows)
{
	memset(v, 0, sizeof(*v));
	v->first = new hash_map<int_hash<unsigned, 0, 1>, unsigned>;
	v->windows = windows;
	bitmap_obstack_initialize(&v->memory);
	v->out.safe_grow_cleared((unsigned)last_basic_block_for_fn(fun), true);
	v->now = BITMAP_ALLOC(&v->memory);
}

void avail_end(struct avail *v)
{
	bitmap_obstack_release(&v->memory);
	v->out.release();
	v->list.release();
	v->spots.release();
	delete v->first;
}

void avail_enter(struct avail *v, basic_block bb)
{
	bool first = true;
	edge_iterator i;
	edge e;

	v->since = v->list.length();
	bitmap_clear(v->now);
	FOR_EACH_EDGE(e, i, bb->preds)
	{
		bitmap out = v->out[e->src->index];

		/* Not visited yet: it closes a loop. */
		if (!out || (e->flags & EDGE_DFS_BACK)) {
			bitmap_clear(v->now);
			return;
		}
		if (first)
			bitmap_copy(v->now, out);
		else
			bitmap_and_into(v->now, out);
		first = false;
	}
}

/* ---- places ---- */

static void from_target_ref(tree ref, struct spot *s)
{
	s->base = TMR_BASE(ref);
	s->index = TMR_INDEX(ref);
	s->index2 = TMR_INDEX2(ref);
	s->step = TMR_STEP(ref) ? signed_value(TMR_STEP(ref)) : 1;
	s->at += signed_value(TMR_OFFSET(ref));
}

/* False: an address that cannot be compared with others. */
static bool make_spot(const struct mem_access *a, struct spot *s)
{
	poly_int64 size, at;
	machine_mode mode;
	int unsigned_p, reverse, vol;
	tree offset, base;

	memset(s, 0, sizeof(*s));
	base = get_inner_reference(a->ref, &size, &at, &offset, &mode, &unsigned_p, &reverse, &vol);
	if (!at.is_constant() || !multiple_p(at, BITS_PER_UNIT))
		return false;
	s->at = at.to_constant() / BITS_PER_UNIT;
	s->bytes = a->bytes;
	s->base = base;
	if (TREE_CODE(base) == TARGET_MEM_REF) {
		if (offset)
			return false;
		from_target_ref(base, s);
	} else {
		unsigned HOST_WIDE_INT place;

		get_object_alignment_1(base, &s->align, &place);
		s->misalign = (HOST_WIDE_INT)(place / BITS_PER_UNIT);
		s->align /= BITS_PER_UNIT;
		s->index = offset;
		if (TREE_CODE(base) == MEM_REF) {
			s->at += signed_value(TREE_OPERAND(base, 1));
			s->misalign -= signed_value(TREE_OPERAND(base, 1));
			s->base = TREE_OPERAND(base, 0);
		}
	}
	return DECL_P(s->base) || TREE_CODE(s->base) == SSA_NAME || TREE_CODE(s->base) == ADDR_EXPR;
}

static bool same(tree a, tree b)
{
	return a == b || (a && b && operand_equal_p(a, b, 0));
}

static bool one_base(const struct spot *a, const struct spot *b)
{
	return a->step == b->step && same(a->base, b->base) && same(a->index, b->index) &&
	       same(a->index2, b->index2);
}

static unsigned hash_of(const struct spot *s)
{
	inchash::hash h;

	inchash::add_expr(s->base, h);
	if (s->index)
		inchash::add_expr(s->index, h);
	if (s->index2)
		inchash::add_expr(s->index2, h);
	return h.end() | 2;
}

/* Number of @s among the spots; it may be new. */
static unsigned intern(struct avail *v, struct spot *s, unsigned *last)
{
	unsigned &head = v->first->get_or_insert(hash_of(s), NULL);

	*last = head;
	for (unsigned i = head; i; i = v->spots[i - 1].previous) {
		struct spot *o = &v->spots[i - 1];

		if (o->at == s->at && o->bytes == s->bytes && one_base(o, s))
			return i - 1;
	}
	s->previous = head;
	v->spots.safe_push(*s);
	head = *last = v->spots.length();
	return head - 1;
}

/* ---- what stands for what ---- */

static bool has(struct avail *v, unsigned spot, unsigned level)
{
	return bitmap_bit_p(v->now, LEVELS * spot + level);
}

static bool holds(const struct spot *outer, const struct spot *inner)
{
	return outer->at <= inner->at && inner->at + inner->bytes <= outer->at + outer->bytes;
}

/* Is the line of @a also that of @b, of the same base, as far as one may assume? */
static bool near(const struct spot *a, const struct spot *b)
{
	HOST_WIDE_INT from = MIN(a->at, b->at), to = MAX(a->at + a->bytes, b->at + b->bytes);
	HOST_WIDE_INT line = 1 << PRS_LINE_SHIFT;

	if (a->align >= line && !a->index)
		return ROUND_DOWN(from + a->misalign, line) == ROUND_DOWN(to - 1 + a->misalign, line);
	return to - from <= WINDOW;
}

/* Does a probe that has run do for @s at @level?  @only_near: one of a neighbour. */
static bool covered(struct avail *v, const struct spot *s, unsigned last, unsigned level, bool only_near)
{
	for (unsigned i = last; i; i = v->spots[i - 1].previous) {
		struct spot *o = &v->spots[i - 1];

		if (has(v, i - 1, level) && (only_near ? near(o, s) : holds(o, s)) && one_base(o, s))
			return true;
	}
	return false;
}

static void set(struct avail *v, unsigned spot, bool store, bool direct)
{
	for (unsigned level = 0; level < LEVELS; level++)
		if ((store || !(level & FOR_STORE)) && (direct || !(level & FOR_DIRECT)))
			bitmap_set_bit(v->now, LEVELS * spot + level);
}

/*
 * A read of the same place in this block becomes a read and write: the line
 * moves once.  The probe that is one now, or NULL.
 */
static struct planned *join_read(struct avail *v, const struct mem_access *a, gimple *stmt, bool burst)
{
	for (unsigned i = v->list.length(); i-- > v->since;) {
		struct planned *p = &v->list[i];

		if (p->acc.fixed || p->acc.kind != PRS_KIND_LOAD || p->acc.bytes != a->bytes ||
		    !operand_equal_p(p->acc.ref, a->ref, OEP_ADDRESS_OF))
			continue;
		p->acc.kind = PRS_KIND_RMW;
		p->source = stmt;
		p->burst &= burst;
		return p;
	}
	return NULL;
}

/*
 * What unrolling has made of one access, side by side: one wide probe at the
 * first.  The bytes are the same, and so is the name.  Where they straddle a line
 * only bursts see the second one.
 */
static void widen(struct avail *v, struct planned *p, unsigned from)
{
	struct spot *s = &v->spots[p->spot - 1];

	for (unsigned i = from; i < v->list.length(); i++) {
		struct planned *q = &v->list[i];
		struct spot *o = q->spot ? &v->spots[q->spot - 1] : NULL;

		if (!o || q->burst || q->acc.kind != p->acc.kind || o->at != s->at + p->acc.bytes ||
		    p->acc.bytes + q->acc.bytes > 1u << PRS_LINE_SHIFT || !one_base(s, o) ||
		    gimple_location(q->source) != gimple_location(p->source))
			continue;
		p->acc.bytes += q->acc.bytes;
		q->burst = true;
	}
}

/* No later access may join the probes of this block. */
static void settle(struct avail *v)
{
	for (unsigned i = v->since; i < v->list.length(); i++) {
		struct planned *p = &v->list[i];

		if (p->spot && !p->burst && gimple_location(p->source) != UNKNOWN_LOCATION)
			widen(v, p, i + 1);
	}
	v->since = v->list.length();
}

void avail_leave(struct avail *v, basic_block bb)
{
	bitmap out = BITMAP_ALLOC(&v->memory);

	settle(v);
	bitmap_copy(out, v->now);
	v->out[bb->index] = out;
}

void avail_forget(struct avail *v)
{
	bitmap_clear(v->now);
	settle(v);
}

void avail_access(struct avail *v, const struct mem_access *a, gimple *stmt, bool burst)
{
	bool store = a->kind != PRS_KIND_LOAD;
	unsigned level = (store ? FOR_STORE : 0) | (burst ? 0 : FOR_DIRECT), n, last, place = 0;
	struct planned *joined = NULL;
	struct spot s;

	if (!a->fixed && make_spot(a, &s)) {
		n = intern(v, &s, &last);
		place = n + 1;
		if (covered(v, &s, last, level, false))
			return;
		if (v->windows && !burst)
			burst = covered(v, &s, last, level, true);
		if (store)
			joined = join_read(v, a, stmt, burst);
		set(v, n, store, joined ? !joined->burst : !burst);
	}
	if (!joined)
		v->list.safe_push(planned{*a, stmt, stmt, burst, place});
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An access needs no probe of its own if on every way to it one of the same
 * place has run that is as strong, and no other thread can have been heard of
 * since: available expressions, in one walk, as nothing is taken into a loop.
 * (A probe in front of a loop sees the line once; the loop may meet others there
 * each time.)
 *
 * A neighbour on the same base most likely lies in the line that is looked at
 * anyway.  It has bytes of its own, by which true sharing is told from false, and
 * they must be seen whenever the line is watched.  So it becomes a part of the
 * probe in front of it if the two always run together: one test for the bytes
 * from the first to the end of the last, for a write if any part is one.  An access
 * that runs only sometimes behind another is no part: it would invent bytes.
 */
#include "gcc-plugin/base/gcc-common.h"
#include "gcc-plugin/arch/probe.h"
#include "perseus/abi.h"
#include "gcc-plugin/passes/avail.h"
#include "gcc-plugin/ranges/evolve.h"
#include "gcc-plugin/ranges/hoist.h"

#define WINDOW   32 /* bytes of a probe whose line is not known: it straddles in half of the cases at most */
#define LOOK_MAX 64 /* places looked at: their number enters squared */

/* What a spot may have, bits of the bitmaps: 4 * spot + ... */
#define FOR_STORE  1u /* written, not only read */
#define FOR_DIRECT 2u /* by a probe that is enabled outside of bursts, too */
#define LEVELS     4u

void avail_begin(struct avail *v, function *fun)
{
	memset(v, 0, sizeof(*v));
	v->first = new hash_map<int_hash<unsigned, 0, 1>, unsigned>;
	bitmap_obstack_initialize(&v->memory);
	v->out.safe_grow_cleared((unsigned)last_basic_block_for_fn(fun), true);
	v->open_out.safe_grow_cleared((unsigned)last_basic_block_for_fn(fun), true);
	v->now = BITMAP_ALLOC(&v->memory);
	v->open = BITMAP_ALLOC(&v->memory);
}

void avail_end(struct avail *v)
{
	bitmap_obstack_release(&v->memory);
	v->out.release();
	v->open_out.release();
	v->list.release();
	v->spots.release();
	delete v->first;
	free_dominance_info(CDI_POST_DOMINATORS);
}

static void meet(bitmap all, const_bitmap one, bool first)
{
	if (first)
		bitmap_copy(all, one);
	else
		bitmap_and_into(all, one);
}

void avail_enter(struct avail *v, basic_block bb)
{
	bool first = true;
	edge_iterator i;
	edge e;

	v->bb = bb;
	v->since = v->list.length();
	bitmap_clear(v->now);
	bitmap_clear(v->open);
	FOR_EACH_EDGE(e, i, bb->preds)
	{
		bitmap out = v->out[e->src->index];

		/* Not visited yet: it closes a loop. */
		if (!out || (e->flags & EDGE_DFS_BACK)) {
			bitmap_clear(v->now);
			bitmap_clear(v->open);
			return;
		}
		meet(v->now, out, first);
		meet(v->open, v->open_out[e->src->index], first);
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

static bool one_base(const struct spot *a, const struct spot *b)
{
	return a->step == b->step && same_value(a->base, b->base) && same_value(a->index, b->index) &&
	       same_value(a->index2, b->index2);
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

/* Does a probe that has run do for @s at @level? */
static bool covered(struct avail *v, const struct spot *s, unsigned last, unsigned level)
{
	for (unsigned i = last; i; i = v->spots[i - 1].previous) {
		struct spot *o = &v->spots[i - 1];

		if (has(v, i - 1, level) && holds(o, s) && one_base(o, s))
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

/* ---- parts ---- */

/* Does whoever comes to block @first come to @then, too, and the other way round? */
static bool run_together(basic_block first, basic_block then)
{
	if (first == then)
		return true;
	if (!dom_info_available_p(CDI_POST_DOMINATORS)) {
		calculate_dominance_info(CDI_DOMINATORS);
		calculate_dominance_info(CDI_POST_DOMINATORS);
	}
	return dominated_by_p(CDI_DOMINATORS, then, first) &&
	       dominated_by_p(CDI_POST_DOMINATORS, first, then);
}

struct reach {
	HOST_WIDE_INT from, to; /* bytes of the base */
	bool loads, stores;     /* some are only read, some written */
};

/* Are the bytes of @r certainly in one line? */
static bool in_one_line(const struct spot *s, const struct reach *r)
{
	HOST_WIDE_INT unit = MIN((HOST_WIDE_INT)s->align, 1 << PRS_LINE_SHIFT);

	return !s->index && unit &&
	       ROUND_DOWN(r->from + s->misalign, unit) == ROUND_DOWN(r->to - 1 + s->misalign, unit);
}

/*
 * May one probe look at @r of the base of @s?  Of two lines both would have to be
 * held for a write, and one that is only read never would be.
 */
static bool fits(const struct spot *s, const struct reach *r)
{
	if (in_one_line(s, r))
		return true;
	return (s->index || s->align < 1u << PRS_LINE_SHIFT) && r->to - r->from <= WINDOW &&
	       !(r->loads && r->stores);
}

static void extend(struct reach *r, HOST_WIDE_INT at, unsigned bytes, bool store)
{
	r->from = MIN(r->from, at);
	r->to = MAX(r->to, at + bytes);
	r->loads |= !store;
	r->stores |= store;
}

/* What probe @h looks at. */
static struct reach reach_of(const struct avail *v, unsigned h)
{
	struct reach r = {HOST_WIDE_INT_MAX, HOST_WIDE_INT_MIN, false, false};

	for (unsigned i = h + 1; i; i = v->list[i - 1].next) {
		const struct planned *p = &v->list[i - 1];

		extend(&r, p->at, p->acc.bytes, p->acc.kind != PRS_KIND_LOAD);
	}
	return r;
}

static bool may_join(const struct avail *v, unsigned h, const struct spot *s, bool store, bool burst)
{
	const struct planned *p = &v->list[h];
	struct reach r;

	if (!bitmap_bit_p(v->open, h) || p->burst != burst || p->n + 1 >= STUB_PARTS_MAX ||
	    !one_base(&v->spots[p->spot - 1], s))
		return false;
	r = reach_of(v, h);
	extend(&r, s->at, s->bytes, store);
	return fits(s, &r) && run_together(gimple_bb(p->stmt), v->bb);
}

/* Number + 1 of the probe that an access at @s can be a part of, not @but; 0: none. */
static unsigned find_head(const struct avail *v, const struct spot *s, unsigned last, bool store, bool burst,
			  unsigned but)
{
	unsigned n = 0;

	for (unsigned i = last; i && n++ < LOOK_MAX; i = v->spots[i - 1].previous) {
		unsigned access = v->spots[i - 1].access, head;

		if (!access)
			continue;
		head = v->list[access - 1].head;
		head = head ? head : access;
		if (head - 1 != but && may_join(v, head - 1, s, store, burst))
			return head;
	}
	return 0;
}

/* Access @i becomes a part of probe @head - 1. */
static void ride(struct avail *v, unsigned i, unsigned head)
{
	struct planned *h = &v->list[head - 1];

	v->list[(h->last ? h->last : head) - 1].next = i + 1;
	v->list[i].head = head;
	h->last = i + 1;
	h->n++;
}

/* Access @i leaves its probe.  If it was the head the next one is. */
static void detach(struct avail *v, unsigned i)
{
	unsigned old = v->list[i].head ? v->list[i].head - 1 : i, head = 0;
	bool open = bitmap_clear_bit(v->open, old);
	auto_vec<unsigned, 8> chain;

	for (unsigned j = old + 1; j; j = v->list[j - 1].next)
		chain.safe_push(j - 1);
	for (unsigned k = 0; k < chain.length(); k++) {
		struct planned *p = &v->list[chain[k]];

		p->head = p->next = p->last = p->n = 0;
		if (chain[k] == i)
			continue;
		if (head)
			ride(v, chain[k], head);
		else
			head = chain[k] + 1;
	}
	if (head && open)
		bitmap_set_bit(v->open, head - 1);
	if (open)
		bitmap_set_bit(v->open, i);
}

/* All accesses of the probe that sees @p are enabled outside of bursts, too. */
static void make_direct(struct avail *v, struct planned *p)
{
	unsigned i = p->head ? p->head : (unsigned)(p - v->list.address()) + 1;

	for (; i; i = v->list[i - 1].next)
		v->list[i - 1].burst = false;
}

/* Access @i, a read up to now, is a read and write.  If its probe cannot be for writes, another one is. */
static void make_write(struct avail *v, unsigned i, unsigned last)
{
	struct planned *p = &v->list[i];
	struct reach r;
	unsigned head;

	p->acc.kind = PRS_KIND_RMW;
	if (!p->spot)
		return;
	r = reach_of(v, p->head ? p->head - 1 : i);
	if (p->head || p->next) {
		if (fits(&v->spots[p->spot - 1], &r))
			return;
		detach(v, i);
	}
	if (!bitmap_bit_p(v->open, i))
		return;
	head = find_head(v, &v->spots[p->spot - 1], last, true, p->burst, i);
	if (head && bitmap_clear_bit(v->open, i))
		ride(v, i, head);
}

/*
 * A read of the same place in this block becomes a read and write: the line
 * moves once.  The access that is one now, or NULL.
 */
static struct planned *join_read(struct avail *v, const struct mem_access *a, gimple *stmt, bool burst,
				 unsigned last)
{
	for (unsigned i = v->list.length(); i-- > v->since;) {
		struct planned *p = &v->list[i];

		if (p->acc.fixed || p->acc.kind != PRS_KIND_LOAD || p->acc.bytes != a->bytes ||
		    !operand_equal_p(p->acc.ref, a->ref, OEP_ADDRESS_OF))
			continue;
		if (!burst)
			make_direct(v, p);
		p->source = stmt;
		make_write(v, i, last);
		return p;
	}
	return NULL;
}

/* A new access, whose place is spot @place - 1. */
static void plan(struct avail *v, const struct mem_access *a, gimple *stmt, bool burst, unsigned place,
		 unsigned last)
{
	struct planned p = {*a, stmt, stmt, burst, place, 0, 0, 0, 0, 0};
	unsigned head = 0;

	if (place) {
		p.at = v->spots[place - 1].at;
		head = find_head(v, &v->spots[place - 1], last, a->kind != PRS_KIND_LOAD, burst, ~0u);
		v->spots[place - 1].access = v->list.length() + 1;
	}
	v->list.safe_push(p);
	if (head)
		ride(v, v->list.length() - 1, head);
	else if (place)
		bitmap_set_bit(v->open, v->list.length() - 1);
}

void avail_leave(struct avail *v, basic_block bb)
{
	v->out[bb->index] = BITMAP_ALLOC(&v->memory);
	bitmap_copy(v->out[bb->index], v->now);
	v->open_out[bb->index] = BITMAP_ALLOC(&v->memory);
	bitmap_copy(v->open_out[bb->index], v->open);
}

void avail_part(struct avail *v)
{
	bitmap_clear(v->open);
}

void avail_forget(struct avail *v)
{
	bitmap_clear(v->now);
	bitmap_clear(v->open);
	v->since = v->list.length();
}

void avail_access(struct avail *v, const struct mem_access *a, gimple *stmt, bool burst)
{
	bool store = a->kind != PRS_KIND_LOAD;
	unsigned level = (store ? FOR_STORE : 0) | (burst ? 0 : FOR_DIRECT), n, last = 0, place = 0;
	struct planned *joined = NULL;
	struct spot s;

	if (!a->fixed && make_spot(a, &s)) {
		n = intern(v, &s, &last);
		place = n + 1;
		if (covered(v, &s, last, level))
			return;
		if (store)
			joined = join_read(v, a, stmt, burst, last);
		set(v, n, store, joined ? !joined->burst : !burst);
	}
	if (!joined)
		plan(v, a, stmt, burst, place, last);
}

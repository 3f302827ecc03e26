/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * before                          after
 *     loop: x[i] = f (x[i])           old = x[0..n-1]
 *                                     loop, without counters
 *                                     if (something was denormal) {
 *                                             x[0..n-1] = old
 *                                             loop, with counters
 *                                     }
 *
 * Only what the loop stores to in each of its turns is written back, so no other thread can have written there.
 */
#include "gcc-plugin/gate/undo.h"
#include "gcc-plugin/arch/denormal.h"
#include "gcc-plugin/denormal/test.h"
#include "gcc-plugin/gate/gate.h"

#define BYTES 2048 /* that are kept of a round; a few lines of the cache */

bool undo_add(struct gate_undo *u, tree begin, HOST_WIDE_INT step)
{
	if (u->n == UNDO_PARTS)
		return false;
	u->part[u->n++] = {begin, step, NULL_TREE, NULL_TREE, NULL_TREE};
	u->each += (unsigned)absu_hwi(step);
	return true;
}

unsigned undo_turns(const struct gate_undo *u)
{
	return u->n ? BYTES / u->each : ~0u;
}

static tree buffer_of(struct gate_undo *u)
{
	if (!*u->buffer) {
		*u->buffer =
			create_tmp_var_raw(build_array_type_nelts(unsigned_char_type_node, BYTES), "before");
		gimple_add_tmp_var(*u->buffer);
		TREE_ADDRESSABLE(*u->buffer) = 1;
		SET_DECL_ALIGN(*u->buffer, 64 * BITS_PER_UNIT);
		DECL_USER_ALIGN(*u->buffer) = 1;
	}
	return *u->buffer;
}

static tree word_const(HOST_WIDE_INT n)
{
	return build_int_cst(uint64_type_node, n);
}

/* The first byte that the round stores to. */
static tree lowest(gimple_seq *seq, const struct undo_part *p, tree turns, tree done)
{
	tree type = uint64_type_node, at = p->begin, first = done;

	if (p->step < 0) {
		first = gimple_build(seq, PLUS_EXPR, type, turns, word_const(-1));
		first = done ? gimple_build(seq, PLUS_EXPR, type, first, done) : first;
	}
	if (!first)
		return at;
	first = gimple_build(seq, MULT_EXPR, type, first, word_const(p->step));
	return gimple_build(seq, PLUS_EXPR, type, at, first);
}

void undo_keep(struct gate_undo *u, basic_block bb, tree turns, tree done, tree go)
{
	tree buffer = u->n ? buffer_of(u) : NULL_TREE;
	HOST_WIDE_INT room = 0;
	gimple_seq seq = NULL;

	if (u->n)
		turns = gimple_build(&seq, MIN_EXPR, uint64_type_node, turns, word_const(undo_turns(u)));
	if (u->n && go)
		turns = gimple_build(&seq, BIT_AND_EXPR, uint64_type_node, turns,
				     den_widen(&seq, go, uint64_type_node));
	for (unsigned i = 0; i < u->n; i++) {
		struct undo_part *p = &u->part[i];
		HOST_WIDE_INT size = (HOST_WIDE_INT)absu_hwi(p->step);

		p->at = gimple_convert(&seq, ptr_type_node, lowest(&seq, p, turns, done));
		p->bytes = gimple_build(&seq, MULT_EXPR, uint64_type_node, turns, word_const(size));
		p->bytes = gimple_convert(&seq, size_type_node, p->bytes);
		p->copy = build1(ADDR_EXPR, ptr_type_node,
				 build2(MEM_REF, char_type_node, build1(ADDR_EXPR, ptr_type_node, buffer),
					build_int_cst(ptr_type_node, room)));
		room += size * undo_turns(u);
		gimple_seq_add_stmt_without_update(&seq, asm_den_move(p->copy, p->at, p->bytes));
	}
	gate_append(bb, seq);
}

void undo_back(const struct gate_undo *u, basic_block bb)
{
	gimple_seq seq = NULL;

	for (unsigned i = 0; i < u->n; i++)
		gimple_seq_add_stmt_without_update(
			&seq, asm_den_move(u->part[i].at, u->part[i].copy, u->part[i].bytes));
	gate_append(bb, seq);
}

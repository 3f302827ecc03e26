/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gcc-plugin/base/gcc-common.h"
#include "gcc-plugin/arch/denormal.h"
#include "gcc-plugin/denormal/table.h"

tree den_table(gimple_seq *seq)
{
	tree table;

	gimple_seq_add_stmt_without_update(seq, asm_den_table(&table));
	return table;
}

void den_table_add(gimple_seq *seq, tree table, unsigned slot, tree count)
{
	tree place = build2(MEM_REF, uint64_type_node, table, build_int_cst(ptr_type_node, slot * 8));
	tree old = make_ssa_name(uint64_type_node), sum;

	gimple_seq_add_stmt_without_update(seq, gimple_build_assign(old, place));
	sum = gimple_build(seq, PLUS_EXPR, uint64_type_node, old, count);
	gimple_seq_add_stmt_without_update(seq, gimple_build_assign(unshare_expr(place), sum));
}

void den_table_array(gimple_seq *seq, const struct den_mark *m, tree address, tree count)
{
	if (!address)
		return;
	address = integer_onep(address) ? build_zero_cst(pointer_sized_int_node)
					: gimple_convert(seq, pointer_sized_int_node, address);
	gimple_seq_add_stmt_without_update(seq,
					   asm_den_array(den_site_address(m->site), address,
							 gimple_convert(seq, pointer_sized_int_node, count)));
}

basic_block den_seldom(basic_block bb, tree value)
{
	gcond *cond =
		gimple_build_cond(NE_EXPR, value, build_zero_cst(TREE_TYPE(value)), NULL_TREE, NULL_TREE);

	return insert_cond_bb(bb, GCC_LAST_STMT(bb), cond, profile_probability::very_unlikely());
}

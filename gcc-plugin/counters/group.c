/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gcc-plugin/base/gcc-common.h"
#include "gcc-plugin/denormal/call.h"
#include "gcc-plugin/denormal/count.h"
#include "gcc-plugin/denormal/fuse.h"
#include "gcc-plugin/denormal/test.h"
#include "gcc-plugin/origin/flow.h"
#include "gcc-plugin/counters/group.h"

#define GROUP_MAX 64

void den_group_places(vec<den_mark> *marks)
{
	for (unsigned i = 0; i < marks->length(); i++) {
		struct den_mark *m = &(*marks)[i];
		gimple *access = NULL;

		if (m->address || !m->value || TREE_CODE(m->value) != SSA_NAME)
			continue;
		if (m->site->kind == PRS_DEN_STORE)
			access = den_flow_store_of(m);
		else if (m->site->kind == PRS_DEN_LOAD)
			access = SSA_NAME_DEF_STMT(m->value);
		if (access && is_gimple_assign(access) &&
		    (gimple_store_p(access) || gimple_assign_load_p(access)))
			m->address = den_mark_variable(m, access);
	}
}

unsigned den_group_end(const vec<den_mark> *marks, unsigned from)
{
	gimple_stmt_iterator gsi = gsi_for_stmt((*marks)[from].stmt);
	unsigned end = from + 1;

	for (gsi_next(&gsi); !gsi_end_p(gsi) && end < marks->length() && end - from < GROUP_MAX;
	     gsi_next(&gsi)) {
		if (gsi_stmt(gsi) == (*marks)[end].stmt)
			end++;
		else if (den_may_leave(gsi_stmt(gsi)))
			break;
	}
	return end;
}

/* Whether anything that the marks are about is denormal. */
static tree any_of(gimple_seq *seq, const vec<den_mark> *marks, unsigned from, unsigned to)
{
	struct den_any any = {};
	hash_set<tree> seen;

	for (unsigned m = from; m < to; m++)
		for (unsigned i = 0; i <= DEN_OPERANDS; i++) {
			tree value = den_mark_about(&(*marks)[m], i);
			unsigned n = value && !seen.add(value) ? den_lanes(TREE_TYPE(value)) : 0;

			for (unsigned lane = 0; lane < n; lane++)
				den_any_add(&any, seq, value, lane);
		}
	return den_any_end(&any, seq);
}

void den_group_count(struct den_count *c, const vec<den_mark> *marks, unsigned from, unsigned to)
{
	gimple *last = (*marks)[to - 1].stmt;
	gimple_stmt_iterator gsi = gsi_for_stmt(last);
	den_known tests, leaves;
	gimple_seq hot = NULL;
	tree any = any_of(&hot, marks, from, to);
	basic_block bb;

	if (!any || integer_zerop(any))
		return;
	c->seq = NULL;
	c->test = den_test_here;
	c->tests = &tests;
	c->leaves = &leaves;
	if (c->call)
		den_call_begin(c);
	for (unsigned m = from; m < to; m++) {
		c->mark = &(*marks)[m];
		den_count(c, c->mark);
		if (c->flow)
			den_flow_here(c, c->mark);
		if (c->call && den_call_full(c->call))
			den_call_end(c);
	}
	if (c->call)
		den_call_end(c);
	gsi_insert_seq_before(&gsi, hot, GSI_SAME_STMT);
	/* A constant is denormal. */
	if (TREE_CODE(any) != SSA_NAME) {
		gsi_insert_seq_before(&gsi, c->seq, GSI_SAME_STMT);
		return;
	}
	bb = den_fuse_split(last)->src;
	bb = den_seldom(bb, any);
	gsi = gsi_last_bb(bb);
	gsi_insert_seq_after(&gsi, c->seq, GSI_NEW_STMT);
}

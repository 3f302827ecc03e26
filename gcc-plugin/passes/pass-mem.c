/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pass-mem: a probe in front of every load and store that other threads could
 * see.
 *
 * before                          after
 *     _1 = p->a;                      memory probe 7 (p->a) RMW;
 *     p->a = _1 + 1;                  _1 = p->a;
 *     _2 = p->a;                      p->a = _1 + 1;
 *     f ();                           _2 = p->a;
 *     _3 = p->a;                      f ();
 *                                     memory probe 8 (p->a) load;
 *                                     _3 = p->a;
 *
 * Runs once per function before "tsan0": it sees the accesses that the
 * optimised code really makes, vectorised ones as one wide access.
 *
 * Left out, because no other thread can meet there: locals that do not escape,
 * constants, thread-local variables whose address goes nowhere.  Left out and listed, as
 * they have no address: hard registers, other address spaces, masked vector
 * accesses.
 *
 * A probe is dropped if on every way to it one of the same place has run that is
 * as strong (avail.c).  A read and then a write in one block become one
 * read-modify-write at the first place, since the line moves once.  Neighbours
 * that always run together are parts of one probe at the first place.  What a
 * range probe in front of the loop stands for (hoist.c) is enabled in bursts only.
 *
 * The probe takes the access itself as memory operand, so that one address
 * computation can serve both.
 */
#include "gcc-plugin/base/gcc-common.h"
#include "gcc-plugin/base/bodies.h"
#include "perseus/abi.h"
#include "gcc-plugin/data/access.h"
#include "gcc-plugin/arch/probe.h"
#include "gcc-plugin/passes/avail.h"
#include "gcc-plugin/data/local.h"
#include "gcc-plugin/choice/dump.h"
#include "gcc-plugin/ranges/hoist.h"
#include "gcc-plugin/data/lanes.h"
#include "gcc-plugin/data/libcall.h"
#include "gcc-plugin/passes/loops.h"
#include "gcc-plugin/sites/mem-site.h"
#include "gcc-plugin/data/operand.h"
#include "gcc-plugin/choice/options.h"
#include "gcc-plugin/base/pass.h"
#include "gcc-plugin/ranges/quiet.h"
#include "gcc-plugin/sites/select.h"

/* One access of a probe. */
struct part {
	const struct planned *p;
	unsigned site;
};

static bool is_masked(gimple *stmt)
{
	if (!gimple_call_internal_p(stmt))
		return false;
	switch (gimple_call_internal_fn(stmt)) {
	case IFN_MASK_LOAD:
	case IFN_MASK_STORE:
	case IFN_GATHER_LOAD:
	case IFN_MASK_GATHER_LOAD:
	case IFN_SCATTER_STORE:
	case IFN_MASK_SCATTER_STORE:
	case IFN_LOAD_LANES:
	case IFN_STORE_LANES:
		return true;
	default:
		return false;
	}
}

/* Calls that are no barriers, but may leave the function all the same; and traps that are caught. */
static bool may_end_here(gimple *stmt, function *fun)
{
	return stmt_can_throw_external(fun, stmt) ||
	       (is_gimple_call(stmt) && gimple_call_flags(stmt) & (ECF_NORETURN | ECF_LOOPING_CONST_OR_PURE));
}

/* So many bytes from a pointer on, as a call is told: a probe of its own in front of the call. */
static void emit_span(gimple *stmt, const struct mem_access *a, function *fun)
{
	gimple_stmt_iterator gsi = gsi_for_stmt(stmt);
	tree first;
	unsigned site;
	gimple *probe;

	if (TREE_CODE(a->ref) != MEM_REF || !mem_site(a, stmt, fun, &site))
		return;
	/* It may have been folded to a place in the variable. */
	first = fold_build_pointer_plus(fold_convert(ptr_type_node, unshare_expr(TREE_OPERAND(a->ref, 0))),
					fold_convert(sizetype, TREE_OPERAND(a->ref, 1)));
	first = force_gimple_operand_gsi(&gsi, first, true, NULL_TREE, true, GSI_SAME_STMT);
	probe = asm_span(site, first,
			 force_gimple_operand_gsi(&gsi, fold_convert(size_type_node, a->length), true,
						  NULL_TREE, true, GSI_SAME_STMT),
			 PRS_ACCESS(a->kind, 0) | PRS_RANGE_DENSE);
	gimple_set_location(probe, gimple_location(stmt));
	gsi_insert_before(&gsi, probe, GSI_SAME_STMT);
	dump_note(fun, stmt, "%c span", PRS_KIND_LETTERS[a->kind]);
	mem_no_red_zone();
}

/* Of a vector load only the elements that the program uses. */
static void avail_elements(struct avail *v, const struct mem_access *a, gimple *stmt, bool burst)
{
	struct mem_access used[LANES_MAX];
	int n = lanes_used(stmt, a, used);

	if (n < 0)
		avail_access(v, a, stmt, burst);
	for (int i = 0; i < n; i++)
		avail_access(v, &used[i], stmt, burst);
}

static void look_at(gimple *stmt, function *fun, struct avail *v)
{
	struct mem_access acc[ACCESS_MAX];
	unsigned n = access_collect(stmt, acc), own;
	const char *chosen = n ? select_access(stmt, fun) : NULL;

	/* Its callers have the probe. */
	if (libcall_operator(fun->decl, &own))
		n = 0;
	for (unsigned i = 0; i < n; i++) {
		const char *reason = access_skip_reason(&acc[i]);
		enum hoisted by;

		if (!reason)
			reason = chosen;
		if (!reason && GCC_RETURNS_TWICE_FIRST && is_gimple_call(stmt) &&
		    (gimple_call_flags(stmt) & ECF_RETURNS_TWICE))
			reason = "returns-twice";
		if (reason && *reason)
			mem_skip(stmt, fun, reason);
		if (reason)
			continue;
		if (acc[i].length) {
			emit_span(stmt, &acc[i], fun);
			continue;
		}
		if (acc[i].locked)
			acc[i].kind = PRS_KIND_ATOMIC;
		by = hoist_covers(stmt, &acc[i]);
		if (by == HOIST_NOT || by == HOIST_RANGE)
			avail_elements(v, &acc[i], stmt, by == HOIST_RANGE);
	}
	if (is_gimple_call(stmt) && is_masked(stmt))
		mem_skip(stmt, fun, "masked");
	if (stmt_may_synchronise(stmt))
		avail_forget(v);
	else if (may_end_here(stmt, fun))
		avail_part(v);
}

/* Sites for @p and what rides on it, as parts that begin at p->at (or before it); their number. */
static unsigned name_parts(const struct avail *v, const struct planned *p, function *fun, struct part *parts)
{
	unsigned n = 0, i = 0;

	do {
		struct part *part = &parts[n];

		part->p = i ? &v->list[i - 1] : p;
		if (mem_site(&part->p->acc, part->p->source, fun, &part->site))
			n++;
		i = part->p->next;
	} while (i);
	return n;
}

/* The bytes of the @n parts, from *@low on, and what the test has to ask for. */
static unsigned join_parts(const struct part *parts, unsigned n, const struct planned **low)
{
	HOST_WIDE_INT end = 0;
	unsigned kind = PRS_KIND_LOAD;

	*low = parts[0].p;
	for (unsigned i = 0; i < n; i++) {
		const struct planned *p = parts[i].p;

		if (p->at < (*low)->at)
			*low = p;
		if (!i || p->at + p->acc.bytes > end)
			end = p->at + p->acc.bytes;
		if (p->acc.kind != PRS_KIND_LOAD)
			kind = PRS_KIND_STORE;
	}
	return PRS_ACCESS(kind, end - (*low)->at);
}

/* Number that stands for the parts in the place of a site. */
static unsigned number_of(const struct part *parts, unsigned n, const struct planned *low, unsigned bytes)
{
	uint32_t list[STUB_PARTS_MAX];

	for (unsigned i = 0; i < n; i++) {
		const struct planned *p = parts[i].p;

		stub_access(parts[i].site, PRS_ACCESS(p->acc.kind, p->acc.bytes));
		list[i] = PRS_PART(parts[i].site, p->at - low->at, i == n - 1);
	}
	return stub_parts(list, n, bytes);
}

static void emit(const struct avail *v, const struct planned *p, function *fun)
{
	gimple_stmt_iterator gsi;
	struct part parts[STUB_PARTS_MAX];
	const struct planned *low;
	unsigned n = name_parts(v, p, fun, parts), site, access;
	gimple *probe, *at = p->stmt;
	tree operand;

	if (!n)
		return;
	for (unsigned i = 0; i < n; i++)
		dump_note(fun, parts[i].p->source, "%c %s probe%s%s", PRS_KIND_LETTERS[parts[i].p->acc.kind],
			  p->burst ? "burst" : "direct",
			  bb_loop_depth(gimple_bb(p->stmt)) ? " in a loop" : "", i ? ", a part" : "");
	low = parts[0].p;
	site = parts[0].site;
	access = PRS_ACCESS(low->acc.kind, low->acc.bytes);
	if (n > 1) {
		access = join_parts(parts, n, &low);
		site = number_of(parts, n, low, PRS_ACCESS_BYTES(access));
	}
	operand = operand_of(low->acc.ref, &at);
	probe = asm_mem(site, operand, access, p->burst ? MEM_BURST : MEM_DIRECT);
	gimple_set_location(probe, gimple_location(p->stmt));
	/* The probe sees memory as the access does: no SSA update is needed. */
	if (gimple_vuse(p->stmt))
		gimple_set_vuse(probe, gimple_vuse(p->stmt));
	gsi = gsi_for_stmt(at);
	mem_insert(&gsi, probe, low->acc.ref, false);
}

static void look_at_block(basic_block bb, function *fun, struct avail *v)
{
	avail_enter(v, bb);
	for (gimple_stmt_iterator gsi = gsi_start_bb(bb); !gsi_end_p(gsi); gsi_next(&gsi))
		if (!is_gimple_debug(gsi_stmt(gsi)))
			look_at(gsi_stmt(gsi), fun, v);
	avail_leave(v, bb);
}

static unsigned mem_execute(function *fun)
{
	auto_vec<int> order;
	struct avail v;
	int n;

	quiet_note(fun);
	if (select_impossible(fun) || bodies_of(fun->decl) == BODY_PLAIN)
		return 0;
	order.safe_grow((unsigned)n_basic_blocks_for_fn(fun), true);
	mark_dfs_back_edges();
	n = pre_and_rev_post_order_compute_fn(fun, NULL, order.address(), false);
	avail_begin(&v, fun);
	for (int i = 0; i < n; i++)
		look_at_block(BASIC_BLOCK_FOR_FN(fun, order[(unsigned)i]), fun, &v);
	for (unsigned i = 0; i < v.list.length(); i++)
		if (!v.list[i].head)
			emit(&v, &v.list[i], fun);
	if (v.list.length() || hoist_any())
		mem_no_red_zone();
	avail_end(&v);
	return loops_split(fun) ? TODO_cleanup_cfg : 0;
}

static const pass_data mem_data = {
	GIMPLE_PASS, "perseus-mem", OPTGROUP_NONE, TV_NONE, PROP_cfg | PROP_ssa, 0, 0, 0, 0,
};

namespace
{
class pass_mem : public gimple_opt_pass
{
      public:
	pass_mem(gcc::context *ctxt) : gimple_opt_pass(mem_data, ctxt)
	{
	}
	bool gate(function *) final override
	{
		return prs_opt.memory && !seen_error();
	}
	unsigned int execute(function *fun) final override
	{
		return mem_execute(fun);
	}
};
} // namespace

gimple_opt_pass *make_pass_mem(gcc::context *ctxt)
{
	mem_site_install();
	local_install();
	return new pass_mem(ctxt);
}

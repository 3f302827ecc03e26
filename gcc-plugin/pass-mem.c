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
 * constants, thread-local variables named directly.  Left out and listed, as
 * they have no address: bit-fields, hard registers, other address spaces,
 * masked vector accesses.  In one block, and up to the next call, a second
 * probe of the same place is dropped if the first is as strong; a read and then
 * a write become one read-modify-write at the first place, since the line moves
 * once.  Nothing is hoisted out of loops.
 *
 * The probe takes the access itself as memory operand, so that one address
 * computation can serve both.
 */
#include "gcc-common.h"
#include "perseus/abi.h"
#include "gcc-plugin/access.h"
#include "gcc-plugin/asm-x86.h"
#include "gcc-plugin/loops.h"
#include "gcc-plugin/options.h"
#include "gcc-plugin/pass.h"
#include "gcc-plugin/select.h"
#include "gcc-plugin/sites.h"

/* A probe that is going to stand before @stmt. */
struct planned {
	struct mem_access acc;
	gimple *stmt;   /* the probe stands before it */
	gimple *source; /* the site is told by this one (the write of a pair) */
	bool live;      /* may still cover later accesses */
};

static void list_skipped(gimple *stmt, function *fun, const char *reason)
{
	struct where w;

	where_is(stmt, fun, &w);
	sites_skip("mem", reason, &w, "-", "-");
}

/* Only a reference whose address the assembler can write is an operand. */
static tree operand_of(tree ref)
{
	while (TREE_CODE(ref) == REALPART_EXPR || TREE_CODE(ref) == IMAGPART_EXPR ||
	       TREE_CODE(ref) == BIT_FIELD_REF || TREE_CODE(ref) == VIEW_CONVERT_EXPR)
		ref = TREE_OPERAND(ref, 0);
	return unshare_expr(ref);
}

static bool same_place(const struct mem_access *a, const struct mem_access *b)
{
	return a->bytes == b->bytes && operand_equal_p(a->ref, b->ref, OEP_ADDRESS_OF);
}

/* Does an earlier probe make this one needless?  It may have to grow. */
static bool merged(vec<planned> *list, const struct mem_access *a, gimple *stmt)
{
	for (unsigned i = list->length(); i-- > 0;) {
		struct planned *p = &(*list)[i];

		if (!p->live)
			break;
		if (p->acc.fixed || a->fixed || !same_place(&p->acc, a))
			continue;
		if (a->kind == PRS_KIND_STORE && p->acc.kind == PRS_KIND_LOAD) {
			p->acc.kind = PRS_KIND_RMW;
			p->source = stmt;
		}
		return true;
	}
	return false;
}

static void forget(vec<planned> *list)
{
	for (unsigned i = list->length(); i-- > 0 && (*list)[i].live;)
		(*list)[i].live = false;
}

/* Behind these another thread may have had the line in between. */
static bool may_synchronise(gimple *stmt)
{
	if (gimple_code(stmt) == GIMPLE_ASM)
		return gimple_asm_clobbers_memory_p(as_a<gasm *>(stmt)) ||
		       gimple_asm_volatile_p(as_a<gasm *>(stmt));
	if (!is_gimple_call(stmt))
		return false;
	return !(gimple_call_flags(stmt) & (ECF_CONST | ECF_PURE)) || gimple_has_volatile_ops(stmt);
}

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

static void look_at(gimple *stmt, function *fun, vec<planned> *list)
{
	struct mem_access acc[ACCESS_MAX];
	unsigned n = access_collect(stmt, acc);
	const char *chosen = n ? select_access(stmt, fun) : NULL;

	for (unsigned i = 0; i < n; i++) {
		const char *reason = access_skip_reason(&acc[i]);

		if (!reason)
			reason = chosen;
		if (!reason && GCC_RETURNS_TWICE_FIRST && is_gimple_call(stmt) &&
		    (gimple_call_flags(stmt) & ECF_RETURNS_TWICE))
			reason = "returns-twice";
		if (reason && *reason)
			list_skipped(stmt, fun, reason);
		if (!reason && !merged(list, &acc[i], stmt))
			list->safe_push(planned{acc[i], stmt, stmt, true});
	}
	if (is_gimple_call(stmt) && is_masked(stmt))
		list_skipped(stmt, fun, "masked");
	if (may_synchronise(stmt))
		forget(list);
}

/* Static variables whose address nothing takes but the probes of this function. */
static vec<tree> borrowed;

/*
 * GCC takes the address of an asm's memory operand as taken, in the whole unit.
 * A function compiled later would lose what is known of a variable whose address
 * nobody takes: worse code, and other decisions (which `new` may be dropped).
 * A probe only names the place; so the mark is taken back, here for the rest of
 * the function, and when it is done, as any pass that updates the probe renews it.
 */
static void insert_probe(gimple_stmt_iterator *gsi, gimple *probe, tree ref)
{
	tree base = get_base_address(ref);
	bool lend = base && VAR_P(base) && is_global_var(base) && !TREE_ADDRESSABLE(base);

	gsi_insert_before(gsi, probe, GSI_SAME_STMT);
	if (!lend)
		return;
	TREE_ADDRESSABLE(base) = 0;
	borrowed.safe_push(base);
}

static void give_back(void *, void *)
{
	for (unsigned i = 0; i < borrowed.length(); i++)
		TREE_ADDRESSABLE(borrowed[i]) = 0;
	borrowed.truncate(0);
}

/* @split: in a loop that exists without probes, too. */
static void emit(const struct planned *p, function *fun, bool split)
{
	gimple_stmt_iterator gsi = gsi_for_stmt(p->stmt);
	struct described d;
	struct mem_fact *fact;
	struct where w;
	gimple *probe;
	bool near;
	unsigned site;
	char kind = "LSRA"[p->acc.kind];

	where_is(p->source, fun, &w);
	access_describe(p->acc.says, false, &d);
	fact = where_mem(&w, kind == 'R' ? 'S' : kind, p->acc.bytes, d.root, d.place, &near);
	if (const char *reason = select_mem_site(fact, &w)) {
		sites_skip("mem", reason, &w, "-", fact->site);
		return;
	}
	site = sites_mem(&w, fact, kind, p->acc.bytes, near ? SITE_NEAR : 0);
	probe = asm_mem(site, operand_of(p->acc.ref), PRS_ACCESS(p->acc.kind, p->acc.bytes), split);
	gimple_set_location(probe, gimple_location(p->stmt));
	/* The probe sees memory as the access does: no SSA update is needed. */
	if (gimple_vuse(p->stmt))
		gimple_set_vuse(probe, gimple_vuse(p->stmt));
	insert_probe(&gsi, probe, p->acc.ref);
}

static unsigned mem_execute(function *fun)
{
	auto_vec<planned, 64> list;
	auto_bitmap asleep, awake;
	basic_block bb;
	bool split;

	if (pass_skip_function(fun))
		return 0;
	split = !select_function(fun) && loops_split(fun, asleep, awake);
	FOR_EACH_BB_FN(bb, fun)
	{
		list.truncate(0);
		if (bitmap_bit_p(asleep, bb->index))
			continue;
		for (gimple_stmt_iterator gsi = gsi_start_bb(bb); !gsi_end_p(gsi); gsi_next(&gsi))
			if (!is_gimple_debug(gsi_stmt(gsi)))
				look_at(gsi_stmt(gsi), fun, &list);
		for (unsigned i = 0; i < list.length(); i++)
			emit(&list[i], fun, bitmap_bit_p(awake, bb->index));
	}
	return split ? TODO_cleanup_cfg : 0;
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
	register_callback("perseus", PLUGIN_ALL_PASSES_END, give_back, NULL);
	return new pass_mem(ctxt);
}

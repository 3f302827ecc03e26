/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gcc-plugin/base/gcc-common.h"
#include "perseus/abi.h"
#include "gcc-plugin/base/callee.h"
#include "gcc-plugin/sites/mem-site.h"
#include "gcc-plugin/sites/select.h"
#include "gcc-plugin/sites/sites.h"

void mem_skip(gimple *stmt, function *fun, const char *reason)
{
	struct where w;

	where_is(stmt, fun, &w);
	sites_skip("mem", reason, &w, "-", "-");
}

/*
 * A load through a parameter that its function does nothing else with is moved in
 * front of the call (IPA-SRA), without a place: the function whose access it is.
 */
static tree loaded_for(gimple *stmt)
{
	tree lhs = gimple_assign_load_p(stmt) ? gimple_assign_lhs(stmt) : NULL_TREE;
	use_operand_p use;
	gimple *call;
	tree callee;

	if (!lhs || gimple_has_location(stmt) || TREE_CODE(lhs) != SSA_NAME ||
	    !single_imm_use(lhs, &use, &call) || !is_gimple_call(call))
		return NULL_TREE;
	callee = gimple_call_fndecl(call);
	return callee && strstr(callee_asm_name(callee), ".isra.") ? callee : NULL_TREE;
}

bool mem_site(const struct mem_access *a, gimple *source, function *fun, unsigned *site)
{
	char kind = PRS_KIND_LETTERS[a->kind];
	struct mem_fact *fact;
	struct described d;
	struct where w;
	bool near;

	where_is(source, fun, &w);
	access_describe(a->says, false, &d);
	if (tree callee = loaded_for(source)) {
		w.fn = facts_of(DECL_ORIGIN(callee));
		d.root = d.place = 0;
	}
	fact = where_mem(&w, kind == 'R' || a->locked ? 'S' : kind, a->bytes, d.root, d.place, &near);
	if (const char *reason = select_mem_site(fact, &w)) {
		sites_skip("mem", reason, &w, "-", fact->site);
		return false;
	}
	*site = sites_mem(&w, fact, kind, a->bytes, near ? SITE_NEAR : 0);
	return true;
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
void mem_insert(gimple_stmt_iterator *gsi, gimple *probe, tree ref, bool after)
{
	tree base = get_base_address(ref);
	bool lend = base && VAR_P(base) && is_global_var(base) && !TREE_ADDRESSABLE(base);

	if (after)
		gsi_insert_after(gsi, probe, GSI_NEW_STMT);
	else
		gsi_insert_before(gsi, probe, GSI_SAME_STMT);
	if (!lend)
		return;
	TREE_ADDRESSABLE(base) = 0;
	borrowed.safe_push(base);
}

/*
 * A call of a cold part would overwrite what a leaf function keeps below the stack
 * pointer: each probe would have to step over that, there and back.  Two instructions
 * where the function begins and ends are less.
 */
static int flags_before;
static bool zone_is_off;

void mem_no_red_zone(void)
{
	if (zone_is_off)
		return;
	flags_before = target_flags;
	zone_is_off = true;
	target_flags |= MASK_NO_RED_ZONE;
}

static void mem_site_give_back(void *, void *)
{
	if (zone_is_off)
		target_flags = flags_before;
	zone_is_off = false;
	for (unsigned i = 0; i < borrowed.length(); i++)
		TREE_ADDRESSABLE(borrowed[i]) = 0;
	borrowed.truncate(0);
}

void mem_site_install(void)
{
	register_callback("perseus", PLUGIN_ALL_PASSES_END, mem_site_give_back, NULL);
}

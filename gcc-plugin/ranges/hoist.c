/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * perseus-range: in front of a loop, one probe for all that an access touches
 * in it.
 *
 * before                          after
 *     for (i = 0; i < n; i++)         if (desc.ranges)
 *         s += p[i];                          range probe 7 (p, 8 * n bytes, n times, load);
 *                                     for (i = 0; i < n; i++)
 *                                             s += p[i];
 *
 * Runs in the middle of GCC's loop optimizers, before the vectoriser: the nests
 * are still as they were written, accesses have their place in the source, and
 * induction variables are not yet rewritten.  The probe stands outside of the
 * loop and touches no memory that GCC knows of, so that the loop is vectorised
 * as if nothing were there.
 *
 * Not covered: accesses under a condition that changes in the loop (the range
 * would invent accesses), volatile and atomic ones, and loops with calls or
 * assembler behind which another thread may have had the line.
 *
 * A few turns over a few bytes, always the same number, get one probe for all of
 * them in front of the loop, and none in it.
 *
 * The late pass meets the accesses again as whatever the optimisers made of
 * them; what most of it still has is the place in the source.  So a place is
 * covered only if all accesses that the function makes there are; and what has
 * no place that an access had is, if all accesses of its kind and mode in loops
 * are.
 *
 * In the same way the late pass is told what only this thread can reach: an array
 * of the own frame that is walked by its index here is walked by a pointer there,
 * of which nothing is known.
 */
#include "gcc-plugin/base/gcc-common.h"
#include "gcc-plugin/base/bodies.h"
#include "perseus/abi.h"
#include "gcc-plugin/arch/probe.h"
#include "gcc-plugin/choice/dump.h"
#include "gcc-plugin/ranges/hoist.h"
#include "gcc-plugin/choice/options.h"
#include "gcc-plugin/base/pass.h"
#include "gcc-plugin/ranges/quiet.h"
#include "gcc-plugin/ranges/range.h"
#include "gcc-plugin/sites/select.h"
#include "gcc-plugin/sites/sites.h"

#define TRIPS_MIN 8 /* below, a range costs more than the probes */

/* Of the accesses that a key has. */
struct standing {
	bool bare;   /* one at least that is not covered */
	bool ranged; /* ... that a range covers, not a probe for a block */
	bool shared; /* ... that another thread could make, too */
};

/* Of the function that is being compiled. */
typedef hash_map<int_hash<uint64_t, 0, 1>, standing> place_map;
static place_map *places;
static function *places_of;

static bool has_place(gimple *stmt)
{
	return LOCATION_LOCUS(gimple_location(stmt)) != UNKNOWN_LOCATION;
}

/* The place in the source and in which inlined body; not which copy of the statement, as locations tell from GCC 15 on. */
static uint64_t place_key(gimple *stmt, unsigned kind)
{
	location_t at = gimple_location(stmt);
	uint64_t place = (uint64_t)LOCATION_LOCUS(at) * 0x9e3779b97f4a7c15 + (uintptr_t)LOCATION_BLOCK(at);

	return (place << 2 | (kind == PRS_KIND_LOAD ? 2 : 0)) + 4;
}

/* Accesses of loops that read or write values of one mode, as elements of vectors or alone. */
static uint64_t mode_key(const struct mem_access *a)
{
	tree type = TREE_TYPE(a->ref);
	unsigned mode;

	if (VECTOR_TYPE_P(type) || TREE_CODE(type) == COMPLEX_TYPE)
		type = TREE_TYPE(type);
	mode = (unsigned)TYPE_MODE(type);
	return ((uint64_t)mode << 2 | (a->kind == PRS_KIND_LOAD ? 2 : 0)) + 5;
}

static enum hoisted how_covered(uint64_t key)
{
	struct standing *s = places->get(key);

	if (!s || s->bare)
		return HOIST_NOT;
	if (!s->shared)
		return HOIST_PRIVATE;
	return s->ranged ? HOIST_RANGE : HOIST_BLOCK;
}

enum hoisted hoist_covers(gimple *stmt, const struct mem_access *a)
{
	if (!places || places_of != cfun || a->fixed || a->kind > PRS_KIND_RMW)
		return HOIST_NOT;
	if (has_place(stmt) && places->get(place_key(stmt, a->kind)))
		return how_covered(place_key(stmt, a->kind));
	/* Made by the compiler, out of others of its kind. */
	return bb_loop_depth(gimple_bb(stmt)) > 0 ? how_covered(mode_key(a)) : HOIST_NOT;
}

bool hoist_any(void)
{
	return places && places_of == cfun && places->elements();
}

static void note_key(uint64_t key, enum hoisted how)
{
	bool existed;
	struct standing &s = places->get_or_insert(key, &existed);

	if (!existed)
		s = {false, false, false};
	s.bare |= how == HOIST_NOT;
	s.ranged |= how == HOIST_RANGE;
	s.shared |= how != HOIST_PRIVATE;
}

static void note_place(gimple *stmt, const struct mem_access *a, enum hoisted how)
{
	if (has_place(stmt))
		note_key(place_key(stmt, a->kind), how);
	if (how != HOIST_PRIVATE && loop_outer(gimple_bb(stmt)->loop_father))
		note_key(mode_key(a), how);
}

/* Numbers of the loops that hold a barrier. */
static void find_barriers(function *fun, bitmap loops)
{
	basic_block bb;

	FOR_EACH_BB_FN(bb, fun)
	{
		gimple_stmt_iterator gsi = gsi_start_bb(bb);

		while (!gsi_end_p(gsi) && !stmt_may_synchronise(gsi_stmt(gsi)))
			gsi_next(&gsi);
		if (gsi_end_p(gsi))
			continue;
		for (class loop *l = bb->loop_father; l; l = loop_outer(l))
			bitmap_set_bit(loops, l->num);
	}
}

/* Executions that a range stands for, as far as one can tell; -1: no idea. */
static HOST_WIDE_INT trips_expected(const struct span *s, class loop *inner)
{
	HOST_WIDE_INT all = 1;

	if (!s->rows && s->count && TREE_CODE(s->count) == INTEGER_CST)
		return tree_fits_shwi_p(s->count) ? tree_to_shwi(s->count) : -1;
	for (class loop *l = inner; l != loop_outer(s->loop); l = loop_outer(l)) {
		HOST_WIDE_INT n = likely_max_loop_iterations_int(l);

		if (n < 0 || n > 1000000)
			return -1;
		all *= n + 1;
		if (all > 1000000)
			return -1;
	}
	return all;
}

/* As far out as it goes. */
static const char *follow(gimple *stmt, const struct mem_access *a, const_bitmap barred, struct span *s)
{
	class loop *inner = gimple_bb(stmt)->loop_father;
	HOST_WIDE_INT trips;
	const char *why;

	if (a->fixed || a->kind > PRS_KIND_STORE)
		return "fixed";
	if (!span_start(s, a->ref, a->bytes, gimple_bb(stmt)))
		return "reference";
	for (class loop *l = inner; loop_outer(l); l = loop_outer(l)) {
		why = bitmap_bit_p(barred, l->num) ? "barrier" : span_climb(s);
		if (why)
			break;
	}
	if (!s->loop)
		return why;
	trips = trips_expected(s, inner);
	return trips >= 0 && trips < TRIPS_MIN ? "short" : NULL;
}

static void hoist_look_at(gimple *stmt, function *fun, const_bitmap barred, vec<ranged> *list)
{
	struct mem_access acc[ACCESS_MAX];
	unsigned n = access_collect(stmt, acc);
	const char *why = n ? select_access(stmt, fun) : NULL, *skip;

	for (unsigned i = 0; i < n; i++) {
		struct ranged r;

		if (acc[i].length) /* its probe stays with the call */
			continue;
		skip = access_skip_reason(&acc[i]);
		if (skip && !*skip)
			note_place(stmt, &acc[i], HOIST_PRIVATE);
		if (why || skip)
			continue;
		memset(&r, 0, sizeof(r));
		r.acc = acc[i];
		r.stmt = stmt;
		r.wide = acc[i].bytes;
		r.members = r.each = 1;
		why = loop_outer(gimple_bb(stmt)->loop_father) ? follow(stmt, &acc[i], barred, &r.span)
							       : "no-loop";
		r.block = why && !strcmp(why, "short") && range_is_block(&r);
		if (r.block)
			why = NULL;
		note_place(stmt, &acc[i], why ? HOIST_NOT : r.block ? HOIST_BLOCK : HOIST_RANGE);
		if (!why)
			list->safe_push(r);
		dump_note(fun, stmt, "%c %s", PRS_KIND_LETTERS[acc[i].kind], why ? why : "covered");
		why = NULL;
	}
}

static unsigned range_execute(function *fun)
{
	auto_vec<ranged, 32> list;
	auto_bitmap barred;
	basic_block bb;

	delete places;
	places = new place_map;
	places_of = fun;
	if (bodies_of(fun->decl) == BODY_PLAIN || select_impossible(fun) || select_function(fun) ||
	    fun->calls_setjmp || fun->has_nonlocal_label)
		return 0;
	find_barriers(fun, barred);
	FOR_EACH_BB_FN(bb, fun)
	for (gimple_stmt_iterator gsi = gsi_start_bb(bb); !gsi_end_p(gsi); gsi_next(&gsi))
		if (!is_gimple_debug(gsi_stmt(gsi)))
			hoist_look_at(gsi_stmt(gsi), fun, barred, &list);
	range_join(&list);
	range_emit(fun, &list);
	/* New blocks in a cycle with two ways in do not say so by themselves. */
	if (list.length() && loops_state_satisfies_p(LOOPS_HAVE_MARKED_IRREDUCIBLE_REGIONS))
		mark_irreducible_loops();
	return 0;
}

static const pass_data range_data = {
	GIMPLE_PASS, "perseus-range", OPTGROUP_NONE, TV_NONE, PROP_cfg | PROP_ssa, 0, 0, 0, 0,
};

namespace
{
class pass_range : public gimple_opt_pass
{
      public:
	pass_range(gcc::context *ctxt) : gimple_opt_pass(range_data, ctxt)
	{
	}
	bool gate(function *) final override
	{
		return prs_opt.memory && prs_opt.hoist && !seen_error();
	}
	unsigned int execute(function *fun) final override
	{
		return range_execute(fun);
	}
};
} // namespace

gimple_opt_pass *make_pass_range(gcc::context *ctxt)
{
	return new pass_range(ctxt);
}

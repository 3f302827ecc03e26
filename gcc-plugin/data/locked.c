/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gcc-plugin/base/gcc-common.h"
#include "gcc-plugin/data/access.h"
#include "gcc-plugin/data/layout.h"
#include "gcc-plugin/data/locked.h"

#define DEPTH_MAX  6 /* of members and bases that are searched for a lock */
#define FIELDS_MAX 64

/* As the C library, and that of C++, call what threads wait at. */
static bool is_lock_tag(const char *tag)
{
	static const char *const tags[] = {
		"pthread_mutex_t",
		"__pthread_mutex_s",
		"pthread_cond_t",
		"__pthread_cond_s",
		"pthread_rwlock_t",
		"sem_t",
		"pthread_barrier_t",
		"__pthread_rwlock_arch_t",
		"mtx_t",
		"cnd_t",
		"__atomic_semaphore",
		"__platform_semaphore",
		"latch",
		"__tree_barrier",
		"__condvar",
	};

	for (size_t i = 0; i < ARRAY_SIZE(tags); i++)
		if (!strcmp(tags[i], tag))
			return true;
	return false;
}

static bool holds_lock(tree type, int depth)
{
	unsigned n = 0;

	while (TREE_CODE(type) == ARRAY_TYPE)
		type = TREE_TYPE(type);
	if (!RECORD_OR_UNION_TYPE_P(type) || depth == DEPTH_MAX)
		return false;
	if (is_lock_tag(locked_tag(type)))
		return true;
	for (tree f = TYPE_FIELDS(type); f && n < FIELDS_MAX; f = DECL_CHAIN(f))
		if (TREE_CODE(f) == FIELD_DECL && (n++, holds_lock(TREE_TYPE(f), depth + 1)))
			return true;
	return false;
}

/* A function whose first argument is what it locks, signals or waits at, whatever its type. */
static bool takes_lock(const char *callee)
{
	static const char *const begins[] = {"pthread_mutex_",
					     "pthread_cond_",
					     "pthread_rwlock_",
					     "pthread_spin_",
					     "pthread_barrier_",
					     "sem_",
					     "mtx_",
					     "cnd_",
					     "omp_set_lock"};

	for (size_t i = 0; i < ARRAY_SIZE(begins); i++)
		if (!strncmp(begins[i], callee, strlen(begins[i])))
			return true;
	return false;
}

static void locked_put(char *out, size_t size, const char *s)
{
	snprintf(out, size, "%s", s);
}

static void name_member(tree type, char *out, size_t size)
{
	out[0] = 0;
	if (RECORD_OR_UNION_TYPE_P(type))
		access_type_name(type, NULL, out, size);
}

/* Take @type with @offset bytes in it, if it is larger than what is known of the place. */
static void take_larger(tree type, HOST_WIDE_INT offset, HOST_WIDE_INT *bytes, struct locked *out)
{
	HOST_WIDE_INT size =
		RECORD_OR_UNION_TYPE_P(type) && COMPLETE_TYPE_P(type) ? int_size_in_bytes(type) : -1;

	if (size <= *bytes || offset < 0 || offset >= size)
		return;
	*bytes = size;
	access_type_name(type, NULL, out->type, sizeof(out->type));
	layout_note(TYPE_MAIN_VARIANT(type), out->type);
	out->field[0] = 0;
	out->offset = (long)offset;
}

/*
 * The place @offset bytes behind @p, of which types at most know a part of
 * @bytes: the way back to the pointer that it was made of tells the whole.
 */
static bool describe_behind(tree p, HOST_WIDE_INT offset, HOST_WIDE_INT bytes, struct locked *out)
{
	for (int hops = 0; TREE_CODE(p) == SSA_NAME && hops < DEPTH_MAX; hops++) {
		gassign *def = dyn_cast<gassign *>(SSA_NAME_DEF_STMT(p));
		tree by = def ? gimple_assign_rhs2(def) : NULL_TREE;

		if (POINTER_TYPE_P(TREE_TYPE(p)))
			take_larger(TREE_TYPE(TREE_TYPE(p)), offset, &bytes, out);
		if (!def || gimple_assign_rhs_code(def) != POINTER_PLUS_EXPR || TREE_CODE(by) != INTEGER_CST)
			break;
		offset += signed_value(by);
		p = gimple_assign_rhs1(def);
	}
	return out->type[0] && out->offset >= 0;
}

/* The member or variable @ref; false: it is one that its symbol tells of, or nothing tells. */
static bool describe_ref(tree ref, struct locked *out)
{
	tree base = get_base_address(ref);
	HOST_WIDE_INT bytes = -1;
	struct described d;
	poly_int64 at = 0;

	if (base && VAR_P(base) && (TREE_STATIC(base) || DECL_EXTERNAL(base)))
		return false;
	access_describe(ref, true, &d);
	if (base && (VAR_P(base) || TREE_CODE(base) == PARM_DECL)) {
		locked_put(out->field, sizeof(out->field), d.base);
		return DECL_NAME(base) && out->field[0];
	}
	if (d.aggregate && (d.field[0] || d.offset >= 0)) {
		layout_note(d.aggregate, d.type);
		locked_put(out->type, sizeof(out->type), d.type);
		locked_put(out->field, sizeof(out->field), d.field);
		out->offset = d.offset;
		bytes = int_size_in_bytes(d.aggregate);
	}
	if (base && TREE_CODE(base) == MEM_REF && get_addr_base_and_unit_offset(ref, &at) == base &&
	    at.is_constant())
		describe_behind(TREE_OPERAND(base, 0),
				at.to_constant() + mem_ref_offset(base).force_shwi().to_constant(), bytes,
				out);
	return out->type[0] != 0;
}

/* The pointer was loaded from a member: `*queue->lock`, and what a lambda caught by reference. */
static bool describe_load(tree from, struct locked *out)
{
	tree field = TREE_CODE(from) == COMPONENT_REF ? TREE_OPERAND(from, 1) : NULL_TREE;

	if (!field || !DECL_NAME(field) || !RECORD_OR_UNION_TYPE_P(TREE_TYPE(TREE_OPERAND(from, 0))))
		return false;
	access_type_name(TREE_TYPE(TREE_OPERAND(from, 0)), NULL, out->type, sizeof(out->type));
	snprintf(out->field, sizeof(out->field), "*%s", IDENTIFIER_POINTER(DECL_NAME(field)));
	return true;
}

static bool describe_pointer(tree arg, struct locked *out)
{
	gassign *def;

	if (TREE_CODE(arg) == ADDR_EXPR)
		return describe_ref(TREE_OPERAND(arg, 0), out);
	for (int hops = 0; TREE_CODE(arg) == SSA_NAME && hops < DEPTH_MAX; hops++) {
		def = dyn_cast<gassign *>(SSA_NAME_DEF_STMT(arg));
		if (!def)
			return false;
		if (gimple_assign_rhs_code(def) == POINTER_PLUS_EXPR)
			return describe_behind(arg, 0, -1, out);
		if (!gimple_assign_single_p(def) && !CONVERT_EXPR_CODE_P(gimple_assign_rhs_code(def)))
			return false;
		arg = gimple_assign_rhs1(def);
		if (TREE_CODE(arg) == ADDR_EXPR)
			return describe_ref(TREE_OPERAND(arg, 0), out);
		if (TREE_CODE(arg) != SSA_NAME)
			return describe_load(arg, out);
	}
	return false;
}

/* What the pointer @arg shows, as far as types tell. */
static tree shown_by(tree arg)
{
	if (TREE_CODE(arg) == ADDR_EXPR)
		return TREE_TYPE(TREE_OPERAND(arg, 0));
	return POINTER_TYPE_P(TREE_TYPE(arg)) ? TREE_TYPE(TREE_TYPE(arg)) : NULL_TREE;
}

bool locked_describe(gcall *call, const char *callee, unsigned arg, struct locked *out)
{
	tree pointer = arg < gimple_call_num_args(call) ? gimple_call_arg(call, arg) : NULL_TREE;
	tree shown = pointer ? shown_by(pointer) : NULL_TREE;

	memset(out, 0, sizeof(*out));
	out->offset = -1;
	if (!shown || (!holds_lock(shown, 0) && !(arg == 0 && takes_lock(callee))))
		return false;
	name_member(shown, out->member, sizeof(out->member));
	return describe_pointer(pointer, out) && strcmp(out->type, out->member);
}

const char *locked_tag(tree type)
{
	tree name = TYPE_NAME(TYPE_MAIN_VARIANT(type));

	if (name && TREE_CODE(name) == TYPE_DECL)
		name = DECL_NAME(name);
	return name ? IDENTIFIER_POINTER(name) : "";
}

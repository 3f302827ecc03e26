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

/* The member of @type at *@offset, which becomes the byte in it; NULL_TREE: none is there. */
static tree member_at(tree type, HOST_WIDE_INT *offset)
{
	for (tree f = RECORD_OR_UNION_TYPE_P(type) ? TYPE_FIELDS(type) : NULL_TREE; f; f = DECL_CHAIN(f)) {
		HOST_WIDE_INT at, size;

		if (TREE_CODE(f) != FIELD_DECL || DECL_BIT_FIELD(f) ||
		    !tree_fits_shwi_p(DECL_FIELD_OFFSET(f)))
			continue;
		at = int_byte_position(f);
		size = int_size_in_bytes(TREE_TYPE(f));
		if (*offset < at || *offset >= at + size)
			continue;
		*offset -= at;
		return f;
	}
	return NULL_TREE;
}

/*
 * True if byte @offset of @type is in an array of elements of @stride bytes, some way down;
 * @path becomes what that is called: "bucket[].lock".
 */
static bool in_array_of(tree type, HOST_WIDE_INT offset, HOST_WIDE_INT stride, char *path, size_t size)
{
	bool found = false;
	size_t n = 0;

	path[0] = 0;
	for (int depth = 0; depth < DEPTH_MAX && !is_lock_tag(locked_tag(type)); depth++) {
		HOST_WIDE_INT bytes;
		tree f;

		if (TREE_CODE(type) == ARRAY_TYPE) {
			type = TREE_TYPE(type);
			bytes = int_size_in_bytes(type);
			if (bytes <= 0)
				return false;
			found |= bytes == stride;
			n += snprintf(path + n, size - n, bytes == stride ? "[]" : "[%ld]",
				      (long)(offset / bytes));
			offset %= bytes;
		} else {
			f = member_at(type, &offset);
			/* What the library calls its parts. */
			if (!f || (DECL_NAME(f) && !strncmp(IDENTIFIER_POINTER(DECL_NAME(f)), "__", 2)))
				break;
			if (DECL_NAME(f))
				n += snprintf(path + n, size - n, "%s%s", n ? "." : "",
					      IDENTIFIER_POINTER(DECL_NAME(f)));
			type = TREE_TYPE(f);
		}
		if (n >= size)
			return false;
	}
	return found;
}

/*
 * The bytes @by that a pointer is moved on: a constant goes to *@offset, and what a variable is
 * multiplied by, the bytes of an element, to *@stride; false: it is something else.
 */
static bool take_apart(tree by, HOST_WIDE_INT *offset, HOST_WIDE_INT *stride)
{
	for (int hops = 0; hops < DEPTH_MAX; hops++) {
		gassign *def = TREE_CODE(by) == SSA_NAME ? dyn_cast<gassign *>(SSA_NAME_DEF_STMT(by)) : NULL;
		tree_code code = def ? gimple_assign_rhs_code(def) : ERROR_MARK;
		tree by2 = def ? gimple_assign_rhs2(def) : NULL_TREE;

		if (TREE_CODE(by) == INTEGER_CST) {
			*offset += signed_value(by);
			return true;
		}
		if (!def || (by2 && TREE_CODE(by2) != INTEGER_CST))
			return false;
		if (*stride && code != PLUS_EXPR && !CONVERT_EXPR_CODE_P(code))
			return false;
		if (code == MULT_EXPR || code == LSHIFT_EXPR) {
			HOST_WIDE_INT first = 0, inner = 1;

			*stride =
				code == MULT_EXPR ? signed_value(by2) : (HOST_WIDE_INT)1 << signed_value(by2);
			/* `(k + 1) * 48`: what is added to the number, too. */
			take_apart(gimple_assign_rhs1(def), &first, &inner);
			*offset += first * *stride;
			return *stride > 0;
		}
		if (code == PLUS_EXPR)
			*offset += signed_value(by2);
		else if (!CONVERT_EXPR_CODE_P(code))
			return false;
		by = gimple_assign_rhs1(def);
	}
	return false;
}

/*
 * The place @offset bytes behind @p, of which types at most know a part of
 * @bytes: the way back to the pointer that it was made of tells the whole.
 * In an array some element is meant; its number is not known.
 */
static bool describe_behind(tree p, HOST_WIDE_INT offset, HOST_WIDE_INT bytes, struct locked *out)
{
	HOST_WIDE_INT stride = 0;
	char path[sizeof(out->field)];

	for (int hops = 0; TREE_CODE(p) == SSA_NAME && hops < DEPTH_MAX; hops++) {
		gassign *def = dyn_cast<gassign *>(SSA_NAME_DEF_STMT(p));
		tree to = POINTER_TYPE_P(TREE_TYPE(p)) ? TREE_TYPE(TREE_TYPE(p)) : NULL_TREE;

		if (to && (!stride || in_array_of(to, offset, stride, path, sizeof(path)))) {
			HOST_WIDE_INT before = bytes;

			take_larger(to, offset, &bytes, out);
			if (stride && bytes != before)
				locked_put(out->field, sizeof(out->field), path);
		}
		if (!def || gimple_assign_rhs_code(def) != POINTER_PLUS_EXPR ||
		    !take_apart(gimple_assign_rhs2(def), &offset, &stride))
			break;
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

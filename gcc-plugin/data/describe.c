/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What an access touches.  The early pass writes it in words ("pair[].a",
 * "p->next"); both passes compute two numbers (variable, and aggregate with
 * offset) by which an optimised access finds its early description again.
 */
#include "gcc-plugin/base/gcc-common.h"
#include "gcc-plugin/base/names.h"
#include "gcc-plugin/data/access.h"
#include "gcc-plugin/data/locked.h"
#include "perseus/sites.h"

#define WALK_DEPTH 12

static unsigned describe_hash_of(const char *s, long more)
{
	uint64_t h = prs_fnv64(PRS_FNV_INIT, s, strlen(s));

	h = prs_fnv64(h, &more, sizeof(more));
	return (unsigned)(h ^ h >> 32) | 1;
}

static const char *id_of(tree decl)
{
	return decl && DECL_NAME(decl) ? IDENTIFIER_POINTER(DECL_NAME(decl)) : NULL;
}

static void describe_put(char *out, size_t size, const char *s)
{
	size_t n = strlen(out);

	while (*s && n + 1 < size)
		out[n++] = *s++;
	out[n] = 0;
}

static void write_ref(tree ref, char *out, size_t size, int depth);

/* A pointer or value that has no name: say where it came from. */
static void write_def(tree name, char *out, size_t size, int depth)
{
	gimple *def = SSA_NAME_DEF_STMT(name);

	if (gcall *call = dyn_cast<gcall *>(def)) {
		tree decl = gimple_call_fndecl(call);

		describe_put(out, size, decl && id_of(decl) ? id_of(decl) : "call");
		describe_put(out, size, "()");
	} else if (is_gimple_assign(def) && gimple_assign_rhs_code(def) == POINTER_PLUS_EXPR) {
		write_ref(gimple_assign_rhs1(def), out, size, depth - 1);
		describe_put(out, size, "[]");
	} else if (gimple_assign_single_p(def) || (is_gimple_assign(def) && gimple_assign_cast_p(def))) {
		write_ref(gimple_assign_rhs1(def), out, size, depth - 1);
	} else {
		describe_put(out, size, "*");
	}
}

static void write_name(tree name, char *out, size_t size, int depth)
{
	const char *id = SSA_NAME_VAR(name) ? id_of(SSA_NAME_VAR(name)) : NULL;

	if (id && (!DECL_ARTIFICIAL(SSA_NAME_VAR(name)) || TREE_CODE(SSA_NAME_VAR(name)) == PARM_DECL))
		describe_put(out, size, id);
	else if (depth <= 0)
		describe_put(out, size, "*");
	else
		write_def(name, out, size, depth);
}

/* `p + n`: written p[], and the dot that follows needs no arrow. */
static bool is_indexed(tree ptr)
{
	if (TREE_CODE(ptr) != SSA_NAME)
		return false;
	return is_gimple_assign(SSA_NAME_DEF_STMT(ptr)) &&
	       gimple_assign_rhs_code(SSA_NAME_DEF_STMT(ptr)) == POINTER_PLUS_EXPR;
}

/* @member: the caller goes on with a dot or an arrow, so no '*' in front. */
static void write_deref(tree ptr, char *out, size_t size, int depth, bool member)
{
	if (TREE_CODE(ptr) == ADDR_EXPR) {
		write_ref(TREE_OPERAND(ptr, 0), out, size, depth - 1);
		return;
	}
	if (!member && !is_indexed(ptr))
		describe_put(out, size, "*");
	write_ref(ptr, out, size, depth - 1);
}

static void write_component(tree ref, char *out, size_t size, int depth)
{
	tree of = TREE_OPERAND(ref, 0), field = TREE_OPERAND(ref, 1);
	bool deref;

	/* Base classes and unnamed unions have no name to write. */
	while (TREE_CODE(of) == COMPONENT_REF && !id_of(TREE_OPERAND(of, 1)))
		of = TREE_OPERAND(of, 0);
	deref = TREE_CODE(of) == MEM_REF && TREE_CODE(TREE_OPERAND(of, 0)) != ADDR_EXPR;
	if (deref)
		write_deref(TREE_OPERAND(of, 0), out, size, depth, true);
	else
		write_ref(of, out, size, depth - 1);
	if (!id_of(field))
		return;
	describe_put(out, size, deref && !is_indexed(TREE_OPERAND(of, 0)) ? "->" : ".");
	describe_put(out, size, id_of(field));
}

static void write_ref(tree ref, char *out, size_t size, int depth)
{
	if (depth <= 0) {
		describe_put(out, size, "...");
		return;
	}
	switch (TREE_CODE(ref)) {
	case COMPONENT_REF:
		write_component(ref, out, size, depth);
		break;
	case ARRAY_REF:
	case ARRAY_RANGE_REF:
		write_ref(TREE_OPERAND(ref, 0), out, size, depth - 1);
		describe_put(out, size, "[]");
		break;
	case MEM_REF:
		write_deref(TREE_OPERAND(ref, 0), out, size, depth, false);
		break;
	case TARGET_MEM_REF:
		write_deref(TMR_BASE(ref), out, size, depth, false);
		break;
	case SSA_NAME:
		write_name(ref, out, size, depth);
		break;
	case ADDR_EXPR:
		describe_put(out, size, "&");
		write_ref(TREE_OPERAND(ref, 0), out, size, depth - 1);
		break;
	case STRING_CST:
		describe_put(out, size, "\"\"");
		break;
	default:
		if (DECL_P(ref))
			describe_put(out, size, id_of(ref) ? id_of(ref) : "<unnamed>");
		else if (handled_component_p(ref))
			write_ref(TREE_OPERAND(ref, 0), out, size, depth - 1);
		else
			describe_put(out, size, "*");
	}
}

/* A name that does not fit ends in a hash of all of it, so that two never look alike. */
static void put_long(char *out, size_t size, const char *s)
{
	if (strlen(s) < size) {
		describe_put(out, size, s);
		return;
	}
	snprintf(out, size, "%.*s~%08x", (int)size - 10, s, describe_hash_of(s, 0));
}

/* C keeps the name of `typedef struct { ... } job_t;` with a variant of the type; the first has it. */
static tree typedef_name(tree type)
{
	tree name = NULL_TREE;

	for (tree v = TYPE_MAIN_VARIANT(type); v; v = TYPE_NEXT_VARIANT(v)) {
		tree other = TYPE_NAME(v);

		if (other && TREE_CODE(other) == TYPE_DECL && DECL_NAME(other) &&
		    (!name || DECL_UID(other) < DECL_UID(name)))
			name = other;
	}
	return name;
}

void access_type_name(tree type, const char *root, char *out, size_t size)
{
	tree name = TYPE_NAME(TYPE_MAIN_VARIANT(type));
	const char *word = TREE_CODE(type) == RECORD_TYPE ? "struct " : "union ";

	out[0] = 0;
	name = name ? name : typedef_name(type);
	if (name && TREE_CODE(name) == IDENTIFIER_NODE) {
		describe_put(out, size, word);
		describe_put(out, size, IDENTIFIER_POINTER(name));
	} else if (name && DECL_NAME(name) && !(root && IDENTIFIER_ANON_P(DECL_NAME(name)))) {
		put_long(out, size, in_lto_p ? IDENTIFIER_POINTER(DECL_NAME(name)) : name_of_type(name));
	} else {
		describe_put(out, size, word);
		describe_put(out, size, root ? "of " : "unnamed");
		describe_put(out, size, root ? root : "");
	}
}

/* Outermost record on the way from the base, and the reference of that type. */
static tree outermost_record(tree ref)
{
	tree found = NULL_TREE;

	for (; handled_component_p(ref); ref = TREE_OPERAND(ref, 0))
		if (TREE_CODE(ref) == COMPONENT_REF)
			found = TREE_OPERAND(ref, 0);
	return found;
}

/* Constant byte offset of @ref within @record; index parts count as 0. */
static long offset_in(tree ref, tree record)
{
	long offset = 0;

	for (; ref != record; ref = TREE_OPERAND(ref, 0))
		if (TREE_CODE(ref) == COMPONENT_REF &&
		    TREE_CODE(byte_position(TREE_OPERAND(ref, 1))) == INTEGER_CST)
			offset += (long)int_byte_position(TREE_OPERAND(ref, 1));
	return offset;
}

static void write_field(tree ref, tree record, char *out, size_t size)
{
	if (ref == record)
		return;
	write_field(TREE_OPERAND(ref, 0), record, out, size);
	if (TREE_CODE(ref) == ARRAY_REF) {
		describe_put(out, size, "[]");
	} else if (TREE_CODE(ref) == COMPONENT_REF && id_of(TREE_OPERAND(ref, 1))) {
		describe_put(out, size, out[0] ? "." : "");
		describe_put(out, size, id_of(TREE_OPERAND(ref, 1)));
	}
}

/* After optimisation `p->f` is often MEM[(struct s *)p + 8]: the alias type tells. */
static void describe_mem(tree base, struct described *d)
{
	tree type = TREE_TYPE(TREE_OPERAND(base, 1));

	if (!POINTER_TYPE_P(type) || !RECORD_OR_UNION_TYPE_P(TREE_TYPE(type)))
		return;
	d->aggregate = TYPE_MAIN_VARIANT(TREE_TYPE(type));
	d->offset = (long)mem_ref_offset(base).force_shwi().to_constant();
}

static const char *root_name(tree base)
{
	if (TREE_CODE(base) == MEM_REF && TREE_CODE(TREE_OPERAND(base, 0)) == ADDR_EXPR)
		base = get_base_address(TREE_OPERAND(TREE_OPERAND(base, 0), 0));
	else if (TREE_CODE(base) == TARGET_MEM_REF && TREE_CODE(TMR_BASE(base)) == ADDR_EXPR)
		base = get_base_address(TREE_OPERAND(TMR_BASE(base), 0));
	return base && DECL_P(base) ? id_of(base) : NULL;
}

void access_describe(tree ref, bool words, struct described *d)
{
	tree base = get_base_address(ref), record = outermost_record(ref);
	const char *root = base ? root_name(base) : NULL;

	d->base[0] = d->type[0] = d->field[0] = 0;
	d->offset = -1;
	d->aggregate = NULL_TREE;
	if (record && RECORD_OR_UNION_TYPE_P(TREE_TYPE(record))) {
		d->aggregate = TYPE_MAIN_VARIANT(TREE_TYPE(record));
		d->offset = offset_in(ref, record);
	} else if (base && TREE_CODE(base) == MEM_REF) {
		describe_mem(base, d);
	}
	d->root = root ? describe_hash_of(root, 0) : 0;
	d->place = d->aggregate ? describe_hash_of(locked_tag(d->aggregate), d->offset) : 0;
	if (!words)
		return;
	write_ref(ref, d->base, sizeof(d->base), WALK_DEPTH);
	if (d->aggregate)
		access_type_name(d->aggregate, root, d->type, sizeof(d->type));
	if (record && d->aggregate)
		write_field(ref, record, d->field, sizeof(d->field));
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Objects of planned types whose bytes are read by what does not have the plan: files, sockets and
 * drivers that they are given to by address, asm with an address of one, comparisons of all bytes,
 * and other members of a union.  Refused: whoever is on the other side has the old layout.
 *
 *     write(fd, &stats, sizeof(stats));       refused
 *     write(fd, &stats.rx, sizeof(stats.rx)); is a number, and lies where it lies
 */
#include "gcc-plugin/base/gcc-common.h"
#include "gcc-plugin/base/names.h"
#include "gcc-plugin/layouts/layouts.h"

#define DEPTH 32   /* types within types */
#define ANON  0x20 /* MAP_ANONYMOUS of <sys/mman.h> */

/* The plan's line for a field of @type, or of what lies in it; NULL: none, or its reviewer accepts what is done with it. */
static struct plan_layout *planned_in(tree type, int depth)
{
	while (TREE_CODE(type) == ARRAY_TYPE)
		type = TREE_TYPE(type);
	if (!RECORD_OR_UNION_TYPE_P(type) || depth > DEPTH)
		return NULL;
	for (tree f = TYPE_FIELDS(TYPE_MAIN_VARIANT(type)); f; f = DECL_CHAIN(f)) {
		struct plan_layout *l;

		if (TREE_CODE(f) != FIELD_DECL)
			continue;
		l = layouts_line(f);
		l = l && !l->variable ? l : planned_in(TREE_TYPE(f), depth + 1);
		if (l && !l->accepted)
			return l;
	}
	return NULL;
}

/* The same of what @pointer leads to, as the source has it: casts to void * leave no trace. */
static struct plan_layout *planned_at(tree pointer)
{
	tree type = TREE_TYPE(pointer);

	if (TREE_CODE(pointer) == ADDR_EXPR)
		return planned_in(TREE_TYPE(TREE_OPERAND(pointer, 0)), 0);
	return POINTER_TYPE_P(type) ? planned_in(TREE_TYPE(type), 0) : NULL;
}

/* What takes or fills in objects by their bytes, on behalf of others. */
static bool takes_bytes(const char *name)
{
	static const char *const names[] = {"read",
					    "write",
					    "pread",
					    "pwrite",
					    "pread64",
					    "pwrite64",
					    "fread",
					    "fwrite",
					    "send",
					    "recv",
					    "sendto",
					    "recvfrom",
					    "ioctl",
					    "fcntl",
					    "msgsnd",
					    "msgrcv",
					    "mq_send",
					    "mq_receive",
					    "syscall",
					    "setsockopt",
					    "bcmp",
					    "memcmp",
					    "getsockopt",
					    "__read_chk",
					    "bind",
					    "connect",
					    "__recv_chk",
					    "__pread_chk",
					    "__fread_chk",
					    "fread_unlocked",
					    "_ZNSo5writeEPKcl",
					    "_ZNSi4readEPcl",
					    "fwrite_unlocked"};

	for (unsigned i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

/* Memory of a file, or of a segment that other programs have, too. */
static bool gives_bytes(const char *name, gimple *call)
{
	tree flags;

	if (!strcmp(name, "shmat"))
		return true;
	if ((strcmp(name, "mmap") && strcmp(name, "mmap64")) || gimple_call_num_args(call) < 6)
		return false;
	flags = gimple_call_arg(call, 3);
	return !tree_fits_uhwi_p(flags) || !(tree_to_uhwi(flags) & ANON);
}

static const char *called(gimple *call)
{
	tree fn = gimple_call_fndecl(call);

	/* A function of the unit of that name is another one. */
	return fn && TREE_PUBLIC(fn) && DECL_EXTERNAL(fn) ? IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(fn)) : "";
}

static void refuse_argument(struct plan_layout *l, gimple *call, const char *name)
{
	/* The compiler makes one of both. */
	if (strstr(name, "cmp"))
		layouts_refuse_bytes(l, gimple_location(call),
				     "'%s' compares all bytes of an object of its type, also those that "
				     "nothing was stored to",
				     strcmp(name, "memcmp") ? name : "memcmp' or 'bcmp");
	else
		layouts_refuse_bytes(l, gimple_location(call),
				     "'%s' is given an object of its type, and who has the other end counts "
				     "on the old layout",
				     name_of_function(gimple_call_fndecl(call), 1));
}

static void look_at_call(gimple *call)
{
	tree lhs = gimple_call_lhs(call);
	const char *name = called(call);
	struct plan_layout *l;

	if (lhs && gives_bytes(name, call) && (l = planned_at(lhs)))
		layouts_refuse_bytes(l, gimple_location(call),
				     "'%s' gives objects of its type that others have in the old layout",
				     name);
	for (unsigned i = 0; takes_bytes(name) && i < gimple_call_num_args(call); i++)
		if ((l = planned_at(gimple_call_arg(call, i))))
			refuse_argument(l, call, name);
}

/* The address of an object, or all of it: which of its bytes the text means cannot be told. */
static void look_at_asm(gasm *stmt)
{
	struct plan_layout *l = NULL;

	if (!*gimple_asm_string(stmt))
		return;
	for (unsigned i = 0; i < gimple_asm_ninputs(stmt) && !l; i++) {
		tree value = TREE_VALUE(gimple_asm_input_op(stmt, i));

		l = POINTER_TYPE_P(TREE_TYPE(value)) ? planned_at(value) : planned_in(TREE_TYPE(value), 0);
	}
	for (unsigned i = 0; i < gimple_asm_noutputs(stmt) && !l; i++)
		l = planned_in(TREE_TYPE(TREE_VALUE(gimple_asm_output_op(stmt, i))), 0);
	if (l)
		layouts_refuse_bytes(
			l, gimple_location(stmt),
			"an asm statement is given an object of its type, whose offsets its text may have");
}

/* Other members of a union see the bytes of the object, where they were. */
static void look_at_union(tree type)
{
	unsigned members = 0;

	for (tree f = TYPE_FIELDS(type); f; f = DECL_CHAIN(f))
		members += TREE_CODE(f) == FIELD_DECL;
	for (tree f = TYPE_FIELDS(type); f && members > 1; f = DECL_CHAIN(f))
		if (TREE_CODE(f) == FIELD_DECL)
			if (struct plan_layout *l = planned_in(TREE_TYPE(f), 0))
				layouts_refuse_bytes(
					l, DECL_SOURCE_LOCATION(f),
					"a union has an object of its type beside other members, which "
					"see the same bytes");
}

void layouts_check_outside(tree types)
{
	struct cgraph_node *node;
	basic_block bb;

	for (tree t = types; t; t = TREE_CHAIN(t))
		if (TREE_CODE(TREE_VALUE(t)) == UNION_TYPE)
			look_at_union(TREE_VALUE(t));
	FOR_EACH_FUNCTION_WITH_GIMPLE_BODY(node)
	{
		struct function *fn = DECL_STRUCT_FUNCTION(node->decl);

		if (!fn || !fn->cfg)
			continue;
		FOR_EACH_BB_FN(bb, fn)
		{
			for (gimple_stmt_iterator gsi = gsi_start_bb(bb); !gsi_end_p(gsi); gsi_next(&gsi)) {
				gimple *stmt = gsi_stmt(gsi);

				if (is_gimple_call(stmt))
					look_at_call(stmt);
				else if (gasm *text = dyn_cast<gasm *>(stmt))
					look_at_asm(text);
			}
		}
	}
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Each object that counts denormals has, of its own, sites, slots, descriptor,
 * a thread-local pointer to the thread's table, and functions:
 *
 *   .Lperseus_den_table   the table; opened by prs_den_open() at the first call, which
 *                         for the thread that loads the module is made then
 *   .Lperseus_den_array   prs_den_array(), if there is one
 *   .Lperseus_den_look    prs_den_look(), if there is one; where a unit writes MXCSR
 *   .Lperseus_den_copy    prs_den_copy(), else 0; where a unit copies memory
 *   .Lperseus_den_flow    prs_den_flow(), if there is one
 *   .Lperseus_den_group   prs_den_group(), if there is one; where a unit has groups
 *   .Lperseus_den_move    memcpy(), by a name that no pass of GCC knows; where a unit has gates that put back
 *   .Lperseus_den_told    prs_den_told(), if there is one; where a unit tells of loops
 *
 * All are local labels, so nothing is added to the symbols of the program.
 */
#include "gcc-plugin/base/gcc-common.h"
#include "gcc-plugin/arch/denormal.h"
#include "perseus/triggers.h"

#define SITES "perseus_den_sites"
#define TABLE "perseus_den_table"
#define ARRAY "perseus_den_array"
#define LOOK  "perseus_den_look"
#define COPY  "perseus_den_copy"
#define CALM  "perseus_den_calm"
#define CLEAR "perseus_den_clear"
#define DE    "perseus_den_raised"
#define FLOW  "perseus_den_flow"
#define GROUP "perseus_den_group"
#define TOLD  "perseus_den_told"
#define MOVE  "perseus_den_move"
#define SETS  "perseus_den_groups"

static const char code[] =
	"\t.text\n"
	"\t.p2align 4\n"
	"\t.type\t" TABLE ", @function\n" TABLE ":\n"
	"\t.cfi_startproc\n"
	"%s" /* the pointer's address in rsi, which may take a call */
	"\tmovq\t(%%rsi), %%rax\n"
	"\ttestq\t%%rax, %%rax\n"
	"\tje\t1f\n"
	"\taddq\t$8, %%rsp\n"
	"\t.cfi_def_cfa_offset 8\n"
	"\tret\n"
	"\t.cfi_def_cfa_offset 16\n"
	"1:\tleaq\tperseus_den_desc(%%rip), %%rdi\n"
	"\tmovq\tprs_den_open@GOTPCREL(%%rip), %%rax\n"
	"\ttestq\t%%rax, %%rax\n"
	"\tje\t2f\n"
	"\tcall\t*%%rax\n"
	"\taddq\t$8, %%rsp\n"
	"\t.cfi_def_cfa_offset 8\n"
	"\tret\n"
	"\t.cfi_def_cfa_offset 16\n"
	"2:\tleaq\tperseus_den_nobody(%%rip), %%rax\n"
	"\tmovq\t%%rax, (%%rsi)\n"
	"\taddq\t$8, %%rsp\n"
	"\t.cfi_def_cfa_offset 8\n"
	"\tret\n"
	"\t.cfi_endproc\n"
	"\t.size\t" TABLE ", .-" TABLE "\n"
	"\t.type\t" ARRAY ", @function\n" ARRAY ":\n"
	"\t.cfi_startproc\n"
	"\tmovq\tprs_den_array@GOTPCREL(%%rip), %%rax\n"
	"\ttestq\t%%rdx, %%rdx\n"
	"\tje\t1f\n"
	"\ttestq\t%%rax, %%rax\n"
	"\tje\t1f\n"
	"\tjmp\t*%%rax\n"
	"1:\tret\n"
	"\t.cfi_endproc\n"
	"\t.size\t" ARRAY ", .-" ARRAY "\n"
	"\t.type\t" FLOW ", @function\n" FLOW ":\n"
	"\t.cfi_startproc\n"
	/* A leaf (PRS_DEN_FLOW_LOAD, _TAG) that is not denormal: mostly. */
	"\txorl\t%%eax, %%eax\n"
	"\ttestq\t%%r8, %%r8\n"
	"\tjne\t2f\n"
	"\tcmpq\t$1, %%rdi\n"
	"\tjbe\t1f\n"
	"2:\tmovq\tprs_den_flow@GOTPCREL(%%rip), %%rax\n"
	"\ttestq\t%%rax, %%rax\n"
	"\tje\t1f\n"
	"\tjmp\t*%%rax\n"
	"1:\tret\n"
	"\t.cfi_endproc\n"
	"\t.size\t" FLOW ", .-" FLOW "\n"
	/* Opened once when the module is loaded: its unit is there, whatever is counted. */
	"\t.section\t.init_array,\"aw\"\n"
	"\t.p2align 3\n"
	"\t.quad\t" TABLE "\n"
	"\t.weak\tprs_den_open\n"
	"\t.weak\tprs_den_array\n"
	"\t.weak\tprs_den_flow\n"
	"\t.section\t.tbss.perseus,\"awT\",@nobits\n"
	"\t.p2align 3\n"
	"perseus_den_tls:\n"
	"\t.zero\t8\n";

static const char in_program[] = "\tsubq\t$8, %rsp\n"
				 "\t.cfi_def_cfa_offset 16\n"
				 "\tmovq\t%fs:0, %rsi\n"
				 "\tleaq\tperseus_den_tls@tpoff(%rsi), %rsi\n";
/* The linker knows this sequence and shortens it in programs. */
static const char in_library[] = "\tsubq\t$8, %rsp\n"
				 "\t.cfi_def_cfa_offset 16\n"
				 "\t.byte\t0x66\n"
				 "\tleaq\tperseus_den_tls@tlsgd(%rip), %rdi\n"
				 "\t.value\t0x6666\n"
				 "\trex64\n"
				 "\tcall\t__tls_get_addr@PLT\n"
				 "\tmovq\t%rax, %rsi\n";

/* A function that goes on in one of the library, or returns 0; %s: ours, then its. */
static const char extra[] = "\t.text\n"
			    "\t.p2align 4\n"
			    "\t.weak\t%2$s\n"
			    "\t.type\t%1$s, @function\n%1$s:\n"
			    "\t.cfi_startproc\n"
			    "\tmovq\t%2$s@GOTPCREL(%%rip), %%rax\n"
			    "\ttestq\t%%rax, %%rax\n"
			    "\tje\t1f\n"
			    "\tjmp\t*%%rax\n"
			    "1:\tret\n"
			    "\t.cfi_endproc\n"
			    "\t.size\t%1$s, .-%1$s\n";

/* MXCSR.DE; or ZE, which a denormal over 0 raises instead; or FZ or DAZ, with which nothing is noted. */
static const char raised_code[] = "\t.text\n"
				  "\t.p2align 4\n"
				  "\t.type\t" DE ", @function\n" DE ":\n"
				  "\t.cfi_startproc\n"
				  "\tstmxcsr\t-4(%rsp)\n"
				  "\tmovl\t-4(%rsp), %eax\n"
				  "\ttestl\t$0x8046, %eax\n"
				  "\tsetne\t%al\n"
				  "\tmovzbl\t%al, %eax\n"
				  "\tret\n"
				  "\t.cfi_endproc\n"
				  "\t.size\t" DE ", .-" DE "\n";

/* With the table and the descriptor behind its arguments. */
static const char group_code[] = "\t.text\n"
				 "\t.p2align 4\n"
				 "\t.weak\tprs_den_group\n"
				 "\t.type\t" GROUP ", @function\n" GROUP ":\n"
				 "\t.cfi_startproc\n"
				 "\tsubq\t$24, %rsp\n"
				 "\t.cfi_def_cfa_offset 32\n"
				 "\tmovq\t%rdi, (%rsp)\n"
				 "\tmovq\t%rsi, 8(%rsp)\n"
				 "\tcall\t" TABLE "\n"
				 "\tmovq\t(%rsp), %rdi\n"
				 "\tmovq\t8(%rsp), %rsi\n"
				 "\taddq\t$24, %rsp\n"
				 "\t.cfi_def_cfa_offset 8\n"
				 "\tmovq\t%rax, %rdx\n"
				 "\tleaq\tperseus_den_desc(%rip), %rcx\n"
				 "\tmovq\tprs_den_group@GOTPCREL(%rip), %rax\n"
				 "\ttestq\t%rax, %rax\n"
				 "\tje\t1f\n"
				 "\tjmp\t*%rax\n"
				 "1:\tret\n"
				 "\t.cfi_endproc\n"
				 "\t.size\t" GROUP ", .-" GROUP "\n";

/* With the descriptor behind its arguments. */
static const char told_code[] = "\t.text\n"
				"\t.p2align 4\n"
				"\t.weak\tprs_den_told\n"
				"\t.type\t" TOLD ", @function\n" TOLD ":\n"
				"\t.cfi_startproc\n"
				"\tleaq\tperseus_den_desc(%rip), %rdx\n"
				"\tmovq\tprs_den_told@GOTPCREL(%rip), %rax\n"
				"\ttestq\t%rax, %rax\n"
				"\tje\t1f\n"
				"\tjmp\t*%rax\n"
				"1:\tret\n"
				"\t.cfi_endproc\n"
				"\t.size\t" TOLD ", .-" TOLD "\n";

static const char move_code[] = "\t.text\n"
				"\t.p2align 4\n"
				"\t.type\t" MOVE ", @function\n" MOVE ":\n"
				"\t.cfi_startproc\n"
				"\tjmp\tmemcpy@PLT\n"
				"\t.cfi_endproc\n"
				"\t.size\t" MOVE ", .-" MOVE "\n";

static tree function(const char *name, tree type)
{
	tree decl = build_fn_decl(name, type);

	TREE_NOTHROW(decl) = 1;
	DECL_ARTIFICIAL(decl) = 1;
	DECL_IS_NOVOPS(decl) = 1;
	DECL_VISIBILITY(decl) = VISIBILITY_HIDDEN;
	DECL_VISIBILITY_SPECIFIED(decl) = 1;
	SET_DECL_ASSEMBLER_NAME(decl, get_identifier(name));
	return decl;
}

/* One declaration of each name, which the garbage collector does not see: the symbol table keeps it. */
static tree declared(const char *name, tree type)
{
	symtab_node *node = symtab_node::get_for_asmname(get_identifier(name));
	tree decl;

	if (node)
		return node->decl;
	decl = function(name, type);
	cgraph_node::get_create(decl);
	return decl;
}

gimple *asm_den_table(tree *table)
{
	gcall *call =
		gimple_build_call(declared(TABLE, build_function_type_list(ptr_type_node, NULL_TREE)), 0);

	*table = make_ssa_name(ptr_type_node);
	gimple_call_set_lhs(call, *table);
	return call;
}

gimple *asm_den_array(tree site, tree address, tree count)
{
	tree type = build_function_type_list(void_type_node, ptr_type_node, pointer_sized_int_node,
					     pointer_sized_int_node, NULL_TREE);

	return gimple_build_call(declared(ARRAY, type), 3, site, address, count);
}

/* Instructions that load MXCSR, from one word or with the rest of the state. */
static bool names_one(const char *text)
{
	static const char *const names[] = {"ldmxcsr", "fxrstor", "xrstor"};

	for (unsigned i = 0; i < ARRAY_SIZE(names); i++)
		if (strstr(text, names[i]))
			return true;
	return false;
}

bool asm_den_sets(gimple *stmt)
{
	static const char *const functions[] = {"fesetenv", "feupdateenv", "fesetmode"};
	unsigned number;
	const char *name;
	int end = 0;
	tree decl;

	if (gasm *text = dyn_cast<gasm *>(stmt))
		return names_one(gimple_asm_string(text));
	decl = is_gimple_call(stmt) ? gimple_call_fndecl(stmt) : NULL_TREE;
	if (!decl || !DECL_NAME(decl))
		return false;
	name = IDENTIFIER_POINTER(DECL_NAME(decl));
	if (fndecl_built_in_p(decl, BUILT_IN_MD))
		return names_one(name);
	for (unsigned i = 0; i < ARRAY_SIZE(functions); i++)
		if (!strcmp(name, functions[i]))
			return true;
	/* What a plan puts at the begin of a function that it flushes. */
	return sscanf(name, PRS_FN_FLUSH_BEGIN "%n", &number, &end) == 1 && end && !name[end];
}

static bool looks, copies, gates, tells, moves;

gimple *asm_den_look(void)
{
	tree decl = declared(LOOK, build_function_type_list(void_type_node, NULL_TREE));

	/* It stays where the register was written. */
	DECL_IS_NOVOPS(decl) = 0;
	looks = true;
	return gimple_build_call(decl, 0);
}

const char *asm_den_wide(void)
{
	return TARGET_80387 && (!TARGET_SSE_MATH || TARGET_MIX_SSE_I387) ? "-mfpmath=387" : NULL;
}

bool asm_den_notes(tree type)
{
	return TARGET_SSE_MATH && (TYPE_MODE(type) == SFmode || (TYPE_MODE(type) == DFmode && TARGET_SSE2));
}

gimple *asm_den_raised(tree *raised)
{
	gcall *call =
		gimple_build_call(declared(DE, build_function_type_list(uint32_type_node, NULL_TREE)), 0);

	gates = true;
	*raised = make_ssa_name(uint32_type_node);
	gimple_call_set_lhs(call, *raised);
	return call;
}

static tree operand(const char *constraint, tree value)
{
	return build_tree_list(build_tree_list(NULL_TREE, build_string((int)strlen(constraint), constraint)),
			       value);
}

/* *@to: SSA name, the same as @from, in a register as @out says. */
static gimple *hidden(const char *out, tree from, tree *to)
{
	vec<tree, va_gc> *ins = NULL, *outs = NULL;
	gasm *text;

	*to = make_ssa_name(TREE_TYPE(from));
	vec_safe_push(ins, operand("0", from));
	vec_safe_push(outs, operand(out, *to));
	text = gimple_build_asm_vec("", ins, outs, NULL, NULL);
	SSA_NAME_DEF_STMT(*to) = text;
	return text;
}

gimple *asm_den_one(tree type, tree *one)
{
	return hidden("=x", build_one_cst(type), one);
}

gimple *asm_den_apart(tree value, tree *same)
{
	return hidden(FLOAT_TYPE_P(TREE_TYPE(value)) ? "=x" : "=r", value, same);
}

gimple *asm_den_keep(tree value)
{
	vec<tree, va_gc> *in = NULL;
	gasm *text;

	vec_safe_push(in, operand("x", value));
	text = gimple_build_asm_vec("", in, NULL, NULL, NULL);
	gimple_asm_set_volatile(text, true);
	return text;
}

gimple *asm_den_calm(void)
{
	return gimple_build_call(declared(CALM, build_function_type_list(void_type_node, NULL_TREE)), 0);
}

gimple *asm_den_clear(void)
{
	return gimple_build_call(declared(CLEAR, build_function_type_list(void_type_node, NULL_TREE)), 0);
}

gimple *asm_den_move(tree to, tree from, tree bytes)
{
	tree decl = declared(MOVE, build_function_type_list(void_type_node, ptr_type_node, ptr_type_node,
							    size_type_node, NULL_TREE));

	DECL_IS_NOVOPS(decl) = 0;
	moves = true;
	return gimple_build_call(decl, 3, to, from, bytes);
}

static bool calls(gimple *stmt, const char *name)
{
	tree decl = is_gimple_call(stmt) ? gimple_call_fndecl(stmt) : NULL_TREE;

	return decl && DECL_ASSEMBLER_NAME_SET_P(decl) &&
	       !strcmp(IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(decl)), name);
}

bool asm_den_is_look(gimple *stmt)
{
	return calls(stmt, LOOK);
}

gimple *asm_den_copy(tree site, tree from, tree bytes)
{
	tree decl = declared(COPY, build_function_type_list(size_type_node, ptr_type_node, ptr_type_node,
							    size_type_node, NULL_TREE));

	DECL_IS_NOVOPS(decl) = 0;
	return gimple_build_call(decl, 3, site, from, bytes);
}

bool asm_den_is_copy(gimple *stmt)
{
	return calls(stmt, COPY);
}

void asm_den_copy_late(gcall *call, tree site)
{
	gimple_call_set_arg(call, 0, site);
	copies = true;
}

void asm_den_extras(void)
{
	if (looks)
		fprintf(asm_out_file, extra, LOOK, "prs_den_look");
	if (gates) {
		fputs(raised_code, asm_out_file);
		fprintf(asm_out_file, extra, CALM, "prs_den_calm");
		fprintf(asm_out_file, extra, CLEAR, "prs_den_clear");
	}
	if (copies)
		fprintf(asm_out_file, extra, COPY, "prs_den_copy");
	if (tells)
		fputs(told_code, asm_out_file);
	if (moves)
		fputs(move_code, asm_out_file);
}

bool asm_den_is_flow(gimple *stmt)
{
	return calls(stmt, FLOW);
}

gimple *asm_den_flow(unsigned what, const tree *args, tree *result)
{
	tree word = uint64_type_node,
	     type = build_function_type_list(word, word, ptr_type_node, pointer_sized_int_node,
					     long_integer_type_node, word, word, NULL_TREE);
	tree zero = build_zero_cst(word), none = build_zero_cst(pointer_sized_int_node);
	gcall *call = gimple_build_call(declared(FLOW, type), 6, build_int_cst(word, what),
					args[0] ? args[0] : null_pointer_node, args[1] ? args[1] : none,
					args[2] ? args[2] : build_zero_cst(long_integer_type_node),
					args[3] ? args[3] : zero, args[4] ? args[4] : zero);

	if (result) {
		*result = make_ssa_name(word);
		gimple_call_set_lhs(call, *result);
	}
	return call;
}

/* A call of @name, which reads memory that its arguments lead to, and writes none that GCC knows of. */
static gimple *reader(const char *name, tree numbers, tree words)
{
	tree decl = declared(
		name, build_function_type_list(void_type_node, ptr_type_node, ptr_type_node, NULL_TREE));

	DECL_IS_NOVOPS(decl) = 0;
	DECL_PURE_P(decl) = DECL_LOOPING_CONST_OR_PURE_P(decl) = 1;
	return gimple_build_call(decl, 2, numbers, words);
}

gimple *asm_den_count_group(tree group, tree words)
{
	return reader(GROUP, group, words);
}

gimple *asm_den_told(tree told, tree words)
{
	tells = true;
	return reader(TOLD, told, words);
}

/* The address of byte @at of the object's data called @name. */
static tree data(const char *name, unsigned at)
{
	symtab_node *node = symtab_node::get_for_asmname(get_identifier(name));
	tree decl = node ? node->decl : NULL_TREE, ref;

	if (!decl) {
		decl = build_decl(UNKNOWN_LOCATION, VAR_DECL, get_identifier(name),
				  build_array_type(char_type_node, NULL_TREE));
		TREE_PUBLIC(decl) = DECL_EXTERNAL(decl) = DECL_ARTIFICIAL(decl) = DECL_IGNORED_P(decl) = 1;
		TREE_STATIC(decl) = 0;
		TREE_ADDRESSABLE(decl) = TREE_USED(decl) = 1;
		DECL_VISIBILITY(decl) = VISIBILITY_HIDDEN;
		DECL_VISIBILITY_SPECIFIED(decl) = 1;
		SET_DECL_ASSEMBLER_NAME(decl, get_identifier(name));
		varpool_node::get_create(decl);
	}
	ref = build2(MEM_REF, char_type_node, build_fold_addr_expr(decl), build_int_cst(ptr_type_node, at));
	return build1(ADDR_EXPR, ptr_type_node, ref);
}

tree asm_den_site(unsigned index)
{
	return data(SITES, index * (unsigned)sizeof(struct prs_den_site));
}

tree asm_den_group(unsigned at)
{
	return data(SETS, at * (unsigned)sizeof(uint32_t));
}

bool asm_den_compares(unsigned bits)
{
	return bits <= 32 || TARGET_SSE4_2;
}

static vec<const char *> strings;

/* A label for @text. */
static void string(const char *text)
{
	unsigned i = 0;

	while (i < strings.length() && strcmp(strings[i], text))
		i++;
	if (i == strings.length())
		strings.safe_push(text);
	fprintf(asm_out_file, "\t.quad\t.Lperseus_den_s%u\n", i);
}

void asm_den_begin(void)
{
	fprintf(asm_out_file, code, flag_pic && !flag_pie ? in_library : in_program);
	fputs("\t.section\t.data.rel.ro.local.perseus_den,\"aw\"\n"
	      "\t.p2align 5\n" SITES ":\n",
	      asm_out_file);
}

void asm_den_write_site(const struct prs_den_site *s)
{
	fprintf(asm_out_file, "\t.quad\t0x%llx\n\t.long\t%u, %u, %u, %u, %u, %u\n", (unsigned long long)s->id,
		s->kind, s->type, s->line, s->column, s->flags, s->operands);
	string(s->file);
	string(s->function);
	string(s->name);
}

void asm_den_slots(void)
{
	fputs("perseus_den_slots:\n", asm_out_file);
}

void asm_den_write_slot(unsigned site, unsigned role, unsigned operand)
{
	fprintf(asm_out_file, "\t.quad\t" SITES "+%u\n\t.long\t%u, %u\n",
		site * (unsigned)sizeof(struct prs_den_site), role, operand);
}

void asm_den_loops(void)
{
	fputs("perseus_den_loops:\n", asm_out_file);
}

/* Its begin, and that of its cold part.  Of several copies of a function the linker keeps one, by its name. */
void asm_den_write_loops(const char *name, bool several, unsigned number)
{
	fprintf(asm_out_file, "\t.ifdef\t%s\n", name);
	if (several)
		fprintf(asm_out_file, "\t.quad\t%s\n", name);
	else
		fprintf(asm_out_file,
			"\t.set\t.Lperseus_den_f%1$u, %2$s\n\t.quad\t.Lperseus_den_f%1$u\n"
			"\t.ifdef\t%2$s.cold\n\t.quad\t%2$s.cold\n\t.endif\n",
			number, name);
	fputs("\t.endif\n", asm_out_file);
}

void asm_den_end(unsigned mode, unsigned n_slots, const char *unit)
{
	fprintf(asm_out_file,
		"perseus_den_desc:\n\t.long\t%u, %u, %u, %u\n\t.quad\tperseus_den_slots, perseus_den_loops\n"
		"\t.quad\t(perseus_den_desc-perseus_den_loops)/8\n",
		PRS_DEN_VERSION, mode, n_slots, gates ? PRS_DEN_DESC_GATES : 0);
	string(unit);
	fputs("\t.zero\t8\n", asm_out_file);
	fprintf(asm_out_file, "\t.local\tperseus_den_nobody\n\t.comm\tperseus_den_nobody,%u,16\n",
		n_slots * 8);
	fputs("\t.section\t.rodata.perseus_den,\"a\"\n", asm_out_file);
	for (unsigned i = 0; i < strings.length(); i++) {
		fprintf(asm_out_file, ".Lperseus_den_s%u:\n\t.string\t\"", i);
		for (const char *c = strings[i]; *c; c++)
			fprintf(asm_out_file, *c == '"' || *c == '\\' || *c < ' ' ? "\\%03o" : "%c",
				(unsigned char)*c);
		fputs("\"\n", asm_out_file);
	}
	fputs("\t.text\n", asm_out_file);
}

void asm_den_write_groups(const unsigned *numbers, unsigned n)
{
	fputs(group_code, asm_out_file);
	fputs("\t.section\t.rodata.perseus_den_groups,\"a\"\n\t.p2align 3\n" SETS ":", asm_out_file);
	for (unsigned i = 0; i < n; i++)
		fprintf(asm_out_file, i % 16 ? ", %u" : "\n\t.long\t%u", numbers[i]);
	fputs("\n\t.text\n", asm_out_file);
}

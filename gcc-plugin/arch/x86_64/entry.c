/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * perseus-entry: what lets the runtime switch a plain body (perseus/abi.h, struct prs_entry).
 *
 * before             after
 *                    .LprsJ1: jmp f.perseus.0     at rest nobody comes here
 *     .p2align 4              .p2align 4
 *     f:             f:
 *     pushq %rbx     .LprsO1: rex pushq %rbx      becomes a jump to .LprsJ1
 *     ...                     ...
 *
 * So a plain body executes what the plain program does.  Its first instruction needs two
 * bytes, and nothing may jump to it: a push of one byte gets an empty prefix; in front of
 * assembler text, of other instructions of one byte and of a loop that begins with the
 * function stands a no-op.  GCC has a place for code in front of a function's label, the
 * area of -fpatchable-function-entry, whose users have one body.
 *
 * Where the runtime's jump stands, behind what -fcf-protection needs and in front of the
 * prologue, registers and stack are as the caller left them.  What callers may know of the
 * plain body beyond the convention (-fipa-ra: registers that it leaves alone; how
 * far it needs the stack aligned) they are told as if it were unknown, since the
 * twin has other instructions.
 */
#include "gcc-plugin/base/gcc-common.h"
#include "flags.h"
#include "recog.h"
#include "perseus/abi.h"
#include "gcc-plugin/base/bodies.h"
#include "gcc-plugin/base/pass.h"
#include "gcc-plugin/choice/options.h"
#include "gcc-plugin/arch/probe.h"
#include "gcc-plugin/arch/x86_64/cfi.h"
#include "gcc-plugin/arch/x86_64/entry.h"
#include "gcc-plugin/arch/x86_64/gcc-x86.h"
#include "gcc-plugin/arch/x86_64/stubs.h"

#define ENTRY ".LprsO"
#define FRONT ".LprsJ"

static bool aligned_here; /* not by GCC: the function's alignment comes behind the jump in front of it */

void entry_print(FILE *f, enum entry_first first)
{
	fprintf(f, "\t.p2align 1\n" ENTRY "%u:\n", bodies_number(current_function_decl));
	if (first == ENTRY_PREFIX)
		fputs("\t.byte\t0x40\n", f);
	else if (first == ENTRY_NOP)
		fputs("\t.byte\t0x66, 0x90\n", f);
}

/* What GCC has just printed, or would have: see varasm.c, assemble_start_function(). */
static void print_alignment(FILE *f, tree decl)
{
	int own = floor_log2(symtab_node::get(decl)->definition_alignment() / BITS_PER_UNIT);

	ASM_OUTPUT_ALIGN(f, MAX(own, 1));
	if (aligned_here && align_functions.levels[0].log > own && optimize_function_for_speed_p(cfun)) {
		ASM_OUTPUT_MAX_SKIP_ALIGN(f, align_functions.levels[0].log,
					  align_functions.levels[0].maxskip);
		ASM_OUTPUT_MAX_SKIP_ALIGN(f, align_functions.levels[1].log,
					  align_functions.levels[1].maxskip);
		ASM_OUTPUT_ALIGN(f, 1);
	}
	if (aligned_here)
		DECL_USER_ALIGN(decl) = 0;
}

bool entry_print_front(FILE *f)
{
	if (bodies_of(current_function_decl) != BODY_PLAIN)
		return false;
	if (cfi_used())
		fputs("\t.cfi_startproc\n", f);
	fprintf(f, FRONT "%u:\n\t.byte\t%u\n\t.long\t", bodies_number(current_function_decl),
		PRS_JUMP_OPCODE);
	assemble_name(f, bodies_twin_name(current_function_decl));
	fputs("-.-4\n", f);
	if (cfi_used())
		fputs("\t.cfi_endproc\n", f);
	print_alignment(f, current_function_decl);
	return true;
}

static void entry_print_record(FILE *f)
{
	unsigned n = bodies_number(current_function_decl);

	fprintf(f, "\t.balign\t8\n.LprsV%u:\n\t.quad\t0x%llx\n", n, PRS_ENTRY_MAGIC);
	fprintf(f, "\t.long\t0, " STUB_DESC "-.LprsV%u, " ENTRY "%u-.LprsV%u\n", n, n, n);
	for (int i = 0; i < 2; i++)
		fprintf(f, "\t.byte\t%u, " FRONT "%u-" ENTRY "%u-2\n", PRS_ENTRY_JUMP, n, n);
}

void entry_print_end(FILE *f)
{
	switch (bodies_of(current_function_decl)) {
	case BODY_TWIN:
		entry_print_record(f);
		break;
	case BODY_PLAIN:
		SET_HARD_REG_SET(cgraph_node::rtl_info(current_function_decl)->function_used_regs);
		break;
	case BODY_ONLY:
		break;
	}
}

/* The first of what @at and those behind it print; NULL: there may be a jump to it, or it is the programmer's. */
static rtx_insn *first_printed(rtx_insn *at)
{
	for (; at && !LABEL_P(at) && !BARRIER_P(at); at = NEXT_INSN(at)) {
		if (!NONDEBUG_INSN_P(at) || GET_CODE(PATTERN(at)) == USE || GET_CODE(PATTERN(at)) == CLOBBER)
			continue;
		if (asm_noperands(PATTERN(at)) >= 0 || recog_memoized(at) < 0)
			return NULL;
		if (get_attr_length(at) > 0)
			return at;
	}
	return NULL;
}

/* A push of one of the eight old registers, which is one byte. */
static bool pushes_old(rtx_insn *insn)
{
	rtx set = single_set(insn);

	return set && MEM_P(SET_DEST(set)) && GET_CODE(XEXP(SET_DEST(set), 0)) == PRE_DEC &&
	       LEGACY_INT_REG_P(SET_SRC(set));
}

static enum entry_first look_at_first(rtx_insn *at)
{
	rtx_insn *first = first_printed(at);

	if (!first || gcc_wide_registers())
		return ENTRY_NOP;
	if (pushes_old(first))
		return ENTRY_PREFIX;
	return get_attr_length(first) < 2 ? ENTRY_NOP : ENTRY_BARE;
}

static unsigned entry_execute(void)
{
	rtx_insn *at = get_insns();

	while (!NOTE_INSN_BASIC_BLOCK_P(at) && !LABEL_P(at))
		at = NEXT_INSN(at);
	if (LABEL_P(at)) /* the function begins with a loop, and the no-op in front of it */
		emit_insn_after(asm_entry(ENTRY_NOP), PREV_INSN(at));
	else
		emit_insn_after(asm_entry(look_at_first(at)), at);
	/* One no-op in front of the label and none behind it: print_patchable_function_entry() is called. */
	crtl->patch_area_size = crtl->patch_area_entry = 1;
	aligned_here = !DECL_USER_ALIGN(current_function_decl);
	DECL_USER_ALIGN(current_function_decl) = 1;
	/* Read once more, when callers are told: rest_of_clean_state(). */
	crtl->preferred_stack_boundary = MAX(crtl->preferred_stack_boundary, PREFERRED_STACK_BOUNDARY);
	return 0;
}

static const pass_data entry_data = {
	RTL_PASS, "perseus-entry", OPTGROUP_NONE, TV_NONE, PROP_rtl, 0, 0, 0, 0,
};

namespace
{
class pass_entry : public rtl_opt_pass
{
      public:
	pass_entry(gcc::context *ctxt) : rtl_opt_pass(entry_data, ctxt)
	{
	}
	bool gate(function *fun) final override
	{
		return bodies_of(fun->decl) == BODY_PLAIN;
	}
	unsigned int execute(function *) final override
	{
		return entry_execute();
	}
};
} // namespace

rtl_opt_pass *make_pass_entry(gcc::context *ctxt)
{
	return new pass_entry(ctxt);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * perseus-entry: the first instruction of a plain body is a no-op that the runtime
 * turns into a jump to the twin (perseus/abi.h, struct prs_nops).
 *
 * It stands in front of the prologue and behind what -fcf-protection needs, where
 * registers and stack are as the caller left them.  What callers may know of the
 * plain body beyond the convention (-fipa-ra: registers that it leaves alone; how
 * far it needs the stack aligned) they are told as if it were unknown, since the
 * twin has other instructions.
 */
#include "gcc-plugin/base/gcc-common.h"
#include "emit-rtl.h"
#include "perseus/abi.h"
#include "gcc-plugin/base/bodies.h"
#include "gcc-plugin/base/pass.h"
#include "gcc-plugin/choice/options.h"
#include "gcc-plugin/arch/probe.h"
#include "gcc-plugin/arch/x86_64/entry.h"
#include "gcc-plugin/arch/x86_64/gcc-x86.h"
#include "gcc-plugin/arch/x86_64/stubs.h"

#define ENTRY ".LprsO"

void entry_print(FILE *f)
{
	unsigned n = bodies_number(current_function_decl);

	fprintf(f, ENTRY "%u:\n\t.byte\t%d, 31, %d, %u\n\t.long\t", n, PRS_NOP_OPCODE, PRS_NOP_DISABLED,
		PRS_JUMP_OPCODE);
	assemble_name(f, bodies_twin_name(current_function_decl));
	fputs("-.-4\n", f);
}

static void entry_print_table(FILE *f)
{
	unsigned n = bodies_number(current_function_decl);

	fprintf(f, "\t.balign\t8\n.LprsV%u:\n\t.quad\t0x%llx\n", n, PRS_ENTRIES_MAGIC);
	fprintf(f, "\t.long\t1, " STUB_DESC "-.LprsV%u, 1, 1, " ENTRY "%u-.LprsV%u\n", n, n, n);
}

void entry_print_end(FILE *f)
{
	switch (bodies_of(current_function_decl)) {
	case BODY_TWIN:
		entry_print_table(f);
		break;
	case BODY_PLAIN:
		SET_HARD_REG_SET(cgraph_node::rtl_info(current_function_decl)->function_used_regs);
		break;
	case BODY_ONLY:
		break;
	}
}

static unsigned entry_execute(void)
{
	rtx_insn *at = get_insns();

	while (!NOTE_INSN_BASIC_BLOCK_P(at))
		at = NEXT_INSN(at);
	emit_insn_after(asm_entry(), at);
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

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * perseus-spare: which registers hold something where a call probe stands.
 *
 * An enabled probe changes registers that are free round a call as a rule.  Saying
 * so to the compiler would cost programs that nobody watches: where it knows
 * which registers a callee leaves alone (-fipa-ra), values stay in them over the
 * call, and with the probes' clobbers they would be pushed and popped instead.
 * So nothing is said, and after register allocation this pass asks what is live:
 * the cold part saves that and no more.
 *
 * The function's own callers may count on registers, too: on those of its
 * calling convention, which are saved, and under -fipa-ra on those that no
 * instruction of it changes.  A register that goes unsaved is therefore
 * named as changed once.
 */
#include "gcc-plugin/base/gcc-common.h"
#include "df.h"
#include "function-abi.h"
#include "gcc-plugin/arch/probe.h"
#include "gcc-plugin/choice/options.h"
#include "gcc-plugin/base/pass.h"
#include "gcc-plugin/arch/x86_64/gcc-x86.h"
#include "gcc-plugin/arch/x86_64/spare.h"

static const unsigned by_enter[] = {AX_REG, CX_REG, DX_REG, R10_REG, R11_REG};
static const unsigned by_leave[] = {AX_REG, CX_REG, DX_REG, SI_REG, DI_REG, R8_REG, R9_REG, R10_REG, R11_REG};

/* By insn of the present function: bit i for the i-th register of these. */
static vec<unsigned short> spare;

const unsigned *spare_changed(bool enter, unsigned *n)
{
	*n = enter ? ARRAY_SIZE(by_enter) : ARRAY_SIZE(by_leave);
	return enter ? by_enter : by_leave;
}

bool spare_must_save(rtx_insn *insn, unsigned i)
{
	unsigned uid = (unsigned)INSN_UID(insn);

	return uid >= spare.length() || !(spare[uid] & 1u << i);
}

/* May the function return with another value in @regno, going by its type? */
static bool convention_spares(unsigned regno)
{
	return gcc_caller_saves(cfun) && crtl->abi->clobbers_full_reg_p(regno);
}

/* @live: registers in use behind the probe. */
static void note_probe(rtx_insn *insn, bool enter, bitmap live, bitmap named)
{
	unsigned n, uid = (unsigned)INSN_UID(insn);
	const unsigned *regs = spare_changed(enter, &n);

	if (uid >= spare.length())
		return;
	for (unsigned i = 0; i < n; i++) {
		if (bitmap_bit_p(live, regs[i]) || !convention_spares(regs[i]))
			continue;
		spare[uid] |= (unsigned short)(1u << i);
		if (bitmap_set_bit(named, regs[i]))
			emit_insn_after(gen_hard_reg_clobber(DImode, regs[i]), insn);
	}
}

static void look_through(basic_block bb, bitmap live, bitmap named)
{
	rtx_insn *insn;
	bool enter;

	bitmap_copy(live, DF_LR_OUT(bb));
	df_simulate_initialize_backwards(bb, live);
	FOR_BB_INSNS_REVERSE(bb, insn)
	{
		if (!NONDEBUG_INSN_P(insn))
			continue;
		if (asm_call_probe(insn, &enter))
			note_probe(insn, enter, live, named);
		df_simulate_one_insn_backwards(bb, insn, live);
	}
}

static bool has_probes(void)
{
	bool enter;

	for (rtx_insn *insn = get_insns(); insn; insn = NEXT_INSN(insn))
		if (NONJUMP_INSN_P(insn) && asm_call_probe(insn, &enter))
			return true;
	return false;
}

static unsigned spare_execute(void)
{
	auto_bitmap live, named;
	basic_block bb;

	spare.truncate(0);
	if (!has_probes())
		return 0;
	spare.safe_grow_cleared((unsigned)get_max_uid(), true);
	df_analyze();
	FOR_EACH_BB_FN(bb, cfun)
	look_through(bb, live, named);
	return 0;
}

static const pass_data spare_data = {
	RTL_PASS, "perseus-spare", OPTGROUP_NONE, TV_NONE, PROP_rtl, 0, 0, 0, 0,
};

namespace
{
class pass_spare : public rtl_opt_pass
{
      public:
	pass_spare(gcc::context *ctxt) : rtl_opt_pass(spare_data, ctxt)
	{
	}
	bool gate(function *) final override
	{
		return prs_opt.calls && !seen_error();
	}
	unsigned int execute(function *) final override
	{
		return spare_execute();
	}
};
} // namespace

rtl_opt_pass *make_pass_spare(gcc::context *ctxt)
{
	return new pass_spare(ctxt);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The last pass over a function's instructions before they are printed, when
 * every register has its final use: which ones hold nothing at a memory probe?
 *
 * Registers that a call destroys are taken, and others that the function has saved
 * when it began.  One that is not saved yet may hold nothing on the way to a call that
 * never returns, and still be what an exception thrown there must restore.
 *
 * What is taken is added to the probe as a clobber: nobody looks at it here any
 * more, but -fipa-ra tells callers which registers a function leaves alone.
 */
#include "gcc-plugin/base/gcc-common.h"
#include "df.h"
#include "function-abi.h"
#include "gcc-plugin/arch/probe.h"
#include "gcc-plugin/choice/options.h"
#include "gcc-plugin/base/pass.h"
#include "gcc-plugin/arch/x86_64/gcc-x86.h"
#include "gcc-plugin/arch/x86_64/scratch.h"

/*
 * Those first that code uses last: where they are free nearly everywhere, a few test
 * routines do for nearly all probes.
 */
static const unsigned candidates[] = {R11_REG, R10_REG, R9_REG,  R8_REG,  DI_REG,  SI_REG,  DX_REG, CX_REG,
				      AX_REG,  BX_REG,  R12_REG, R13_REG, R14_REG, R15_REG, BP_REG};

#define HOT_TIMES 8 /* the function's entry */

static vec<scratch> found; /* by number of the instruction */
static HARD_REG_SET saved; /* in front of all that the function does */

struct scratch scratch_of(const rtx_insn *insn)
{
	static const struct scratch none = {0, {0, 0, 0}, false};

	return (unsigned)INSN_UID(insn) < found.length() ? found[INSN_UID(insn)] : none;
}

void scratch_reset(void)
{
	found.truncate(0);
}

/* Does the function change @reg without being asked what was in it? */
static bool expendable(unsigned reg)
{
	return !fixed_regs[reg] && !global_regs[reg] &&
	       (crtl->abi->clobbers_full_reg_p(reg) || TEST_HARD_REG_BIT(saved, reg));
}

static void note_store(rtx to, const_rtx set, void *)
{
	if (MEM_P(to) && GET_CODE(set) == SET && REG_P(SET_SRC(set)))
		SET_HARD_REG_BIT(saved, REGNO(SET_SRC(set)));
}

/* What is saved by the beginning of the function, if that is where all of it is. */
static void find_saved(void)
{
	rtx_insn *insn;

	CLEAR_HARD_REG_SET(saved);
	if (crtl->shrink_wrapped || crtl->shrink_wrapped_separate || crtl->calls_eh_return)
		return;
	for (insn = get_insns(); insn; insn = NEXT_INSN(insn)) {
		if (NOTE_P(insn) && NOTE_KIND(insn) == NOTE_INSN_PROLOGUE_END) {
			if (frame_pointer_needed)
				CLEAR_HARD_REG_BIT(saved, HARD_FRAME_POINTER_REGNUM);
			return;
		}
		if (INSN_P(insn) && RTX_FRAME_RELATED_P(insn))
			note_stores(insn, note_store, NULL);
	}
	/* It has none. */
	CLEAR_HARD_REG_SET(saved);
}

static bool pick(struct scratch *s, bitmap before, bitmap after)
{
	for (unsigned i = 0; i < ARRAY_SIZE(candidates) && s->n < SCRATCH_MAX; i++) {
		unsigned reg = candidates[i];

		if (expendable(reg) && !REGNO_REG_SET_P(before, reg) && !REGNO_REG_SET_P(after, reg))
			s->reg[s->n++] = reg;
	}
	return s->n == SCRATCH_MAX;
}

static void say_clobbered(rtx_insn *insn, const struct scratch *s)
{
	rtx old = PATTERN(insn), now;
	unsigned n = GET_CODE(old) == PARALLEL ? XVECLEN(old, 0) : 1;

	now = gen_rtx_PARALLEL(VOIDmode, rtvec_alloc(n + s->n));
	for (unsigned i = 0; i < n; i++)
		XVECEXP(now, 0, i) = GET_CODE(old) == PARALLEL ? XVECEXP(old, 0, i) : old;
	for (unsigned i = 0; i < s->n; i++)
		XVECEXP(now, 0, n + i) = gen_rtx_CLOBBER(VOIDmode, gen_rtx_REG(DImode, s->reg[i]));
	PATTERN(insn) = now;
}

/* Is in a loop that turns often: an own test is a tenth faster, and three times as long. */
static bool is_hot(basic_block bb)
{
	profile_count entry = ENTRY_BLOCK_PTR_FOR_FN(cfun)->count;

	return optimize_bb_for_speed_p(bb) && bb->count.initialized_p() && entry.initialized_p() &&
	       bb->count >= entry.apply_scale(HOT_TIMES, 1);
}

static void scratch_look_at(rtx_insn *insn, bitmap before, bitmap after, bool hot)
{
	struct scratch s = {0, {0, 0, 0}, hot};

	pick(&s, before, after);
	if (found.length() <= (unsigned)INSN_UID(insn))
		found.safe_grow_cleared(INSN_UID(insn) + 1, false);
	found[INSN_UID(insn)] = s;
	if (s.n)
		say_clobbered(insn, &s);
}

static void search(basic_block bb)
{
	auto_bitmap before, after;
	bool hot = is_hot(bb);
	rtx_insn *insn, *next;

	bitmap_copy(before, DF_LR_OUT(bb));
	df_simulate_initialize_backwards(bb, before);
	FOR_BB_INSNS_REVERSE_SAFE(bb, insn, next)
	{
		if (!NONDEBUG_INSN_P(insn))
			continue;
		bitmap_copy(after, before);
		df_simulate_one_insn_backwards(bb, insn, before);
		if (asm_is_mem(insn))
			scratch_look_at(insn, before, after, hot);
	}
}

static bool any_probe(basic_block bb)
{
	rtx_insn *insn;

	FOR_BB_INSNS(bb, insn)
	if (NONDEBUG_INSN_P(insn) && asm_is_mem(insn))
		return true;
	return false;
}

static void search_all(function *fun)
{
	auto_vec<basic_block, 32> blocks;
	basic_block bb;

	FOR_EACH_BB_FN(bb, fun)
	if (any_probe(bb))
		blocks.safe_push(bb);
	if (!blocks.length())
		return;
	df_analyze();
	find_saved();
	for (unsigned i = 0; i < blocks.length(); i++)
		search(blocks[i]);
}

static const pass_data scratch_data = {
	RTL_PASS, "perseus-scratch", OPTGROUP_NONE, TV_NONE, 0, 0, 0, 0, 0,
};

namespace
{
class pass_scratch : public rtl_opt_pass
{
      public:
	pass_scratch(gcc::context *ctxt) : rtl_opt_pass(scratch_data, ctxt)
	{
	}
	/* A handler of interrupts saves what it uses, and that is decided already. */
	bool gate(function *fun) final override
	{
		return prs_opt.memory && !seen_error() && fun->machine->func_type == TYPE_NORMAL &&
		       gcc_caller_saves(fun);
	}
	unsigned int execute(function *fun) final override
	{
		search_all(fun);
		return 0;
	}
};
} // namespace

rtl_opt_pass *make_pass_scratch(gcc::context *ctxt)
{
	return new pass_scratch(ctxt);
}

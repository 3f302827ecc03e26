// SPDX-License-Identifier: MIT
/* SIGFPE: count what the instruction raised, and let its copy go on. */
#include "runtime/denormal/trap/trap.h"

#define TRAP_SIMD 19 /* of the processor: SIMD floating-point exception */

/* The program's own underflow flag is gone from @mxcsr, where this instruction alone set it. */
static uint32_t program_flags(uint32_t mxcsr, const struct _libc_fpstate *fp)
{
	/* The C library, where it finds underflow unmasked, raises it on the x87 as well. */
	if ((trap_here.mxcsr | fp->swd) & MXCSR_UE)
		return mxcsr;
	return mxcsr & ~MXCSR_UE;
}

static bool ours(const siginfo_t *info, const ucontext_t *u, uint32_t mxcsr)
{
	return info->si_code > 0 && u->uc_mcontext.gregs[REG_TRAPNO] == TRAP_SIMD && !trap_here.disarmed &&
	       mxcsr & ~mxcsr >> 7 & (MXCSR_DE | MXCSR_UE);
}

/* A thread that nobody announced: made by clone(). */
static struct den_trap *announce(void)
{
	trap_here.inside++;
	den_self();
	trap_here.inside--;
	return trap_here.traps;
}

static void look_at(struct den_trap *t, uint32_t mxcsr)
{
	uint32_t flush = mxcsr & (MXCSR_FTZ | MXCSR_DAZ) & ~t->self->item->mxcsr_seen;

	if (!flush)
		return;
	t->self->item->mxcsr_seen |= flush;
	trap_note(PRS_DEN_NOTE_FTZ, flush);
}

static bool count(struct den_trap *t, ucontext_t *u)
{
	struct _libc_fpstate *fp = u->uc_mcontext.fpregs;
	uint64_t address = (uint64_t)u->uc_mcontext.gregs[REG_RIP];
	struct trap_here *here = &trap_here;
	struct prs_den_trap_row *row;
	struct trap_site *site;
	struct trap_stub *stub;
	unsigned lanes;

	if (!trap_find(t, address, &site, &row))
		return false;
	stub = trap_site_stub(site, (uint8_t)(fp->mxcsr >> 8 & ~(MXCSR_MASKS >> 8)));
	if (!stub)
		return false;
	lanes = fp->mxcsr & MXCSR_DE ? trap_lanes(site, u) : 0;
	/* Its operand could not be looked at, and only an operand stops it without a tiny result. */
	if (!lanes && !(fp->mxcsr & MXCSR_UE))
		lanes = 1;
	if (lanes) {
		row->operands++;
		row->lanes += lanes;
	} else {
		row->results++;
		fp->mxcsr = program_flags(fp->mxcsr, fp);
	}
	here->row = row;
	here->lanes = lanes;
	fp->mxcsr |= MXCSR_MASKS;
	u->uc_mcontext.gregs[REG_RIP] = (greg_t)(uint64_t)stub->code;
	return true;
}

void trap_fault(int sig, siginfo_t *info, void *context)
{
	ucontext_t *u = context;
	struct _libc_fpstate *fp = u->uc_mcontext.fpregs;
	struct den_trap *t = trap_here.traps;

	if (!ours(info, u, fp->mxcsr)) {
		trap_forward(sig, info, u);
		return;
	}
	if (!trap.aside) {
		t = t ? t : announce();
		if (t) {
			look_at(t, fp->mxcsr);
			if (trap_sample_rests()) {
				fp->mxcsr = program_flags(fp->mxcsr, fp) | MXCSR_MASKS;
				return;
			}
			if (count(t, u))
				return;
			trap_note(PRS_DEN_NOTE_DECODE, (uint64_t)u->uc_mcontext.gregs[REG_RIP]);
		}
	}
	/* The instruction is done as if it had never been stopped, and so is all that follows in this thread. */
	trap_here.disarmed = true;
	fp->mxcsr = program_flags(fp->mxcsr, fp) | MXCSR_MASKS;
}

void trap_leave_stub(ucontext_t *u)
{
	struct _libc_fpstate *fp = u->uc_mcontext.fpregs;
	struct trap_here *here = &trap_here;
	uint64_t origin;
	bool done;

	if (!trap_stub_origin((uint64_t)u->uc_mcontext.gregs[REG_RIP], &origin, &done))
		return;
	u->uc_mcontext.gregs[REG_RIP] = (greg_t)origin;
	if (!trap.aside)
		fp->mxcsr &= ~MXCSR_MASKS;
	if (done) {
		here->mxcsr = fp->mxcsr;
		return;
	}
	/* It will trap again and is counted then. */
	if (here->lanes) {
		here->row->operands--;
		here->row->lanes -= here->lanes;
	} else {
		here->row->results--;
	}
}

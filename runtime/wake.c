/* SPDX-License-Identifier: MIT */
/*
 * A no-op becomes a jump in three steps, each of which another thread may run
 * into: 0f 1f 44 00 00 -> a9 1f 44 00 00 -> a9 <rel32> -> e9 <rel32>, that is
 * no-op, test of a number that nobody looks at, test of another, jump.  The
 * first and the last write one byte, the middle one writes bytes that mean
 * nothing.  Between the steps every processor that runs a thread of ours is
 * told to forget what it has fetched (membarrier, SYNC_CORE); processors do
 * not promise to notice by themselves.
 *
 * A system that refuses writable code (SELinux, MemoryDenyWriteExecute) is
 * asked once per module and obeyed: /proc/self/mem would get round it.
 */
#include "runtime/wake.h"

#define PAGE_MASK ((uint64_t)PRS_PAGE_BYTES - 1)

#define MEMBARRIER_SYNC_CORE     (1 << 5)
#define MEMBARRIER_REGISTER_CORE (1 << 6)

enum step { STEP_TEST, STEP_OFFSET, STEP_JUMP };

/* Kept inverted: in a static program this constant must not look like a table. */
static const volatile uint64_t not_magic = ~PRS_NOPS_MAGIC;

static bool single_threaded(void)
{
	struct stat st;

	/* The links of this directory are itself, its parent, and one per thread. */
	return !sys_stat("/proc/self/task", &st) && st.st_nlink == 3;
}

static bool barrier_ready(void)
{
	return rt_syscall(SYS_membarrier, MEMBARRIER_REGISTER_CORE, 0, 0, 0, 0, 0) == 0 || single_threaded();
}

static void processors_forget(void)
{
	rt_syscall(SYS_membarrier, MEMBARRIER_SYNC_CORE, 0, 0, 0, 0, 0);
}

static bool protect(uint64_t start, uint64_t end, int prot)
{
	start &= ~PAGE_MASK;
	end = (end + PAGE_MASK) & ~PAGE_MASK;
	return rt_syscall(SYS_mprotect, (long)start, (long)(end - start), prot, 0, 0, 0) == 0;
}

/* The next table at or behind @at, NULL: none before @end. */
static const struct prs_nops *next_table(uint64_t at, uint64_t end)
{
	const uint64_t magic = ~not_magic;

	for (at = (at + 7) & ~7ull; at + sizeof(struct prs_nops) <= end; at += 8) {
		const struct prs_nops *t = (const struct prs_nops *)at;

		if (t->magic == magic && t->n <= (end - at - sizeof(*t)) / sizeof(t->nop[0]))
			return t;
	}
	return NULL;
}

static bool holds(const struct rt_code *code, uint64_t place)
{
	for (uint32_t i = 0; i < code->n; i++)
		if (place >= code->segment[i].start && place + PRS_NOP_BYTES <= code->segment[i].end)
			return true;
	return false;
}

static bool is_nop(const unsigned char *p)
{
	return p[0] == PRS_NOP_OPCODE && p[1] == 0x1f && p[2] == 0x44 && !p[3] && !p[4];
}

/* Do @what at one place; false: it is not as the step before left it. */
static bool step_place(const struct rt_code *code, const struct prs_nops *t, uint32_t i, enum step what)
{
	uint64_t at = (uint64_t)t + (uint64_t)(int64_t)t->nop[i].place;
	uint64_t to = (uint64_t)t + (uint64_t)(int64_t)t->nop[i].cold;
	unsigned char *p = (unsigned char *)at;
	uint32_t offset = (uint32_t)(to - at - PRS_NOP_BYTES);

	if (!holds(code, at) || !holds(code, to))
		return false;
	if (what == STEP_TEST) {
		if (!is_nop(p))
			return false;
		rt_store(p, PRS_TEST_OPCODE);
		return true;
	}
	if (*p != PRS_TEST_OPCODE)
		return false;
	if (what == STEP_JUMP) {
		rt_store(p, PRS_JUMP_OPCODE);
		return true;
	}
	for (uint32_t b = 0; b < 4; b++)
		rt_store(p + 1 + b, (unsigned char)(offset >> 8 * b));
	return true;
}

static bool step_segment(const struct rt_code *code, uint32_t segment, enum step what)
{
	uint64_t at = code->segment[segment].start, end = code->segment[segment].end;
	const struct prs_nops *t;
	bool all = true;

	while ((t = next_table(at, end))) {
		for (uint32_t i = 0; i < t->n; i++)
			all &= step_place(code, t, i, what);
		at = (uint64_t)&t->nop[t->n];
	}
	return all;
}

/* Code may be for execution only, and processors can enforce it. */
static bool readable(const struct rt_code *code)
{
	for (uint32_t i = 0; i < code->n; i++)
		if (!(code->segment[i].prot & PROT_READ))
			return false;
	return true;
}

static bool any_table(const struct rt_code *code)
{
	for (uint32_t i = 0; i < code->n; i++)
		if (next_table(code->segment[i].start, code->segment[i].end))
			return true;
	return false;
}

/* Give each segment the protection it had, and if @writable is set one to write with, too. */
static bool protect_all(const struct rt_code *code, uint32_t n, int more)
{
	for (uint32_t i = 0; i < n; i++) {
		if (protect(code->segment[i].start, code->segment[i].end, code->segment[i].prot | more))
			continue;
		if (more)
			protect_all(code, i + 1, 0); /* what was refused may have been done in part */
		return false;
	}
	return true;
}

enum rt_wake wake_module(const struct rt_code *code)
{
	bool all = true;

	if (!readable(code))
		return WAKE_REFUSED;
	if (!any_table(code))
		return WAKE_ALL;
	if (!barrier_ready() || !protect_all(code, code->n, PROT_WRITE))
		return WAKE_REFUSED;
	for (int what = STEP_TEST; what <= STEP_JUMP; what++) {
		for (uint32_t i = 0; i < code->n; i++)
			all &= step_segment(code, i, (enum step)what);
		processors_forget();
	}
	protect_all(code, code->n, 0);
	return all ? WAKE_ALL : WAKE_PART;
}

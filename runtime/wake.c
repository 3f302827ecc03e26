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
 *
 * What waits for bursts (burst.c) stops before the last step, and the pages of
 * such a module stay writable.
 */
#include "runtime/attach.h"
#include "runtime/sharing.h"
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
	return rt_syscall3(SYS_membarrier, MEMBARRIER_REGISTER_CORE, 0, 0) == 0 || single_threaded();
}

void wake_barrier(void)
{
	rt_syscall3(SYS_membarrier, MEMBARRIER_SYNC_CORE, 0, 0);
}

static bool protect(uint64_t start, uint64_t end, int prot)
{
	start &= ~PAGE_MASK;
	end = (end + PAGE_MASK) & ~PAGE_MASK;
	return rt_syscall3(SYS_mprotect, (long)start, (long)(end - start), prot) == 0;
}

static bool sharing_direct(void)
{
	return rt.sharing_mode == PRS_SHARING_PRECISE;
}

void wake_table(const void *at, struct rt_table *t)
{
	const struct prs_nops *n = at;

	t->at = (uint64_t)at;
	t->nop = n->nop;
	t->n = n->n;
	t->n_notes = n->n_notes & ~PRS_NOPS_CALLS;
	t->n_jump = sharing_all() ? n->n : sharing_direct() ? n->n_direct : t->n_notes;
	t->opcode = n->n_notes & PRS_NOPS_CALLS ? PRS_CALL_OPCODE : PRS_JUMP_OPCODE;
	t->desc = (struct prs_desc *)(t->at + (uint64_t)(int64_t)n->desc);
	t->end = (uint64_t)&t->nop[t->n];
}

/* The descriptor that a table names is one: it lies where the module writes, and its version has such tables. */
static bool has_descriptor(const struct rt_code *code, const struct rt_table *t)
{
	uint64_t at = (uint64_t)t->desc;

	for (uint32_t i = 0; i < code->n_data; i++)
		if (at >= code->data[i].start && at < code->data[i].end &&
		    code->data[i].end - at >= sizeof(*t->desc))
			return at % 64 == 0 && t->desc->version == PRS_ABI_VERSION;
	return false;
}

/* The first table at or behind @at; false: there is none before @end. */
static bool next_table(uint64_t at, uint64_t end, struct rt_table *t)
{
	for (at = (at + 7) & ~7ull; at + sizeof(struct prs_nops) <= end; at += 8) {
		if (*(const uint64_t *)at != ~not_magic)
			continue;
		wake_table((const void *)at, t);
		if (t->n <= (end - (uint64_t)t->nop) / sizeof(t->nop[0]) && t->n_jump <= t->n)
			return true;
	}
	return false;
}

bool wake_each(const struct rt_code *code, wake_fn *f, void *arg)
{
	bool all = true;

	for (uint32_t i = 0; i < code->n; i++) {
		struct rt_table t;

		for (uint64_t at = code->segment[i].start; next_table(at, code->segment[i].end, &t);
		     at = t.end)
			all &= f(code, &t, arg);
	}
	return all;
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

static unsigned char *place_of(const struct rt_table *t, uint32_t i)
{
	return (unsigned char *)(t->at + (uint64_t)(int64_t)t->nop[i].place);
}

/* What a jump from one place to its cold part says. */
static uint32_t offset_of(const struct rt_table *t, uint32_t i)
{
	return (uint32_t)((uint32_t)t->nop[i].cold - (uint32_t)t->nop[i].place - PRS_NOP_BYTES);
}

static bool inside(const struct rt_code *code, const struct rt_table *t, uint32_t i)
{
	return holds(code, (uint64_t)place_of(t, i)) &&
	       holds(code, t->at + (uint64_t)(int64_t)t->nop[i].cold);
}

/* Do @what at one place; false: it is not as the step before left it. */
static bool step_place(const struct rt_code *code, const struct rt_table *t, uint32_t i, enum step what)
{
	unsigned char *p = place_of(t, i);
	uint32_t offset = offset_of(t, i);

	if (!inside(code, t, i))
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
		rt_store(p, i < t->n_notes ? PRS_JUMP_OPCODE : t->opcode);
		return true;
	}
	for (uint32_t b = 0; b < 4; b++)
		rt_store(p + 1 + b, (unsigned char)(offset >> 8 * b));
	return true;
}

bool wake_waits(const struct rt_code *code, const struct rt_table *t)
{
	for (uint32_t i = t->n_jump; i < t->n; i++)
		if (!inside(code, t, i) || *place_of(t, i) != PRS_TEST_OPCODE)
			return false;
	return true;
}

static bool step_table(const struct rt_code *code, const struct rt_table *t, void *arg)
{
	enum step what = *(const enum step *)arg;
	uint32_t n = what == STEP_JUMP ? t->n_jump : t->n;
	bool all = has_descriptor(code, t), some = false;

	for (uint32_t i = 0; all && i < n; i++)
		some |= !step_place(code, t, i, what);
	return all && !some;
}

/* Cold parts look into descriptors that are not attached yet. */
static bool fill_table(const struct rt_code *code, const struct rt_table *t, void *arg)
{
	(void)arg;
	if (has_descriptor(code, t))
		attach_fill(t->desc);
	return true;
}

/* What there is: tables, and places that wait for bursts. */
struct found {
	bool tables, waits;
};

static bool look_at_table(const struct rt_code *code, const struct rt_table *t, void *arg)
{
	struct found *f = arg;

	(void)code;
	f->tables = true;
	f->waits |= t->n_jump < t->n;
	return true;
}

/* Code may be for execution only, and processors can enforce it. */
static bool readable(const struct rt_code *code)
{
	for (uint32_t i = 0; i < code->n; i++)
		if (!(code->segment[i].prot & PROT_READ))
			return false;
	return true;
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
	struct found found = {false, false};
	bool all = true;

	if (!readable(code))
		return WAKE_REFUSED;
	wake_each(code, look_at_table, &found);
	if (!found.tables)
		return WAKE_ALL;
	if (!barrier_ready() || !protect_all(code, code->n, PROT_WRITE))
		return WAKE_REFUSED;
	wake_each(code, fill_table, NULL);
	for (enum step what = STEP_TEST; what <= STEP_JUMP; what++) {
		all &= wake_each(code, step_table, &what);
		wake_barrier();
	}
	if (!found.waits) /* bursts write again and again */
		protect_all(code, code->n, 0);
	return all ? WAKE_ALL : WAKE_PART;
}

/* SPDX-License-Identifier: MIT */
/*
 * A no-op becomes a jump by one byte, so whatever another thread runs into is one
 * or the other.  Then every processor that runs a thread of ours is told to
 * forget what it has fetched (membarrier, SYNC_CORE); processors do not promise
 * to notice by themselves.  The two bytes at the entry of a function with two bodies
 * are one store to an even address, and one instruction or its beginning.
 *
 * A system that refuses writable code (SELinux, MemoryDenyWriteExecute) is
 * asked once per module and obeyed: /proc/self/mem would get round it.
 *
 * What waits for bursts (burst.c) is left disabled, and the pages of such a module
 * stay writable.  So does everything but heap notes in a process
 * of one thread, which has nobody to share with, until there is another.
 */
#include "runtime/memory/sharing.h"
#include "runtime/memory/enable.h"

#define PAGE_MASK ((uint64_t)PRS_PAGE_BYTES - 1)

#define MEMBARRIER_SYNC_CORE     (1 << 5)
#define MEMBARRIER_REGISTER_CORE (1 << 6)

/* Kept inverted: in a static program these constants must not look like tables. */
static uint64_t magic(enum rt_what what)
{
	uint64_t inverted = what == ENABLE_PROBES ? ~PRS_NOPS_MAGIC : ~PRS_ENTRY_MAGIC;

	__asm__("" : "+r"(inverted));
	return ~inverted;
}

bool enable_alone(void)
{
	struct stat st;

	/* The links of this directory are itself, its parent, and one per thread. */
	return !sys_stat("/proc/self/task", &st) && st.st_nlink == 3;
}

static bool barrier_ready(void)
{
	return rt_syscall3(SYS_membarrier, MEMBARRIER_REGISTER_CORE, 0, 0) == 0 || enable_alone();
}

void enable_barrier(void)
{
	rt_syscall3(SYS_membarrier, MEMBARRIER_SYNC_CORE, 0, 0);
}

static bool protect(uint64_t start, uint64_t end, int prot)
{
	start &= ~PAGE_MASK;
	end = (end + PAGE_MASK) & ~PAGE_MASK;
	return rt_syscall3(SYS_mprotect, (long)start, (long)(end - start), prot) == 0;
}

/* How many of a table's places are jumps while no burst is on. */
static uint32_t enabled_of(const struct prs_nops *n, bool direct)
{
	return sharing_all() ? n->n : direct ? n->n_direct : n->n_notes;
}

void enable_table(const void *at, struct rt_table *t)
{
	const struct prs_nops *n = at;

	t->at = (uint64_t)at;
	t->place = n->place;
	t->n = n->n;
	t->n_notes = n->n_notes;
	t->n_keep = enabled_of(n, sharing.mode == PRS_SHARING_PRECISE);
	t->n_jump = enabled_of(n, sharing_direct());
	t->n_now = sharing.alone ? t->n_notes : t->n_jump;
	t->desc = (struct prs_desc *)(t->at + (uint64_t)(int64_t)n->desc);
	t->end = (uint64_t)&t->place[t->n];
}

/*
 * The descriptor that a table names is one: it lies where the module writes, and its version has such tables.
 * Zero: its object's constructor comes later.
 */
static bool has_descriptor(const struct rt_code *code, const struct rt_table *t)
{
	uint64_t at = (uint64_t)t->desc;

	for (uint32_t i = 0; i < code->n_data; i++)
		if (at >= code->data[i].start && at < code->data[i].end &&
		    code->data[i].end - at >= sizeof(*t->desc))
			return at % 64 == 0 && (!t->desc->version || t->desc->version == PRS_ABI_VERSION);
	return false;
}

/* The first table at or behind @at; false: there is none before @end. */
static bool next_table(uint64_t at, uint64_t end, struct rt_table *t, uint64_t word)
{
	/* As a table the record of an entry has no places, and that is its end. */
	for (at = (at + 7) & ~7ull; at + sizeof(struct prs_nops) <= end; at += 8) {
		if (*(const uint64_t *)at != word)
			continue;
		enable_table((const void *)at, t);
		if (!t->n || (t->n <= (end - (uint64_t)t->place) / sizeof(t->place[0]) && t->n_jump <= t->n))
			return true;
	}
	return false;
}

static bool each(const struct rt_code *code, enum rt_what what, enable_fn *f, void *arg)
{
	uint64_t word = magic(what);
	bool all = true;

	for (uint32_t i = 0; i < code->n; i++) {
		struct rt_table t;

		for (uint64_t at = code->segment[i].start; next_table(at, code->segment[i].end, &t, word);
		     at = t.end)
			all &= f(code, &t, arg);
	}
	return all;
}

bool enable_each(const struct rt_code *code, enable_fn *f, void *arg)
{
	return each(code, ENABLE_PROBES, f, arg);
}

static bool enable_holds(const struct rt_code *code, uint64_t place, uint64_t bytes)
{
	for (uint32_t i = 0; i < code->n; i++)
		if (place >= code->segment[i].start && place < code->segment[i].end &&
		    code->segment[i].end - place >= bytes)
			return true;
	return false;
}

/* The place if it holds what the compiler wrote, enabled or not, or NULL. */
static const unsigned char *place_of(const struct rt_code *code, const struct rt_table *t, uint32_t i)
{
	uint64_t at = t->at + (uint64_t)(int64_t)t->place[i];
	const unsigned char *p = (const unsigned char *)at;
	int32_t offset;

	if (!enable_holds(code, at, PRS_NOP_BYTES) || p[0] != PRS_NOP_OPCODE || p[1] != 0x1f ||
	    (p[PRS_NOP_SWITCH] != PRS_NOP_DISABLED && p[PRS_NOP_SWITCH] != PRS_NOP_ENABLED) ||
	    (p[3] != PRS_JUMP_OPCODE && p[3] != PRS_CALL_OPCODE))
		return NULL;
	offset = (int32_t)(p[4] | p[5] << 8 | p[6] << 16 | (uint32_t)p[7] << 24);
	return enable_holds(code, at + PRS_NOP_BYTES + (uint64_t)(int64_t)offset, 1) ? p : NULL;
}

/* Those places from @from to @to that are below @end become jumps, the others are to be no-ops. */
static bool enable_some(const struct rt_code *code, const struct rt_table *t, uint32_t from, uint32_t to,
			uint32_t end)
{
	bool all = has_descriptor(code, t), some = false;

	for (uint32_t i = from; all && i < to; i++) {
		const unsigned char *p = place_of(code, t, i);
		bool good = p && p[PRS_NOP_SWITCH] != PRS_NOP_ENABLED;

		some |= !good;
		if (good && i < end)
			enable_place(t, i, true);
	}
	return all && !some;
}

bool enable_waits(const struct rt_code *code, const struct rt_table *t)
{
	for (uint32_t i = t->n_keep; i < t->n; i++)
		if (!place_of(code, t, i))
			return false;
	return true;
}

static bool enable_now(const struct rt_code *code, const struct rt_table *t, void *arg)
{
	(void)arg;
	return enable_some(code, t, 0, t->n, t->n_now);
}

/* A function begins in the other of its bodies, *@arg: the probed one. */
static bool enable_entry(const struct rt_code *code, const struct rt_table *t, void *arg)
{
	struct prs_entry *e = (struct prs_entry *)t->at;
	uint16_t *first = (uint16_t *)(t->at + (uint64_t)(int64_t)e->place), was;
	uint64_t end = (uint64_t)first + 2, front = end + (uint64_t)(int64_t)(signed char)(e->jump >> 8);

	if (!has_descriptor(code, t) || !enable_holds(code, front, end - front) ||
	    *(const unsigned char *)front != PRS_JUMP_OPCODE || (*first == e->jump) == *(const bool *)arg)
		return false;
	was = *first;
	rt_store(first, e->other);
	e->other = was;
	return true;
}

/* Cold parts look into descriptors that are not attached yet. */
static bool fill_table(const struct rt_code *code, const struct rt_table *t, void *arg)
{
	(void)arg;
	if (has_descriptor(code, t))
		sharing_objects.fill(t->desc);
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
	f->waits |= t->n_now < t->n || t->n_keep < t->n;
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

/* All is written that is to be: bursts write again and again. */
static void written(const struct rt_code *code)
{
	enable_barrier();
	if (!code->waits)
		protect_all(code, code->n, 0);
}

enum rt_enable enable_module(struct rt_code *code, enum rt_what what)
{
	struct found found = {false, false};
	bool all, enabled = what != DISABLE_TWINS;

	if (!readable(code))
		return ENABLE_REFUSED;
	each(code, what, look_at_table, &found);
	if (!found.tables)
		return ENABLE_ALL;
	if (!barrier_ready() || !protect_all(code, code->n, PROT_WRITE))
		return ENABLE_REFUSED;
	if (what == ENABLE_PROBES)
		enable_each(code, fill_table, NULL);
	all = each(code, what, what == ENABLE_PROBES ? enable_now : enable_entry, &enabled);
	code->waits |= found.waits;
	written(code);
	return all ? ENABLE_ALL : ENABLE_PART;
}

static bool enable_others(const struct rt_code *code, const struct rt_table *t, void *arg)
{
	*(bool *)arg |= t->n_keep < t->n;
	return enable_some(code, t, t->n_notes, t->n_jump, t->n_jump);
}

bool enable_rest(struct rt_code *code)
{
	bool all;

	code->waits = false;
	all = enable_each(code, enable_others, &code->waits);
	written(code);
	return all;
}

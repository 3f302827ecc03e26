/* SPDX-License-Identifier: MIT */
/*
 * A test-only runtime: counts what the probes of a program deliver and writes
 * the sums to the file named by FAKE_OUT at exit.  It knows nothing but
 * perseus/abi.h, and times every call, so that each enter meets its leave.
 *
 *   enter N leave N depth-errors N mem N note-alloc N note-free N bad-note N
 *   site UNIT SLOT N        calls seen per slot
 *   access UNIT SLOT N KIND BYTES   calls of mem() per site
 *   range UNIT SLOT N BYTES TIMES   calls of range() per site, sums of what they were told
 *
 * FAKE_SHARING=1 turns the memory probes on, and no access hits, so that each is
 * counted; =hit: as a sharing run has it; =loops: the same, doubled loops run their watched
 * copy; =direct: burst probes and ranges stay asleep; =precise: burst probes do.
 * A program that has a function prs_seen() (and is linked with -rdynamic) is told
 * of each access and range.  FAKE_UNWIND=1 walks the stack from
 * every hook, through stub and probe: `unwound N lost N` tells how many walks
 * reached main() (of a program linked with -rdynamic); `woken N` how many no-ops
 * were turned into jumps.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <dlfcn.h>
#include <unwind.h>
#include "perseus/abi.h"

#define MODULES   512
#define BLOCK     (4u << 20)
#define THREADS   4096
#define NOTES     (1u << 16)

struct module {
	uint64_t unit_id; /* copies: the module may be unloaded before the end */
	uint32_t n_calls, n_mems;
	uint64_t base;
	struct {
		uint32_t access;
		uint64_t n, ranges, range_bytes, range_times;
	} *mem;
};

static struct module *modules[MODULES];
static unsigned n_modules;
static uint64_t next_byte = sizeof(struct prs_block);
static char *blocks[THREADS];
static unsigned n_blocks;
#define DEPTH_SHIFT 48 /* of a token, perseus/abi.h */

static uint64_t sum_enter, sum_leave, sum_mem, sum_alloc, sum_free, depth_errors, bad_notes, sum_woken;
static void *live_notes[NOTES];

/* What an access of a thread is compared with; here all threads are one. */
static struct prs_sharer nothing_hits, sharer;
static const struct prs_sharer *shown = &nothing_hits;
static __thread const struct prs_sharer *mine __attribute__((tls_model("initial-exec"))) = &nothing_hits;
static enum { ASLEEP, ALL, DIRECT } awake;
static void (*seen)(uint32_t access, const void *first, uint64_t bytes, uint64_t count);

static __thread char *block __attribute__((tls_model("initial-exec")));
static __thread uint64_t depth __attribute__((tls_model("initial-exec")));

static int unwinding;
static uint64_t unwound, lost;
static void *main_function;

static _Unwind_Reason_Code look_for_main(struct _Unwind_Context *c, void *found)
{
	if (_Unwind_FindEnclosingFunction((void *)_Unwind_GetIP(c)) == main_function)
		*(int *)found = 1;
	return _URC_NO_REASON;
}

/* The unwinder uses vector registers; programs under this test do without. */
static void walk(void)
{
	int found = 0;

	if (!unwinding)
		return;
	_Unwind_Backtrace(look_for_main, &found);
	__atomic_fetch_add(found ? &unwound : &lost, 1, __ATOMIC_RELAXED);
}

static void make_block(void)
{
	unsigned i = __atomic_fetch_add(&n_blocks, 1, __ATOMIC_RELAXED);
	char *p = mmap(NULL, BLOCK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	blocks[i % THREADS] = p;
	block = p;
}

__attribute__((used)) static uint64_t hook_enter(const struct prs_desc *d, uint32_t site, const void *target)
{
	if (!block)
		make_block();
	/* The probe has counted down already; without a block it could not. */
	((struct prs_slot *)(block + d->base))[site].left = 0;
	((struct prs_slot *)(block + d->base))[site].record++;
	__atomic_fetch_add(&sum_enter, 1, __ATOMIC_RELAXED);
	walk();
	(void)target;
	return ++depth << DEPTH_SHIFT;
}

__attribute__((used)) static void hook_leave(const struct prs_desc *d, uint32_t site, uint64_t token)
{
	walk();
	if (token && token >> DEPTH_SHIFT == 0) /* a handler caught an exception: no enter's token */
		return;
	__atomic_fetch_add(&sum_leave, 1, __ATOMIC_RELAXED);
	token >>= DEPTH_SHIFT;
	if (token == 0 || token > depth || site >= d->n_calls)
		__atomic_fetch_add(&depth_errors, 1, __ATOMIC_RELAXED);
	depth = token - 1; /* longjmp, throw and noreturn calls leave gaps */
}

/*
 * As the stubs jump here (perseus/abi.h), with the probe's return address @at
 * bytes above the stack pointer after @save.  What may change does.
 */
#define PUSH(r)  "pushq %" r "\n\t.cfi_adjust_cfa_offset 8\n\t"
#define POP(r)   "popq %" r "\n\t.cfi_adjust_cfa_offset -8\n\t"
#define SPOIL(r) "movq $0x5a5a5a, %" r "\n\t"
#define ENTRY(name, hook, save, at, arguments, restore)                                                      \
	void name(void);                                                                                     \
	__asm__(".text\n" #name ":\n\t.cfi_startproc\n\t" save PUSH("rbp") ".cfi_rel_offset %rbp, 0\n\t"    \
		"movq " #at "+8(%rsp), %rsi\n\tmovl 1(%rsi), %esi\n\t" arguments                             \
		"\n\tmovq %rsp, %rbp\n\t.cfi_def_cfa_register %rbp\n\t"                                     \
		"andq $-16, %rsp\n\tcall " #hook "\n\tmovq %rbp, %rsp\n\t.cfi_def_cfa_register %rsp\n\t"     \
		POP("rbp") restore "ret\n\t.cfi_endproc\n")
#define ENTER_SAVES PUSH("rsi") PUSH("rdi") PUSH("r8") PUSH("r9")
#define ENTER_RESTORES                                                                                       \
	POP("r9") POP("r8") POP("rdi") POP("rsi") SPOIL("rcx") SPOIL("rdx") SPOIL("r10") SPOIL("r11")
#define LEAVE_SPOILS                                                                                         \
	SPOIL("rax") SPOIL("rcx") SPOIL("rdx") SPOIL("rsi") SPOIL("rdi") SPOIL("r8") SPOIL("r9") SPOIL("r10") \
	SPOIL("r11")
ENTRY(stub_enter, hook_enter, ENTER_SAVES, 32, "movq %rdx, %rdi\n\txorl %edx, %edx", ENTER_RESTORES);
ENTRY(stub_enter_to, hook_enter, ENTER_SAVES, 32, "movq %rdx, %rdi\n\tmovq 48(%rsp), %rdx", ENTER_RESTORES);
ENTRY(stub_leave, hook_leave, "", 0, "movq %r9, %rdi\n\tmovq %rcx, %rdx", LEAVE_SPOILS);

static void access_one(const struct prs_desc *d, uint32_t site, const void *addr, uint32_t access)
{
	struct module *m = (struct module *)d->runtime;
	uint64_t line = (uint64_t)addr >> PRS_LINE_SHIFT;
	uint64_t last = ((uint64_t)addr + PRS_ACCESS_BYTES(access) - 1) >> PRS_LINE_SHIFT;

	if (site >= d->n_mems) {
		__atomic_fetch_add(&depth_errors, 1, __ATOMIC_RELAXED);
	} else if (m) {
		m->mem[site].access = access;
		__atomic_fetch_add(&m->mem[site].n, 1, __ATOMIC_RELAXED);
	}
	__atomic_fetch_add(&sum_mem, 1, __ATOMIC_RELAXED);
	walk();
	if (seen)
		seen(access, addr, PRS_ACCESS_BYTES(access), 1);
	do
		sharer.load_tag[line % PRS_TAGS] = sharer.store_tag[line % PRS_TAGS] = (uint32_t)line;
	while (line++ < last);
	mine = shown;
}

static void hook_mem(const struct prs_desc *d, uint32_t site, const void *addr, uint32_t access)
{
	const uint32_t *table = (const uint32_t *)((const char *)d + d->parts);
	const uint32_t *p = table - PRS_PARTS_WORDS(access);

	if (!(access & PRS_ACCESS_PARTS)) {
		access_one(d, site, addr, access);
		return;
	}
	do
		access_one(d, PRS_PART_SITE(*p), (const char *)addr + PRS_PART_OFFSET(*p), table[PRS_PART_SITE(*p)]);
	while (!PRS_PART_LAST(*p++));
}

static void hook_range(const struct prs_desc *d, uint32_t site, const void *first, uint64_t bytes, uint64_t count,
		       uint32_t access)
{
	struct module *m = (struct module *)d->runtime;

	if (site >= d->n_mems || !first || !bytes || !PRS_ACCESS_BYTES(access)) {
		__atomic_fetch_add(&depth_errors, 1, __ATOMIC_RELAXED);
		return;
	}
	__atomic_fetch_add(&m->mem[site].ranges, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&m->mem[site].range_bytes, bytes, __ATOMIC_RELAXED);
	__atomic_fetch_add(&m->mem[site].range_times, count, __ATOMIC_RELAXED);
	walk();
	if (seen)
		seen(access, first, bytes, count);
}

static void hook_rows(const struct prs_desc *d, uint32_t site, const struct prs_rows *r, uint32_t access)
{
	for (uint64_t i = 0; i < r->rows; i++)
		hook_range(d, site, (const char *)(r->first + (uint64_t)r->pitch * i), r->bytes, r->count, access);
	if (!r->rows)
		__atomic_fetch_add(&depth_errors, 1, __ATOMIC_RELAXED);
}

static void hook_note(const struct prs_desc *d, uint32_t site, void *ptr, uint64_t bytes, uint32_t op)
{
	unsigned at = (unsigned)((uint64_t)ptr >> 4) % NOTES;

	if (site >= d->n_calls || !ptr || (op == PRS_NOTE_ALLOC && bytes > 1ull << 40))
		__atomic_fetch_add(&bad_notes, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(op == PRS_NOTE_ALLOC ? &sum_alloc : &sum_free, 1, __ATOMIC_RELAXED);
	live_notes[at] = op == PRS_NOTE_ALLOC ? ptr : NULL;
}

/* The tables that name @d: its no-ops become jumps. */
static void wake_range(uint64_t at, uint64_t end, const struct prs_desc *d)
{
	for (at = (at + 7) & ~7ull; at + sizeof(struct prs_nops) <= end; at += 8) {
		struct prs_nops *t = (struct prs_nops *)at;

		if (t->magic != PRS_NOPS_MAGIC || (char *)t + t->desc != (char *)d)
			continue;
		if (t->n_notes > t->n_direct || t->n_direct > t->n)
			_exit(95);
		for (uint32_t i = 0; i < (awake == DIRECT ? t->n_direct : t->n); i++) {
			unsigned char *p = (unsigned char *)t + t->place[i];

			if (memcmp(p, "\x0f\x1f\x84", 3) || (p[3] != PRS_JUMP_OPCODE && p[3] != PRS_CALL_OPCODE))
				_exit(97);
			p[PRS_NOP_SWITCH] = PRS_NOP_ENABLED;
			sum_woken++;
		}
	}
}

static int wake(struct dl_phdr_info *info, size_t size, void *d)
{
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		uint64_t start = info->dlpi_addr + ph->p_vaddr, page = start & ~4095ull;

		if (ph->p_type != PT_LOAD || !(ph->p_flags & PF_X))
			continue;
		/* Not the libraries without probes, nor the text we run in. */
		if ((uint64_t)d - info->dlpi_addr > 1ull << 30 || (uint64_t)wake - start < ph->p_memsz)
			continue;
		if (mprotect((void *)page, start + ph->p_filesz - page, PROT_READ | PROT_WRITE | PROT_EXEC))
			_exit(96);
		wake_range(start, start + ph->p_filesz, d);
	}
	return (int)(size & 0);
}

static void share(struct prs_desc *d, const char *how)
{
	if (!nothing_hits.load_tag[0]) {
		nothing_hits.load_tag[0] = nothing_hits.store_tag[0] = 1;
		sharer.load_tag[0] = sharer.store_tag[0] = 1;
	}
	awake = strcmp(how, "direct") && strcmp(how, "precise") ? ALL : DIRECT;
	shown = strcmp(how, "hit") && strcmp(how, "loops") ? &nothing_hits : &sharer;
	d->note = hook_note;
	d->loops = !strcmp(how, "loops") || !strcmp(how, "precise");
	d->ranges = strcmp(how, "direct") != 0;
	seen = (void (*)(uint32_t, const void *, uint64_t, uint64_t))dlsym(RTLD_DEFAULT, "prs_seen");
	dl_iterate_phdr(wake, d);
}

void __prs_attach(struct prs_desc *d)
{
	unsigned i = __atomic_fetch_add(&n_modules, 1, __ATOMIC_RELAXED);
	struct module *m = calloc(1, sizeof(*m));
	uint64_t here;

	if (i >= MODULES || !m || d->version != PRS_ABI_VERSION || d->tls)
		_exit(99);
	m->unit_id = d->unit_id;
	m->n_calls = d->n_calls;
	m->n_mems = d->n_mems;
	m->base = __atomic_fetch_add(&next_byte, 8 * (uint64_t)d->n_calls, __ATOMIC_RELAXED);
	m->mem = calloc(d->n_mems + 1, sizeof(m->mem[0]));
	if (next_byte > BLOCK || !m->mem)
		_exit(98);
	modules[i] = m;
	d->base = m->base;
	d->enter_stub = stub_enter;
	d->enter_to_stub = stub_enter_to;
	d->leave_stub = stub_leave;
	d->mem = hook_mem;
	d->range = hook_range;
	d->rows = hook_rows;
	d->runtime = (uint64_t)m;
	if (getenv("FAKE_UNWIND")) {
		unwinding = 1;
		main_function = dlsym(RTLD_DEFAULT, "main");
	}
	__asm__("movq %%fs:0, %0" : "=r"(here));
	d->mem_tls = (uint64_t)&mine - here;
	if (getenv("FAKE_SHARING"))
		share(d, getenv("FAKE_SHARING"));
	__atomic_store_n(&d->tls, (uint64_t)&block - here, __ATOMIC_RELEASE);
}

void __prs_detach(struct prs_desc *d)
{
	d->tls = 0; /* memory probes do not look at it: what they use stays */
}

static void write_module(FILE *f, const struct module *m)
{
	unsigned n = n_blocks < THREADS ? n_blocks : THREADS;

	for (uint32_t s = 0; s < m->n_calls; s++) {
		uint64_t sum = 0;

		for (unsigned b = 0; b < n; b++)
			sum += ((struct prs_slot *)(blocks[b] + m->base))[s].record;
		fprintf(f, "site %016llx %u %llu\n", (unsigned long long)m->unit_id, s, (unsigned long long)sum);
	}
	for (uint32_t s = 0; s < m->n_mems; s++) {
		fprintf(f, "access %016llx %u %llu %u %u\n", (unsigned long long)m->unit_id, s,
			(unsigned long long)m->mem[s].n, PRS_ACCESS_KIND(m->mem[s].access),
			PRS_ACCESS_BYTES(m->mem[s].access));
		if (m->mem[s].ranges)
			fprintf(f, "range %016llx %u %llu %llu %llu\n", (unsigned long long)m->unit_id, s,
				(unsigned long long)m->mem[s].ranges, (unsigned long long)m->mem[s].range_bytes,
				(unsigned long long)m->mem[s].range_times);
	}
}

static void __attribute__((destructor(101))) write_sums(void)
{
	const char *path = getenv("FAKE_OUT");
	FILE *f = path ? fopen(path, "w") : NULL;

	if (!f)
		return;
	fprintf(f, "enter %llu leave %llu depth-errors %llu mem %llu note-alloc %llu note-free %llu bad-note %llu\n",
		(unsigned long long)sum_enter, (unsigned long long)sum_leave, (unsigned long long)depth_errors,
		(unsigned long long)sum_mem, (unsigned long long)sum_alloc, (unsigned long long)sum_free,
		(unsigned long long)bad_notes);
	fprintf(f, "unwound %llu lost %llu\n", (unsigned long long)unwound, (unsigned long long)lost);
	fprintf(f, "woken %llu\n", (unsigned long long)sum_woken);
	for (unsigned i = 0; i < n_modules && i < MODULES; i++)
		write_module(f, modules[i]);
	fclose(f);
}

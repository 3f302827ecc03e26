/* SPDX-License-Identifier: MIT */
/*
 * Random vector instructions, executed where they are and as the copy that
 * stands in for them: registers, memory, arithmetic flags and MXCSR must be
 * the same.  And the processor as judge of the operands: one denormal is put
 * among normal numbers; it stops the instruction if and only if the decoder
 * says that one lane has it.
 *
 *   trap SEED COUNT
 */
#include <Zydis/Zydis.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "runtime/denormal/trap/trap.h"

#define DATA 8192u

/* What the runtime has elsewhere. */
__thread struct trap_here trap_here;

void *den_alloc(struct den_arena *a, size_t bytes)
{
	(void)a;
	return calloc(1, bytes);
}

bool trap_peek(void *to, const void *from, size_t n)
{
	memcpy(to, from, n);
	return true;
}

/* ---- a state, entered and left ---- */

struct state {
	uint64_t general[16], flags;
	unsigned char vector[4096] __attribute__((aligned(64))); /* XSAVE, the standard form */
	unsigned char data[DATA];
};

uint64_t enter_general[16], enter_flags, enter_stack, leave_general[16], leave_flags, enter_code;
unsigned char *enter_vector, *leave_vector;
void enter(void);
extern char leave[];

__asm__(".text\n"
	".globl enter\n"
	"enter:\n"
	"	push %rbx\n	push %rbp\n	push %r12\n	push %r13\n	push %r14\n	push %r15\n"
	"	mov %rsp, enter_stack(%rip)\n"
	"	mov enter_vector(%rip), %rcx\n"
	"	mov $-1, %eax\n	mov $-1, %edx\n"
	"	xrstor64 (%rcx)\n"
	"	push enter_flags(%rip)\n	popfq\n"
	"	mov enter_general(%rip), %rax\n"
	"	mov enter_general+8(%rip), %rcx\n"
	"	mov enter_general+16(%rip), %rdx\n"
	"	mov enter_general+24(%rip), %rbx\n"
	"	mov enter_general+32(%rip), %rsp\n"
	"	mov enter_general+40(%rip), %rbp\n"
	"	mov enter_general+48(%rip), %rsi\n"
	"	mov enter_general+56(%rip), %rdi\n"
	"	mov enter_general+64(%rip), %r8\n"
	"	mov enter_general+72(%rip), %r9\n"
	"	mov enter_general+80(%rip), %r10\n"
	"	mov enter_general+88(%rip), %r11\n"
	"	mov enter_general+96(%rip), %r12\n"
	"	mov enter_general+104(%rip), %r13\n"
	"	mov enter_general+112(%rip), %r14\n"
	"	mov enter_general+120(%rip), %r15\n"
	"	jmp *enter_code(%rip)\n"
	".globl leave\n"
	"leave:\n"
	"	mov %rax, leave_general(%rip)\n"
	"	mov %rcx, leave_general+8(%rip)\n"
	"	mov %rdx, leave_general+16(%rip)\n"
	"	mov %rbx, leave_general+24(%rip)\n"
	"	mov %rsp, leave_general+32(%rip)\n"
	"	mov %rbp, leave_general+40(%rip)\n"
	"	mov %rsi, leave_general+48(%rip)\n"
	"	mov %rdi, leave_general+56(%rip)\n"
	"	mov %r8, leave_general+64(%rip)\n"
	"	mov %r9, leave_general+72(%rip)\n"
	"	mov %r10, leave_general+80(%rip)\n"
	"	mov %r11, leave_general+88(%rip)\n"
	"	mov %r12, leave_general+96(%rip)\n"
	"	mov %r13, leave_general+104(%rip)\n"
	"	mov %r14, leave_general+112(%rip)\n"
	"	mov %r15, leave_general+120(%rip)\n"
	"	mov enter_stack(%rip), %rsp\n"
	"	pushfq\n	pop leave_flags(%rip)\n"
	"	mov leave_vector(%rip), %rcx\n"
	"	mov $-1, %eax\n	mov $-1, %edx\n"
	"	xsave64 (%rcx)\n"
	"	pop %r15\n	pop %r14\n	pop %r13\n	pop %r12\n	pop %rbp\n	pop %rbx\n"
	"	cld\n	ret\n");

static unsigned char *code, *elsewhere, *data;
static sigjmp_buf fault;
static const struct trap_site *looked_at;
static unsigned lanes, stopped;

static void at_fault(int sig, siginfo_t *info, void *context)
{
	ucontext_t *u = context;

	(void)info;
	if (sig == SIGTRAP) { /* the state before the instruction */
		lanes = trap_lanes(looked_at, u);
		u->uc_mcontext.gregs[REG_RIP] = (greg_t)(uint64_t)leave;
		return;
	}
	if (sig == SIGFPE && u->uc_mcontext.gregs[REG_TRAPNO] == 19 &&
	    !(u->uc_mcontext.fpregs->mxcsr & 0x100)) {
		stopped++;
		u->uc_mcontext.fpregs->mxcsr |= 0x100;
		return;
	}
	siglongjmp(fault, sig);
}

/* The code at @at with the state @s; what it leaves comes to @out.  False: it faults. */
static bool execute(const struct state *s, const unsigned char *at, struct state *out)
{
	memcpy(data, s->data, DATA);
	memcpy(enter_general, s->general, sizeof(enter_general));
	enter_flags = s->flags;
	enter_vector = (unsigned char *)s->vector;
	leave_vector = out->vector;
	enter_code = (uint64_t)at;
	memset(out->vector, 0, sizeof(out->vector));
	if (sigsetjmp(fault, 1))
		return false;
	enter();
	memcpy(out->general, leave_general, sizeof(leave_general));
	out->flags = leave_flags;
	memcpy(out->data, data, DATA);
	return true;
}

/* ---- random instructions and states ---- */

static uint64_t seed;

static uint64_t any(void)
{
	seed += 0x9e3779b97f4a7c15ull;
	uint64_t z = (seed ^ seed >> 30) * 0xbf58476d1ce4e5b9ull;

	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

/* Legacy, VEX or EVEX with an opcode that computes. */
static void draw_bytes(unsigned char b[24])
{
	static const unsigned char plain[] = {0x51, 0x58, 0x59, 0x5a, 0x5b, 0x5c, 0x5d, 0x5e, 0x5f, 0xc2, 0x2e,
					      0x2f, 0x2d, 0x2c, 0x7c, 0x7d, 0xd0, 0xe6, 0x78, 0x79, 0x7a, 0x7b},
				   prefix[] = {0, 0x66, 0xf3, 0xf2};
	unsigned kind = any() % 3, n = 0;

	for (unsigned i = 0; i < 24; i++)
		b[i] = (unsigned char)any();
	if (kind == 0) {
		unsigned p = prefix[any() % 4];

		if (p)
			b[n++] = (unsigned char)p;
		if (any() % 2)
			b[n++] = (unsigned char)(0x40 | any() % 16);
		b[n++] = 0x0f;
		if (any() % 8 == 0) {
			b[n++] = 0x3a;
			b[n] = (unsigned char)(any() % 2 ? 0x40 + any() % 2 : 8 + any() % 4);
		} else {
			b[n] = plain[any() % sizeof(plain)];
		}
		return;
	}
	b[0] = kind == 1 ? 0xc4 : 0x62;
	b[1] = (unsigned char)((b[1] & 0xf0) | (kind == 1 || any() % 2 ? 1 + any() % 3 : 1 + any() % 6));
	if (kind == 2)
		b[2] |= 4;
	if (b[1] % 8 == 1)
		b[kind == 1 ? 3 : 4] = plain[any() % sizeof(plain)];
	else if (b[1] % 8 == 2 && any() % 4)
		b[kind == 1 ? 3 : 4] = (unsigned char)(0x90 + any() % 0x30);
}

/* What can be tried: vector arithmetic, any memory of it within our reach. */
static bool suitable(const ZydisDecodedInstruction *i, const ZydisDecodedOperand *o)
{
	if (i->meta.category == ZYDIS_CATEGORY_X87_ALU || i->meta.category == ZYDIS_CATEGORY_GATHER ||
	    i->meta.category == ZYDIS_CATEGORY_SCATTER || i->attributes & ZYDIS_ATTRIB_IS_PRIVILEGED)
		return false;
	for (unsigned k = 0; k < i->operand_count; k++) {
		if (o[k].type == ZYDIS_OPERAND_TYPE_REGISTER && (o[k].reg.value == ZYDIS_REGISTER_RSP ||
								   o[k].reg.value == ZYDIS_REGISTER_ESP) &&
		    o[k].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
			return false;
		if (o[k].type == ZYDIS_OPERAND_TYPE_MEMORY &&
		    (o[k].mem.segment == ZYDIS_REGISTER_FS || o[k].mem.segment == ZYDIS_REGISTER_GS ||
		     o[k].mem.type != ZYDIS_MEMOP_TYPE_MEM))
			return false;
	}
	return true;
}

/* @quiet: the instruction is told to raise nothing. */
static bool draw(struct trap_site *site, ZydisMnemonic *what, bool *quiet)
{
	ZydisDecodedInstruction i;
	ZydisDecodedOperand o[ZYDIS_MAX_OPERAND_COUNT];
	unsigned char b[24];
	ZydisDecoder d;

	ZydisDecoderInit(&d, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	draw_bytes(b);
	if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&d, b, 15, &i, o)) || !suitable(&i, o) ||
	    trap_decode(site, (uint64_t)code, b, i.length) || !site->n_sources)
		return false;
	if (site->disp_at) { /* relative to the instruction: to the middle of the data */
		int32_t away = (int32_t)((int64_t)(uint64_t)(data + DATA / 2) -
					 (int64_t)(uint64_t)(code + site->length));

		memcpy(b + site->disp_at, &away, sizeof(away));
		if (trap_decode(site, (uint64_t)code, b, i.length))
			return false;
	}
	*what = i.mnemonic;
	*quiet = i.avx.has_sae || i.avx.rounding.mode != ZYDIS_ROUNDING_MODE_INVALID;
	return true;
}

/* Normal numbers of @bytes each, in a range in which little overflows. */
static void fill(unsigned char *to, size_t n, unsigned bytes)
{
	for (size_t at = 0; at + bytes <= n; at += bytes) {
		uint64_t v = any();

		if (bytes == 8)
			v = (v & 0x800fffffffffffffull) | (uint64_t)(1000 + v % 40) << 52;
		else if (bytes == 4)
			v = (v & 0x807fffffu) | (uint64_t)(115 + v % 24) << 23;
		else
			v = (v & 0x83ffu) | (uint64_t)(12 + v % 6) << 10;
		memcpy(to + at, &v, bytes);
	}
}

static void draw_state(struct state *s, const struct trap_site *site, unsigned bytes)
{
	const struct trap_memory *m = &site->memory;
	unsigned char *v = s->vector;
	uint32_t mxcsr = 0x1f80 | (uint32_t)(any() % 4) << 13 | (uint32_t)(any() % 64);
	uint64_t present, here = (uint64_t)data + DATA / 2;

	for (unsigned i = 0; i < 16; i++)
		s->general[i] = any();
	s->flags = 0x202 | (any() & 0x8d5);
	/* What the processor has just saved has every component that it knows. */
	memset(v, 0, sizeof(s->vector));
	__asm__ volatile("xsave64 %0" : "+m"(*(unsigned char(*)[4096])v) : "a"(-1), "d"(-1));
	fill(v + 160, 256, bytes);
	memset(&present, 0, 8);
	for (unsigned k = 2; k < 8; k++) {
		unsigned a, b, c, d;

		__asm__("cpuid" : "=a"(a), "=b"(b), "=c"(c), "=d"(d) : "a"(0xd), "c"(k));
		if (!a || k == 3 || k == 4 || b + a > sizeof(s->vector))
			continue;
		present |= 1ull << k;
		if (k == 5)
			for (unsigned i = 0; i < 8; i++) {
				uint64_t mask = any() | any();

				memcpy(v + b + i * 8, &mask, 8);
			}
		else
			fill(v + b, a, bytes);
	}
	memcpy(v + 24, &mxcsr, 4);
	/* What this machine enables; the rest is refused. */
	unsigned low, high;

	__asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	present = (present | 3) & low & 0xe7;
	memcpy(v + 512, &present, 8);
	fill(s->data, DATA, bytes);
	if (m->index >= 0)
		s->general[m->index & 15] = any() % 64;
	if (m->base >= 0)
		s->general[m->base & 15] = here - (uint64_t)m->disp -
					   (m->index >= 0 && m->index != m->base ? s->general[m->index & 15] * m->scale : 0);
}

static void jump_out(unsigned char *at)
{
	static const unsigned char jump[] = {0xff, 0x25, 0, 0, 0, 0};
	uint64_t to = (uint64_t)leave;

	memcpy(at, jump, sizeof(jump));
	memcpy(at + sizeof(jump), &to, sizeof(to));
}

/* ---- both tests ---- */

static void show(const struct trap_site *site, const char *what)
{
	printf("# %s:", what);
	for (unsigned i = 0; i < site->length; i++)
		printf(" %02x", site->bytes[i]);
	printf("\n");
}

/*
 * A hypervisor that emulates an access to memory may know no stmxcsr and report an illegal instruction, which
 * is none: seen in a virtual machine, 3 in 10,000.  What a copy does is the same each time.
 */
#define TRIES 3
static unsigned refused;

static bool execute_copy(const struct state *s, struct state *out)
{
	for (unsigned i = 0; i < TRIES; i++) {
		if (execute(s, elsewhere, out))
			return true;
		refused++;
	}
	return false;
}

/* 1: equal, 0: not, -1: the instruction faults here. */
static int compare(const struct trap_site *site, const struct state *s)
{
	static struct state plain, copied;
	uint32_t a, b;
	int32_t here = (int32_t)((char *)&trap_here.mxcsr - (char *)__builtin_thread_pointer());

	memcpy(code, site->bytes, site->length);
	jump_out(code + site->length);
	if (!execute(s, code, &plain))
		return -1;
	if (!trap_stub_write(elsewhere, site, 0x16, here))
		return -1;
	if (!execute_copy(s, &copied))
		return 0;
	memcpy(&a, plain.vector + 24, 4);
	memcpy(&b, copied.vector + 24, 4);
	if ((a & 0x3f) != (b & 0x3f) || (b & 0xffc0) != 0x1680)
		return 0;
	memcpy(copied.vector + 24, &a, 4);
	return !memcmp(plain.vector, copied.vector, sizeof(plain.vector)) &&
	       !memcmp(plain.general, copied.general, sizeof(plain.general)) && plain.flags == copied.flags &&
	       !memcmp(plain.data, copied.data, DATA);
}

/* One denormal in one element of one source. */
static void plant(struct state *s, const struct trap_site *site)
{
	const struct trap_source *from = &site->source[any() % site->n_sources];
	unsigned element = (unsigned)any() % from->elements, at = element * from->element, b = 0, a, c, d;
	uint64_t one = 1 + any() % 1000;
	unsigned part = from->reg >= 16 ? 7 : at < 16 ? 1 : at < 32 ? 2 : 6;

	if (from->memory) {
		memcpy(s->data + DATA / 2 + at, &one, from->element);
		return;
	}
	if (part > 1)
		__asm__("cpuid" : "=a"(a), "=b"(b), "=c"(c), "=d"(d) : "a"(0xd), "c"(part));
	if (part == 1)
		b = 160 + from->reg * 16u + at;
	else if (part == 2)
		b += from->reg * 16u + at - 16;
	else if (part == 6)
		b += from->reg * 32u + at - 32;
	else
		b += (from->reg - 16u) * 64 + at;
	memcpy(s->vector + b, &one, from->element);
}

/* Whether the processor stops, and what the decoder says of the same state. */
static bool judge(const struct trap_site *site, struct state *s)
{
	static struct state out;
	uint32_t mxcsr = 0x1f80;

	memcpy(s->vector + 24, &mxcsr, 4);
	looked_at = site;
	lanes = stopped = 0;
	code[0] = 0xcc;
	if (!execute(s, code, &out))
		return false;
	mxcsr &= ~0x100u;
	memcpy(s->vector + 24, &mxcsr, 4);
	memcpy(code, site->bytes, site->length);
	jump_out(code + site->length);
	return execute(s, code, &out);
}

static struct tally {
	unsigned stopped, counted, same, more;
} tally[ZYDIS_MNEMONIC_MAX_VALUE + 1];

int main(int argc, char **argv)
{
	static struct state s;
	unsigned count = argc > 2 ? (unsigned)atoi(argv[2]) : 1000, tried = 0, bad = 0, kinds = 0, judged = 0;
	struct sigaction act = {.sa_sigaction = at_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
	static char room[65536];
	stack_t stack = {.ss_sp = room, .ss_size = sizeof(room)};
	int all[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP};

	seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
	sigaltstack(&stack, NULL);
	for (unsigned i = 0; i < 5; i++)
		sigaction(all[i], &act, NULL);
	code = mmap((void *)0x200000000, 65536, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	elsewhere = mmap((void *)0x230000000, 65536, PROT_READ | PROT_WRITE | PROT_EXEC,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	data = mmap((void *)0x210000000, DATA, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (code == MAP_FAILED || elsewhere == MAP_FAILED || data == MAP_FAILED)
		return 2;
	trap_lanes_begin();
	while (tried < count) {
		struct trap_site site;
		ZydisMnemonic what;
		bool quiet, spread = false;
		int same;

		if (!draw(&site, &what, &quiet))
			continue;
		draw_state(&s, &site, site.source[0].element);
		same = compare(&site, &s);
		if (same < 0)
			continue;
		tried++;
		kinds += !tally[what].same++;
		if (!same) {
			bad++;
			show(&site, "the copy does otherwise");
		}
		plant(&s, &site);
		if (!judge(&site, &s))
			continue;
		for (unsigned k = 0; k < site.n_sources; k++)
			spread |= (site.source[k].elements == 1 && site.lanes > 1) ||
				  (k && site.shape == TRAP_PAIRS && site.source[k].reg == site.source[0].reg);
		if (quiet && stopped) {
			bad++;
			show(&site, "stopped though it is told not to");
		}
		if (quiet)
			continue;
		if (stopped && lanes != 1 && site.shape != TRAP_DOT && !spread)
			tally[what].more++;
		if (stopped && !lanes) {
			bad++;
			show(&site, "stopped, and no lane is said to have a denormal");
		}
		judged += stopped;
		tally[what].stopped += stopped;
		if (!stopped && lanes && tally[what].counted++ < 3 && (tally[what].stopped || argc > 3))
			show(&site, "not stopped, and a lane is said to have a denormal");
	}
	for (unsigned k = 0; k <= ZYDIS_MNEMONIC_MAX_VALUE; k++)
		if (tally[k].stopped && (tally[k].counted || tally[k].more)) {
			printf("# %s: %u stopped, %u not though a lane is counted, %u with other than one lane\n",
			       ZydisMnemonicGetString((ZydisMnemonic)k), tally[k].stopped, tally[k].counted,
			       tally[k].more);
			bad++;
		}
	if (refused)
		printf("# an illegal instruction was reported %u times of what runs when it is tried again\n", refused);
	printf("%u instructions of %u kinds, %u stopped, %u wrong\n", tried, kinds, judged, bad);
	return bad != 0;
}

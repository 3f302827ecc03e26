// SPDX-License-Identifier: MIT
/*
 * Tries flush-to-zero in a program as it is.  The whole program: MXCSR is set before main(),
 * and threads begin with the register of who made them.  Regions: the first instructions of a
 * function are moved into a stub, where the register is set and the return address exchanged,
 * so that it is put back on the way out.  With bits 0 a program goes the same ways and
 * computes as ever: what to compare with.
 */
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "perseus/flush.h"

#define DEPTH 1024 /* calls of regions inside one another, in one thread */
#define STUB  64   /* bytes of one */

struct frame {
	uint64_t back, stack;
	uint32_t mxcsr;
};

static __thread struct frame frames[DEPTH];
static __thread uint32_t depth;
static struct prs_flush nobody, *page = &nobody;
static uint32_t bits;

/* Both save all registers that hand values over and call what is in C, which touches no others. */
extern const char flush_enter_stub[], flush_leave_stub[];
__asm__(".text\n"
	".hidden flush_enter_stub\n.hidden flush_leave_stub\n"
	".globl flush_enter_stub\n.globl flush_leave_stub\n"
	/* Behind the return address lies where to go on, put there by the stub. */
	"flush_enter_stub:\n"
	"push %rax\npush %rcx\npush %rdx\npush %rsi\npush %rdi\npush %r8\npush %r9\npush %r10\npush %r11\n"
	"push %rbp\nmov %rsp, %rbp\n"
	"lea 88(%rsp), %rdi\n"
	"and $-16, %rsp\n"
	"call flush_enter\n"
	"mov %rbp, %rsp\npop %rbp\n"
	"pop %r11\npop %r10\npop %r9\npop %r8\npop %rdi\npop %rsi\npop %rdx\npop %rcx\npop %rax\n"
	"ret\n"
	"flush_leave_stub:\n"
	"push %rax\n"
	"push %rax\npush %rcx\npush %rdx\npush %rsi\npush %rdi\npush %r8\npush %r9\npush %r10\npush %r11\n"
	"push %rbp\nmov %rsp, %rbp\n"
	"lea 88(%rsp), %rdi\n"
	"and $-16, %rsp\n"
	"call flush_leave\n"
	"mov %rax, 80(%rbp)\n"
	"mov %rbp, %rsp\npop %rbp\n"
	"pop %r11\npop %r10\npop %r9\npop %r8\npop %rdi\npop %rsi\npop %rdx\npop %rcx\npop %rax\n"
	"ret\n");

void flush_enter(uint64_t *at);
uint64_t flush_leave(const uint64_t *at);

static uint32_t get(void)
{
	uint32_t mxcsr;

	__asm__ volatile("stmxcsr %0" : "=m"(mxcsr));
	return mxcsr;
}

static void set(uint32_t mxcsr)
{
	__asm__ volatile("ldmxcsr %0" : : "m"(mxcsr));
}

static void count(uint64_t *n)
{
	__atomic_fetch_add(n, 1, __ATOMIC_RELAXED);
}

/* Calls whose stack is gone were left by longjmp() or the like. */
static void forget(uint64_t stack)
{
	while (depth && frames[depth - 1].stack < stack) {
		depth--;
		count(&page->jumped);
	}
}

/* @at: where the return address of the region is. */
__attribute__((used)) void flush_enter(uint64_t *at)
{
	uint32_t mxcsr = get();

	forget((uint64_t)at);
	count(&page->entered);
	if (mxcsr & bits && !depth)
		count(&page->foreign);
	if (depth == DEPTH)
		return;
	frames[depth++] = (struct frame){*at, (uint64_t)at, mxcsr};
	*at = (uint64_t)flush_leave_stub;
	set(mxcsr | bits);
}

/* @at: just below where the return address was.  What the region changed else in the register stays. */
__attribute__((used)) uint64_t flush_leave(const uint64_t *at)
{
	const uint32_t both = PRS_FLUSH_FTZ | PRS_FLUSH_DAZ;
	uint32_t mxcsr = get();
	struct frame *f;

	forget((uint64_t)(at - 1));
	if (!depth)
		__builtin_trap();
	f = &frames[--depth];
	count(&page->left);
	if ((mxcsr & bits) != bits)
		count(&page->changed);
	set((mxcsr & ~both) | (f->mxcsr & both));
	return f->back;
}

/* ---- changing the code ---- */

static unsigned char *near(uint64_t at)
{
	for (uint64_t off = 1 << 20; off < 1u << 30; off += 1 << 20)
		for (int side = 0; side < 2; side++) {
			void *want = (void *)((side ? at + off : at - off) & ~4095ull);
			void *p = mmap(want, 4096, PROT_READ | PROT_WRITE,
				       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

			if (p == want)
				return p;
			if (p != MAP_FAILED)
				munmap(p, 4096);
		}
	return NULL;
}

static void put_jump(unsigned char *at, uint64_t from, uint64_t to)
{
	int32_t by = (int32_t)(to - (from + 5));

	at[0] = 0xe9;
	memcpy(at + 1, &by, sizeof(by));
}

/*
 * The stub: call [enter]; the moved instructions; jmp to behind them.  `call` pushes the
 * address of a jump over that of the enter stub, which returns to it.  Returns where they are now.
 */
static unsigned char *write_stub(unsigned char *stub, uint64_t at, unsigned moved)
{
	const uint64_t enter = (uint64_t)flush_enter_stub;
	unsigned char *p = stub;

	*p++ = 0xff; /* call *6(%rip), over the jump that follows */
	*p++ = 0x15;
	memcpy(p, "\2\0\0\0", 4);
	p += 4;
	*p++ = 0xeb; /* over the address */
	*p++ = 8;
	memcpy(p, &enter, sizeof(enter));
	p += sizeof(enter);
	memcpy(p, (const void *)at, moved);
	p += moved;
	put_jump(p, (uint64_t)p, at + moved);
	return p - moved;
}

/* What in the moved bytes is relative to their place: ":AT..." of @text; its end. */
static char *move_distances(unsigned char *moved, uint64_t was, char *text)
{
	while (*text == ':') {
		uint64_t at = strtoull(text + 1, &text, 16);
		int32_t distance;

		if (at > PRS_FLUSH_MOVED - sizeof(distance))
			break;
		memcpy(&distance, moved + at, sizeof(distance));
		distance = (int32_t)((int64_t)distance + (int64_t)(was - (uint64_t)moved));
		memcpy(moved + at, &distance, sizeof(distance));
	}
	return text;
}

static bool patch(unsigned char *stub, uint64_t at, unsigned moved, char **text)
{
	void *start = (void *)(at & ~4095ull);
	size_t len = (size_t)(((at + moved + 4095) & ~4095ull) - (at & ~4095ull));

	*text = move_distances(write_stub(stub, at, moved), at, *text);
	if (mprotect(start, len, PROT_READ | PROT_WRITE))
		return false;
	memset((void *)at, 0xcc, moved);
	put_jump((unsigned char *)at, at, (uint64_t)stub);
	return !mprotect(start, len, PROT_READ | PROT_EXEC);
}

static int first_bias(struct dl_phdr_info *info, size_t size, void *to)
{
	(void)size;
	*(uint64_t *)to = info->dlpi_addr;
	return 1;
}

/* "ADDRESS:BYTES ..." */
static bool patch_all(const char *text)
{
	unsigned char *stubs = NULL;
	uint64_t bias = 0;
	bool done = true;
	int n = 0;

	dl_iterate_phdr(first_bias, &bias);
	while (*text && n < PRS_FLUSH_REGIONS && done) {
		char *end;
		uint64_t at = strtoull(text, &end, 16) + bias;
		unsigned moved = *end == ':' ? (unsigned)strtoul(end + 1, &end, 16) : 0;

		if (!stubs)
			stubs = near(at);
		done = stubs && moved >= 5 && moved <= PRS_FLUSH_MOVED &&
		       patch(stubs + STUB * n++, at, moved, &end);
		text = end + (*end == ' ');
	}
	return done && n && !mprotect(stubs, 4096, PROT_READ | PROT_EXEC);
}

static void open_page(void)
{
	const char *path = secure_getenv(PRS_ENV_FLUSH_PAGE);
	int fd = path ? open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW) : -1;
	void *p = fd < 0 ? MAP_FAILED : mmap(NULL, sizeof(*page), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (fd >= 0)
		close(fd);
	if (p != MAP_FAILED && ((struct prs_flush *)p)->magic == PRS_FLUSH_MAGIC)
		page = p;
}

/* Programs that this one starts are others: regions are addresses of this one. */
static bool ours(void)
{
	const char *want = secure_getenv(PRS_ENV_FLUSH_PROGRAM);
	char exe[4096];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

	exe[n > 0 ? n : 0] = '\0';
	return want && !strcmp(want, exe);
}

__attribute__((constructor)) static void begin(void)
{
	const char *text = secure_getenv(PRS_ENV_FLUSH_BITS), *regions = secure_getenv(PRS_ENV_FLUSH_REGIONS);

	if (!text)
		return;
	bits = (uint32_t)strtoul(text, NULL, 16) & (PRS_FLUSH_FTZ | PRS_FLUSH_DAZ);
	open_page();
	if (!regions) {
		if (get() & bits)
			count(&page->foreign);
		set(get() | bits);
		count(&page->begun);
	} else if (ours()) {
		count(patch_all(regions) ? &page->begun : &page->failed);
	}
}

__attribute__((destructor)) static void end(void)
{
	/* Left and never entered again; the main thread's alone are known here. */
	while (depth) {
		depth--;
		count(&page->jumped);
	}
	if (secure_getenv(PRS_ENV_FLUSH_REGIONS) || !secure_getenv(PRS_ENV_FLUSH_BITS))
		return;
	if ((get() & bits) != bits)
		count(&page->changed);
	/* We set nothing, but behind our begin somebody has. */
	if (!bits && get() & (PRS_FLUSH_FTZ | PRS_FLUSH_DAZ))
		count(&page->foreign);
}

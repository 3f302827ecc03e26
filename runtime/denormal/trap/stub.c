// SPDX-License-Identifier: MIT
/*
 * Copies of instructions outside of the program.  They are entered with both
 * exceptions masked and leave behind them what the program has in MXCSR:
 *
 *   0   the instruction
 *       stmxcsr %fs:here           flags as the instruction left them
 *       movb    $control, %fs:here+1   masks, rounding, FTZ: two exceptions unmasked
 *       ldmxcsr %fs:here
 *       jmp     *origin+length
 *
 * None of that needs a register, the stack, or the arithmetic flags.  Memory of
 * stubs is never given back or written twice, so a look at it needs no lock.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "runtime/denormal/trap/trap.h"

#define ARENA  65536u
#define ARENAS 256
#define REACH  0x7fff0000ll
#define STEP   (16ll << 20)

/* Behind the code of each stub. */
struct tail {
	uint64_t next;   /* where it goes on */
	uint64_t origin; /* of the instruction */
	uint8_t length;
};
#define TAIL_AT 96

static struct arena {
	unsigned char *base;
	uint32_t used;
} arenas[ARENAS];
static unsigned n_arenas;

static bool reaches(const unsigned char *from, uint64_t to)
{
	int64_t d = (int64_t)(to - (uint64_t)from);

	return d > -REACH && d < REACH;
}

/* Below the target first: above a program lies what grows. */
static unsigned char *map_near(uint64_t target)
{
	int flags = MAP_PRIVATE | MAP_ANONYMOUS;

	if (!target) {
		void *p = mmap(NULL, ARENA, PROT_READ | PROT_WRITE | PROT_EXEC, flags, -1, 0);

		return p == MAP_FAILED ? NULL : p;
	}
	target &= ~(uint64_t)(ARENA - 1);
	for (int side = -1; side <= 1; side += 2)
		for (int64_t k = 1; k * STEP < REACH - STEP; k++) {
			int64_t off = side < 0 ? -k * STEP : REACH - STEP - k * STEP;
			uint64_t at = target + (uint64_t)off;
			void *p;

			if ((side < 0 && target < (uint64_t)-off + STEP) || at >> 47)
				continue;
			p = mmap((void *)at, ARENA, PROT_READ | PROT_WRITE | PROT_EXEC,
				 flags | MAP_FIXED_NOREPLACE, -1, 0);
			if (p == (void *)at)
				return p;
			if (p == MAP_FAILED && errno != EEXIST)
				return NULL;
			if (p != MAP_FAILED)
				munmap(p, ARENA);
		}
	return NULL;
}

static unsigned char *stub_take(uint64_t target)
{
	unsigned char *base;

	for (unsigned i = 0; i < n_arenas; i++)
		if (arenas[i].used < ARENA && (!target || reaches(arenas[i].base, target))) {
			arenas[i].used += TRAP_STUB;
			return arenas[i].base + arenas[i].used - TRAP_STUB;
		}
	if (n_arenas == ARENAS || !(base = map_near(target)))
		return NULL;
	arenas[n_arenas].base = base;
	arenas[n_arenas].used = TRAP_STUB;
	__atomic_store_n(&n_arenas, n_arenas + 1, __ATOMIC_RELEASE);
	return base;
}

static unsigned char *put(unsigned char *at, const void *bytes, size_t n)
{
	memcpy(at, bytes, n);
	return at + n;
}

/* An instruction of @n bytes with the thread's word at @disp from its thread pointer. */
static unsigned char *put_here(unsigned char *at, const void *bytes, size_t n, int32_t disp)
{
	at = put(at, bytes, n);
	return put(at, &disp, sizeof(disp));
}

bool trap_stub_write(unsigned char *code, const struct trap_site *site, uint8_t control, int32_t here)
{
	static const unsigned char store[] = {0x64, 0x0f, 0xae, 0x1c, 0x25},
				   load[] = {0x64, 0x0f, 0xae, 0x14, 0x25}, byte[] = {0x64, 0xc6, 0x04, 0x25},
				   jump[] = {0xff, 0x25};
	struct tail tail = {site->address + site->length, site->address, site->length};
	unsigned char *at = put(code, site->bytes, site->length);
	int32_t away;

	if (site->disp_at) {
		if (!reaches(code, (uint64_t)site->target))
			return false;
		away = (int32_t)(site->target - (int64_t)(uint64_t)at);
		memcpy(code + site->disp_at, &away, sizeof(away));
	}
	at = put_here(at, store, sizeof(store), here);
	at = put_here(at, byte, sizeof(byte), here + 1);
	*at++ = control;
	at = put_here(at, load, sizeof(load), here);
	at = put(at, jump, sizeof(jump));
	away = (int32_t)(code + TAIL_AT - (at + sizeof(away)));
	put(at, &away, sizeof(away));
	memcpy(code + TAIL_AT, &tail, sizeof(tail));
	return true;
}

/*
 * Where the thread's word is from its thread pointer.  Half of such a distance GCC 16
 * loads from the linker's word for it, which no assembler takes: so first all of it.
 */
static int32_t here_from_thread(void)
{
	intptr_t distance = (char *)&trap_here.mxcsr - (char *)__builtin_thread_pointer();

	__asm__("" : "+r"(distance));
	return (int32_t)distance;
}

struct trap_stub *trap_stub_make(const struct trap_site *site, uint8_t control, struct den_arena *arena)
{
	int32_t here = here_from_thread();
	struct trap_stub *stub = den_alloc(arena, sizeof(*stub));
	unsigned char *code = stub ? stub_take(site->disp_at ? (uint64_t)site->target : 0) : NULL;

	if (!code || !trap_stub_write(code, site, control, here))
		return NULL;
	stub->code = code;
	stub->control = control;
	return stub;
}

bool trap_stub_origin(uint64_t address, uint64_t *origin, bool *done)
{
	unsigned n = __atomic_load_n(&n_arenas, __ATOMIC_ACQUIRE);

	for (unsigned i = 0; i < n; i++) {
		uint64_t at = address - (uint64_t)arenas[i].base;
		struct tail tail;

		if (at >= arenas[i].used)
			continue;
		memcpy(&tail, arenas[i].base + (at & ~(uint64_t)(TRAP_STUB - 1)) + TAIL_AT, sizeof(tail));
		*done = at % TRAP_STUB != 0;
		*origin = *done ? tail.next : tail.origin;
		return true;
	}
	return false;
}

// SPDX-License-Identifier: MIT
/* Looks at the operands of an instruction in the frame of its signal. */
#include <cpuid.h>
#include <string.h>

#include "runtime/denormal/trap/trap.h"

#define MAGIC      0x46505853u /* FP_XSTATE_MAGIC1 */
#define XMM_AT     160
#define MAGIC_AT   464
#define PRESENT_AT 512

/* Components of the state in the standard layout. */
enum { XMM = 1, YMM_HIGH = 2, MASKS = 5, ZMM_HIGH = 6, ZMM_LATE = 7 };
static uint32_t place[8];

void trap_lanes_begin(void)
{
	unsigned a, b, c, d;

	for (unsigned k = 2; k < 8; k++)
		place[k] = __get_cpuid_count(0xd, k, &a, &b, &c, &d) && a ? b : 0;
	place[XMM] = XMM_AT;
}

/* Part @component of the state; NULL: all zeros, or this machine has none. */
static const unsigned char *part(const unsigned char *state, unsigned component)
{
	uint64_t present, magic = 0;

	__builtin_memcpy(&magic, state + MAGIC_AT, 4);
	if (magic != MAGIC)
		return component == XMM ? state + XMM_AT : NULL;
	__builtin_memcpy(&present, state + PRESENT_AT, 8);
	return present >> component & 1 && place[component] ? state + place[component] : NULL;
}

static void copy(unsigned char *to, const unsigned char *state, unsigned component, size_t at, size_t n)
{
	const unsigned char *from = part(state, component);

	if (from)
		memcpy(to, from + at, n);
	else
		memset(to, 0, n);
}

static void read_register(unsigned char to[64], const unsigned char *state, unsigned reg, unsigned bytes)
{
	if (reg >= 16) {
		copy(to, state, ZMM_LATE, (reg - 16) * 64, 64);
		return;
	}
	copy(to, state, XMM, reg * 16, 16);
	if (bytes > 16)
		copy(to + 16, state, YMM_HIGH, reg * 16, 16);
	if (bytes > 32)
		copy(to + 32, state, ZMM_HIGH, reg * 32, 32);
}

static uint64_t general(const ucontext_t *u, int8_t reg)
{
	static const unsigned char order[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
						REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
						REG_R12, REG_R13, REG_R14, REG_R15};

	return reg < 0 ? 0 : (uint64_t)u->uc_mcontext.gregs[order[reg & 15]];
}

static uint64_t address_of(const struct trap_memory *m, const ucontext_t *u)
{
	uint64_t at = general(u, m->base) + general(u, m->index) * m->scale + (uint64_t)m->disp, base = 0;

	if (m->narrow)
		at &= 0xffffffffu;
	if (m->segment == 'f')
		__asm__("mov %%fs:0, %0" : "=r"(base));
	return at + base;
}

/* What is masked off need not be there. */
static void read_memory(unsigned char to[64], const struct trap_site *site, const struct trap_source *s,
			const ucontext_t *u, uint64_t lanes)
{
	uint64_t at = address_of(&site->memory, u);
	unsigned bytes = (unsigned)s->element * s->elements;

	if (site->memory.segment == 'g' || bytes > 64) {
		memset(to, 0, 64);
		return;
	}
	if (trap_peek(to, (const void *)at, bytes))
		return;
	memset(to, 0, 64);
	for (unsigned i = 0; i < s->elements; i++)
		if (lanes >> i & 1)
			trap_peek(to + (size_t)i * s->element, (const void *)(at + (size_t)i * s->element),
				  s->element);
}

static bool denormal(const unsigned char *at, unsigned bytes)
{
	uint64_t v = 0, mantissa;

	if (bytes == 8)
		__builtin_memcpy(&v, at, 8);
	else if (bytes == 4)
		__builtin_memcpy(&v, at, 4);
	else
		__builtin_memcpy(&v, at, 2);
	mantissa = bytes == 8 ? 0xfffffffffffffull : bytes == 4 ? 0x7fffffu : 0x3ffu;
	v &= ~(1ull << (bytes * 8 - 1));
	return v && v <= mantissa;
}

/* Bit i: element i of source @s is denormal; a broadcast stands in all lanes. */
static uint64_t denormals(const struct trap_site *site, const struct trap_source *s, const ucontext_t *u,
			  uint64_t lanes)
{
	const unsigned char *state = (const unsigned char *)u->uc_mcontext.fpregs;
	unsigned n = s->elements < site->lanes ? s->elements : site->lanes;
	unsigned char value[64];
	uint64_t found = 0;

	if (s->memory)
		read_memory(value, site, s, u, lanes);
	else
		read_register(value, state, s->reg,
			      (unsigned)s->element * (site->lanes > n ? s->elements : n));
	for (unsigned i = 0; i < n; i++)
		found |= (uint64_t)denormal(value + (size_t)i * s->element, s->element) << i;
	return s->elements == 1 && found ? ~0ull : found;
}

static uint64_t active(const struct trap_site *site, const ucontext_t *u)
{
	const unsigned char *masks = part((const unsigned char *)u->uc_mcontext.fpregs, MASKS);
	uint64_t all = site->lanes == 64 ? ~0ull : (1ull << site->lanes) - 1, mask = 0;

	if (!site->mask)
		return all;
	if (masks)
		memcpy(&mask, masks + site->mask * 8, 8);
	return all & mask;
}

unsigned trap_lanes(const struct trap_site *site, const ucontext_t *u)
{
	uint64_t lanes = active(site, u), found = 0;

	if (u->uc_mcontext.fpregs->mxcsr & MXCSR_DAZ)
		return 0;
	for (unsigned k = 0; k < site->n_sources; k++) {
		uint64_t d = denormals(site, &site->source[k], u, lanes);

		if (site->shape == TRAP_PAIRS) { /* each pair of each source is an operation */
			d = (d | d >> 1) & 0x5555555555555555ull;
			found += (uint64_t)__builtin_popcountll(d);
			continue;
		}
		found |= d;
	}
	if (site->shape == TRAP_PAIRS)
		return (unsigned)found;
	/* The upper half of the immediate names the products, the same in both halves of a register. */
	if (site->shape == TRAP_DOT)
		lanes &= (site->immediate >> 4) * 0x11u;
	return (unsigned)__builtin_popcountll(found & lanes);
}

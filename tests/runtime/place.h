/* SPDX-License-Identifier: MIT */
/*
 * Memory probes by hand: functions in assembler with no-ops in
 * them, their cold parts and their tables, as the plugin writes them.
 *
 *   DIRECT(name), BURST(name)   void name(uint64_t *p, uint64_t n): adds 1 to
 *                               *p n times, with a probe in the loop
 *   NOTED(name)                 void name(uint64_t *p): a heap note of 64 bytes at p
 *
 * The cold part calls place_slow(p, which): `which` is the descriptor's site.
 */
#ifndef TESTS_PLACE_H
#define TESTS_PLACE_H

#include "perseus/abi.h"

#define PLACE_TEXT_(x) #x
#define PLACE_TEXT(x)  PLACE_TEXT_(x)

/* One function with one place; n_direct, n_notes of its table; the descriptor is `desc`. */
#define PLACE(name, site, slow, n_direct, n_notes)                                                           \
	__asm__(".text\n.p2align 6\n.globl " #name "\n.type " #name ",@function\n" #name ":\n"               \
		"1:\n" #name "_place:\n\t.byte 0x0f, 0x1f, 0x84, 0xe9\n\t.long " #name "_cold - " #name "_back\n" #name "_back:\n"  \
		"\tincq (%rdi)\n\tdecq %rsi\n\tjg 1b\n\tret\n" #name "_cold:\n"                               \
		"\tpushq %rdi\n\tpushq %rsi\n\tsubq $8, %rsp\n\tmovl $" PLACE_TEXT(site) ", %esi\n"          \
		"\tcall " #slow "\n\taddq $8, %rsp\n\tpopq %rsi\n\tpopq %rdi\n\tjmp " #name "_back\n"         \
		".p2align 3\n" #name "_table:\n\t.quad " PLACE_TEXT(PLACE_MAGIC) "\n\t.long 1\n"   \
		"\t.long desc - " #name "_table\n\t.long " #n_direct ", " #n_notes "\n"                      \
		"\t.long " #name "_place - " #name "_table\n");            \
	void name(volatile uint64_t *p, uint64_t n)

/* As in PRS_NOPS_MAGIC, for the assembler. */
#define PLACE_MAGIC 0xb35c71e9d80f2a6b

#define DIRECT(name, site) PLACE(name, site, place_slow, 1, 0)
#define BURST(name, site)  PLACE(name, site, place_slow, 0, 0)
#define NOTED(name, site)  PLACE(name, site, place_note, 1, 1)

static inline const struct prs_sharer *place_sharer(const struct prs_desc *d)
{
	return (const struct prs_sharer *)(*(uint64_t *)((char *)__builtin_thread_pointer() + d->mem_tls) + d->sharer);
}

/* What the cold part of a read-modify-write of 8 bytes does. */
static inline void place_test(const struct prs_desc *d, const void *p, uint32_t site)
{
	uint64_t line = (uint64_t)p >> PRS_LINE_SHIFT;
	const uint32_t *tag = &place_sharer(d)->store_tag[line % PRS_TAGS];

	if (__atomic_load_n(tag, __ATOMIC_RELAXED) != (uint32_t)line)
		d->mem(d, site, p, PRS_ACCESS(PRS_KIND_RMW, 8));
}

#endif

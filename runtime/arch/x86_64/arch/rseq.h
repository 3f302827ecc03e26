/* SPDX-License-Identifier: MIT */
/*
 * Has the thread been moved, switched out or met a signal?  The kernel tells
 * for the price of a load.
 *
 * libc registers a struct rseq for each thread.  Its rseq_cs points to a
 * description of the instructions that must not be interrupted; after each
 * switch, move and signal, on the way back to the program, the kernel looks
 * whether the thread is in the middle of them, and clears rseq_cs if it is
 * not.  Ours describes an instruction that is never run: while rseq_cs shows
 * it, nothing has happened since it was stored.  Whoever uses rseq himself
 * overwrites the mark, which costs a call or two marked for nothing.
 */
#ifndef RUNTIME_ARCH_RSEQ_H
#define RUNTIME_ARCH_RSEQ_H

#include <stddef.h>
#include <stdint.h>

/* Weak: a libc before 2.35 does not have them, and may be told not to register. */
extern const ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned int __rseq_size __attribute__((weak));

/* As the kernel has it. */
struct arch_rseq_cs {
	uint32_t version, flags;
	uint64_t start, bytes, abort; /* `abort` has libc's signature in front */
} __attribute__((aligned(32)));

#define ARCH_RSEQ_CS 8 /* offset of rseq_cs in struct rseq */

/* The thread's rseq_cs, NULL: nothing is registered. */
static inline uint64_t *arch_rseq_word(void)
{
	uint64_t tp;

	if (!&__rseq_size || !&__rseq_offset || __rseq_size < ARCH_RSEQ_CS + sizeof(uint64_t))
		return NULL;
	__asm__("movq %%fs:0, %0" : "=r"(tp));
	return (uint64_t *)(tp + (uint64_t)__rseq_offset + ARCH_RSEQ_CS);
}

/* For the one file that defines a struct arch_rseq_cs: the instruction that it describes. */
#define ARCH_RSEQ_TEXT                                                                                       \
	__asm__(".pushsection .text\n"                                                                       \
		"	.long 0x53053053\n"                                                                        \
		".hidden arch_rseq_abort\n.globl arch_rseq_abort\narch_rseq_abort:\n"                        \
		"	ud2\n"                                                                                     \
		".hidden arch_rseq_start\n.globl arch_rseq_start\narch_rseq_start:\n"                        \
		"	nop\n"                                                                                     \
		".popsection\n")

extern const char arch_rseq_abort[] __attribute__((visibility("hidden")));
extern const char arch_rseq_start[] __attribute__((visibility("hidden")));

#endif

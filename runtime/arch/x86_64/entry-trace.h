/* SPDX-License-Identifier: MIT */
/*
 * The leave of a traced process: that of entry.h, which on its way appends the
 * pair to the thread's ring as trace_pair() does (runtime/trace.h).  Whatever
 * is not usual (a handler in between, a full ring, a time that goes back) is
 * found out before anything is changed, and goes to call.c.  Lengths that do
 * not fit are long enough for the block log, and so do not come here
 * (trace_setup()); nor do objects whose site numbers do not fit (attach.c).
 * Records that handlers put aside meanwhile are looked after by the next pair:
 * they take away the limit.
 */
#ifndef RUNTIME_ARCH_ENTRY_TRACE_H
#define RUNTIME_ARCH_ENTRY_TRACE_H

#include "runtime/arch/x86_64/entry.h"
#include "runtime/trace.h"

#define RING_BUSY   "0"
#define RING_HEAD   "16"
#define RING_LIMIT  "24"
#define RING_LAST   "32"
#define RING_MASK   "40"
#define RING_DATA   "48"
#define RING_SHARED "56"
_Static_assert(offsetof(struct rt_ring, busy) == 0, "");
_Static_assert(offsetof(struct rt_ring, head) == 16, "");
_Static_assert(offsetof(struct rt_ring, limit) == 24, "");
_Static_assert(offsetof(struct rt_ring, last) == 32, "");
_Static_assert(offsetof(struct rt_ring, mask) == 40, "");
_Static_assert(offsetof(struct rt_ring, data) == 48, "");
_Static_assert(offsetof(struct rt_ring, shared) == 56, "");
_Static_assert(offsetof(struct prs_ring, head) == 0, "");
_Static_assert(PRS_LENGTH_BITS == 27 && PRS_TRACE_SITES == 1u << 30 && PRS_UNIT_BYTES == 16,
	       "the text below");

/* clang-format off */

/* rax ticks, r10 end, rdi open call, rsi thread, r11 to be kept; rcx token: to be kept until nothing can go wrong. */
#define ENTRY_TRACE \
	ENTRY_PUSH("r9") \
	"	movq %c[ring](%%rsi), %%r9\n" \
	"	testq %%r9, %%r9\n" \
	"	je 22f\n" \
	"	cmpq $0, " RING_BUSY "(%%r9)\n" \
	"	jne 24f\n" \
	"	movq $1, " RING_BUSY "(%%r9)\n" \
	"	movq " RING_HEAD "(%%r9), %%rdx\n" \
	"	cmpq " RING_LIMIT "(%%r9), %%rdx\n" \
	"	jae 23f\n" \
	"	cmpq " RING_LAST "(%%r9), %%r10\n" \
	"	jb 23f\n" \
	"	movq %%rdx, %%rcx\n" \
	"	andq " RING_MASK "(%%r9), %%rcx\n" \
	"	addq " RING_DATA "(%%r9), %%rcx\n" \
	"	movq %%r10, " RING_LAST "(%%r9)\n" \
	"	movq %%r10, (%%rcx)\n" \
	"	movl " OPEN_SITE "(%%rdi), %%r10d\n" \
	"	movl %%eax, 8(%%rcx)\n" \
	"	movl %%r10d, 12(%%rcx)\n" \
	"	leaq 16(%%rdx), %%r10\n" \
	"	movq %%rax, %%rcx\n" \
	"	movq %%rdx, %%rax\n" \
	"	cmpxchgq %%r10, " RING_HEAD "(%%r9)\n" \
	"	movq %%rcx, %%rax\n" \
	"	jne 22f\n" /* somebody took over */ \
	"	movq " RING_SHARED "(%%r9), %%rcx\n" \
	"	movq %%r10, (%%rcx)\n" \
	"	movq $0, " RING_BUSY "(%%r9)\n" \
	"22:\n" ENTRY_POP("r9")

#define ENTRY_TRACE_RARE \
	"	.cfi_adjust_cfa_offset 8\n" \
	"23:	movq $0, " RING_BUSY "(%%r9)\n" \
	"24:\n" ENTRY_POP("r9") \
	"	jmp 6b\n"
/* clang-format on */

#endif

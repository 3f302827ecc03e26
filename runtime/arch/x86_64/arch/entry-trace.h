/* SPDX-License-Identifier: MIT */
/*
 * The leave of a traced process: it puts the pair into the thread's ring, and
 * the recorder does the rest (runtime/calls/trace.h).  Whatever
 * is not usual (a handler in between, a full ring, a time that goes back) is
 * found out before anything is changed, and goes to call.c.  Lengths that do
 * not fit are long enough for the block log, and so do not come here
 * (trace_setup()); nor do objects whose site numbers do not fit (attach.c).
 * Records that handlers put aside meanwhile are looked after by the next pair:
 * they take away the limit.
 */
#ifndef RUNTIME_ARCH_ENTRY_TRACE_H
#define RUNTIME_ARCH_ENTRY_TRACE_H

#include "perseus/trace.h"
#include "arch/entry.h"

#define RING_BUSY   "64"
#define RING_HEAD   "80"
#define RING_LIMIT  "88"
#define RING_LAST   "96"
#define RING_MASK   "104"
#define RING_DATA   "112"
#define RING_SHARED "120"
_Static_assert(offsetof(struct rt_thread, own_ring.busy) == 64, "");
_Static_assert(offsetof(struct rt_thread, own_ring.head) == 80, "");
_Static_assert(offsetof(struct rt_thread, own_ring.limit) == 88, "");
_Static_assert(offsetof(struct rt_thread, own_ring.last) == 96, "");
_Static_assert(offsetof(struct rt_thread, own_ring.mask) == 104, "");
_Static_assert(offsetof(struct rt_thread, own_ring.data) == 112, "");
_Static_assert(offsetof(struct rt_thread, own_ring.shared) == 120, "");
_Static_assert(offsetof(struct prs_ring, head) == 0, "");
_Static_assert(PRS_LENGTH_BITS == 27 && PRS_TRACE_SITES == 1u << 30 && PRS_UNIT_BYTES == 16,
	       "the text below");

/* clang-format off */

/* Nothing is put into the record but what was spent in calls inside this one.  r8 end, rdx head. */
#define ENTRY_LEAVE_TRACE \
	ENTRY_LEAVE_FRONT("	cmpq $0, %c[ring](%%rsi)\n	je rt_entry_leave\n", "cmpl", \
			  "	testl %%r11d, %%r11d\n") \
	"	addq %%rax, %%r8\n" \
	"	cmpq rt+%c[limit](%%rip), %%rax\n" \
	"	jae 7f\n" \
	"	cmpq $0, " RING_BUSY "(%%rsi)\n" \
	"	jne 7f\n" \
	"	movq $1, " RING_BUSY "(%%rsi)\n" \
	"	movq " RING_HEAD "(%%rsi), %%rdx\n" \
	"	cmpq " RING_LIMIT "(%%rsi), %%rdx\n" \
	"	jae 6f\n" \
	"	cmpq " RING_LAST "(%%rsi), %%r8\n" \
	"	jb 6f\n" \
	"	movq %%rdx, %%rcx\n" \
	"	andq " RING_MASK "(%%rsi), %%rcx\n" \
	"	addq $16, %%rdx\n" \
	"	addq " RING_DATA "(%%rsi), %%rcx\n" \
	"	movq %%r8, " RING_LAST "(%%rsi)\n" \
	"	prefetchw 512(%%rcx)\n" \
	"	movq %%r8, (%%rcx)\n" \
	"	movq " RING_SHARED "(%%rsi), %%r8\n" \
	"	movl %%eax, 8(%%rcx)\n" \
	"	movl %%r11d, 12(%%rcx)\n" \
	"	movq %%rdx, " RING_HEAD "(%%rsi)\n" /* should somebody have taken over, trace.c will see it */ \
	"	movq %%rdx, (%%r8)\n" \
	"	movq $0, " RING_BUSY "(%%rsi)\n" \
	"	movq " OPEN_CHILD "(%%rdi), %%rdx\n" \
	"	movl " OPEN_PARENT "(%%rdi), %%ecx\n" \
	"	shlq $6, %%r11\n" \
	"	addq rt+%c[base](%%rip), %%r11\n" \
	"	movq %c[block](%%rsi), %%r8\n" \
	"	shlq $6, %%rcx\n" \
	"	subl $1, %%r10d\n" \
	"	addq %%rdx, " CALL_CHILD "(%%r11)\n" \
	"	addq %%rax, " OPEN_ROUND "(%%rdi)\n" \
	"	movq $0, " OPEN_START "(%%rdi)\n" \
	"	movq %%rcx, %c[path](%%rsi)\n" \
	"	movl %%r10d, " BLOCK_DEPTH "(%%r8)\n" \
	"	ret\n" \
	"6:	movq $0, " RING_BUSY "(%%rsi)\n" \
	ENTRY_LEAVE_RARE
/* clang-format on */

#endif

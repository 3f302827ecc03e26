/* SPDX-License-Identifier: MIT */
/*
 * What the stubs of version 3 call; perseus/abi.h says where things are and
 * which registers may change.
 *
 * These are call.c's rt_enter() and rt_leave() for the usual case, in as few
 * instructions as it takes: what stands between two readings of the clock is
 * free only while the processor can keep all of it in flight.  Whatever is not
 * usual is found out before anything is changed, and goes to call.c.
 */
#ifndef RUNTIME_ARCH_ENTRY_H
#define RUNTIME_ARCH_ENTRY_H

#include "runtime/base/rt.h"

/* clang-format off */
#define ENTRY_OFFSETS                                                                                        \
	[block] "i"(offsetof(struct rt_thread, block)), [opens] "i"(offsetof(struct rt_thread, opens)),      \
	[path] "i"(offsetof(struct rt_thread, path)), [busy] "i"(offsetof(struct rt_thread, busy)),          \
	[mark] "i"(offsetof(struct rt_thread, mark)), [marked] "i"(offsetof(struct rt_thread, marked_at)),   \
	[ring] "i"(offsetof(struct rt_thread, ring)), [cache] "i"(offsetof(struct rt_thread, cache)),        \
	[mix1] "i"(RT_CACHE_MIX1), [mix2] "i"(RT_CACHE_MIX2), [mix3] "i"(RT_CACHE_MIX3),                     \
	[base] "i"(offsetof(struct rt, base)), [state] "i"(offsetof(struct rt, state)),                      \
	[active] "i"(RT_ACTIVE), [self] "i"(RT_OWN_FS(self)),                                                \
	[limit] "i"(offsetof(struct rt, block_ticks)), [review] "i"(offsetof(struct rt, review_mask)),        \
	[shallow] "i"(RT_OPEN_PAGE)

/* Fixed by the format and by the ABI. */
#define CALL_CALLEE  "8"
#define CALL_NEXT    "16"
#define CALL_COUNT   "24"
#define CALL_TIMED   "32"
#define CALL_SUM     "40"
#define CALL_MIN     "48"
#define CALL_MAX     "56"
#define CALL_CHILD   "64"
#define CALL_PERIOD  "72"
#define CALL_UP      "80"
#define CALL_HIST    "128"
#define OPEN_RECORD  "0"
#define OPEN_PARENT  "4"
#define OPEN_START   "8"
#define OPEN_CHILD   "16"
#define OPEN_SITE    "24"
#define OPEN_SLOT    "28"
#define BLOCK_DEPTH  "16"
#define BLOCK_MAX    "20"
#define BLOCK_PEND   "32"
#define BLOCK_TICKS  "40"
#define DESC_BASE    "8"
#define OPEN_ROUND   "48" /* child of the call round it */
_Static_assert(offsetof(struct prs_call, callee) == 8, "");
_Static_assert(offsetof(struct prs_call, next) == 16, "");
_Static_assert(offsetof(struct prs_call, count) == 24, "");
_Static_assert(offsetof(struct prs_call, timed) == 32, "");
_Static_assert(offsetof(struct prs_call, sum) == 40, "");
_Static_assert(offsetof(struct prs_call, min) == 48, "");
_Static_assert(offsetof(struct prs_call, max) == 56, "");
_Static_assert(offsetof(struct prs_call, child) == 64, "");
_Static_assert(offsetof(struct prs_call, period) == 72, "");
_Static_assert(offsetof(struct prs_call, parent_record) == 80, "");
_Static_assert(offsetof(struct prs_call, hist) == 128, "");
_Static_assert(offsetof(struct prs_open, record) == 0, "");
_Static_assert(offsetof(struct prs_open, parent) == 4, "");
_Static_assert(offsetof(struct prs_open, start) == 8, "");
_Static_assert(offsetof(struct prs_open, child) == 16, "");
_Static_assert(offsetof(struct prs_open, site) == 24, "");
_Static_assert(offsetof(struct prs_open, slot) == 28, "");
_Static_assert(offsetof(struct prs_block, depth) == 16, "");
_Static_assert(offsetof(struct prs_block, open_max) == 20, "");
_Static_assert(offsetof(struct prs_block, pend_record) == 32, "");
_Static_assert(offsetof(struct prs_block, pend_ticks) == 40, "");
_Static_assert(offsetof(struct prs_desc, base) == 8, "");
_Static_assert(sizeof(struct prs_open) == 32 && offsetof(struct prs_slot, record) == 4, "the text below");
_Static_assert(PRS_HIST_OCTAVE0 == 5 && PRS_HIST_SUB == 4 && PRS_HIST_BUCKETS == 128, "the text below");

#define ENTRY_PUSH(r) "	pushq %%" r "\n	.cfi_adjust_cfa_offset 8\n"
#define ENTRY_POP(r)  "	popq %%" r "\n	.cfi_adjust_cfa_offset -8\n"

/* Call C function @fn, whose arguments are in place, from a stack of any alignment. */
#define ENTRY_CALL(fn)                                                                                       \
	ENTRY_PUSH("rbp") "	.cfi_rel_offset %%rbp, 0\n"                                                  \
	"	movq %%rsp, %%rbp\n	.cfi_def_cfa_register %%rbp\n"                                       \
	"	andq $-16, %%rsp\n"                                                                          \
	"	call " fn "\n"                                                                               \
	"	movq %%rbp, %%rsp\n	.cfi_def_cfa_register %%rsp\n"                                       \
	ENTRY_POP("rbp") "	.cfi_restore %%rbp\n"

#define ENTRY_SELF(r)                                                                                        \
	"	movq %%fs:%c[self], %%" r "\n"

/*
 * rdx descriptor, then depth; r11 thread, r10 slot, rcx record's address.
 * @is_callee compares the record's callee, @mix_callee adds it to the place in
 * the cache (path_place()), @target leaves it in rdx for call.c.
 */
#define ENTRY_ENTER_WITH(is_callee, mix_callee, target) \
	ENTRY_SELF("r11") \
	"	testq %%r11, %%r11\n" \
	"	je 8f\n" \
	"	movq (%%rsp), %%rax\n" \
	"	movq " DESC_BASE "(%%rdx), %%r10\n" \
	"	movl 1(%%rax), %%ecx\n" \
	"	movq %c[path](%%r11), %%rax\n" \
	"	leaq (%%r10,%%rcx,8), %%r10\n" \
	"	addq %c[block](%%r11), %%r10\n" \
	"	movl 4(%%r10), %%ecx\n" \
	"	shlq $6, %%rcx\n" \
	"	je 8f\n" \
	"	cmpq %%rax, %%rcx\n" \
	"	je 2f\n" \
	"	addq rt+%c[base](%%rip), %%rcx\n" \
	"	cmpq %%rax, " CALL_UP "(%%rcx)\n" \
	"	jne 6f\n" \
	"1:\n" \
	is_callee \
	"	jne 6f\n" \
	"3:	movq %c[mark](%%r11), %%rax\n" \
	"	cmpl $1, " CALL_PERIOD "(%%rcx)\n" \
	"	jne 8f\n" \
	"	cmpq $0, (%%rax)\n" \
	"	movq %c[block](%%r11), %%rax\n" \
	"	je 8f\n" \
	"	cmpl %[shallow], " BLOCK_DEPTH "(%%rax)\n" \
	"	jae 8f\n" \
	"	addq $1, " CALL_COUNT "(%%rcx)\n" \
	"	addl $1, (%%r10)\n" \
	"	subq %%rax, %%r10\n" \
	"	movl (%%rcx), %%edx\n" \
	"	shlq $32, %%r10\n" \
	"	orq %%rdx, %%r10\n" \
	"	movl " BLOCK_DEPTH "(%%rax), %%edx\n" \
	"	addl $1, %%edx\n" \
	"	movl %%edx, " BLOCK_DEPTH "(%%rax)\n" /* a handler from here on opens above us */ \
	"	movq %c[opens](%%r11), %%rax\n" \
	"	shlq $5, %%rdx\n" \
	"	subq %%rdx, %%rax\n" \
	"	subq rt+%c[base](%%rip), %%rcx\n" \
	"	movq %%r10, " OPEN_SITE "(%%rax)\n" /* and slot */ \
	"	movq %%rdx, %%r10\n" \
	"	movq %c[path](%%r11), %%rdx\n" \
	"	movq %%rcx, %c[path](%%r11)\n" \
	"	shlq $26, %%rdx\n" \
	"	shrq $6, %%rcx\n" \
	"	movq $0, " OPEN_CHILD "(%%rax)\n" \
	"	orq %%rcx, %%rdx\n" \
	"	movq %%rdx, " OPEN_RECORD "(%%rax)\n" /* and parent */ \
	"	movq %%rax, %%r11\n" \
	"	rdtsc\n" \
	"	shlq $32, %%rdx\n" \
	"	shrq $5, %%r10\n" \
	"	orq %%rdx, %%rax\n" \
	"	movq %%rax, " OPEN_START "(%%r11)\n" \
	"	shlq $16, %%rax\n" /* depth << 48 | low 48 bits */ \
	"	orq %%r10, %%rax\n" \
	"	rorq $16, %%rax\n" \
	"	ret\n" \
	"2:	addq rt+%c[base](%%rip), %%rcx\n" /* the open call itself: recursion */ \
	"	jmp 1b\n" \
	"6:\n" ENTRY_PUSH("rdx") /* the cache: its word has path and record, the record site and callee */ \
	"	movl %%r10d, %%edx\n" \
	"	movl (%%rcx), %%ecx\n" /* the slot's site */ \
	"	shll %[mix1], %%edx\n" \
	"	movq %c[path](%%r11), %%rax\n" \
	"	addl %%eax, %%edx\n" \
	mix_callee \
	"	imull %[mix2], %%edx, %%edx\n" \
	"	shlq $26, %%rax\n" /* its number << 32 */ \
	"	shrl %[mix3], %%edx\n" \
	"	xorq %c[cache](%%r11,%%rdx,8), %%rax\n" \
	"	movl %%eax, %%edx\n" \
	"	cmpq %%rdx, %%rax\n" \
	"	jne 7f\n" \
	"	shlq $6, %%rdx\n" \
	"	je 7f\n" \
	"	addq rt+%c[base](%%rip), %%rdx\n" \
	"	cmpl %%ecx, (%%rdx)\n" \
	"	jne 7f\n" \
	"	movq %%rdx, %%rcx\n" \
	ENTRY_POP("rdx") \
	is_callee \
	"	je 3b\n" \
	"	jmp 8f\n" \
	"	.cfi_adjust_cfa_offset 8\n" \
	"7:\n" ENTRY_POP("rdx") \
	"8:	movq %%rdx, %%rax\n" \
	target \
	"	jmp rt_entry_enter_on\n"

#define ENTRY_ENTER \
	ENTRY_ENTER_WITH("	cmpq $0, " CALL_CALLEE "(%%rcx)\n", "", "	xorl %%edx, %%edx\n")

/* The same to a callee whose address the probe left on the stack. */
#define ENTRY_ENTER_TO \
	ENTRY_ENTER_WITH("	movq 8(%%rsp), %%rax\n	cmpq %%rax, " CALL_CALLEE "(%%rcx)\n", \
			 "	addl 16(%%rsp), %%edx\n", "	movq 8(%%rsp), %%rdx\n")

/* rax descriptor, rdx target. */
#define ENTRY_ENTER_ON \
	ENTRY_PUSH("rsi") ENTRY_PUSH("rdi") ENTRY_PUSH("r8") ENTRY_PUSH("r9") \
	"	movq 32(%%rsp), %%rsi\n" \
	"	movq %%rax, %%rdi\n" \
	"	movl 1(%%rsi), %%esi\n" \
	ENTRY_CALL("rt_enter") \
	ENTRY_POP("r9") ENTRY_POP("r8") ENTRY_POP("rdi") ENTRY_POP("rsi") \
	"	ret\n"

/*
 * r9 descriptor, rcx token; rsi thread, rdi open call, r10 depth; then r8 start,
 * rax ticks.  What depends on the start comes after the reading of the clock:
 * in front of it, it would have to wait for the one before.  @traced looks at
 * the thread, @record at the block in r8 and the open call's record in r11.
 */
#define ENTRY_LEAVE_FRONT(traced, test_busy, record) \
	"	cmpl %[active], rt+%c[state](%%rip)\n" \
	"	jne 9f\n" \
	ENTRY_SELF("rsi") \
	"	testq %%rsi, %%rsi\n" \
	"	je 9f\n" \
	traced \
	"	movq %c[block](%%rsi), %%r8\n" \
	"	movq %c[opens](%%rsi), %%rdi\n" \
	"	movl " BLOCK_DEPTH "(%%r8), %%r10d\n" /* not the token's, which hangs on the clock */ \
	"	movq %c[mark](%%rsi), %%r11\n" \
	"	movl %%r10d, %%eax\n" \
	"	shlq $5, %%rax\n" \
	"	subq %%rax, %%rdi\n" \
	"	" test_busy " $0, %c[busy](%%rsi)\n" \
	"	jne 9f\n" \
	"	cmpq $0, (%%r11)\n" \
	"	je 9f\n" \
	"	movl " OPEN_RECORD "(%%rdi), %%r11d\n" \
	record \
	"	je 9f\n" \
	"	rdtsc\n" \
	"	shlq $32, %%rdx\n" \
	"	orq %%rdx, %%rax\n" \
	"	movq " OPEN_START "(%%rdi), %%r8\n" \
	"	rolq $16, %%rcx\n" /* start << 16 | depth */ \
	"	movq %%r8, %%rdx\n" \
	"	shlq $16, %%rdx\n" \
	"	orq %%r10, %%rdx\n" \
	"	cmpq %%rdx, %%rcx\n" \
	"	jne 8f\n" \
	"	cmpq %c[marked](%%rsi), %%r8\n" \
	"	jb 8f\n" \
	"	subq %%r8, %%rax\n" /* a time below 0 is a large number */

/* The usual way ends at 7 with the time in r8, at 8 with the time in rax, at 9 without one and rcx as it came. */
#define ENTRY_LEAVE_RARE \
	"7:	movq %%r8, %%rax\n" \
	"8:	rorq $16, %%rcx\n" \
	"	xorl %%edx, %%edx\n" \
	"	jmp rt_entry_leave_on\n" \
	"9:	movl $1, %%edx\n" \
	"	jmp rt_entry_leave_on\n"

#define ENTRY_LEAVE \
	ENTRY_LEAVE_FRONT("", "cmpq", \
			  "	testb $1, " BLOCK_PEND "(%%r8)\n" \
			  "	jne 9f\n" \
			  "	shlq $6, %%r11\n" \
			  "	je 9f\n" \
			  "	movq rt+%c[base](%%rip), %%rdx\n" \
			  "	movl " CALL_TIMED "(%%rdx,%%r11), %%edx\n" \
			  "	testl %%edx, rt+%c[review](%%rip)\n") \
	"	cmpq rt+%c[limit](%%rip), %%rax\n" \
	"	jae 6f\n" \
	"	movq rt+%c[base](%%rip), %%rcx\n" \
	"	movq %c[block](%%rsi), %%r8\n" \
	"	movl $1, %%r9d\n" \
	"	movq " OPEN_CHILD "(%%rdi), %%rdx\n" \
	"	xaddq %%r9, " BLOCK_PEND "(%%r8)\n" /* odd: being put into its record */ \
	"	testq %%rdx, %%rdx\n" \
	"	jne 13f\n" \
	"12:\n" \
	"	movq " BLOCK_TICKS "(%%r8), %%rdx\n" \
	"	testq %%r9, %%r9\n" \
	"	je 3f\n" \
	"	addq %%rcx, %%r9\n" \
	"	cmpq " CALL_MIN "(%%r9), %%rdx\n" \
	"	jb 4f\n" \
	"1:	cmpq " CALL_MAX "(%%r9), %%rdx\n" \
	"	ja 5f\n" \
	"2:	movl $32, %%ecx\n" \
	"	addq %%rdx, " CALL_SUM "(%%r9)\n" \
	"	cmpq %%rcx, %%rdx\n" \
	"	cmovb %%rcx, %%rdx\n" \
	"	bsrq %%rdx, %%rcx\n" \
	"	subl $2, %%ecx\n" \
	"	shrq %%cl, %%rdx\n" \
	"	leal -16(%%rdx,%%rcx,4), %%ecx\n" \
	"	cmpl $127, %%ecx\n" \
	"	ja 10f\n" \
	"	addl $1, " CALL_HIST "(%%r9,%%rcx,4)\n" \
	"11:	addq $1, " CALL_TIMED "(%%r9)\n" \
	"3:	movl " OPEN_PARENT "(%%rdi), %%edx\n" \
	"	subl $1, %%r10d\n" /* its depth: another stack may have moved the block's meanwhile */ \
	"	shlq $6, %%rdx\n" \
	"	addq %%rax, " OPEN_ROUND "(%%rdi)\n" \
	"	movq $0, " OPEN_START "(%%rdi)\n" \
	"	movq %%rdx, %c[path](%%rsi)\n" \
	"	movl %%r10d, " BLOCK_DEPTH "(%%r8)\n" \
	"	movq %%rax, " BLOCK_TICKS "(%%r8)\n" \
	"	movq %%r11, " BLOCK_PEND "(%%r8)\n" \
	"	ret\n" \
	"13:	addq %%rdx, " CALL_CHILD "(%%rcx,%%r11)\n" \
	"	jmp 12b\n" \
	"4:	movq %%rdx, " CALL_MIN "(%%r9)\n" \
	"	jmp 1b\n" \
	"5:	movq %%rdx, " CALL_MAX "(%%r9)\n" \
	"	jmp 2b\n" \
	"10:	addl $1, 4*127+" CALL_HIST "(%%r9)\n" \
	"	jmp 11b\n" \
	"6:	addq %%rax, %%r8\n" \
	ENTRY_LEAVE_RARE

/* r9 descriptor, rcx token; edx 0: rax time. */
#define ENTRY_LEAVE_ON \
	"	movq (%%rsp), %%rsi\n" \
	"	movq %%r9, %%rdi\n" \
	"	movl 1(%%rsi), %%esi\n" \
	"	testl %%edx, %%edx\n" \
	"	movq %%rcx, %%rdx\n" \
	"	jne 1f\n" \
	"	movq %%rax, %%rcx\n" \
	ENTRY_CALL("rt_leave_at") \
	"	jmp 2f\n" \
	"1:\n" ENTRY_CALL("rt_leave") \
	"2:	ret\n"

/* For a clock that is not the counter: always call.c. */
#define ENTRY_ENTER_PLAIN    "	movq %%rdx, %%rax\n	xorl %%edx, %%edx\n	jmp rt_entry_enter_on\n"
#define ENTRY_ENTER_TO_PLAIN "	movq %%rdx, %%rax\n	movq 8(%%rsp), %%rdx\n	jmp rt_entry_enter_on\n"
#define ENTRY_LEAVE_PLAIN    "	movl $1, %%edx\n	jmp rt_entry_leave_on\n"
/* clang-format on */

/*
 * Of numbers ten and above GNU as takes backward and forward references, too.
 * The compiler adds nothing to these functions but start and end of the unwind
 * record.
 */
#define ENTRY_RARE     __attribute__((naked, noinline, no_instrument_function, visibility("hidden")))
#define ENTRY_FUNCTION ENTRY_RARE __attribute__((aligned(64)))

#endif

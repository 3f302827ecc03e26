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

#include "runtime/call.h"

/* clang-format off */
#define ENTRY_OFFSETS                                                                                        \
	[block] "i"(offsetof(struct rt_thread, block)), [opens] "i"(offsetof(struct rt_thread, opens)),      \
	[path] "i"(offsetof(struct rt_thread, path)), [busy] "i"(offsetof(struct rt_thread, busy)),          \
	[mark] "i"(offsetof(struct rt_thread, mark)), [marked] "i"(offsetof(struct rt_thread, marked_at)),   \
	[ring] "i"(offsetof(struct rt_thread, ring)), [cache] "i"(offsetof(struct rt_thread, cache)),        \
	[places] "i"(RT_CACHE - 1), [mix1] "i"(RT_CACHE_MIX1), [mix2] "i"(RT_CACHE_MIX2),                    \
	[base] "i"(offsetof(struct rt, base)), [state] "i"(offsetof(struct rt, state)),                      \
	[active] "i"(RT_ACTIVE),                                         \
	[limit] "i"(offsetof(struct rt, block_ticks)), [review] "i"(offsetof(struct rt, review_mask)),        \
	[first] "i"(offsetof(struct rt_unit, shadow.first_call)),                                           \
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
#define DESC_RUNTIME "88"
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
_Static_assert(offsetof(struct prs_desc, runtime) == 88, "");
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
	"	movq rt_self@gottpoff(%%rip), %%" r "\n"                                                     \
	"	movq %%fs:(%%" r "), %%" r "\n"

/*
 * rdx descriptor, then depth; r11 thread, r10 slot, rcx record's address.
 * @is_callee compares the record's callee, @mix_callee adds it to the place in
 * the cache, @target leaves it in rdx for call.c.
 */
#define ENTRY_ENTER_WITH(is_callee, mix_callee, target) \
	ENTRY_PUSH("rcx") ENTRY_SELF("r11") \
	"	testq %%r11, %%r11\n" \
	"	je 8f\n" \
	"	movq 24(%%rsp), %%rax\n" \
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
	"	movl " BLOCK_DEPTH "(%%rax), %%edx\n" \
	"	subq %%rax, %%r10\n" \
	"	addl $1, %%edx\n" \
	"	movl %%edx, " BLOCK_DEPTH "(%%rax)\n" /* a handler from here on opens above us */ \
	"	shlq $5, %%rdx\n" \
	"	movq %c[opens](%%r11), %%rax\n" \
	"	subq %%rdx, %%rax\n" \
	"	movl %%r10d, " OPEN_SLOT "(%%rax)\n" \
	"	movq %%rdx, %%r10\n" \
	"	movq %c[path](%%r11), %%rdx\n" \
	"	shrq $6, %%rdx\n" \
	"	movl %%edx, " OPEN_PARENT "(%%rax)\n" \
	"	movl (%%rcx), %%edx\n" \
	"	subq rt+%c[base](%%rip), %%rcx\n" \
	"	movl %%edx, " OPEN_SITE "(%%rax)\n" \
	"	movq %%rcx, %c[path](%%r11)\n" \
	"	shrq $6, %%rcx\n" \
	"	movq $0, " OPEN_CHILD "(%%rax)\n" \
	"	movl %%ecx, " OPEN_RECORD "(%%rax)\n" \
	"	movq %%rax, %%r11\n" \
	"	shrq $5, %%r10\n" \
	ENTRY_POP("rcx") \
	"	rdtsc\n" \
	"	shlq $32, %%rdx\n" \
	"	orq %%rdx, %%rax\n" \
	"	movq %%rax, " OPEN_START "(%%r11)\n" \
	"	shlq $16, %%rax\n" /* depth << 48 | low 48 bits */ \
	"	orq %%r10, %%rax\n" \
	"	rorq $16, %%rax\n" \
	"	ret\n" \
	"	.cfi_adjust_cfa_offset 8\n" \
	"2:	addq rt+%c[base](%%rip), %%rcx\n" /* the open call itself: recursion */ \
	"	jmp 1b\n" \
	"6:	movq " CALL_NEXT "(%%rcx), %%rcx\n" /* the next record of the slot */ \
	"	movq %c[path](%%r11), %%rax\n" \
	"	testq %%rcx, %%rcx\n" \
	"	je 7f\n" \
	"	addq rt+%c[base](%%rip), %%rcx\n" \
	"	cmpq %%rax, " CALL_UP "(%%rcx)\n" \
	"	jne 7f\n" \
	is_callee \
	"	je 3b\n" \
	"7:	movq 24(%%rsp), %%rax\n" /* the cache: its word has path and record, the record site and callee */ \
	"	movl 1(%%rax), %%eax\n" \
	"	movq " DESC_RUNTIME "(%%rdx), %%rcx\n" \
	"	addl %c[first](%%rcx), %%eax\n" \
	"	imull %[mix2], %%eax, %%eax\n" \
	"	movq %c[path](%%r11), %%rcx\n" \
	"	shrq $6, %%rcx\n" \
	"	imull %[mix1], %%ecx, %%ecx\n" \
	"	addl %%eax, %%ecx\n" \
	mix_callee \
	"	movl %%ecx, %%eax\n" \
	"	shrl $15, %%eax\n" \
	"	xorl %%eax, %%ecx\n" \
	"	andl %[places], %%ecx\n" \
	"	movq %c[cache](%%r11,%%rcx,8), %%rax\n" \
	"	movl %%eax, %%ecx\n" \
	"	shrq $32, %%rax\n" \
	"	shlq $6, %%rax\n" \
	"	cmpq %c[path](%%r11), %%rax\n" \
	"	jne 8f\n" \
	"	shlq $6, %%rcx\n" \
	"	je 8f\n" \
	"	addq rt+%c[base](%%rip), %%rcx\n" \
	"	movq 24(%%rsp), %%rax\n" \
	"	movl 1(%%rax), %%eax\n" \
	ENTRY_PUSH("rdx") \
	"	movq " DESC_RUNTIME "(%%rdx), %%rdx\n" \
	"	addl %c[first](%%rdx), %%eax\n" \
	ENTRY_POP("rdx") \
	"	cmpl %%eax, (%%rcx)\n" \
	"	jne 8f\n" \
	is_callee \
	"	je 3b\n" \
	"8:	movq %%rdx, %%rax\n" \
	target \
	"	jmp rt_entry_enter_on\n"

#define ENTRY_ENTER \
	ENTRY_ENTER_WITH("	cmpq $0, " CALL_CALLEE "(%%rcx)\n", "", "	xorl %%edx, %%edx\n")

/* The same to a callee whose address the stub was given. */
#define ENTRY_ENTER_TO \
	ENTRY_ENTER_WITH("	movq 32(%%rsp), %%rax\n	cmpq %%rax, " CALL_CALLEE "(%%rcx)\n", \
			 "	movq 32(%%rsp), %%rax\n	shrq $4, %%rax\n	addl %%eax, %%ecx\n", \
			 "	movq 32(%%rsp), %%rdx\n")

/* With rcx on the stack: rax descriptor, rdx target. */
#define ENTRY_ENTER_ON \
	"	.cfi_def_cfa_offset 16\n" \
	ENTRY_PUSH("rsi") ENTRY_PUSH("rdi") ENTRY_PUSH("r8") ENTRY_PUSH("r9") \
	"	movq 56(%%rsp), %%rsi\n" \
	"	movq %%rax, %%rdi\n" \
	"	movl 1(%%rsi), %%esi\n" \
	ENTRY_CALL("rt_enter") \
	ENTRY_POP("r9") ENTRY_POP("r8") ENTRY_POP("rdi") ENTRY_POP("rsi") ENTRY_POP("rcx") \
	"	ret\n"

/*
 * r9 descriptor, rcx token; rsi thread, rdi open call, r10 depth, r8 start; rax
 * ticks.  Whatever does not depend on the reading of the clock comes in front of
 * it, so that as much stands between enter and leave as between leave and
 * enter.  @traced looks at the thread, @record at the open call's record, in r11.
 */
#define ENTRY_LEAVE_FRONT(traced, test_busy, record) \
	"	.cfi_def_cfa_offset 24\n" \
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
	"	movq " OPEN_START "(%%rdi), %%r8\n" \
	"	rolq $16, %%rcx\n" /* start << 16 | depth */ \
	"	movq %%r8, %%rax\n" \
	"	shlq $16, %%rax\n" \
	"	orq %%r10, %%rax\n" \
	"	cmpq %%rax, %%rcx\n" \
	"	jne 8f\n" \
	"	cmpq %c[marked](%%rsi), %%r8\n" \
	"	jb 8f\n" \
	"	movl " OPEN_RECORD "(%%rdi), %%r11d\n" \
	record \
	"	je 8f\n" \
	"	rdtsc\n" \
	"	shlq $32, %%rdx\n" \
	"	orq %%rdx, %%rax\n" \
	"	subq %%r8, %%rax\n" /* a time below 0 is a large number */

/* With the time in r8: the usual way ends at 7, without having read the clock at 8 or, rcx as it came, at 9. */
#define ENTRY_LEAVE_RARE \
	"7:	movq %%r8, %%rax\n" \
	"	rorq $16, %%rcx\n" \
	"	xorl %%edx, %%edx\n" \
	"	jmp rt_entry_leave_on\n" \
	"8:	rorq $16, %%rcx\n" \
	"9:	movl $1, %%edx\n" \
	"	jmp rt_entry_leave_on\n"

#define ENTRY_LEAVE \
	ENTRY_LEAVE_FRONT("", "cmpq", \
			  "	shlq $6, %%r11\n" \
			  "	je 8f\n" \
			  "	movq rt+%c[base](%%rip), %%rdx\n" \
			  "	movl " CALL_TIMED "(%%rdx,%%r11), %%edx\n" \
			  "	testl %%edx, rt+%c[review](%%rip)\n") \
	"	cmpq rt+%c[limit](%%rip), %%rax\n" \
	"	jae 6f\n" \
	"	movq rt+%c[base](%%rip), %%rcx\n" \
	"	movq %c[block](%%rsi), %%r8\n" \
	"	movq %%r10, %c[busy](%%rsi)\n" \
	"	movq " BLOCK_PEND "(%%r8), %%r9\n" \
	"	movq " BLOCK_TICKS "(%%r8), %%rdx\n" \
	"	movq $0, " BLOCK_PEND "(%%r8)\n" \
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
	"3:	movq " OPEN_CHILD "(%%rdi), %%rdx\n" \
	"	movq rt+%c[base](%%rip), %%rcx\n" \
	"	addq %%rdx, " CALL_CHILD "(%%rcx,%%r11)\n" \
	"	movl " OPEN_PARENT "(%%rdi), %%edx\n" \
	"	subl $1, %%r10d\n" /* its depth: another stack may have moved the block's meanwhile */ \
	"	shlq $6, %%rdx\n" \
	"	addq %%rax, " OPEN_ROUND "(%%rdi)\n" \
	"	movq $0, " OPEN_START "(%%rdi)\n" \
	"	movq %%rdx, %c[path](%%rsi)\n" \
	"	movl %%r10d, " BLOCK_DEPTH "(%%r8)\n" \
	"	movq %%rax, " BLOCK_TICKS "(%%r8)\n" \
	"	movq %%r11, " BLOCK_PEND "(%%r8)\n" \
	"	movq $0, %c[busy](%%rsi)\n" \
	ENTRY_POP("rax") ENTRY_POP("rdx") \
	"	ret\n" \
	"	.cfi_adjust_cfa_offset 16\n" \
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
	"	.cfi_def_cfa_offset 24\n" \
	"	movq 16(%%rsp), %%rsi\n" \
	"	movq %%r9, %%rdi\n" \
	"	movl 1(%%rsi), %%esi\n" \
	"	testl %%edx, %%edx\n" \
	"	movq %%rcx, %%rdx\n" \
	"	jne 1f\n" \
	"	movq %%rax, %%rcx\n" \
	ENTRY_CALL("rt_leave_at") \
	"	jmp 2f\n" \
	"1:\n" ENTRY_CALL("rt_leave") \
	"2:\n" ENTRY_POP("rax") ENTRY_POP("rdx") \
	"	ret\n"

/* For a clock that is not the counter: always call.c. */
#define ENTRY_ENTER_PLAIN                                                                                    \
	ENTRY_PUSH("rcx") "	movq %%rdx, %%rax\n	xorl %%edx, %%edx\n	jmp rt_entry_enter_on\n"
#define ENTRY_ENTER_TO_PLAIN                                                                                 \
	ENTRY_PUSH("rcx") "	movq %%rdx, %%rax\n	movq 32(%%rsp), %%rdx\n	jmp rt_entry_enter_on\n"
#define ENTRY_LEAVE_PLAIN "	.cfi_def_cfa_offset 24\n	movl $1, %%edx\n	jmp rt_entry_leave_on\n"
/* clang-format on */

/*
 * Of numbers ten and above GNU as takes backward and forward references, too.
 * The compiler adds nothing to these functions but start and end of the unwind
 * record.
 */
#define ENTRY_FUNCTION                                                                                       \
	__attribute__((naked, noinline, aligned(64), no_instrument_function, visibility("hidden")))

#endif

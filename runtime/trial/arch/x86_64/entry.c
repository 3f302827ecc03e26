/* SPDX-License-Identifier: MIT */
/*
 * What the stubs of an object come to, in place of the recording runtime's; perseus/abi.h says which
 * registers hold what and which may change.  Behind the return address lie a byte and the site.
 */
#include "runtime/trial/trial.h"

/* Of desc.spare. */
#define SPARE(i) "152+8*" #i
_Static_assert(offsetof(struct prs_desc, spare) == 152, "the text below");
_Static_assert(TRIAL_FIRST == 0 && TRIAL_ENTER == 1 && TRIAL_ENTER_TO == 2 && TRIAL_LEAVE == 3, "... too");

/* clang-format off */
#define ENTRY __attribute__((naked, noinline, no_instrument_function, visibility("hidden")))
#define PUSH(r) "	pushq %%" r "\n	.cfi_adjust_cfa_offset 8\n"
#define POP(r)  "	popq %%" r "\n	.cfi_adjust_cfa_offset -8\n"

/* Call C function @fn from a stack of any alignment. */
#define CALL_C(fn)                                                                                           \
	PUSH("rbp") "	.cfi_rel_offset %%rbp, 0\n"                                                          \
	"	movq %%rsp, %%rbp\n	.cfi_def_cfa_register %%rbp\n"                                       \
	"	andq $-16, %%rsp\n"                                                                          \
	"	call " fn "\n"                                                                               \
	"	movq %%rbp, %%rsp\n	.cfi_def_cfa_register %%rsp\n"                                       \
	POP("rbp") "	.cfi_restore %%rbp\n"

/* rdx descriptor, @target the callee's address; the token comes in rax. */
#define TO_C(target)                                                                                         \
	"	movq (%%rsp), %%rax\n"                                                                       \
	"	movl 1(%%rax), %%ecx\n"                                                                      \
	target                                                                                               \
	PUSH("rsi") PUSH("rdi") PUSH("r8") PUSH("r9")                                                        \
	"	movq %%rdx, %%rdi\n"                                                                         \
	"	movl %%ecx, %%esi\n"                                                                         \
	"	movq %%r10, %%rdx\n"                                                                         \
	CALL_C("trial_enter")                                                                                \
	POP("r9") POP("r8") POP("rdi") POP("rsi")                                                            \
	"	ret\n"

/* A slot without a hook goes on to where it would have gone. */
#define PASS(to)                                                                                             \
	"	movq (%%rsp), %%rax\n"                                                                       \
	"	movl 1(%%rax), %%ecx\n"                                                                      \
	"	movq " SPARE(0) "(%%rdx), %%r10\n"                                                           \
	"	cmpw $0, (%%r10,%%rcx,2)\n"                                                                  \
	"	jne 1f\n"                                                                                    \
	"	jmp *" to "(%%rdx)\n"                                                                        \
	"1:\n"

ENTRY void trial_entry_enter_all(void)
{
	__asm__ volatile(TO_C("	xorl %%r10d, %%r10d\n") : :);
}

ENTRY void trial_entry_enter(void)
{
	__asm__ volatile(PASS(SPARE(1)) TO_C("	xorl %%r10d, %%r10d\n") : :);
}

ENTRY void trial_entry_enter_to(void)
{
	__asm__ volatile(PASS(SPARE(2)) TO_C("	movq 8(%%rsp), %%r10\n") : :);
}

/* r9 descriptor, rcx token. */
ENTRY void trial_entry_leave(void)
{
	__asm__ volatile("	movq (%%rsp), %%rax\n"
			 "	movl 1(%%rax), %%esi\n"
			 "	movq " SPARE(0) "(%%r9), %%r10\n"
			 "	cmpw $0, (%%r10,%%rsi,2)\n"
			 "	jne 1f\n"
			 "	movq " SPARE(3) "(%%r9), %%rax\n"
			 "	testq %%rax, %%rax\n" /* alone: an exception was caught, nobody counts */
			 "	je 2f\n"
			 "	jmp *%%rax\n"
			 "1:	movq %%r9, %%rdi\n"
			 "	movq %%rcx, %%rdx\n"
			 CALL_C("trial_leave")
			 "2:	ret\n" : :);
}
/* clang-format on */

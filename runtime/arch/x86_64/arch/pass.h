/* SPDX-License-Identifier: MIT */
/*
 * The interposed functions of wrap-pass.c, which includes this once: each is its
 * number and a jump.  A function in C for each would be a hundred bytes that
 * save and restore what it is given.
 */
#ifndef RUNTIME_ARCH_PASS_H
#define RUNTIME_ARCH_PASS_H

#include <stdint.h>

/*
 * Function @number was called from @caller with the arguments @a, six at most,
 * of which it may have fewer; returns its result.
 */
long pass_on(const long *a, uint32_t number, const void *caller) __attribute__((visibility("hidden"), used));

/* clang-format off */
#define PASS_BEGIN ".text\n.set pass_number, 0\n"

/* In the order of the table: the number grows by one. */
#define PASS_STUB(name) \
	".globl " #name "\n" \
	".type " #name ", @function\n" \
	#name ":\n" \
	"	.cfi_startproc\n" \
	"	movl $pass_number, %eax\n" \
	"	jmp pass_entry\n" \
	"	.cfi_endproc\n" \
	".size " #name ", .-" #name "\n" \
	".set pass_number, pass_number + 1\n"

__asm__(".text\n"
	".type pass_entry, @function\n"
	"pass_entry:\n"
	"	.cfi_startproc\n"
	"	pushq %r9\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	pushq %r8\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	pushq %rcx\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	pushq %rdx\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	pushq %rsi\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	pushq %rdi\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	movq %rsp, %rdi\n"
	"	movl %eax, %esi\n"
	"	movq 48(%rsp), %rdx\n"
	"	pushq %rax\n" /* the stack is aligned again */
	"	.cfi_adjust_cfa_offset 8\n"
	"	call pass_on\n"
	"	addq $56, %rsp\n"
	"	.cfi_adjust_cfa_offset -56\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size pass_entry, .-pass_entry\n");
/* clang-format on */

#endif

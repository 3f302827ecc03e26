// SPDX-License-Identifier: MIT
/* Copies that may fault: the handlers of SIGSEGV and SIGBUS go on behind them. */
#include "runtime/denormal/trap/trap.h"

__asm__(".text\n"
	".globl trap_peek_bytes\n"
	".hidden trap_peek_bytes\n"
	".type trap_peek_bytes, @function\n"
	"trap_peek_bytes:\n" /* to, from, bytes: 1, or 0 after a fault */
	"	.cfi_startproc\n"
	"	cmp	$8, %rdx\n"
	"	jb	1f\n"
	"	cmp	$16, %rdx\n"
	"	ja	2f\n"
	"	mov	(%rsi), %rax\n"
	"	mov	-8(%rsi,%rdx), %rcx\n"
	"	mov	%rax, (%rdi)\n"
	"	mov	%rcx, -8(%rdi,%rdx)\n"
	"	mov	$1, %eax\n"
	"	ret\n"
	"1:	cmp	$4, %rdx\n"
	"	jb	2f\n"
	"	mov	(%rsi), %eax\n"
	"	mov	-4(%rsi,%rdx), %ecx\n"
	"	mov	%eax, (%rdi)\n"
	"	mov	%ecx, -4(%rdi,%rdx)\n"
	"	mov	$1, %eax\n"
	"	ret\n"
	"2:	mov	%rdx, %rcx\n"
	"	rep movsb\n"
	"	mov	$1, %eax\n"
	"	ret\n"
	".globl trap_peek_fault\n"
	".hidden trap_peek_fault\n"
	"trap_peek_fault:\n" /* where all that faults above goes on */
	"	xor	%eax, %eax\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size trap_peek_bytes, . - trap_peek_bytes\n");

int trap_peek_bytes(void *to, const void *from, size_t n);

bool trap_peek(void *to, const void *from, size_t n)
{
	return trap_peek_bytes(to, from, n);
}

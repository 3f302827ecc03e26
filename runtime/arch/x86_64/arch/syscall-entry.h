/* SPDX-License-Identifier: MIT */
/*
 * The body of libc's syscall() for wrap-seal.c, which includes this once.  The
 * way through is libc's own, instruction for instruction: no frame, since a
 * child of SYS_vfork or SYS_clone comes back by it, too.
 */
#ifndef RUNTIME_ARCH_SYSCALL_ENTRY_H
#define RUNTIME_ARCH_SYSCALL_ENTRY_H

#include <sys/syscall.h>

/* syscall(@nr, ...) for the calls that may seal the process, or make it another user's. */
long seal_syscall(long nr, long a, long b, long c, long d, long e, long f)
	__attribute__((visibility("hidden"), used));

/* syscall(SYS_futex, ...): waits by hand, wrap-sleep.c. */
long futex_syscall(long nr, long a, long b, long c, long d, long e, long f)
	__attribute__((visibility("hidden"), used));

/* Set errno from the kernel's @ret; -1. */
long seal_failed(long ret) __attribute__((visibility("hidden"), used));

#define ENTRY_TEXT_(n) #n
#define ENTRY_TEXT(n)  ENTRY_TEXT_(n)

/* clang-format off */
__asm__(".text\n"
	".p2align 4\n"
	".globl syscall\n"
	".type syscall, @function\n"
	"syscall:\n"
	"	.cfi_startproc\n"
	"	cmpq $" ENTRY_TEXT(__NR_futex) ", %rdi\n"
	"	je futex_syscall\n"
	"	cmpq $" ENTRY_TEXT(__NR_seccomp) ", %rdi\n"
	"	je seal_syscall\n"
	"	cmpq $" ENTRY_TEXT(__NR_prctl) ", %rdi\n"
	"	je seal_syscall\n"
	"	leal -" ENTRY_TEXT(__NR_setuid) "(%rdi), %eax\n" /* up to setresuid */
	"	cmpl $" ENTRY_TEXT(__NR_setresuid) " - " ENTRY_TEXT(__NR_setuid) ", %eax\n"
	"	jbe seal_syscall\n"
	"	cmpq $" ENTRY_TEXT(__NR_fork) ", %rdi\n"
	"	je seal_syscall\n"
	"	cmpq $" ENTRY_TEXT(__NR_clone) ", %rdi\n"
	"	jne 2f\n"
	"	testl $0x100, %esi\n" /* CLONE_VM: the child would run on our frame */
	"	jnz 2f\n"
	"	testq %rdx, %rdx\n" /* a stack of its own: there is no frame */
	"	jz seal_syscall\n"
	"2:"
	"	movq %rdi, %rax\n"
	"	movq %rsi, %rdi\n"
	"	movq %rdx, %rsi\n"
	"	movq %rcx, %rdx\n"
	"	movq %r8, %r10\n"
	"	movq %r9, %r8\n"
	"	movq 8(%rsp), %r9\n"
	"	syscall\n"
	"	cmpq $-4095, %rax\n"
	"	jae 1f\n"
	"	ret\n"
	"1:	movq %rax, %rdi\n"
	"	jmp seal_failed\n"
	"	.cfi_endproc\n"
	".size syscall, .-syscall\n");
/* clang-format on */

#endif

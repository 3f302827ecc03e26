/* SPDX-License-Identifier: MIT */
/* A thread that libc knows nothing of. */
#ifndef RUNTIME_ARCH_HELPER_H
#define RUNTIME_ARCH_HELPER_H

#include <stdint.h>

#include "arch/syscall.h"

/*
 * Run @body(@arg), which must never return, in a new thread made with the
 * clone @flags: its stack ends below @stack (a multiple of 16), its thread
 * pointer is @tls.  Returns the kernel's id, or a negative errno.
 */
static inline long arch_helper(void (*body)(void *), void *arg, void *stack, void *tls, uint64_t flags)
{
	register long r10 __asm__("r10") = 0;
	register long r8 __asm__("r8") = (long)tls;
	register void (*r12)(void *) __asm__("r12") = body;
	register void *r13 __asm__("r13") = arg;
	long ret;

	__asm__ volatile("syscall\n\t"
			 "testq %%rax, %%rax\n\t"
			 "jnz 1f\n\t"
			 "xorl %%ebp, %%ebp\n\t"
			 "movq %%r13, %%rdi\n\t"
			 "call *%%r12\n\t"
			 "ud2\n"
			 "1:"
			 : "=a"(ret)
			 : "0"((long)SYS_clone), "D"(flags), "S"(stack), "d"(0L), "r"(r10), "r"(r8), "r"(r12),
			   "r"(r13)
			 : "rcx", "r11", "memory", "cc");
	return ret;
}

#endif

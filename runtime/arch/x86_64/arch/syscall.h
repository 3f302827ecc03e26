/* SPDX-License-Identifier: MIT */
/*
 * Raw system calls.  Probes run where libc must not be entered (inside
 * malloc, in signal handlers) and must leave vector registers alone, so
 * everything behind a probe comes through here.  All return the kernel's
 * value: a negative errno on failure; `errno` is not touched.
 */
#ifndef RUNTIME_ARCH_SYSCALL_H
#define RUNTIME_ARCH_SYSCALL_H

#include <stdint.h>
#include <sys/syscall.h>

/* System call @nr with six arguments; unused ones are 0. */
static inline long rt_syscall(long nr, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "0"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return ret;
}

/* The same for system calls that take no more than four. */
static inline long rt_syscall4(long nr, long a, long b, long c, long d)
{
	register long r10 __asm__("r10") = d;
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "0"(nr), "D"(a), "S"(b), "d"(c), "r"(r10)
			 : "rcx", "r11", "memory");
	return ret;
}

/* ... or three: half as long. */
static inline long rt_syscall3(long nr, long a, long b, long c)
{
	long ret;

	__asm__ volatile("syscall" : "=a"(ret) : "0"(nr), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
	return ret;
}

/* ... or none, or one. */
static inline long rt_syscall1(long nr, long a)
{
	long ret;

	__asm__ volatile("syscall" : "=a"(ret) : "0"(nr), "D"(a) : "rcx", "r11", "memory");
	return ret;
}

#endif

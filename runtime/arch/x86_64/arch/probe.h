/* SPDX-License-Identifier: MIT */
/* What stands between a probe and the runtime: to measure what it takes, and to leave it out. */
#ifndef RUNTIME_ARCH_PROBE_H
#define RUNTIME_ARCH_PROBE_H

#include <stdint.h>

#include "perseus/abi.h"

/* Stubs that do nothing: the first returns the token of a call that is not timed. */
#define ARCH_NO_TOKEN "xorl %eax, %eax\n\tret"
#define ARCH_RETURN   "ret"

/* Call @f as a probe's stub does: nine registers saved, the stack aligned. */
static inline uint64_t arch_probe_call(uint64_t (*f)(void))
{
	uint64_t ret;

	__asm__ volatile("leaq -128(%%rsp), %%rsp\n\t"
			 "pushq %%rbp\n\tmovq %%rsp, %%rbp\n\t"
			 "pushq %%rcx\n\tpushq %%rdx\n\tpushq %%rsi\n\tpushq %%rdi\n\t"
			 "pushq %%r8\n\tpushq %%r9\n\tpushq %%r10\n\tpushq %%r11\n\t"
			 "andq $-16, %%rsp\n\tcall *%%rax\n\tleaq -64(%%rbp), %%rsp\n\t"
			 "popq %%r11\n\tpopq %%r10\n\tpopq %%r9\n\tpopq %%r8\n\t"
			 "popq %%rdi\n\tpopq %%rsi\n\tpopq %%rdx\n\tpopq %%rcx\n\t"
			 "popq %%rbp\n\tleaq 128(%%rsp), %%rsp"
			 : "=a"(ret)
			 : "0"(f)
			 : "cc", "memory");
	return ret;
}

#endif

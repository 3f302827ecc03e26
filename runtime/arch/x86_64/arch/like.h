/* SPDX-License-Identifier: MIT */
/*
 * Where a function of the program is called from ours, its frame lies as many
 * bytes below where it lies in the plain program as make whole pairs of lines.
 */
#ifndef RUNTIME_ARCH_LIKE_H
#define RUNTIME_ARCH_LIKE_H

#include <stdint.h>

/* The stack pointer with which the function that this is written in was entered. */
#define ARCH_ENTRY_SP() ((uint64_t)__builtin_dwarf_cfa() - 8)

/* The stack pointer with which a function is entered that this one calls with @bytes of arguments on the stack. */
static inline __attribute__((always_inline)) uint64_t arch_callee_sp(uint64_t bytes)
{
	uint64_t sp;

	__asm__ volatile("movq %%rsp, %0" : "=r"(sp));
	return sp - bytes - 8;
}

/* Call @fn(@data) so that it is entered with a stack pointer that is @like modulo 128. */
static __attribute__((naked, noinline, unused)) void
arch_call_like(__attribute__((unused)) void (*fn)(void *), __attribute__((unused)) void *data,
	       __attribute__((unused)) uint64_t like)
{
	__asm__("pushq %rbp\n\t"
		".cfi_def_cfa_offset 16\n\t"
		".cfi_offset %rbp, -16\n\t"
		"movq %rsp, %rbp\n\t"
		".cfi_def_cfa_register %rbp\n\t"
		"leaq -8(%rsp), %rax\n\t"
		"subq %rdx, %rax\n\t"
		"andl $127, %eax\n\t"
		"subq %rax, %rsp\n\t"
		"movq %rdi, %rax\n\t"
		"movq %rsi, %rdi\n\t"
		"call *%rax\n\t"
		"leave\n\t"
		".cfi_def_cfa %rsp, 8\n\t"
		"ret");
}

#endif

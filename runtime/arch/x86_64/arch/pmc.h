/* SPDX-License-Identifier: MIT */
/* The performance counters as user mode reads them. */
#ifndef RUNTIME_ARCH_PMC_H
#define RUNTIME_ARCH_PMC_H

#include <stdbool.h>
#include <stdint.h>

/* Counter @index; faults unless the kernel allows it to this process, so ask the event's page first. */
static inline uint64_t arch_pmc(uint32_t index)
{
	uint32_t lo, hi;

	__asm__ volatile("rdpmc" : "=a"(lo), "=d"(hi) : "c"(index));
	return (uint64_t)hi << 32 | lo;
}

/*
 * True if valgrind executes us: it does not know the instruction.  What it
 * looks for is four rotations that cancel out, and an exchange of a register
 * with itself.
 */
static inline bool arch_on_valgrind(void)
{
	uint64_t request[6] = {0x1001}; /* RUNNING_ON_VALGRIND */
	uint64_t answer = 0;

	__asm__ volatile("rolq $3, %%rdi\n\trolq $13, %%rdi\n\trolq $61, %%rdi\n\trolq $51, %%rdi\n\t"
			 "xchgq %%rbx, %%rbx"
			 : "+d"(answer)
			 : "a"(request)
			 : "cc", "memory");
	return answer != 0;
}

#endif

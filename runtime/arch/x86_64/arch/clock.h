/* SPDX-License-Identifier: MIT */
/* The time-stamp counter, and what the processor says about it. */
#ifndef RUNTIME_ARCH_CLOCK_H
#define RUNTIME_ARCH_CLOCK_H

#include <cpuid.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Ticks of the time-stamp counter.  Not serialising: the fences would double
 * the price of a probe, and the counter's own step is coarser than the error.
 */
static inline uint64_t arch_tsc(void)
{
	uint32_t lo, hi;

	__asm__ volatile("rdtsc" : "=a"(lo), "=d"(hi));
	return (uint64_t)hi << 32 | lo;
}

/* What follows begins when all before it is done. */
static inline void arch_fence(void)
{
	__asm__ volatile("lfence" ::: "memory");
}

/* Between two looks at a word that others change, or at the clock. */
static inline void arch_relax(void)
{
	__builtin_ia32_pause();
}

/* True if the counter runs at one rate in all power states and on all cores. */
static inline bool arch_tsc_invariant(void)
{
	uint32_t a, b, c, d;

	return __get_cpuid(0x80000007u, &a, &b, &c, &d) && (d >> 8 & 1);
}

#endif

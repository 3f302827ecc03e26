/* SPDX-License-Identifier: MIT */
/*
 * Read-modify-write that is atomic against a signal handler of the same
 * thread, and only against that: one instruction without a lock prefix, at
 * the price of a plain one.  Only the owner of the memory may use these.
 */
#ifndef RUNTIME_ARCH_LOCAL_H
#define RUNTIME_ARCH_LOCAL_H

#include <stdbool.h>
#include <stdint.h>

static inline void local_add64(uint64_t *p, uint64_t v)
{
	__asm__ volatile("addq %1, %0" : "+m"(*p) : "er"(v) : "cc", "memory");
}

static inline void local_add32(uint32_t *p, uint32_t v)
{
	__asm__ volatile("addl %1, %0" : "+m"(*p) : "er"(v) : "cc", "memory");
}

/* Add @v, return the value before. */
static inline uint64_t local_fetch_add64(uint64_t *p, uint64_t v)
{
	__asm__ volatile("xaddq %0, %1" : "+r"(v), "+m"(*p) : : "cc", "memory");
	return v;
}

/* Store @want if *p is @have; true if it did. */
static inline bool local_swap32(uint32_t *p, uint32_t have, uint32_t want)
{
	bool done;

	__asm__ volatile("cmpxchgl %3, %1\n\tsete %0"
			 : "=q"(done), "+m"(*p), "+a"(have)
			 : "r"(want)
			 : "cc", "memory");
	return done;
}

static inline bool local_swap64(uint64_t *p, uint64_t have, uint64_t want)
{
	bool done;

	__asm__ volatile("cmpxchgq %3, %1\n\tsete %0"
			 : "=q"(done), "+m"(*p), "+a"(have)
			 : "r"(want)
			 : "cc", "memory");
	return done;
}

#endif

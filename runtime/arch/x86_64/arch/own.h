/* SPDX-License-Identifier: MIT */
/*
 * The words that each thread has of ours.
 *
 * Thread-local variables of the runtime would make the table of modules that
 * libc allocates on the program's heap for each thread longer, and move all
 * heap blocks behind it; the program's own thread-local variables, and its
 * stacks, would move, too.  So these words lie in libc's control block of the
 * thread, in 512 bytes that it has kept empty since 2.20, because programs
 * depend on the size (__glibc_unused2 of tcbhead_t, 128 bytes behind the
 * thread pointer).  They are zero in a thread of a new stack; libc does not
 * clear them where it uses a stack again (see thread.c).
 */
#ifndef RUNTIME_ARCH_OWN_H
#define RUNTIME_ARCH_OWN_H

#include <stdbool.h>
#include <stdint.h>

#ifndef RT_OWN_AT
#define RT_OWN_AT 0x240 /* from the thread pointer: the last line of the empty ones */
#endif

struct rt_own {
	struct prs_block *block; /* desc.tls; NULL until the first touch */
	struct rt_thread *self;
	uint64_t sharer; /* desc.mem_tls: of a struct prs_sharer, less desc.sharer */
	uint64_t ended;  /* the kernel's id of the thread whose record ended, 0 */
	uint64_t spare[4];
};
_Static_assert(sizeof(struct rt_own) == 64, "one line");

#define RT_OWN          ((struct rt_own __seg_fs *)RT_OWN_AT)
#define RT_OWN_FS(what) (RT_OWN_AT + __builtin_offsetof(struct rt_own, what)) /* as a probe adds it to %fs */

static inline uint64_t arch_thread_pointer(void)
{
	uint64_t tp;

	__asm__("movq %%fs:0, %0" : "=r"(tp));
	return tp;
}

/* Those of the thread with thread pointer @tp. */
static inline struct rt_own *arch_own_of(uint64_t tp)
{
	return (struct rt_own *)(tp + RT_OWN_AT);
}

/* Nobody has written there yet. */
static inline bool arch_own_free(void)
{
	const uint64_t *w = (const uint64_t *)arch_own_of(arch_thread_pointer());
	uint64_t any = 0;

	for (unsigned i = 0; i < sizeof(struct rt_own) / sizeof(*w); i++)
		any |= w[i];
	return !any;
}

#endif

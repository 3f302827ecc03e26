/* SPDX-License-Identifier: MIT */
/*
 * Probes by hand: what the plugin emits as assembler text, in C.  A program
 * has one descriptor of its own or makes several.
 */
#ifndef TESTS_PROBE_H
#define TESTS_PROBE_H

#include "perseus/abi.h"

/* Weak and through the GOT: zero without the runtime. */
extern void __prs_attach(struct prs_desc *d) __attribute__((weak));
extern void __prs_detach(struct prs_desc *d) __attribute__((weak));

static inline struct prs_block *probe_block(const struct prs_desc *d)
{
	return *(struct prs_block **)((char *)__builtin_thread_pointer() + d->tls);
}

/* Signal-safe as in the plugin's text: one instruction. */
static inline int probe_countdown(struct prs_slot *s)
{
	char negative;

	__asm__ volatile("subl $1, %0\n\tsets %1" : "+m"(s->left), "=q"(negative) : : "cc", "memory");
	return negative;
}

static inline uint64_t probe_enter_to(const struct prs_desc *d, uint32_t site, const void *target)
{
	struct prs_block *b;

	if (!__atomic_load_n(&d->tls, __ATOMIC_ACQUIRE))
		return 0;
	b = probe_block(d);
	if (b && !probe_countdown((struct prs_slot *)((char *)b + d->base) + site))
		return 0;
	return d->enter(d, site, target);
}

static inline uint64_t probe_enter(const struct prs_desc *d, uint32_t site)
{
	return probe_enter_to(d, site, 0);
}

static inline void probe_leave(const struct prs_desc *d, uint32_t site, uint64_t token)
{
	if (token)
		d->leave(d, site, token);
}

static inline void probe_mem(const struct prs_desc *d, uint32_t site, const void *p, uint32_t kind,
			     uint32_t bytes)
{
	uint64_t line = (uint64_t)p >> PRS_LINE_SHIFT, word;
	struct prs_block *b;

	if (!__atomic_load_n(&d->tls, __ATOMIC_ACQUIRE) || !d->dir)
		return;
	b = probe_block(d);
	if (b) {
		__asm__ volatile("incq %0" : "+m"(((uint64_t *)((char *)b + d->mem_base))[site]) : : "cc");
		word = __atomic_load_n((uint64_t *)d->dir + (line & (PRS_DIR_WORDS - 1)), __ATOMIC_RELAXED);
		if (kind == PRS_KIND_LOAD ? word >> PRS_DIR_TAG == line && word & b->load_bit
					  : word == (line << PRS_DIR_TAG | b->store_word))
			return;
	}
	d->mem(d, site, p, PRS_ACCESS(kind, bytes));
}

#endif

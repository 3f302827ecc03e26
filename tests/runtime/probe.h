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

/*
 * The stubs are no C calls, and the runtime finds the site behind the place that
 * it returns to (perseus/abi.h): one such place for each site.
 */
#define PROBE_SITES 64
#define PROBE_FAR   1999999
#define PROBE_PLACES(name, end)                                                                              \
	".text\n" name "_places:\n.set probe_site, 0\n.rept 65\n\tcall " name "_all\n\t.byte 0xa9\n"         \
	"\t.long probe_site\n" end "\tret\n.set probe_site, probe_site + 1\n"                                \
	".if probe_site == 64\n.set probe_site, 1999999\n.endif\n.endr\n"
__asm__(PROBE_PLACES("probe_enter", "\tleaq 8(%rsp), %rsp\n") "probe_enter_all:\n\tjmp *%rcx\n" PROBE_PLACES(
	"probe_leave", "\t.byte 0x0f, 0x1f, 0x44, 0, 0\n") "probe_leave_all:\n\tjmp *40(%r9)\n");
extern const char probe_enter_places[] __attribute__((visibility("hidden")));
extern const char probe_leave_places[] __attribute__((visibility("hidden")));

static inline const char *probe_place(const char *places, uint32_t site)
{
	if (site >= PROBE_SITES && site != PROBE_FAR)
		__builtin_trap();
	return places + 16 * (site < PROBE_SITES ? site : PROBE_SITES);
}

static inline uint64_t probe_enter_stub(const struct prs_desc *d, uint32_t site, const void *target)
{
	const char *place = probe_place(probe_enter_places, site);
	void (*stub)(void) = target ? d->enter_to_stub : d->enter_stub;
	uint64_t token;

	__asm__ volatile("leaq -128(%%rsp), %%rsp\n\tleaq 1f(%%rip), %%rax\n\tpushq %%rax\n\t"
			 "pushq %[target]\n\tjmp *%[place]\n1:\tleaq 128(%%rsp), %%rsp"
			 : "=&a"(token), "+d"(d), "+c"(stub)
			 : [target] "r"(target), [place] "r"(place)
			 : "r10", "r11", "cc", "memory");
	return token;
}

static inline void probe_leave_stub(const struct prs_desc *d, uint32_t site, uint64_t token)
{
	const char *place = probe_place(probe_leave_places, site);
	register const struct prs_desc *r9 __asm__("r9") = d;

	__asm__ volatile("leaq -128(%%rsp), %%rsp\n\tcall *%%rax\n\tleaq 128(%%rsp), %%rsp"
			 : "+r"(r9), "+c"(token), "+a"(place)
			 :
			 : "rdx", "rsi", "rdi", "r8", "r10", "r11", "cc", "memory");
}

static inline uint64_t probe_enter_to(const struct prs_desc *d, uint32_t site, const void *target)
{
	struct prs_block *b;

	if (!__atomic_load_n(&d->tls, __ATOMIC_ACQUIRE))
		return 0;
	b = probe_block(d);
	if (b && !probe_countdown((struct prs_slot *)((char *)b + d->base) + site))
		return 0;
	return probe_enter_stub(d, site, target);
}

static inline uint64_t probe_enter(const struct prs_desc *d, uint32_t site)
{
	return probe_enter_to(d, site, 0);
}

static inline void probe_leave(const struct prs_desc *d, uint32_t site, uint64_t token)
{
	if (token)
		probe_leave_stub(d, site, token);
}

static inline const struct prs_sharer *probe_sharer(const struct prs_desc *d)
{
	return (const struct prs_sharer *)(*(uint64_t *)((char *)__builtin_thread_pointer() + d->mem_tls) + d->sharer);
}

static inline void probe_mem(const struct prs_desc *d, uint32_t site, const void *p, uint32_t kind,
			     uint32_t bytes)
{
	uint64_t line = (uint64_t)p >> PRS_LINE_SHIFT;
	const struct prs_sharer *s;
	const uint32_t *tags;

	if (!__atomic_load_n(&d->tls, __ATOMIC_ACQUIRE) || !d->dir)
		return;
	s = probe_sharer(d);
	tags = kind == PRS_KIND_LOAD ? s->load_tag : s->store_tag;
	if (__atomic_load_n(&tags[line % PRS_TAGS], __ATOMIC_RELAXED) == (uint32_t)line)
		return;
	d->mem(d, site, p, PRS_ACCESS(kind, bytes));
}

#endif

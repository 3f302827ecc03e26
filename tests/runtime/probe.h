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

/* What stands behind the call of a stub. */
struct __attribute__((packed)) probe_place {
	uint8_t opcode;
	uint32_t site;
};

/* The stubs are no C calls (perseus/abi.h). */
static inline uint64_t probe_enter_stub(const struct prs_desc *d, uint32_t site, const void *target)
{
	struct probe_place place = {0xa9, site};
	uint64_t token, with[3] = {(uint64_t)target, (uint64_t)&place,
				   (uint64_t)(target ? d->enter_to_stub : d->enter_stub)};

	__asm__ volatile("leaq -128(%%rsp), %%rsp\n\tpushq (%[with])\n\tpushq 8(%[with])\n\tpushq %%rdx\n\t"
			 "call *16(%[with])\n\tleaq 152(%%rsp), %%rsp"
			 : "=&a"(token), "+d"(d)
			 : [with] "r"(with)
			 : "r10", "r11", "cc", "memory");
	return token;
}

/* Leave returns to the probe, where the site stands: one such place for each. */
#define PROBE_SITES 64
__asm__(".text\nprobe_leave_places:\n.set probe_site, 0\n.rept 64\n\tcall probe_leave_all\n\t.byte 0xa9\n"
	"\t.long probe_site\n\tret\n.set probe_site, probe_site + 1\n.endr\n"
	"probe_leave_all:\n\tpushq %rdx\n\tpushq %rax\n\tjmp *40(%r9)\n");
extern const char probe_leave_places[] __attribute__((visibility("hidden")));

static inline void probe_leave_stub(const struct prs_desc *d, uint32_t site, uint64_t token)
{
	const char *place = probe_leave_places + 11 * (site < PROBE_SITES ? site : PROBE_SITES - 1);
	register const struct prs_desc *r9 __asm__("r9") = d;

	__asm__ volatile("leaq -128(%%rsp), %%rsp\n\tcall *%[place]\n\tleaq 128(%%rsp), %%rsp"
			 : "+r"(r9), "+c"(token), [place] "+r"(place)
			 :
			 : "rsi", "rdi", "r8", "r10", "r11", "cc", "memory");
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

static inline void probe_mem(const struct prs_desc *d, uint32_t site, const void *p, uint32_t kind,
			     uint32_t bytes)
{
	uint64_t line = (uint64_t)p >> PRS_LINE_SHIFT, tag = line << PRS_DIR_TAG, word;
	const struct prs_sharer *s;

	if (!__atomic_load_n(&d->tls, __ATOMIC_ACQUIRE) || !d->dir)
		return;
	s = *(const struct prs_sharer **)((char *)__builtin_thread_pointer() + d->mem_tls);
	word = __atomic_load_n((uint64_t *)d->dir + (line & (PRS_DIR_WORDS - 1)), __ATOMIC_RELAXED);
	if (kind == PRS_KIND_LOAD ? (word & s->load_mask) == (tag | s->load_bit)
				  : word == (tag | s->store_word))
		return;
	d->mem(d, site, p, PRS_ACCESS(kind, bytes));
}

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Tags: what a thread's probes know of lines without asking.  How they keep step with
 * the directory: mem.c.
 */
#include "runtime/memory/mem.h"
#include "runtime/memory/shared.h"
#include "runtime/memory/sharing.h"

#define ASKED 64u

/* Lines of which ranges of few accesses are to be told, of any thread. */
static uint64_t asked[ASKED];

void mem_invalidate_tags(uint64_t bits, uint64_t line, bool stores)
{
	uint32_t i = line % PRS_TAGS, tag = (uint32_t)line;

	for (bits &= RT_SHARERS; bits; bits &= bits - 1) {
		struct prs_sharer *f = rt_acquire(&rt.sharers[__builtin_ctzll(bits)]);

		for (; f; f = f->next) {
			rt_add(&f->lost, 1);
			if (rt_load(&f->store_tag[i]) == tag)
				rt_store(&f->store_tag[i], ~tag);
			if (!stores && rt_load(&f->load_tag[i]) == tag)
				rt_store(&f->load_tag[i], ~tag);
		}
	}
}

void mem_fill(struct rt_thread *t, const uint64_t *word, uint64_t line, bool write)
{
	struct prs_sharer *f = t->sharer;
	uint32_t i = line % PRS_TAGS, tag = (uint32_t)line;
	bool shared = rt_unlikely(rt_load(&sharing.n_shared)) && shared_line(line);

	/* The loop's own probes come behind its range, which would be told no more. */
	if (!f || (shared && !shared_may_fill(t, line)) ||
	    (rt_load(&sharing.burst_on) && rt_load(&asked[line % ASKED]) == line))
		return;
	if (write)
		rt_store(&f->store_tag[i], tag);
	__atomic_exchange_n(&f->load_tag[i], tag, __ATOMIC_SEQ_CST);
	if (mem_holds(t, rt_load(word), line, write) && (!shared || shared_filled(line)))
		return;
	rt_store(&f->load_tag[i], ~tag);
	if (write)
		rt_store(&f->store_tag[i], ~tag);
}

void mem_ask(uint64_t line)
{
	if (rt_load(&asked[line % ASKED]) != line)
		rt_store(&asked[line % ASKED], line);
}

void mem_ask_again(void)
{
	for (uint32_t i = 0; i < ASKED; i++)
		if (rt_load(&asked[i]))
			mem_invalidate_tags(RT_SHARERS, rt_load(&asked[i]), false);
}

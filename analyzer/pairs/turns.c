/* SPDX-License-Identifier: MIT */
#include "analyzer/pairs/turns.h"

void turns_looks(struct core_looks *looks, const struct run *run)
{
	struct err err = ERR_INIT;

	/* What is damaged says as little as what is not there. */
	if (!run->path || cores_read(run->path, looks, &err))
		*looks = (struct core_looks)VEC_INIT;
}

/*
 * Side by side at a line, threads take it from each other hundreds of times in a time slice.  By
 * turns, who gets a core takes the line once, from who had it before; where bursts or weights make
 * an estimate of the number, it may be so much more.
 */
#define EACH_SWITCH 4

bool turns_only(const struct run_process *p, uint32_t a, uint32_t b, uint64_t transfers)
{
	uint64_t x = p->threads[a].raw->switches, y = p->threads[b].raw->switches;

	return x && y && transfers / EACH_SWITCH <= x + y;
}

/* A thread that was seen fewer times may have been elsewhere in between. */
#define LOOKS 20

/* Looks at a thread: on one core if @most is the least. */
struct where {
	uint32_t n, least, most;
};

static struct where where_was(const struct run_process *p, const struct core_looks *looks, uint32_t thread)
{
	const struct prs_thread *t = p->threads[thread].raw;
	struct where w = {.least = UINT32_MAX};

	uint64_t start = p->header->mono_start_ns;

	for (size_t i = cores_first(looks, p->header->pid, t->tid); i < looks->n; i++) {
		const struct core_look *l = &looks->at[i];

		if (l->pid != p->header->pid || l->tid != t->tid)
			break;
		/* Kernel ids come again. */
		if (l->ns < start + run_ns(p, t->start_tsc) ||
		    (t->end_tsc && l->ns > start + run_ns(p, t->end_tsc)))
			continue;
		w.n++;
		w.least = l->core < w.least ? l->core : w.least;
		w.most = l->core > w.most ? l->core : w.most;
	}
	return w;
}

bool turns_one_core_of(const struct run_process *p, const struct core_looks *looks, uint32_t a, uint32_t b)
{
	struct where x = where_was(p, looks, a), y = where_was(p, looks, b);

	return x.n >= LOOKS && y.n >= LOOKS && x.least == x.most && y.least == x.least && y.most == x.most;
}

bool turns_one_core(const struct run_process *p, const struct core_looks *looks)
{
	struct where all = {.least = UINT32_MAX};
	uint32_t several = 0;

	for (uint32_t i = 0; i < p->n_threads; i++) {
		struct where w = where_was(p, looks, i);

		if (w.n < LOOKS)
			continue;
		several++;
		all.least = w.least < all.least ? w.least : all.least;
		all.most = w.most > all.most ? w.most : all.most;
	}
	return several > 1 && all.least == all.most;
}

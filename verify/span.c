/* SPDX-License-Identifier: MIT */
/* Which work a phase of the plan holds, and which of it matters. */
#include <stdlib.h>

#include "verify/recompute.h"

uint64_t work_ns(const struct vplatform *f, const struct member *m, size_t step)
{
	wide ns = ((wide)m->cycles * 1000000 + f->step[step].khz - 1) / f->step[step].khz;

	return ns > UINT64_MAX / 4 ? UINT64_MAX / 4 : (uint64_t)ns + m->memory_ns;
}

static void add_work(struct span *s, const struct vmodel_work *w)
{
	size_t i = 0;

	while (i < s->n && s->member[i].thread != w->thread)
		i++;
	if (i == s->n)
		s->member[s->n++] = (struct member){.thread = w->thread, .entry = w};
	s->member[i].cycles += w->cycles;
	s->member[i].memory_ns += w->memory_ns;
}

/* The most work first; ties by thread. */
static int compare(const void *a, const void *b)
{
	const struct member *x = a, *y = b;

	if (x->top_ns != y->top_ns)
		return x->top_ns < y->top_ns ? 1 : -1;
	return (x->thread > y->thread) - (x->thread < y->thread);
}

/* Light: the last ones that together have at most 1 % of the longest one's work. */
static void weigh(const struct vplatform *f, struct span *s)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < s->n; i++)
		s->member[i].top_ns = work_ns(f, &s->member[i], 0);
	qsort(s->member, s->n, sizeof(*s->member), compare);
	for (s->n_heavy = s->n; s->n_heavy; s->n_heavy--) {
		sum += s->member[s->n_heavy - 1].top_ns;
		if (sum && sum > s->member[0].top_ns / 100)
			break;
	}
	for (size_t i = 0; i < s->n_heavy; i++)
		s->member[i].heavy = true;
}

bool span_make(const struct vmodel *m, const struct vplatform *f, uint32_t first, uint32_t last,
	       struct span *s)
{
	size_t most = 0;

	*s = (struct span){.first = first, .last = last};
	if (last >= m->n_phases)
		return false;
	for (uint32_t p = first; p <= last; p++)
		most += m->phase[p].n_work;
	s->repeats = m->phase[first].repeats;
	s->member = need(most, sizeof(*s->member));
	for (uint32_t p = first; p <= last; p++)
		for (size_t i = 0; i < m->phase[p].n_work; i++)
			add_work(s, &m->phase[p].work[i]);
	weigh(f, s);
	return true;
}

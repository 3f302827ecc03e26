/* SPDX-License-Identifier: MIT */
#include "analyzer/time/phases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/vec.h"
#include "record/counters.h"

struct vec_part VEC(struct part);

/* A boundary or, behind the last one, the end of the process. */
struct span {
	const struct bound *from, *to; /* to NULL: end of the process */
	uint64_t begin, end;
};

static uint64_t born(const struct prs_thread *t)
{
	return t->create_tsc && t->create_tsc < t->start_tsc ? t->create_tsc : t->start_tsc;
}

/* As the processor counted them. */
static double read_cycles(const struct timeline *tl, const struct span *s, uint32_t i)
{
	const struct run_thread *t = &tl->p->threads[i];
	uint64_t to = s->to ? bound_tick(s->to, i) : UINT64_MAX;
	double n = run_count_at(tl->p->counters, t, (size_t)tl->cycles, to) -
		   run_count_at(tl->p->counters, t, (size_t)tl->cycles, bound_tick(s->from, i));

	return n > 0 ? n : 0;
}

static double part_cycles(const struct timeline *tl, const struct span *s, uint32_t i, uint64_t khz)
{
	uint64_t from = bound_cpu(tl, s->from, i);
	uint64_t to = s->to ? bound_cpu(tl, s->to, i) : cpu_at(&tl->cpu[i], UINT64_MAX);

	if (tl->cycles >= 0)
		return read_cycles(tl, s, i);
	return to > from ? (double)(to - from) * (double)khz / 1e6 : 0;
}

/* Where a thread that was there before enters: its own event, or the wait it was in. */
static void find_entry(struct part *part, const struct timeline *tl, const struct span *s, uint32_t i)
{
	const struct prs_event *ev = bound_event(s->from, i);

	part->cut = ev != NULL;
	if (!ev) {
		ev = waiting_at(&tl->p->threads[i], s->begin);
		if (ev && ev->end >= s->end)
			ev = NULL;
	}
	if (!ev || ev->site == PRS_NO_SITE || !ev->visit)
		return;
	part->site = run_call_site(tl->p, ev->site);
	part->visit = part->site ? ev->visit : 0;
}

static bool nearly_all_waiting(const struct timeline *tl, const struct span *s, uint32_t i)
{
	const struct prs_thread *t = tl->p->threads[i].raw;
	uint64_t from = born(t) > s->begin ? born(t) : s->begin;
	uint64_t to = t->end_tsc && t->end_tsc < s->end ? t->end_tsc : s->end;

	if (to <= from)
		return false;
	return (double)waited_ticks(&tl->p->threads[i], from, to) >= 0.8 * (double)(to - from);
}

static void add_part(struct vec_part *v, const struct timeline *tl, const struct span *s, uint32_t i,
		     uint64_t khz)
{
	const struct prs_thread *t = tl->p->threads[i].raw;
	uint32_t instance = instance_of(tl->ins, tl->run_number, i);
	struct part part = {.instance = instance};

	if (instance == INSTANCE_NONE || born(t) >= s->end)
		return;
	part.cycles = part_cycles(tl, s, i, khz);
	if (t->end_tsc && t->end_tsc <= s->begin && part.cycles <= 0)
		return;
	part.starts = born(t) >= s->begin || (!i && s->from->kind == BOUND_START);
	if (!i && s->begin == tl->p->header->tsc_start)
		part.starts = true;
	if (!part.starts)
		find_entry(&part, tl, s, i);
	part.waits = nearly_all_waiting(tl, s, i);
	vec_push(v, part);
}

static int by_instance(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	return x->instance < y->instance ? -1 : x->instance > y->instance;
}

static void set_key(struct interval *iv, const struct timeline *tl, const struct bound *b)
{
	iv->kind = b->kind;
	iv->opener = b->site == PRS_NO_SITE ? NULL : run_call_site(tl->p, b->site);
	snprintf(iv->key, sizeof(iv->key), "%s|%s|%s", bound_kind_name(b->kind),
		 iv->opener ? iv->opener->id : "-", iv->opener ? iv->opener->instance : "-");
}

static void make_one(struct interval *iv, const struct timeline *tl, const struct span *s, uint64_t khz)
{
	struct vec_part v = VEC_INIT;
	size_t n = 0;

	set_key(iv, tl, s->from);
	iv->wall_ns = s->end > s->begin ? (double)run_span_ns(tl->p, s->end - s->begin) : 0;
	for (uint32_t i = 0; i < tl->p->n_threads; i++)
		add_part(&v, tl, s, i, khz);
	if (v.n)
		qsort(v.at, v.n, sizeof(*v.at), by_instance);
	/* Threads that a damaged record gives one path count together. */
	for (size_t i = 0; i < v.n; i++)
		if (n && v.at[n - 1].instance == v.at[i].instance)
			v.at[n - 1].cycles += v.at[i].cycles;
		else
			v.at[n++] = v.at[i];
	iv->parts = v.at;
	iv->n_parts = n;
}

void intervals_make(struct intervals *iv, const struct timeline *tl, const struct bounds *b, uint64_t khz,
		    const char *name)
{
	*iv = (struct intervals){.name = name, .khz = (double)khz};
	for (size_t i = 0; i < b->n; i++) {
		struct span s = {.from = &b->at[i], .begin = b->at[i].tick, .end = tl->p->end};

		if (i + 1 < b->n) {
			s.to = &b->at[i + 1];
			s.end = s.to->tick;
		}
		make_one(vec_add(iv), tl, &s, khz);
	}
}

void intervals_release(struct intervals *iv)
{
	for (size_t i = 0; i < iv->n; i++)
		free(iv->at[i].parts);
	vec_release(iv);
}

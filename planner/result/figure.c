/* SPDX-License-Identifier: MIT */
/* The figures that a plan's gain can turn on: which there are, how they are called. */
#include <stdlib.h>

#include "lib/mem.h"
#include "lib/strbuf.h"
#include "planner/result/whatif.h"

#define TIMES 10.0 /* looked at: a tenth to ten times a figure */

struct list {
	const struct problem *pb;
	struct figure *at;
	uint32_t n;
};

static struct figure *figure_add(struct list *l, enum figure_kind kind, double value)
{
	struct figure *f;

	l->at = mem_resize(l->at, l->n + 1, sizeof(*l->at));
	f = &l->at[l->n];
	*f = (struct figure){.kind = kind, .value = value, .low = value / TIMES, .high = value * TIMES};
	l->n += value > 0;
	return f;
}

/*
 * One step's watts stay between those of its neighbours, where the table goes
 * down at all, and no core draws more idle than busy: another platform would
 * be no platform, and what a plan is worth there is no answer to anything.
 */
static void add_step(struct list *l, enum figure_kind kind, const uint64_t *mw, uint32_t s)
{
	const struct machine *m = l->pb->machine;
	struct figure *f = figure_add(l, kind, (double)mw[s]);
	double low = kind == FIGURE_BUSY ? (double)m->idle_mw[s] : 0;
	double high = kind == FIGURE_IDLE ? (double)m->busy_mw[s] : f->high;

	if (s > 0 && mw[s - 1] >= mw[s] && (double)mw[s - 1] < high)
		high = (double)mw[s - 1];
	if (s + 1 < m->n_steps && mw[s + 1] <= mw[s] && (double)mw[s + 1] > low)
		low = (double)mw[s + 1];
	f->step = s;
	f->low = f->low > low ? f->low : low;
	f->high = f->high < high ? f->high : high;
}

/* Scaled together, the step whose idle watts come closest to its busy ones counts. */
static void add_watts(struct list *l)
{
	const struct machine *m = l->pb->machine;
	double tightest = 1 / TIMES;

	for (uint32_t s = 0; s < m->n_steps; s++) {
		double busy = (double)m->busy_mw[s], idle = (double)m->idle_mw[s];

		if (busy > 0 && idle / busy > tightest)
			tightest = idle / busy;
		if (m->n_steps < 2 || !m->full_mw)
			continue;
		add_step(l, FIGURE_BUSY, m->busy_mw, s);
		add_step(l, FIGURE_IDLE, m->idle_mw, s);
	}
	if (!m->full_mw)
		return;
	figure_add(l, FIGURE_BUSY_ALL, 100)->low = 100 * tightest;
	figure_add(l, FIGURE_IDLE_ALL, 100)->high = 100 / tightest;
}

/* Does any thread that conflicts use a line in this way, at a distance that there is? */
static bool line_used(const struct problem *pb, enum prs_kind access, uint32_t distance)
{
	const struct machine *m = pb->machine;
	bool there = false, used = false;

	for (size_t i = 0; i < (size_t)m->n_units * m->n_units; i++)
		there |= m->distance[i] == distance;
	for (uint32_t p = 0; p < pb->n_phases && there; p++)
		for (uint32_t i = 0; i < pb->phases[p].n_conflicts; i++) {
			const struct prob_conflict *c = &pb->phases[p].conflicts[i];
			const struct model_conflict *mc = &pb->model->conflicts[c->model];

			used |= c->extra_a[distance] && mc->a.kind == access;
			used |= c->extra_b[distance] && mc->b.kind == access;
		}
	return used;
}

static void add_lines(struct list *l)
{
	uint32_t first = l->n;

	figure_add(l, FIGURE_LINE_ALL, 100)->low = 0;
	for (uint32_t k = 0; k < PRS_KIND_N; k++)
		for (uint32_t d = DIST_SMT; d < DIST_N; d++) {
			const struct platform_visitor v = {(enum prs_kind)platform_kinds[k], 0};
			struct figure *f;

			if (!line_used(l->pb, v.kind, d))
				continue;
			f = figure_add(l, FIGURE_LINE,
				       (double)platform_conflict_ps(l->pb->machine->platform,
								    (enum platform_distance)d, &v, &v));
			f->access = v.kind;
			f->distance = (enum platform_distance)d;
			f->low = 0;
		}
	if (l->n == first + 1) /* none is used: there is nothing to scale */
		l->n = first;
}

static void add_memory(struct list *l)
{
	const struct problem *pb = l->pb;
	double memory = 0, work = 0;
	struct figure *f;

	for (uint32_t p = 0; p < pb->n_phases; p++)
		for (uint32_t i = 0; i < pb->phases[p].n_members; i++) {
			const struct prob_phase *ph = &pb->phases[p];

			memory += (double)ph->members[i].memory_ns * (double)ph->repeats;
			work += (double)ph->work_ns[(size_t)i * pb->machine->n_steps] * (double)ph->repeats;
		}
	if (pb->machine->n_steps < 2 || work <= 0 || memory >= work)
		return;
	f = figure_add(l, FIGURE_MEMORY, 100 * memory / work);
	f->low = 0;
	f->high = 100;
	l->n += memory <= 0; /* not known counts as none, and the gain may well turn on it */
}

struct figure *figure_list(const struct problem *pb, uint32_t *n)
{
	const struct platform *pf = pb->machine->platform;
	struct list l = {.pb = pb};

	for (uint32_t k = 0; k < pb->machine->n_packages; k++)
		if (pb->machine->packages[k].halts) {
			figure_add(&l, FIGURE_HALT, (double)pf->package_halt_mw);
			break;
		}
	add_watts(&l);
	add_lines(&l);
	figure_add(&l, FIGURE_MIGRATE, (double)pb->machine->migrate_max);
	figure_add(&l, FIGURE_FREQUENCY, (double)pf->frequency_ns);
	figure_add(&l, FIGURE_TRIGGER, (double)pf->trigger_ns);
	figure_add(&l, FIGURE_AFFINITY, (double)pf->affinity_ns);
	add_memory(&l);
	*n = l.n;
	return l.at;
}

const char *figure_unit(const struct figure *f, double *scale)
{
	*scale = 1;
	switch (f->kind) {
	case FIGURE_BUSY:
	case FIGURE_IDLE:
	case FIGURE_HALT:
		*scale = 1000;
		return "W";
	case FIGURE_BUSY_ALL:
	case FIGURE_IDLE_ALL:
	case FIGURE_LINE_ALL:
	case FIGURE_MEMORY:
		return "%";
	case FIGURE_LINE:
		*scale = 1000;
		return "ns";
	default:
		return "ns";
	}
}

static void step_name(struct strbuf *sb, const struct problem *pb, const struct figure *f)
{
	strbuf_printf(sb, "%s power at %.0f MHz", f->kind == FIGURE_BUSY ? "busy" : "idle",
		      pb->machine->platform->steps[f->step].khz / 1e3);
}

static void line_name(struct strbuf *sb, const struct figure *f)
{
	strbuf_printf(sb, "shared line, %s, %s", prs_kind_word(f->access),
		      platform_distance_name(f->distance));
}

char *figure_name(const struct problem *pb, const struct figure *f)
{
	static const char *const names[] = {
		[FIGURE_BUSY_ALL] = "busy power at all steps",
		[FIGURE_IDLE_ALL] = "idle power at all steps",
		[FIGURE_HALT] = "package halt power",
		[FIGURE_LINE_ALL] = "price of a shared cache line",
		[FIGURE_MIGRATE] = "longest migration",
		[FIGURE_FREQUENCY] = "change of frequency",
		[FIGURE_TRIGGER] = "trigger",
		[FIGURE_AFFINITY] = "setting an affinity",
		[FIGURE_MEMORY] = "memory share of the work",
	};
	struct strbuf sb = STRBUF_INIT;

	if (f->kind == FIGURE_BUSY || f->kind == FIGURE_IDLE)
		step_name(&sb, pb, f);
	else if (f->kind == FIGURE_LINE)
		line_name(&sb, f);
	else
		strbuf_puts(&sb, names[f->kind]);
	return strbuf_detach(&sb);
}

/* SPDX-License-Identifier: MIT */
#include "planner/result/whatif.h"

#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"

/* ---- a copy of what can change ---- */

static void *copy_of(const void *from, size_t n, size_t size)
{
	void *to = mem_new(n + 1, size);

	if (n)
		memcpy(to, from, n * size);
	return to;
}

static size_t work_len(const struct problem *pb, const struct prob_phase *ph)
{
	return (size_t)ph->n_members * pb->machine->n_steps;
}

static size_t held_len(const struct problem *pb, const struct prob_phase *ph)
{
	return (size_t)ph->n_uses * pb->machine->n_steps;
}

void whatif_init(struct whatif *w, const struct problem *pb)
{
	const struct machine *m = pb->machine;

	*w = (struct whatif){pb, *m->platform, *m, *pb};
	w->machine.busy_mw = copy_of(m->busy_mw, m->n_steps, sizeof(uint64_t));
	w->machine.idle_mw = copy_of(m->idle_mw, m->n_steps, sizeof(uint64_t));
	w->machine.packages = copy_of(m->packages, m->n_packages, sizeof(*m->packages));
	w->machine.migrate = copy_of(m->migrate, (size_t)m->n_units * m->n_units, sizeof(*m->migrate));
	w->problem.phases = copy_of(pb->phases, pb->n_phases, sizeof(*pb->phases));
	for (uint32_t p = 0; p < pb->n_phases; p++) {
		struct prob_phase *ph = &w->problem.phases[p];

		ph->work_ns = copy_of(ph->work_ns, work_len(pb, ph), sizeof(*ph->work_ns));
		ph->conflicts = copy_of(ph->conflicts, ph->n_conflicts, sizeof(*ph->conflicts));
		ph->held_ns = copy_of(ph->held_ns, held_len(pb, ph), sizeof(*ph->held_ns));
	}
}

void whatif_release(struct whatif *w)
{
	for (uint32_t p = 0; p < w->problem.n_phases; p++) {
		free(w->problem.phases[p].work_ns);
		free(w->problem.phases[p].conflicts);
		free(w->problem.phases[p].held_ns);
	}
	free(w->problem.phases);
	free(w->machine.busy_mw);
	free(w->machine.idle_mw);
	free(w->machine.packages);
	free(w->machine.migrate);
	*w = (struct whatif){0};
}

static void reset(struct whatif *w)
{
	const struct problem *pb = w->original;
	const struct machine *m = pb->machine;
	size_t pairs = (size_t)m->n_units * m->n_units;

	w->platform = *m->platform;
	w->machine.platform = &w->platform;
	w->problem.machine = &w->machine;
	w->machine.idle_step = m->idle_step;
	memcpy(w->machine.busy_mw, m->busy_mw, m->n_steps * sizeof(uint64_t));
	memcpy(w->machine.idle_mw, m->idle_mw, m->n_steps * sizeof(uint64_t));
	memcpy(w->machine.packages, m->packages, m->n_packages * sizeof(*m->packages));
	memcpy(w->machine.migrate, m->migrate, pairs * sizeof(*m->migrate));
	w->machine.migrate_max = m->migrate_max;
	for (uint32_t p = 0; p < pb->n_phases; p++) {
		const struct prob_phase *from = &pb->phases[p];
		struct prob_phase *to = &w->problem.phases[p];

		memcpy(to->work_ns, from->work_ns, work_len(pb, from) * sizeof(*to->work_ns));
		if (from->n_conflicts)
			memcpy(to->conflicts, from->conflicts, from->n_conflicts * sizeof(*to->conflicts));
		if (from->n_uses)
			memcpy(to->held_ns, from->held_ns, held_len(pb, from) * sizeof(*to->held_ns));
	}
}

/* ---- changes ---- */

static uint64_t scaled(uint64_t figure, double ratio)
{
	return (uint64_t)((double)figure * ratio + 0.5);
}

static uint64_t clip(double x)
{
	return x < 0 ? 0 : (uint64_t)(x + 0.5);
}

/* What follows from other idle watts. */
static void settle_idle(struct machine *m)
{
	m->idle_step = 0;
	for (uint32_t s = 0; s < m->n_steps; s++)
		if (m->idle_mw[s] < m->idle_mw[m->idle_step])
			m->idle_step = s;
	machine_halting(m);
}

static void set_watts(struct whatif *w, const struct figure *f, double value)
{
	struct machine *m = &w->machine;
	bool busy = f->kind == FIGURE_BUSY || f->kind == FIGURE_BUSY_ALL;
	bool all = f->kind == FIGURE_BUSY_ALL || f->kind == FIGURE_IDLE_ALL;
	uint64_t *mw = busy ? m->busy_mw : m->idle_mw;

	for (uint32_t s = 0; s < m->n_steps; s++) {
		if (all)
			mw[s] = scaled(mw[s], value / f->value);
		else if (s == f->step)
			mw[s] = scaled(1, value);
		/* The ends of the range are rounded apart from each other. */
		if (m->idle_mw[s] > m->busy_mw[s])
			mw[s] = busy ? m->idle_mw[s] : m->busy_mw[s];
	}
	settle_idle(m);
}

void whatif_set_errors(struct whatif *w, double busy, double idle, uint32_t step)
{
	const struct platform *p = w->original->machine->platform;
	struct machine *m = &w->machine;

	reset(w);
	for (uint32_t s = 0; s < m->n_steps; s++) {
		if (step != UINT32_MAX && step != s)
			continue;
		m->busy_mw[s] = clip((double)m->busy_mw[s] + busy * (double)p->steps[s].busy_error_mw);
		m->idle_mw[s] = clip((double)m->idle_mw[s] + idle * (double)p->steps[s].idle_error_mw);
		if (m->idle_mw[s] > m->busy_mw[s])
			m->idle_mw[s] = m->busy_mw[s];
	}
	settle_idle(m);
}

static void set_lines(struct whatif *w, const struct figure *f, double ratio)
{
	bool all = f->kind == FIGURE_LINE_ALL;

	for (uint32_t p = 0; p < w->problem.n_phases; p++) {
		struct prob_phase *ph = &w->problem.phases[p];

		for (uint32_t i = 0; i < ph->n_conflicts; i++) {
			struct prob_conflict *c = &ph->conflicts[i];
			const struct model_conflict *mc = &w->problem.model->conflicts[c->model];

			for (uint32_t d = 0; d < DIST_N; d++) {
				bool here = all || d == f->distance;

				if (here && (all || mc->a.kind == f->access))
					c->extra_a[d] = scaled(c->extra_a[d], ratio);
				if (here && (all || mc->b.kind == f->access))
					c->extra_b[d] = scaled(c->extra_b[d], ratio);
			}
		}
		problem_slower(ph);
	}
}

void whatif_set_never(struct whatif *w)
{
	reset(w);
	for (uint32_t p = 0; p < w->problem.n_phases; p++) {
		struct prob_phase *ph = &w->problem.phases[p];

		for (uint32_t i = 0; i < ph->n_conflicts; i++) {
			struct prob_conflict *c = &ph->conflicts[i];

			if (!w->problem.model->conflicts[c->model].phase_reason)
				continue;
			memset(c->extra_a, 0, sizeof(c->extra_a));
			memset(c->extra_b, 0, sizeof(c->extra_b));
		}
		problem_slower(ph);
	}
}

static void set_migration(struct whatif *w, double ratio)
{
	struct machine *m = &w->machine;

	for (size_t i = 0; i < (size_t)m->n_units * m->n_units; i++)
		m->migrate[i] = scaled(m->migrate[i], ratio);
	m->migrate_max = scaled(m->migrate_max, ratio);
}

/* Memory time of a member at the top step if the share of all is @share instead of @now. */
static uint64_t memory_at(uint64_t memory, uint64_t top, double now, double share)
{
	double m = (double)memory;

	if (share > now)
		m += ((double)top - m) * (share - now) / (1 - now);
	else if (now > 0)
		m *= share / now;
	return clip(m < (double)top ? m : (double)top);
}

/* Times @ns by step of what takes @memory_ns of memory time now. */
static void set_times(const struct whatif *w, uint64_t *ns, uint64_t memory_ns, double now, double share)
{
	const struct platform_step *step = w->platform.steps;
	uint64_t top = ns[0], memory = memory_at(memory_ns, top, now, share);

	for (uint32_t s = 1; s < w->machine.n_steps; s++)
		ns[s] = memory + clip((double)(top - memory) * step[0].khz / step[s].khz);
}

static void set_memory(struct whatif *w, double now, double share)
{
	uint32_t n = w->machine.n_steps;

	for (uint32_t p = 0; p < w->problem.n_phases; p++) {
		struct prob_phase *ph = &w->problem.phases[p];

		for (uint32_t i = 0; i < ph->n_members; i++)
			set_times(w, &ph->work_ns[(size_t)i * n], ph->members[i].memory_ns, now, share);
		for (uint32_t i = 0; i < ph->n_uses; i++)
			set_times(w, &ph->held_ns[(size_t)i * n], ph->uses[i].memory_ns, now, share);
	}
}

void whatif_set(struct whatif *w, const struct figure *f, double value)
{
	reset(w);
	switch (f->kind) {
	case FIGURE_HALT:
		w->platform.package_halt_mw = clip(value);
		machine_halting(&w->machine);
		break;
	case FIGURE_LINE:
	case FIGURE_LINE_ALL:
		set_lines(w, f, value / f->value);
		break;
	case FIGURE_MIGRATE:
		set_migration(w, value / f->value);
		break;
	case FIGURE_FREQUENCY:
		w->platform.frequency_ns = clip(value);
		break;
	case FIGURE_TRIGGER:
		w->platform.trigger_ns = clip(value);
		break;
	case FIGURE_AFFINITY:
		w->platform.affinity_ns = clip(value);
		break;
	case FIGURE_MEMORY:
		set_memory(w, f->value / 100, value / 100);
		break;
	default:
		set_watts(w, f, value);
		break;
	}
}

void whatif_eval(const struct whatif *w, const struct design *d, struct evaluation *ev)
{
	struct scratch s;

	scratch_init(&s, &w->problem);
	eval_all(&w->problem, d, &s, ev);
	scratch_release(&s);
}

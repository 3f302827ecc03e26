/* SPDX-License-Identifier: MIT */
/* One plain sentence for each placement, and the findings it rests on. */
#include "planner/result/reason.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "lib/fs.h"
#include "lib/mem.h"
#include "lib/strbuf.h"
#include "planner/problem/inputs.h"

/* Distance between the threads of a conflict. */
static uint8_t distance_of(const struct outcome *o, const struct prob_phase *ph,
			   const struct prob_conflict *c)
{
	uint16_t a = design_unit(o->problem, &o->best, ph->members[c->a].slot);
	uint16_t b = design_unit(o->problem, &o->best, ph->members[c->b].slot);

	return o->machine->distance[(size_t)a * o->machine->n_units + b];
}

/* What the conflict costs an access at the longest distance on this machine, ps on both sides. */
static uint64_t costliest(const struct outcome *o, const struct prob_conflict *c)
{
	uint64_t most = 0;

	for (uint32_t u = 0; u < o->machine->n_units; u++) {
		uint8_t d = o->machine->distance[u];

		if (c->extra_a[d] + c->extra_b[d] > most)
			most = c->extra_a[d] + c->extra_b[d];
	}
	return most;
}

/* Could the conflict cost one of its threads 0.5 % of its work?  Others are no reason for anything. */
static bool matters(const struct outcome *o, const struct prob_phase *ph, const struct prob_conflict *c)
{
	uint64_t a = ph->work_ns[(size_t)c->a * o->machine->n_steps],
		 b = ph->work_ns[(size_t)c->b * o->machine->n_steps];
	uint64_t accesses = c->count_a < c->count_b ? c->count_a : c->count_b;

	return (unsigned __int128)accesses * costliest(o, c) / 1000 * 200 > (a < b ? a : b);
}

static void add_id(struct strbuf *ids, const char *id)
{
	if (!ids->s || !strstr(ids->s, id))
		strbuf_printf(ids, "%s%s", ids->len ? ", " : "", id);
}

/*
 * Evidence of all conflicts that the slot's place makes cheap; the first one
 * goes to @first, the other thread to @partner.  Its distance, or DIST_N.
 */
static uint8_t cheap_conflicts(const struct outcome *o, uint32_t slot, struct strbuf *ids, uint32_t *first,
			       uint32_t *partner)
{
	const struct prob_slot *s = &o->problem->slots[slot];
	uint8_t distance = DIST_N;

	for (uint32_t k = s->first; k <= s->last; k++) {
		const struct prob_phase *ph = &o->problem->phases[k];

		for (uint32_t i = 0; i < ph->n_heavy_conflicts; i++) {
			const struct prob_conflict *c = &ph->conflicts[i];
			uint8_t now = distance_of(o, ph, c);

			if ((ph->members[c->a].slot != slot && ph->members[c->b].slot != slot) ||
			    c->extra_a[now] + c->extra_b[now] >= costliest(o, c) || !matters(o, ph, c))
				continue;
			if (distance == DIST_N) {
				*first = c->model;
				*partner = ph->members[ph->members[c->a].slot == slot ? c->b : c->a].thread;
				distance = now;
			}
			add_id(ids, o->task->model->conflicts[c->model].evidence);
		}
	}
	return distance;
}

/* The longest phase of the slot, by time of all repeats. */
static uint32_t main_phase(const struct outcome *o, uint32_t slot)
{
	const struct prob_slot *s = &o->problem->slots[slot];
	uint32_t best = s->first;
	uint64_t most = 0;

	for (uint32_t k = s->first; k <= s->last; k++) {
		uint64_t ns = o->best_ev.phase[k].time_ns * o->problem->phases[k].repeats;

		if (ns > most &&
		    o->problem->home[(size_t)k * o->task->model->n_threads + s->thread] == slot) {
			most = ns;
			best = k;
		}
	}
	return best;
}

/* Has package @k work in the phase, with any of the inputs, where @d has the threads? */
static bool package_works(const struct outcome *o, const struct design *d, uint32_t phase, uint32_t k)
{
	uint32_t n = o->problem->inputs ? o->problem->inputs->n : 1, first = phase - phase % n;

	for (uint32_t p = first; p < first + n; p++) {
		const struct prob_phase *ph = &o->problem->phases[p];

		for (uint32_t i = 0; i < ph->n_members; i++)
			if (ph->work_ns[(size_t)i * o->machine->n_steps] &&
			    o->machine->units[design_unit_in(o->problem, d, p, ph->members[i].slot)]
					    .package == k)
				return true;
	}
	return false;
}

/* Would the package have work without the placement: does the thread come from there, or has the baseline some? */
static bool would_work(const struct outcome *o, uint32_t slot, uint32_t phase, uint32_t k)
{
	const struct problem *pb = o->problem;

	if (pb->slots[slot].kind != SLOT_SITE)
		return package_works(o, &o->base, phase, k);
	for (uint32_t e = pb->edge_at[pb->slots[slot].first]; e < pb->edge_at[pb->slots[slot].first + 1]; e++)
		for (uint32_t i = 0; i < pb->edges[e].n_arrivals; i++) {
			const struct prob_arrival *a = &pb->edges[e].arrivals[i];

			if (a->slot == slot && a->before != PROB_NONE &&
			    o->machine->units[design_unit(pb, &o->best, a->before)].package == k)
				return true;
		}
	return false;
}

/* A package that can halt in the phase because of where the slot is; MACHINE_NONE. */
static uint32_t empty_package(const struct outcome *o, uint32_t slot, uint32_t phase)
{
	for (uint32_t k = 0; k < o->machine->n_packages; k++)
		if (o->machine->packages[k].halts && !package_works(o, &o->best, phase, k) &&
		    would_work(o, slot, phase, k))
			return k;
	return MACHINE_NONE;
}

static uint32_t package_number(const struct outcome *o, uint32_t k)
{
	return o->task->platform
		->cores[o->machine->cores[o->machine->units[o->machine->packages[k].first].first]]
		.package;
}

static const char *phase_name(const struct outcome *o, uint32_t phase)
{
	return o->task->model->phases[o->problem->order[o->problem->phases[phase].model_first]].name;
}

/* Does the plan itself say where the slot is? */
static bool is_placed(const struct outcome *o, uint32_t slot)
{
	const struct prob_slot *s = &o->problem->slots[slot];

	if (s->thread == 0 && !o->place_main)
		return false;
	return s->kind == SLOT_PROGRAM || s->kind == SLOT_START || s->kind == SLOT_SITE;
}

/* The other threads that the plan has where the slot is, until its thread is moved away. */
struct company {
	uint32_t n;         /* threads with work there when it has some */
	uint32_t thread[2]; /* the first of them, by number */
	bool elsewhen;      /* some are there at other times only */
};

static bool works_in(const struct outcome *o, uint32_t slot, uint32_t phase)
{
	const struct prob_phase *ph = &o->problem->phases[phase];

	for (uint32_t i = 0; i < ph->n_members; i++)
		if (ph->members[i].slot == slot && ph->work_ns[(size_t)i * o->machine->n_steps])
			return true;
	return false;
}

/* The slot, and those after it that it is not moved to: phases up to the one returned. */
static uint32_t stays_until(const struct outcome *o, uint32_t slot)
{
	const struct problem *pb = o->problem;
	uint32_t last = pb->slots[slot].last;

	for (uint32_t i = slot + 1; i < pb->n_slots; i++) {
		if (pb->slots[i].thread != pb->slots[slot].thread)
			continue;
		if (design_unit(pb, &o->best, i) != design_unit(pb, &o->best, slot))
			break;
		last = pb->slots[i].last;
	}
	return last;
}

/* Does the thread of slot @other work with that of @slot somewhere in phases up to @last? */
static bool work_together(const struct outcome *o, uint32_t slot, uint32_t other, uint32_t last)
{
	const struct problem *pb = o->problem;
	const struct prob_slot *s = &pb->slots[slot], *with = &pb->slots[other];
	uint32_t first = s->first > with->first ? s->first : with->first;

	for (uint32_t k = first; k <= last && k <= with->last; k++) {
		uint32_t own = pb->home[(size_t)k * pb->model->n_threads + s->thread];

		if (own != PROB_NONE && works_in(o, own, k) && works_in(o, other, k))
			return true;
	}
	return false;
}

static void find_company(const struct outcome *o, uint32_t slot, struct company *c)
{
	const struct problem *pb = o->problem;
	const struct prob_slot *s = &pb->slots[slot];
	uint32_t last = stays_until(o, slot);

	*c = (struct company){0};
	for (uint32_t t = 0; t < pb->model->n_threads; t++) {
		bool there = false, works = false;

		for (uint32_t i = 0; t != s->thread && i < pb->n_slots; i++) {
			if (pb->slots[i].thread != t || !is_placed(o, i) ||
			    design_unit(pb, &o->best, i) != design_unit(pb, &o->best, slot))
				continue;
			there = true;
			works |= work_together(o, slot, i, last);
		}
		c->elsewhen |= there && !works;
		if (works && c->n < 2)
			c->thread[c->n] = t;
		c->n += works;
	}
}

static void name_company(const struct outcome *o, const struct company *c, struct strbuf *reason)
{
	if (c->n > 2) {
		strbuf_printf(reason, "%u other threads", c->n);
		return;
	}
	for (uint32_t i = 0; i < c->n; i++)
		strbuf_printf(reason, "%s%s (thread %u)", i ? " and " : "",
			      o->task->model->threads[c->thread[i]].name, c->thread[i]);
}

static void plain_reason(const struct outcome *o, uint32_t slot, struct strbuf *reason,
			 struct strbuf *evidence)
{
	uint32_t phase = main_phase(o, slot), empty = empty_package(o, slot, phase);
	struct company c;

	find_company(o, slot, &c);
	if (o->goal.objective == PLAN_ENERGY && empty != MACHINE_NONE && works_in(o, slot, phase)) {
		strbuf_printf(reason, "package %u has no work in this phase and can halt",
			      package_number(o, empty));
		strbuf_puts(evidence, phase_name(o, phase));
	} else if (c.n) {
		strbuf_printf(reason, "shares core %u with ", design_core(o->problem, &o->best, slot));
		name_company(o, &c, reason);
		strbuf_puts(reason, ": their work in turn ends in time");
	} else {
		strbuf_printf(reason, "has core %u to itself%s", design_core(o->problem, &o->best, slot),
			      c.elsewhen ? " while it works: others use it at other times" : "");
	}
}

/* "stats.rx", or "stats" where the field is not known. */
static void put_field(struct strbuf *out, const struct model_conflict *c, const struct model_side *s)
{
	strbuf_printf(out, "`%s%s%s`", c->object, s->field ? "." : "", s->field ? s->field : "");
}

static void put_place(struct strbuf *out, const char *before, const struct model_side *s, const char *behind)
{
	if (s->file)
		strbuf_printf(out, "%s%s %s:%" PRIu32 "%s", before, s->function, fs_base_name(s->file),
			      s->line, behind);
}

/* Both sides of @c, that of the thread whose reason it is first; @partner is the other. */
static void name_sides(const struct outcome *o, const struct model_conflict *c, uint32_t partner,
		       struct strbuf *reason)
{
	const struct model_side *here = c->a.thread != partner ? &c->a : &c->b;
	const struct model_side *there = here == &c->a ? &c->b : &c->a;

	strbuf_puts(reason, "uses ");
	put_field(reason, c, here);
	put_place(reason, " (", here, ")");
	strbuf_puts(reason, " on a cache line with ");
	put_field(reason, c, there);
	strbuf_printf(reason, " of %s (thread %u", o->task->model->threads[partner].name, partner);
	put_place(reason, ", ", there, "");
	strbuf_puts(reason, ")");
}

char *planner_thread_reason(const struct outcome *o, uint32_t slot, char **evidence)
{
	struct strbuf reason = STRBUF_INIT, ids = STRBUF_INIT;
	uint32_t conflict = 0, partner = 0;
	uint8_t distance = cheap_conflicts(o, slot, &ids, &conflict, &partner);

	if (distance != DIST_N) {
		const struct model_conflict *c = &o->task->model->conflicts[conflict];

		name_sides(o, c, partner, &reason);
		strbuf_printf(&reason, ": %s",
			      distance == DIST_SAME    ? "both on one core"
			      : distance <= DIST_CACHE ? "both behind one cache"
			      : distance < DIST_REMOTE ? "both in one package"
						       : "in two packages, where that costs less");
	} else {
		plain_reason(o, slot, &reason, &ids);
	}
	*evidence = ids.len ? strbuf_detach(&ids) : NULL;
	strbuf_release(&ids);
	return strbuf_detach(&reason);
}

/*
 * How long the busiest unit works in the phase with the domains at @step, NULL: the top
 * step; ns, locks and conflicts left out.
 */
static uint64_t busiest_ns(const struct outcome *o, const struct prob_phase *ph, const uint8_t *step)
{
	const struct machine *m = o->machine;
	uint64_t *busy = mem_new(m->n_units, sizeof(*busy)), most = 0;

	for (uint32_t i = 0; i < ph->n_members; i++) {
		uint16_t u = design_unit(o->problem, &o->best, ph->members[i].slot);
		uint8_t at = step ? step[m->units[u].domain] : 0;

		busy[u] += ph->work_ns[(size_t)i * m->n_steps + at];
		most = busy[u] > most ? busy[u] : most;
	}
	free(busy);
	return most;
}

/* Do the epoch's steps make a phase longer than those before would? */
static bool slows_work(const struct outcome *o, uint32_t epoch, const uint8_t *before, const uint8_t *step)
{
	const struct problem *pb = o->problem;
	uint32_t last = epoch + 1 < pb->n_epochs ? pb->epochs[epoch + 1] : pb->n_phases;

	for (uint32_t k = pb->epochs[epoch]; k < last; k++) {
		uint64_t fast = busiest_ns(o, &pb->phases[k], before);

		if (busiest_ns(o, &pb->phases[k], step) > fast + fast / 100)
			return true;
	}
	return false;
}

char *planner_step_reason(const struct outcome *o, uint32_t epoch, char **evidence)
{
	const struct machine *m = o->machine;
	const uint8_t *step = o->best.step + (size_t)epoch * m->n_domains;
	const uint8_t *before = epoch ? step - m->n_domains : NULL;
	enum plan_objective objective = o->goal.objective;
	uint32_t slower = 0, faster = 0;

	for (uint32_t d = 0; d < m->n_domains; d++) {
		uint8_t was = before ? before[d] : 0;

		slower += step[d] > was;
		faster += step[d] < was;
	}
	*evidence = mem_strdup(phase_name(o, o->problem->epochs[epoch]));
	if (slower && faster)
		return mem_strdup(
			"idle cores, or those with time to spare, slow down; cores that are needed speed up");
	if (slower && slows_work(o, epoch, before, step))
		return mem_strdup(objective == PLAN_ENERGY || objective == PLAN_EDP
					  ? "cores that work need fewer joules a cycle at a lower step"
					  : "cores that work draw less at a lower step");
	if (slower)
		return mem_strdup("cores that are idle, or have time to spare, draw less at a lower step");
	return mem_strdup("cores that were slow are needed at this step from here on");
}

/* SPDX-License-Identifier: MIT */
#include "verify/weighed/weighed.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ID_BYTES 64

/* The model's conflicts, all of them, and where each side works. */
struct weighed {
	struct vmodel_conflict *all;
	const struct vmodel_work **work; /* of side k of conflict i: work[2 * i + k]; NULL: nowhere */
	size_t n;
};

static const char *const names[] = {"neither", "layouts", "placement", "both"};

/* Is @id one of @ids, which are comma separated?  NULL: of none. */
static bool weighed_has(const char *ids, const char *id)
{
	size_t n = strlen(id);

	for (const char *at = ids; at && (at = strstr(at, id)); at += n)
		if ((at == ids || at[-1] == ' ' || at[-1] == ',') && (!at[n] || at[n] == ','))
			return true;
	return false;
}

/* The next of @ids, which is cut if it is too long for an id; false: there is none. */
static bool next_id(const char **ids, char id[ID_BYTES])
{
	size_t n;

	if (!*ids)
		return false;
	*ids += strspn(*ids, ", ");
	n = strcspn(*ids, ", ");
	snprintf(id, ID_BYTES, "%.*s", n < ID_BYTES ? (int)n : ID_BYTES - 1, *ids);
	*ids += n;
	return n > 0;
}

/* Are all of @ids among those of @other? */
static bool all_in(const char *ids, const char *other)
{
	char id[ID_BYTES];

	while (next_id(&ids, id))
		if (!weighed_has(other, id))
			return false;
	return true;
}

/* Do both have a finding in common? */
static bool meet(const char *ids, const char *other)
{
	char id[ID_BYTES];

	while (next_id(&ids, id))
		if (weighed_has(other, id))
			return true;
	return false;
}

/* Does some weighed layout of the plan end @id? */
static bool planned(const struct vplan *p, const char *id)
{
	for (size_t i = 0; i < p->n_layouts; i++)
		if (p->layout[i].weighed && weighed_has(p->layout[i].evidence, id))
			return true;
	return false;
}

/* Which conflicts are left out: those of the plan's layouts, or those of @ids; those of @but are not. */
struct ended {
	const struct vplan *plan;
	const char *ids, *but;
};

static bool is_ended(const struct ended *e, const struct vmodel_conflict *c)
{
	if (!c->false_sharing || !c->evidence || weighed_has(e->but, c->evidence))
		return false;
	return e->plan ? planned(e->plan, c->evidence) : weighed_has(e->ids, c->evidence);
}

/* They go behind the others, so that whoever releases the model finds them. */
static void leave_out(const struct weighed *w, struct vmodel *m, struct ended e)
{
	size_t kept = 0, gone = w->n;

	for (size_t i = 0; i < w->n; i++)
		m->conflict[is_ended(&e, &w->all[i]) ? --gone : kept++] = w->all[i];
	m->n_conflicts = kept;
}

static const struct vmodel_work *some_work(const struct vmodel *m, uint32_t thread)
{
	const struct vmodel_work *found = NULL;

	for (size_t i = 0; i < m->n_phases && !found; i++)
		found = vmodel_work(&m->phase[i], thread);
	return found;
}

static void keep_all(struct weighed *w, const struct vmodel *m)
{
	w->n = m->n_conflicts;
	w->all = need(w->n, sizeof(*w->all));
	w->work = need(2 * w->n, sizeof(*w->work));
	for (size_t i = 0; i < w->n; i++) {
		w->all[i] = m->conflict[i];
		for (int k = 0; k < 2; k++)
			w->work[2 * i + (size_t)k] = some_work(m, m->conflict[i].side[k].thread);
	}
}

/* ---- figures ---- */

static void same(struct findings *list, const char *what, const char *name, uint64_t said, uint64_t found)
{
	if (said != found)
		findings_add(list, "%s of %s: the plan says %" PRIu64 ", recomputed %" PRIu64, what, name,
			     said, found);
}

static uint64_t base_time(const struct vplan *p, const struct vmodel *m, const struct vplatform *f)
{
	return recompute_places(p, m, 1, f, p->base_place, p->n_base_places, !strcmp(p->baseline, "os")).time;
}

static struct result weighed_run(const struct vplan *p, const struct vmodel *m, const struct vplatform *f)
{
	struct findings none = {0};
	struct result r = {0};

	recompute(p, m, 1, f, &r, &none);
	result_release(p, &r);
	findings_release(&none);
	return r;
}

/* What the plan would take longer with the conflicts of a layout. */
static void check_savings(struct weighed *w, const struct vplan *p, struct vmodel *m,
			  const struct vplatform *f, struct findings *list)
{
	for (size_t i = 0; i < p->n_layouts; i++) {
		const struct vplan_layout *l = &p->layout[i];
		uint64_t with;

		if (!l->weighed)
			continue;
		leave_out(w, m, (struct ended){p, NULL, l->evidence});
		with = weighed_run(p, m, f).plan.time;
		same(list, "saves_ns of the layout", l->name, l->saves, with > p->time ? with - p->time : 0);
	}
}

/* Bytes of the weighed layouts that end one of @ids. */
static uint64_t weighed_bytes(const struct vplan *p, const char *ids)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < p->n_layouts; i++)
		if (p->layout[i].weighed && meet(p->layout[i].evidence, ids))
			sum += p->layout[i].bytes;
	return sum;
}

/* Is each finding of @ids one of a weighed layout, so that the plan says what it costs? */
static bool weighed_known(const struct vplan *p, const char *ids)
{
	char id[ID_BYTES];

	while (next_id(&ids, id))
		if (!planned(p, id))
			return false;
	return true;
}

static void check_bytes(const struct vplan *p, struct findings *list)
{
	const struct vplan_choice *alone = &p->choice[VPLAN_LAYOUTS], *both = &p->choice[VPLAN_BOTH];

	for (int i = 0; i < VPLAN_CHOICES; i += VPLAN_PLACEMENT)
		if (p->choice[i].bytes || p->choice[i].evidence)
			findings_add(list, "choices: `%s` has no layouts, but bytes or evidence", names[i]);
	same(list, "bytes", "both", both->bytes, weighed_bytes(p, both->evidence));
	if (!weighed_known(p, both->evidence))
		findings_add(list, "choices: `both` has evidence that no layout of the plan has");
	for (size_t i = 0; i < p->n_layouts; i++)
		if (p->layout[i].weighed && !all_in(p->layout[i].evidence, both->evidence))
			findings_add(list, "choices: `both` has not all the evidence of the plan's layouts");
	if (!alone->evidence && alone->bytes)
		findings_add(list, "choices: `layouts` has bytes, but no evidence");
	if (weighed_known(p, alone->evidence))
		same(list, "bytes", "layouts", alone->bytes, weighed_bytes(p, alone->evidence));
}

static void check_times(struct weighed *w, const struct vplan *p, struct vmodel *m, const struct vplatform *f,
			struct findings *list)
{
	const struct vplan_choice *c = p->choice, *placed = &c[VPLAN_PLACEMENT];
	uint64_t closed;

	leave_out(w, m, (struct ended){NULL, NULL, NULL});
	same(list, "time_ns", "neither", c[VPLAN_NEITHER].time, base_time(p, m, f));
	closed = weighed_run(p, m, f).relaxed.time;
	if (placed->time > c[VPLAN_NEITHER].time || placed->bound > placed->time ||
	    (placed->bound && placed->bound < closed))
		findings_add(list,
			     "choices: `placement` says %" PRIu64 " ns, and none below %" PRIu64
			     "; without it %" PRIu64 ", in closed form none below %" PRIu64,
			     placed->time, placed->bound, c[VPLAN_NEITHER].time, closed);
	leave_out(w, m, (struct ended){NULL, c[VPLAN_LAYOUTS].evidence, NULL});
	same(list, "time_ns", "layouts", c[VPLAN_LAYOUTS].time, base_time(p, m, f));
	same(list, "time_ns", "both", c[VPLAN_BOTH].time, p->time);
	same(list, "bound_time_ns", "both", c[VPLAN_BOTH].bound, p->bound_time);
	if (c[VPLAN_NEITHER].bound || c[VPLAN_LAYOUTS].bound)
		findings_add(list, "choices: a bound of what was not searched");
}

/* Threads have the plan's numbers now. */
static void renumber(struct weighed *w)
{
	for (size_t i = 0; i < w->n; i++)
		for (size_t k = 0; k < 2; k++)
			w->all[i].side[k].thread =
				w->work[2 * i + k] ? w->work[2 * i + k]->thread : VMODEL_NONE;
}

void weighed_claims(const struct vplan *p, struct vmodel *m, size_t n_models, const struct vplatform *f,
		    struct vcost sums[3], struct findings *list)
{
	struct weighed w = {0};
	size_t n = list->n;

	if (p->n_choices && n_models == 1) {
		keep_all(&w, m);
		leave_out(&w, m, (struct ended){p, NULL, NULL});
	} else if (p->n_choices) {
		findings_add(list, "choices: of a plan for %zu models", n_models);
	}
	claims_check(p, m, n_models, f, sums, list);
	if (w.all && list->n == n) {
		renumber(&w);
		check_bytes(p, list);
		check_savings(&w, p, m, f, list);
		check_times(&w, p, m, f, list);
		leave_out(&w, m, (struct ended){p, NULL, NULL});
	}
	free(w.all);
	free(w.work);
}

void weighed_print(const struct vplan *p, bool done)
{
	if (p->n_layouts)
		printf("not recomputed: sizes, places and bytes of layouts (%zu)\n", p->n_layouts);
	if (!done || !p->n_choices)
		return;
	puts("choices: neither, layouts and both confirmed");
	puts("not checked: layouts.kind, layouts.type, layouts.field, layouts.variable, layouts.unit, "
	     "layouts.file, "
	     "layouts.line, layouts.align, layouts.size, layouts.offset, layouts.size_after, "
	     "layouts.offset_after, layouts.breaks, layouts.reason: the compiler's and the reader's");
	puts("not checked: choices.time_ns, choices.bound_time_ns of placement: but that it is between bound "
	     "and "
	     "baseline");
	puts("not checked: choices.bytes, choices.evidence of layouts: where the plan has not the same ones");
}

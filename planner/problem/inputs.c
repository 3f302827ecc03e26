/* SPDX-License-Identifier: MIT */
#include "planner/problem/inputs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"

/* What the numbers of one model are in the joined one. */
struct numbers {
	uint32_t *thread, *site;
	uint32_t *order; /* the model's phases in the order of the run */
};

static bool same_text(const char *a, const char *b)
{
	return !strcmp(a ? a : "", b ? b : "");
}

/* ---- sites and threads ---- */

static uint32_t join_site(struct model *m, const struct model_site *s)
{
	for (uint32_t i = 0; i < m->n_sites; i++)
		if (same_text(m->sites[i].id, s->id) && same_text(m->sites[i].instance, s->instance))
			return i;
	m->sites = mem_resize(m->sites, m->n_sites + 1, sizeof(*m->sites));
	m->sites[m->n_sites] = *s;
	return (uint32_t)m->n_sites++;
}

/* The joined number of a thread; those @taken are other threads of the same input. */
static uint32_t join_thread(struct model *m, const struct model_thread *t, const bool *taken)
{
	for (uint32_t i = 0; i < m->n_threads; i++) {
		struct model_thread *o = &m->threads[i];

		if (taken[i] || o->creator != t->creator || o->create_site != t->create_site ||
		    o->ordinal != t->ordinal)
			continue;
		if (o->plannable && !t->plannable) {
			o->plannable = false;
			o->reason = t->reason;
		}
		return i;
	}
	m->threads = mem_resize(m->threads, m->n_threads + 1, sizeof(*m->threads));
	m->threads[m->n_threads] = *t;
	return (uint32_t)m->n_threads++;
}

static uint32_t inputs_number(const uint32_t *numbers, uint32_t old)
{
	return old == MODEL_NONE ? MODEL_NONE : numbers[old];
}

static void join_threads(struct model *joined, const struct model *m, struct numbers *no)
{
	bool *taken = mem_new(joined->n_threads + m->n_threads + 1, sizeof(*taken));

	no->site = mem_new(m->n_sites + 1, sizeof(*no->site));
	no->thread = mem_new(m->n_threads + 1, sizeof(*no->thread));
	for (size_t i = 0; i < m->n_sites; i++)
		no->site[i] = join_site(joined, &m->sites[i]);
	for (size_t i = 0; i < m->n_threads; i++) {
		struct model_thread t = m->threads[i];

		t.creator = inputs_number(no->thread, t.creator);
		t.create_site = inputs_number(no->site, t.create_site);
		no->thread[i] = join_thread(joined, &t, taken);
		taken[no->thread[i]] = true;
	}
	free(taken);
}

/* ---- are they alike? ---- */

static uint32_t *order_of(const struct model *m)
{
	uint32_t *order = mem_new(m->n_phases + 1, sizeof(*order));
	uint32_t *follower = mem_new(m->n_phases + 1, sizeof(*follower)), at = 0;

	for (uint32_t i = 0; i < m->n_phases; i++)
		if (m->phases[i].after == MODEL_NONE)
			at = i;
		else
			follower[m->phases[i].after] = i;
	for (uint32_t i = 0; i < m->n_phases; i++, at = follower[at])
		order[i] = at;
	free(follower);
	return order;
}

static int check_program(const struct model *a, const struct model *b, const char *const *names, uint32_t k,
			 struct err *err)
{
	if (!same_text(a->program, b->program))
		return err_set(err, -EINVAL,
			       "'%s' is a model of `%s`, '%s' one of `%s`; one plan is for one program",
			       names[0], a->program, names[k], b->program);
	if (!same_text(a->build_id, b->build_id) || !same_text(a->sites_sha256, b->sites_sha256))
		return err_set(err, -EINVAL,
			       "'%s' and '%s' are of different builds of `%s`\n"
			       "  record all inputs with one build, and analyze them again",
			       names[0], names[k], a->program);
	return 0;
}

static int check_phases(const struct model *a, const struct model *b, const struct numbers *no,
			const char *const *names, uint32_t k, struct err *err)
{
	size_t n = a->n_phases < b->n_phases ? a->n_phases : b->n_phases;

	for (size_t i = 0; i < n; i++) {
		const char *x = a->phases[no[0].order[i]].opened_by, *y = b->phases[no[k].order[i]].opened_by;

		if (!same_text(x, y))
			return err_set(err, -EINVAL,
				       "phase %zu of the run is opened by %s in '%s', by %s in '%s'; one "
				       "plan is for "
				       "inputs with the same chain of phases",
				       i, x ? x : "-", names[0], y ? y : "-", names[k]);
	}
	if (a->n_phases == b->n_phases)
		return 0;
	return err_set(
		err, -EINVAL,
		"'%s' has %zu phases, '%s' has %zu; one plan is for inputs with the same chain of phases",
		names[0], a->n_phases, names[k], b->n_phases);
}

/* ---- phases ---- */

static struct model_serial renumber_lock(const struct model_serial *from, const struct numbers *no)
{
	struct model_serial s = *from;

	s.held = mem_new(s.n_held + 1, sizeof(*s.held));
	for (size_t i = 0; i < s.n_held; i++) {
		s.held[i] = from->held[i];
		s.held[i].thread = no->thread[from->held[i].thread];
	}
	return s;
}

/* One input's phase with the numbers of the joined model. */
static struct model_phase renumber(const struct model *m, const struct numbers *no, uint32_t i)
{
	struct model_phase ph = m->phases[no->order[i]];
	const struct model_work *old = ph.work;
	const struct model_serial *serial = ph.serial;

	ph.after = i ? i - 1 : MODEL_NONE;
	ph.work = mem_new(ph.n_work + 1, sizeof(*ph.work));
	for (size_t k = 0; k < ph.n_work; k++) {
		ph.work[k] = old[k];
		ph.work[k].thread = no->thread[old[k].thread];
		ph.work[k].enter_site = inputs_number(no->site, old[k].enter_site);
	}
	ph.serial = mem_new(ph.n_serial + 1, sizeof(*ph.serial));
	for (size_t k = 0; k < ph.n_serial; k++)
		ph.serial[k] = renumber_lock(&serial[k], no);
	return ph;
}

static void release_phase(struct model_phase *ph)
{
	for (size_t k = 0; k < ph->n_serial; k++)
		free(ph->serial[k].held);
	free(ph->serial);
	free(ph->work);
}

static void join_phase(struct model_phase *to, const struct model_phase *from)
{
	for (size_t k = 0; k < from->n_work; k++) {
		struct model_work *w = problem_work_of(to, from->work[k].thread);

		if (w) {
			w->cycles += from->work[k].cycles;
			w->memory_ns += from->work[k].memory_ns;
			w->starts |= from->work[k].starts;
			continue;
		}
		to->work = mem_resize(to->work, to->n_work + 1, sizeof(*to->work));
		to->work[to->n_work++] = from->work[k];
	}
	to->repeats = from->repeats > to->repeats ? from->repeats : to->repeats;
	to->accepted &= from->accepted;
	to->reason = to->reason ? to->reason : from->reason;
}

/* All work of the joined phase in its order; what this input does not have is 0. */
static void align(struct model_phase *ph, const struct model_phase *joined)
{
	struct model_work *work = mem_new(joined->n_work + 1, sizeof(*work));

	for (size_t k = 0; k < joined->n_work; k++) {
		const struct model_work *w = problem_work_of(ph, joined->work[k].thread);

		work[k] = w ? *w
			    : (struct model_work){.thread = joined->work[k].thread, .enter_site = MODEL_NONE};
	}
	free(ph->work);
	ph->work = work;
	ph->n_work = joined->n_work;
}

static bool enters_alike(const struct model_work *a, const struct model_work *b)
{
	return a->enter_site == b->enter_site && a->enter_visit == b->enter_visit &&
	       a->enter_every == b->enter_every && a->starts == b->starts;
}

static void join_phases(struct inputs *in, const struct model *models, const struct numbers *no, uint32_t i)
{
	struct model_phase *joined = &in->joined.phases[i];

	for (uint32_t s = 0; s < in->n; s++)
		in->each[s].phases[i] = renumber(&models[s], &no[s], i);
	*joined = renumber(&models[0], &no[0], i);
	for (uint32_t s = 1; s < in->n; s++)
		join_phase(joined, &in->each[s].phases[i]);
	in->agrees[i] = mem_new(joined->n_work + 1, sizeof(**in->agrees));
	for (uint32_t s = 0; s < in->n; s++)
		align(&in->each[s].phases[i], joined);
	for (size_t k = 0; k < joined->n_work; k++) {
		struct model_work *w = &joined->work[k];

		in->agrees[i][k] = true;
		for (uint32_t s = 0; s < in->n; s++)
			in->agrees[i][k] &= enters_alike(w, &in->each[s].phases[i].work[k]);
		w->cycles /= in->n;
		w->memory_ns /= in->n;
	}
}

/* ---- conflicts and figures ---- */

static uint32_t place_in(const struct numbers *no, uint32_t phase, size_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (no->order[i] == phase)
			return i;
	return MODEL_NONE;
}

/* The phases of a conflict in the joined numbers. */
static struct model_meeting *place_meetings(const struct model_conflict *c, const struct numbers *no,
					    size_t n_phases)
{
	struct model_meeting *at = c->n_phases ? mem_new(c->n_phases, sizeof(*at)) : NULL;

	for (size_t i = 0; i < c->n_phases; i++)
		at[i] = (struct model_meeting){place_in(no, c->phases[i].phase, n_phases),
					       c->phases[i].share};
	return at;
}

static void join_conflicts(struct inputs *in, const struct model *models, const struct numbers *no,
			   uint32_t s)
{
	const struct model *m = &models[s];
	struct model *joined = &in->joined, *own = &in->each[s];

	in->first_conflict[s] = (uint32_t)joined->n_conflicts;
	own->conflicts = mem_new(m->n_conflicts + 1, sizeof(*own->conflicts));
	joined->conflicts = mem_resize(joined->conflicts, joined->n_conflicts + m->n_conflicts + 1,
				       sizeof(*joined->conflicts));
	for (size_t i = 0; i < m->n_conflicts; i++) {
		struct model_conflict c = m->conflicts[i];

		c.a.thread = no[s].thread[c.a.thread];
		c.b.thread = no[s].thread[c.b.thread];
		c.phase = c.phase == MODEL_NONE ? MODEL_NONE : place_in(&no[s], c.phase, m->n_phases);
		c.phases = place_meetings(&c, &no[s], m->n_phases);
		own->conflicts[own->n_conflicts++] = c;
		joined->conflicts[joined->n_conflicts++] = c;
	}
}

/* Append @n of an input's texts, which stay its own. */
static void join_texts(char ***texts, size_t *n, char *const *more, size_t n_more)
{
	*texts = mem_resize(*texts, *n + n_more + 1, sizeof(**texts));
	for (size_t i = 0; i < n_more; i++)
		(*texts)[(*n)++] = more[i];
}

/* Means; runs and doubts are those of all inputs. */
static void join_figures(struct inputs *in, const struct model *models)
{
	struct model *joined = &in->joined;

	joined->wall_ns = joined->wall_sd_ns = joined->waited_ns = joined->wall_rest_sd_ns = 0;
	joined->outside = 0;
	for (uint32_t s = 0; s < in->n; s++) {
		joined->wall_ns += models[s].wall_ns / in->n;
		joined->wall_sd_ns += models[s].wall_sd_ns / in->n;
		joined->waited_ns += models[s].waited_ns / in->n;
		joined->wall_rest_sd_ns += models[s].wall_rest_sd_ns / in->n;
		joined->outside += models[s].outside / in->n;
		join_texts(&joined->runs, &joined->n_runs, models[s].runs, models[s].n_runs);
		join_texts(&joined->doubts, &joined->n_doubts, models[s].doubts, models[s].n_doubts);
	}
}

static void join_all(struct inputs *in, const struct model *models, const struct numbers *no)
{
	in->joined.phases = mem_new(in->joined.n_phases + 1, sizeof(*in->joined.phases));
	in->agrees = mem_new(in->joined.n_phases + 1, sizeof(*in->agrees));
	in->first_conflict = mem_new(in->n, sizeof(*in->first_conflict));
	for (uint32_t s = 0; s < in->n; s++) {
		in->each[s].phases = mem_new(in->joined.n_phases + 1, sizeof(*in->joined.phases));
		in->each[s].n_phases = in->joined.n_phases;
		in->each[s].n_threads = in->joined.n_threads;
	}
	for (uint32_t i = 0; i < in->joined.n_phases; i++)
		join_phases(in, models, no, i);
	for (uint32_t s = 0; s < in->n; s++)
		join_conflicts(in, models, no, s);
	join_figures(in, models);
}

int inputs_join(struct inputs *in, const struct model *models, const char *const *names, uint32_t n,
		struct err *err)
{
	struct numbers *no = mem_new(n, sizeof(*no));
	int ret = 0;

	*in = (struct inputs){.joined = models[0], .n = n, .names = names};
	in->joined.threads = NULL;
	in->joined.sites = NULL;
	in->joined.phases = NULL;
	in->joined.conflicts = NULL;
	in->joined.runs = in->joined.doubts = NULL;
	in->joined.n_threads = in->joined.n_sites = in->joined.n_conflicts = 0;
	in->joined.n_runs = in->joined.n_doubts = 0;
	in->each = mem_new(n, sizeof(*in->each));
	in->sha256 = mem_new(n, sizeof(*in->sha256));
	for (uint32_t s = 0; s < n; s++) {
		no[s].order = order_of(&models[s]);
		join_threads(&in->joined, &models[s], &no[s]);
		model_hash(&models[s], in->sha256[s]);
		if (!ret)
			ret = check_program(&models[0], &models[s], names, s, err);
		if (!ret)
			ret = check_phases(&models[0], &models[s], no, names, s, err);
	}
	if (!ret)
		join_all(in, models, no);
	for (uint32_t s = 0; s < n; s++) {
		free(no[s].order);
		free(no[s].thread);
		free(no[s].site);
	}
	free(no);
	if (ret)
		inputs_release(in);
	return ret;
}

void inputs_release(struct inputs *in)
{
	for (uint32_t i = 0; in->agrees && i < in->joined.n_phases; i++) {
		release_phase(&in->joined.phases[i]);
		free(in->agrees[i]);
		for (uint32_t s = 0; s < in->n; s++)
			release_phase(&in->each[s].phases[i]);
	}
	for (uint32_t s = 0; s < in->n; s++) {
		for (size_t i = 0; i < in->each[s].n_conflicts; i++)
			free(in->each[s].conflicts[i].phases);
		free(in->each[s].phases);
		free(in->each[s].conflicts);
	}
	free(in->joined.threads);
	free(in->joined.sites);
	free(in->joined.phases);
	free(in->joined.conflicts);
	free(in->joined.runs);
	free(in->joined.doubts);
	free(in->each);
	free(in->sha256);
	free(in->agrees);
	free(in->first_conflict);
	*in = (struct inputs){0};
}

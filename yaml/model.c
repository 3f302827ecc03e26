/* SPDX-License-Identifier: MIT */
#include "yaml/model.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/mem.h"
#include "yaml/tables.h"

static const char *const accesses[] = {PRS_KIND_WORDS, NULL};
static const char *const openers[] = {"start", "create", "join", "barrier", "call", NULL};

static const struct schema_field thread_fields[] = {
	F_INDEX,
	F_STRING(struct model_thread, name),
	F_REF(struct model_thread, creator, "threads", ABSENT),
	F_REF(struct model_thread, create_site, "sites", ABSENT),
	F_U32(struct model_thread, ordinal),
	F_BOOL(struct model_thread, plannable),
	F_STRING(struct model_thread, reason, OPTIONAL),
	F_END,
};
static const struct schema thread_schema = {"a thread", sizeof(struct model_thread), thread_fields, false};

static const struct schema_field site_fields[] = {
	F_INDEX,
	F_HEX(struct model_site, id, 16, 16),
	F_HEX(struct model_site, instance, 8, 8),
	F_STRING(struct model_site, unit),
	F_STRING(struct model_site, function),
	F_STRING(struct model_site, callee),
	F_STRING(struct model_site, file),
	F_U32(struct model_site, line),
	F_U32(struct model_site, equal, OPTIONAL),
	F_HEX(struct model_site, near, 8, 8, OPTIONAL),
	F_END,
};
static const struct schema site_schema = {"a site", sizeof(struct model_site), site_fields, false};

static const struct schema_field work_fields[] = {
	F_REF(struct model_work, thread, "threads"),
	F_U64(struct model_work, cycles),
	F_U64(struct model_work, memory_ns, OPTIONAL),
	F_U64(struct model_work, cycles_sd, OPTIONAL),
	F_REF(struct model_work, enter_site, "sites", ABSENT),
	F_U32(struct model_work, enter_visit, OPTIONAL),
	F_U32(struct model_work, enter_every, OPTIONAL),
	F_BOOL(struct model_work, starts, OPTIONAL),
	F_BOOL(struct model_work, waits, OPTIONAL),
	F_END,
};
static const struct schema work_schema = {"the work of a thread", sizeof(struct model_work), work_fields,
					  false};

static const struct schema_field held_fields[] = {
	F_REF(struct model_held, thread, "threads"),
	F_U64(struct model_held, cycles),
	F_U64(struct model_held, memory_ns, OPTIONAL),
	F_END,
};
static const struct schema held_schema = {"what a thread does under a lock", sizeof(struct model_held),
					  held_fields, false};

static const struct schema_field serial_fields[] = {
	F_U32(struct model_serial, lock),
	F_STRING(struct model_serial, object, OPTIONAL),
	F_LIST(struct model_serial, held, held_schema),
	F_END,
};
static const struct schema serial_schema = {"a lock", sizeof(struct model_serial), serial_fields, false};

static const struct schema_field phase_fields[] = {
	F_INDEX,
	F_STRING(struct model_phase, name),
	F_STRING(struct model_phase, opened_by, .words = openers),
	F_REF(struct model_phase, after, "phases", ABSENT),
	F_U32(struct model_phase, repeats, .min = 1),
	F_U64(struct model_phase, wall_ns),
	F_U64(struct model_phase, wall_sd_ns, OPTIONAL),
	F_BOOL(struct model_phase, accepted),
	F_STRING(struct model_phase, reason, OPTIONAL),
	F_LIST(struct model_phase, work, work_schema),
	F_LIST(struct model_phase, serial, serial_schema, OPTIONAL),
	F_END,
};
static const struct schema phase_schema = {"a phase", sizeof(struct model_phase), phase_fields, false};

static const struct schema_field side_fields[] = {
	F_REF(struct model_side, thread, "threads"),
	F_STRING(struct model_side, field, OPTIONAL),
	F_ENUM(struct model_side, kind, accesses),
	F_DOUBLE(struct model_side, accesses_per_kcycle),
	F_DOUBLE(struct model_side, visits_per_kcycle, OPTIONAL),
	F_DOUBLE(struct model_side, gap_cycles, OPTIONAL),
	F_HEX(struct model_side, site, 16, 16, OPTIONAL),
	F_STRING(struct model_side, function, OPTIONAL),
	F_STRING(struct model_side, file, OPTIONAL),
	F_U32(struct model_side, line, OPTIONAL),
	F_END,
};
static const struct schema side_schema = {"a side of a conflict", sizeof(struct model_side), side_fields,
					  false};

static const struct schema_field meeting_fields[] = {
	F_REF(struct model_meeting, phase, "phases"),
	F_DOUBLE(struct model_meeting, share, OPTIONAL, .max = 1),
	F_END,
};
static const struct schema meeting_schema = {"a phase of a conflict", sizeof(struct model_meeting),
					     meeting_fields, true};

static const struct schema_field conflict_fields[] = {
	F_STRING(struct model_conflict, evidence),
	{.key = "false_sharing", .kind = SCHEMA_BOOL, .offset = offsetof(struct model_conflict, is_false)},
	F_STRING(struct model_conflict, object),
	F_MAP(struct model_conflict, a, side_schema),
	F_MAP(struct model_conflict, b, side_schema),
	F_DOUBLE(struct model_conflict, transfers_per_s, OPTIONAL),
	F_REF(struct model_conflict, phase, "phases", ABSENT),
	F_LIST(struct model_conflict, phases, meeting_schema, OPTIONAL),
	F_STRING(struct model_conflict, phase_reason, OPTIONAL),
	F_END,
};
static const struct schema conflict_schema = {"a conflict", sizeof(struct model_conflict), conflict_fields,
					      false};

static const struct schema_field model_fields[] = {
	F_STRING(struct model, program),
	F_HEX(struct model, build_id, 2, 128, OPTIONAL),
	F_HEX(struct model, sites_sha256, 64, 64, OPTIONAL),
	F_STRING(struct model, clock),
	F_STRINGS(struct model, runs, OPTIONAL),
	F_STRINGS(struct model, doubts, OPTIONAL),
	F_U64(struct model, hz, .min = 1),
	F_U64(struct model, wall_ns),
	F_U64(struct model, wall_sd_ns, OPTIONAL),
	F_U64(struct model, waited_ns, OPTIONAL),
	F_U64(struct model, wall_rest_sd_ns, OPTIONAL),
	F_DOUBLE(struct model, outside, .max = 1),
	F_LIST(struct model, threads, thread_schema),
	F_LIST(struct model, sites, site_schema, OPTIONAL),
	F_LIST(struct model, phases, phase_schema, OPTIONAL),
	F_LIST(struct model, conflicts, conflict_schema, OPTIONAL),
	F_END,
};
static const struct schema model_schema = {"a model", sizeof(struct model), model_fields, false};

static int model_fail(const struct doc *d, struct err *err, const char *path, const char *what)
{
	return doc_fail(d, doc_at(d, path), err, "%s", what);
}

static int check_threads(const struct doc *d, const struct model *m, struct err *err)
{
	char path[64];

	if (m->threads[0].creator != MODEL_NONE)
		return model_fail(d, err, "threads.0.creator", "thread 0 is main, it has no creator");
	for (size_t i = 1; i < m->n_threads; i++) {
		snprintf(path, sizeof(path), "threads.%zu.creator", i);
		if (m->threads[i].creator != MODEL_NONE && m->threads[i].creator >= i)
			return model_fail(d, err, path,
					  "a thread must stand after the thread that created it");
	}
	return 0;
}

/*
 * Who is not reached from the first phase although nobody has two followers
 * stands in a circle.  The one with the lowest number is named.
 */
static int fail_circle(const struct doc *d, const struct model *m, const bool *reached, struct err *err)
{
	uint32_t first = 0, before;
	char path[64];

	while (reached[first])
		first++;
	before = m->phases[first].after;
	snprintf(path, sizeof(path), "phases.%" PRIu32 ".after", first);
	if (before == first)
		return doc_fail(d, doc_at(d, path), err,
				"phase %" PRIu32 " follows itself; phases do not form one chain", first);
	return doc_fail(d, doc_at(d, path), err,
			"`after` leads in a circle from phase %" PRIu32 " to phase %" PRIu32
			" and back; phases do not form one chain",
			first, before);
}

static int check_reached(const struct doc *d, const struct model *m, uint32_t at, const uint32_t *follower,
			 struct err *err)
{
	bool *reached = mem_new(m->n_phases, sizeof(*reached));
	size_t n = 0;
	int ret = 0;

	for (; at != MODEL_NONE && !reached[at]; at = follower[at], n++)
		reached[at] = true;
	if (n != m->n_phases)
		ret = fail_circle(d, m, reached, err);
	free(reached);
	return ret;
}

/* Each phase follows at most one other, one follows none, and all are reached from it. */
static int check_chain(const struct doc *d, const struct model *m, struct err *err)
{
	uint32_t *follower = mem_new(m->n_phases, sizeof(*follower));
	uint32_t at = MODEL_NONE;
	char path[64] = "phases";
	int ret = 0;

	for (uint32_t i = 0; i < m->n_phases; i++)
		follower[i] = MODEL_NONE;
	for (uint32_t i = 0; i < m->n_phases && !ret; i++) {
		uint32_t *slot = m->phases[i].after == MODEL_NONE ? &at : &follower[m->phases[i].after];

		snprintf(path, sizeof(path), "phases.%" PRIu32 ".after", i);
		if (*slot != MODEL_NONE)
			ret = model_fail(d, err, path,
					 "two phases follow the same one; phases must form a chain");
		*slot = i;
	}
	if (!ret)
		ret = check_reached(d, m, at, follower, err);
	free(follower);
	return ret;
}

static int check_work(const struct doc *d, const struct model *m, size_t phase, struct err *err)
{
	const struct model_phase *p = &m->phases[phase];
	bool *there = mem_new(m->n_threads, sizeof(*there));
	char path[96];
	int ret = 0;

	for (size_t i = 0; i < p->n_work && !ret; i++) {
		const struct model_work *w = &p->work[i];

		snprintf(path, sizeof(path), "phases.%zu.work.%zu.thread", phase, i);
		if (there[w->thread])
			ret = model_fail(d, err, path, "this thread already has work in this phase");
		there[w->thread] = true;
		snprintf(path, sizeof(path), "phases.%zu.work.%zu.enter_visit", phase, i);
		if (!ret && (w->enter_site == MODEL_NONE) != (w->enter_visit == 0))
			ret = model_fail(d, err, path, "`enter_site` and `enter_visit` (from 1) go together");
		snprintf(path, sizeof(path), "phases.%zu.work.%zu.enter_every", phase, i);
		if (!ret && w->enter_every && !w->enter_visit)
			ret = model_fail(d, err, path, "`enter_every` needs `enter_site` and `enter_visit`");
	}
	free(there);
	return ret;
}

/* What is done under a lock is a part of the thread's work; @work_of: by thread, NULL: not in the phase. */
static int check_held(const struct doc *d, const struct model_serial *s,
		      const struct model_work *const *work_of, const char *path, struct err *err)
{
	char at[160];

	for (size_t i = 0; i < s->n_held; i++) {
		const struct model_held *h = &s->held[i];
		const struct model_work *w = work_of[h->thread];

		snprintf(at, sizeof(at), "%s.held.%zu.thread", path, i);
		if (!w)
			return model_fail(d, err, at,
					  "this thread has no work in this phase, so it holds no lock");
		if (i && s->held[i - 1].thread >= h->thread)
			return model_fail(d, err, at, "the threads that hold a lock must ascend");
		snprintf(at, sizeof(at), "%s.held.%zu", path, i);
		if (h->cycles > w->cycles || h->memory_ns > w->memory_ns)
			return model_fail(d, err, at,
					  "more is done under the lock than the thread's whole work");
	}
	return 0;
}

static int check_serial(const struct doc *d, const struct model *m, size_t phase, struct err *err)
{
	const struct model_phase *p = &m->phases[phase];
	const struct model_work **work_of;
	char path[96], at[112];
	int ret = 0;

	if (!p->n_serial)
		return 0;
	work_of = mem_new(m->n_threads, sizeof(const struct model_work *));
	for (size_t i = 0; i < p->n_work; i++)
		work_of[p->work[i].thread] = &p->work[i];
	for (size_t i = 0; i < p->n_serial && !ret; i++) {
		snprintf(path, sizeof(path), "phases.%zu.serial.%zu", phase, i);
		snprintf(at, sizeof(at), "%s.lock", path);
		if (i && p->serial[i - 1].lock >= p->serial[i].lock)
			ret = model_fail(d, err, at, "the locks of a phase must ascend");
		else
			ret = check_held(d, &p->serial[i], work_of, path, err);
	}
	free(work_of);
	return ret;
}

/* A thread that takes no part in any phase cannot be planned, and must not claim it. */
static int check_presence(const struct doc *d, const struct model *m, struct err *err)
{
	bool *there = mem_new(m->n_threads, sizeof(*there));
	char path[64];
	int ret = 0;

	for (size_t p = 0; p < m->n_phases; p++)
		for (size_t i = 0; i < m->phases[p].n_work; i++)
			there[m->phases[p].work[i].thread] = true;
	for (size_t t = 0; t < m->n_threads && !ret; t++) {
		if (there[t] || !m->threads[t].plannable)
			continue;
		snprintf(path, sizeof(path), "threads.%zu", t);
		ret = doc_fail(d, doc_at(d, path), err,
			       "thread %zu has no work in any phase, but is plannable", t);
	}
	free(there);
	return ret;
}

static int check_side(const struct doc *d, const struct model_side *s, size_t conflict, char side,
		      struct err *err)
{
	char path[64];

	snprintf(path, sizeof(path), "conflicts.%zu.%c", conflict, side);
	if ((s->visits_per_kcycle > 0) != (s->gap_cycles > 0))
		return model_fail(d, err, path, "`visits_per_kcycle` and `gap_cycles` go together");
	return !s->function == !s->file ? 0 : model_fail(d, err, path, "`function` and `file` go together");
}

/* Shares are written with four digits. */
#define SHARES_OFF 0.01

/* Where two threads meet: said in one way, and all of it. */
static int check_meetings(const struct doc *d, const struct model_conflict *c, size_t conflict,
			  struct err *err)
{
	size_t shares = 0;
	char path[96];
	double sum = 0;

	for (size_t i = 0; i < c->n_phases; i++) {
		snprintf(path, sizeof(path), "conflicts.%zu.phases.%zu.phase", conflict, i);
		if (i && c->phases[i - 1].phase >= c->phases[i].phase)
			return model_fail(d, err, path, "the phases of a conflict must ascend");
		shares += c->phases[i].share > 0;
		sum += c->phases[i].share;
	}
	snprintf(path, sizeof(path), "conflicts.%zu.phases", conflict);
	if (c->n_phases == 1 || (c->n_phases && c->phase != MODEL_NONE))
		return model_fail(d, err, path, "one phase stands in `phase`, several in `phases`");
	if (shares && (shares < c->n_phases || fabs(sum - 1) > SHARES_OFF))
		return model_fail(d, err, path,
				  "either all phases have a `share` and these add up to 1, or none");
	snprintf(path, sizeof(path), "conflicts.%zu.phase_reason", conflict);
	if (c->phase_reason && (c->n_phases || c->phase != MODEL_NONE))
		return model_fail(d, err, path,
				  "`phase_reason` says why no phase is known, and there is one");
	return 0;
}

static int check_conflicts(const struct doc *d, const struct model *m, struct err *err)
{
	char path[64];
	int ret = 0;

	for (size_t i = 0; i < m->n_conflicts && !ret; i++) {
		const struct model_conflict *c = &m->conflicts[i];

		ret = check_side(d, &c->a, i, 'a', err);
		if (!ret)
			ret = check_side(d, &c->b, i, 'b', err);
		if (!ret)
			ret = check_meetings(d, c, i, err);
		snprintf(path, sizeof(path), "conflicts.%zu.b.thread", i);
		if (!ret && c->a.thread >= c->b.thread)
			ret = model_fail(d, err, path,
					 "the thread of side `b` must be greater than that of `a`");
	}
	return ret;
}

static int check_model(const struct doc *d, void *obj, struct err *err)
{
	const struct model *m = obj;
	int ret = check_threads(d, m, err);

	if (!ret)
		ret = check_chain(d, m, err);
	for (size_t i = 0; i < m->n_phases && !ret; i++)
		ret = check_work(d, m, i, err);
	for (size_t i = 0; i < m->n_phases && !ret; i++)
		ret = check_serial(d, m, i, err);
	if (!ret)
		ret = check_presence(d, m, err);
	return ret ? ret : check_conflicts(d, m, err);
}

double model_rate(const struct model_side *s)
{
	return s->gap_cycles > 0 ? s->visits_per_kcycle : s->accesses_per_kcycle;
}

double model_cycles(const struct model_phase *p, uint32_t thread)
{
	for (size_t i = 0; i < p->n_work; i++)
		if (p->work[i].thread == thread)
			return (double)p->work[i].cycles * p->repeats;
	return 0;
}

size_t model_anywhere(const struct model *m)
{
	size_t n = 0;

	for (size_t i = 0; i < m->n_conflicts; i++)
		n += m->conflicts[i].phase_reason != NULL;
	return n;
}

double model_density(const struct model *m, const struct model_conflict *c, const struct model_side *s,
		     uint32_t phase)
{
	const struct model_meeting *at = NULL;
	double all = 0, in;

	if (!c->n_phases)
		return c->phase == MODEL_NONE || c->phase == phase;
	for (size_t i = 0; i < c->n_phases; i++) {
		at = c->phases[i].phase == phase ? &c->phases[i] : at;
		all += model_cycles(&m->phases[c->phases[i].phase], s->thread);
	}
	in = at ? model_cycles(&m->phases[phase], s->thread) : 0;
	if (!(in > 0))
		return 0;
	return at->share > 0 ? at->share * all / in : 1;
}

static const struct schema_document document = {"model", MODEL_VERSION, &model_schema, check_model};

int model_load(struct model *m, const char *path, struct err *err)
{
	return document_load(&document, m, path, err);
}

int model_parse(struct model *m, const char *text, size_t len, const char *name, struct err *err)
{
	return document_parse(&document, m, text, len, name, err);
}

int model_save(const struct model *m, const char *path, struct err *err)
{
	return document_save(&document, m, path, err);
}

void model_text(const struct model *m, struct strbuf *out)
{
	document_text(&document, m, out);
}

void model_hash(const struct model *m, char *hex)
{
	document_hash(&document, m, hex);
}

void model_release(struct model *m)
{
	document_release(&document, m);
}

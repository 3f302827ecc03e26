/* SPDX-License-Identifier: MIT */
#include "verify/base/model.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verify/base/sha256.h"

#define MODEL_VERSION 2u
#define MODEL_BYTES   ((size_t)256 << 20)
#define MAX_THREADS   4096u
#define MAX_SITES     1000000u
#define MAX_PHASES    1000000u
#define MAX_CONFLICTS 1000000u

static int model_bad(const struct vmodel *m, uint32_t node, struct fault *f, const char *what)
{
	return fault_set(f, "%s line %u: %s", m->doc.name, m->doc.node[node].line, what);
}

/* Child @key of @map as a 32-bit number; absent: VMODEL_NONE. */
static int model_number(struct vmodel *m, uint32_t map, const char *key, bool optional, uint64_t max,
			uint32_t *out, struct fault *f)
{
	uint64_t n = VMODEL_NONE;

	if (vyaml_number(&m->doc, map, key, optional, max, &n, f))
		return -1;
	*out = (uint32_t)n;
	return 0;
}

static int reference(struct vmodel *m, uint32_t map, const char *key, bool optional, size_t count,
		     uint32_t *out, struct fault *f)
{
	if (!count && vyaml_get(&m->doc, map, key))
		return model_bad(m, map, f, "a reference to something that the model does not have");
	return model_number(m, map, key, optional, count ? count - 1 : 0, out, f);
}

static int check_index(struct vmodel *m, uint32_t map, size_t expected, struct fault *f)
{
	uint32_t index;

	if (model_number(m, map, "index", false, UINT32_MAX, &index, f))
		return -1;
	return index == expected ? 0 : model_bad(m, map, f, "`index` must count from 0");
}

/* Keys that say nothing about the figures: their form is checked, if they are there. */
static int skip_texts(struct vmodel *m, uint32_t map, const char *const *keys, struct fault *f)
{
	const char *text;

	for (; *keys; keys++)
		if (vyaml_text(&m->doc, map, *keys, true, &text, f))
			return -1;
	return 0;
}

static int skip_numbers(struct vmodel *m, uint32_t map, const char *const *keys, struct fault *f)
{
	uint64_t any;

	for (; *keys; keys++)
		if (vyaml_number(&m->doc, map, *keys, true, UINT64_MAX, &any, f))
			return -1;
	return 0;
}

static int read_bool(struct vmodel *m, uint32_t map, const char *key, bool *out, struct fault *f)
{
	return vyaml_get(&m->doc, map, key) ? vyaml_bool(&m->doc, map, key, out, f) : 0;
}

static int read_thread(struct vmodel *m, uint32_t map, size_t i, struct fault *f)
{
	struct vmodel_thread *t = &m->thread[i];

	if (check_index(m, map, i, f) || vyaml_text(&m->doc, map, "name", false, &t->name, f) ||
	    reference(m, map, "creator", true, m->n_threads, &t->creator, f) ||
	    reference(m, map, "create_site", true, m->n_sites, &t->site, f) ||
	    model_number(m, map, "ordinal", false, UINT32_MAX, &t->ordinal, f) ||
	    vyaml_bool(&m->doc, map, "plannable", &t->plannable, f) ||
	    vyaml_text(&m->doc, map, "reason", true, &t->reason, f))
		return -1;
	if (t->creator != VMODEL_NONE && t->creator >= i)
		return model_bad(m, map, f, "a thread must stand behind its creator");
	return vyaml_unused(&m->doc, map, f);
}

static int read_site(struct vmodel *m, uint32_t map, size_t i, struct fault *f)
{
	struct vmodel_site *s = &m->site[i];

	if (check_index(m, map, i, f) || vyaml_text(&m->doc, map, "id", false, &s->id, f) ||
	    vyaml_text(&m->doc, map, "instance", false, &s->instance, f) ||
	    vyaml_text(&m->doc, map, "unit", true, &s->unit, f) ||
	    vyaml_text(&m->doc, map, "function", true, &s->function, f) ||
	    vyaml_text(&m->doc, map, "callee", true, &s->callee, f) ||
	    vyaml_text(&m->doc, map, "file", true, &s->file, f) ||
	    model_number(m, map, "line", true, UINT32_MAX - 1, &s->line, f) ||
	    model_number(m, map, "equal", true, UINT32_MAX - 1, &s->equal, f) ||
	    vyaml_text(&m->doc, map, "near", true, &s->near, f))
		return -1;
	return vyaml_unused(&m->doc, map, f);
}

static int read_work(struct vmodel *m, uint32_t map, struct vmodel_work *w, bool accepted, struct fault *f)
{
	static const char *const numbers[] = {"cycles_sd", "stall_cycles", NULL};
	bool any;

	*w = (struct vmodel_work){.lock = VMODEL_ALL};
	if (reference(m, map, "thread", false, m->n_threads, &w->thread, f) ||
	    vyaml_number(&m->doc, map, "cycles", false, UINT64_MAX, &w->cycles, f) ||
	    vyaml_number(&m->doc, map, "memory_ns", true, UINT64_MAX, &w->memory_ns, f) ||
	    reference(m, map, "enter_site", true, m->n_sites, &w->site, f) ||
	    vyaml_number(&m->doc, map, "enter_visit", true, UINT32_MAX, &w->visit, f) ||
	    vyaml_number(&m->doc, map, "enter_every", true, UINT32_MAX, &w->every, f) ||
	    read_bool(m, map, "starts", &w->starts, f) || read_bool(m, map, "waits", &any, f) ||
	    skip_numbers(m, map, numbers, f))
		return -1;
	w->enters = accepted && w->site != VMODEL_NONE && w->visit && m->thread[w->thread].plannable;
	return vyaml_unused(&m->doc, map, f);
}

const struct vmodel_work *vmodel_work(const struct vmodel_phase *ph, uint32_t thread)
{
	for (size_t i = 0; i < ph->n_work; i++)
		if (ph->work[i].thread == thread)
			return &ph->work[i];
	return NULL;
}

static int read_works(struct vmodel *m, uint32_t list, struct vmodel_phase *ph, bool accepted,
		      struct fault *f)
{
	for (uint32_t i = list ? m->doc.node[list].first : 0; i; i = m->doc.node[i].next) {
		if (read_work(m, i, &ph->work[ph->n_work], accepted, f))
			return -1;
		if (vmodel_work(ph, ph->work[ph->n_work].thread))
			return model_bad(m, i, f, "this thread already has work in this phase");
		ph->n_work++;
	}
	ph->n_all = ph->n_work;
	return 0;
}

/* What a thread does under a lock is a part of its work; threads ascend. */
static int read_held(struct vmodel *m, uint32_t map, struct vmodel_phase *ph, uint64_t lock, struct fault *f)
{
	struct vmodel_work *w = &ph->work[ph->n_all];
	const struct vmodel_work *all;

	*w = (struct vmodel_work){.lock = lock, .site = VMODEL_NONE};
	if (reference(m, map, "thread", false, m->n_threads, &w->thread, f) ||
	    vyaml_number(&m->doc, map, "cycles", false, UINT64_MAX, &w->cycles, f) ||
	    vyaml_number(&m->doc, map, "memory_ns", true, UINT64_MAX, &w->memory_ns, f))
		return -1;
	all = vmodel_work(ph, w->thread);
	if (!all || w->cycles > all->cycles || w->memory_ns > all->memory_ns)
		return model_bad(m, map, f, "more is done under the lock than the thread's whole work");
	if (ph->n_all > ph->n_work && w[-1].lock == lock && w[-1].thread >= w->thread)
		return model_bad(m, map, f, "the threads that hold a lock must ascend");
	ph->n_all++;
	return vyaml_unused(&m->doc, map, f);
}

static int read_lock(struct vmodel *m, uint32_t map, struct vmodel_phase *ph, struct fault *f)
{
	static const char *const texts[] = {"object", NULL};
	uint64_t lock = 0;
	uint32_t list = VYAML_NONE;

	if (vyaml_number(&m->doc, map, "lock", false, UINT32_MAX, &lock, f) || skip_texts(m, map, texts, f) ||
	    vyaml_list(&m->doc, map, "held", false, &list, f))
		return -1;
	if (ph->n_all > ph->n_work && ph->work[ph->n_all - 1].lock >= lock)
		return model_bad(m, map, f, "the locks of a phase must ascend");
	if (!m->doc.node[list].n)
		return model_bad(m, map, f, "a lock that nobody holds");
	for (uint32_t i = m->doc.node[list].first; i; i = m->doc.node[i].next)
		if (read_held(m, i, ph, lock, f))
			return -1;
	return vyaml_unused(&m->doc, map, f);
}

/* Elements of all lists `held`: there is room for them before they are looked at. */
static size_t count_held(struct vmodel *m, uint32_t list)
{
	size_t n = 0;

	for (uint32_t i = list ? m->doc.node[list].first : 0; i; i = m->doc.node[i].next) {
		uint32_t held = vyaml_get(&m->doc, i, "held");

		n += held ? m->doc.node[held].n : 0;
	}
	return n;
}

static int read_parts(struct vmodel *m, uint32_t map, struct vmodel_phase *ph, bool accepted, struct fault *f)
{
	uint32_t work = VYAML_NONE, serial = VYAML_NONE;

	if (vyaml_list(&m->doc, map, "work", true, &work, f) ||
	    vyaml_list(&m->doc, map, "serial", true, &serial, f))
		return -1;
	ph->work = need((work ? m->doc.node[work].n : 0) + count_held(m, serial), sizeof(*ph->work));
	if (read_works(m, work, ph, accepted, f))
		return -1;
	for (uint32_t i = serial ? m->doc.node[serial].first : 0; i; i = m->doc.node[i].next)
		if (read_lock(m, i, ph, f))
			return -1;
	return 0;
}

static int read_phase(struct vmodel *m, uint32_t map, size_t i, struct fault *f)
{
	static const char *const openers[] = {"barrier", "start", "create", "join", "call", NULL};
	static const char *const texts[] = {"reason", NULL};
	static const char *const numbers[] = {"wall_ns", "wall_sd_ns", NULL};
	struct vmodel_phase *ph = &m->phase[i];
	uint32_t opened = 0;
	bool accepted = false;

	ph->index = (uint32_t)i;
	if (check_index(m, map, i, f) || vyaml_word(&m->doc, map, "opened_by", openers, &opened, f) ||
	    reference(m, map, "after", true, m->n_phases, &ph->after, f) ||
	    vyaml_number(&m->doc, map, "repeats", false, UINT32_MAX, &ph->repeats, f) ||
	    vyaml_text(&m->doc, map, "name", true, &ph->name, f) ||
	    vyaml_bool(&m->doc, map, "accepted", &accepted, f) || skip_texts(m, map, texts, f) ||
	    skip_numbers(m, map, numbers, f) || read_parts(m, map, ph, accepted, f))
		return -1;
	ph->barrier = opened == 0;
	ph->call = opened == 4;
	return ph->repeats ? vyaml_unused(&m->doc, map, f) : model_bad(m, map, f, "`repeats` counts from 1");
}

/* Where the side uses the line: nothing of it, or function, file and line. */
static int read_place(struct vmodel *m, uint32_t map, struct vmodel_side *s, struct fault *f)
{
	static const char *const texts[] = {"site", NULL};
	const char *function = NULL, *file = NULL, *slash;
	uint64_t line = 0;

	if (skip_texts(m, map, texts, f) || vyaml_text(&m->doc, map, "function", true, &function, f) ||
	    vyaml_text(&m->doc, map, "file", true, &file, f) ||
	    vyaml_number(&m->doc, map, "line", true, UINT32_MAX - 1, &line, f))
		return -1;
	if (!function != !file)
		return model_bad(m, map, f, "`function` and `file` go together");
	slash = file ? strrchr(file, '/') : NULL;
	if (file && asprintf(&s->where, "%s %s:%" PRIu64, function, slash ? slash + 1 : file, line) < 0)
		return model_bad(m, map, f, "no memory");
	return 0;
}

static int read_side(struct vmodel *m, uint32_t conflict, const char *key, struct vmodel_side *s,
		     struct fault *f)
{
	static const char *const uses[] = {"store", "rmw", "atomic", "load", NULL}; /* as enum vaccess */
	uint32_t map = vyaml_get(&m->doc, conflict, key);
	double visits = 0;

	if (!map || m->doc.node[map].kind != VYAML_MAP)
		return model_bad(m, map ? map : conflict, f, "a conflict has two maps, `a` and `b`");
	if (reference(m, map, "thread", false, m->n_threads, &s->thread, f) ||
	    vyaml_text(&m->doc, map, "field", true, &s->field, f) ||
	    vyaml_word(&m->doc, map, "kind", uses, &s->kind, f) ||
	    vyaml_real(&m->doc, map, "accesses_per_kcycle", false, &s->rate, f) ||
	    vyaml_real(&m->doc, map, "visits_per_kcycle", true, &visits, f) ||
	    vyaml_real(&m->doc, map, "gap_cycles", true, &s->gap, f) || read_place(m, map, s, f))
		return -1;
	if ((visits > 0) != (s->gap > 0))
		return model_bad(m, map, f, "`visits_per_kcycle` and `gap_cycles` go together");
	s->rate = visits > 0 ? visits : s->rate;
	return vyaml_unused(&m->doc, map, f);
}

/* The phases that two threads meet in, if it is neither one nor all. */
static int read_meetings(struct vmodel *m, uint32_t map, struct vmodel_conflict *c, struct fault *f)
{
	uint32_t list = VYAML_NONE;
	size_t shares = 0;
	double sum = 0;

	if (vyaml_list(&m->doc, map, "phases", true, &list, f))
		return -1;
	c->meeting = need(list ? m->doc.node[list].n : 0, sizeof(*c->meeting));
	for (uint32_t i = list ? m->doc.node[list].first : 0; i; i = m->doc.node[i].next) {
		struct vmodel_meeting *at = &c->meeting[c->n_meetings++];

		if (reference(m, i, "phase", false, m->n_phases, &at->phase, f) ||
		    vyaml_real(&m->doc, i, "share", true, &at->share, f) || vyaml_unused(&m->doc, i, f))
			return -1;
		if (at > c->meeting && at[-1].phase >= at->phase)
			return model_bad(m, i, f, "the phases of a conflict must ascend");
		shares += at->share > 0;
		sum += at->share;
	}
	if (c->n_meetings == 1 || (c->n_meetings && c->phase != VMODEL_NONE))
		return model_bad(m, map, f, "one phase stands in `phase`, several in `phases`");
	return shares && (shares < c->n_meetings || sum > 1.01 || sum < 0.99)
		       ? model_bad(m, map, f, "the shares of the phases do not add up to 1")
		       : 0;
}

static int read_conflict(struct vmodel *m, uint32_t map, size_t i, struct fault *f)
{
	struct vmodel_side *a = &m->conflict[i].side[0], *b = &m->conflict[i].side[1];
	double any;

	if (vyaml_text(&m->doc, map, "evidence", true, &m->conflict[i].evidence, f) ||
	    vyaml_text(&m->doc, map, "object", true, &m->conflict[i].object, f) ||
	    read_bool(m, map, "false_sharing", &m->conflict[i].false_sharing, f) ||
	    read_side(m, map, "a", a, f) || read_side(m, map, "b", b, f) ||
	    vyaml_real(&m->doc, map, "transfers_per_s", true, &any, f) ||
	    reference(m, map, "phase", true, m->n_phases, &m->conflict[i].phase, f) ||
	    read_meetings(m, map, &m->conflict[i], f) ||
	    vyaml_text(&m->doc, map, "phase_reason", true, &m->conflict[i].unknown, f))
		return -1;
	return a->thread < b->thread
		       ? vyaml_unused(&m->doc, map, f)
		       : model_bad(m, map, f, "the thread of side `b` must be greater than that of `a`");
}

static int allot(struct vmodel *m, const char *key, bool optional, size_t max, size_t bytes, void **array,
		 size_t *n, struct fault *f)
{
	uint32_t list = VYAML_NONE;

	if (vyaml_list(&m->doc, 0, key, optional, &list, f))
		return -1;
	*n = list ? m->doc.node[list].n : 0;
	*array = need(*n, bytes);
	return *n <= max ? 0 : fault_set(f, "%s: %zu %s, expected at most %zu", m->doc.name, *n, key, max);
}

static int each(struct vmodel *m, const char *key,
		int (*read)(struct vmodel *, uint32_t, size_t, struct fault *), struct fault *f)
{
	uint32_t list = vyaml_get(&m->doc, 0, key);
	size_t n = 0;

	for (uint32_t i = list ? m->doc.node[list].first : 0; i; i = m->doc.node[i].next)
		if (read(m, i, n++, f))
			return -1;
	return 0;
}

static int read_lists(struct vmodel *m, struct fault *f)
{
	if (allot(m, "threads", false, MAX_THREADS, sizeof(*m->thread), (void **)&m->thread, &m->n_threads,
		  f) ||
	    allot(m, "sites", true, MAX_SITES, sizeof(*m->site), (void **)&m->site, &m->n_sites, f) ||
	    allot(m, "phases", true, MAX_PHASES, sizeof(*m->phase), (void **)&m->phase, &m->n_phases, f) ||
	    allot(m, "conflicts", true, MAX_CONFLICTS, sizeof(*m->conflict), (void **)&m->conflict,
		  &m->n_conflicts, f))
		return -1;
	m->n_read = m->n_conflicts;
	if (!m->n_threads)
		return fault_set(f, "%s: no threads", m->doc.name);
	return each(m, "threads", read_thread, f) || each(m, "sites", read_site, f) ||
	       each(m, "phases", read_phase, f) || each(m, "conflicts", read_conflict, f);
}

/* Order the phases by `after`, which must make one chain of all. */
static int order_phases(struct vmodel *m, struct fault *f)
{
	struct vmodel_phase *sorted = need(m->n_phases, sizeof(*sorted));
	uint32_t *next = need(m->n_phases + 1, sizeof(*next)), at = 0;
	size_t n = 0;

	/* next[0]: the first phase, next[i + 1]: the one after phase i; counted from 1. */
	for (uint32_t i = 0; i < m->n_phases; i++)
		next[m->phase[i].after == VMODEL_NONE ? 0 : m->phase[i].after + 1] = i + 1;
	for (at = next[0]; at && n < m->n_phases; at = next[at])
		sorted[n++] = m->phase[at - 1];
	free(next);
	if (n == m->n_phases && !at) {
		free(m->phase);
		m->phase = sorted;
		return 0;
	}
	free(sorted);
	return fault_set(f, "%s: the phases do not form one chain", m->doc.name);
}

static int read_doubts(struct vmodel *m, struct fault *f)
{
	uint32_t list = VYAML_NONE;

	if (vyaml_list(&m->doc, 0, "doubts", true, &list, f))
		return -1;
	m->doubt = need(list ? m->doc.node[list].n : 0, sizeof(*m->doubt));
	for (uint32_t i = list ? m->doc.node[list].first : 0; i; i = m->doc.node[i].next) {
		if (m->doc.node[i].kind != VYAML_TEXT)
			return model_bad(m, i, f, "expected a text in `doubts`");
		m->doubt[m->n_doubts++] = m->doc.node[i].text;
	}
	return 0;
}

static int model_read_head(struct vmodel *m, struct fault *f)
{
	static const char *const kinds[] = {"model", NULL};
	static const char *const texts[] = {"clock", NULL};
	static const char *const numbers[] = {"hz",        "wall_ns", "wall_sd_ns", "wall_rest_sd_ns",
					      "waited_ns", NULL};
	uint64_t version = 0;
	uint32_t kind = 0, runs;
	double any;

	if (vyaml_word(&m->doc, 0, "perseus", kinds, &kind, f) ||
	    vyaml_number(&m->doc, 0, "version", false, MODEL_VERSION, &version, f) ||
	    skip_texts(m, 0, texts, f) || vyaml_text(&m->doc, 0, "program", true, &m->program, f) ||
	    vyaml_text(&m->doc, 0, "build_id", true, &m->build_id, f) ||
	    vyaml_text(&m->doc, 0, "sites_sha256", true, &m->sites_sha256, f) ||
	    skip_numbers(m, 0, numbers, f) ||
	    vyaml_number(&m->doc, 0, "wall_sd_ns", true, UINT64_MAX, &m->deviation_ns, f) ||
	    vyaml_list(&m->doc, 0, "runs", true, &runs, f) || read_doubts(m, f) ||
	    vyaml_real(&m->doc, 0, "outside", true, &any, f))
		return -1;
	return version == MODEL_VERSION
		       ? 0
		       : fault_set(f, "%s: a model of version %u, expected %u: analyze the runs again",
				   m->doc.name, (unsigned)version, MODEL_VERSION);
}

int vmodel_read(struct vmodel *m, const char *path, struct fault *f)
{
	*m = (struct vmodel){0};
	if (input_read(&m->in, path, MODEL_BYTES, f))
		return -1;
	vsha256(m->in.data, m->in.size, m->sha256);
	if (vyaml_parse(&m->doc, path, &m->in, f) || model_read_head(m, f) || read_lists(m, f) ||
	    vyaml_unused(&m->doc, 0, f))
		return -1;
	return order_phases(m, f);
}

/* Cycles of a thread in all turns of the phase with that index. */
static double all_cycles(const struct vmodel *m, uint32_t index, uint32_t thread)
{
	for (size_t p = 0; p < m->n_phases; p++) {
		const struct vmodel_work *w =
			m->phase[p].index == index ? vmodel_work(&m->phase[p], thread) : NULL;

		if (w)
			return (double)w->cycles * (double)m->phase[p].repeats;
	}
	return 0;
}

double vmodel_density(const struct vmodel *m, const struct vmodel_conflict *c, int side,
		      const struct vmodel_phase *ph)
{
	uint32_t thread = c->side[side].thread;
	const struct vmodel_meeting *here = NULL;
	double all = 0, in = 0;

	if (!c->n_meetings)
		return c->phase == VMODEL_NONE || c->phase == ph->index ? 1 : 0;
	for (size_t i = 0; i < c->n_meetings; i++) {
		if (c->meeting[i].phase == ph->index)
			here = &c->meeting[i];
		all += all_cycles(m, c->meeting[i].phase, thread);
	}
	if (here)
		in = all_cycles(m, ph->index, thread);
	if (!(in > 0))
		return 0;
	return here->share > 0 ? here->share * all / in : 1;
}

void vmodel_release(struct vmodel *m)
{
	for (size_t i = 0; m->phase && i < m->n_phases; i++)
		free(m->phase[i].work);
	for (size_t i = 0; m->conflict && i < 2 * m->n_read; i++)
		free(m->conflict[i / 2].side[i % 2].where);
	for (size_t i = 0; m->conflict && i < m->n_read; i++)
		free(m->conflict[i].meeting);
	vyaml_release(&m->doc);
	input_release(&m->in);
	free(m->thread);
	free(m->site);
	free(m->phase);
	free(m->conflict);
	free(m->doubt);
	*m = (struct vmodel){0};
}

/* SPDX-License-Identifier: MIT */
#include "analyzer/time/threads.h"

#include <stdio.h>
#include <string.h>

#include "lib/strbuf.h"
#include "record/names/thread-name.h"

struct vec_instance VEC(struct instance);

/* While one run is read: the path of each thread, made once. */
struct paths {
	const struct run_process *p;
	char **key;
	bool *busy;
	unsigned depth; /* of creators that registered after their threads */
};

#define MAX_DEPTH 200u

static bool is_foreign(const struct run_process *p, uint32_t i)
{
	const struct prs_thread *t = p->threads[i].raw;

	return i && ((t->state & PRS_THREAD_FOREIGN) || t->creator >= p->n_threads || t->creator == i);
}

/* How many foreign threads of the same name came before thread @i. */
static uint32_t foreign_ordinal(const struct run_process *p, uint32_t i)
{
	uint32_t n = 0;

	for (uint32_t k = 1; k < i; k++)
		n += is_foreign(p, k) && !strncmp(p->threads[k].raw->name, p->threads[i].raw->name,
						  sizeof(p->threads[i].raw->name));
	return n;
}

static const struct run_call_site *create_site(const struct run_process *p, uint32_t i)
{
	uint32_t site = p->threads[i].raw->create_site;

	return site == PRS_NO_SITE ? NULL : run_call_site(p, site);
}

/* Long chains of creations are shortened, or n threads would need n * n bytes. */
static void add_parent(struct strbuf *sb, const char *path)
{
	size_t len = strlen(path);

	if (len <= 256)
		strbuf_puts(sb, path);
	else
		strbuf_printf(sb, "#%016llx", (unsigned long long)prs_fnv64(PRS_FNV_INIT, path, len));
}

/* The path of thread @i; a cycle of creators (a corrupt record) ends in "?". */
static const char *threads_path_of(struct paths *ps, uint32_t i)
{
	const struct prs_thread *t = ps->p->threads[i].raw;
	const struct run_call_site *site;
	struct strbuf sb = STRBUF_INIT;

	if (ps->key[i])
		return ps->key[i];
	if (ps->busy[i] || ps->depth == MAX_DEPTH)
		return "?";
	ps->busy[i] = true;
	ps->depth++;
	if (!i) {
		strbuf_puts(&sb, "main");
	} else if (is_foreign(ps->p, i)) {
		strbuf_printf(&sb, "foreign:%.16s:%u", t->name, foreign_ordinal(ps->p, i));
	} else {
		site = create_site(ps->p, i);
		add_parent(&sb, threads_path_of(ps, t->creator));
		strbuf_printf(&sb, "/%s:%s:%u", site ? site->id : "library", site ? site->instance : "-",
			      t->ordinal);
	}
	ps->busy[i] = false;
	ps->depth--;
	return ps->key[i] = strbuf_detach(&sb);
}

static uint32_t threads_find(const struct vec_instance *v, const char *key)
{
	for (uint32_t i = 0; i < v->n; i++)
		if (!strcmp(v->at[i].key, key))
			return i;
	return INSTANCE_NONE;
}

static bool beyond_limits(const struct vec_instance *v, const struct prs_thread *t)
{
	return t->ordinal >= INSTANCE_MAX_ORDINAL || v->n >= INSTANCE_MAX;
}

static uint32_t intern(struct instances *ins, struct vec_instance *v, struct paths *ps, const struct run *run,
		       uint32_t r, uint32_t i);

/* The instance of the thread's creator, made first if need be; INSTANCE_NONE: not followed. */
static uint32_t intern_creator(struct instances *ins, struct vec_instance *v, struct paths *ps,
			       const struct run *run, uint32_t r, uint32_t i)
{
	uint32_t creator;

	if (is_foreign(ps->p, i))
		return 0;
	if (ps->busy[i] || ps->depth == MAX_DEPTH)
		return INSTANCE_NONE; /* a circle */
	ps->busy[i] = true;
	ps->depth++;
	creator = intern(ins, v, ps, run, r, ps->p->threads[i].raw->creator);
	ps->depth--;
	ps->busy[i] = false;
	return creator;
}

/* Intern thread @i of run number @r; its creator first. */
static uint32_t intern(struct instances *ins, struct vec_instance *v, struct paths *ps, const struct run *run,
		       uint32_t r, uint32_t i)
{
	const struct run_process *p = ps->p;
	const struct prs_thread *t = p->threads[i].raw;
	struct instance_map *map = &ins->maps[r];
	struct strbuf name = STRBUF_INIT;
	struct instance *in;
	uint32_t creator, at;

	if (map->of[i] != INSTANCE_NONE || thread_never_ran(t))
		return map->of[i];
	creator = i ? intern_creator(ins, v, ps, run, r, i) : INSTANCE_NONE;
	if ((i && creator == INSTANCE_NONE) ||
	    (beyond_limits(v, t) && threads_find(v, ps->key[i]) == INSTANCE_NONE)) {
		ins->untracked++;
		ins->untracked_site = i && !is_foreign(p, i) ? create_site(p, i) : NULL;
		return INSTANCE_NONE;
	}
	at = threads_find(v, ps->key[i]);
	if (at == INSTANCE_NONE) {
		at = (uint32_t)v->n;
		thread_whole_name(&name, run, p, i);
		in = vec_add(v);
		*in = (struct instance){.key = mem_strdup(ps->key[i]), .name = strbuf_detach(&name)};
		in->creator = creator;
		in->foreign = is_foreign(p, i);
		in->site = i && !in->foreign ? create_site(p, i) : NULL;
		in->ordinal = in->foreign ? foreign_ordinal(p, i) : t->ordinal;
		in->first = r;
		in->born = t->create_tsc ? t->create_tsc : t->start_tsc;
	}
	v->at[at].seen++;
	return map->of[i] = at;
}

static void read_run(struct instances *ins, struct vec_instance *v, const struct run *run,
		     const struct run_process *p, uint32_t r)
{
	struct paths ps = {p, mem_new(p->n_threads + 1, sizeof(char *)),
			   mem_new(p->n_threads + 1, sizeof(bool)), 0};
	struct instance_map *map = &ins->maps[r];
	uint64_t before = ins->untracked;

	ins->untracked = 0;
	map->n = p->n_threads;
	map->of = mem_new(map->n + 1, sizeof(*map->of));
	for (uint32_t i = 0; i < map->n; i++) {
		map->of[i] = INSTANCE_NONE;
		threads_path_of(&ps, i);
	}
	for (uint32_t i = 0; i < map->n; i++)
		intern(ins, v, &ps, run, r, i);
	/* Of all runs the one with most: they are the same threads. */
	ins->untracked = ins->untracked > before ? ins->untracked : before;
	for (uint32_t i = 0; i < map->n; i++)
		free(ps.key[i]);
	free(ps.key);
	free(ps.busy);
}

static bool born_before(const struct instance *a, const struct instance *b)
{
	if (a->first != b->first)
		return a->first < b->first;
	if (a->born != b->born)
		return a->born < b->born;
	return strcmp(a->key, b->key) < 0;
}

/*
 * Creators first, then the threads of each creator in its own program order:
 * an order that does not depend on which thread was scheduled first.
 */
static void canonical_order(struct vec_instance *v, uint32_t *order)
{
	bool *done = mem_new(v->n + 1, sizeof(*done));
	size_t n = 0;

	if (v->n) {
		order[n++] = 0;
		done[0] = true;
	}
	for (size_t q = 0; q < n; q++)
		for (;;) {
			uint32_t best = INSTANCE_NONE;

			for (uint32_t i = 0; i < v->n; i++)
				if (!done[i] && v->at[i].creator == order[q] &&
				    (best == INSTANCE_NONE || born_before(&v->at[i], &v->at[best])))
					best = i;
			if (best == INSTANCE_NONE)
				break;
			done[best] = true;
			order[n++] = best;
		}
	free(done);
}

static void reorder(struct instances *ins, struct vec_instance *v)
{
	uint32_t *order = mem_new(v->n + 1, sizeof(*order)), *place = mem_new(v->n + 1, sizeof(*place));

	canonical_order(v, order);
	ins->at = mem_new(v->n + 1, sizeof(*ins->at));
	ins->n = v->n;
	for (uint32_t i = 0; i < v->n; i++) {
		place[order[i]] = i;
		ins->at[i] = v->at[order[i]];
	}
	for (uint32_t i = 0; i < ins->n; i++)
		if (ins->at[i].creator != INSTANCE_NONE)
			ins->at[i].creator = place[ins->at[i].creator];
	for (size_t r = 0; r < ins->n_maps; r++)
		for (size_t i = 0; i < ins->maps[r].n; i++)
			if (ins->maps[r].of[i] != INSTANCE_NONE)
				ins->maps[r].of[i] = place[ins->maps[r].of[i]];
	free(order);
	free(place);
}

/* "worker" of which there are several becomes "worker 0", "worker 1", ... */
static void number_names(struct instances *ins)
{
	char **base = mem_new(ins->n + 1, sizeof(*base));
	struct strbuf sb = STRBUF_INIT;

	for (size_t i = 0; i < ins->n; i++)
		base[i] = mem_strdup(ins->at[i].name);
	for (size_t i = 0; i < ins->n; i++) {
		size_t before = 0, all = 0;

		for (size_t k = 0; k < ins->n; k++)
			if (!strcmp(base[k], base[i])) {
				all++;
				before += k < i;
			}
		if (all < 2)
			continue;
		strbuf_printf(&sb, "%s %zu", base[i], before);
		free(ins->at[i].name);
		ins->at[i].name = strbuf_detach(&sb);
	}
	for (size_t i = 0; i < ins->n; i++)
		free(base[i]);
	free(base);
}

void instances_match(struct instances *ins, const struct run *const *runs,
		     const struct run_process *const *procs, size_t n)
{
	struct vec_instance v = VEC_INIT;

	*ins = (struct instances){.n_maps = n};
	ins->maps = mem_new(n + 1, sizeof(*ins->maps));
	for (size_t r = 0; r < n; r++)
		read_run(ins, &v, runs[r], procs[r], (uint32_t)r);
	reorder(ins, &v);
	number_names(ins);
	vec_release(&v);
}

uint32_t instance_of(const struct instances *ins, size_t run, uint32_t thread)
{
	if (run >= ins->n_maps || thread >= ins->maps[run].n)
		return INSTANCE_NONE;
	return ins->maps[run].of[thread];
}

uint32_t *instance_threads(const struct instances *ins, size_t run, size_t n_threads)
{
	uint32_t *of = mem_new(ins->n + 1, sizeof(*of));

	for (size_t i = 0; i < ins->n; i++)
		of[i] = INSTANCE_NONE;
	for (uint32_t t = (uint32_t)n_threads; t-- > 0;) {
		uint32_t instance = instance_of(ins, run, t);

		if (instance != INSTANCE_NONE)
			of[instance] = t;
	}
	return of;
}

void instances_release(struct instances *ins)
{
	for (size_t i = 0; i < ins->n; i++) {
		free(ins->at[i].key);
		free(ins->at[i].name);
	}
	for (size_t r = 0; r < ins->n_maps; r++)
		free(ins->maps[r].of);
	free(ins->at);
	free(ins->maps);
	*ins = (struct instances){0};
}

/* SPDX-License-Identifier: MIT */
#include "planner/diff/pair.h"

#include <stdlib.h>
#include <string.h>

/* ---- sites: the same id and instance, the same number ---- */

static void number_sites(struct pair *p)
{
	struct match_list all = VEC_INIT;
	uint32_t number = 0;

	for (int side = 0; side < PAIR_SIDES; side++) {
		p->site[side] = mem_new(p->plan[side]->n_sites + 1, sizeof(uint32_t));
		for (uint32_t i = 0; i < p->plan[side]->n_sites; i++) {
			const struct plan_site *s = &p->plan[side]->sites[i];
			struct strbuf key = STRBUF_INIT;

			strbuf_printf(&key, "%s %s", s->id, s->instance);
			match_add(&all, strbuf_detach(&key), 2 * i + (uint32_t)side);
		}
	}
	match_sort(&all);
	for (size_t i = 0; i < all.n; i++) {
		number += !i || strcmp(all.at[i].key, all.at[i - 1].key);
		p->site[all.at[i].index % 2][all.at[i].index / 2] = number;
	}
	match_release(&all);
}

/* ---- threads: creators first, so that their children can be told by them ---- */

static uint32_t *depths(const struct plan *plan, uint32_t *deepest)
{
	uint32_t *depth = mem_new(plan->n_threads + 1, sizeof(*depth));

	for (size_t i = 0; i < plan->n_threads; i++) {
		uint32_t creator = plan->threads[i].creator;

		depth[i] = creator < i ? depth[creator] + 1 : 0;
		if (depth[i] > *deepest)
			*deepest = depth[i];
	}
	return depth;
}

static char *thread_key(const struct pair *p, int side, uint32_t i, bool by_name)
{
	const struct plan_thread *t = &p->plan[side]->threads[i];
	struct strbuf key = STRBUF_INIT;

	if (!i)
		strbuf_puts(&key, "main");
	else if (t->creator >= i)
		strbuf_printf(&key, "unseen %s", t->name);
	else if (by_name)
		strbuf_printf(&key, "%u %s", p->thread[side][t->creator], t->name);
	else
		strbuf_printf(&key, "%u %u %u", p->thread[side][t->creator],
			      t->create_site < p->plan[side]->n_sites ? p->site[side][t->create_site] : 0,
			      t->ordinal);
	return strbuf_detach(&key);
}

static void same_thread(void *arg, uint32_t old, uint32_t new)
{
	struct pair *p = arg;

	p->thread[PAIR_OLD][old] = new;
	p->matched[PAIR_OLD][old] = p->matched[PAIR_NEW][new] = true;
}

/* Threads in the order of their depth: @first[d] to @first[d + 1] are those of depth d. */
struct levels {
	uint32_t *order, *first;
};

static struct levels levels(const uint32_t *depth, size_t n, uint32_t deepest)
{
	struct levels l = {mem_new(n + 1, sizeof(uint32_t)), mem_new((size_t)deepest + 3, sizeof(uint32_t))};

	for (size_t i = 0; i < n; i++)
		l.first[depth[i] + 2]++;
	for (uint32_t d = 0; d <= deepest; d++)
		l.first[d + 2] += l.first[d + 1];
	for (uint32_t i = 0; i < n; i++)
		l.order[l.first[depth[i] + 1]++] = i;
	return l;
}

static void match_level(struct pair *p, const struct levels *l, uint32_t d, bool by_name)
{
	struct match_list list[PAIR_SIDES] = {VEC_INIT, VEC_INIT};

	for (int side = 0; side < PAIR_SIDES; side++)
		for (uint32_t k = l[side].first[d]; k < l[side].first[d + 1]; k++)
			if (!p->matched[side][l[side].order[k]])
				match_add(&list[side], thread_key(p, side, l[side].order[k], by_name),
					  l[side].order[k]);
	match_pairs(&list[PAIR_OLD], &list[PAIR_NEW], same_thread, p);
	match_release(&list[PAIR_OLD]);
	match_release(&list[PAIR_NEW]);
}

static void number_threads(struct pair *p)
{
	struct levels l[PAIR_SIDES];
	uint32_t deepest = 0, *depth[PAIR_SIDES];

	for (int side = 0; side < PAIR_SIDES; side++) {
		size_t n = p->plan[side]->n_threads;

		p->thread[side] = mem_new(n + 1, sizeof(uint32_t));
		p->matched[side] = mem_new(n + 1, sizeof(bool));
		depth[side] = depths(p->plan[side], &deepest);
		for (uint32_t i = 0; i < n; i++)
			p->thread[side][i] =
				side == PAIR_NEW ? i : (uint32_t)p->plan[PAIR_NEW]->n_threads + i;
	}
	for (int side = 0; side < PAIR_SIDES; side++)
		l[side] = levels(depth[side], p->plan[side]->n_threads, deepest);
	for (uint32_t d = 0; d <= deepest; d++) {
		match_level(p, l, d, false);
		match_level(p, l, d, true);
	}
	for (int side = 0; side < PAIR_SIDES; side++) {
		free(l[side].order);
		free(l[side].first);
		free(depth[side]);
	}
}

static void rank_names(struct pair *p, int side)
{
	const struct plan *plan = p->plan[side];
	struct match_list names = VEC_INIT;

	p->rank[side] = mem_new(plan->n_threads + 1, sizeof(uint32_t));
	for (uint32_t i = 0; i < plan->n_threads; i++)
		match_add(&names, mem_strdup(plan->threads[i].name), i);
	match_sort(&names);
	for (size_t i = 0; i < names.n; i++) {
		bool again = i && !strcmp(names.at[i].key, names.at[i - 1].key);
		bool more = i + 1 < names.n && !strcmp(names.at[i].key, names.at[i + 1].key);
		uint32_t before = again ? p->rank[side][names.at[i - 1].index] + 1 : 0;

		p->rank[side][names.at[i].index] = again || more ? before : PAIR_ALONE;
	}
	match_release(&names);
}

void pair_init(struct pair *p, struct plan_diff *diff, const struct plan *old, const struct plan *new)
{
	*p = (struct pair){.plan = {old, new}, .diff = diff};
	*diff = (struct plan_diff){0};
	number_sites(p);
	number_threads(p);
	rank_names(p, PAIR_OLD);
	rank_names(p, PAIR_NEW);
}

void pair_release(struct pair *p)
{
	for (int side = 0; side < PAIR_SIDES; side++) {
		free(p->thread[side]);
		free(p->matched[side]);
		free(p->site[side]);
		free(p->rank[side]);
		vec_release(&p->set[side]);
	}
}

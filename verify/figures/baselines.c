/* SPDX-License-Identifier: MIT */
#include "verify/figures/baselines.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verify/base/sha256.h"

enum { SPREAD, PACK, OS, RANDOM };

#define SEEDS 16 /* of random, whose mean is taken */

static const char *const names[BASELINES] = {"spread", "pack", "os", "random"};

int baselines_find(const char *name)
{
	int k = 0;

	while (k < BASELINES && strcmp(names[k], name))
		k++;
	return k;
}

/* ---- the machine ---- */

static bool baselines_before(const struct vplatform *f, uint32_t a, uint32_t b)
{
	const struct vplatform_core *x = &f->core[a], *y = &f->core[b];

	if (x->package != y->package)
		return x->package < y->package;
	if (x->group != y->group)
		return x->group < y->group;
	return x->physical != y->physical ? x->physical < y->physical : a < b;
}

/* The units by package, cache and core, as indices of cores. */
static uint32_t *sort_units(const struct vplatform *f)
{
	uint32_t *unit = need(f->n_units, sizeof(*unit)), n = 0;

	for (uint32_t c = 0; c < f->n_cores; c++) {
		uint32_t at;

		if (f->core[c].unit != c)
			continue;
		for (at = n++; at && baselines_before(f, c, unit[at - 1]); at--)
			unit[at] = unit[at - 1];
		unit[at] = c;
	}
	return unit;
}

/* The nth of each package in turn. */
static void alternate(const struct vplatform *f, uint32_t *unit)
{
	uint32_t *out = need(f->n_units, sizeof(*out)), n = 0;

	for (uint32_t nth = 0; n < f->n_units; nth++)
		for (uint32_t i = 0, seen = 0; i < f->n_units; i++) {
			seen = i && f->core[unit[i]].package == f->core[unit[i - 1]].package ? seen + 1 : 0;
			if (seen == nth)
				out[n++] = unit[i];
		}
	memcpy(unit, out, n * sizeof(*unit));
	free(out);
}

/* ---- who matters ---- */

static bool matters(const struct span *s, uint32_t thread)
{
	return span_find(s, thread) < s->n_heavy;
}

/* Of the models one by one: matter[(phase * models + model) * threads + thread]. */
static uint8_t *find_matter(const struct ground *g)
{
	size_t threads = g->plan->n_threads;
	uint8_t *matter = need(g->plan->n_phases * g->n_models * threads, 1);

	for (size_t p = 0; p < g->plan->n_phases; p++)
		for (size_t k = 0; k < g->n_models; k++) {
			struct span s;

			span_make(&g->model[k], 1, g->f, g->span[p].first, g->span[p].last, &s);
			for (size_t i = 0; i < s.n_heavy; i++)
				matter[(p * g->n_models + k) * threads + s.member[i].entry->thread] = 1;
			free(s.member);
		}
	return matter;
}

static const struct vmodel_thread *thread_of(const struct ground *g, uint32_t thread)
{
	return thread < g->model->n_threads ? &g->model->thread[thread] : NULL;
}

bool baselines_follows(const struct ground *g, uint32_t thread)
{
	const struct vmodel_thread *t = thread_of(g, thread);
	uint32_t creator = g->plan->thread[thread].creator;
	bool works = false;

	if (!thread || creator == VPLAN_NONE || (t && !t->plannable))
		return false;
	for (size_t p = 0; p < g->plan->n_phases; p++) {
		if (matters(&g->span[p], thread))
			return false;
		works |= span_find(&g->span[p], creator) < g->span[p].n;
		for (size_t k = 0; g->n_models > 1 && k < g->n_models; k++) {
			struct span s;
			bool heavy;

			span_make(&g->model[k], 1, g->f, g->span[p].first, g->span[p].last, &s);
			heavy = matters(&s, thread);
			free(s.member);
			if (heavy)
				return false;
		}
	}
	return works;
}

/* ---- a thread has one place ---- */

static uint64_t mix(uint64_t z)
{
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* A number below @n by seed and thread: splitmix64 over a key. */
static uint32_t draw(uint64_t seed, uint32_t thread, uint32_t n)
{
	const uint64_t step = UINT64_C(0x9e3779b97f4a7c15), limit = UINT64_MAX - UINT64_MAX % n;
	uint64_t s = mix(seed + step), x;

	s = mix(s ^ (UINT64_C(0x62617365) + step));
	s = mix(s ^ (thread + UINT64_C(0xbf58476d1ce4e5b9)));
	s = mix(s ^ UINT64_C(0x94d049bb133111eb));
	do
		x = mix(s += step);
	while (x >= limit);
	return (uint32_t)(x % n);
}

/* The first unit in @order of the fewest threads dealt before that matter when @thread does. */
static uint32_t baselines_deal(const struct ground *g, const uint8_t *matter, const uint32_t *order,
			       const uint32_t *place, uint32_t thread)
{
	size_t threads = g->plan->n_threads, rows = g->plan->n_phases * g->n_models;
	uint32_t *used = need(g->f->n_cores, sizeof(*used)), best = 0;

	for (uint32_t t = 0; t < thread; t++)
		for (size_t r = 0; r < rows; r++)
			if (matter[r * threads + thread] && matter[r * threads + t]) {
				used[place[t]]++;
				break;
			}
	for (uint32_t i = 1; i < g->f->n_units; i++)
		if (used[order[i]] < used[order[best]])
			best = i;
	free(used);
	return order[best];
}

static void make_static(const struct ground *g, int baseline, uint64_t seed, const uint32_t *order,
			uint32_t *place)
{
	size_t threads = g->plan->n_threads;
	uint8_t *matter = find_matter(g);

	for (uint32_t t = 0; t < threads; t++) {
		place[t] = baseline == RANDOM ? order[draw(seed, t, (uint32_t)g->f->n_units)]
					      : baselines_deal(g, matter, order, place, t);
		if (baselines_follows(g, t))
			place[t] = place[g->plan->thread[t].creator];
	}
	for (size_t p = 1; p < g->plan->n_phases; p++)
		memcpy(place + p * threads, place, threads * sizeof(*place));
	free(matter);
}

/* ---- the system moves threads ---- */

struct load {
	uint64_t ns;
	uint32_t thread;
};

static int baselines_compare(const void *a, const void *b)
{
	const struct load *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	return (x->thread > y->thread) - (x->thread < y->thread);
}

/* What the threads of a phase have to do, in all models, the most first. */
static struct load *list_loads(const struct ground *g, const struct span *all)
{
	struct load *list = need(all->n, sizeof(*list));

	for (size_t i = 0; i < all->n; i++)
		list[i].thread = all->member[i].entry->thread;
	for (size_t k = 0; k < g->n_models; k++) {
		struct span s;

		span_make(&g->model[k], 1, g->f, all->first, all->last, &s);
		for (size_t i = 0; i < all->n; i++) {
			size_t at = span_find(&s, list[i].thread);

			list[i].ns += at < s.n ? s.member[at].top_ns : 0;
		}
		free(s.member);
	}
	qsort(list, all->n, sizeof(*list), baselines_compare);
	return list;
}

static void make_moving(const struct ground *g, const uint32_t *order, uint32_t *place)
{
	uint64_t *load = need(g->f->n_cores, sizeof(*load));

	for (size_t p = 0; p < g->plan->n_phases; p++) {
		struct load *list = list_loads(g, &g->span[p]);

		memset(load, 0, g->f->n_cores * sizeof(*load));
		for (size_t i = 0; i < g->span[p].n; i++) {
			uint32_t best = 0;

			for (uint32_t k = 1; k < g->f->n_units; k++)
				if (load[order[k]] < load[order[best]])
					best = k;
			load[order[best]] += list[i].ns;
			place[p * g->plan->n_threads + list[i].thread] = order[best];
		}
		free(list);
	}
	free(load);
}

/* ---- as a plan says it ---- */

/* Cores by phase and thread. */
static uint32_t *baselines_make(const struct ground *g, int baseline, uint64_t seed)
{
	uint32_t *place = need(g->plan->n_phases * g->plan->n_threads, sizeof(*place));
	uint32_t *order = sort_units(g->f);

	if (baseline == SPREAD || baseline == OS)
		alternate(g->f, order);
	if (baseline == OS)
		make_moving(g, order, place);
	else if (g->plan->n_phases)
		make_static(g, baseline, seed, order, place);
	free(order);
	return place;
}

struct vplan_place *baselines_form(const struct ground *g, int baseline, uint64_t seed, size_t *n)
{
	uint32_t *place = baselines_make(g, baseline, seed);
	struct vplan_place *out = NULL;

	*n = 0;
	for (uint32_t t = 0; t < g->plan->n_threads; t++)
		for (uint32_t p = 0; p < g->plan->n_phases; p++) {
			uint32_t id = g->f->core[place[p * g->plan->n_threads + t]].id;

			if (span_find(&g->span[p], t) == g->span[p].n ||
			    (*n && out[*n - 1].thread == t && out[*n - 1].core == id))
				continue;
			out = need_more(out, *n, sizeof(*out));
			out[(*n)++] = (struct vplan_place){t, p, id};
		}
	free(place);
	return out;
}

/* SHA-256 of a line for each phase, model and thread with work. */
static void hash(const struct ground *g, const struct vplan_place *place, size_t n, char hex[65])
{
	size_t bytes = 1, at = 0;
	char *text;

	for (size_t p = 0; p < g->plan->n_phases; p++)
		bytes += g->span[p].n * g->n_models * 36;
	text = need(bytes, 1);
	for (uint32_t p = 0; p < g->plan->n_phases * g->n_models; p++)
		for (uint32_t t = 0; t < g->plan->n_threads; t++) {
			const struct span *s = &g->span[p / g->n_models];

			if (span_find(s, t) < s->n)
				at += (size_t)snprintf(text + at, bytes - at, "%u %u %u\n", p, t,
						       vplan_place(place, n, t, (uint32_t)(p / g->n_models)));
		}
	vsha256((const uint8_t *)text, at, hex);
	free(text);
}

static void check_places(const struct ground *g, int baseline, struct findings *list)
{
	const struct vplan *p = g->plan;
	size_t n, i = 0;
	struct vplan_place *place = baselines_form(g, baseline, p->seed, &n);
	char hex[65];

	while (i < n && i < p->n_base_places && !memcmp(&place[i], &p->base_place[i], sizeof(*place)))
		i++;
	if (i < p->n_base_places || i < n)
		findings_add(list, "base_places are not those of the baseline `%s`, from entry %zu on",
			     p->baseline, i);
	hash(g, place, n, hex);
	if (!p->baseline_sha256 || strcmp(p->baseline_sha256, hex))
		findings_add(list, "baseline_sha256 is not that of the baseline `%s`, %.16s..", p->baseline,
			     hex);
	free(place);
}

/* What a baseline takes; of random the mean of its seeds. */
static struct vcost price(const struct ground *g, int baseline)
{
	uint64_t seeds = baseline == RANDOM ? SEEDS : 1;
	wide time = 0, energy = 0;

	for (uint64_t i = 0; i < seeds; i++) {
		size_t n;
		struct vplan_place *place = baselines_form(g, baseline, g->plan->seed + i, &n);
		struct vcost c =
			recompute_places(g->plan, g->model, g->n_models, g->f, place, n, baseline == OS);

		time += c.time;
		energy += c.energy;
		free(place);
	}
	return (struct vcost){(uint64_t)(time / seeds), (uint64_t)(energy / seeds), 0};
}

static void check_regret(const struct ground *g, struct findings *list)
{
	const struct vplan *p = g->plan;

	if (p->n_regret && p->n_regret != BASELINES)
		findings_add(list, "regret has %zu baselines, there are %d", p->n_regret, BASELINES);
	for (size_t i = 0; i < p->n_regret && p->n_regret == BASELINES; i++) {
		const struct vplan_regret *r = &p->regret[i];
		struct vcost c;

		if (baselines_find(r->baseline) != (int)i) {
			findings_add(list, "regret %zu: expected the baseline `%s`", i, names[i]);
			continue;
		}
		c = price(g, (int)i);
		if (r->time != c.time || r->energy != c.energy / 1000)
			findings_add(list,
				     "regret of `%s`: the plan says %" PRIu64 " ns, %" PRIu64
				     " nJ, recomputed %" PRIu64 ", %" PRIu64,
				     r->baseline, r->time, r->energy, c.time, c.energy / 1000);
	}
}

void baselines_check(const struct ground *g, struct findings *list)
{
	int baseline = baselines_find(g->plan->baseline);

	if (baseline == BASELINES) {
		findings_add(list, "there is no baseline `%s`", g->plan->baseline);
		return;
	}
	check_places(g, baseline, list);
	check_regret(g, list);
}

/* SPDX-License-Identifier: MIT */
#include "verify/base/platform.h"

#include <stdlib.h>

#include "verify/base/sha256.h"

#define PLATFORM_BYTES ((size_t)64 << 20)
#define MAX_CORES      1024u
#define MAX_STEPS      255u
#define MAX_MW         UINT64_C(1000000000)
#define MAX_CACHE      ((uint64_t)1 << 40)
#define MAX_PRICE      UINT64_C(1000000000000)

static const char *const distances[] = {"same", "smt", "cache", "package", "remote", NULL};

static int platform_bad(const struct vplatform *p, uint32_t node, struct fault *f, const char *what)
{
	return fault_set(f, "%s line %u: %s", p->doc.name, p->doc.node[node].line, what);
}

static int platform_number(struct vplatform *p, uint32_t map, const char *key, uint64_t max, uint32_t *out,
			   struct fault *f)
{
	uint64_t n = 0;

	if (vyaml_number(&p->doc, map, key, false, max, &n, f))
		return -1;
	*out = (uint32_t)n;
	return 0;
}

static int read_core(struct vplatform *p, uint32_t map, size_t i, struct fault *f)
{
	struct vplatform_core *c = &p->core[i];

	if (platform_number(p, map, "id", UINT32_MAX - 1, &c->id, f) ||
	    platform_number(p, map, "package", MAX_CORES, &c->package, f) ||
	    platform_number(p, map, "cache_group", MAX_CORES, &c->group, f) ||
	    platform_number(p, map, "physical", MAX_CORES, &c->physical, f) ||
	    platform_number(p, map, "domain", MAX_CORES, &c->domain, f) ||
	    vyaml_bool(&p->doc, map, "usable", &c->usable, f))
		return -1;
	c->unit = c->usable ? (uint32_t)i : VPLATFORM_NONE;
	for (size_t k = i; c->usable && k-- > 0;)
		if (p->core[k].usable && p->core[k].physical == c->physical)
			c->unit = p->core[k].unit;
	return vyaml_unused(&p->doc, map, f);
}

static int read_step(struct vplatform *p, uint32_t map, size_t i, struct fault *f)
{
	struct vplatform_step *s = &p->step[i];
	uint64_t error = 0; /* of the watts: no figure of a plan hangs on it */

	if (platform_number(p, map, "khz", UINT32_MAX - 1, &s->khz, f) ||
	    vyaml_number(&p->doc, map, "busy_mw", true, MAX_MW, &s->busy_mw, f) ||
	    vyaml_number(&p->doc, map, "idle_mw", true, MAX_MW, &s->idle_mw, f) ||
	    vyaml_number(&p->doc, map, "busy_error_mw", true, MAX_MW, &error, f) ||
	    vyaml_number(&p->doc, map, "idle_error_mw", true, MAX_MW, &error, f))
		return -1;
	if (!s->khz || (i && s->khz >= s[-1].khz))
		return platform_bad(p, map, f, "steps must have descending `khz` above 0");
	if (s->idle_mw > s->busy_mw)
		return platform_bad(p, map, f, "an idle core cannot draw more than a busy one");
	return vyaml_unused(&p->doc, map, f);
}

/* Optional map @key of @map with one number by distance. */
static int read_distances(struct vplatform *p, uint32_t map, const char *key, uint64_t out[VDIST_N],
			  struct fault *f)
{
	uint32_t at = vyaml_get(&p->doc, map, key);

	for (int d = 0; at && d < VDIST_N; d++)
		if (vyaml_number(&p->doc, at, distances[d], true, MAX_PRICE, &out[d], f))
			return -1;
	if (at && p->doc.node[at].kind != VYAML_MAP)
		return platform_bad(p, at, f, "expected prices by distance");
	return at ? vyaml_unused(&p->doc, at, f) : 0;
}

/* The same for prices, of which none is missing then. */
static int read_prices_by_distance(struct vplatform *p, uint32_t map, const char *key, uint64_t out[VDIST_N],
				   struct fault *f)
{
	uint64_t near = 0;

	if (read_distances(p, map, key, out, f))
		return -1;
	for (int d = VDIST_N - 2; d > VDIST_SAME; d--)
		out[d] = out[d] ? out[d] : out[d + 1];
	for (int d = VDIST_SMT; d < VDIST_N; d++) {
		near = out[d] ? out[d] : near;
		out[d] = near;
	}
	return 0;
}

/* Prices beside another kind of access: findings use them, plans do not. */
static int read_beside(struct vplatform *p, uint32_t map, struct fault *f)
{
	static const char *const keys[] = {
		"beside_store_0ns_ps",   "beside_store_2ns_ps",   "beside_store_20ns_ps",
		"beside_store_60ns_ps",  "beside_store_200ns_ps", "beside_rmw_0ns_ps",
		"beside_rmw_2ns_ps",     "beside_rmw_20ns_ps",    "beside_rmw_60ns_ps",
		"beside_rmw_200ns_ps",   "beside_atomic_0ns_ps",  "beside_atomic_2ns_ps",
		"beside_atomic_20ns_ps", "beside_atomic_60ns_ps", "beside_atomic_200ns_ps",
		"beside_load_0ns_ps",    "beside_load_2ns_ps",    "beside_load_20ns_ps",
		"beside_load_60ns_ps",   "beside_load_200ns_ps"};
	uint64_t unused[VDIST_N];

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (read_prices_by_distance(p, map, keys[i], unused, f))
			return -1;
	return 0;
}

static int read_price(struct vplatform *p, uint32_t map, struct vplatform_price *out, struct fault *f)
{
	static const char *const extra[VGAPS] = {"extra_2ns_ps", "extra_6ns_ps", "extra_20ns_ps",
						 "extra_60ns_ps", "extra_200ns_ps"};

	if (vyaml_number(&p->doc, map, "alone_ps", false, MAX_PRICE, &out->alone_ps, f) ||
	    read_prices_by_distance(p, map, "shared_ps", out->shared_ps, f))
		return -1;
	for (int g = 0; g < VGAPS; g++)
		if (read_prices_by_distance(p, map, extra[g], out->extra_ps[g], f))
			return -1;
	if (read_beside(p, map, f))
		return -1;
	return vyaml_unused(&p->doc, map, f);
}

static int read_prices(struct vplatform *p, const char *key, struct vplatform_price out[VACCESS_N],
		       struct fault *f)
{
	static const char *const accesses[VACCESS_N] = {"store", "rmw", "atomic", "load"};
	uint32_t map = vyaml_get(&p->doc, 0, key);

	for (int k = 0; map && k < VACCESS_N; k++) {
		uint32_t at = vyaml_get(&p->doc, map, accesses[k]);

		if (at && read_price(p, at, &out[k], f))
			return -1;
	}
	if (map && p->doc.node[map].kind != VYAML_MAP)
		return platform_bad(p, map, f, "expected prices by access");
	return map ? vyaml_unused(&p->doc, map, f) : 0;
}

/* Prices of the same cores at another time: findings use them, plans do not. */
static int read_moved(struct vplatform *p, struct fault *f)
{
	struct vplatform_price unused[VACCESS_N] = {{0}};
	uint64_t transfer[VDIST_N] = {0};

	if (read_prices(p, "moved_price", unused, f))
		return -1;
	return read_prices_by_distance(p, 0, "moved_transfer_ps", transfer, f);
}

/* Prices of denormals: what `perseus denormals` reckons with, plans do not. */
static int read_denormal(struct vplatform *p, struct fault *f)
{
	static const char *const operations[] = {"add",     "mul",  "div",   "sqrt", "fma",
						 "convert", "load", "store", NULL};
	static const char *const types[] = {"float", "double", NULL};
	static const char *const prices[] = {"operand_ps",      "operand_chain_ps", "result_ps",
					     "result_chain_ps", "both_ps",          "both_chain_ps"};
	uint32_t list = VYAML_NONE, word;
	uint64_t unused;

	if (vyaml_list(&p->doc, 0, "denormal", true, &list, f))
		return -1;
	for (uint32_t at = list ? p->doc.node[list].first : 0; at; at = p->doc.node[at].next) {
		if (vyaml_word(&p->doc, at, "operation", operations, &word, f) ||
		    vyaml_word(&p->doc, at, "type", types, &word, f))
			return -1;
		for (size_t i = 0; i < sizeof(prices) / sizeof(prices[0]); i++)
			if (vyaml_number(&p->doc, at, prices[i], true, MAX_PRICE, &unused, f))
				return -1;
		if (vyaml_unused(&p->doc, at, f))
			return -1;
	}
	return 0;
}

/* Rows of numbers, n_cores of n_cores. */
static int read_matrix(struct vplatform *p, struct fault *f)
{
	uint32_t list = VYAML_NONE;
	size_t n = 0;

	if (vyaml_list(&p->doc, 0, "migrate_matrix_ns", true, &list, f) || !list)
		return list ? -1 : 0;
	p->matrix_ns = need(p->n_cores * p->n_cores, sizeof(*p->matrix_ns));
	for (uint32_t row = p->doc.node[list].first; row; row = p->doc.node[row].next) {
		if (p->doc.node[row].n != p->n_cores || p->doc.node[list].n != p->n_cores)
			return platform_bad(p, row, f, "expected as many rows and columns as cores");
		for (uint32_t i = p->doc.node[row].first; i; i = p->doc.node[i].next)
			if (vyaml_value(&p->doc, i, MAX_PRICE, &p->matrix_ns[n++], f))
				return -1;
	}
	return n == p->n_cores * p->n_cores ? 0 : platform_bad(p, list, f, "expected as many rows as cores");
}

static int read_list(struct vplatform *p, const char *key, size_t max, size_t bytes, void **array, size_t *n,
		     int (*read)(struct vplatform *, uint32_t, size_t, struct fault *), struct fault *f)
{
	uint32_t list = 0;
	size_t i = 0;

	if (vyaml_list(&p->doc, 0, key, false, &list, f))
		return -1;
	*n = p->doc.node[list].n;
	if (!*n || *n > max)
		return fault_set(f, "%s: %zu %s, expected 1 to %zu", p->doc.name, *n, key, max);
	*array = need(*n, bytes);
	for (uint32_t at = p->doc.node[list].first; at; at = p->doc.node[at].next)
		if (read(p, at, i++, f))
			return -1;
	return 0;
}

static int read_costs(struct vplatform *p, struct fault *f)
{
	uint64_t slice = 0, cache;

	if (vyaml_bool(&p->doc, 0, "energy_known", &p->energy_known, f) ||
	    vyaml_bool(&p->doc, 0, "can_halt", &p->can_halt, f) ||
	    vyaml_number(&p->doc, 0, "package_halt_mw", true, MAX_MW, &p->halt_mw, f) ||
	    vyaml_number(&p->doc, 0, "slice_ns", false, MAX_PRICE, &slice, f) ||
	    vyaml_number(&p->doc, 0, "core_cache_bytes", true, MAX_CACHE, &cache, f) ||
	    vyaml_number(&p->doc, 0, "group_cache_bytes", true, MAX_CACHE, &cache, f) ||
	    vyaml_number(&p->doc, 0, "trigger_ns", true, MAX_PRICE, &p->trigger_ns, f) ||
	    vyaml_number(&p->doc, 0, "affinity_ns", true, MAX_PRICE, &p->affinity_ns, f) ||
	    vyaml_number(&p->doc, 0, "frequency_ns", true, MAX_PRICE, &p->frequency_ns, f) ||
	    read_distances(p, 0, "migrate_ns", p->migrate_ns, f) || read_matrix(p, f) ||
	    read_prices(p, "price", p->price, f) || read_moved(p, f) || read_denormal(p, f))
		return -1;
	return read_prices_by_distance(p, 0, "transfer_ps", p->transfer_ps, f);
}

int vplatform_distance(const struct vplatform *p, uint32_t a, uint32_t b)
{
	const struct vplatform_core *x = &p->core[a], *y = &p->core[b];

	if (x->unit == y->unit)
		return VDIST_SAME;
	if (x->group == y->group)
		return VDIST_CACHE;
	return x->package == y->package ? VDIST_PACKAGE : VDIST_REMOTE;
}

uint64_t vplatform_move_ns(const struct vplatform *p, uint32_t from, uint32_t to)
{
	uint32_t a = p->core[from].unit, b = p->core[to].unit;

	if (a == b)
		return 0;
	return p->matrix_ns ? p->matrix_ns[a * p->n_cores + b] : p->migrate_ns[vplatform_distance(p, a, b)];
}

uint32_t vplatform_find(const struct vplatform *p, uint32_t id)
{
	for (uint32_t i = 0; i < p->n_cores; i++)
		if (p->core[i].id == id)
			return p->core[i].usable ? i : VPLATFORM_NONE;
	return VPLATFORM_NONE;
}

uint32_t vplatform_find_step(const struct vplatform *p, uint32_t khz)
{
	for (uint32_t i = 0; i < p->n_steps; i++)
		if (p->step[i].khz == khz)
			return i;
	return VPLATFORM_NONE;
}

/* A package halts without work if that draws no more than idling; one that is not all ours is not expected to. */
static void find_packages(struct vplatform *p)
{
	free(p->package);
	p->package = need(p->n_packages, sizeof(*p->package));
	for (uint32_t k = 0; k < p->n_packages; k++)
		p->package[k].whole = true;
	for (uint32_t i = 0; i < p->n_cores; i++) {
		p->package[p->core[i].package].n_units += p->core[i].unit == i;
		p->package[p->core[i].package].whole &= p->core[i].usable;
	}
	for (uint32_t k = 0; k < p->n_packages; k++) {
		struct vplatform_package *g = &p->package[k];

		g->rest_mw = g->n_units * p->floor_mw;
		g->halts = p->can_halt && p->energy_known && g->whole && p->halt_mw <= g->rest_mw;
		g->rest_mw = g->halts ? p->halt_mw : g->rest_mw;
	}
}

void vplatform_watts(struct vplatform *p)
{
	p->floor_mw = p->step[0].idle_mw;
	for (size_t s = 1; s < p->n_steps; s++)
		p->floor_mw = p->step[s].idle_mw < p->floor_mw ? p->step[s].idle_mw : p->floor_mw;
	find_packages(p);
}

uint64_t vplatform_full_rate(const struct vplatform_price *p, int distance)
{
	return p->shared_ps[distance] > p->alone_ps ? p->shared_ps[distance] - p->alone_ps : 0;
}

/* What follows from the rest.  Watts that are not known count as none. */
static void complete(struct vplatform *p)
{
	while (!p->core[p->first].usable)
		p->first++;
	for (uint32_t a = 0; a < p->n_cores; a++) {
		const struct vplatform_core *c = &p->core[a];

		p->n_packages = c->package >= p->n_packages ? c->package + 1 : p->n_packages;
		p->n_domains = c->domain >= p->n_domains ? c->domain + 1 : p->n_domains;
		p->n_units += c->unit == a;
		for (uint32_t b = 0; c->unit == a && b < p->n_cores; b++) {
			if (b == a || p->core[b].unit != b)
				continue;
			p->apart[vplatform_distance(p, a, b)]++;
			if (vplatform_move_ns(p, a, b) > p->longest_move_ns)
				p->longest_move_ns = vplatform_move_ns(p, a, b);
		}
	}
	for (size_t s = 0; !p->energy_known && s < p->n_steps; s++)
		p->step[s].busy_mw = p->step[s].idle_mw = 0;
	for (int k = 0; k < VACCESS_N; k++)
		for (int d = 0; d < VDIST_N; d++)
			p->times[k][d] = 1;
	vplatform_watts(p);
}

int vplatform_read(struct vplatform *p, const char *path, struct fault *f)
{
	static const char *const kinds[] = {"platform", NULL};
	const char *source;
	uint64_t version = 0;
	uint32_t kind = 0;

	*p = (struct vplatform){0};
	if (input_read(&p->in, path, PLATFORM_BYTES, f))
		return -1;
	vsha256(p->in.data, p->in.size, p->sha256);
	if (vyaml_parse(&p->doc, path, &p->in, f) || vyaml_word(&p->doc, 0, "perseus", kinds, &kind, f) ||
	    vyaml_number(&p->doc, 0, "version", false, 1, &version, f) ||
	    vyaml_text(&p->doc, 0, "name", false, &p->name, f) ||
	    vyaml_text(&p->doc, 0, "source", true, &source, f) ||
	    vyaml_text(&p->doc, 0, "cpu", true, &p->cpu, f) ||
	    read_list(p, "cores", MAX_CORES, sizeof(*p->core), (void **)&p->core, &p->n_cores, read_core,
		      f) ||
	    read_list(p, "steps", MAX_STEPS, sizeof(*p->step), (void **)&p->step, &p->n_steps, read_step,
		      f) ||
	    read_costs(p, f))
		return -1;
	for (size_t i = 0; !p->core[i].usable; i++)
		if (i + 1 == p->n_cores)
			return fault_set(f, "%s: no core is usable", p->doc.name);
	complete(p);
	return vyaml_unused(&p->doc, 0, f);
}

void vplatform_release(struct vplatform *p)
{
	vyaml_release(&p->doc);
	input_release(&p->in);
	free(p->core);
	free(p->step);
	free(p->matrix_ns);
	free(p->package);
	*p = (struct vplatform){0};
}

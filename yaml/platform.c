/* SPDX-License-Identifier: MIT */
#include "yaml/platform.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "yaml/builtin/builtin.h"
#include "yaml/tables.h"

static const char *const distances[] = {"same", "smt", "cache", "package", "remote", NULL};
static const char *const accesses[] = {PRS_KIND_WORDS, NULL};

const uint8_t platform_kinds[] = {PRS_KIND_STORE, PRS_KIND_RMW, PRS_KIND_ATOMIC, PRS_KIND_LOAD};

static const struct schema_field core_fields[] = {
	F_U32(struct platform_core, id, .max = 65535),
	F_U32(struct platform_core, package, .max = PLATFORM_MAX_CORES),
	F_U32(struct platform_core, cache_group, .max = PLATFORM_MAX_CORES),
	F_U32(struct platform_core, physical, .max = PLATFORM_MAX_CORES),
	F_U32(struct platform_core, domain, .max = PLATFORM_MAX_CORES),
	F_BOOL(struct platform_core, usable),
	F_END,
};
static const struct schema core_schema = {"a core", sizeof(struct platform_core), core_fields, true};

static const struct schema_field step_fields[] = {
	F_U32(struct platform_step, khz, .min = 1, .max = 100000000),
	F_U64(struct platform_step, busy_mw, OPTIONAL, .max = 1000000000),
	F_U64(struct platform_step, idle_mw, OPTIONAL, .max = 1000000000),
	F_U64(struct platform_step, busy_error_mw, OPTIONAL, .max = 1000000000),
	F_U64(struct platform_step, idle_error_mw, OPTIONAL, .max = 1000000000),
	F_END,
};
static const struct schema step_schema = {"a frequency step", sizeof(struct platform_step), step_fields,
					  true};

/* Prices are bounded so that sums over any program stay within 64 bits. */
#define MAX_CACHE_BYTES ((uint64_t)1 << 40)
#define MAX_PRICE_PS    UINT64_C(1000000000000)
#define MAX_TIME_NS     UINT64_C(1000000000000)

/* The names are those of platform_gap_ps(). */
#define F_EXTRA(name, g)                                                                                     \
	{                                                                                                    \
		.key = (name), .kind = SCHEMA_KEYED, .offset = offsetof(struct platform_price, extra_ps[g]), \
		.words = distances, OPTIONAL, .max = MAX_PRICE_PS                                            \
	}

/* The names are those of platform_beside_ps(). */
#define F_BESIDE(name, kind_, g)                                                                             \
	{                                                                                                    \
		.key = "beside_" name "_ps", .kind = SCHEMA_KEYED,                                           \
		.offset = offsetof(struct platform_price, beside_ps[kind_][g]), .words = distances,          \
		OPTIONAL, .max = MAX_PRICE_PS                                                                \
	}
#define F_BESIDE_KIND(name, kind_)                                                                           \
	F_BESIDE(name "_0ns", kind_, 0), F_BESIDE(name "_2ns", kind_, 1), F_BESIDE(name "_20ns", kind_, 2),  \
		F_BESIDE(name "_60ns", kind_, 3), F_BESIDE(name "_200ns", kind_, 4)

static const struct schema_field price_fields[] = {
	F_U64(struct platform_price, alone_ps, .max = MAX_PRICE_PS),
	F_KEYED(struct platform_price, shared_ps, distances, OPTIONAL, .max = MAX_PRICE_PS),
	F_EXTRA("extra_2ns_ps", 0),
	F_EXTRA("extra_6ns_ps", 1),
	F_EXTRA("extra_20ns_ps", 2),
	F_EXTRA("extra_60ns_ps", 3),
	F_EXTRA("extra_200ns_ps", 4),
	F_BESIDE_KIND("store", PRS_KIND_STORE),
	F_BESIDE_KIND("rmw", PRS_KIND_RMW),
	F_BESIDE_KIND("atomic", PRS_KIND_ATOMIC),
	F_BESIDE_KIND("load", PRS_KIND_LOAD),
	F_END,
};
static const struct schema price_schema = {"a price", sizeof(struct platform_price), price_fields, true};

static const char *const fp_words[] = {"add", "mul", "div", "sqrt", "fma", "convert", "load", "store", NULL};
static const char *const fp_types[] = {"float", "double", NULL};

static const struct schema_field denormal_fields[] = {
	F_ENUM(struct platform_denormal, operation, fp_words),
	F_ENUM(struct platform_denormal, type, fp_types),
	F_U64(struct platform_denormal, operand_ps, OPTIONAL, .max = MAX_PRICE_PS),
	F_U64(struct platform_denormal, operand_chain_ps, OPTIONAL, .max = MAX_PRICE_PS),
	F_U64(struct platform_denormal, result_ps, OPTIONAL, .max = MAX_PRICE_PS),
	F_U64(struct platform_denormal, result_chain_ps, OPTIONAL, .max = MAX_PRICE_PS),
	F_U64(struct platform_denormal, both_ps, OPTIONAL, .max = MAX_PRICE_PS),
	F_U64(struct platform_denormal, both_chain_ps, OPTIONAL, .max = MAX_PRICE_PS),
	F_END,
};
static const struct schema denormal_schema = {"a price of denormals", sizeof(struct platform_denormal),
					      denormal_fields, true};

static const struct schema_field platform_fields[] = {
	F_STRING(struct platform, name),
	F_STRING(struct platform, source, OPTIONAL),
	F_STRING(struct platform, cpu, OPTIONAL),
	F_LIST(struct platform, cores, core_schema, .flags = SCHEMA_COUNT32, .max = PLATFORM_MAX_CORES),
	F_LIST(struct platform, steps, step_schema, .flags = SCHEMA_COUNT32, .max = 256),
	F_BOOL(struct platform, energy_known),
	F_BOOL(struct platform, can_halt),
	F_U64(struct platform, package_halt_mw, OPTIONAL, .max = 1000000000),
	F_U64(struct platform, slice_ns, .min = 1000, .max = MAX_TIME_NS),
	F_U64(struct platform, core_cache_bytes, OPTIONAL, .max = MAX_CACHE_BYTES),
	F_U64(struct platform, group_cache_bytes, OPTIONAL, .max = MAX_CACHE_BYTES),
	F_U64(struct platform, trigger_ns, OPTIONAL, .max = MAX_TIME_NS),
	F_U64(struct platform, affinity_ns, OPTIONAL, .max = MAX_TIME_NS),
	F_U64(struct platform, frequency_ns, OPTIONAL, .max = MAX_TIME_NS),
	F_KEYED(struct platform, migrate_ns, distances, OPTIONAL, .max = MAX_TIME_NS),
	{.key = "migrate_matrix_ns",
	 .kind = SCHEMA_MATRIX,
	 .flags = SCHEMA_OPTIONAL | SCHEMA_COUNT32,
	 .offset = offsetof(struct platform, migrate_matrix_ns),
	 .count = offsetof(struct platform, n_cores),
	 .max = MAX_TIME_NS},
	F_KEYED(struct platform, price, accesses, OPTIONAL, .element = &price_schema,
		.order = platform_kinds),
	F_KEYED(struct platform, transfer_ps, distances, OPTIONAL, .max = MAX_PRICE_PS),
	F_KEYED(struct platform, moved_price, accesses, OPTIONAL, .element = &price_schema,
		.order = platform_kinds),
	F_KEYED(struct platform, moved_transfer_ps, distances, OPTIONAL, .max = MAX_PRICE_PS),
	F_LIST(struct platform, denormal, denormal_schema, OPTIONAL),
	F_END,
};
static const struct schema platform_schema = {"a platform", sizeof(struct platform), platform_fields, false};

/* ---- checks ---- */

enum level { LEVEL_PACKAGE, LEVEL_GROUP, LEVEL_PHYSICAL, LEVEL_DOMAIN };

static uint32_t level_of(const struct platform_core *c, enum level level)
{
	switch (level) {
	case LEVEL_PACKAGE:
		return c->package;
	case LEVEL_GROUP:
		return c->cache_group;
	case LEVEL_PHYSICAL:
		return c->physical;
	default:
		return c->domain;
	}
}

static int fail_core(const struct doc *d, uint32_t core, const char *key, struct err *err, const char *what)
{
	char path[64];

	snprintf(path, sizeof(path), "cores.%" PRIu32 ".%s", core, key);
	return doc_fail(d, doc_at(d, path), err, "%s", what);
}

/* Cores that share the inner thing must share the outer one. */
static int check_nesting(const struct doc *d, const struct platform *p, enum level inner, enum level outer,
			 const char *key, const char *what, struct err *err)
{
	uint32_t *first = mem_new(PLATFORM_MAX_CORES + 1, sizeof(*first));
	int ret = 0;

	for (uint32_t i = 0; i < p->n_cores && !ret; i++) {
		uint32_t *f = &first[level_of(&p->cores[i], inner)];

		if (!*f)
			*f = i + 1;
		else if (level_of(&p->cores[*f - 1], outer) != level_of(&p->cores[i], outer))
			ret = fail_core(d, i, key, err, what);
	}
	free(first);
	return ret;
}

/* Numbers 0 to the highest, each in use: callers loop over them. */
static int check_dense(const struct doc *d, const struct platform *p, enum level level, const char *key,
		       struct err *err)
{
	bool *used = mem_new(PLATFORM_MAX_CORES + 1, sizeof(*used));
	uint32_t highest = 0, at = 0;

	for (uint32_t i = 0; i < p->n_cores; i++) {
		uint32_t n = level_of(&p->cores[i], level);

		used[n] = true;
		if (n > highest) {
			highest = n;
			at = i;
		}
	}
	while (highest && used[highest])
		highest--;
	if (used[0] && !highest) {
		free(used);
		return 0;
	}
	free(used);
	return fail_core(d, at, key, err, "numbers must start at 0 and leave no gap");
}

static int check_cores(const struct doc *d, const struct platform *p, struct err *err)
{
	bool usable = p->cores[0].usable;
	int ret;

	for (uint32_t i = 1; i < p->n_cores; i++) {
		usable |= p->cores[i].usable;
		if (p->cores[i].id <= p->cores[i - 1].id)
			return fail_core(d, i, "id", err, "cores must stand in ascending order of `id`");
	}
	if (!usable)
		return doc_fail(d, doc_at(d, "cores"), err, "no core is usable");
	ret = check_nesting(d, p, LEVEL_PHYSICAL, LEVEL_GROUP, "physical",
			    "cores with one `physical` number must have one `cache_group`", err);
	if (!ret)
		ret = check_nesting(d, p, LEVEL_GROUP, LEVEL_PACKAGE, "cache_group",
				    "cores of one `cache_group` must be in one `package`", err);
	if (!ret)
		ret = check_dense(d, p, LEVEL_PACKAGE, "package", err);
	return ret ? ret : check_dense(d, p, LEVEL_DOMAIN, "domain", err);
}

static int check_steps(const struct doc *d, const struct platform *p, struct err *err)
{
	char path[64];

	for (uint32_t i = 0; i < p->n_steps; i++) {
		const struct platform_step *s = &p->steps[i];

		snprintf(path, sizeof(path), "steps.%" PRIu32, i);
		if (i && s->khz >= s[-1].khz)
			return doc_fail(d, doc_at(d, path), err,
					"steps must stand in descending order of `khz`");
		if (p->energy_known && !s->busy_mw)
			return doc_fail(d, doc_at(d, path), err,
					"`energy_known` is true, so this step needs `busy_mw`");
		if (s->idle_mw > s->busy_mw)
			return doc_fail(d, doc_at(d, path), err,
					"an idle core cannot draw more than a busy one");
	}
	return 0;
}

static int check_denormal(const struct doc *d, const struct platform *p, struct err *err)
{
	char path[64];

	for (size_t i = 0; i < p->n_denormal; i++) {
		snprintf(path, sizeof(path), "denormal.%zu", i);
		if (platform_denormal(p, p->denormal[i].operation, p->denormal[i].type) != &p->denormal[i])
			return doc_fail(d, doc_at(d, path), err,
					"there is a price of this operation and type already");
	}
	return 0;
}

static int check_platform(const struct doc *d, void *obj, struct err *err)
{
	struct platform *p = obj;
	int ret = check_cores(d, p, err);

	if (!ret)
		ret = check_steps(d, p, err);
	if (!ret)
		ret = check_denormal(d, p, err);
	for (uint32_t i = 0; !ret && p->migrate_matrix_ns && i < p->n_cores; i++)
		if (p->migrate_matrix_ns[i * p->n_cores + i])
			ret = doc_fail(d, doc_at(d, "migrate_matrix_ns"), err,
				       "row %" PRIu32 ": staying on a core must cost 0", i);
	if (!ret)
		platform_complete(p);
	return ret;
}

static const struct schema_document document = {"platform", PLATFORM_VERSION, &platform_schema,
						check_platform};

/* ---- derived ---- */

/* Another step is faster and needs no more energy for each cycle. */
static bool is_dominated(const struct platform *p, const struct platform_step *s)
{
	for (uint32_t i = 0; i < p->n_steps; i++)
		if (p->steps[i].khz > s->khz && p->steps[i].busy_mw * s->khz <= s->busy_mw * p->steps[i].khz)
			return true;
	return false;
}

void platform_complete(struct platform *p)
{
	p->n_packages = p->n_domains = 0;
	for (uint32_t i = 0; i < p->n_cores; i++) {
		if (p->cores[i].package >= p->n_packages)
			p->n_packages = p->cores[i].package + 1;
		if (p->cores[i].domain >= p->n_domains)
			p->n_domains = p->cores[i].domain + 1;
	}
	for (uint32_t i = 0; i < p->n_steps; i++)
		p->steps[i].dominated = p->energy_known && is_dominated(p, &p->steps[i]);
}

enum platform_distance platform_distance(const struct platform *p, uint32_t a, uint32_t b)
{
	const struct platform_core *x = &p->cores[a], *y = &p->cores[b];

	if (a == b)
		return DIST_SAME;
	if (x->physical == y->physical)
		return DIST_SMT;
	if (x->cache_group == y->cache_group)
		return DIST_CACHE;
	return x->package == y->package ? DIST_PACKAGE : DIST_REMOTE;
}

uint64_t platform_migrate_ns(const struct platform *p, uint32_t from, uint32_t to)
{
	if (p->migrate_matrix_ns)
		return p->migrate_matrix_ns[(size_t)from * p->n_cores + to];
	return from == to ? 0 : p->migrate_ns[platform_distance(p, from, to)];
}

const char *platform_fp_name(enum platform_fp operation)
{
	return fp_words[operation];
}

const char *platform_fp_type_name(enum platform_fp_type type)
{
	return fp_types[type];
}

const char *platform_distance_name(enum platform_distance distance)
{
	return distances[distance];
}

/* ---- the document ---- */

const char *const *platform_builtin_names(void)
{
	return builtin_names;
}

int platform_find(struct platform *p, const char *name, struct err *err)
{
	size_t len = strlen(name);

	if (strchr(name, '/') || (len > 5 && !strcmp(name + len - 5, ".yaml")))
		return platform_load(p, name, err);
	for (size_t i = 0; builtin_names[i]; i++)
		if (!strcmp(builtin_names[i], name))
			return platform_parse(p, builtin_texts[i], strlen(builtin_texts[i]), name, err);
	memset(p, 0, sizeof(*p));
	err_set(err, -ENOENT, "no platform is called '%.80s'", name);
	for (size_t i = 0; builtin_names[i]; i++)
		err_advise(err, "built in: %s", builtin_names[i]);
	err_advise(err,
		   "a file is given by a path or a name that ends in .yaml; perseus calibrate writes one");
	return -ENOENT;
}

int platform_load(struct platform *p, const char *path, struct err *err)
{
	return document_load(&document, p, path, err);
}

int platform_parse(struct platform *p, const char *text, size_t len, const char *name, struct err *err)
{
	return document_parse(&document, p, text, len, name, err);
}

int platform_save(const struct platform *p, const char *path, struct err *err)
{
	return document_save(&document, p, path, err);
}

void platform_text(const struct platform *p, struct strbuf *out)
{
	document_text(&document, p, out);
}

void platform_hash(const struct platform *p, char *hex)
{
	document_hash(&document, p, hex);
}

void platform_release(struct platform *p)
{
	document_release(&document, p);
}

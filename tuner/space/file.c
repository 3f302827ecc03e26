/* SPDX-License-Identifier: MIT */
/* The document `tunables`, and what is wrong with one. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/fs.h"
#include "lib/mem.h"
#include "lib/num.h"
#include "tuner/space/expr.h"
#include "tuner/space/order.h"
#include "tuner/space/space.h"
#include "yaml/tables.h"

#define VERSION 1
#define SAMPLES 100000 /* of a space that is too large to be counted */

static const char *const kinds[] = {"integer", "power", "list", "order", NULL};
#define RANGE .when = offsetof(struct tunable, kind), .when_mask = 1u << TUNABLE_INTEGER | 1u << TUNABLE_POWER
#define STEPS .when = offsetof(struct tunable, kind), .when_mask = 1u << TUNABLE_INTEGER
#define WORDS .when = offsetof(struct tunable, kind), .when_mask = 1u << TUNABLE_LIST | 1u << TUNABLE_ORDER

static const struct schema_field tunable_fields[] = {
	F_STRING(struct tunable, name),
	F_ENUM(struct tunable, kind, kinds),
	F_U64(struct tunable, low, .max = (uint64_t)1 << 53, RANGE),
	F_U64(struct tunable, high, .max = (uint64_t)1 << 53, RANGE),
	F_U64(struct tunable, step, OPTIONAL, STEPS),
	F_STRINGS(struct tunable, values, .max = SPACE_VALUES, WORDS),
	{.key = "default", .kind = SCHEMA_STRING, .offset = offsetof(struct tunable, initial), OPTIONAL},
	F_STRING(struct tunable, environment, OPTIONAL),
	F_STRING(struct tunable, when, OPTIONAL),
	F_END,
};
static const struct schema tunable_schema = {"a tunable", sizeof(struct tunable), tunable_fields, false};

static const struct schema_field space_fields[] = {
	F_LIST(struct space, tunables, tunable_schema, .max = SPACE_MAX),
	F_STRINGS(struct space, constraints, OPTIONAL),
	F_END,
};
static const struct schema space_schema = {"a space", sizeof(struct space), space_fields, false};

/* Say what is wrong at @key of tunable @j. */
static int file_refuse(const struct doc *d, size_t j, const char *key, struct err *err, const char *what)
{
	char path[64];

	snprintf(path, sizeof(path), "tunables.%zu.%s", j, key);
	return doc_fail(d, doc_at(d, path), err, "%s", what);
}

static int check_name(const struct space *s, size_t j, const struct doc *d, struct err *err)
{
	const char *name = s->tunables[j].name;

	for (const char *p = name; *p; p++)
		if (!(isalpha((unsigned char)*p) || *p == '_' || (p > name && isdigit((unsigned char)*p))))
			return file_refuse(d, j, "name", err,
					   "a name has letters, digits and '_', and no digit first");
	if (!*name)
		return file_refuse(d, j, "name", err, "a name is not empty");
	for (size_t i = 0; i < j; i++)
		if (!strcmp(s->tunables[i].name, name))
			return file_refuse(d, j, "name", err, "two tunables have this name");
	return 0;
}

static int count_range(struct tunable *t, size_t j, const struct doc *d, struct err *err)
{
	uint64_t n = 0;

	if (t->low > t->high)
		return file_refuse(d, j, "low", err, "the range is empty: low is above high");
	if (t->kind == TUNABLE_POWER && !t->low)
		return file_refuse(d, j, "low", err, "powers of two times 0 are 0: low must be at least 1");
	if (t->kind == TUNABLE_POWER)
		for (uint64_t v = t->low; v <= t->high; v *= 2)
			n++;
	else
		n = (t->high - t->low) / (t->step ? t->step : 1) + 1;
	if (n > SPACE_VALUES)
		return file_refuse(d, j, "high", err,
				   "a tunable may have 1,000,000 values: give it a larger step");
	t->n = (uint32_t)n;
	return 0;
}

static int count_words(struct tunable *t, size_t j, const struct doc *d, struct err *err)
{
	char **sorted = mem_new(t->n_values, sizeof(*sorted));
	bool twice = false;
	double number;

	t->words = t->kind == TUNABLE_ORDER;
	for (size_t i = 0; i < t->n_values; i++) {
		sorted[i] = t->values[i];
		t->words |= num_double(t->values[i], -1e300, 1e300, &number) != 0;
	}
	qsort(sorted, t->n_values, sizeof(*sorted), text_order);
	for (size_t i = 1; i < t->n_values; i++)
		twice |= !strcmp(sorted[i - 1], sorted[i]);
	free(sorted);
	if (twice)
		return file_refuse(d, j, "values", err, "a value stands twice");
	if (t->kind == TUNABLE_ORDER && t->n_values > SPACE_ORDER)
		return file_refuse(d, j, "values", err, "an order has 8 words at most");
	for (size_t i = 0; t->kind == TUNABLE_ORDER && i < t->n_values; i++)
		if (strchr(t->values[i], ','))
			return file_refuse(d, j, "values", err, "a word of an order has no comma");
	t->n = t->kind == TUNABLE_ORDER ? order_count((unsigned)t->n_values) : (uint32_t)t->n_values;
	return 0;
}

static int complete_tunable(struct space *s, size_t j, const struct doc *d, struct err *err)
{
	struct tunable *t = &s->tunables[j];
	bool range = t->kind == TUNABLE_INTEGER || t->kind == TUNABLE_POWER;
	char why[200], what[280];
	int64_t at = 0;
	int ret = check_name(s, j, d, err);

	if (!ret)
		ret = range ? count_range(t, j, d, err) : count_words(t, j, d, err);
	if (ret)
		return ret;
	if (t->initial)
		at = tunable_find(t, t->initial);
	if (at < 0)
		return file_refuse(d, j, "default", err, "the default is none of the values");
	t->at = (uint32_t)at;
	if (!t->when)
		return 0;
	t->condition = expr_compile(t->when, s, j, why, sizeof(why));
	snprintf(what, sizeof(what), "the condition is wrong: %s", why);
	return t->condition ? 0 : file_refuse(d, j, "when", err, what);
}

static int complete_constraint(struct space *s, size_t i, const struct doc *d, struct err *err)
{
	char why[200], path[64];

	s->constraint[i] = expr_compile(s->constraints[i], s, s->n_tunables, why, sizeof(why));
	snprintf(path, sizeof(path), "constraints.%zu", i);
	return s->constraint[i] ? 0 : doc_fail(d, doc_at(d, path), err, "the constraint is wrong: %s", why);
}

/* What a look at the settings has found. */
struct survey {
	bool all;               /* all were looked at */
	size_t met;             /* constraints 0 .. met-1 can be met together */
	bool active[SPACE_MAX]; /* in a setting that is allowed */
};

static void survey_look(const struct space *s, struct setting x, struct survey *found)
{
	size_t met = 0;

	while (met < s->n_constraints && expr_true(s->constraint[met], s, &x))
		met++;
	if (met > found->met)
		found->met = met;
	for (size_t j = 0; met == s->n_constraints && j < s->n_tunables; j++)
		found->active[j] |= space_active(s, &x, j);
}

static void survey(const struct space *s, struct survey *found)
{
	double size = space_size(s);
	struct rng rng = rng_keyed(1, 0x737572, 0, 0);

	*found = (struct survey){.all = size <= SPACE_COUNTED};
	survey_look(s, space_default(s), found);
	for (uint64_t k = 0; k < (found->all ? (uint64_t)size : SAMPLES); k++) {
		struct setting x = {{0}};

		if (found->all) {
			x = space_at(s, k);
		} else {
			for (size_t j = 0; j < s->n_tunables; j++)
				x.at[j] = (uint32_t)rng_below(&rng, s->tunables[j].n);
			space_settle(s, &x);
		}
		survey_look(s, x, found);
	}
}

/* A space without settings, a tunable that never counts, a default that is not allowed. */
static int check_settings(const struct space *s, const struct doc *d, struct err *err)
{
	struct setting first = space_default(s);
	struct survey found;
	char path[64], looked[64];

	survey(s, &found);
	snprintf(looked, sizeof(looked), found.all ? "no setting" : "none of %d settings that were tried",
		 SAMPLES);
	snprintf(path, sizeof(path), "constraints.%zu", found.met);
	if (found.met < s->n_constraints)
		return doc_fail(d, doc_at(d, path), err, "the space is empty: %s meets this constraint%s",
				looked, found.met ? " and those before" : "");
	for (size_t i = 0; i < s->n_constraints; i++) {
		snprintf(path, sizeof(path), "constraints.%zu", i);
		if (!expr_true(s->constraint[i], s, &first))
			return doc_fail(d, doc_at(d, path), err,
					"the default setting does not meet this constraint");
	}
	for (size_t j = 0; j < s->n_tunables; j++) {
		snprintf(path, sizeof(path), "tunables.%zu.when", j);
		if (!found.active[j])
			return doc_fail(d, doc_at(d, path), err, "%s meets this condition", looked);
	}
	return 0;
}

static int space_complete(const struct doc *d, void *obj, struct err *err)
{
	struct space *s = obj;
	int ret = 0;

	s->constraint = mem_new(s->n_constraints + 1, sizeof(struct expr *));
	for (size_t j = 0; j < s->n_tunables && !ret; j++)
		ret = complete_tunable(s, j, d, err);
	for (size_t i = 0; i < s->n_constraints && !ret; i++)
		ret = complete_constraint(s, i, d, err);
	return ret ? ret : check_settings(s, d, err);
}

static const struct schema_document document = {"tunables", VERSION, &space_schema, NULL};

int space_parse(struct space *s, const char *text, size_t len, const char *name, struct err *err)
{
	struct doc d;
	int ret = document_parse_keep(&document, s, text, len, name, &d, err);

	if (ret)
		return ret;
	ret = space_complete(&d, s, err);
	doc_release(&d);
	if (ret)
		space_release(s);
	return ret;
}

int space_load(struct space *s, const char *path, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int ret = fs_read(path, DOC_MAX_BYTES, &text, err);

	if (!ret)
		ret = space_parse(s, text.s ? text.s : "", text.len, path, err);
	strbuf_release(&text);
	return ret;
}

void space_release(struct space *s)
{
	for (size_t j = 0; j < s->n_tunables; j++)
		expr_free(s->tunables[j].condition);
	for (size_t i = 0; s->constraint && i < s->n_constraints; i++)
		expr_free(s->constraint[i]);
	free(s->constraint);
	document_release(&document, s);
}

void space_hash(const struct space *s, char *hex)
{
	document_hash(&document, s, hex);
}

/* SPDX-License-Identifier: MIT */
#include "tuner/space/space.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/num.h"
#include "tuner/space/expr.h"
#include "tuner/space/order.h"

#define ATTEMPTS 1000

void space_settle(const struct space *s, struct setting *x)
{
	/* In the order of the file: a condition names only what stands before. */
	for (size_t j = 0; j < s->n_tunables; j++)
		if (!space_active(s, x, j))
			x->at[j] = s->tunables[j].at;
}

bool space_active(const struct space *s, const struct setting *x, size_t j)
{
	const struct expr *when = s->tunables[j].condition;

	return !when || expr_true(when, s, x);
}

bool space_allowed(const struct space *s, const struct setting *x)
{
	for (size_t i = 0; i < s->n_constraints; i++)
		if (!expr_true(s->constraint[i], s, x))
			return false;
	return true;
}

struct setting space_default(const struct space *s)
{
	struct setting x = {{0}};

	for (size_t j = 0; j < s->n_tunables; j++)
		x.at[j] = s->tunables[j].at;
	space_settle(s, &x);
	return x;
}

bool space_equal(const struct space *s, const struct setting *a, const struct setting *b)
{
	return !memcmp(a->at, b->at, s->n_tunables * sizeof(a->at[0]));
}

double space_size(const struct space *s)
{
	double n = 1;

	for (size_t j = 0; j < s->n_tunables; j++)
		n *= s->tunables[j].n;
	return n;
}

struct setting space_at(const struct space *s, uint64_t k)
{
	struct setting x = {{0}};

	for (size_t j = 0; j < s->n_tunables; j++) {
		x.at[j] = (uint32_t)(k % s->tunables[j].n);
		k /= s->tunables[j].n;
	}
	space_settle(s, &x);
	return x;
}

bool space_random(const struct space *s, struct rng *rng, struct setting *x)
{
	for (int i = 0; i < ATTEMPTS; i++) {
		memset(x, 0, sizeof(*x));
		for (size_t j = 0; j < s->n_tunables; j++)
			x->at[j] = (uint32_t)rng_below(rng, s->tunables[j].n);
		space_settle(s, x);
		if (space_allowed(s, x))
			return true;
	}
	return false;
}

static uint64_t range_value(const struct tunable *t, uint32_t at)
{
	return t->kind == TUNABLE_POWER ? t->low << at : t->low + at * (t->step ? t->step : 1);
}

void space_value(const struct space *s, const struct setting *x, size_t j, struct strbuf *out)
{
	const struct tunable *t = &s->tunables[j];
	uint8_t place[SPACE_ORDER];

	switch (t->kind) {
	case TUNABLE_INTEGER:
	case TUNABLE_POWER:
		strbuf_printf(out, "%" PRIu64, range_value(t, x->at[j]));
		break;
	case TUNABLE_LIST:
		strbuf_puts(out, t->values[x->at[j]]);
		break;
	case TUNABLE_ORDER:
		order_decode(x->at[j], (unsigned)t->n_values, place);
		for (size_t i = 0; i < t->n_values; i++)
			strbuf_printf(out, "%s%s", i ? "," : "", t->values[place[i]]);
		break;
	}
}

double space_number(const struct space *s, const struct setting *x, size_t j)
{
	const struct tunable *t = &s->tunables[j];
	double n;

	if (t->kind == TUNABLE_INTEGER || t->kind == TUNABLE_POWER)
		return (double)range_value(t, x->at[j]);
	if (t->kind == TUNABLE_LIST && !num_double(t->values[x->at[j]], -HUGE_VAL, HUGE_VAL, &n))
		return n;
	return NAN;
}

void space_words(const struct space *s, const struct setting *x, struct strbuf *out)
{
	bool more = false;

	for (size_t j = 0; j < s->n_tunables; j++) {
		if (!space_active(s, x, j))
			continue;
		strbuf_printf(out, "%s%s=", more ? " " : "", s->tunables[j].name);
		space_value(s, x, j, out);
		more = true;
	}
}

static int64_t order_find(const struct tunable *t, const char *text)
{
	uint8_t place[SPACE_ORDER];
	bool seen[SPACE_ORDER] = {false};

	for (size_t i = 0; i < t->n_values; i++) {
		size_t len = strcspn(text, ","), k = 0;

		while (k < t->n_values &&
		       (seen[k] || strlen(t->values[k]) != len || strncmp(t->values[k], text, len)))
			k++;
		if (k == t->n_values || (text[len] == ',') != (i + 1 < t->n_values))
			return -1;
		seen[k] = true;
		place[i] = (uint8_t)k;
		text += len + (text[len] == ',');
	}
	return order_encode(place, (unsigned)t->n_values);
}

int64_t tunable_find(const struct tunable *t, const char *text)
{
	uint64_t n;

	if (t->kind == TUNABLE_ORDER)
		return order_find(t, text);
	for (size_t i = 0; t->kind == TUNABLE_LIST && i < t->n_values; i++)
		if (!strcmp(t->values[i], text))
			return (int64_t)i;
	if (t->kind == TUNABLE_LIST || num_u64(text, t->low, t->high, &n))
		return -1;
	for (uint32_t i = 0; t->kind == TUNABLE_POWER && i < t->n; i++)
		if (range_value(t, i) == n)
			return i;
	if (t->kind == TUNABLE_POWER || (n - t->low) % (t->step ? t->step : 1))
		return -1;
	return (int64_t)((n - t->low) / (t->step ? t->step : 1));
}

double space_apart(const struct space *s, const struct setting *a, const struct setting *b, size_t j)
{
	const struct tunable *t = &s->tunables[j];
	double d;

	if (a->at[j] == b->at[j])
		return 0;
	if (t->kind == TUNABLE_ORDER)
		return order_apart(a->at[j], b->at[j], (unsigned)t->n_values);
	if (t->words)
		return 1;
	d = ((double)a->at[j] - (double)b->at[j]) / (t->n - 1);
	return d * d;
}

static bool order_step(const struct tunable *t, uint32_t *at, int64_t by, struct rng *rng)
{
	uint8_t place[SPACE_ORDER];
	uint32_t before = *at;

	order_decode(*at, (unsigned)t->n_values, place);
	for (int64_t i = 0; i < (by < 0 ? -by : by) && i < SPACE_ORDER; i++) {
		size_t a = rng_below(rng, t->n_values), b = rng_below(rng, t->n_values);
		uint8_t keep = place[a];

		place[a] = place[b];
		place[b] = keep;
	}
	*at = order_encode(place, (unsigned)t->n_values);
	return *at != before;
}

bool space_step(const struct space *s, struct setting *x, size_t j, int64_t by, struct rng *rng)
{
	const struct tunable *t = &s->tunables[j];
	int64_t to = (int64_t)x->at[j] + by;

	if (t->n < 2 || !by)
		return false;
	if (t->kind == TUNABLE_ORDER)
		return order_step(t, &x->at[j], by, rng);
	if (t->words)
		to = (int64_t)((x->at[j] + 1 + rng_below(rng, t->n - 1)) % t->n);
	if (to < 0 || to >= t->n)
		return false;
	x->at[j] = (uint32_t)to;
	return true;
}

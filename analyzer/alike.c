/* SPDX-License-Identifier: MIT */
#include "analyzer/alike.h"

#include <string.h>

#include "lib/mem.h"

struct alike {
	const struct phase_classes *classes;
	const struct intervals *iv; /* of the first timing run */
	uint32_t *same;
	double floor;
};

static double largest_of(const struct phase_class *c)
{
	double most = 0;

	for (size_t i = 0; i < c->n_parts; i++)
		most = c->parts[i].cycles > most ? c->parts[i].cycles : most;
	return most;
}

static double work_in(const struct phase_class *c, uint32_t instance)
{
	for (size_t i = 0; i < c->n_parts; i++)
		if (c->parts[i].instance == instance)
			return c->parts[i].cycles;
	return 0;
}

/*
 * Who makes the threads works for it in the first turn, and in no other: a thread that does next to
 * nothing in class @b may have done so much in @a, of the most that any does.
 */
#define CREATORS_SHARE 0.2

static bool as_much(const struct alike *x, double a, double b, double most)
{
	return same_work(a, b, most, x->floor) ||
	       (same_work(0, b, most, x->floor) && a <= CREATORS_SHARE * most);
}

/* The same threads work as much in @b as in @a, which comes first. */
static bool same_parts(const struct alike *x, const struct phase_class *a, const struct phase_class *b)
{
	double most_a = largest_of(a), most_b = largest_of(b), most = most_a > most_b ? most_a : most_b;

	if (most_a <= x->floor || most_b <= x->floor)
		return false;
	for (size_t i = 0; i < a->n_parts; i++)
		if (!as_much(x, a->parts[i].cycles, work_in(b, a->parts[i].instance), most))
			return false;
	for (size_t i = 0; i < b->n_parts; i++)
		if (!as_much(x, work_in(a, b->parts[i].instance), b->parts[i].cycles, most))
			return false;
	return true;
}

/* The call behind which all intervals of the class end, by its key; NULL: it is not one, or not known. */
static const char *closer_of(const struct alike *x, uint32_t class)
{
	const char *key = NULL;

	for (size_t i = 0; i + 1 < x->iv->n; i++) {
		const struct interval *next = &x->iv->at[i + 1];

		if (x->classes->of_first[i] != class)
			continue;
		if (!next->opener || (key && strcmp(key, next->key)))
			return NULL;
		key = next->key;
	}
	return key;
}

/* No interval of another class ends there: the code before that call is the same. */
static bool closes_no_other(const struct alike *x, const char *closer, uint32_t a, uint32_t b)
{
	for (size_t i = 0; i + 1 < x->iv->n; i++) {
		uint32_t k = x->classes->of_first[i];

		if (x->same[k] != x->same[a] && k != b && !strcmp(x->iv->at[i + 1].key, closer))
			return false;
	}
	return true;
}

static size_t first_at(const struct alike *x, uint32_t class)
{
	size_t i = 0;

	while (i < x->iv->n && x->classes->of_first[i] != class)
		i++;
	return i;
}

/*
 * From @at on, where class @a is, to the last barrier the classes come again every @period
 * intervals, with @b in the place of @a.  Had @a been something else before the loop, the
 * last turn would lack an interval.
 */
static bool whole_turns(const struct alike *x, size_t at, size_t period, uint32_t b)
{
	size_t end = x->iv->n;

	while (end > at && x->iv->at[end - 1].kind != BOUND_BARRIER)
		end--;
	if (end < at + 2 * period || (end - at) % period)
		return false;
	for (size_t i = at + period; i < end; i++)
		if (x->classes->of_first[i] != (i == at + period ? b : x->classes->of_first[i - period]))
			return false;
	return true;
}

/* Class @b, which comes first later than @a, is @a again: what follows on both is the same, and others lie between. */
static bool is_again(const struct alike *x, uint32_t a, uint32_t b)
{
	const struct phase_class *p = &x->classes->at[a], *q = &x->classes->at[b];
	size_t at = first_at(x, a), period = first_at(x, b) - at;
	const char *closer;

	/* Of one opening: phases_fold() has found them different. */
	if (!strcmp(p->key, q->key) || period < 2 || !same_parts(x, p, q))
		return false;
	closer = closer_of(x, a);
	if (!closer || !closer_of(x, b) || strcmp(closer, closer_of(x, b)))
		return false;
	return closes_no_other(x, closer, a, b) || whole_turns(x, at, period, b);
}

uint32_t *classes_alike(const struct phase_classes *classes, const struct intervals *first)
{
	struct alike x = {.classes = classes, .iv = first, .floor = work_floor(first->khz)};

	x.same = mem_new(classes->n + 1, sizeof(*x.same));
	for (uint32_t b = 0; b < classes->n; b++) {
		x.same[b] = b;
		for (uint32_t a = 0; a < b && x.same[b] == b; a++)
			if (is_again(&x, a, b))
				x.same[b] = x.same[a];
	}
	return x.same;
}

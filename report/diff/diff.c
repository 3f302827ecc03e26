/* SPDX-License-Identifier: MIT */
/* Two sides that can be compared. */
#include "report/diff/diff.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/diff/parts.h"

static int check_recordings(const struct diff_side *s, bool sharing, struct err *err)
{
	for (size_t i = 0; i < s->recordings.n; i++) {
		const struct diff_recording *r = &s->recordings.at[i];

		if (r->incomplete)
			return err_set(err, -ENODATA,
				       "'%s' is incomplete: %s\n  its times and numbers are those of a part; "
				       "record it again",
				       r->name, r->incomplete);
		if (r->sharing != sharing)
			return err_set(
				err, -EDOM,
				"'%s' is a %s run, and the first one is a %s run\n  both sides must be "
				"recorded for the same purpose",
				r->name, r->sharing ? "sharing" : "timing", sharing ? "sharing" : "timing");
		if (!r->sharing && !r->rows.n)
			return err_set(err, -ENODATA, "'%s' has no function in it", r->name);
	}
	return 0;
}

/*
 * Functions that both sides have, as a part of those that the smaller one has: of the programs' own, since
 * libraries and `main` are everybody's.
 */
static double common(const struct diff *d)
{
	size_t split = d->base->recordings.n, base = 0, new = 0, both = 0;

	for (size_t i = 0; i < d->rows.n; i++) {
		bool in_base = false, in_new = false;

		if (d->rows.at[i].kind != DIFF_FUNCTION || !strcmp(d->rows.at[i].name, "main"))
			continue;
		for (size_t k = 0; k < diff_recordings(d); k++)
			*(k < split ? &in_base : &in_new) |=
				d->rows.at[i].at[k] && !d->rows.at[i].at[k]->outside;
		base += in_base;
		new += in_new;
		both += in_base && in_new;
	}
	base = base < new ? base : new;
	return base ? (double)both / (double)base : 1;
}

/* Programs may be called differently, and names stay while much changes; not both. */
static int check_program(const struct diff *d, struct err *err)
{
	const struct diff_recording *a = &d->base->recordings.at[0], *b = &d->new->recordings.at[0];

	if (!a->program || !b->program || !strcmp(a->program, b->program) || d->sharing || common(d) >= 0.5)
		return 0;
	return err_set(
		err, -EINVAL,
		"'%s' is a run of %s and '%s' of %s, which have few functions in common\n  a diff is of "
		"two builds of one program",
		a->name, a->program, b->name, b->program);
}

static bool all_priced(const struct diff_side *s)
{
	for (size_t k = 0; k < s->recordings.n; k++)
		for (size_t i = 0; i < s->recordings.at[k].rows.n; i++)
			if (!s->recordings.at[k].rows.at[i].priced)
				return false;
	return true;
}

/* Prices are compared with prices only: else the transfers are. */
static void drop_prices(const struct diff_side *s)
{
	for (size_t k = 0; k < s->recordings.n; k++)
		for (size_t i = 0; i < s->recordings.at[k].rows.n; i++) {
			struct diff_entry *e = &s->recordings.at[k].rows.at[i];

			e->value = e->calls;
			e->sd = DIFF_TRANSFERS * e->value;
		}
}

int diff_make(struct diff *d, const struct diff_side *base, const struct diff_side *new, double noise,
	      struct err *err)
{
	int ret;

	*d = (struct diff){.base = base, .new = new, .noise = noise};
	d->sharing = base->recordings.at[0].sharing;
	ret = check_recordings(base, d->sharing, err);
	if (!ret)
		ret = check_recordings(new, d->sharing, err);
	if (ret)
		return ret;
	d->priced = d->sharing && all_priced(base) && all_priced(new);
	if (d->sharing && !d->priced) {
		drop_prices(base);
		drop_prices(new);
	}
	diff_match(d);
	ret = check_program(d, err);
	if (ret)
		diff_release(d);
	else
		diff_judge(d);
	return ret;
}

void diff_release(struct diff *d)
{
	for (size_t i = 0; i < d->rows.n; i++)
		free(d->rows.at[i].at);
	vec_release(&d->rows);
}

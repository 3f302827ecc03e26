/* SPDX-License-Identifier: MIT */
/* energy.yaml against a table of other programs. */
#include <errno.h>
#include <string.h>

#include "analyzer/energy/errors.h"
#include "analyzer/energy/estimate.h"
#include "analyzer/energy/train.h"
#include "lib/strbuf.h"

/* The used events of @e in the columns of @t, by their names. */
static int find_events(const struct energy *e, const struct energy_table *t, size_t *at, struct err *err)
{
	size_t n = 0;

	for (size_t i = 0; i < e->n_events; i++) {
		size_t j = 0;

		if (!e->events[i].used)
			continue;
		while (j < t->events.n && strcmp(t->events.at[j], e->events[i].name))
			j++;
		if (j == t->events.n)
			return err_set(err, -EINVAL,
				       "'%s' has no column of the event %s, which the model needs\n"
				       "  fit again with --events= those that both have",
				       t->path, e->events[i].name);
		at[n++] = j;
	}
	return 0;
}

static void judge(struct energy_check *out, const struct energy_row *row, const struct energy_estimate *got)
{
	bool holds = got->low <= row->watts && row->watts <= got->high;

	out->rows++;
	out->extrapolated += got->extrapolated;
	out->held += holds || got->extrapolated;
	out->within += holds && !got->extrapolated;
	if (!got->extrapolated)
		return;
	if (got->other_frequency)
		out->by_frequency++;
	else if (got->term != SIZE_MAX)
		out->by_term[got->term]++;
	else
		out->by_distance++;
}

int energy_check_table(struct energy_check *out, const struct energy *e, const char *path,
		       const struct energy_columns *columns, struct err *err)
{
	struct energy_errors all = {0}, inside = {0};
	size_t at[ENERGY_MAX_EVENTS], used = energy_used(e);
	struct energy_table t;
	struct energy_row row;
	double watts = 0;
	int ret = energy_table_open(&t, path, columns, err);

	memset(out, 0, sizeof(*out));
	if (ret)
		return ret;
	ret = find_events(e, &t, at, err);
	if (!ret && (t.has[ENERGY_SECONDS] ? "second" : "row")[0] != e->per[0])
		ret = err_set(err, -EINVAL, "'%s' counts by the %s, the model by the %s", path,
			      t.has[ENERGY_SECONDS] ? "second" : "row", e->per);
	while (!ret && (ret = energy_table_next(&t, &row, err)) > 0) {
		double x[ENERGY_MAX_EVENTS];
		struct energy_estimate got;

		ret = 0;
		memcpy(x, row.x, sizeof(x));
		for (size_t i = 0; i < used; i++)
			row.x[i] = x[at[i]];
		got = energy_estimate_row(e, &row);
		if (got.untested) {
			ret = err_set(
				err, -ENODATA,
				"the model has no interval: it was not tested on three programs that took no "
				"part\n  fit it to rows of more programs");
			break;
		}
		judge(out, &row, &got);
		watts += row.watts;
		energy_errors_add(&all, &row, got.watts);
		if (!got.extrapolated)
			energy_errors_add(&inside, &row, got.watts);
	}
	if (!ret && !out->rows)
		ret = err_set(err, -ENODATA, "'%s' has names and no rows", path);
	if (!ret && !columns->power_unit)
		ret = energy_table_doubt_unit(&t, watts / (double)out->rows, err);
	if (!ret) {
		out->all = energy_errors_result(&all, "given", 1, &t.programs);
		out->inside = energy_errors_result(&inside, "given", 1, &t.programs);
	}
	energy_errors_release(&all);
	energy_errors_release(&inside);
	energy_table_close(&t);
	return ret;
}

void energy_check_release(struct energy_check *c)
{
	free(c->all.by);
	free(c->all.worst_program);
	free(c->inside.by);
	free(c->inside.worst_program);
	memset(c, 0, sizeof(*c));
}

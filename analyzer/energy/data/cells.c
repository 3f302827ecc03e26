/* SPDX-License-Identifier: MIT */
#include "analyzer/energy/data/cells.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FREQUENCIES 64
#define MAX_BYTES       (UINT64_C(128) << 20) /* of all sums */

/* Mean, spread and range of terms, added to row by row (Welford). */
struct moments {
	uint64_t n;
	double mean[ENERGY_MAX_TERMS + 1], m2[ENERGY_MAX_TERMS + 1];
	double low[ENERGY_MAX_TERMS + 1], high[ENERGY_MAX_TERMS + 1];
};

static void moments_add(struct moments *m, const double *z, size_t terms, double watts)
{
	m->n++;
	for (size_t i = 0; i <= terms; i++) {
		double x = i < terms ? z[i] : watts, d = x - m->mean[i];

		m->mean[i] += d / (double)m->n;
		m->m2[i] += d * (x - m->mean[i]);
		if (m->n == 1 || x < m->low[i])
			m->low[i] = x;
		if (m->n == 1 || x > m->high[i])
			m->high[i] = x;
	}
}

static struct energy_scaling scaling_of(const struct moments *m, size_t terms)
{
	struct energy_scaling s = {.n = terms};

	for (size_t i = 0; i <= terms; i++) {
		double sd = m->n ? sqrt(m->m2[i] / (double)m->n) : 0;

		s.shift[i] = m->mean[i];
		s.scale[i] = sd > 0 ? sd : 1;
	}
	return s;
}

static bool is_cell(const struct energy_cell *cell, const struct energy_row *row)
{
	return cell->program == row->program && cell->mhz == row->mhz && cell->cores == row->cores;
}

size_t energy_cells_find(const struct energy_cells *c, const struct energy_row *row)
{
	size_t i = 0;

	while (i < c->cell.n && !is_cell(&c->cell.at[i], row))
		i++;
	return i;
}

size_t energy_frequency_find(const struct energy_cells *c, double mhz)
{
	size_t i = 0;

	while (i < c->frequency.n && c->frequency.at[i].mhz != mhz)
		i++;
	return i;
}

/* What the first reading finds. */
struct first {
	struct moments *plain; /* by frequency */
	struct moments scaled;
	size_t last; /* cell of the row before */
	uint32_t last_run;
	double last_mhz;
};

static int add_frequency(struct energy_cells *c, struct first *f, const struct energy_table *t,
			 const struct energy_row *row, size_t *at, struct err *err)
{
	struct energy_frequency *new;

	*at = energy_frequency_find(c, row->mhz);
	if (*at < c->frequency.n)
		return 0;
	if (*at == MAX_FREQUENCIES)
		return err_set(err, -E2BIG,
			       "'%s', line %llu: more than %d different frequencies\n"
			       "  a measured frequency is no step: round it",
			       t->path, (unsigned long long)row->line, MAX_FREQUENCIES);
	new = vec_add(&c->frequency);
	new->mhz = row->mhz;
	f->plain = mem_resize(f->plain, c->frequency.n, sizeof(*f->plain));
	memset(&f->plain[*at], 0, sizeof(*f->plain));
	return 0;
}

static int add_cell(struct energy_cells *c, struct first *f, const struct energy_table *t,
		    const struct energy_row *row, struct err *err)
{
	struct energy_cell *cell = f->last < c->cell.n ? &c->cell.at[f->last] : NULL;
	bool same = cell && is_cell(cell, row);
	uint64_t bytes = 2 * (c->events + 3) * (c->events + 3) * sizeof(double);

	if (!same) {
		f->last = energy_cells_find(c, row);
		if (f->last == c->cell.n && (c->cell.n + 1) * bytes > MAX_BYTES)
			return err_set(
				err, -E2BIG,
				"'%s', line %llu: more than %zu different programs, frequencies and cores",
				t->path, (unsigned long long)row->line, c->cell.n);
		cell = f->last == c->cell.n ? vec_add(&c->cell) : &c->cell.at[f->last];
		cell->program = row->program;
		cell->mhz = row->mhz;
		cell->cores = row->cores;
	}
	cell->rows++;
	cell->runs += !same || row->run != f->last_run;
	cell->seconds += row->seconds;
	cell->enabled += row->enabled;
	cell->running += row->running;
	for (size_t i = 0; i < c->events; i++)
		cell->count[i] += row->x[i] * row->seconds;
	f->last_run = row->run;
	return 0;
}

static int read_first(struct energy_cells *c, struct first *f, struct energy_table *t, struct err *err)
{
	struct energy_row row;
	double z[ENERGY_MAX_TERMS];
	size_t at;
	int ret;

	while ((ret = energy_table_next(t, &row, err)) > 0) {
		ret = add_frequency(c, f, t, &row, &at, err);
		if (!ret)
			ret = add_cell(c, f, t, &row, err);
		if (ret)
			return ret;
		c->rows++;
		moments_add(&f->plain[at], row.x, c->events, row.watts);
		if (!t->has[ENERGY_VOLT] || !t->has[ENERGY_MHZ])
			continue;
		energy_design_row(ENERGY_SCALED, &row, c->events, z);
		moments_add(&f->scaled, z, c->events + 2, row.watts);
	}
	return ret;
}

static double mean_watts(const struct energy_table *t, const struct first *f, size_t n)
{
	double sum = 0, rows = 0;

	for (size_t i = 0; i < n; i++) {
		sum += f->plain[i].mean[t->events.n] * (double)f->plain[i].n;
		rows += (double)f->plain[i].n;
	}
	return sum / rows;
}

static int by_mhz(const void *a, const void *b)
{
	const struct energy_frequency *x = a, *y = b;

	return (x->mhz > y->mhz) - (x->mhz < y->mhz);
}

/* From what the first reading found: scalings, ranges, and room for the sums. */
static void prepare(struct energy_cells *c, const struct first *f, const struct energy_table *t)
{
	for (size_t i = 0; i < c->frequency.n; i++) {
		c->frequency.at[i].scaling = scaling_of(&f->plain[i], c->events);
		memcpy(c->frequency.at[i].low, f->plain[i].low, c->events * sizeof(double));
		memcpy(c->frequency.at[i].high, f->plain[i].high, c->events * sizeof(double));
	}
	c->can_scale = t->has[ENERGY_VOLT] && t->has[ENERGY_MHZ] && c->frequency.n > 1;
	c->scaling = scaling_of(&f->scaled, c->events + 2);
	memcpy(c->low, f->scaled.low, sizeof(c->low));
	memcpy(c->high, f->scaled.high, sizeof(c->high));
	qsort(c->frequency.at, c->frequency.n, sizeof(*c->frequency.at), by_mhz);
	for (size_t i = 0; i < c->cell.n; i++) {
		c->cell.at[i].plain = energy_gram_new(c->events);
		if (c->can_scale)
			c->cell.at[i].scaled = energy_gram_new(c->events + 2);
	}
}

static int read_second(struct energy_cells *c, struct energy_table *t, struct err *err)
{
	struct energy_row row;
	double z[ENERGY_MAX_TERMS];
	size_t at = SIZE_MAX, step = 0;
	uint64_t rows = 0;
	int ret = energy_table_rewind(t, err);

	while (!ret && (ret = energy_table_next(t, &row, err)) > 0) {
		ret = 0;
		if (at >= c->cell.n || !is_cell(&c->cell.at[at], &row)) {
			at = energy_cells_find(c, &row);
			step = energy_frequency_find(c, row.mhz);
		}
		if (at == c->cell.n || step == c->frequency.n || ++rows > c->rows)
			return err_set(err, -EINVAL, "'%s' changes while it is read", t->path);
		energy_gram_add(&c->cell.at[at].plain, &c->frequency.at[step].scaling, row.x, row.watts, 1);
		if (!c->can_scale)
			continue;
		energy_design_row(ENERGY_SCALED, &row, c->events, z);
		energy_gram_add(&c->cell.at[at].scaled, &c->scaling, z, row.watts, 1);
	}
	if (!ret && rows != c->rows)
		return err_set(err, -EINVAL, "'%s' changes while it is read", t->path);
	return ret;
}

int energy_cells_read(struct energy_cells *c, struct energy_table *t, bool unit_given, struct err *err)
{
	struct first f = {.last = SIZE_MAX};
	int ret;

	memset(c, 0, sizeof(*c));
	c->events = t->events.n;
	ret = read_first(c, &f, t, err);
	if (!ret && !c->rows)
		ret = err_set(err, -ENODATA, "'%s' has names and no rows", t->path);
	if (!ret)
		ret = unit_given ? 0 : energy_table_doubt_unit(t, mean_watts(t, &f, c->frequency.n), err);
	if (!ret) {
		prepare(c, &f, t);
		ret = read_second(c, t, err);
	}
	free(f.plain);
	if (ret)
		energy_cells_release(c);
	return ret;
}

void energy_cells_release(struct energy_cells *c)
{
	for (size_t i = 0; i < c->cell.n; i++) {
		energy_gram_release(&c->cell.at[i].plain);
		energy_gram_release(&c->cell.at[i].scaled);
	}
	vec_release(&c->cell);
	vec_release(&c->frequency);
	memset(c, 0, sizeof(*c));
}

/* SPDX-License-Identifier: MIT */
/*
 * Three readings: ranges and cells, sums, errors.  Between the second and the third
 * all models are made: of all rows, and without each group of each grouping.
 */
#include "analyzer/energy/train.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/energy/certificate.h"
#include "analyzer/energy/errors.h"
#include "analyzer/energy/estimate.h"
#include "analyzer/energy/robust.h"
#include "lib/fs.h"
#include "lib/hash.h"
#include "lib/strbuf.h"

/* Of the rows that took no part, the part that is nearer to the others than what is an extrapolation. */
#define NEAR 0.9

/* A model in the making. */
struct making {
	struct energy_slice slice;
	struct energy_model *model;
	struct energy_weights all;                     /* over all events */
	struct energy_weights *fold[ENERGY_GROUPINGS]; /* by group */
	struct energy_model *region;                   /* by program left out: where the others are */
	struct energy_errors error[ENERGY_GROUPINGS];
	struct energy_histogram distance;
	double off; /* sum over the rows of the fit */
};

struct training {
	const struct energy_options *o;
	struct energy *doc;
	struct energy_table table;
	struct energy_cells cells;
	struct energy_groups groups[ENERGY_GROUPINGS];
	struct energy_plan plan;
	struct energy_kept kept; /* of robust fits */
	struct making *making;
};

/* Is that more than one group, so that something is left to fit? */
static bool is_tested(const struct energy_groups *g)
{
	return g->n >= (g->by == ENERGY_BY_GIVEN ? 1u : 2u);
}

/* Where no column says so, the part of a name before the first '_' is the family, if that groups them at all. */
static void guess_families(struct energy_table *t)
{
	size_t families = 0;

	if (t->has[ENERGY_FAMILY])
		return;
	for (size_t i = 0; i < t->programs.n; i++) {
		const char *name = t->programs.at[i];
		size_t j = 0;

		free(t->families.at[i]);
		t->families.at[i] = mem_strndup(name, strcspn(name, "_"));
		while (j < i && strcmp(t->families.at[i], t->families.at[j]))
			j++;
		families += j == i;
	}
	if (3 * families <= 2 * t->programs.n)
		return;
	for (size_t i = 0; i < t->programs.n; i++) {
		free(t->families.at[i]);
		t->families.at[i] = NULL;
	}
}

/* The events that models may have, of the terms of @slice. */
static uint64_t terms_of(const struct training *t, const struct energy_slice *slice)
{
	uint64_t use = t->plan.use;

	return slice->design == ENERGY_SCALED ? use | UINT64_C(3) << t->cells.events : use;
}

static void pick_ranges(const struct training *t, const struct energy_slice *slice, double *low, double *high)
{
	const struct energy_frequency *f = &t->cells.frequency.at[0];
	const double *from_low = t->cells.low, *from_high = t->cells.high;
	size_t n = 0, terms = energy_terms(slice->design, t->cells.events);
	uint64_t use = terms_of(t, slice);

	if (slice->design == ENERGY_PLAIN) {
		f += energy_frequency_find(&t->cells, slice->mhz);
		from_low = f->low;
		from_high = f->high;
	}
	for (size_t i = 0; i < terms; i++)
		if (use >> i & 1) {
			low[n] = from_low[i];
			high[n++] = from_high[i];
		}
}

/* Where the rows of @slice but those of a @group are. */
static void set_region(const struct training *t, const struct energy_slice *slice,
		       const struct energy_groups *g, uint32_t group, struct energy_model *model)
{
	struct energy_normal *normal = mem_new(2, sizeof(*normal));
	double low[ENERGY_MAX_TERMS], high[ENERGY_MAX_TERMS];

	energy_slice_normal(&t->cells, slice, g, group, &normal[0]);
	energy_normal_pick(&normal[0], terms_of(t, slice), &normal[1]);
	pick_ranges(t, slice, low, high);
	energy_region_set(model, &normal[1], low, high);
	free(normal);
}

static int name_slice(const struct energy_slice *slice, struct err *err)
{
	return slice->design == ENERGY_PLAIN ? err_prefix(err, "%g MHz", slice->mhz)
					     : err_prefix(err, "all frequencies");
}

/* Fit the rows of @slice outside of group @without of @g (NULL: of all), whose normal form is @normal. */
static int train_fit(const struct training *t, const struct energy_slice *slice,
		     const struct energy_groups *g, uint32_t without, const struct energy_normal *normal,
		     struct energy_weights *w, struct err *err)
{
	uint64_t set;

	if (t->plan.method == ENERGY_ROBUST)
		return energy_kept_fit(&t->kept, &t->cells, slice, g, without, terms_of(t, slice), w, err);
	return energy_plan_fit(&t->plan, slice, normal, w, &set, err);
}

/* The models without each group.  A group that is all there is of a frequency is not tested at it. */
static int fit_folds(struct training *t, struct making *m, const struct energy_groups *g, struct err *err)
{
	struct energy_normal *normal = mem_new(1, sizeof(*normal));
	int ret = 0;

	m->fold[g->by] = mem_new(g->n, sizeof(*m->fold[0]));
	if (g->by == ENERGY_BY_PROGRAM)
		m->region = mem_new(g->n, sizeof(*m->region));
	for (uint32_t i = 0; i < g->n && !ret; i++) {
		energy_slice_normal(&t->cells, &m->slice, g, i, normal);
		if (normal->rows < 2 * (double)normal->n + 2)
			continue;
		ret = train_fit(t, &m->slice, g, i, normal, &m->fold[g->by][i], err);
		if (g->by == ENERGY_BY_PROGRAM)
			set_region(t, &m->slice, g, i, &m->region[i]);
	}
	free(normal);
	return ret;
}

static int fit_slice(struct training *t, struct making *m, struct err *err)
{
	struct energy_normal *normal = mem_new(1, sizeof(*normal));
	int ret;

	energy_slice_normal(&t->cells, &m->slice, NULL, 0, normal);
	m->model->rows = (uint64_t)normal->rows;
	ret = train_fit(t, &m->slice, NULL, 0, normal, &m->all, err);
	free(normal);
	if (ret)
		return name_slice(&m->slice, err);
	m->model->mhz = m->slice.design == ENERGY_PLAIN ? m->slice.mhz : 0;
	m->model->scaled = m->slice.design == ENERGY_SCALED;
	set_region(t, &m->slice, NULL, 0, m->model);
	for (int by = 0; by < ENERGY_GROUPINGS; by++)
		if (is_tested(&t->groups[by]) && fit_folds(t, m, &t->groups[by], err))
			return name_slice(&m->slice, err);
	return 0;
}

static void test_row(struct training *t, struct making *m, const struct energy_row *row, size_t cell)
{
	double z[ENERGY_MAX_TERMS], picked[ENERGY_MAX_TERMS];
	size_t n = 0;
	uint64_t use = terms_of(t, &m->slice);

	energy_design_row(m->slice.design, row, t->cells.events, z);
	m->off += fabs(energy_estimate(&m->all, z) / row->watts - 1);
	for (int by = 0; by < ENERGY_GROUPINGS; by++) {
		uint32_t group = t->groups[by].of ? t->groups[by].of[cell] : ENERGY_NO_GROUP;
		const struct energy_weights *w;

		if (group == ENERGY_NO_GROUP || !m->fold[by])
			continue;
		w = &m->fold[by][group];
		if (!w->n)
			continue;
		energy_errors_add(&m->error[by], row, energy_estimate(w, z));
		if (by != ENERGY_BY_PROGRAM)
			continue;
		for (size_t i = 0; i < w->n; i++)
			if (use >> i & 1)
				picked[n++] = z[i];
		energy_histogram_add(&m->distance, energy_distance(&m->region[group], picked));
	}
}

static int test(struct training *t, struct err *err)
{
	struct energy_row row;
	size_t cell = 0;
	int ret = energy_table_rewind(&t->table, err);

	while (!ret && (ret = energy_table_next(&t->table, &row, err)) > 0) {
		ret = 0;
		cell = energy_cells_find(&t->cells, &row);
		if (cell == t->cells.cell.n)
			return err_set(err, -EINVAL, "'%s' changes while it is read", t->table.path);
		if (t->cells.cell.at[cell].aside)
			continue;
		for (size_t i = 0; i < t->doc->n_models; i++) {
			struct making *m = &t->making[i];

			if (m->slice.design == ENERGY_SCALED || m->slice.mhz == row.mhz)
				test_row(t, m, &row, cell);
		}
	}
	return ret;
}

/* What the tests say, into the document. */
static void conclude_model(struct training *t, struct making *m)
{
	struct energy_model *model = m->model;
	size_t n = energy_terms(m->slice.design, t->cells.events);
	uint64_t use = terms_of(t, &m->slice);

	model->constant = m->all.constant;
	model->rss = m->all.rss;
	model->weights = mem_new(n, sizeof(double));
	for (size_t i = 0; i < n; i++)
		if (use >> i & 1)
			model->weights[model->n_weights++] = m->all.w[i];
	model->training = model->rows ? m->off / (double)model->rows : 0;
	model->distance = energy_histogram_quantile(&m->distance, NEAR);
	model->errors = mem_new(ENERGY_GROUPINGS, sizeof(*model->errors));
	for (int by = 0; by < ENERGY_GROUPINGS; by++) {
		if (!m->error[by].rows)
			continue;
		if (by != ENERGY_BY_GIVEN)
			model->interval = fmax(model->interval, energy_errors_interval(&m->error[by]));
		model->errors[model->n_errors++] =
			energy_errors_result(&m->error[by], energy_grouping_name((enum energy_grouping)by),
					     t->groups[by].n, &t->table.programs);
	}
}

static int check_enough(const struct training *t, struct err *err)
{
	uint32_t programs = 0;

	for (size_t i = 0; i < t->table.programs.n; i++) {
		size_t j = 0;

		while (j < t->cells.cell.n && (t->cells.cell.at[j].program != i || t->cells.cell.at[j].aside))
			j++;
		programs += j < t->cells.cell.n;
	}
	t->doc->programs = programs;
	if (programs < 2)
		return err_set(
			err, -ENODATA,
			"'%s' has rows of %u program%s: a model cannot be tested on another one\n"
			"  train on several programs; --column=program=NAME names the column that says which",
			t->table.path, programs, programs == 1 ? "" : "s");
	for (size_t i = 0; t->o->test && i < t->o->test->n; i++) {
		size_t j = 0;

		while (j < t->table.programs.n && strcmp(t->table.programs.at[j], t->o->test->at[i]))
			j++;
		if (j == t->table.programs.n)
			return err_set(err, -EINVAL, "'%s' has no program '%s' to test", t->table.path,
				       t->o->test->at[i]);
	}
	if (t->o->test && t->o->test->n >= programs)
		return err_set(err, -EINVAL, "all programs of '%s' are to be tested: none is left to fit",
			       t->table.path);
	if (!t->plan.use)
		return err_set(err, -ENODATA,
			       "'%s': no event is left: all are zero, constant or not additive",
			       t->table.path);
	return 0;
}

static int make_models(struct training *t, struct err *err)
{
	size_t n = t->cells.frequency.n + t->cells.can_scale;
	int ret = 0;

	t->doc->models = mem_new(n, sizeof(*t->doc->models));
	t->making = mem_new(n, sizeof(*t->making));
	t->doc->n_models = n;
	for (size_t i = 0; i < n && !ret; i++) {
		struct making *m = &t->making[i];

		m->model = &t->doc->models[i];
		m->slice = i < t->cells.frequency.n
				   ? (struct energy_slice){ENERGY_PLAIN, t->cells.frequency.at[i].mhz}
				   : (struct energy_slice){ENERGY_SCALED, 0};
		ret = fit_slice(t, m, err);
	}
	return ret;
}

/* The document says of which bytes it is. */
static int hash_of(const char *path, char **out, struct err *err)
{
	FILE *f = fopen(path, "rb");
	char hex[SHA256_HEX], buffer[1 << 16];
	struct sha256 sum;
	int failed;
	size_t n;

	if (!f)
		return err_set(err, -errno, "cannot open '%s': %s", path, strerror(errno));
	sha256_init(&sum);
	while ((n = fread(buffer, 1, sizeof(buffer), f)))
		sha256_add(&sum, buffer, n);
	failed = ferror(f) ? errno : 0;
	fclose(f);
	if (failed)
		return err_set(err, -failed, "cannot read '%s': %s", path, strerror(failed));
	sha256_hex(&sum, hex);
	*out = mem_strdup(hex);
	return 0;
}

static int run(struct training *t, const char *path, struct err *err)
{
	int ret = energy_cells_read(&t->cells, &t->table, t->o->columns.power_unit != NULL, err);

	if (ret)
		return ret;
	guess_families(&t->table);
	t->doc->n_events = t->cells.events;
	t->doc->events = mem_new(t->cells.events, sizeof(*t->doc->events));
	energy_certify(&t->cells, &t->table, t->doc->events);
	t->plan = (struct energy_plan){.method = t->o->method, .largest = t->o->largest};
	for (size_t i = 0; i < t->cells.events; i++)
		t->plan.use |= (uint64_t)t->doc->events[i].used << i;
	ret = check_enough(t, err);
	for (int by = 0; by < ENERGY_GROUPINGS; by++)
		t->groups[by] =
			energy_groups_make(&t->cells, &t->table, (enum energy_grouping)by, t->o->test);
	if (!ret && t->plan.method == ENERGY_ROBUST)
		ret = energy_kept_read(&t->kept, &t->table, &t->cells, err);
	if (!ret)
		ret = make_models(t, err);
	if (!ret)
		ret = test(t, err);
	for (size_t i = 0; i < t->doc->n_models && !ret; i++)
		conclude_model(t, &t->making[i]);
	t->doc->source = mem_strdup(fs_base_name(path));
	if (!ret)
		ret = hash_of(path, &t->doc->source_sha256, err);
	t->doc->columns = mem_strdup(t->table.roles);
	t->doc->method = mem_strdup(energy_methods[t->o->method]);
	t->doc->per = mem_strdup(t->table.has[ENERGY_SECONDS] ? "second" : "row");
	t->doc->rows = t->cells.rows;
	return ret;
}

static void release_making(struct training *t)
{
	for (size_t i = 0; t->making && i < t->doc->n_models; i++) {
		struct making *m = &t->making[i];

		for (int by = 0; by < ENERGY_GROUPINGS; by++) {
			free(m->fold[by]);
			energy_errors_release(&m->error[by]);
		}
		for (uint32_t g = 0; m->region && g < t->groups[ENERGY_BY_PROGRAM].n; g++)
			energy_region_release(&m->region[g]);
		free(m->region);
	}
	free(t->making);
	for (int by = 0; by < ENERGY_GROUPINGS; by++)
		energy_groups_release(&t->groups[by]);
}

int energy_train(struct energy *out, const char *path, const struct energy_options *o, struct err *err)
{
	struct training t = {.o = o, .doc = out};
	int ret;

	memset(out, 0, sizeof(*out));
	ret = energy_table_open(&t.table, path, &o->columns, err);
	if (ret)
		return ret;
	ret = run(&t, path, err);
	release_making(&t);
	energy_kept_release(&t.kept);
	energy_cells_release(&t.cells);
	energy_table_close(&t.table);
	if (ret)
		energy_release(out);
	return ret;
}

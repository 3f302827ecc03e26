/* SPDX-License-Identifier: MIT */
#include "record/power/meter-file.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "lib/mem.h"
#include "lib/num.h"
#include "lib/read/fields.h"
#include "lib/strbuf.h"
#include "lib/vec.h"

/* ---- the option ---- */

static int take_number(const char *key, const char *value, double *to, struct err *err)
{
	if (num_double(value, 1e-9, 1e9, to))
		return err_set(err, -EINVAL, "--meter: %s=%s: expected a number above 0", key, value);
	return 0;
}

static int take_key(struct meter_file_options *o, const char *key, const char *value, struct err *err)
{
	static const char *const units[] = {"W", "mW", "uW"};
	char **text = !strcmp(key, "time")      ? &o->time
		      : !strcmp(key, "power")   ? &o->power
		      : !strcmp(key, "unit")    ? &o->unit
		      : !strcmp(key, "trigger") ? &o->trigger
		      : !strcmp(key, "channel") ? &o->channel
						: NULL;

	if (!strcmp(key, "resistor"))
		return take_number(key, value, &o->resistor, err);
	if (!strcmp(key, "volts"))
		return take_number(key, value, &o->volts, err);
	if (!text || !*value)
		return err_set(
			err, -EINVAL,
			"--meter: '%s=%s': expected FILE and then time, power, unit, trigger, channel, "
			"resistor or volts, each with a value",
			key, value);
	if (text == &o->unit && strcmp(value, units[0]) && strcmp(value, units[1]) && strcmp(value, units[2]))
		return err_set(err, -EINVAL, "--meter: unit=%s: expected W, mW or uW", value);
	free(*text);
	*text = mem_strdup(value);
	return 0;
}

int meter_file_options_parse(struct meter_file_options *o, const char *text, struct err *err)
{
	char *copy = mem_strdup(text), *rest = copy, *word = strsep(&rest, ",");
	int ret = 0;

	memset(o, 0, sizeof(*o));
	o->path = mem_strdup(word);
	while (!ret && (word = strsep(&rest, ","))) {
		char *equal = strchr(word, '=');

		if (equal)
			*equal = '\0';
		ret = take_key(o, word, equal ? equal + 1 : "", err);
	}
	if (!ret && !*o->path)
		ret = err_set(err, -EINVAL, "--meter: expected the name of a file");
	free(copy);
	if (ret)
		meter_file_options_release(o);
	return ret;
}

void meter_file_options_release(struct meter_file_options *o)
{
	free(o->path);
	free(o->time);
	free(o->power);
	free(o->unit);
	free(o->trigger);
	free(o->channel);
	memset(o, 0, sizeof(*o));
}

/* ---- edges ---- */

/* Between a quarter and three quarters of the way nothing changes, so that noise makes no edges. */
void meter_file_edges(struct series *s, const float *level, size_t n)
{
	double low = INFINITY, high = -INFINITY, up, down;
	bool on;

	for (size_t i = 0; i < n; i++) {
		low = fmin(low, (double)level[i]);
		high = fmax(high, (double)level[i]);
	}
	s->has_trigger = true;
	if (n < 2 || high - low <= 1e-9 * fmax(fabs(high), fabs(low)))
		return;
	up = low + 0.75 * (high - low);
	down = low + 0.25 * (high - low);
	s->high = on = (double)level[0] > (low + high) / 2;
	for (size_t i = 1; i < n; i++) {
		bool now = on ? (double)level[i] > down : (double)level[i] >= up;

		if (now != on)
			series_edge(s, (s->t[i - 1] + s->t[i]) / 2);
		on = now;
	}
}

/* ---- tables ---- */

enum { COLUMN_TIME, COLUMN_POWER, COLUMN_TRIGGER, COLUMNS };

struct table {
	struct fields *in;
	int n, column[COLUMNS]; /* -1: none */
	char *name[FIELDS_MAX];
	double scale[COLUMNS];
	struct VEC(float) level;
};

static const struct {
	int column;
	const char *name;
} by_name[] = {
	{COLUMN_TIME, "timestamp"}, {COLUMN_TIME, "time"},       {COLUMN_TIME, "seconds"},
	{COLUMN_TIME, "elapsed"},   {COLUMN_TIME, "t"},          {COLUMN_POWER, "power"},
	{COLUMN_POWER, "watts"},    {COLUMN_POWER, "watt"},      {COLUMN_POWER, "p"},
	{COLUMN_POWER, "w"},        {COLUMN_TRIGGER, "trigger"},
};

static const struct {
	int column;
	const char *unit;
	double scale;
} units[] = {
	{COLUMN_TIME, "s", 1},      {COLUMN_TIME, "ms", 1e-3},
	{COLUMN_TIME, "us", 1e-6},  {COLUMN_TIME, "ns", 1e-9},
	{COLUMN_POWER, "W", 1},     {COLUMN_POWER, "mW", 1e-3},
	{COLUMN_POWER, "uW", 1e-6}, {COLUMN_POWER, "milliwatts", 1e-3},
	{COLUMN_POWER, "watts", 1},
};

#define N(array) (sizeof(array) / sizeof(*(array)))

/* The scale that the last word of @name says, 1 if it says none. */
static double scale_of(int column, const char *name)
{
	double scale = 1;

	for (size_t len; *name; name += len + !len) {
		len = strcspn(name, " _([])/-");
		for (size_t i = 0; i < N(units); i++)
			if (units[i].column == column && strlen(units[i].unit) == len &&
			    !strncasecmp(units[i].unit, name, len))
				scale = units[i].scale;
	}
	return scale;
}

/* The column called @given, or by one of the names that are known. */
static int find_column(struct table *t, int column, const char *given, const char *path, struct err *err)
{
	t->column[column] = -1;
	for (int i = 0; i < t->n && t->column[column] < 0; i++)
		if (given && !strcasecmp(given, t->name[i]))
			t->column[column] = i;
	if (given && t->column[column] < 0)
		return err_set(err, -EINVAL, "'%s' has no column '%s'", path, given);
	for (size_t k = 0; k < N(by_name) && t->column[column] < 0; k++)
		for (int i = 0; i < t->n && t->column[column] < 0; i++) {
			size_t len = strlen(by_name[k].name);

			if (by_name[k].column == column && !strncasecmp(t->name[i], by_name[k].name, len) &&
			    (!t->name[i][len] || strchr(" _([", t->name[i][len])))
				t->column[column] = i;
		}
	if (t->column[column] >= 0)
		t->scale[column] = scale_of(column, t->name[t->column[column]]);
	return 0;
}

static int find_columns(struct table *t, const struct meter_file_options *o, struct err *err)
{
	static const char *const what[] = {"time", "power"};
	const char *given[] = {o->time, o->power, o->trigger};
	char *field[FIELDS_MAX];
	int ret = fields_names(t->in, field, err);

	if (ret < 0)
		return ret;
	if (!ret)
		return err_set(err, -ENODATA, "'%s' is empty", o->path);
	t->n = ret;
	for (int i = 0; i < t->n; i++)
		t->name[i] = mem_strdup(field[i]);
	for (int c = 0; c < COLUMNS; c++) {
		if (find_column(t, c, given[c], o->path, err))
			return err->code;
		if (c < COLUMN_TRIGGER && t->column[c] < 0)
			return err_set(err, -EINVAL,
				       "'%s' has no column of %s\n  --meter=%s,%s=NAME names it", o->path,
				       what[c], o->path, what[c]);
	}
	if (o->unit)
		t->scale[COLUMN_POWER] = !strcmp(o->unit, "W") ? 1 : !strcmp(o->unit, "mW") ? 1e-3 : 1e-6;
	return 0;
}

static int bad_cell(const struct table *t, int column, const char *expected, const char *found,
		    struct err *err)
{
	return err_set(err, -EINVAL, "'%s', line %llu, column %d (%s): expected %s, found '%.60s'",
		       fields_path(t->in), (unsigned long long)fields_line(t->in), column + 1,
		       t->name[column], expected, found);
}

static int take_row(struct series *s, struct table *t, char **field, int n, struct err *err)
{
	double x[COLUMNS] = {0};
	size_t before = s->n;

	if (n != t->n)
		return err_set(err, -EINVAL, "'%s', line %llu: %d columns, the names are %d",
			       fields_path(t->in), (unsigned long long)fields_line(t->in), n, t->n);
	for (int c = 0; c < COLUMNS; c++) {
		int at = t->column[c];

		if (at < 0)
			continue;
		if (fields_number(t->in, field[at], &x[c]))
			return bad_cell(t, at, "a number", field[at], err);
		if (c != COLUMN_TRIGGER && x[c] < 0)
			return bad_cell(t, at, "a number, not below 0", field[at], err);
	}
	if (series_add(s, x[COLUMN_TIME] * t->scale[COLUMN_TIME], x[COLUMN_POWER] * t->scale[COLUMN_POWER],
		       err))
		return err_prefix(err, "'%s', line %llu", fields_path(t->in),
				  (unsigned long long)fields_line(t->in));
	if (t->column[COLUMN_TRIGGER] >= 0 && s->n > before)
		vec_push(&t->level, (float)x[COLUMN_TRIGGER]);
	return 0;
}

static int read_table(struct series *s, const struct meter_file_options *o, struct err *err)
{
	struct table t = {.scale = {1, 1, 1}};
	char *field[FIELDS_MAX];
	int ret = fields_open(&t.in, o->path, err);

	if (ret)
		return ret;
	ret = find_columns(&t, o, err);
	while (!ret && (ret = fields_next(t.in, field, err)) > 0)
		ret = take_row(s, &t, field, ret, err);
	if (!ret && t.level.n)
		meter_file_edges(s, t.level.at, t.level.n);
	for (int i = 0; i < t.n; i++)
		free(t.name[i]);
	vec_release(&t.level);
	fields_close(t.in);
	return ret;
}

/* A machine draws between 10 mW and 10 kW: outside, the unit is another one. */
static int check_unit(const struct series *s, const struct meter_file_options *o, struct err *err)
{
	double mean = series_joules(s, s->t[0], s->t[s->n - 1], NULL) / (s->t[s->n - 1] - s->t[0]);

	if (mean < 0)
		return err_set(err, -EINVAL,
			       "'%s': the mean power is %.4g W: the wires of the sense resistor are swapped",
			       o->path, mean);
	if (o->unit || o->resistor > 0 || (mean >= 0.01 && mean <= 10000))
		return 0;
	return err_set(err, -EINVAL,
		       "'%s': the mean power would be %.4g W: suspected to be in %s\n  --meter=%s,unit=%s "
		       "says in which unit it is (W, mW or uW)",
		       o->path, mean, mean > 10000 ? "mW" : "kW", o->path, mean > 10000 ? "mW" : "W");
}

/* A pipe could be read once, and would hold us up until somebody writes. */
static int check_kind(const char *path, struct err *err)
{
	struct stat st;

	if (stat(path, &st) || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode))
		return 0;
	return err_set(
		err, -ESPIPE,
		"'%s' is a pipe or a device: a meter's file is read more than once\n  copy what it gives "
		"into a file, and name that",
		path);
}

int meter_file_read(struct series *s, const struct meter_file_options *o, struct err *err)
{
	char magic[4] = {0};
	FILE *f;
	int ret;

	memset(s, 0, sizeof(*s));
	ret = check_kind(o->path, err);
	if (ret)
		return ret;
	f = fopen(o->path, "rb");
	if (!f)
		return err_set(err, -errno, "'%s': %s", o->path, strerror(errno));
	if (!fread(magic, 1, sizeof(magic), f)) {
		ret = ferror(f) ? err_set(err, -errno, "'%s': %s", o->path, strerror(errno))
				: err_set(err, -ENODATA, "'%s' is empty", o->path);
		fclose(f);
		return ret;
	}
	fclose(f);
	ret = points_are(magic, sizeof(magic)) ? points_read(s, o, err) : read_table(s, o, err);
	if (!ret)
		ret = series_finish(s, o->path, err);
	if (!ret)
		ret = check_unit(s, o, err);
	if (ret)
		series_release(s);
	return ret;
}

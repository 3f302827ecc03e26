/* SPDX-License-Identifier: MIT */
#include "analyzer/energy/data/table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "analyzer/energy/data/columns.h"
#include "lib/mem.h"
#include "lib/read/fields.h"
#include "lib/strbuf.h"

/* Between these a processor draws. */
#define LEAST_WATTS 0.01
#define MOST_WATTS  3000.0

/* What is behind the names of struct energy_table. */
struct energy_reader {
	struct fields *in;
	int n; /* columns */
	enum energy_role role[FIELDS_MAX];
	char *name[FIELDS_MAX];
	uint32_t last[ENERGY_ROLES]; /* name that the row before had */
};

static int read_names(struct energy_table *t, struct energy_reader *r, struct err *err)
{
	char *field[FIELDS_MAX];
	int n = fields_names(r->in, field, err);

	if (n < 0)
		return n;
	if (!n)
		return err_set(err, -EINVAL, "'%s' is empty: expected a line of names, then rows", t->path);
	for (r->n = 0; r->n < n; r->n++)
		r->name[r->n] = mem_strdup(field[r->n]);
	return 0;
}

static int check_names(const struct energy_table *t, const struct energy_reader *r, struct err *err)
{
	double x;

	for (int i = 0; i < r->n; i++) {
		if (!*r->name[i] || !fields_number(r->in, r->name[i], &x))
			return err_set(err, -EINVAL,
				       "'%s', column %d: expected a name in the first line, found '%s'",
				       t->path, i + 1, r->name[i]);
		for (int j = 0; j < i; j++)
			if (!strcasecmp(r->name[i], r->name[j]))
				return err_set(err, -EINVAL, "'%s': columns %d and %d are both called '%s'",
					       t->path, j + 1, i + 1, r->name[i]);
	}
	return 0;
}

/* "power `watts`, program `name`": what each column with a role was taken for. */
static char *roles_text(const struct energy_reader *r)
{
	struct strbuf sb = STRBUF_INIT;

	for (int i = 0; i < r->n; i++)
		if (r->role[i] < ENERGY_ROLES)
			strbuf_printf(&sb, "%s%s `%s`", sb.len ? ", " : "", energy_role_name(r->role[i]),
				      r->name[i]);
	return strbuf_detach(&sb);
}

int energy_table_open(struct energy_table *t, const char *path, const struct energy_columns *columns,
		      struct err *err)
{
	struct energy_reader *r = mem_new(1, sizeof(*r));
	int ret;

	memset(t, 0, sizeof(*t));
	t->path = mem_strdup(path);
	t->reader = r;
	ret = fields_open(&r->in, path, err);
	if (!ret)
		ret = read_names(t, r, err);
	if (!ret)
		ret = check_names(t, r, err);
	if (!ret)
		ret = energy_columns_find(t, r->name, r->n, columns, r->role, err);
	for (int i = 0; !ret && i < r->n; i++) {
		if (r->role[i] != ENERGY_EVENT)
			continue;
		if (t->events.n == ENERGY_MAX_EVENTS)
			ret = err_set(err, -E2BIG,
				      "'%s' has more than %d events\n  --events=A,B,... chooses some", path,
				      ENERGY_MAX_EVENTS);
		else
			vec_push(&t->events, mem_strdup(r->name[i]));
	}
	if (!ret)
		t->roles = roles_text(r);
	if (!ret && !t->events.n)
		ret = err_set(err, -EINVAL, "'%s' has no column of an event", path);
	if (ret)
		energy_table_close(t);
	return ret;
}

/* The index of @name in @names, where it is added if it is new; @last is a guess. */
static int name_index(struct energy_names *names, const char *name, uint32_t last, uint32_t *index)
{
	if (last < names->n && !strcmp(names->at[last], name)) {
		*index = last;
		return 0;
	}
	for (size_t i = 0; i < names->n; i++)
		if (!strcmp(names->at[i], name)) {
			*index = (uint32_t)i;
			return 0;
		}
	if (names->n == ENERGY_MAX_PROGRAMS)
		return -E2BIG;
	*index = (uint32_t)names->n;
	vec_push(names, mem_strdup(name));
	return 0;
}

static int bad_value(const struct energy_table *t, int column, const char *value, const char *expected,
		     struct err *err)
{
	return err_set(err, -EINVAL, "'%s', line %llu, column %d (%s): expected %s, found '%.60s'", t->path,
		       (unsigned long long)fields_line(t->reader->in), column + 1, t->reader->name[column],
		       expected, value);
}

/* A row of @n columns is not as wide as the names. */
static int bad_width(const struct energy_table *t, int n, struct err *err)
{
	err_set(err, -EINVAL, "'%s', line %llu: %d columns, the first line has %d names", t->path,
		(unsigned long long)fields_line(t->reader->in), n, t->reader->n);
	if (n > t->reader->n && fields_separator(t->reader->in) == ',')
		err_advise(err, "decimal commas?  separate the columns by semicolons or tabs then, and names "
				"with commas by quotes");
	return err->code;
}

/* A text of one of the roles that are names. */
static int take_name(struct energy_table *t, struct energy_row *row, int column, const char *value,
		     const char **family, struct err *err)
{
	struct energy_reader *r = t->reader;
	enum energy_role role = r->role[column];
	struct energy_names *names = role == ENERGY_PROGRAM ? &t->programs : &t->runs;
	uint32_t *to = role == ENERGY_PROGRAM ? &row->program : &row->run;

	if (!*value)
		return bad_value(t, column, value, "a name", err);
	if (role == ENERGY_FAMILY) {
		*family = value;
		return 0;
	}
	if (name_index(names, value, r->last[role], to))
		return err_set(err, -E2BIG, "'%s', line %llu: more than %d different values of '%s'", t->path,
			       (unsigned long long)row->line, ENERGY_MAX_PROGRAMS, r->name[column]);
	r->last[role] = *to;
	return 0;
}

/* A number of one of the roles, in the unit of the row. */
static int take_number(struct energy_table *t, struct energy_row *row, int column, const char *value,
		       double x, struct err *err)
{
	enum energy_role role = t->reader->role[column];
	double *to = role == ENERGY_POWER     ? &row->watts
		     : role == ENERGY_CORES   ? &row->cores
		     : role == ENERGY_MHZ     ? &row->mhz
		     : role == ENERGY_VOLT    ? &row->volt
		     : role == ENERGY_ENABLED ? &row->enabled
		     : role == ENERGY_RUNNING ? &row->running
					      : &row->seconds;

	if (x <= 0)
		return bad_value(t, column, value, "a number above 0", err);
	*to = x * t->scale[role];
	return 0;
}

static int take_field(struct energy_table *t, struct energy_row *row, int column, const char *value,
		      size_t *event, const char **family, struct err *err)
{
	enum energy_role role = t->reader->role[column];
	double x;

	if (role == ENERGY_IGNORED)
		return 0;
	if (role == ENERGY_PROGRAM || role == ENERGY_FAMILY || role == ENERGY_RUN)
		return take_name(t, row, column, value, family, err);
	switch (fields_number(t->reader->in, value, &x)) {
	case 0:
		break;
	case -EDOM:
		return bad_value(t, column, value, "one decimal mark in all of the file, comma or point",
				 err);
	default:
		return bad_value(t, column, value, "a number", err);
	}
	if (role != ENERGY_EVENT)
		return take_number(t, row, column, value, x, err);
	if (x < 0)
		return bad_value(t, column, value, "a count, not below 0", err);
	row->x[(*event)++] = x;
	return 0;
}

/* Families belong to programs: remember the row's, or hold it against what was said before. */
static int set_family(struct energy_table *t, const struct energy_row *row, const char *family,
		      struct err *err)
{
	while (t->families.n < t->programs.n)
		vec_push(&t->families, NULL);
	if (!family)
		return 0;
	if (!t->families.at[row->program])
		t->families.at[row->program] = mem_strdup(family);
	else if (strcmp(t->families.at[row->program], family))
		return err_set(err, -EINVAL,
			       "'%s', line %llu: program '%s' is of family '%s' here and of '%s' above",
			       t->path, (unsigned long long)row->line, t->programs.at[row->program], family,
			       t->families.at[row->program]);
	return 0;
}

int energy_table_next(struct energy_table *t, struct energy_row *row, struct err *err)
{
	struct energy_reader *r = t->reader;
	char *field[FIELDS_MAX];
	const char *family = NULL;
	size_t event = 0;
	int n = fields_next(r->in, field, err);

	if (n <= 0)
		return n;
	*row = (struct energy_row){.line = fields_line(r->in), .cores = 1, .seconds = 1};
	row->enabled = row->running = 1;
	if (n != r->n)
		return bad_width(t, n, err);
	for (int i = 0; i < n; i++)
		if (take_field(t, row, i, field[i], &event, &family, err))
			return err->code;
	if (!t->has[ENERGY_PROGRAM] && !t->programs.n)
		vec_push(&t->programs, mem_strdup("all"));
	if (set_family(t, row, family, err))
		return err->code;
	for (size_t i = 0; t->has[ENERGY_SECONDS] && i < event; i++)
		row->x[i] /= row->seconds;
	return 1;
}

int energy_table_rewind(struct energy_table *t, struct err *err)
{
	return fields_rewind(t->reader->in, err);
}

static void release_names(struct energy_names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free(names->at[i]);
	vec_release(names);
}

void energy_table_close(struct energy_table *t)
{
	if (t->reader) {
		fields_close(t->reader->in);
		for (int i = 0; i < t->reader->n; i++)
			free(t->reader->name[i]);
	}
	free(t->reader);
	free(t->roles);
	free(t->path);
	release_names(&t->events);
	release_names(&t->programs);
	release_names(&t->families);
	release_names(&t->runs);
	memset(t, 0, sizeof(*t));
}

int energy_table_doubt_unit(const struct energy_table *t, double mean, struct err *err)
{
	const char *unit = t->unit_of_power ? t->unit_of_power : "W", *why = "nothing says otherwise";
	bool watts = !strcmp(unit, "W");
	const char *other = mean > MOST_WATTS ? watts ? "mW" : "uW" : watts ? "kW" : "W";

	if (mean >= LEAST_WATTS && mean <= MOST_WATTS)
		return 0;
	if (t->unit_of_power)
		why = "its name says";
	if (mean > MOST_WATTS * 1e6)
		return err_set(
			err, -EINVAL,
			"'%s': the mean power is %.4g W if the column is in %s, as %s: no unit makes that "
			"what a processor draws\n  --column=power=NAME names the column of power",
			t->path, mean, unit, why);
	err_set(err, -EINVAL,
		"'%s': the mean power is %.4g W if the column is in %s, as %s: suspected to be in %s",
		t->path, mean, unit, why, other);
	if (!strcmp(other, "kW"))
		return err_advise(err, "--power-unit=W says that it is right; kW are to be written as W");
	return err_advise(err, "--power-unit=%s says so, --power-unit=%s that it is right", other, unit);
}

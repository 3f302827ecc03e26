/* SPDX-License-Identifier: MIT */
/*
 * A table of training data, read row by row: power, program, frequency and so on,
 * and one column for each event.  Text, separated by tabs, commas or semicolons,
 * plain or compressed by gzip; the first line has the names, perhaps behind a '#'.
 * Of any length: nothing but the names of programs is kept.
 */
#ifndef PERSEUS_ENERGY_TABLE_H
#define PERSEUS_ENERGY_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/vec.h"

#define ENERGY_MAX_EVENTS   48
#define ENERGY_MAX_PROGRAMS 2000

/* What a column is.  The words of energy_role_name() are also the options that name one. */
enum energy_role {
	ENERGY_POWER,   /* W, mW or uW by the name; > 0 */
	ENERGY_PROGRAM, /* rows of one program stay together in cross-validation */
	ENERGY_FAMILY,  /* ... of programs that are alike */
	ENERGY_RUN,     /* several runs of one program */
	ENERGY_CORES,   /* in use, 1 where there is no such column */
	ENERGY_MHZ,     /* MHz, kHz, GHz by the name; 0 where there is none */
	ENERGY_VOLT,    /* V or mV by the name */
	ENERGY_SECONDS, /* length of the row's interval; without it events count by the row */
	ENERGY_ENABLED, /* time for which the events were to be counted, */
	ENERGY_RUNNING, /* ... and for which they were: less where counters took turns */
	ENERGY_EVENT,
	ENERGY_IGNORED,
	ENERGY_ROLES = ENERGY_EVENT
};

/* "power", "program", ... */
const char *energy_role_name(enum energy_role role);

/* Which column has which role; NULL: found by its name. */
struct energy_columns {
	const char *name[ENERGY_ROLES];
	const char *events;     /* separated by commas; NULL: all numeric columns without a role */
	const char *ignored;    /* likewise; NULL: none but those known to be no events */
	const char *power_unit; /* "W", "mW", "uW"; NULL: what the name says */
	bool no_power;          /* rows to estimate: the power may be missing, and is 0 then */
};

struct energy_row {
	uint64_t line; /* in the file, from 1 */
	double watts, mhz, volt, seconds, cores;
	double enabled, running;     /* 1 without columns of them */
	uint32_t program, run;       /* indices of names */
	double x[ENERGY_MAX_EVENTS]; /* per second, or per row (see ENERGY_SECONDS) */
};

struct energy_names VEC(char *);

struct energy_table {
	char *path;
	char *roles;                  /* which column was taken for what, for people */
	struct energy_names events;   /* in the order of the columns */
	struct energy_names programs; /* in the order in which they were met; grows */
	struct energy_names families; /* of each program, NULL without a column */
	struct energy_names runs;
	bool has[ENERGY_ROLES];
	double scale[ENERGY_ROLES]; /* to the unit of struct energy_row */
	const char *unit_of_power;  /* as read: "W", "mW", "uW" */
	struct energy_reader *reader;
};

/*
 * Open @path and read its first line.  Fails with -ENOENT, -EACCES, -EINVAL (no
 * such column, two that could be the power, no events), with the names it has.
 */
int energy_table_open(struct energy_table *t, const char *path, const struct energy_columns *columns,
		      struct err *err);

/*
 * The next row: 1, 0 behind the last one, or -EINVAL with line and column: a text
 * where a number should be, no number, a negative one, too few or too many columns.
 */
int energy_table_next(struct energy_table *t, struct energy_row *row, struct err *err);

/* Begin again with the first row; the names of programs stay. */
int energy_table_rewind(struct energy_table *t, struct err *err);

void energy_table_close(struct energy_table *t);

/*
 * A processor draws between 10 mW and 3 kW: -EINVAL, with the unit it seems to be, if a @mean
 * power of all rows is outside.  For tables whose unit nobody gave (energy_columns.power_unit).
 */
int energy_table_doubt_unit(const struct energy_table *t, double mean, struct err *err);

#endif

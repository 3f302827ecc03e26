/* SPDX-License-Identifier: MIT */
/* Files of external meters: read, and said what is wrong with them, by place. */
#ifndef PERSEUS_RECORD_POWER_METER_FILE_H
#define PERSEUS_RECORD_POWER_METER_FILE_H

#include "record/power/joules.h"
#include "record/power/series.h"

/* --meter=FILE[,KEY=VALUE...]: what the file does not say itself; NULL and 0: not said. */
struct meter_file_options {
	char *path;
	char *time, *power; /* columns of a table */
	char *unit;         /* of power: "W", "mW", "uW" */
	char *trigger;      /* column or channel */
	char *channel;      /* of the voltage at the sense resistor */
	double resistor;    /* ohm */
	double volts;       /* of the supply */
};

/* Take the value of --meter; -EINVAL says what is wrong. */
int meter_file_options_parse(struct meter_file_options *o, const char *text, struct err *err);
void meter_file_options_release(struct meter_file_options *o);

/*
 * Read the file into @s, whatever its form is: a table (lib/read/fields.h) with
 * columns of time and power, or data points of voltages (points.h).  -EINVAL with
 * line and column, -ENODATA.
 */
int meter_file_read(struct series *s, const struct meter_file_options *o, struct err *err);

/*
 * What the file says of the run whose time and activity are in @j: joules, power and
 * error; or the reason why it says nothing, in @err and in @j.
 */
int meter_file_measure(struct joules *j, const struct meter_file_options *o, struct err *err);

/* ---- inside of the folder ---- */

/* Are the @n bytes at @data the begin of a file of data points? */
bool points_are(const void *data, size_t n);
int points_read(struct series *s, const struct meter_file_options *o, struct err *err);

/* Levels of a trigger: its edges into @s, at the times in @s. */
void meter_file_edges(struct series *s, const float *level, size_t n);

#endif

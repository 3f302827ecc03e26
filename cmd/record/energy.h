/* SPDX-License-Identifier: MIT */
/* perseus record --energy, --meter, --sysroot: joules of the run. */
#ifndef PERSEUS_CMD_RECORD_ENERGY_H
#define PERSEUS_CMD_RECORD_ENERGY_H

#include <stdbool.h>

#include "lib/err.h"
#include "platform/meter/meter.h"
#include "record/power/meter-file.h"
#include "recorder/energy.h"

struct record_energy {
	bool wanted, none;    /* none: no meter, only what the program did */
	enum meter_kind kind; /* METER_KINDS: the best one */
	const char *sysroot;
	struct meter_file_options file; /* path NULL: no file */
	struct energy_watch *watch;
	struct err absent; /* why there is no meter; code 0: there is one */
	struct joules joules;
	bool measured; /* joules is filled in */
};

/* Take the value of option @name ("energy", NULL without one; "meter"): 0 or -EINVAL. */
int record_energy_option(struct record_energy *e, const char *name, const char *value, struct err *err);

/* The options agree with one another and with a part of the life (@part) or another purpose: 0 or -EINVAL. */
int record_energy_check(const struct record_energy *e, bool part, bool counts, struct err *err);

/* Find the meter and read it; what is missing is said on stderr.  0 or a negative errno. */
int record_energy_start(struct record_energy *e, struct err *err);

/* For child_watch.pid; NULL: not wanted. */
int *record_energy_pid(struct record_energy *e);

/* The program starts now; it has ended. */
void record_energy_begin(struct record_energy *e);
void record_energy_end(struct record_energy *e);

/* Write joules.yaml into the run @dir, and say it in one line unless @quiet. */
int record_energy_write(struct record_energy *e, const char *dir, bool quiet, struct err *err);

void record_energy_release(struct record_energy *e);

#endif

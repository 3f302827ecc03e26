/* SPDX-License-Identifier: MIT */
/* The rows of `perseus doctor`: what was found out, and the remedy. */
#ifndef PERSEUS_CMD_DOCTOR_DOCTOR_H
#define PERSEUS_CMD_DOCTOR_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmd/base/cmd.h"
#include "lib/err.h"
#include "lib/vec.h"

enum doctor_state {
	DOCTOR_OK,
	DOCTOR_LIMITED,    /* works, but less well */
	DOCTOR_ABSENT,     /* does not work; recording does */
	DOCTOR_NOT_NEEDED, /* does not work, and Perseus does without */
	DOCTOR_NOT_TRIED,
	DOCTOR_BROKEN, /* recording is impossible */
};

struct doctor_row {
	const char *topic;
	char *text;
	char *remedy; /* one line, or NULL */
	enum doctor_state state;
};

struct doctor {
	const char *sysroot; /* "" this machine */
	int daemon;          /* what connecting to perseusd came to, as ctl_connect() says it */
	uint32_t lent;       /* PRS_CTL_FREQUENCY and others: what it lends this user; 0: nothing */
	uint32_t able;       /* likewise: what it has to lend, if only to others */
	struct vec_doctor_row VEC(struct doctor_row) rows;
};

/* Append a row; the text is formatted (cmd/doctor/rows.c). */
void doctor_row(struct doctor *d, const char *topic, enum doctor_state state, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Set the remedy of the last row. */
void doctor_remedy(struct doctor *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Free the rows. */
void doctor_release(struct doctor *d);

/* Compilers and the parts of this installation (cmd/doctor/setup.c). */
void doctor_setup(struct doctor *d);

/* Which meter of joules is there (cmd/doctor/energy.c). */
void doctor_energy(struct doctor *d);

/* Clock, counters, energy, frequency, cores, load (cmd/doctor/machine.c). */
void doctor_machine(struct doctor *d);

/* Ask perseusd, at most for a second: d->daemon, d->lent, d->able (cmd/doctor/control.c). */
void doctor_ask_daemon(struct doctor *d);

/* The daemon, the module, reservation of cores; after doctor_ask_daemon(). */
void doctor_control(struct doctor *d, bool has_cpufreq);

/*
 * List the events whose names hold @filter (NULL: all but aliases), each tried
 * (cmd/doctor/events.c).  Returns an exit status; messages are printed.
 */
int doctor_events(const struct cmd *cmd, const char *filter, bool json);

/*
 * The identity (GNU build id, lower case hex, below ELF_BUILD_ID_HEX bytes) of
 * the plugin's back end for @compiler.  Fails with the errno of running it,
 * -ENOTSUP (no GCC), or -ENOENT (no back end for its version is installed).
 */
int doctor_back_end(const char *compiler, char *identity, size_t size, struct err *err);

#endif

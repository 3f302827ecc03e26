/* SPDX-License-Identifier: MIT */
/*
 * When a run is to be recorded.  `perseus record --start-signal`, `--delay`
 * and `--duration` put the file `control` into the run directory and
 * PERSEUS_START=1 into the environment; every process of the run maps the
 * file's page, reads it, and sleeps on its word (a shared futex).  Only the
 * recorder writes.
 */
#ifndef PERSEUS_CONTROL_H
#define PERSEUS_CONTROL_H

#include <stdint.h>

#define PRS_ENV_START     "PERSEUS_START" /* 1: look into the control file */
#define PRS_CONTROL_FILE  "control"
#define PRS_CONTROL_MAGIC 0x4c525443u /* "CTRL" */

enum prs_control_word {
	PRS_CONTROL_WAIT = 0, /* probes are dormant */
	PRS_CONTROL_OPEN = 1, /* record */
	PRS_CONTROL_STOP = 2, /* the record is closed, probes are dormant for ever */
};

/* The first bytes of the file, which is one page long. */
struct prs_control {
	uint32_t magic;
	uint32_t word; /* enum prs_control_word; it only grows */
};
_Static_assert(sizeof(struct prs_control) == 8, "format");

#endif

/* SPDX-License-Identifier: MIT */
/*
 * One line on stderr for each change, made of words, numbers and hex digits of
 * our own: nothing that a client can choose the text of ever gets there.
 * Whoever reads stderr can be slow or gone; a line that does not fit is
 * dropped and counted, and the next one says how many were.
 */
#ifndef PERSEUS_DAEMON_MACHINE_AUDIT_H
#define PERSEUS_DAEMON_MACHINE_AUDIT_H

#include "perseus/ctl.h"

#define AUDIT_PLAN_TEXT 65

/*
 * Call it first: a pipe or terminal is opened once more, so that writing never waits and nobody else's
 * descriptor changes.
 */
void audit_open(void);

/* What lines begin with; the guard has a name of its own. */
void audit_name(const char *name);

void audit(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* SHA-256 of a plan as hex digits, "-" for zeros; returns @out. */
const char *audit_plan(const prs_u8 plan[32], char out[AUDIT_PLAN_TEXT]);

#endif

/* SPDX-License-Identifier: MIT */
/* What `perseus calibrate` has measured, for people. */
#ifndef PERSEUS_CMD_CALIBRATE_PRINT_H
#define PERSEUS_CMD_CALIBRATE_PRINT_H

#include <stdio.h>

#include "platform/calibrate.h"

/* The machine in one line: cores that may be used, packages, steps. */
void calibrate_print_platform(FILE *out, const struct platform *p);

/* The same with frequencies, prices and the notes of @report. */
void calibrate_print(FILE *out, const struct platform *p, const struct calibrate_report *report);

/* That a line's travel is a range, with both ends; nothing if it is not. */
void calibrate_print_moved(FILE *out, const struct platform *p);

#endif

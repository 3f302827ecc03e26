/* SPDX-License-Identifier: MIT */
/* In which function of a report flush-to-zero can be tried. */
#ifndef PERSEUS_CMD_DENORMALS_ADVICE_H
#define PERSEUS_CMD_DENORMALS_ADVICE_H

#include "report/denormal/report.h"

/*
 * Set @r->flush_in to the first function of the report in which --what-if would try flush-to-zero, or
 * @r->no_flush to why it would in none.  Neither, where the program is not there any more.
 */
void flush_advice_find(struct denormal_report *r);

#endif

/* SPDX-License-Identifier: MIT */
/* From where in the program a function of the library is called that no record shows the way to. */
#ifndef PERSEUS_ANALYZER_OBJECTS_CALLERS_H
#define PERSEUS_ANALYZER_OBJECTS_CALLERS_H

#include <stdbool.h>

#include "record/run.h"

/*
 * The place of the program's own from which @t calls @function, itself or through other functions of the
 * library: that of @accesses made in it.  False, and @place stays: several may have made them, or none
 * is known.
 */
bool callers_place(const struct run *run, const struct run_process *p, const struct run_thread *t,
		   const char *function, double accesses, struct run_place *place);

#endif

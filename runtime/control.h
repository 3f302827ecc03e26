/* SPDX-License-Identifier: MIT */
/* A recording that begins and ends when the recorder says so (perseus/control.h). */
#ifndef RUNTIME_CONTROL_H
#define RUNTIME_CONTROL_H

#include "perseus/control.h"
#include "runtime/base/rt.h"

/*
 * Map the control page of rt.dir if the environment names one.  False: it
 * does, but there is none that can be read, and nothing must be recorded.
 */
bool control_open(void);

/* True if this process follows a control page. */
bool control_present(void);

/* What the recorder wants now; PRS_CONTROL_OPEN without a control page. */
uint32_t control_word(void);

/*
 * Make the thread that waits for the recorder's word and then calls
 * process_begin() and process_stop(); in a fork child another one.  False:
 * the system allows none, and the process stays as it is now.
 */
bool control_watch(void);

#endif

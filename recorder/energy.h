/* SPDX-License-Identifier: MIT */
/* Reading a meter, and what CPU time the program has used, while it runs. */
#ifndef PERSEUS_RECORDER_ENERGY_H
#define PERSEUS_RECORDER_ENERGY_H

#include "lib/err.h"
#include "platform/meter/meter.h"
#include "record/power/joules.h"

struct energy_watch;

/*
 * Read @m (of the machine below @sysroot), which is closed at the end (NULL: there is none, only CPU time is read), every
 * 10 ms from now on, in a thread.  With a meter it waits for a quarter of a second first:
 * what the machine draws without the program.  -EAGAIN: there is no thread.
 */
int energy_watch_start(struct energy_watch **w, struct meter *m, const char *sysroot, struct err *err);

/* For child_watch.pid. */
int *energy_watch_pid(struct energy_watch *w);

/* The program starts now; it has ended. */
void energy_watch_begin(struct energy_watch *w);
void energy_watch_end(struct energy_watch *w);

/* Fill @j in: what was read between begin and end, or the reason why not.  @w is freed. */
void energy_watch_finish(struct energy_watch *w, struct joules *j);

#endif

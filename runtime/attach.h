/* SPDX-License-Identifier: MIT */
/* Objects that come and go. */
#ifndef RUNTIME_ATTACH_H
#define RUNTIME_ATTACH_H

#include "runtime/base/rt.h"

/*
 * In a fork child, after the new file is open: enter all modules and units
 * again, under the numbers they have.  False: no room.
 */
bool attach_forked(void);

/* Fill in what memory probes and heap notes of @d look at; for versions with tables of their own. */
void attach_fill(struct prs_desc *d);

/* Make every attached object dormant, and undo that. */
void attach_silence(void);
void attach_speak(void);

/* Nothing will be recorded any more: functions with two bodies go back to the plain one.  Under rt_lock(). */
void attach_sleep(void);

/* Tell all descriptors whether loops and ranges are to be seen by their own probes.  Under rt_lock(). */
void attach_words(void);

/* There is a second thread, or is about to be: what sleeps while there is one wakes.  Under rt_lock(). */
void attach_company(void);

/* Let the probes of all objects begin: the recorder's word has come.  Under rt_lock(). */
void attach_open(void);

#endif

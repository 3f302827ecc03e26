/* SPDX-License-Identifier: MIT */
/*
 * Time that the run took because threads slept, or waited for what is outside
 * of the program: the model has work only, so all its times are without it.
 */
#ifndef PERSEUS_ANALYZER_TIME_ASLEEP_H
#define PERSEUS_ANALYZER_TIME_ASLEEP_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/time/notes.h"
#include "record/run.h"

struct asleep {
	double ns;      /* by which the run was longer for it, at least */
	uint64_t calls; /* in which that was slept */
	bool other;     /* some were not sleep, but for a child, a signal, a connection */
};

/*
 * The time in which no thread could have worked, and at least one was in a
 * call that lasts as long as a timer or somebody outside of the program wants.
 * A thread that is ready and gets no core could have worked.
 */
struct asleep asleep_find(const struct run_process *p);

/* Say it in @notes if it was more than a twentieth of the run. */
void asleep_say(const struct run_process *p, struct notes *notes);

#endif

/* SPDX-License-Identifier: MIT */
/* The lock that the program's threads line up at. */
#ifndef PERSEUS_REPORT_WAITS_BOTTLENECK_H
#define PERSEUS_REPORT_WAITS_BOTTLENECK_H

#include "report/time/types.h"

/* A lock that is held for much of the run while others wait for it. */
struct report_bottleneck {
	const struct report_lock *lock;
	const struct report_wait *wait; /* the longest wait at it */
	double held;                    /* of the run, 0..1 */
	double hold_ns;                 /* mean, each place by its own timed holds */
	double wait_ns;                 /* of the threads in @wait, at all places */
	double waited;                  /* ... of their time, 0..1 */
};

/*
 * The worst lock of the run; false if none is held for a quarter of the run (by the
 * mean of ten timed holds or more) and keeps a kind of threads waiting for a tenth of its time.
 */
bool report_bottleneck(const struct report_summary *s, struct report_bottleneck *b);

/*
 * "log_lock (queue.c:89) is the bottleneck: held 57 % of the run, 15.4 us x 30,000
 * (by 940 timed holds);", the latter where not all were timed, then, after a line break and @indent, who waits for it; nothing if there is none.
 */
void bottleneck_text(const struct report_summary *s, const char *indent, struct strbuf *out);

#endif

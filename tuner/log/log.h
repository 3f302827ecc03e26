/* SPDX-License-Identifier: MIT */
/* Every trial of a search in a file of lines of JSON: appended to, read again, never asked twice. */
#ifndef PERSEUS_TUNER_LOG_LOG_H
#define PERSEUS_TUNER_LOG_LOG_H

#include <stdio.h>

#include "tuner/search/search.h"

/* What a line says. */
struct log_line {
	uint32_t round;
	struct tuner_answer answer;
	char *setting;
};

struct log {
	const char *path;
	const struct space *space;
	tuner_measure *measure; /* who answers what the log does not know */
	void *arg;
	FILE *to;
	struct VEC(struct log_line) lines; /* that were there */
	size_t next;                       /* of them to be asked for */
};

/*
 * Begin the log at @path, which must not exist (-EEXIST), or with @resume go on with it: it has to have
 * been made with the same @key, 64 hexadecimal digits over all that the search depends on (-EINVAL).  A last
 * line that was cut off is taken away.  NULL as @path: nothing is kept.
 */
int log_open(struct log *l, const char *path, bool resume, const char *key, const struct space *space,
	     struct err *err);
void log_close(struct log *l);

/*
 * A tuner_measure with a struct log as its argument: the next line's answer, or measure() and a new line.
 * -EINVAL: the log answers another question.
 */
int log_measure(void *log, const struct tuner_ask *ask, struct tuner_answer *answer, struct err *err);

#endif

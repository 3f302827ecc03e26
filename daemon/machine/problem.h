/* SPDX-License-Identifier: MIT */
/* Why the daemon does not start: the exit status, and what main() prints. */
#ifndef PERSEUS_DAEMON_MACHINE_PROBLEM_H
#define PERSEUS_DAEMON_MACHINE_PROBLEM_H

enum {
	EXIT_USAGE = 2,
	EXIT_MACHINE = 3, /* this machine or setup cannot */
	EXIT_DATA = 4,    /* a configuration that says what it cannot say */
};

struct problem {
	int status;
	char text[600]; /* no full stop; further lines are advice */
};

/* Set both and return @status, for `return problem_set()`. */
int problem_set(struct problem *problem, int status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* What rules a terminal becomes '?', and all that is no ASCII; lines stay. */
void problem_show(char *text);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Run a program to its end as a good parent: signals sent to this process
 * go on to the child, those of the terminal are left to it (it has received
 * them already), and nothing of this process leaks into it.
 */
#ifndef PERSEUS_LIB_SPAWN_CHILD_H
#define PERSEUS_LIB_SPAWN_CHILD_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/err.h"

/*
 * Somebody who wants to act while the child runs.  wake() is called once when
 * it has been started, when its deadline has passed, and when @signal came to
 * this process (then @sig says so), which is not handed on to the child.
 * @now and the deadline it returns are CLOCK_MONOTONIC in ns, 0: none.
 */
struct child_watch {
	int signal; /* 0: none */
	uint64_t (*wake)(void *arg, int sig, uint64_t now);
	/* The child has ended: true while others that it left are to be waited for; NULL: never. */
	bool (*others)(void *arg);
	void *arg;
	int *pid; /* written atomically: the child's while it is there, else 0; NULL: not wanted */
};

struct child_spec {
	const char *path;         /* the file to run */
	char *const *argv;        /* NULL-terminated, argv[0] as the user typed it */
	char *const *environment; /* "NAME=VALUE" to add or replace, NULL-terminated; may be NULL */
	int in, out, error;       /* descriptors to use as 0, 1, 2; -1: inherit */
	uint64_t limit_ns;        /* kill it after this time; 0: never */
	struct child_watch watch; /* wake NULL: nobody */
	bool group;               /* a process group of its own: signals and the limit reach all in it */
};

struct child_result {
	int status;                  /* as of waitpid() */
	int received;                /* last signal this process received meanwhile, 0 */
	uint64_t wall_ns;            /* CLOCK_MONOTONIC, from just before fork() */
	uint64_t user_ns, system_ns; /* of the child and what it waited for */
	uint64_t switches;           /* involuntary context switches, likewise */
	uint64_t rss_kb;             /* the most memory that one of them had */
};

/*
 * Run the child and wait for it.  Fails with the errno of fork() or exec();
 * a child that ran and failed is a success here: look at result->status.
 */
int child_run(const struct child_spec *spec, struct child_result *result, struct err *err);

/* The exit status a shell would show: the code, or 128 + signal. */
int child_exit_status(int status);

/* CLOCK_MONOTONIC, ns. */
uint64_t child_clock_ns(void);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * What is done about advice: one action at a time in a process, taken back if the rate has not
 * fallen after a while, and all of it at the end.  See monitor/README.md.
 */
#ifndef PERSEUS_MONITOR_ACT_ACT_H
#define PERSEUS_MONITOR_ACT_ACT_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/err.h"
#include "monitor/rules/rules.h"

#define ACT_CORES 1024

struct act_cores {
	uint64_t bits[ACT_CORES / 64];
};

void act_cores_add(struct act_cores *c, unsigned core);
bool act_cores_has(const struct act_cores *c, unsigned core);
unsigned act_cores_count(const struct act_cores *c);

/* "0-3,8"; returns @buf, cut with ".." if it is too short. */
const char *act_cores_text(char *buf, size_t size, const struct act_cores *c);

/* Who does it: hands.h for this machine, others for tests. */
struct act_hands {
	/* Where thread @tid may run.  -ESRCH: it has ended. */
	int (*where)(void *arg, uint32_t tid, struct act_cores *out);
	int (*place)(void *arg, uint32_t tid, const struct act_cores *to);
	/* How far cores are apart: more is farther. */
	unsigned (*distance)(void *arg, unsigned a, unsigned b);
	/* Let the program have @n workers; NULL: it has no such tunable. */
	int (*workers)(void *arg, uint64_t n);
	/* A line of the audit, without a newline. */
	void (*audit)(void *arg, const char *line);
	/* Is the lease still there? */
	bool (*leased)(void *arg);
	void *arg;
};

struct act_options {
	struct act_cores cores;          /* leased */
	uint32_t lease;                  /* its number, for the audit */
	uint64_t workers, least_workers; /* that there are at first, and at least; 0: no tunable */
};

/* A thread and where it was allowed to run before. */
struct act_saved {
	uint32_t tid;
	struct act_cores was;
};

struct act_done {
	char id[24];
	struct counts_thread is;
	enum rule_answer answer;
	size_t event;
	double before, sum; /* rate; sum of rates of windows since */
	unsigned n;
	uint64_t since_ns, within_ns;
	double helps;
	bool blind; /* its rate would not change by it */
	bool trial; /* not yet decided */
	struct VEC(struct act_saved) saved;
	uint64_t workers; /* before; 0: it was not this */
};

struct act {
	const struct act_hands *hands;
	struct act_options options;
	struct VEC(struct act_done) done;
	struct VEC(char *) useless; /* ids of what did not help, or could not be done */
	bool lost;                  /* the lease has gone */
};

/* @hands must outlive it. */
void act_init(struct act *a, const struct act_hands *hands, const struct act_options *options);

/* After judge_window(): judge what is on trial, and begin what is due. */
void act_window(struct act *a, const struct judge *j, const struct rates *r);

/* Take all back that is still in force, and free it. */
void act_end(struct act *a);

#endif

/* SPDX-License-Identifier: MIT */
/* A build in which perseus-cc1 stands in for GCC's compilers proper: its set-up, and what came of it. */
#ifndef PERSEUS_CMD_BUILD_BUILD_H
#define PERSEUS_CMD_BUILD_BUILD_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "cmd/base/option.h"
#include "cmd/build/plugin-args.h"
#include "lib/spawn/environment.h"
#include "lib/err.h"
#include "lib/strbuf.h"
#include "lib/vec.h"

struct build {
	char dir[PATH_MAX];     /* private, see build-dir.h; "" if there is none */
	char links[PATH_MAX];   /* the folder for COMPILER_PATH */
	struct environment env; /* for the command; not yet ended by NULL */
};

/*
 * Make the private directory and the environment of a build with @args.
 * Fails with -ENOENT (a part of this installation is missing) or what mkdtemp()
 * says.  build_close() in any case.
 */
int build_open(struct build *b, const struct plugin_args *args, struct err *err);

/* Remove the directory with what is in it, free the rest. */
void build_close(struct build *b);

/* Forget what was counted so far. */
void build_reset(const struct build *b);

/*
 * Append a line for each compiler by which this build would be started (CC,
 * CXX, gcc, g++, cc, c++) and which would not ask for the links, because it
 * was moved after it was built.
 */
void build_moved_compilers(const struct build *b, struct strbuf *notes);

/* How many of what, in the order of their first appearance. */
struct tally VEC(struct tally_item {
	char *name;
	uint64_t n;
});

struct build_count {
	const char *with; /* what the plugin puts in: "probes"; NULL: that */
	uint64_t probes, given, plain, links, configure, preprocess;
	uint64_t cached;       /* units that ccache had, with the same probes; not among @probes */
	struct tally versions; /* of the units with probes: "gcc 12.2.0" */
	struct tally reasons;  /* of those without */
	uint64_t clang;        /* of those without */
	bool is_test;          /* while reading: what ccache says is about a configure step's program */
};

/* Read what the build's compilations left behind.  Missing files are builds without any. */
void build_count_read(struct build_count *c, const struct build *b);

/*
 * Append what people should know about a build that ended with exit status
 * @status: a line, then advice, indented by two.
 */
void build_count_say(const struct build_count *c, int status, struct strbuf *text);

/* Free the tallies. */
void build_count_release(struct build_count *c);

struct build_check {
	char *const *command;
	const char *clean;           /* non-NULL: in this directory, after this command of the shell */
	bool keep;                   /* leave the trees behind in any case */
	struct option_values ignore; /* lines that match these expressions do not count */
	struct build *build;
};

/*
 * Run the command plain twice, then with probes live: recording for timing,
 * then for sharing; say on stdout whether exit status and output are equal.
 * Returns an exit status: 0 equal, 1 different, 3 could not be tried, 5 the
 * plain command does not repeat itself, or nothing was recorded.
 */
int build_check_run(struct build_check *c, struct err *err);

#endif

/* SPDX-License-Identifier: MIT */
/* What the parts of `perseus tune` share: options, trials of a program, output. */
#ifndef PERSEUS_CMD_TUNE_TUNE_H
#define PERSEUS_CMD_TUNE_TUNE_H

#include <stdbool.h>
#include <stdint.h>

#include "cmd/base/option.h"
#include "cmd/tune/build.h"
#include "cmd/tune/figure.h"
#include "cmd/tune/plans.h"
#include "lib/hash.h"
#include "lib/strbuf.h"
#include "tuner/log/log.h"
#include "tuner/search/search.h"

/* What is to be least. */
enum tune_objective { TUNE_TIME, TUNE_ENERGY, TUNE_EDP, TUNE_OBJECTIVES };

struct figure_limits VEC(struct figure_limit);

struct tune_opts {
	const char *space; /* the tunables */
	const char *log;
	bool resume;
	uint64_t trials, seed, confirm, timeout_s;
	double drop;  /* percent */
	double worth; /* runs that shall profit */
	double slow;  /* times the best */
	const char *figure, *check;
	enum tune_objective objective; /* without a figure */
	const char *sysroot;           /* of the meter */
	const char *trade;             /* a second figure: print the front; NULL: none */
	const char *build, *builds;    /* a command, and where what it builds is kept */
	const char *plans;             /* the tunable whose values are plans */
	const char *socket;            /* of perseusd, which lends them steps; NULL: the usual one */
	const char *prove;             /* a folder for default and winner as programs */
	struct figure_limits limits;
	bool more; /* of the figure is better */
	bool ignore_output, json;
	struct option_values templates;              /* IN:OUT */
	const char *settings, *environment, *header; /* files to write */
	const char *watch;                           /* a page */
	int argc;                                    /* of the command that repeats it */
	char **argv;
	char **args; /* the program, NULL-terminated */
};

/* Runs the program with a setting; a tuner_measure's argument. */
struct tune_lab {
	const struct tune_opts *o;
	const struct space *space;
	char path[4096]; /* of the program; "": {build} is in it */
	struct builds builds;
	char build[4096]; /* of the setting that runs, "" without --build */
	struct tune_plans plans;
	int null, out;           /* descriptors: /dev/null, what it prints */
	char output[SHA256_HEX]; /* of the default's output, "" as long as it did not run */
	bool varies;             /* the default's output is not always the same */
	int received;            /* the signal that ended it, or 0 */
	uint64_t runs, total_ns; /* of the program */
	uint64_t planned;        /* runs, for the progress */
	struct strbuf why;       /* the first failure of each kind: a line each */
	bool told[TRIAL_ENDS];
	bool joules;                       /* are measured */
	const struct figure_limit *broken; /* by the last run that broke one */
	double broken_by;
	double best; /* the least value seen, for the progress; 0: none */
};

/* All that the questions and answers of a search depend on. */
void tune_key(const struct tune_opts *o, const struct space *space, char hex[SHA256_HEX]);

/* Search, compare, show; an exit status. */
int tune_search(const struct cmd *cmd, const struct tune_opts *o, const struct space *space,
		struct tune_lab *lab, struct log *log);

/* Find the program, open what it needs.  -ENOENT, -EACCES; -EINVAL: a {name} that is no tunable, or a tunable that nobody gets. */
int tune_lab_open(struct tune_lab *lab, const struct tune_opts *o, const struct space *space,
		  struct err *err);
void tune_lab_close(struct tune_lab *lab);

/* One trial.  -EINTR: a signal ended it; -EINVAL: the default's output varies, or it prints no figure. */
int tune_trial(void *lab, const struct tuner_ask *ask, struct tuner_answer *answer, struct err *err);

/* Write the files of o->templates for setting @x. */
int tune_templates(const struct tune_opts *o, const struct space *space, const struct setting *x,
		   struct err *err);

/* Append @text with each {name} of a tunable replaced by its value in @x. */
void tune_fill(const struct space *space, const struct setting *x, const char *text, struct strbuf *out);

/* ... and {build} by the folder of the last tune_lab_build(). */
void tune_lab_fill(const struct tune_lab *lab, const struct setting *x, const char *text, struct strbuf *out);

/* What the program finds in its environment, as "NAME=VALUE" with NULL at the end. */
void tune_lab_environment(const struct tune_lab *lab, const struct setting *x, struct environment *e);

/* --build for setting @x, if it is not built yet; nothing without --build.  -EINVAL: it cannot be built. */
int tune_lab_build(struct tune_lab *lab, const struct setting *x, struct err *err);

/* Is a file that is named written over, or written twice?  -EINVAL: one is. */
int tune_files_check(const struct tune_opts *o, struct err *err);

/* Say what stands in braces in arguments, templates and the command of --build and is no tunable. */
void tune_files_names(const struct tune_opts *o, const struct space *space);

/* What was found. */
struct tune_finding {
	const struct tune_opts *o;
	const struct space *space;
	const struct tuner *s;
	const struct tune_lab *lab;
	bool judged; /* the winner was compared with the default */
	struct verdict v;
	bool proven; /* perseus prove was run */
	int proof;   /* its status */
};

/* Does the objective, a limit or the second figure need a meter? */
bool tune_needs_joules(const struct tune_opts *o);

/* "gain", "cannot tell", "default". */
const char *tune_word(const struct tune_finding *f);

/* The setting to use: the winner if it gains something, else the default. */
const struct setting *tune_choice(const struct tune_finding *f);

/* Run perseus prove on default and winner, which become programs in o->prove; *status: how it ended. */
int tune_prove(struct tune_lab *lab, const struct tune_finding *f, int *status, struct err *err);

/* The forms; all append. */
void tune_text(const struct tune_finding *f, struct strbuf *out);
void tune_json(const struct tune_finding *f, struct strbuf *out);

/* The choice as name=value lines, as a script of exports, as constants for perseus/tunable.h. */
void tune_settings(const struct tune_finding *f, struct strbuf *out);
void tune_environment(const struct tune_finding *f, struct strbuf *out);
void tune_header(const struct tune_finding *f, struct strbuf *out);

#endif

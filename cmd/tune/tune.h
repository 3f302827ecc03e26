/* SPDX-License-Identifier: MIT */
/* What the parts of `perseus tune` share: options, trials of a program, output. */
#ifndef PERSEUS_CMD_TUNE_TUNE_H
#define PERSEUS_CMD_TUNE_TUNE_H

#include <stdbool.h>
#include <stdint.h>

#include "cmd/base/option.h"
#include "lib/hash.h"
#include "lib/strbuf.h"
#include "tuner/search/search.h"

struct tune_opts {
	const char *space; /* the tunables */
	const char *log;
	bool resume;
	uint64_t trials, seed, confirm, timeout_s;
	double drop;  /* percent */
	double worth; /* runs that shall profit */
	double slow;  /* times the best */
	const char *figure, *check;
	bool more; /* of the figure is better */
	bool ignore_output, json;
	struct option_values templates;              /* IN:OUT */
	const char *settings, *environment, *header; /* files to write */
	char **args;                                 /* the program, NULL-terminated */
};

/* Runs the program with a setting; a tuner_measure's argument. */
struct tune_lab {
	const struct tune_opts *o;
	const struct space *space;
	char path[4096];         /* of the program */
	int null, out;           /* descriptors: /dev/null, what it prints */
	char output[SHA256_HEX]; /* of the default's output, "" as long as it did not run */
	bool varies;             /* the default's output is not always the same */
	int received;            /* the signal that ended it, or 0 */
	uint64_t runs, total_ns; /* of the program */
	uint64_t planned;        /* runs, for the progress */
	struct strbuf why;       /* the first failure of each kind: a line each */
	bool told[TRIAL_ENDS];
	double best; /* the least value seen, for the progress; 0: none */
};

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

/* What was found. */
struct tune_finding {
	const struct tune_opts *o;
	const struct space *space;
	const struct tuner *s;
	const struct tune_lab *lab;
	bool judged; /* the winner was compared with the default */
	struct verdict v;
};

/* "gain", "cannot tell", "default". */
const char *tune_word(const struct tune_finding *f);

/* The setting to use: the winner if it gains something, else the default. */
const struct setting *tune_choice(const struct tune_finding *f);

/* The forms; all append. */
void tune_text(const struct tune_finding *f, struct strbuf *out);
void tune_json(const struct tune_finding *f, struct strbuf *out);

/* The choice as name=value lines, as a script of exports, as constants for perseus/tunable.h. */
void tune_settings(const struct tune_finding *f, struct strbuf *out);
void tune_environment(const struct tune_finding *f, struct strbuf *out);
void tune_header(const struct tune_finding *f, struct strbuf *out);

#endif

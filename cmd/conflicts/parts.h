/* SPDX-License-Identifier: MIT */
/* Printing of `perseus conflicts`, and what its gate says. */
#ifndef PERSEUS_CMD_CONFLICTS_PARTS_H
#define PERSEUS_CMD_CONFLICTS_PARTS_H

#include <stdbool.h>

#include "analyzer/patch/patch.h"
#include "analyzer/sharing/remedy.h"
#include "analyzer/sharing/sharing.h"
#include "lib/err.h"
#include "record/run.h"
#include "report/conflicts/conflicts.h"

struct conflicts_opts {
	const char *run;
	char **more; /* other recordings of the same program */
	size_t n_more;
	const char *timing;   /* a timing run, or NULL */
	const char *platform; /* file or built-in name, or NULL */
	const char *source;   /* where the sources are, or NULL: here */
	const char *sarif;    /* files to write, "-" for stdout, or NULL */
	const char *patch;
	const char *map;
	const char *plan;
	uint64_t max_bytes; /* that its layouts may take; 0: no limit */
	const char *guard;
	struct conflicts_choice choice;
	bool json, gate;
	double fail_on; /* percent of run time, if gate */
};

/* The findings for people, on stdout; insignificant ones only with --all.  @sources: what a patch would change. */
void conflicts_print(const struct sharing_report *rep, const struct run *run, const struct conflicts_opts *o,
		     struct patch *sources);

/* What --fail-on says of the findings that were asked for, by exit status. */
int conflicts_gate(const struct sharing_report *rep, const struct conflicts_opts *o);

/* Open the sources that patches are made of.  Fails if there is no such directory; else patch_release() ends it. */
int conflicts_sources(struct patch *p, const struct run *run, const struct conflicts_opts *o,
		      struct err *err);

/*
 * What to do about a finding, for people, on stdout; @sources say whether there is a patch, or a
 * layout of a plan, which takes a @machine that is known.
 */
void conflicts_print_remedies(const struct sharing_finding *f, struct patch *sources, bool machine);

/*
 * Write o->patch: a unified diff of the sources that ends the conflicts.  Where there is
 * *@nothing to change, no file is written, and stderr has the reasons.  Fails if the file
 * cannot be written, or there are no sources.
 */
int conflicts_patch(const struct sharing_report *rep, const struct run *run, const struct conflicts_opts *o,
		    bool *nothing, struct err *err);

/* Of the remedies of @f lines of its own, or NULL. */
const struct sharing_remedy *conflicts_pad_of(const struct sharing_finding *f);

/*
 * Write the layouts that end the conflicts into the plan o->plan, which is made if it is not
 * there; stderr has what they are, and what no layout ends.  Where there is *@nothing to write, no
 * file is.  -EINVAL: o->plan is another file, or its layouts do not go with these; it is kept.
 */
int conflicts_plan(const struct sharing_report *rep, const struct run *run, const struct conflicts_opts *o,
		   bool *nothing, struct err *err);

/*
 * Keep those of the @n findings @chosen whose layouts, with those of the plan @old, take no more
 * than @most bytes: what saves most for a byte first. stderr has what is left out. Returns how many
 * are kept.
 */
size_t conflicts_fit_bytes(struct patch *p, const struct run *run, struct plan *old,
			   const struct sharing_finding **chosen, size_t n, uint64_t most);

/*
 * What lies at @path, which is to be written anew with what it has: its @text, and @file, owned by the
 * caller, if symbolic links lead to it.  *there: it was read.  Fails where writing would lose
 * something: other names of the file, its protection.
 */
int conflicts_old_text(const char *path, char **file, struct strbuf *text, bool *there, struct err *err);

/*
 * Write what was found into the guard file o->guard, with what it has.  -EINVAL: o->guard is another
 * file; it is kept.  *@nothing: nothing of it is declared in a source, and no file is written.
 */
int conflicts_guard(const struct sharing_report *rep, const struct conflicts_opts *o, bool *nothing,
		    struct err *err);

#endif

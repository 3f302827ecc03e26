/* SPDX-License-Identifier: MIT */
/*
 * A plan as a library that acts in a program with probes: where its calls are among the program's call
 * slots, the generated code, and one variable more (perseus/trial.h), compiled.  Nothing of it is for
 * flight: what is reviewed is what `perseus codegen` writes.
 */
#ifndef PERSEUS_CODEGEN_TRIAL_TRIAL_H
#define PERSEUS_CODEGEN_TRIAL_TRIAL_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "codegen/view/view.h"
#include "lib/strbuf.h"
#include "record/file/sites.h"
#include "yaml/plan.h"

/* A call of a function of the generated code, at a call slot. */
struct trial_hook {
	uint64_t unit_id;
	uint32_t slot;
	size_t number; /* in the order in which they were found */
	bool after;
	char function[48];
};
struct trial_hooks VEC(struct trial_hook);

/*
 * Where the plan's calls are in a program with the site table @sites, called @program in messages; in
 * the order of struct prs_trial.hooks.  -EINVAL: a site is not there, or is another call than the plan
 * says; -ENOTSUP: the plan has what cannot be tried.
 */
int trial_hooks_find(struct trial_hooks *hooks, const struct view *v, const struct sites *sites,
		     const char *program, struct err *err);

/* Append the C text of the variable `perseus_trial`. */
void trial_emit(struct strbuf *out, const struct trial_hooks *hooks, const struct sites *sites,
		const char *sha256);

struct trial_request {
	const char *plan;    /* path of plan.yaml */
	const char *program; /* path of the executable without links */
	const char *cc;      /* compiler and flags, by blanks; NULL: gcc */
	const char *keep;    /* a directory for compiled plans, used again; NULL: none is kept */
	enum codegen_frequency frequency;
	const char *socket; /* of perseusd; NULL: the usual one */
};

struct trial_made {
	struct plan plan;
	char sha256[SHA256_HEX]; /* of plan.yaml */
	char dir[PATH_MAX];      /* to be removed at the end, or "" */
	char library[PATH_MAX];
	size_t n_settings, n_hooks, n_units; /* units of the program that have hooks */
	enum codegen_frequency frequency;    /* who is asked for frequency steps */
	bool rebuilt;                        /* the program is not the build that the plan was made from */
	bool kept;                           /* the library was there already */
	struct strbuf notes;                 /* what can never act, a sentence a line */
};

/*
 * Load, find, generate, compile.  -EINVAL, -ENODATA: the plan is wrong, of another program, or sets nothing;
 * -ENOTSUP: it has what cannot be tried; -ENOEXEC: no compiler, or it fails.
 * The caller releases @made in every case, which removes the directory.
 */
int trial_make(struct trial_made *made, const struct trial_request *request, struct err *err);
void trial_made_release(struct trial_made *made);

#endif

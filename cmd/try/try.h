/* SPDX-License-Identifier: MIT */
/* What `perseus try` says of a trial, to people and as JSON. */
#ifndef PERSEUS_CMD_TRY_TRY_H
#define PERSEUS_CMD_TRY_TRY_H

#include "codegen/trial/trial.h"
#include "lib/spawn/child.h"
#include "perseus/trial.h"

struct try_told {
	const char *plan;    /* as typed */
	const char *program; /* as typed */
	const struct trial_made *made;
	struct prs_trial_status status;
	struct child_result child;
};

/* Why the plan did not act as it was to, a sentence a line; empty: it did. */
void try_shortfall(const struct try_told *t, struct strbuf *out);

void try_text(const struct try_told *t, struct strbuf *out);
void try_json(const struct try_told *t, struct strbuf *out);

#endif

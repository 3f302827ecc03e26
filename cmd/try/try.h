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

/*
 * After a trial: wait until perseusd at @socket (NULL: the usual one) has given back the frequency
 * steps that it had lent to the process of @s.  It does so when it sees that the process has ended,
 * which the next run must not be faster than.  Not longer than CTL_TIMEOUT_MS, and not at all if
 * perseusd lent nothing or does not answer.
 */
void try_given_back(const char *socket, const struct prs_trial_status *s);

#endif

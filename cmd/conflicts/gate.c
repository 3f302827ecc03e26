/* SPDX-License-Identifier: MIT */
#include "cmd/base/cmd.h"
#include "cmd/conflicts/parts.h"

/*
 * What a gate says of one finding, by exit status.  It fails if it is sure to cost more than is allowed, or
 * if nobody knows what it costs.  Between threads that were seen on one core only no line travelled, and
 * threads whose few transfers came with their switches, while others had the cores, may only take turns:
 * what that would cost on cores of their own is not sure.
 */
static int gate_one(const struct sharing_finding *f, const struct conflicts_opts *o)
{
	bool sure = f->priced ? f->cost_low > o->fail_on : f->significant;
	bool may = f->priced ? f->cost_high > o->fail_on : f->significant;

	if (sure && !f->one_core && !f->perhaps_turns)
		return CMD_FINDINGS;
	return may ? CMD_INCONCLUSIVE : CMD_OK;
}

int conflicts_gate(const struct sharing_report *rep, const struct conflicts_opts *o)
{
	int status = rep->doubts.n ? CMD_INCONCLUSIVE : CMD_OK;

	for (size_t i = 0; i < rep->n; i++) {
		const struct sharing_finding *f = &rep->findings[i];
		int one = o->choice.n_ids && !conflicts_chosen(f, &o->choice) ? CMD_OK : gate_one(f, o);

		if (one == CMD_FINDINGS)
			return one;
		status = one ? one : status;
	}
	return status;
}

/* SPDX-License-Identifier: MIT */
/* perseus conflicts --patch: the diff for the findings that were chosen. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/patch/patch.h"
#include "cmd/base/print.h"
#include "cmd/conflicts/parts.h"
#include "lib/fs.h"
#include "lib/mem.h"

/* The first finding that a patch may be asked for by its id; NULL: there is none. */
static const char *false_sharing(const struct sharing_report *rep)
{
	for (size_t i = 0; i < rep->n; i++)
		if (rep->findings[i].verdict == SHARING_FALSE)
			return rep->findings[i].evidence;
	return NULL;
}

/* What patch(1) would call garbage goes to people instead. */
static void tell_nothing(const struct patch_result *r, const struct sharing_report *rep,
			 const struct conflicts_opts *o)
{
	const char *id = o->choice.n_ids ? NULL : false_sharing(rep);

	cmd_say(stderr, "perseus conflicts: --patch: nothing to change: %s\n",
		r->n_refusals         ? "no declaration could be changed for what was found"
		: id && rep->doubts.n ? "no false sharing is known to matter, but the run is inconclusive"
				      : "no significant false sharing");
	if (id && !r->n_refusals)
		cmd_say(stderr, "  name a finding to change what it needs: perseus conflicts --patch %s\n",
			id);
	if (r->notes.len)
		cmd_put(stderr, r->notes.s);
	if (strcmp(o->patch, "-"))
		cmd_say(stderr, "  '%s' is not written\n", o->patch);
}

int conflicts_sources(struct patch *p, const struct run *run, const struct conflicts_opts *o, struct err *err)
{
	return patch_start(p, run, o->source ? o->source : ".", err);
}

int conflicts_patch(const struct sharing_report *rep, const struct run *run, const struct conflicts_opts *o,
		    bool *nothing, struct err *err)
{
	const struct sharing_finding **chosen;
	struct patch_result r;
	struct patch p;
	size_t n = 0;
	int ret = conflicts_sources(&p, run, o, err);

	if (ret)
		return ret;
	chosen = mem_resize(NULL, rep->n + 1, sizeof(*chosen));
	for (size_t i = 0; i < rep->n; i++)
		if (rep->findings[i].verdict == SHARING_FALSE &&
		    conflicts_chosen(&rep->findings[i], &o->choice))
			chosen[n++] = &rep->findings[i];
	patch_findings(&r, &p, chosen, n);
	free(chosen);
	ret = tree_check_read(&p.tree, err);
	*nothing |= !ret && !r.diff.len;
	if (ret)
		;
	else if (!r.diff.len)
		tell_nothing(&r, rep, o);
	else
		ret = fs_write(o->patch, r.diff.s, r.diff.len, err);
	patch_result_release(&r);
	patch_release(&p);
	return ret;
}

/* SPDX-License-Identifier: MIT */
/* perseus conflicts --patch: the diff for the findings that were chosen. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/patch/patch.h"
#include "cmd/base/print.h"
#include "cmd/conflicts/parts.h"
#include "lib/fs.h"
#include "lib/mem.h"

/* What patch(1) would call garbage goes to people instead. */
static void tell_nothing(const struct patch_result *r, const char *path)
{
	cmd_say(stderr, "perseus conflicts: --patch: nothing to change: %s\n",
		r->n_refusals ? "no declaration could be changed for what was found"
			      : "no significant false sharing");
	if (r->notes.len)
		cmd_put(stderr, r->notes.s);
	if (strcmp(path, "-"))
		cmd_say(stderr, "  '%s' is not written\n", path);
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
	*nothing = !r.diff.len;
	if (*nothing)
		tell_nothing(&r, o->patch);
	else
		ret = fs_write(o->patch, r.diff.s, r.diff.len, err);
	patch_result_release(&r);
	patch_release(&p);
	return ret;
}

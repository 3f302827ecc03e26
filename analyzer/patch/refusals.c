/* SPDX-License-Identifier: MIT */
/* What is not changed: the reason, and what people can do. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/patch/jobs.h"
#include "lib/mem.h"

/*
 * What --patch does where a plan has no layout; owned by the caller.  NULL: nothing, and its own
 * reason is @why, too.
 */
static char *by_patch(struct patch *p, const struct sharing_finding *f, const char *why)
{
	struct strbuf sb = STRBUF_INIT;
	struct patch_result r;

	patch_findings(&r, p, &f, 1);
	if (r.diff.len)
		strbuf_printf(&sb, "use perseus conflicts --patch %s, which changes the sources%s",
			      f->evidence, r.n_refusals ? ", though not all that it takes" : "");
	else if (r.n_refusals && strcmp(r.refusals[0].why, why))
		strbuf_printf(&sb, "%s (perseus conflicts --patch has no change either: %s)",
			      r.refusals[0].advice, r.refusals[0].why);
	patch_result_release(&r);
	return sb.len ? strbuf_detach(&sb) : NULL;
}

/* @advice, which it takes; where the source was changed after the recording, that first. */
static char *unless_changed(struct patch *p, char *advice)
{
	const char *changed = patch_changed_since(p);
	struct strbuf since = STRBUF_INIT;

	if (!changed)
		return advice;
	strbuf_printf(&since,
		      "'%s' was changed after the recording: if it has the remedy already, build and "
		      "record again; else %s",
		      changed, advice);
	free(advice);
	return strbuf_detach(&since);
}

void job_refuse(struct jobs *jobs, const struct sharing_finding *f, const char *why, char *advice)
{
	struct patch_result *r = jobs->result;
	struct strbuf by_hand = STRBUF_INIT, head = STRBUF_INIT;
	char *patch;
	bool told;

	strbuf_printf(&head, "# %s %s: not changed: %s\n", f->evidence, f->subject, why);
	told = jobs->notes.len && strstr(jobs->notes.s, head.s);
	if (!told)
		strbuf_add(&jobs->notes, head.s, head.len);
	strbuf_release(&head);
	if (told) {
		free(advice);
		return;
	}
	patch = jobs->items ? by_patch(jobs->patch, f, why) : NULL;
	if (patch) {
		free(advice);
		advice = patch;
	} else {
		advice = unless_changed(jobs->patch, advice);
	}
	r->refusals = mem_resize(r->refusals, r->n_refusals + 1, sizeof(*r->refusals));
	r->refusals[r->n_refusals++] = (struct patch_refusal){mem_strdup(why), advice};
	strbuf_printf(&by_hand, "by hand: %s", advice);
	note_wrapped(&jobs->notes, by_hand.s);
	strbuf_release(&by_hand);
}

void job_by_hand(struct jobs *jobs, const struct sharing_finding *f, const struct sharing_object *o,
		 const char *why)
{
	job_refuse(jobs, f, why, patch_advice(f, o));
}

bool job_only_by_patch(struct jobs *jobs, const struct sharing_finding *f, const struct sharing_object *o,
		       const char *what, const char *name)
{
	struct strbuf why = STRBUF_INIT;

	if (!jobs->items)
		return false;
	strbuf_printf(&why, "threads meet %s `%s`, which no alignment of a declaration parts", what, name);
	job_by_hand(jobs, f, o, why.s);
	strbuf_release(&why);
	return true;
}

/* A source is known by the name @path; @missing: of those that are not there, the first. */
static bool is_there(struct patch *p, const char *path, const char **missing)
{
	if (!path || !*path)
		return false;
	if (patch_open(p, path))
		return true;
	*missing = *missing ? *missing : path;
	return false;
}

bool job_without_sources(struct jobs *jobs, const struct sharing_finding *f, const struct sharing_object *o)
{
	const struct run_call_site *call = o->allocation ? o->allocation : o->allocator;
	struct strbuf why = STRBUF_INIT;
	const char *missing = NULL;
	bool there = is_there(jobs->patch, o->file, &missing) ||
		     (call && is_there(jobs->patch, call->file, &missing));

	for (size_t i = 0; i < f->n_pairs && !there; i++) {
		const struct run_mem_site *sites[2] = {f->pairs[i].a.site, f->pairs[i].b.site};

		for (int s = 0; s < 2 && !there; s++)
			there = sites[s] && (is_there(jobs->patch, sites[s]->file, &missing) ||
					     is_there(jobs->patch, sites[s]->unit, &missing));
	}
	if (there || !missing)
		return false;
	strbuf_printf(&why, "its sources (%s) are not below '%s'", missing, jobs->patch->tree.root);
	job_refuse(jobs, f, why.s, mem_strdup("say where they are: perseus conflicts --source=DIR"));
	strbuf_release(&why);
	return true;
}

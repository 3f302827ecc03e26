/* SPDX-License-Identifier: MIT */
/* perseus conflicts --plan: layouts for the findings that were chosen, in a plan. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/patch/patch.h"
#include "cmd/base/print.h"
#include "cmd/conflicts/parts.h"
#include "cmd/conflicts/plan-text.h"
#include "lib/fs.h"
#include "lib/mem.h"
#include "yaml/plan.h"

#define FILE_BYTES ((size_t)32 << 20)

/* The plan that is there, or one that is begun. */
struct target {
	const char *path; /* "-": stdout */
	char *file;       /* that it leads to by symbolic links; NULL: it is none */
	struct strbuf text;
	struct plan plan; /* of the text; empty if there is none */
	bool there;
};

/* A file with other names would lose them, one that nobody may write would be another's to change. */
static int check_writable(const char *path, struct err *err)
{
	struct stat st;

	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return 0;
	if (st.st_nlink > 1)
		return err_set(err, -EINVAL,
			       "'%s' is kept: it has %lu names (hard links), and only this one "
			       "would lead to the new text",
			       path, (unsigned long)st.st_nlink);
	if (!(st.st_mode & 0222) || access(path, W_OK))
		return err_set(err, -EINVAL, "'%s' is kept: it is write-protected", path);
	return 0;
}

int conflicts_old_text(const char *path, char **file, struct strbuf *text, bool *there, struct err *err)
{
	struct stat st;
	int ret;

	*file = NULL;
	*there = false;
	if (!strcmp(path, "-"))
		return 0;
	if (lstat(path, &st))
		return errno == ENOENT
			       ? 0
			       : err_set(err, -errno, "cannot look at '%s': %s", path, strerror(errno));
	if (S_ISLNK(st.st_mode)) {
		*file = realpath(path, NULL);
		if (!*file)
			return err_set(err, -EINVAL, "'%s' is a symbolic link that leads to no file", path);
	}
	ret = check_writable(path, err);
	if (ret)
		return ret;
	strbuf_puts(text, ""); /* of an empty file, too */
	*there = true;
	return fs_read(path, FILE_BYTES, text, err);
}

static int open_target(struct target *t, const char *path, const struct run *run, struct err *err)
{
	int ret;

	*t = (struct target){.path = path};
	ret = conflicts_old_text(path, &t->file, &t->text, &t->there, err);
	if (ret || !t->there)
		return ret;
	ret = plan_parse(&t->plan, t->text.s, t->text.len, path, err);
	if (ret) {
		err_prefix(err, "'%s' is kept: it is no plan", path);
		return err->code = -EINVAL;
	}
	if (!strcmp(t->plan.program, run->manifest.program))
		return 0;
	return err_set(err, -EINVAL, "'%s' is kept: it is a plan of %s, and the run is of %s", path,
		       t->plan.program, run->manifest.program);
}

static void close_target(struct target *t)
{
	plan_release(&t->plan);
	strbuf_release(&t->text);
	free(t->file);
}

/* ---- what an item says ---- */

/* The finding that comes first in @ids. */
static const struct sharing_finding *finding_of(const struct sharing_report *rep, const char *ids)
{
	for (size_t i = 0; i < rep->n; i++) {
		size_t len = strlen(rep->findings[i].evidence);

		if (!strncmp(rep->findings[i].evidence, ids, len) && (!ids[len] || ids[len] == ','))
			return &rep->findings[i];
	}
	return NULL;
}

const struct sharing_remedy *conflicts_pad_of(const struct sharing_finding *f)
{
	for (size_t i = 0; i < f->n_remedies; i++)
		if (f->remedies[i].kind == REMEDY_PAD)
			return &f->remedies[i];
	return NULL;
}

static char *reason_of(const struct sharing_finding *f, const struct sharing_report *rep,
		       const struct plan_layout *l)
{
	const struct sharing_remedy *pad = conflicts_pad_of(f);
	struct strbuf sb = STRBUF_INIT;

	strbuf_printf(&sb, "false sharing at %s", f->subject);
	if (f->priced)
		strbuf_printf(&sb, " costs %.3g %% of run time (%.3g to %.3g %%)", f->cost, f->cost_low,
			      f->cost_high);
	if (pad && pad->priced)
		strbuf_printf(&sb, "; lines of its own save about %.3g %%, by the prices of %s",
			      pad->saves_percent, rep->platform ? rep->platform->name : "the platform");
	if (!f->priced)
		strbuf_puts(&sb, "; what it costs is not known: no prices");
	if (rep->doubts.n)
		strbuf_puts(&sb, "; the run is inconclusive");
	if (layout_is_template(l) && l->kind == PLAN_LAYOUT_FIELD)
		strbuf_printf(&sb, "; bytes and sizes are those of %s, other instances grow, too", l->type);
	else if (layout_is_template(l))
		strbuf_puts(&sb, "; bytes are those of the template's instances that were seen");
	return strbuf_detach(&sb);
}

/* No compiler sees who reads the bytes of an object elsewhere. */
static char *breaks_of(const struct sharing_remedy *pad)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_printf(&sb,
		      "%s; look at what is written to files, sent, or shared with other programs in its "
		      "form, and at "
		      "code that counts on its size",
		      pad->abi);
	return strbuf_detach(&sb);
}

static void explain(struct layout_items *x, const struct sharing_report *rep)
{
	for (size_t i = 0; i < x->at.n; i++) {
		struct plan_layout *l = x->at.at[i].l;
		const struct sharing_finding *f = x->at.at[i].old ? NULL : finding_of(rep, l->evidence);
		const struct sharing_remedy *pad = f ? conflicts_pad_of(f) : NULL;

		if (!f)
			continue;
		l->reason = reason_of(f, rep, l);
		if (l->kind == PLAN_LAYOUT_FIELD && pad && pad->abi)
			l->breaks = breaks_of(pad);
	}
}

/* ---- writing ---- */

/* A plan with nothing but these layouts; they stay their owner's. */
static int whole_plan(struct strbuf *out, const struct sharing_report *rep, const struct run *run,
		      const struct plan_layout *const *layouts, size_t n, struct err *err)
{
	struct plan p = {0};

	if (!rep->platform) {
		err_set(err, -EINVAL, "a plan names its machine, and there is no platform.yaml here");
		return err_advise(err, "perseus calibrate makes one, or name it with --platform=P");
	}
	plan_begin(&p, &run->manifest, rep->platform, "layouts");
	p.kind = PLAN_KIND_START;
	p.layouts = mem_new(n, sizeof(*p.layouts));
	for (size_t i = 0; i < n; i++)
		p.layouts[i] = *layouts[i];
	p.n_layouts = n;
	plan_text(&p, out);
	free(p.layouts);
	p.layouts = NULL;
	p.n_layouts = 0;
	plan_release(&p);
	return 0;
}

static void tell_layout(const struct layout_item *it)
{
	const struct plan_layout *l = it->l;
	struct strbuf name = STRBUF_INIT;

	plan_layout_name(l, &name);
	cmd_say(stderr, "  %s: %s (%s:%u) %s: %llu bytes instead of %llu, in all +%llu%s\n", l->evidence,
		name.s, l->file, l->line,
		it->loose ? "lies a line away from what others use" : "begins a line",
		(unsigned long long)l->size_after, (unsigned long long)l->size, (unsigned long long)l->bytes,
		!layout_is_template(l)         ? ""
		: l->kind == PLAN_LAYOUT_FIELD ? " of this instance, and others grow, too"
					       : " of the instances seen");
	strbuf_release(&name);
}

static void tell_layouts(const struct layout_items *x, const char *path, size_t n)
{
	cmd_say(stderr, "perseus conflicts: --plan: %zu layout%s in '%s'\n", n, n == 1 ? "" : "s", path);
	for (size_t i = 0; i < x->at.n; i++)
		if (!x->at.at[i].old)
			tell_layout(&x->at.at[i]);
	if (strcmp(path, "-"))
		cmd_say(stderr,
			"  next: perseus codegen %s -o DIR, and build with "
			"perseus build --plan=DIR/perseus_triggers.plan\n",
			path);
}

static int write_plan(struct target *t, const struct layout_items *x, const struct sharing_report *rep,
		      const struct run *run, struct err *err)
{
	const struct plan_layout **list = mem_new(x->at.n + 1, sizeof(const struct plan_layout *));
	struct strbuf out = STRBUF_INIT;
	size_t n = 0;
	int ret;

	for (size_t i = 0; i < x->at.n; i++)
		if (!x->at.at[i].old)
			list[n++] = x->at.at[i].l;
	ret = t->there ? plan_text_extend(&out, &t->text, t->path, list, n, err)
		       : whole_plan(&out, rep, run, list, n, err);
	if (!ret)
		ret = fs_write(t->file ? t->file : t->path, out.s, out.len, err);
	if (!ret)
		tell_layouts(x, t->path, n);
	strbuf_release(&out);
	free(list);
	return ret;
}

/* @cut: there are layouts that do not fit. */
static void tell_refused(const struct patch_result *r, const struct layout_items *x, const struct target *t,
			 bool any, bool cut)
{
	if (!any && x->n_known)
		cmd_say(stderr, "perseus conflicts: --plan: '%s' has each of these layouts\n", t->path);
	else if (!any)
		cmd_say(stderr, "perseus conflicts: --plan: %s%s%s%s\n",
			r->n_refusals ? "no layout ends what was found"
			: cut         ? "no layout fits --max-bytes"
				      : "no significant false sharing",
			strcmp(t->path, "-") ? "\n  '" : "", strcmp(t->path, "-") ? t->path : "",
			strcmp(t->path, "-") ? "' is not written" : "");
	if (r->notes.len)
		cmd_put(stderr, r->notes.s);
}

static int make(struct target *t, struct patch *p, const struct sharing_report *rep, const struct run *run,
		const struct conflicts_opts *o, bool *nothing, struct err *err)
{
	const struct sharing_finding **chosen = mem_new(rep->n + 1, sizeof(*chosen));
	struct layout_items x;
	struct patch_result r;
	size_t n = 0, all;
	bool any;
	int ret;

	for (size_t i = 0; i < rep->n; i++)
		if (rep->findings[i].verdict == SHARING_FALSE &&
		    conflicts_chosen(&rep->findings[i], &o->choice))
			chosen[n++] = &rep->findings[i];
	all = n;
	if (o->max_bytes)
		n = conflicts_fit_bytes(p, run, &t->plan, chosen, n, o->max_bytes);
	layout_items_begin(&x, run, t->plan.layouts, t->plan.n_layouts);
	ret = patch_layouts(&r, p, chosen, n, &x, err);
	if (ret)
		err->code = ret = -EINVAL;
	if (!ret)
		ret = tree_check_read(&p->tree, err);
	any = x.at.n > t->plan.n_layouts;
	if (!ret)
		explain(&x, rep);
	if (!ret && any)
		ret = write_plan(t, &x, rep, run, err);
	if (!ret)
		tell_refused(&r, &x, t, any, n < all);
	*nothing |= !ret && !any && !x.n_known;
	patch_result_release(&r);
	layout_items_release(&x);
	free(chosen);
	return ret;
}

int conflicts_plan(const struct sharing_report *rep, const struct run *run, const struct conflicts_opts *o,
		   bool *nothing, struct err *err)
{
	struct target t;
	struct patch p;
	int ret = open_target(&t, o->plan, run, err);

	if (!ret)
		ret = conflicts_sources(&p, run, o, err);
	if (!ret) {
		ret = make(&t, &p, rep, run, o, nothing, err);
		patch_release(&p);
	}
	close_target(&t);
	return ret;
}

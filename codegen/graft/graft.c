/* SPDX-License-Identifier: MIT */
#include "codegen/graft/graft.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codegen/graft/edit.h"
#include "codegen/graft/find.h"
#include "codegen/graft/name.h"
#include "codegen/view/text.h"
#include "codegen/view/view.h"
#include "record/file/sites.h"
#include "lib/mem.h"
#include "lib/vec.h"
#include "perseus/triggers.h"

#define TEXT_BYTES  400u
#define NAME_BYTES  120u
#define SHORT_BYTES 60u
#define MISSING     3u /* files that are named one by one */

struct jobs VEC(struct graft_job);

struct graft {
	const struct view *v;
	struct graft_output *out;
	struct graft_tree tree;
	struct sites sites;
	struct jobs jobs;
	struct strbuf list; /* what is done, for the head of the patch */
	const char *sha256;
};

static void place_name(struct strbuf *out, const char *file, uint32_t line, const char *function)
{
	text_comment(out, file, TEXT_BYTES);
	if (line)
		strbuf_printf(out, ":%u", line);
	strbuf_puts(out, " ");
	graft_name_print(out, function, TEXT_BYTES);
}

static void name_calls(struct strbuf *out, const char (*names)[48], unsigned n, const char *side)
{
	for (unsigned i = 0; i < n; i++)
		strbuf_printf(out, "%s%s()", i ? " and " : "", names[i]);
	if (n)
		strbuf_printf(out, " %s", side);
}

/* "a() before and b() after the call of f" */
static void graft_describe(struct strbuf *out, const struct graft_job *j)
{
	name_calls(out, j->before, j->n_before, "before");
	if (j->n_before && j->n_after)
		strbuf_puts(out, ", ");
	name_calls(out, j->after, j->n_after, "after");
	strbuf_puts(out, " the call of ");
	graft_name_print(out, j->site->callee, TEXT_BYTES);
}

static const char *file_of(const struct plan_site *s)
{
	return s->file ? s->file : s->unit;
}

static void by_hand(struct graft *g, const struct graft_job *j, const char *why)
{
	struct strbuf *out = &g->out->by_hand;

	strbuf_puts(out, "by hand: ");
	place_name(out, j->file ? j->file->name : file_of(j->site), j->site->line, j->site->function);
	strbuf_puts(out, ": ");
	text_comment(out, why, TEXT_BYTES);
	/* What stands in a header of the library is nothing that anybody can insert at this line. */
	strbuf_puts(out, graft_in_library(&g->tree, j->site) ? "; there belongs " : "; insert ");
	graft_describe(out, j);
	strbuf_puts(out, "\n");
}

/* Functions of pthreads that return int. */
static bool returns_int(const char *callee)
{
	static const char *const others[] = {"pthread_self", "pthread_getspecific",
					     "pthread_exit", "pthread_testcancel",
					     "sem_open",     NULL};

	for (const char *const *p = others; *p; p++)
		if (!strcmp(callee, *p))
			return false;
	return !strncmp(callee, "pthread_", 8) || !strncmp(callee, "sem_", 4) ||
	       !strncmp(callee, "thrd_create", 12) || !strncmp(callee, "thrd_join", 10);
}

/* A patch upon a patch would count twice. */
static bool is_grafted(const struct graft_file *f, struct strbuf *why)
{
	bool is = false;

	for (size_t i = 0; i < f->src.n && !is; i++) {
		const struct token *k = &f->src.at[i];

		is = k->kind == TOKEN_DIRECTIVE && k->len > 18 &&
		     memmem(f->src.text + k->at, k->len, "perseus_triggers.h", 18);
	}
	if (!is)
		return false;
	strbuf_puts(why, "the file includes perseus_triggers.h already: if it was grafted before, reverse "
			 "that patch first");
	return true;
}

/* The call is in a header of the C++ library: only a compiler comes there. */
static void say_library(const struct plan_site *site, struct strbuf *why)
{
	strbuf_puts(why, "the call is made inside of ");
	graft_name_print(why, site->function, NAME_BYTES);
	strbuf_puts(why, ", in a header of the C++ library outside of the directory of the sources, where no "
			 "graft can be: compile ");
	text_comment(why, site->unit, NAME_BYTES);
	strbuf_puts(why, " with the plugin, from its source without this patch, or call what starts the "
			 "thread (pthread_create) in the source itself, and record that");
}

/* The job at the call of @site; a new one if there is none.  NULL: by hand, which is said. */
static struct graft_job *job_at(struct graft *g, const struct plan_site *site, struct graft_job *fresh,
				struct strbuf *why)
{
	const char *partial;

	if (graft_in_library(&g->tree, site)) {
		say_library(site, why);
		return NULL;
	}
	/* Of copies nothing can be said where there is no original. */
	if (!graft_has_function(&g->tree, site, why))
		return NULL;
	partial = graft_sites_partial(&g->sites, site);
	if (partial) {
		strbuf_puts(why, partial);
		return NULL;
	}
	fresh->file = graft_find(&g->tree, &g->sites, site, &fresh->call, why);
	if (!fresh->file || is_grafted(fresh->file, why))
		return NULL;
	for (size_t i = 0; i < g->jobs.n; i++)
		if (g->jobs.at[i].file == fresh->file && g->jobs.at[i].call.open == fresh->call.open)
			return &g->jobs.at[i];
	fresh->known_int = returns_int(site->callee);
	vec_push(&g->jobs, *fresh);
	return &g->jobs.at[g->jobs.n - 1];
}

static void add_name(char (*names)[48], unsigned *n, const char *name)
{
	if (*n < GRAFT_SIDE)
		snprintf(names[(*n)++], sizeof(*names), "%s", name);
}

/* One item of the plan: @before and @after are names of functions, or NULL. */
static void add_item(struct graft *g, uint32_t site, const char *before, const char *after,
		     const char *result)
{
	struct graft_job fresh = {.site = &g->v->plan->sites[site]}, wanted = fresh, *j;
	struct strbuf why = STRBUF_INIT;

	g->out->places++;
	j = job_at(g, fresh.site, &fresh, &why);
	if (!j) {
		if (before)
			add_name(wanted.before, &wanted.n_before, before);
		if (after)
			add_name(wanted.after, &wanted.n_after, after);
		by_hand(g, &wanted, why.s);
	} else if (j->site != fresh.site && strcmp(j->site->instance, fresh.site->instance)) {
		by_hand(g, &wanted, "two copies of one call have triggers of their own");
	} else {
		if (!*j->result)
			snprintf(j->result, sizeof(j->result), "%s", result);
		if (before)
			add_name(j->before, &j->n_before, before);
		if (after)
			add_name(j->after, &j->n_after, after);
	}
	strbuf_release(&why);
}

static void add_creates(struct graft *g)
{
	for (uint32_t i = 0; i < g->v->creates.n; i++) {
		char begin[48], result[48];

		snprintf(begin, sizeof(begin), PRS_FN_CREATE_BEGIN, i + 1);
		snprintf(result, sizeof(result), "perseus_created_%u", i + 1);
		add_item(g, g->v->creates.at[i], begin, PRS_FN_CREATE_END, result);
	}
}

static void add_points(struct graft *g)
{
	for (size_t i = 0; i < g->v->points.n; i++) {
		const struct view_point *p = &g->v->points.at[i];
		char name[48], result[48];

		snprintf(name, sizeof(name), PRS_TRIGGER_PREFIX "%04u", p->number);
		snprintf(result, sizeof(result), "perseus_result_%04u", p->number);
		add_item(g, p->site, p->after ? NULL : name, p->after ? name : NULL, result);
	}
}

static void add_start(struct graft *g)
{
	struct strbuf why = STRBUF_INIT;
	size_t open = 0;
	struct graft_file *f = graft_find_main(&g->tree, &g->sites, g->v->plan, &open, &why);
	const char *bad = !f || is_grafted(f, &why) ? why.s : graft_edit_start(f, open);

	g->out->places++;
	if (bad) {
		strbuf_puts(&g->out->by_hand, "by hand: ");
		place_name(&g->out->by_hand, f ? f->name : "-", f ? f->src.at[open].line : 0, "main");
		strbuf_printf(&g->out->by_hand, ": %s; insert %s() first thing in main()\n", bad,
			      PRS_FN_PROGRAM_START);
	} else {
		g->out->done++;
		strbuf_puts(&g->list, "# ");
		place_name(&g->list, f->name, f->src.at[open].line, "main");
		strbuf_puts(&g->list, ": " PRS_FN_PROGRAM_START "()\n");
	}
	strbuf_release(&why);
}

/* What comes by every way out, exceptions included, is the plugin's to make. */
static void add_flushes(struct graft *g)
{
	const struct plan *p = g->v->plan;

	for (size_t i = 0; i < p->n_flushes; i++) {
		const struct plan_flush *f = &p->flushes[i];

		g->out->places++;
		strbuf_puts(&g->out->by_hand, "by hand: ");
		place_name(&g->out->by_hand, f->unit, f->line, f->function);
		strbuf_printf(
			&g->out->by_hand,
			": a flush is not grafted; insert perseus_flush_%1$u_begin() first thing in it, and "
			"perseus_flush_%1$u_end() on every way out\n",
			f->number);
	}
}

/* `perseus conflicts --patch` writes alignments into sources, from the finding. */
static void add_layouts(struct graft *g)
{
	const struct plan *p = g->v->plan;

	for (size_t i = 0; i < p->n_layouts; i++) {
		const struct plan_layout *l = &p->layouts[i];
		struct strbuf name = STRBUF_INIT;

		plan_layout_name(l, &name);
		g->out->places++;
		strbuf_puts(&g->out->by_hand, "by hand: ");
		place_name(&g->out->by_hand, l->file, l->line, name.s);
		strbuf_printf(&g->out->by_hand, ": a layout is not grafted; align it to %u bytes\n",
			      l->align);
		strbuf_release(&name);
	}
}

static int graft_by_place(const void *a, const void *b)
{
	const struct graft_job *x = a, *y = b;
	int order = strcmp(x->file->name, y->file->name);

	return order ? order : x->call.open < y->call.open ? -1 : x->call.open > y->call.open;
}

static void make_edits(struct graft *g)
{
	if (g->jobs.n)
		qsort(g->jobs.at, g->jobs.n, sizeof(*g->jobs.at), graft_by_place);
	for (size_t i = 0; i < g->jobs.n; i++) {
		const struct graft_job *j = &g->jobs.at[i];
		const char *why = graft_edit_call(j);

		if (why) {
			by_hand(g, j, why);
			continue;
		}
		/* A creation is one item with two calls. */
		g->out->done += j->n_before + j->n_after - !strncmp(j->result, "perseus_created_", 16);
		strbuf_puts(&g->list, "# ");
		place_name(&g->list, j->file->name, j->file->src.at[j->call.name].line, j->site->function);
		strbuf_puts(&g->list, ": ");
		graft_describe(&g->list, j);
		strbuf_puts(&g->list, "\n");
	}
}

static int graft_by_name(const void *a, const void *b)
{
	struct graft_file *const *x = a, *const *y = b;

	return strcmp((*x)->name, (*y)->name);
}

static void add_header(struct graft *g, struct graft_file *f)
{
	const char *why = graft_edit_include(f, g->sha256);

	if (!why)
		return;
	strbuf_puts(&g->out->by_hand, "by hand: ");
	text_comment(&g->out->by_hand, f->name, TEXT_BYTES);
	strbuf_printf(&g->out->by_hand, ": %s; insert it behind the other #include lines\n", why);
	g->out->places++;
}

/* The files that change, in the order of their names, into the patch. */
static void make_diff(struct graft *g, struct strbuf *diff)
{
	if (g->tree.n_files)
		qsort(g->tree.files, g->tree.n_files, sizeof(*g->tree.files), graft_by_name);
	for (size_t i = 0; i < g->tree.n_files; i++) {
		struct graft_file *f = g->tree.files[i];

		if (!f->edits.n)
			continue;
		add_header(g, f);
		edits_diff(diff, &f->edits, f->name, f->src.text, f->src.len);
		g->out->files++;
	}
}

/* Each line of @text behind "# ". */
static void comment_lines(struct strbuf *out, const struct strbuf *text)
{
	for (const char *p = text->s; p && *p; p += strcspn(p, "\n") + 1) {
		strbuf_puts(out, "# ");
		strbuf_add(out, p, strcspn(p, "\n") + 1);
	}
}

static void make_head(struct graft *g)
{
	struct strbuf *out = &g->out->patch;

	strbuf_puts(out, "# Calls of the triggers of ");
	text_comment(out, g->v->in->plan_name, TEXT_BYTES);
	strbuf_printf(out,
		      ", sha256 %s\n# perseus %s.  In the directory of the sources: patch -p1 "
		      "<perseus_graft.patch, or "
		      "git apply;\n# compile with -I for perseus_triggers.h, link with perseus_triggers.o "
		      "and the platform "
		      "file.\n# %zu of %zu places:\n",
		      g->sha256, PERSEUS_VERSION, g->out->done, g->out->places);
	strbuf_add(out, g->list.s ? g->list.s : "", g->list.len);
	comment_lines(out, &g->out->by_hand);
	strbuf_puts(out, "\n");
}

/* ---- is it the program at all? ---- */

struct foreign {
	struct strbuf missing; /* files, and functions of files, of the plan that the sources do not have */
	size_t sites, found, listed;
	bool more;
	const char *names[MISSING];
};

static bool is_listed(const struct foreign *f, const char *file)
{
	for (size_t i = 0; i < f->listed; i++)
		if (!strcmp(f->names[i], file))
			return true;
	return false;
}

static bool is_here(struct graft *g, const struct plan_site *site, struct strbuf *why)
{
	const char *ignored;

	if (!graft_in_library(&g->tree, site))
		return graft_has_function(&g->tree, site, why);
	strbuf_puts(why, "the file is not below the directory of the sources");
	return graft_tree_find(&g->tree, site->unit, &ignored) != NULL;
}

static void look_for(struct graft *g, uint32_t index, struct foreign *f)
{
	const struct plan_site *site = &g->v->plan->sites[index];
	struct strbuf why = STRBUF_INIT;

	f->sites++;
	if (is_here(g, site, &why)) {
		f->found++;
	} else if (f->listed == MISSING) {
		f->more |= !is_listed(f, file_of(site));
	} else if (!is_listed(f, file_of(site))) {
		f->names[f->listed++] = file_of(site);
		strbuf_puts(&f->missing, "\n  ");
		text_comment(&f->missing, file_of(site), SHORT_BYTES);
		strbuf_puts(&f->missing, ": ");
		text_comment(&f->missing, why.s, SHORT_BYTES);
	}
	strbuf_release(&why);
}

/* A patch of another program's sources is worse than none. */
static int refuse_foreign(struct graft *g, const char *root, struct err *err)
{
	struct foreign f = {.missing = STRBUF_INIT};
	int ret = 0;

	for (uint32_t i = 0; i < g->v->creates.n; i++)
		look_for(g, g->v->creates.at[i], &f);
	for (size_t i = 0; i < g->v->points.n; i++)
		look_for(g, g->v->points.at[i].site, &f);
	if (f.sites && !f.found) {
		ret = err_set(err, -ENOENT,
			      "--graft: '%s' holds no function that the plan makes a call in%s%s", root,
			      f.missing.s, f.more ? "\n  and more" : "");
		err_advise(err, "expected the sources of the program that was recorded for the plan");
	}
	strbuf_release(&f.missing);
	return ret;
}

static int graft_create(struct graft *g, const struct graft_input *in, struct err *err)
{
	struct strbuf diff = STRBUF_INIT;
	int ret = graft_tree_open(&g->tree, in->root, err);

	if (!ret && in->program)
		ret = graft_sites_read(&g->sites, in->program, in->plan->plan, err);
	if (!ret)
		ret = refuse_foreign(g, in->root, err);
	if (ret)
		return ret;
	add_start(g);
	add_creates(g);
	add_points(g);
	add_flushes(g);
	add_layouts(g);
	make_edits(g);
	ret = tree_check_read(&g->tree.tree, err);
	if (ret)
		return ret;
	make_diff(g, &diff);
	make_head(g);
	strbuf_add(&g->out->patch, diff.s ? diff.s : "", diff.len);
	strbuf_release(&diff);
	return 0;
}

int graft_make(struct graft_output *out, const struct graft_input *in, struct err *err)
{
	struct view v;
	struct graft g = {.v = &v, .out = out, .sha256 = in->plan->sha256};
	int ret = view_init(&v, in->plan, err);

	*out = (struct graft_output){0};
	if (!ret)
		ret = graft_create(&g, in, err);
	graft_tree_release(&g.tree);
	sites_release(&g.sites);
	vec_release(&g.jobs);
	strbuf_release(&g.list);
	view_release(&v);
	return ret;
}

void graft_release(struct graft_output *out)
{
	strbuf_release(&out->patch);
	strbuf_release(&out->by_hand);
}

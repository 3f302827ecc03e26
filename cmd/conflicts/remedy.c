/* SPDX-License-Identifier: MIT */
/* What to do about a finding, in text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/sharing/parts.h"
#include "analyzer/sharing/remedy.h"
#include "analyzer/sharing/remedy-layout.h"
#include "cmd/base/print.h"
#include "cmd/conflicts/parts.h"
#include "lib/strbuf.h"

/* Members shown of a layout; more than that are left out where nobody fights for them. */
#define MEMBERS_SHOWN 12u

/* @patch: what --patch has of it, NULL: nothing. */
static void saving(struct strbuf *sb, const struct sharing_remedy *r, const struct patch_result *patch)
{
	uint64_t bytes = patch ? patch->bytes : r->bytes;
	double s = r->saves_percent;

	if (r->kind <= REMEDY_SPLIT && (bytes || r->n_layouts))
		strbuf_printf(sb, "+%llu bytes", (unsigned long long)bytes);
	if (r->priced && s >= 0.05)
		strbuf_printf(sb, "%ssaves about %.*f %%", sb->len ? ", " : "", s < 10 ? 1 : 0, s);
}

/* Columns of a line of text. */
#define COLUMNS 98u

/* "no patch: the definition of ...", in lines of their own below a remedy. */
static void print_below(const char *head, const char *text)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_printf(&sb, "%14s%s", "", head);
	strbuf_wrap(&sb, text, "                ", COLUMNS);
	cmd_print("%s\n", sb.s);
	strbuf_release(&sb);
}

/* What --patch would do: the command, or why it has nothing to write. */
static void print_patch(const struct sharing_finding *f, const struct patch_result *r, bool more)
{
	if (r->diff.len)
		cmd_print("%sperseus conflicts --patch %s", more ? "   " : "", f->evidence);
	cmd_print("\n");
	for (size_t i = 0; i < r->n_refusals; i++) {
		print_below(r->diff.len ? "not in the patch: " : "no patch: ", r->refusals[i].why);
		print_below("by hand: ", r->refusals[i].advice);
	}
	if (!r->diff.len && !r->n_refusals)
		print_below("no patch: ", "nothing in the sources would change");
}

/* The command that has the compiler do it; a plan names its machine. */
static void print_plan(const struct sharing_finding *f, struct patch *sources, bool machine)
{
	struct patch_result r;

	if (patch_by_plan(&r, sources, f)) {
		cmd_print("%14sin a plan: perseus conflicts --plan=plan.yaml %s%s\n", "", f->evidence,
			  machine ? "" : " --platform=P");
		for (size_t i = 0; i < r.n_refusals; i++)
			print_below("not in the plan: ", r.refusals[i].why);
	}
	patch_result_release(&r);
}

/* The rest of a line that begins with @saving, and what does not fit below it. */
static void print_text(const struct strbuf *saving, const char *text)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_printf(&sb, "%25s%s%s", "", saving->len ? saving->s : "", saving->len ? ": " : "");
	strbuf_wrap(&sb, text, "                           ", COLUMNS);
	cmd_print("%s\n", sb.s + 25 + saving->len);
	strbuf_release(&sb);
}

static void print_remedy(const struct sharing_finding *f, const struct sharing_remedy *r, bool first,
			 const struct patch_result *patch)
{
	struct strbuf sb = STRBUF_INIT;

	saving(&sb, r, r->kind == REMEDY_PAD && patch->diff.len ? patch : NULL);
	cmd_print("    %-9s %-10s %s", first ? "remedy" : "", remedy_name(r->kind), sb.len ? sb.s : "");
	if (r->kind == REMEDY_PAD)
		print_patch(f, patch, sb.len);
	else
		print_text(&sb, r->text);
	strbuf_release(&sb);
}

/* Of the thread @at of use number @use there is an earlier use in the same member. */
static bool known_before(const struct sharing_object *o, const struct remedy_member *m, size_t use, size_t at)
{
	for (size_t i = 0; i < use; i++)
		for (size_t t = 0; layout_holds(m, o->uses[i].field) && t < o->uses[i].n_threads; t++)
			if (o->uses[i].threads[t] == o->uses[use].threads[at])
				return true;
	return false;
}

/* The threads that use the member, three of them by name; of bits of one word those that use others of it. */
static void print_threads(const struct sharing_object *o, const struct remedy_member *m)
{
	bool own = false;
	size_t n = 0;

	for (size_t i = 0; i < o->n_uses; i++)
		own |= layout_holds(m, o->uses[i].field);
	for (size_t i = 0; i < o->n_uses; i++)
		for (size_t t = 0; t < o->uses[i].n_threads; t++) {
			bool in = own ? layout_holds(m, o->uses[i].field) : (int32_t)i == m->group;

			if (!in || known_before(o, m, i, t))
				continue;
			if (n++ < 3 && o->uses[i].names)
				cmd_print("%s%s", n > 1 ? ", " : "", o->uses[i].names[t]);
		}
	if (n > 3)
		cmd_print(", ... %zu threads", n);
}

static void print_member(const struct sharing_object *o, const struct remedy_member *m)
{
	cmd_print("    %-9s   %-20s %5llu %6llu %6llu  ", "", m->name, (unsigned long long)m->bytes,
		  (unsigned long long)m->now, (unsigned long long)m->then);
	if (m->group >= 0)
		print_threads(o, m);
	cmd_print("\n");
}

/* Current and proposed layout side by side. */
static void print_layout(const struct sharing_finding *f, const struct remedy_layout *l)
{
	const struct sharing_object *o = &f->objects[l->object];
	char *type = layout_type(l);
	size_t cold = 0, hidden = 0;

	cmd_print("    %-9s %s, %llu bytes now, %llu then%s\n", "layout", type,
		  (unsigned long long)l->bytes_now, (unsigned long long)l->bytes_then,
		  l->gaps ? " (allocated: apart by gaps)" : "");
	free(type);
	cmd_print("    %-9s   %-20s %5s %6s %6s  %s\n", "", "member", "bytes", "now", "then", "disputed by");
	for (size_t i = 0; i < l->n_members; i++) {
		cold += l->members[i].group < 0;
		if (l->members[i].group < 0 && cold > MEMBERS_SHOWN)
			hidden++;
		else
			print_member(o, &l->members[i]);
	}
	if (hidden)
		cmd_print("    %-9s   ... %zu members that no thread fights for\n", "", hidden);
}

/* The order that a reordering proposes, where one struct holds all of it. */
static void print_order(const struct sharing_remedy *r)
{
	for (size_t k = 0; k < r->n_layouts; k++) {
		const struct remedy_layout *l = &r->layouts[k];
		char *order = layout_order(l);

		cmd_print("    %-9s %s as %s: %llu bytes ('|': a line begins)\n", "reorder", l->type, order,
			  (unsigned long long)l->bytes_then);
		free(order);
	}
}

static bool pads(const struct sharing_finding *f)
{
	for (size_t i = 0; i < f->n_remedies; i++)
		if (f->remedies[i].kind == REMEDY_PAD)
			return true;
	return false;
}

/* The layouts of the patch if there is one, else those that were proposed; and what the change means to others. */
static void print_pad(const struct sharing_finding *f, const struct sharing_remedy *r,
		      const struct patch_result *patch)
{
	const struct remedy_layout *l = patch->diff.len ? patch->layouts : r->layouts;
	size_t n = patch->diff.len ? patch->n_layouts : r->n_layouts;

	for (size_t i = 0; i < n; i++)
		print_layout(f, &l[i]);
	if (r->abi)
		cmd_print("    %-9s %s\n", "ABI", r->abi);
}

void conflicts_print_remedies(const struct sharing_finding *f, struct patch *sources, bool machine)
{
	struct patch_result patch;

	patch_findings(&patch, sources, &f, 1);
	if (f->verdict == SHARING_UNCLEAR)
		cmd_print("    %-9s which bytes of the line each thread needs was not seen: record again for "
			  "longer,\n"
			  "              or with -fno-tree-vectorize: a vector takes in what lies between\n",
			  "remedy");
	if (f->verdict == SHARING_TRUE)
		cmd_print("    %-9s the threads need the same bytes: access them less often\n", "remedy");
	for (size_t i = 0; i < f->n_remedies; i++) {
		print_remedy(f, &f->remedies[i], !i && f->verdict == SHARING_FALSE, &patch);
		if (f->remedies[i].kind == REMEDY_PAD && f->verdict == SHARING_FALSE)
			print_plan(f, sources, machine);
	}
	if (f->no_layout && !pads(f))
		cmd_print("    %-9s %s\n", "no pad", f->no_layout);
	for (size_t i = 0; i < f->n_remedies; i++)
		if (f->remedies[i].kind == REMEDY_PAD)
			print_pad(f, &f->remedies[i], &patch);
		else if (f->remedies[i].kind == REMEDY_REORDER)
			print_order(&f->remedies[i]);
	patch_result_release(&patch);
}

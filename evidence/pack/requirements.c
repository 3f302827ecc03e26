/* SPDX-License-Identifier: MIT */
/*
 * The user's requirements, as CSV
 *
 *	requirement,item,text
 *	SYS-12,"trigger 0118; share-001274","The filter shall ..."
 *
 * or as YAML (a file named *.yaml or *.yml), a list of maps with the keys
 * requirement, item and text, where item may be a list.  An item is a thread
 * or trigger of the plan ("thread 1", "threads[1]", "trigger 0118"), a flush or
 * layout, a finding, a call site by its id, or a derived requirement.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evidence/pack/csv.h"
#include "evidence/pack/parts.h"
#include "lib/shown.h"
#include "lib/num.h"
#include "yaml/doc.h"

#define MAX_REQUIREMENTS 100000u

/* ---- targets ---- */

static void target(struct evidence_requirement *r, const char *word, uint32_t index)
{
	for (size_t i = 0; i < r->targets.n; i++)
		if (r->targets.at[i].index == index)
			return;
	match_add(&r->targets, mem_strdup(word), index);
}

/* "trigger 118", "trigger 0118": by number. */
static bool is_number_of(const struct evidence_item *it, const char *word)
{
	uint64_t number;

	return it->kind == ITEM_TRIGGER && !strncmp(word, "trigger ", 8) &&
	       !num_u64(word + 8, 1, 9999, &number) && number == it->number;
}

static bool names_item(const struct evidence *p, const struct evidence_item *it, const char *word)
{
	if (!strcmp(it->id, word) || !strcmp(it->place, word) || is_number_of(it, word))
		return true;
	for (size_t i = 0; i < it->findings.n; i++)
		if (!strcmp(it->findings.at[i], word))
			return true;
	return it->site < p->in->plan->n_sites && !strcmp(p->in->plan->sites[it->site].id, word);
}

/* Advice with the derived requirements of the code as such that this plan has. */
static int advise_derived(const struct evidence *p, struct err *err)
{
	struct strbuf list = STRBUF_INIT;
	int ret;

	for (size_t i = 0; i < p->derived.n; i++)
		if (p->derived.at[i].item == PLAN_NONE)
			strbuf_printf(&list, "%s%s", list.len ? ", " : "", p->derived.at[i].id);
	ret = err_advise(err,
			 "it has %s, DR-S... for each thread placed, DR-T.... for each trigger, DR-F... "
			 "for each flush and DR-L... for each layout",
			 list.len ? list.s : "none of the code as such");
	strbuf_release(&list);
	return ret;
}

static int resolve(const struct evidence *p, struct evidence_requirement *r, const char *word,
		   struct err *err)
{
	uint32_t derived = derived_find(p, word);
	size_t before = r->targets.n;
	bool known = derived != PLAN_NONE;

	for (uint32_t i = 0; i < p->items.n; i++)
		if (names_item(p, &p->items.at[i], word)) {
			known = true;
			target(r, word, i);
		}
	if (derived != PLAN_NONE)
		target(r, word, (uint32_t)p->items.n + derived);
	if (known || r->targets.n > before)
		return 0;
	if (!strncmp(word, "DR-", 3)) {
		err_set(err, -EINVAL,
			"%s line %u: requirement %.60s: this plan has no derived requirement '%.60s'",
			p->in->requirements.path, r->line, r->id, word);
		return advise_derived(p, err);
	}
	err_set(err, -EINVAL, "%s line %u: requirement %s: unknown item '%s'", p->in->requirements.path,
		r->line, r->id, word);
	return err_advise(
		err,
		"expected `thread N`, `trigger NNNN`, `flush N`, `layout N`, a finding or a call site of the "
		"plan, or DR-..");
}

/* ---- one requirement ---- */

static bool is_clean(const char *s)
{
	size_t n;

	for (; *s; s += n)
		if (shown_not(shown_char(s, &n)))
			return false;
	return true;
}

static int requirements_begin(struct evidence *p, const char *id, const char *text, uint32_t line,
			      struct err *err)
{
	const char *file = p->in->requirements.path;
	struct evidence_requirement *r;

	if (!*id || strlen(id) > 200 || !is_clean(id))
		return err_set(err, -EINVAL,
			       "%s line %u: a requirement needs an id of 1 to 200 printable bytes", file,
			       line);
	if (p->requirements.n >= MAX_REQUIREMENTS)
		return err_set(err, -EINVAL, "%s: more than %u requirements", file, MAX_REQUIREMENTS);
	r = vec_add(&p->requirements);
	r->id = mem_strdup(id);
	r->text = mem_strdup(text);
	r->line = line;
	return 0;
}

static int add_words(const struct evidence *p, struct evidence_requirement *r, const char *list,
		     struct err *err)
{
	int ret = 0;

	for (const char *s = list; !ret && *s;) {
		size_t n;
		char *word;

		s += strspn(s, "; \t\r\n");
		n = strcspn(s, ";");
		word = mem_strndup(s, n);
		for (size_t k = n; k > 0 && strchr(" \t\r\n", word[k - 1]); k--)
			word[k - 1] = '\0';
		if (*word)
			ret = resolve(p, r, word, err);
		free(word);
		s += n;
	}
	return ret;
}

static int requirements_finish(const struct evidence *p, const struct evidence_requirement *r,
			       struct err *err)
{
	if (r->targets.n)
		return 0;
	return err_set(err, -EINVAL, "%s line %u: requirement %s names no item", p->in->requirements.path,
		       r->line, r->id);
}

/* ---- the two forms ---- */

static int from_csv(struct evidence *p, struct err *err)
{
	const struct evidence_source *in = &p->in->requirements;
	struct csv_rows rows = VEC_INIT;
	int ret = csv_parse(&rows, in->text, in->len, in->path, err);

	for (size_t i = 0; !ret && i < rows.n; i++) {
		const struct csv_row *row = &rows.at[i];

		if (!i && !strcmp(csv_field(row, 0), "requirement"))
			continue;
		if (row->fields.n < 2 || row->fields.n > 3)
			ret = err_set(err, -EINVAL, "%s line %u: %zu fields, expected requirement,item,text",
				      in->path, row->line, row->fields.n);
		if (!ret)
			ret = requirements_begin(p, csv_field(row, 0), csv_field(row, 2), row->line, err);
		if (!ret)
			ret = add_words(p, &p->requirements.at[p->requirements.n - 1], csv_field(row, 1),
					err);
		if (!ret)
			ret = requirements_finish(p, &p->requirements.at[p->requirements.n - 1], err);
	}
	csv_release(&rows);
	return ret;
}

static const char *scalar(const struct doc *d, uint32_t node)
{
	return node != DOC_NONE && d->nodes[node].kind == DOC_SCALAR ? doc_text(d, node) : NULL;
}

static int check_keys(const struct doc *d, uint32_t map, struct err *err)
{
	static const char *const known[] = {"requirement", "item", "text"};

	for (uint32_t key = d->nodes[map].first; key != DOC_NONE; key = d->nodes[d->nodes[key].next].next) {
		bool found = false;

		for (size_t i = 0; i < 3; i++)
			found |= !strcmp(doc_text(d, key), known[i]);
		if (!found)
			return doc_fail(d, key, err, "unknown key '%s', expected requirement, item, text",
					doc_text(d, key));
	}
	return 0;
}

static int items_of(struct evidence *p, const struct doc *d, uint32_t node, struct err *err)
{
	struct evidence_requirement *r = &p->requirements.at[p->requirements.n - 1];
	int ret = 0;

	if (node == DOC_NONE)
		return requirements_finish(p, r, err);
	if (d->nodes[node].kind == DOC_SCALAR)
		ret = add_words(p, r, doc_text(d, node), err);
	if (d->nodes[node].kind == DOC_MAP)
		ret = doc_fail(d, node, err, "`item` is a word or a list of words");
	for (uint32_t e = d->nodes[node].kind == DOC_LIST ? d->nodes[node].first : DOC_NONE;
	     !ret && e != DOC_NONE; e = d->nodes[e].next)
		ret = scalar(d, e) ? add_words(p, r, doc_text(d, e), err)
				   : doc_fail(d, e, err, "`item` is a word or a list of words");
	return ret ? ret : requirements_finish(p, r, err);
}

static int from_yaml(struct evidence *p, struct err *err)
{
	const struct evidence_source *in = &p->in->requirements;
	struct doc d;
	int ret = doc_parse(&d, in->text, in->len, in->path, err);

	if (ret)
		return ret;
	if (d.nodes[0].kind != DOC_LIST)
		ret = doc_fail(&d, 0, err, "expected a list of requirements");
	for (uint32_t e = ret ? DOC_NONE : d.nodes[0].first; !ret && e != DOC_NONE; e = d.nodes[e].next) {
		const char *id, *text;

		if (d.nodes[e].kind != DOC_MAP) {
			ret = doc_fail(&d, e, err, "expected a map with requirement, item and text");
			continue;
		}
		ret = check_keys(&d, e, err);
		id = scalar(&d, doc_get(&d, e, "requirement"));
		text = scalar(&d, doc_get(&d, e, "text"));
		if (!ret)
			ret = requirements_begin(p, id ? id : "", text ? text : "", d.nodes[e].line, err);
		if (!ret)
			ret = items_of(p, &d, doc_get(&d, e, "item"), err);
	}
	doc_release(&d);
	return ret;
}

static int check_unique(const struct evidence *p, struct err *err)
{
	struct match_list ids = VEC_INIT;
	int ret = 0;

	for (uint32_t i = 0; i < p->requirements.n; i++)
		match_add(&ids, mem_strdup(p->requirements.at[i].id), i);
	match_sort(&ids);
	for (size_t i = 1; !ret && i < ids.n; i++)
		if (!strcmp(ids.at[i].key, ids.at[i - 1].key))
			ret = err_set(err, -EINVAL,
				      "%s line %u: requirement %s stands on line %u already\n  %s",
				      p->in->requirements.path, p->requirements.at[ids.at[i].index].line,
				      ids.at[i].key, p->requirements.at[ids.at[i - 1].index].line,
				      "one requirement may name several items: `thread 1; trigger 0118`");
	match_release(&ids);
	return ret;
}

static void invert(struct evidence *p)
{
	for (uint32_t i = 0; i < p->requirements.n; i++) {
		const struct match_list *targets = &p->requirements.at[i].targets;

		for (size_t k = 0; k < targets->n; k++) {
			uint32_t item = targets->at[k].index;

			if (item < p->items.n)
				vec_push(&p->items.at[item].requirements, i);
			else
				vec_push(&p->derived.at[item - p->items.n].requirements, i);
		}
	}
}

int requirements_read(struct evidence *p, struct err *err)
{
	const char *path = p->in->requirements.path, *dot = path ? strrchr(path, '.') : NULL;
	int ret;

	if (!path)
		return 0;
	ret = dot && (!strcmp(dot, ".yaml") || !strcmp(dot, ".yml")) ? from_yaml(p, err) : from_csv(p, err);
	if (!ret && !p->requirements.n)
		ret = err_set(err, -EINVAL, "%s holds no requirement", path);
	if (!ret)
		ret = check_unique(p, err);
	if (!ret)
		invert(p);
	return ret;
}

/* SPDX-License-Identifier: MIT */
/* The findings in the Static Analysis Results Interchange Format, version 2.1.0. */
#include <stdio.h>
#include <string.h>

#include "analyzer/program.h"
#include "analyzer/sharing/parts.h"
#include "analyzer/sharing/remedy.h"
#include "lib/fs.h"
#include "lib/num.h"
#include "lib/sarif/sarif.h"
#include "report/conflicts/conflicts.h"

static const struct sarif_rule rules[] = {
	[SHARING_FALSE] = {"false-sharing", "FalseSharing",
			   "Threads use different bytes of one cache line, and take it from each other.",
			   "warning"},
	[SHARING_TRUE] = {"true-sharing", "TrueSharing",
			  "Threads need the same bytes, and take their line from each other.", "note"},
	[SHARING_UNCLEAR] = {"unclear-sharing", "UnclearSharing",
			     "Threads take a cache line from each other; which bytes they use was not seen.",
			     "note"},
};

static void side_text(struct strbuf *sb, const struct sharing_side *s)
{
	strbuf_printf(sb, "%s: %s of %s in %s, ", s->name ? s->name : "a thread", sharing_kind_name(s->uses),
		      s->what, s->function ? s->function : "?");
	sharing_rate_text(sb, s, " a second");
}

/* Where one side accesses the line; @message goes along. */
static void print_side(struct json *j, const char *key, const struct sharing_side *s, bool message)
{
	struct strbuf sb = STRBUF_INIT;

	side_text(&sb, s);
	json_object(j, key);
	if (s->file)
		sarif_place(j, s->file, s->line,
			    s->site && s->site->file && !strcmp(s->site->file, s->file) &&
					    s->site->line == s->line
				    ? s->site->column
				    : 0);
	if (s->function) {
		json_array(j, "logicalLocations");
		json_object(j, NULL);
		json_string(j, "name", s->function);
		json_string(j, "kind", "function");
		json_end(j);
		json_end(j);
	}
	if (message)
		sarif_text(j, "message", sb.s);
	json_end(j);
	strbuf_release(&sb);
}

static void print_declaration(struct json *j, const struct sharing_object *o)
{
	if (!o->file || !o->line)
		return;
	json_object(j, NULL);
	sarif_place(j, o->file, o->line, 0);
	sarif_text(j, "message", o->name);
	json_end(j);
}

/* One thread of execution: what it does to the line. */
static void print_flow(struct json *j, const struct sharing_side *s)
{
	json_object(j, NULL);
	json_string(j, "id", s->name);
	json_array(j, "locations");
	json_object(j, NULL);
	print_side(j, "location", s, true);
	json_end(j);
	json_end(j);
	json_end(j);
}

static void print_flows(struct json *j, const struct sharing_finding *f)
{
	json_array(j, "codeFlows");
	for (size_t i = 0; i < f->n_pairs; i++) {
		const struct sharing_pair *p = &f->pairs[i];
		bool known = false;

		for (size_t k = 0; k < i && !known; k++)
			known = f->pairs[k].a.site == p->a.site && f->pairs[k].b.site == p->b.site;
		if (known)
			continue;
		json_object(j, NULL);
		json_array(j, "threadFlows");
		print_flow(j, &p->a);
		print_flow(j, &p->b);
		json_end(j);
		json_end(j);
	}
	json_end(j);
}

static void message_of(struct strbuf *sb, const struct sharing_finding *f)
{
	char n[32];

	strbuf_printf(sb, "%s %s on %s (%s): ", f->evidence, sharing_verdict_name(f->verdict), f->subject,
		      f->object);
	if (f->priced)
		strbuf_printf(sb, "costs %.1f %% of run time (%.1f to %.1f %%, confidence %s), ", f->cost,
			      f->cost_low, f->cost_high, sharing_confidence_name(f->confidence));
	strbuf_printf(sb, "%s line transfers a second.", num_si(n, sizeof(n), f->transfers_per_s));
	if (f->n_remedies && f->verdict == SHARING_FALSE)
		strbuf_printf(sb, " Remedy: %s (+%llu bytes).", f->remedies[0].text,
			      (unsigned long long)f->remedies[0].bytes);
}

/* In which phases its pairs meet, each text once. */
static void print_phases(struct json *j, const struct sharing_finding *f)
{
	struct strbuf all = STRBUF_INIT;

	json_array(j, "phases");
	for (size_t i = 0; i < f->n_pairs; i++)
		for (size_t k = 0; k < f->pairs[i].when.n; k++) {
			const struct when_phase *p = &f->pairs[i].when.at[k];

			if (all.len && strstr(all.s, p->name))
				continue;
			strbuf_printf(&all, "%s ", p->name);
			json_object(j, NULL);
			json_string(j, "id", p->name);
			json_string(j, "opening", p->opening);
			json_end(j);
		}
	json_end(j);
	strbuf_release(&all);
}

static void print_properties(struct json *j, const struct sharing_finding *f)
{
	json_object(j, "properties");
	json_string(j, "subject", f->subject);
	json_string(j, "fields", f->fields);
	json_bool(j, "significant", f->significant);
	json_double(j, "transfersPerSecond", f->transfers_per_s);
	if (f->priced) {
		json_double(j, "costPercent", f->cost);
		json_double(j, "costPercentLow", f->cost_low);
		json_double(j, "costPercentHigh", f->cost_high);
		json_string(j, "confidence", sharing_confidence_name(f->confidence));
	}
	print_phases(j, f);
	json_end(j);
}

static void print_result(struct json *j, const struct sharing_finding *f)
{
	struct strbuf sb = STRBUF_INIT;

	message_of(&sb, f);
	json_object(j, NULL);
	json_string(j, "ruleId", rules[f->verdict].id);
	json_u64(j, "ruleIndex", f->verdict);
	json_string(j, "level", f->verdict == SHARING_FALSE && f->significant ? "warning" : "note");
	sarif_text(j, "message", sb.s);
	json_array(j, "locations");
	if (f->n_pairs)
		print_side(j, NULL, &f->pairs[0].a, false);
	json_end(j);
	json_array(j, "relatedLocations");
	if (f->n_pairs)
		print_side(j, NULL, &f->pairs[0].b, true);
	for (size_t i = 0; i < f->n_objects; i++)
		print_declaration(j, &f->objects[i]);
	json_end(j);
	print_flows(j, f);
	json_object(j, "partialFingerprints");
	json_string(j, "perseusEvidence/v1", f->evidence);
	json_end(j);
	print_properties(j, f);
	json_end(j);
	strbuf_release(&sb);
}

static void print_run(struct json *j, const struct sharing_report *rep, const struct run *run,
		      const struct conflicts_choice *o)
{
	struct strbuf sb = STRBUF_INIT;
	bool unpriced = !rep->priced && rep->unpriced_why;
	const struct sarif_notes lists[] = {
		{"warning", rep->doubts.at, rep->doubts.n},
		{"warning", &sb.s, unpriced},
		{"note", rep->blind.at, rep->blind.n},
	};

	if (unpriced)
		strbuf_printf(&sb, "the findings are not priced: %s", rep->unpriced_why);
	sarif_run(j, rules, sizeof(rules) / sizeof(rules[0]), run->complete, lists,
		  sizeof(lists) / sizeof(lists[0]));
	strbuf_release(&sb);
	json_array(j, "results");
	for (size_t i = 0; i < rep->n; i++)
		if (conflicts_chosen(&rep->findings[i], o))
			print_result(j, &rep->findings[i]);
	json_end(j);
	json_end(j);
}

void conflicts_sarif(const struct sharing_report *rep, const struct run *run,
		     const struct conflicts_choice *o, struct strbuf *out)
{
	struct json j;

	sarif_begin(&j, out);
	print_run(&j, rep, run, o);
	sarif_end(&j);
}

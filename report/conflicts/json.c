/* SPDX-License-Identifier: MIT */
/* The findings as JSON. */
#include <math.h>
#include <stdlib.h>

#include "analyzer/program.h"
#include "analyzer/sharing/parts.h"
#include "analyzer/sharing/remedy.h"
#include "analyzer/sharing/remedy-layout.h"
#include "lib/json.h"
#include "report/conflicts/conflicts.h"

static void json_side(struct json *j, const char *key, const struct sharing_side *s)
{
	json_object(j, key);
	json_string(j, "thread", s->name);
	if (s->pid)
		json_u64(j, "pid", s->pid);
	json_string(j, "object", s->object);
	json_string(j, "element", *s->element ? s->element : NULL);
	json_string(j, "field", *s->member ? s->member : NULL);
	json_string(j, "what", s->what);
	if (s->placed)
		json_u64(j, "offset", s->offset);
	json_string(j, "access", sharing_kind_name(s->uses));
	json_string(j, "function", s->function);
	json_string(j, "file", s->file);
	json_u64(j, "line", s->line);
	json_double(j, "accesses_per_s", s->per_s);
	json_double(j, "accesses_per_s_low", s->per_s_low);
	json_double(j, "accesses_per_s_high", s->per_s_high);
	json_bool(j, "accesses_at_least", s->at_least);
	json_double(j, "accesses_per_kilocycle", s->per_kcycle);
	json_end(j);
}

static void json_layout(struct json *j, const struct remedy_layout *l)
{
	char *type = layout_type(l);

	json_object(j, NULL);
	json_string(j, "type", type);
	free(type);
	json_u64(j, "bytes_now", l->bytes_now);
	json_u64(j, "bytes_then", l->bytes_then);
	json_bool(j, "gaps", l->gaps);
	json_array(j, "members");
	for (size_t i = 0; i < l->n_members; i++) {
		const struct remedy_member *m = &l->members[i];

		json_object(j, NULL);
		json_string(j, "name", m->name);
		json_u64(j, "bytes", m->bytes);
		json_u64(j, "offset_now", m->now);
		json_u64(j, "offset_then", m->then);
		json_i64(j, "group", m->group);
		json_end(j);
	}
	json_end(j);
	json_end(j);
}

/* Whether @way has @any change, and what it leaves as it is. */
static void json_way(struct json *j, const char *way, const char *left, const struct patch_result *r,
		     bool any)
{
	json_bool(j, way, any);
	json_array(j, left);
	for (size_t i = 0; i < r->n_refusals; i++) {
		json_object(j, NULL);
		json_string(j, "why", r->refusals[i].why);
		json_string(j, "by_hand", r->refusals[i].advice);
		json_end(j);
	}
	json_end(j);
}

static void json_layouts(struct json *j, const struct remedy_layout *l, size_t n)
{
	json_array(j, "layouts");
	for (size_t i = 0; i < n; i++)
		json_layout(j, &l[i]);
	json_end(j);
}

/* Of --patch, and of --plan. */
static void json_ways(struct json *j, const struct sharing_finding *f, const struct patch_result *patch,
		      struct patch *sources)
{
	struct patch_result plan;
	bool any = patch_by_plan(&plan, sources, f);

	json_way(j, "patch", "not_patched", patch, patch->diff.len);
	json_way(j, "plan", "not_planned", &plan, any);
	patch_result_release(&plan);
}

/* Of padding, what the patch does says how much and where. */
static void json_remedies(struct json *j, const struct sharing_finding *f, const struct patch_result *patch,
			  struct patch *sources)
{
	json_string(j, "no_layout", f->no_layout);
	json_array(j, "remedies");
	for (size_t i = 0; i < f->n_remedies; i++) {
		const struct sharing_remedy *r = &f->remedies[i];
		bool patched = r->kind == REMEDY_PAD && patch->diff.len;

		json_object(j, NULL);
		json_string(j, "kind", remedy_name(r->kind));
		json_string(j, "text", r->text);
		if (r->priced)
			json_double(j, "saves_percent", r->saves_percent);
		json_u64(j, "bytes", patched ? patch->bytes : r->bytes);
		json_string(j, "abi", r->abi);
		if (r->kind == REMEDY_PAD)
			json_ways(j, f, patch, sources);
		json_layouts(j, patched ? patch->layouts : r->layouts,
			     patched ? patch->n_layouts : r->n_layouts);
		json_end(j);
	}
	json_end(j);
}

/* What padding all of it takes; where nothing says that, what parts the two. */
static uint64_t pad_bytes(const struct sharing_finding *f, const struct patch_result *patch)
{
	if (patch->diff.len)
		return patch->bytes;
	for (size_t i = 0; i < f->n_remedies; i++)
		if (f->remedies[i].kind == REMEDY_PAD)
			return f->remedies[i].bytes;
	return f->pad_bytes;
}

/* None: wherever both run, if no reason says that it is not known; known with a timing run only. */
static void json_phases(struct json *j, const struct pair_when *w)
{
	json_array(j, "phases");
	for (size_t i = 0; i < w->n; i++) {
		json_object(j, NULL);
		json_string(j, "id", w->at[i].name);
		json_string(j, "opening", w->at[i].opening);
		if (w->at[i].share > 0)
			json_double(j, "share", w->at[i].share);
		json_end(j);
	}
	json_end(j);
	json_string(j, "phases_why_not", w->reason);
}

static void json_finding(struct json *j, const struct sharing_finding *f, struct patch *sources)
{
	struct patch_result patch;

	patch_findings(&patch, sources, &f, 1);
	json_object(j, NULL);
	json_string(j, "id", f->evidence);
	json_string(j, "kind", sharing_verdict_name(f->verdict));
	json_string(j, "subject", f->subject);
	json_bool(j, "significant", f->significant && f->priced);
	json_bool(j, "candidate", f->significant && !f->priced);
	json_bool(j, "perhaps_significant", f->perhaps);
	json_string(j, "object", f->object);
	json_string(j, "elsewhere", sharing_elsewhere(f));
	json_string(j, "fields", f->fields);
	json_u64(j, "pid", f->process->header->pid);
	json_double(j, "transfers_per_s", f->transfers_per_s);
	json_bool(j, "one_core", f->one_core);
	json_u64(j, "pad_bytes", pad_bytes(f, &patch));
	if (f->priced) {
		json_double(j, "cost_percent", f->cost);
		json_double(j, "cost_percent_low", f->cost_low);
		json_double(j, "cost_percent_high", f->cost_high);
		json_string(j, "confidence", sharing_confidence_name(f->confidence));
		json_u64(j, "recordings", f->recordings ? f->recordings : 1);
	}
	json_array(j, "pairs");
	for (size_t i = 0; i < f->n_pairs; i++) {
		json_object(j, NULL);
		json_string(j, "kind", sharing_verdict_name(f->pairs[i].verdict));
		json_side(j, "a", &f->pairs[i].a);
		json_side(j, "b", &f->pairs[i].b);
		json_double(j, "transfers_per_s", f->pairs[i].transfers_per_s);
		json_u64(j, "lines", f->pairs[i].lines);
		json_phases(j, &f->pairs[i].when);
		json_end(j);
	}
	json_end(j);
	json_remedies(j, f, &patch, sources);
	patch_result_release(&patch);
	json_end(j);
}

/* What a line's travel took at the nearest distance, least and most: one figure where cores do not move. */
static void json_travels(struct json *j, const struct platform *p)
{
	for (int d = DIST_SMT; d < DIST_N; d++) {
		uint64_t now = p->transfer_ps[d], then = p->moved_transfer_ps[d];

		if (!now)
			continue;
		json_double(j, "transfer_ns_low", (double)(then && then < now ? then : now) / 1000);
		json_double(j, "transfer_ns_high", (double)(then > now ? then : now) / 1000);
		return;
	}
}

void conflicts_json(const struct sharing_report *rep, const struct run *run, const struct conflicts_choice *o,
		    struct patch *sources, struct strbuf *out)
{
	struct json j;

	json_init(&j, out);
	json_object(&j, NULL);
	json_u64(&j, "schema", 1);
	json_string(&j, "run", run_name(run));
	json_string(&j, "program", run->manifest.program);
	json_string(&j, "trial", run->manifest.trial);
	json_bool(&j, "complete", run->complete);
	json_string(&j, "incomplete_why", run->incomplete_why);
	json_bool(&j, "inflated", rep->inflated);
	json_double(&j, "timing_times_plain_high", rep->longer > 0 ? rep->longer : (double)NAN);
	json_double(&j, "seconds", (double)rep->wall_ns / 1e9);
	json_string(&j, "not_priced", rep->unpriced_why);
	if (rep->platform && rep->priced) {
		json_string(&j, "prices", rep->platform->name);
		json_string(&j, "prices_source", rep->platform->source);
		json_bool(&j, "prices_of_other_machine", rep->other_machine);
		json_travels(&j, rep->platform);
	}
	json_u64(&j, "significant", rep->priced ? rep->n_significant : 0);
	json_u64(&j, "candidates", rep->priced ? 0 : rep->n_significant);
	json_u64(&j, "perhaps_significant", rep->n_perhaps);
	json_array(&j, "inconclusive");
	for (size_t i = 0; i < rep->doubts.n; i++)
		json_string(&j, NULL, rep->doubts.at[i]);
	json_end(&j);
	json_u64(&j, "handed_over", rep->handovers);
	json_array(&j, "findings");
	for (size_t i = 0; i < rep->n; i++)
		if (!o->n_ids || conflicts_chosen(&rep->findings[i], o))
			json_finding(&j, &rep->findings[i], sources);
	json_end(&j);
	json_array(&j, "blind_spots");
	for (size_t i = 0; i < rep->blind.n; i++)
		json_string(&j, NULL, rep->blind.at[i]);
	json_end(&j);
	json_end(&j);
	strbuf_puts(out, "\n");
}

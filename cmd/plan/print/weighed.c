/* SPDX-License-Identifier: MIT */
#include "cmd/plan/print/weighed.h"

#include <inttypes.h>
#include <stdio.h>

#include "cmd/base/print.h"
#include "cmd/plan/print/text.h"
#include "lib/num.h"

#define WHY_BYTES 320

static const char *time_of(char *buf, size_t size, uint64_t ns)
{
	return num_time(buf, size, (double)ns * 1e-9);
}

/* "neither", "layouts", "placement", "both": what each of them takes. */
static void print_choices(const struct plan *plan)
{
	double whole = (double)plan->choices[PLAN_NEITHER].time_ns;

	for (size_t i = 0; i < plan->n_choices; i++) {
		const struct plan_choice *c = &plan->choices[i];
		char time[32], least[32];

		cmd_print("%-9s %9s", plan_choice_words[c->kind], time_of(time, sizeof(time), c->time_ns));
		if (c->kind != PLAN_NEITHER)
			cmd_print("  %+6.1f %%", whole > 0 ? 100 * ((double)c->time_ns / whole - 1) : 0.0);
		if (c->kind == PLAN_LAYOUTS_ALONE || c->kind == PLAN_BOTH)
			cmd_print("  +%" PRIu64 " bytes", c->bytes);
		if (c->bound_time_ns)
			cmd_print("  (no placement below %s)",
				  time_of(least, sizeof(least), c->bound_time_ns));
		cmd_print("\n");
	}
}

static void print_sets(const struct weighing *w)
{
	const struct weigh_point *all = w->points.n > 1 ? &w->points.at[1] : &w->points.at[0];
	char least[32];

	time_of(least, sizeof(least), all->bound_ns);
	if (!w->n_open)
		return;
	if (w->exact && !w->rises)
		plan_item("searched", "each of %" PRIu64 " was searched (%zu) or cannot beat one that was",
			  w->sets, w->points.n);
	else
		plan_item(
			"searched",
			"%zu searched, by what the next layout saves for a byte: others may be better; with "
			"all layouts no placement is below %s",
			w->points.n, least);
}

static void print_front(const struct weighing *w)
{
	struct strbuf text = STRBUF_INIT;
	struct weigh_point p;
	size_t n = 0;
	char time[32];

	for (; weigh_front(w, n, &p); n++)
		strbuf_printf(&text, "%s%s with %" PRIu64 " bytes", n ? ", " : "",
			      time_of(time, sizeof(time), p.time_ns), p.bytes);
	if (n > 1)
		plan_item("bytes", "%s", text.s);
	strbuf_release(&text);
}

static void print_taken(const struct plan *plan)
{
	for (size_t i = 0; i < plan->n_layouts; i++) {
		const struct plan_layout *l = &plan->layouts[i];
		struct strbuf name = STRBUF_INIT;
		char saves[32];

		plan_layout_name(l, &name);
		plan_item("takes", "%s (%s:%u): %" PRIu64 " bytes, without it %s longer   [%s]", name.s,
			  l->file, l->line, l->bytes, time_of(saves, sizeof(saves), l->saves_ns),
			  l->evidence);
		strbuf_release(&name);
	}
}

static const char *why(const struct weighing *w, const struct weigh_item *it, char *buf, size_t size)
{
	switch (it->fate) {
	case WEIGH_NO_CONFLICT:
		if (w->whole->n_conflicts)
			return "the model has no conflict that it ends";
		snprintf(buf, size, "the model has no conflicts: %s",
			 w->whole->n_doubts ? w->whole->doubts[0] : "analyze a sharing run, too");
		return buf;
	case WEIGH_CACHE:
		snprintf(buf, size,
			 "its objects grow from %" PRIu64 " to %" PRIu64
			 " bytes and leave a cache of %" PRIu64 "; --any-cache takes it",
			 it->before, it->after, it->cache);
		return buf;
	case WEIGH_BYTES:
		if (!it->bytes_known)
			return "what it costs is not known, and --max-bytes is given";
		snprintf(buf, size, "it takes %" PRIu64 " bytes, above --max-bytes=%" PRIu64, it->bytes,
			 w->limits.max_bytes);
		return buf;
	case WEIGH_NO_WORTH:
		return "with the placement found it saves too little";
	default:
		return "others save more with the bytes that there are";
	}
}

static void print_left(const struct weighing *w)
{
	for (uint32_t i = 0; i < w->n_items; i++) {
		const struct weigh_item *it = &w->items[i];
		char buf[WHY_BYTES];

		if (it->fate != WEIGH_TAKEN)
			plan_item("leaves", "%s: %s", it->ids.len ? it->ids.s : "a layout without evidence",
				  why(w, it, buf, sizeof(buf)));
		else if (!it->after)
			plan_item("cache", "%s: how much its objects grow is not known", it->ids.s);
		else if (!w->platform->core_cache_bytes && !w->platform->group_cache_bytes)
			plan_item("cache", "%s: not known, the platform has no sizes of caches", it->ids.s);
		else if (it->cache)
			plan_item("cache",
				  "%s: its objects grow from %" PRIu64 " to %" PRIu64
				  " bytes and leave a cache of %" PRIu64,
				  it->ids.s, it->before, it->after, it->cache);
	}
}

void plan_weighed_print(const struct weighing *w, const struct plan *plan)
{
	if (!w->n_items)
		plan_item("layouts", "none are proposed: perseus conflicts --plan proposes them");
	print_choices(plan);
	print_sets(w);
	print_front(w);
	print_taken(plan);
	print_left(w);
}

/* ---- JSON ---- */

static void json_choices(const struct plan *plan, struct json *j)
{
	json_array(j, "choices");
	for (size_t i = 0; i < plan->n_choices; i++) {
		const struct plan_choice *c = &plan->choices[i];

		json_object(j, NULL);
		json_string(j, "kind", plan_choice_words[c->kind]);
		json_u64(j, "time_ns", c->time_ns);
		json_u64(j, "bytes", c->bytes);
		if (c->bound_time_ns)
			json_u64(j, "bound_time_ns", c->bound_time_ns);
		json_string(j, "evidence", c->evidence);
		json_end(j);
	}
	json_end(j);
}

static void json_points(const struct weighing *w, struct json *j)
{
	struct weigh_point p;

	json_bool(j, "layout_front_exact", w->exact && !w->rises);
	json_array(j, "layout_front");
	for (size_t n = 0; weigh_front(w, n, &p); n++) {
		json_object(j, NULL);
		json_u64(j, "bytes", p.bytes);
		json_u64(j, "time_ns", p.time_ns);
		json_u64(j, "bound_time_ns", p.bound_ns);
		json_end(j);
	}
	json_end(j);
}

void plan_weighed_json(const struct weighing *w, const struct plan *plan, struct json *j)
{
	char buf[WHY_BYTES];

	json_choices(plan, j);
	json_points(w, j);
	json_array(j, "layouts");
	for (size_t i = 0; i < plan->n_layouts; i++) {
		struct strbuf name = STRBUF_INIT;

		plan_layout_name(&plan->layouts[i], &name);
		json_object(j, NULL);
		json_string(j, "name", name.s);
		json_u64(j, "bytes", plan->layouts[i].bytes);
		json_u64(j, "saves_ns", plan->layouts[i].saves_ns);
		json_string(j, "evidence", plan->layouts[i].evidence);
		json_end(j);
		strbuf_release(&name);
	}
	json_end(j);
	json_array(j, "layouts_left");
	for (uint32_t i = 0; i < w->n_items; i++) {
		if (w->items[i].fate == WEIGH_TAKEN)
			continue;
		json_object(j, NULL);
		json_string(j, "evidence", w->items[i].ids.s);
		json_string(j, "why", why(w, &w->items[i], buf, sizeof(buf)));
		json_end(j);
	}
	json_end(j);
}

/* SPDX-License-Identifier: MIT */
/* Windows as tables and as JSON. */
#include <string.h>

#include "cmd/base/print.h"
#include "cmd/monitor/monitor.h"
#include "lib/num.h"

#define MONITOR_SCHEMA 1
#define WIDTH_LEAST    9

/* ---- which events ---------------------------------------------------------------------- */

static const char *const scopes[] = {"thread", "package", "kernel"};

static void list_json(const struct monitor_source *s)
{
	struct strbuf sb = STRBUF_INIT;
	struct json j;

	json_init(&j, &sb);
	json_object(&j, NULL);
	json_u64(&j, "schema", MONITOR_SCHEMA);
	json_string(&j, "machine", s->machine->name);
	json_bool(&j, "nearest", s->nearest);
	json_array(&j, "events");
	for (size_t i = 0; i < s->machine->events.n; i++) {
		const struct family_event *e = &s->machine->events.at[i];

		json_object(&j, NULL);
		json_string(&j, "family", e->family);
		json_string(&j, "name", e->name);
		json_string(&j, "scope", scopes[e->scope]);
		json_string(&j, "event", e->event);
		json_string(&j, "source", e->source);
		json_end(&j);
	}
	json_end(&j);
	json_string(&j, "left_out", s->left_out.s ? s->left_out.s : "");
	json_end(&j);
	cmd_put(stdout, sb.s);
	strbuf_release(&sb);
}

void monitor_print_list(const struct monitor_source *s, bool json)
{
	if (json) {
		list_json(s);
		return;
	}
	cmd_print("%s%s\n", s->machine->name,
		  s->nearest ? ": the nearest to this processor, whose events may count other things" : "");
	for (size_t i = 0; i < s->machine->events.n; i++) {
		const struct family_event *e = &s->machine->events.at[i];

		cmd_print("  %s.%s (%s) %s\n    %s\n", e->family, e->name, scopes[e->scope], e->event,
			  e->source);
	}
	if (s->left_out.len)
		cmd_print("not counted here:\n%s", s->left_out.s);
}

/* ---- before the first window -------------------------------------------------------------- */

/* Of the built-in rules some are for other sources: those are named only if none is left. */
static void monitor_print_unjudged(const struct monitor_view *v)
{
	const struct rules *rules = v->judge->rules;
	size_t can = 0;

	for (size_t i = 0; i < rules->n; i++)
		can += judge_can(v->judge, &rules->at[i]);
	for (size_t i = 0; (v->o->rules || !can) && i < rules->n; i++)
		if (!judge_can(v->judge, &rules->at[i]))
			cmd_say(stderr, "perseus monitor: rule %s is not judged: nobody counts %s here\n",
				rules->at[i].name, rules->at[i].event);
}

void monitor_print_head(const struct monitor_view *v)
{
	const struct monitor_source *s = v->source;

	if (s->machine && s->nearest)
		cmd_say(stderr,
			"perseus monitor: this processor is unknown; events are those of %s, the nearest "
			"one\n",
			s->machine->name);
	if (s->left_out.len && !s->perf)
		cmd_say(stderr, "perseus monitor: no counters: %.*s%s\n", (int)strcspn(s->left_out.s, "\n"),
			s->left_out.s, s->kernel ? "; --families=kernel counts what the kernel does" : "");
	else if (s->left_out.len)
		cmd_say(stderr, "perseus monitor: left out: %s", s->left_out.s);
	monitor_print_unjudged(v);
}

/* Names of threads may be anything: none of it ends a line or rules the terminal. */
static const char *name_shown(const char *from, char name[COUNT_NAME])
{
	snprintf(name, COUNT_NAME, "%s", *from ? from : "-");
	for (char *c = name; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
	return name;
}

/* ---- a table --------------------------------------------------------------------------------- */

static int width_of(const struct monitor_source *s, size_t event)
{
	size_t n = strlen(s->events.at[event]);

	return (int)(n < WIDTH_LEAST ? WIDTH_LEAST : n);
}

static void cell_text(char *buf, size_t size, const struct rate *r)
{
	if (r->per_10ms < 0)
		snprintf(buf, size, "-");
	else if (r->error < 0)
		snprintf(buf, size, "%.4g +-?", r->per_10ms);
	else if (r->error > 0)
		snprintf(buf, size, "%.4g +-%.1g", r->per_10ms, r->error);
	else
		snprintf(buf, size, "%.6g", r->per_10ms);
}

static void print_rates(const struct monitor_view *v, struct strbuf *sb)
{
	const struct rates *r = v->rates;

	strbuf_puts(sb, "    TID THREAD           CORE");
	for (size_t e = 0; e < r->n_events; e++)
		strbuf_printf(sb, " %*s", width_of(v->source, e), v->source->events.at[e]);
	strbuf_puts(sb, "\n");
	for (size_t i = 0; i < r->threads.n; i++) {
		const struct counts_thread *t = &r->threads.at[i];
		char core[16] = "-", cell[48], name[COUNT_NAME];

		if (t->core >= 0)
			snprintf(core, sizeof(core), "%d", t->core);
		strbuf_printf(sb, "%7u %-16s %4s", t->tid, name_shown(t->name, name), core);
		for (size_t e = 0; e < r->n_events; e++) {
			cell_text(cell, sizeof(cell), &r->at.at[i * r->n_events + e]);
			strbuf_printf(sb, " %*s", width_of(v->source, e), cell);
		}
		strbuf_puts(sb, "\n");
	}
}

static const char *state_word(const struct advice *a)
{
	return a->begun ? "begins" : a->ended ? "ends" : advice_holds(a) ? "holds" : NULL;
}

static void print_advice(const struct monitor_view *v, struct strbuf *sb)
{
	for (size_t i = 0; i < v->judge->advice.n; i++) {
		const struct advice *a = &v->judge->advice.at[i];
		const char *word = state_word(a);
		char name[COUNT_NAME];

		if (!word)
			continue;
		strbuf_printf(sb, "%s %s: %s, thread %u (%s): %s %.6g in 10 ms, limit %g", a->id, word,
			      a->rule->name, a->is.tid, name_shown(a->is.name, name), a->rule->event,
			      a->rate.per_10ms, a->ended ? a->rule->below : a->rule->above);
		if (!a->ended)
			strbuf_printf(sb, ": %s%s%s%s", rule_sentences[a->rule->answer],
				      *a->partner ? " (" : "", name_shown(a->partner, name),
				      *a->partner ? ")" : "");
		strbuf_puts(sb, "\n");
	}
	if (v->acts && v->acts->len)
		strbuf_puts(sb, v->acts->s);
}

static void print_table(const struct monitor_view *v)
{
	const struct monitor_source *s = v->source;
	struct strbuf sb = STRBUF_INIT;

	strbuf_printf(&sb, "perseus monitor: %s; per 10 ms, over %.3g s",
		      s->o->replay  ? s->o->replay
		      : s->recorded ? s->program.dir
				    : "counters",
		      v->rates->seconds);
	if (!s->o->replay)
		strbuf_printf(&sb, "; looking takes %.1f %% of a core", 100 * s->own);
	if (s->perf && s->nearest)
		strbuf_printf(&sb, "; events of %s, the nearest", s->machine->name);
	if (s->recorded && s->live.in_bursts)
		strbuf_puts(&sb, "; directory: seen in bursts, so at least");
	strbuf_puts(&sb, "\n");
	print_rates(v, &sb);
	print_advice(v, &sb);
	strbuf_puts(&sb, "\n");
	cmd_put(stdout, sb.s);
	strbuf_release(&sb);
}

/* ---- JSON --------------------------------------------------------------------------------------- */

static void maybe(struct json *j, const char *key, double value)
{
	json_double(j, key, value < 0 ? 0.0 / 0.0 : value);
}

static void json_thread(struct json *j, const struct counts_thread *t)
{
	json_u64(j, "pid", t->pid);
	json_u64(j, "tid", t->tid);
	json_string(j, "thread", t->name);
	if (t->core >= 0)
		json_u64(j, "core", (uint64_t)t->core);
	else
		json_string(j, "core", NULL);
	if (t->partner)
		json_u64(j, "partner", t->partner);
	else
		json_string(j, "partner", NULL);
}

/*
 * A probe looks before its access.  If a thread loses its core between the two, it may see what another one
 * stores meanwhile and not be seen to: its next store finds the line changed, where it would have found it
 * shared.  So a count of hits is the least, and what took others' copies the most.
 */
static void json_most(struct json *j, const struct monitor_view *v, size_t thread, size_t event)
{
	const struct rates *r = v->rates;

	if (!strcmp(v->source->events.at[event], DIRECTORY_HIT) && event + 1 < r->n_events)
		maybe(j, "at_most", r->at.at[thread * r->n_events + event + 1].count);
}

static void json_rates(struct json *j, const struct monitor_view *v)
{
	const struct rates *r = v->rates;

	json_array(j, "threads");
	for (size_t i = 0; i < r->threads.n; i++) {
		json_object(j, NULL);
		json_thread(j, &r->threads.at[i]);
		json_object(j, "counts");
		for (size_t e = 0; e < r->n_events; e++) {
			const struct rate *x = &r->at.at[i * r->n_events + e];

			json_object(j, v->source->events.at[e]);
			maybe(j, "count", x->count);
			maybe(j, "per_10ms", x->per_10ms);
			maybe(j, "error", x->error);
			json_most(j, v, i, e);
			json_double(j, "seen", x->seen);
			json_end(j);
		}
		json_end(j);
		json_end(j);
	}
	json_end(j);
}

static void json_advice(struct json *j, const struct monitor_view *v)
{
	json_array(j, "advice");
	for (size_t i = 0; i < v->judge->advice.n; i++) {
		const struct advice *a = &v->judge->advice.at[i];

		if (!state_word(a))
			continue;
		json_object(j, NULL);
		json_string(j, "id", a->id);
		json_string(j, "state", state_word(a));
		json_string(j, "rule", a->rule->name);
		json_string(j, "answer", rule_words[a->rule->answer]);
		json_string(j, "event", a->rule->event);
		maybe(j, "per_10ms", a->rate.per_10ms);
		json_double(j, "above", a->rule->above);
		json_double(j, "below", a->rule->below);
		json_thread(j, &a->is);
		json_end(j);
	}
	json_end(j);
}

static void json_source(struct json *j, const struct monitor_source *s)
{
	json_string(j, "run", s->recorded ? s->program.dir : NULL);
	json_string(j, "replay", s->o->replay);
	json_string(j, "machine", s->perf ? s->machine->name : NULL);
	json_bool(j, "nearest", s->perf && s->nearest);
	json_u64(j, "sets", s->perf ? counts_perf_sets(s->perf) : 0);
	json_bool(j, "in_bursts", s->recorded && s->live.in_bursts);
	json_string(j, "left_out", s->left_out.s ? s->left_out.s : "");
	json_double(j, "own_cores", s->own);
}

static void print_json(const struct monitor_view *v)
{
	struct strbuf sb = STRBUF_INIT;
	struct json j;

	json_init(&j, &sb);
	json_object(&j, NULL);
	json_u64(&j, "schema", MONITOR_SCHEMA);
	json_double(&j, "at_s", (double)v->rates->ns * 1e-9);
	json_double(&j, "seconds", v->rates->seconds);
	json_source(&j, v->source);
	json_rates(&j, v);
	json_advice(&j, v);
	json_string(&j, "acts", v->acts && v->acts->s ? v->acts->s : "");
	json_end(&j);
	cmd_put(stdout, sb.s);
	strbuf_release(&sb);
}

void monitor_print_window(const struct monitor_view *v)
{
	if (v->o->json)
		print_json(v);
	else
		print_table(v);
	fflush(stdout);
}

/* ---- the whole run ---------------------------------------------------------------------------------- */

static void totals_json(const struct counts_look *totals, const struct counts_events *events)
{
	struct strbuf sb = STRBUF_INIT;
	struct json j;

	json_init(&j, &sb);
	json_object(&j, NULL);
	json_u64(&j, "schema", MONITOR_SCHEMA);
	json_array(&j, "totals");
	for (size_t i = 0; i < totals->threads.n; i++) {
		json_object(&j, NULL);
		json_thread(&j, &totals->threads.at[i]);
		for (size_t e = 0; e < DIRECTORY_EVENTS; e++)
			json_u64(&j, events->at[e], totals->counts.at[i * DIRECTORY_EVENTS + e].value);
		json_u64(&j, "directory.hit_at_most",
			 totals->counts.at[(i + 1) * DIRECTORY_EVENTS - 1].value);
		json_end(&j);
	}
	json_end(&j);
	json_end(&j);
	cmd_put(stdout, sb.s);
	strbuf_release(&sb);
}

void monitor_print_totals(const struct monitor_view *v, const struct counts_look *totals)
{
	struct counts_events events = VEC_INIT;

	counts_directory_events(&events);
	if (v->o->json) {
		totals_json(totals, &events);
	} else {
		cmd_print("whole run\n    TID THREAD          ");
		for (size_t e = 0; e < events.n; e++)
			cmd_print(" %*s", (int)strlen(events.at[e]), events.at[e]);
		cmd_print("\n");
		for (size_t i = 0; i < totals->threads.n; i++) {
			const struct counts_thread *t = &totals->threads.at[i];
			char name[COUNT_NAME];

			cmd_print("%7u %-16s", t->tid, name_shown(t->name, name));
			for (size_t e = 0; e < events.n; e++)
				cmd_print(" %*lu", (int)strlen(events.at[e]),
					  (unsigned long)totals->counts.at[i * events.n + e].value);
			cmd_print("\n");
		}
		cmd_put(stdout, "directory.hit is at least that and at most directory.invalidations: a load "
				"that is on its\n"
				"way while another thread stores is not seen, and the store behind it counts "
				"as hitm\n");
	}
	counts_events_release(&events);
}

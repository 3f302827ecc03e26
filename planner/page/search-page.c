/* SPDX-License-Identifier: MIT */
#include "planner/page/search-page.h"

#include <stdlib.h>
#include <string.h>

#include "lib/html/frame.h"
#include "lib/html/html.h"
#include "lib/json.h"
#include "lib/mem.h"

HTML_ASSET(live_js, "lib/html/assets/live.js");
HTML_ASSET(view_js, "lib/html/assets/search.js");
HTML_ASSET(search_js, "planner/page/assets/search.js");

static void put_cost(struct json *j, const char *key, const struct cost *c)
{
	json_object(j, key);
	json_u64(j, "time_ns", c->time_ns);
	json_double(j, "energy_j", (double)c->energy_pj * 1e-12);
	json_double(j, "peak_w", (double)c->peak_mw * 1e-3);
	json_end(j);
}

static void put_front(struct json *j, const struct outcome *out)
{
	json_array(j, "front");
	for (uint32_t i = 0; i < out->n_plans; i++)
		put_cost(j, NULL, &out->plans[i].cost);
	json_end(j);
}

static void put_outcome(struct json *j, const struct search_page *s)
{
	static const char *const objectives[] = {"time", "energy", "energy x delay", "power"};

	json_string(j, "objective", objectives[s->out->goal.objective]);
	put_cost(j, "baseline", &s->out->base_ev.total);
	put_cost(j, "best", &s->now);
	put_cost(j, "bound", &s->out->bound);
	json_bool(j, "proven", s->out->proven);
	json_string(j, "method", s->out->method);
	put_front(j, s->out);
}

/* Thread by thread where it starts, then the triggers at calls, each with its reason. */
static void put_plan(struct json *j, const struct plan *p)
{
	json_array(j, "threads");
	for (size_t i = 0; i < p->n_threads; i++) {
		json_object(j, NULL);
		json_string(j, "name", p->threads[i].name);
		if (p->threads[i].core != PLAN_NONE)
			json_u64(j, "core", p->threads[i].core);
		json_string(j, "reason", p->threads[i].reason);
		json_end(j);
	}
	json_end(j);
	json_array(j, "triggers");
	for (size_t i = 0; i < p->n_triggers; i++) {
		const struct plan_trigger *t = &p->triggers[i];
		const struct plan_site *site = t->site == PLAN_NONE ? NULL : &p->sites[t->site];

		json_object(j, NULL);
		json_u64(j, "number", t->number);
		json_string(j, "thread", p->threads[t->thread].name);
		json_string(j, "function", site ? site->function : NULL);
		json_string(j, "callee", site ? site->callee : NULL);
		json_string(j, "file", site ? site->file : NULL);
		json_u64(j, "line", site ? site->line : 0);
		json_array(j, "sets");
		for (size_t k = 0; k < t->n_actions; k++) {
			struct strbuf sb = STRBUF_INIT;

			if (t->actions[k].kind == PLAN_PIN)
				strbuf_printf(&sb, "core %u", t->actions[k].core);
			else
				strbuf_printf(&sb, "domain %u to %.3g GHz", t->actions[k].domain,
					      (double)t->actions[k].khz / 1e6);
			json_string(j, NULL, sb.s);
			strbuf_release(&sb);
		}
		json_end(j);
		json_string(j, "reason", t->reason);
		json_end(j);
	}
	json_end(j);
}

/* A string for each line. */
static void put_log(struct json *j, const char *log)
{
	json_array(j, "log");
	while (log && *log) {
		size_t n = strcspn(log, "\n");
		char *line = mem_strndup(log, n);

		json_string(j, NULL, line);
		free(line);
		log += n + (log[n] == '\n');
	}
	json_end(j);
}

static void put_state(const struct search_page *s, struct strbuf *out)
{
	struct json j;

	json_init(&j, out);
	json_object(&j, NULL);
	json_u64(&j, "schema", 1);
	json_string(&j, "state", s->state);
	json_string(&j, "command", s->command);
	json_string(&j, "live", s->live);
	json_double(&j, "seconds", s->seconds);
	json_u64(&j, "evaluations", s->evaluations);
	if (s->out)
		put_outcome(&j, s);
	put_log(&j, s->log);
	if (s->plan)
		put_plan(&j, s->plan);
	json_end(&j);
}

void search_page_live(const struct search_page *s, struct strbuf *out)
{
	strbuf_puts(out, "perseus.live(");
	put_state(s, out);
	strbuf_puts(out, ");\n");
}

/* What can be read without a script. */
static void put_static(const struct search_page *s, struct strbuf *out)
{
	strbuf_puts(out, "<header><h1>Search for a plan</h1></header>\n<main id=\"tab-summary\">\n"
			 "<section><h2>How it stands <strong class=\"word good\" id=\"state\">");
	html_text(out, s->state);
	strbuf_puts(out, "</strong></h2>\n<p>Of the command <code>");
	html_text(out, s->command);
	strbuf_puts(out,
		    "</code></p>\n<noscript><p>Without scripts this page is empty: perseus plan prints the "
		    "same as text.</p></noscript>\n<div id=\"search-view\"></div></section></main>\n");
}

void search_page(const struct search_page *s, struct strbuf *out)
{
	static const struct html_asset scripts[] = {HTML_ASSET_OF(live_js), HTML_ASSET_OF(view_js),
						    HTML_ASSET_OF(search_js)};
	const struct html_frame frame = {
		.title = "search", .scripts = scripts, .n_scripts = 3, .also_from = s->live ? "file:" : NULL};
	struct strbuf state = STRBUF_INIT;

	html_frame_begin(&frame, out);
	put_static(s, out);
	put_state(s, &state);
	strbuf_puts(out, "<script type=\"application/json\" id=\"search\">");
	html_json(out, state.s);
	strbuf_puts(out, "</script>\n");
	strbuf_release(&state);
	html_frame_end(&frame, out);
}

/* SPDX-License-Identifier: MIT */
#include "tuner/page/tune-page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/html/frame.h"
#include "lib/html/html.h"
#include "lib/json.h"
#include "lib/mem.h"

#define RUNS_MOST 5000 /* that a page shows; of more the first are left out */

HTML_ASSET(live_js, "lib/html/assets/live.js");
HTML_ASSET(tune_js, "tuner/page/assets/tune.js");

static void put_runs(struct json *j, const struct tune_page *p)
{
	size_t n = p->runs->n, first = n > RUNS_MOST ? n - RUNS_MOST : 0;

	json_u64(j, "runs_made", n);
	json_u64(j, "runs_left_out", first);
	json_array(j, "runs");
	for (size_t i = first; i < n; i++) {
		const struct tune_page_run *r = &p->runs->at[i];
		bool valued = r->end == TRIAL_OK || r->end == TRIAL_SLOW;

		json_object(j, NULL);
		json_string(j, "end", trial_ends[r->end]);
		json_double(j, "value", valued ? r->value : NAN);
		json_string(j, "setting", r->setting);
		json_end(j);
	}
	json_end(j);
}

static void put_state(const struct tune_page *p, struct strbuf *out)
{
	struct json j;

	json_init(&j, out);
	json_object(&j, NULL);
	json_u64(&j, "schema", 1);
	json_string(&j, "state", p->state);
	json_string(&j, "command", p->command);
	json_string(&j, "live", p->live);
	json_double(&j, "seconds", p->seconds);
	json_u64(&j, "planned", p->planned);
	json_string(&j, "unit", p->unit);
	json_bool(&j, "more", p->more);
	put_runs(&j, p);
	json_string(&j, "text", p->text);
	json_end(&j);
}

void tune_page_live(const struct tune_page *p, struct strbuf *out)
{
	strbuf_puts(out, "perseus.live(");
	put_state(p, out);
	strbuf_puts(out, ");\n");
}

/* As it is printed; what is too long goes on below. */
static void put_lines(const char *text, struct strbuf *out)
{
	strbuf_puts(out, "<pre>");
	while (*text) {
		size_t n = strcspn(text, "\n");
		char *line = mem_strndup(text, n);

		strbuf_puts(out, "<span class=\"line\">");
		html_text(out, line);
		strbuf_puts(out, "\n</span>");
		free(line);
		text += n + (text[n] == '\n');
	}
	strbuf_puts(out, "</pre>\n");
}

/* What can be read without a script. */
static void put_static(const struct tune_page *p, struct strbuf *out)
{
	strbuf_puts(out, "<header><h1>Search for settings</h1></header>\n<main id=\"tab-summary\">\n"
			 "<section><h2>How it stands <strong class=\"word good\" id=\"state\">");
	html_text(out, p->state);
	strbuf_puts(out, "</strong></h2>\n<p>Of the command <code>");
	html_text(out, p->command);
	strbuf_puts(out, "</code></p>\n");
	if (p->text)
		put_lines(p->text, out);
	strbuf_puts(out, "<div id=\"tune-view\"></div></section></main>\n");
}

void tune_page_write(const struct tune_page *p, struct strbuf *out)
{
	static const struct html_asset scripts[] = {HTML_ASSET_OF(live_js), HTML_ASSET_OF(tune_js)};
	const struct html_frame frame = {
		.title = "tune", .scripts = scripts, .n_scripts = 2, .also_from = p->live ? "file:" : NULL};
	struct strbuf state = STRBUF_INIT;

	html_frame_begin(&frame, out);
	put_static(p, out);
	put_state(p, &state);
	strbuf_puts(out, "<script type=\"application/json\" id=\"tune\">");
	html_json(out, state.s);
	strbuf_puts(out, "</script>\n");
	strbuf_release(&state);
	html_frame_end(&frame, out);
}

/* SPDX-License-Identifier: MIT */
/* The documents of a page: what the commands print as JSON. */
#include <stdint.h>
#include <stdlib.h>

#include "lib/html/html.h"
#include "lib/json.h"
#include "report/critical/critical.h"
#include "report/page/parts.h"
#include "report/time/paths.h"
#include "report/waits/waits.h"

#define ROWS_MAX  5000u  /* of functions and of call sites */
#define PATHS_MAX 20000u /* nodes of the tree of calls */

/* The document @json as the element @id; @json is empty afterwards. */
static void put_document(struct strbuf *out, const char *id, struct strbuf *json)
{
	strbuf_printf(out, "<script type=\"application/json\" id=\"%s\">", id);
	html_json(out, json->s ? json->s : "null");
	strbuf_puts(out, "</script>\n");
	strbuf_release(json);
}

static void put_paths(const struct page_parts *p, struct strbuf *out)
{
	const struct report_view view = {.rows = PATHS_MAX, .asked = true};
	struct strbuf json = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct report_paths paths;

	if (report_paths_make(&paths, p->times, &err))
		return;
	report_paths_json(&paths, &view, &json);
	report_paths_release(&paths);
	put_document(out, "paths", &json);
}

static void put_critical(const struct page_parts *p, struct strbuf *out)
{
	struct strbuf json = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct report_critical path;

	if (report_critical_make(&path, p->times, &err))
		return;
	report_critical_json(&path, &json);
	report_critical_release(&path);
	put_document(out, "critical", &json);
}

static void put_run(struct json *j, const struct run *run, const char *purpose)
{
	json_object(j, NULL);
	json_string(j, "path", run->path);
	json_string(j, "program", run->manifest.program);
	json_string(j, "purpose", purpose);
	json_bool(j, "complete", run->complete);
	json_end(j);
}

static void put_index(const struct page_parts *p, struct strbuf *out)
{
	struct strbuf sb = STRBUF_INIT;
	struct json j;

	json_init(&j, &sb);
	json_object(&j, NULL);
	json_u64(&j, "schema", 1);
	json_string(&j, "perseus", PERSEUS_VERSION);
	json_array(&j, "runs");
	put_run(&j, p->times->run, p->times->sharing ? "sharing" : "timing");
	if (p->sharing && p->sharing->run != p->times->run)
		put_run(&j, p->sharing->run, "sharing");
	json_end(&j);
	json_array(&j, "left_out");
	for (size_t i = 0; p->left_out && p->left_out[i]; i++)
		json_string(&j, NULL, p->left_out[i]);
	json_end(&j);
	json_end(&j);
	put_document(out, "page", &sb);
}

/* Without the lines and blanks that people read it by: of large documents they are the half. */
static void make_dense(struct strbuf *json)
{
	size_t n = 0;

	for (size_t i = 0; i < json->len; i++) {
		json->s[n++] = json->s[i];
		if (json->s[i] != '\n')
			continue;
		n--;
		while (json->s[i + 1] == ' ')
			i++;
	}
	json->len = n;
	json->s[n] = '\0';
}

static void put_sharing(const struct page_parts *p, struct strbuf *out)
{
	const struct conflicts_choice all = {.all = true};
	struct strbuf json = STRBUF_INIT;

	conflicts_json(&p->sharing->rep, p->sharing->run, &all, p->sources, &json);
	put_document(out, "conflicts", &json);
	conflicts_map(p->sharing->run, &json);
	make_dense(&json);
	put_document(out, "map", &json);
	page_memory(p->sharing, out);
}

void page_data(const struct page_parts *p, struct strbuf *out)
{
	const struct report_view view = {.rows = ROWS_MAX, .threads = true};
	struct strbuf json = STRBUF_INIT;

	put_index(p, out);
	report_json(p->times, &view, &json);
	put_document(out, "report", &json);
	waits_json(p->times, &json);
	put_document(out, "waits", &json);
	put_critical(p, out);
	put_paths(p, out);
	page_calls(p->times, out);
	page_timeline(p->times, out);
	page_cores(p->times, out);
	if (p->sharing)
		put_sharing(p, out);
}

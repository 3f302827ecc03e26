/* SPDX-License-Identifier: MIT */
/* The documents of a page: what the commands print as JSON. */
#include <stdint.h>
#include <stdlib.h>

#include "lib/json.h"
#include "report/critical/critical.h"
#include "report/page/parts.h"
#include "report/time/paths.h"
#include "report/waits/waits.h"

#define ROWS_MAX  5000u  /* of functions and of call sites */
#define PATHS_MAX 20000u /* nodes of the tree of calls */

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
	page_document(out, "paths", &json);
}

static void put_critical(const struct page_parts *p, struct strbuf *out)
{
	struct strbuf json = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct report_critical path;

	if (report_critical_make(&path, p->times, &err))
		return;
	report_critical_json(&path, &json);
	page_dense(&json);
	report_critical_release(&path);
	page_document(out, "critical", &json);
}

static void put_run(struct json *j, const char *path, const char *program, const char *purpose, bool complete)
{
	json_object(j, NULL);
	json_string(j, "path", path);
	json_string(j, "program", program);
	json_string(j, "purpose", purpose);
	json_bool(j, "complete", complete);
	json_end(j);
}

static void put_runs(const struct page_parts *p, struct json *j)
{
	const struct run *times = p->times->run, *sharing = p->sharing ? p->sharing->run : times;

	json_array(j, "runs");
	put_run(j, times->path, times->manifest.program, p->times->sharing ? "sharing" : "timing",
		times->complete);
	if (sharing != times)
		put_run(j, sharing->path, sharing->manifest.program, "sharing", sharing->complete);
	if (p->denormal)
		put_run(j, p->denormal->run.path, p->denormal->run.manifest.program, "denormal",
			!p->denormal->run.incomplete);
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
	put_runs(p, &j);
	json_array(&j, "left_out");
	for (size_t i = 0; p->left_out && p->left_out[i]; i++)
		json_string(&j, NULL, p->left_out[i]);
	json_end(&j);
	json_end(&j);
	page_document(out, "page", &sb);
}

static void put_sharing(const struct page_parts *p, struct strbuf *out)
{
	const struct conflicts_choice all = {.all = true};
	struct strbuf json = STRBUF_INIT;

	conflicts_json(&p->sharing->rep, p->sharing->run, &all, p->sources, &json);
	page_document(out, "conflicts", &json);
	conflicts_map(p->sharing->run, &json);
	page_dense(&json);
	page_document(out, "map", &json);
	page_memory(p->sharing, out);
}

/* What was made elsewhere. */
static void put_others(const struct page_parts *p, struct strbuf *out)
{
	struct strbuf json = STRBUF_INIT;

	if (p->plan)
		page_plan(p->times, p->plan, p->plan_path, out);
	if (p->denormal) {
		denormal_report_json(&p->denormal->rep, &json);
		page_dense(&json);
		page_document(out, "denormals", &json);
	}
	if (p->search) {
		strbuf_puts(&json, p->search);
		page_document(out, "search", &json);
	}
}

void page_data(const struct page_parts *p, struct strbuf *out)
{
	const struct report_view view = {.rows = ROWS_MAX, .threads = true};
	struct strbuf json = STRBUF_INIT;

	put_index(p, out);
	report_json(p->times, &view, &json);
	page_dense(&json);
	page_document(out, "report", &json);
	waits_json(p->times, &json);
	page_dense(&json);
	page_document(out, "waits", &json);
	put_critical(p, out);
	put_paths(p, out);
	page_calls(p->times, out);
	page_timeline(p->times, out);
	page_cores(p->times, out);
	page_phases(p->times, out);
	page_speeds(p->times, out);
	if (!p->times->sharing)
		page_energy(p->times, p->model, p->joules, out);
	if (p->sharing)
		put_sharing(p, out);
	put_others(p, out);
}

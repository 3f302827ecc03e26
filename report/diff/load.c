/* SPDX-License-Identifier: MIT */
/* A recording as rows. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/fs.h"
#include "lib/html/html.h"
#include "record/run.h"
#include "report/conflicts/conflicts.h"
#include "report/diff/diff.h"
#include "report/summary.h"

#define DOCUMENT_MAX (256u << 20) /* bytes */
#define CALL_NS      2.0          /* that the clock read moves between a call and its caller */
#define ROWS_ALL     10000000u
#define ROWS_OLD     15 /* documents that do not say how many rows there are have at most so many by default */

/* ---- documents ------------------------------------------------------------- */

/* A page that was cut may lack findings that it had: it ends with its last element, or says nothing. */
static bool page_ends(const char *html)
{
	size_t n = strlen(html), end = strlen("</html>");

	while (n && strchr(" \t\r\n", html[n - 1]))
		n--;
	return n >= end && !strncmp(html + n - end, "</html>", end);
}

/* The times of a page, or where those are of a sharing run, or @findings, its findings. */
static int read_page(struct json_value *v, const char *html, bool findings, const char *name, struct err *err)
{
	size_t len;
	const char *at = html_document(html, "report", &len);
	int ret;

	if (!at)
		return err_set(err, -EINVAL, "'%s' is a page without a report of perseus in it", name);
	if (!page_ends(html))
		return err_set(err, -EINVAL,
			       "'%s' is a page that is cut: its end is missing\n"
			       "  perseus report --html=FILE RUN writes it again",
			       name);
	ret = json_read(v, at, len, name, err);
	if (ret || (!findings && strcmp(json_text_of(v, "purpose", ""), "sharing") != 0))
		return ret;
	at = html_document(html, "conflicts", &len);
	if (!at)
		return 0;
	json_release(v);
	return json_read(v, at, len, name, err);
}

static int read_text(struct json_value *v, const struct strbuf *text, bool findings, const char *name,
		     struct err *err)
{
	const char *s = text->s ? text->s : "";

	s += strspn(s, " \t\r\n");
	if (*s == '<')
		return read_page(v, s, findings, name, err);
	return json_read(v, text->s ? text->s : "", text->len, name, err);
}

/* ---- runs ------------------------------------------------------------------ */

static int findings_of(struct strbuf *out, const struct run *run, struct err *err)
{
	const struct conflicts_choice all = {.all = true};
	struct conflicts_case c;
	struct patch sources;
	int ret = conflicts_judge(&c, run, NULL, NULL, err);

	if (ret)
		return ret;
	ret = patch_start(&sources, run, ".", err);
	if (!ret) {
		conflicts_json(&c.rep, run, &all, &sources, out);
		patch_release(&sources);
	}
	conflicts_release(&c);
	return ret;
}

static void times_of(struct strbuf *out, const struct run *run)
{
	const struct report_view view = {.rows = ROWS_ALL};
	struct report_summary s;

	report_summarise(&s, run);
	report_json(&s, &view, out);
	report_summary_release(&s);
}

/* The document that the run would be printed as. */
static int read_run(struct json_value *v, const char *name, struct err *err)
{
	struct strbuf sb = STRBUF_INIT;
	struct run run;
	int ret = run_open(&run, name, err);

	if (ret)
		return ret;
	if (run.n_processes && run.processes[0].header->purpose == PRS_PURPOSE_SHARING)
		ret = findings_of(&sb, &run, err);
	else
		times_of(&sb, &run);
	if (!ret)
		ret = json_read(v, sb.s, sb.len, name, err);
	strbuf_release(&sb);
	run_close(&run);
	return ret;
}

/* ---- rows ------------------------------------------------------------------ */

static char *joined(const char *a, const char *b, const char *c)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_printf(&sb, "%s\n%s\n%s", a, b, c);
	return strbuf_detach(&sb);
}

static struct diff_entry *add_row(struct diff_recording *r, enum diff_kind kind, const struct json_value *v)
{
	struct diff_entry *e = vec_add(&r->rows);

	e->kind = kind;
	e->file = json_text_of(v, "file", NULL);
	e->line = (uint32_t)fmax(0, fmin(json_number_of(v, "line", 0), 1e9));
	e->value = fmax(0, json_number_of(v, "self_ns", 0));
	e->calls = fmax(0, json_number_of(v, "calls", 0));
	e->share = json_number_of(v, "self", 0);
	return e;
}

/* What they take is what the schedule of the moment makes of them. */
static bool moves_threads(const char *name)
{
	static const char *const begins[] = {"pthread_",   "sem_",   "cnd_",  "mtx_",
					     "thrd_",      "sched_", "futex", "std::condition_variable",
					     "std::mutex", "GOMP_",  "omp_"};

	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
		if (!strncmp(name, begins[i], strlen(begins[i])))
			return true;
	return false;
}

/* The part of the time that is in a few calls much longer than most. */
static double tail(const struct json_value *v)
{
	double calls = json_number_of(v, "calls", 0), p50 = json_number_of(v, "p50_ns", 0);
	double mean = calls > 0 ? json_number_of(v, "total_ns", 0) / calls : 0;

	if (json_number_of(v, "timed", 0) < 16 || p50 <= 0 || mean <= 0)
		return 0;
	return fmax(0, 1 - 2 * p50 / mean);
}

/* See README.md; @made: calls out of it. */
static double deviation(const struct diff_recording *r, const struct diff_entry *e,
			const struct json_value *v, double made, double noise)
{
	double n = hypot(noise, r->in_line);
	double own = e->scheduled ? 1 : hypot(n, tail(v));
	double inside = fmax(0, fmin(json_number_of(v, "total_ns", 0), r->thread_ns) - e->value);

	return hypot(hypot(own * e->value, n * inside), CALL_NS * hypot(e->calls > 1 ? e->calls : 0, made));
}

static double calls_out_of(const struct json_value *sites, const char *function)
{
	double calls = 0;

	for (size_t i = 0; sites && i < sites->n; i++)
		if (!strcmp(json_text_of(&sites->at[i], "function", ""), function))
			calls += fmax(0, json_number_of(&sites->at[i], "calls", 0));
	return calls;
}

static void add_functions(struct diff_recording *r, double noise)
{
	const struct json_value *list = json_member(&r->document, "functions");
	const struct json_value *sites = json_member(&r->document, "call_sites");

	for (size_t i = 0; i < list->n; i++) {
		const struct json_value *v = &list->at[i];
		struct diff_entry *e = add_row(r, DIFF_FUNCTION, v);

		e->name = json_text_of(v, "name", "?");
		e->scheduled = moves_threads(e->name);
		e->outside = json_bool_of(v, "place_is_call", false);
		e->key = joined("function", json_text_of(v, "assembler_name", e->name), "");
		e->other = joined("function", e->name, "");
		e->matters = e->share >= DIFF_SHARE;
		/* Small ones are not judged, and many. */
		e->sd = e->matters ? deviation(r, e, v, calls_out_of(sites, e->name), noise) : e->value;
	}
}

static void add_sites(struct diff_recording *r, double noise)
{
	const struct json_value *list = json_member(&r->document, "call_sites");

	for (size_t i = 0; list && i < list->n; i++) {
		const struct json_value *v = &list->at[i];
		const char *callee = json_text_of(v, "callee", "?"), *id = json_text_of(v, "id", NULL);
		struct diff_entry *e;

		if (!id)
			continue;
		e = add_row(r, DIFF_SITE, v);
		e->name = callee;
		e->scheduled = moves_threads(callee);
		e->within = json_text_of(v, "function", "?");
		e->key = joined(id, json_text_of(v, "instance", ""), callee);
		e->other = joined("site", json_text_of(v, "function", ""), callee);
		e->matters = e->share >= DIFF_SHARE;
		e->sd = deviation(r, e, v, 0, noise);
	}
}

static void add_findings(struct diff_recording *r)
{
	const struct json_value *list = json_member(&r->document, "findings");

	for (size_t i = 0; i < list->n; i++) {
		const struct json_value *v = &list->at[i], *cost = json_member(v, "cost_percent");
		struct diff_entry *e = add_row(r, DIFF_FINDING, v);
		double low = json_number_of(v, "cost_percent_low", 0),
		       high = json_number_of(v, "cost_percent_high", 0);

		e->name = json_text_of(v, "subject", "?");
		e->key = joined("finding", json_text_of(v, "id", "?"), "");
		e->other = joined("finding", e->name, "");
		e->priced = cost && cost->kind == JSON_NUMBER;
		e->calls = fmax(0, json_number_of(v, "transfers_per_s", 0));
		e->value = e->priced ? fmax(0, cost->number) : e->calls;
		e->sd = e->priced ? fmax((high - low) / 3.92, 0.3 * e->value) : DIFF_TRANSFERS * e->value;
		e->matters = json_bool_of(v, "significant", false) || json_bool_of(v, "candidate", false);
	}
}

/* What must be a number in a row is one, or null: not known. */
static bool has_numbers(const struct json_value *row)
{
	static const char *const keys[] = {"self_ns", "total_ns",     "calls", "timed",
					   "self",    "cost_percent", "line",  "transfers_per_s"};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const struct json_value *v = json_member(row, keys[i]);

		if (v && v->kind != JSON_NUMBER && v->kind != JSON_NULL)
			return false;
	}
	return row->kind == JSON_OBJECT;
}

static int check_rows(const struct diff_recording *r, const char *key, struct err *err)
{
	const struct json_value *list = json_member(&r->document, key);

	for (size_t i = 0; list && list->kind == JSON_ARRAY && i < list->n; i++)
		if (!has_numbers(&list->at[i]))
			return err_set(err, -EINVAL, "'%s' is damaged: row %zu of its %s has no numbers",
				       r->name, i + 1, key);
	return 0;
}

/* True if the document holds a part of its rows of this kind. */
static bool is_cut(const struct json_value *v, const char *list, const char *all)
{
	const struct json_value *rows = json_member(v, list);
	double n = rows ? (double)rows->n : 0;

	return n < json_number_of(v, all, n < ROWS_OLD ? n : n + 1);
}

/* The arguments behind the program's name; NULL: the document does not say. */
static char *command_of(const struct json_value *v)
{
	const struct json_value *list = json_member(v, "command");
	struct strbuf sb = STRBUF_INIT;

	if (!list || list->kind != JSON_ARRAY)
		return NULL;
	for (size_t i = 1; i < list->n; i++) {
		strbuf_puts(&sb, i > 1 ? " " : "");
		if (list->at[i].text)
			strbuf_word(&sb, list->at[i].text);
	}
	return strbuf_detach(&sb);
}

static int take_document(struct diff_recording *r, double noise, struct err *err)
{
	const struct json_value *v = &r->document;
	const struct json_value *functions = json_member(v, "functions"),
				*findings = json_member(v, "findings");

	r->sharing = findings != NULL;
	if (json_number_of(v, "schema", 0) != 1 || !(findings ? findings : functions) ||
	    (findings ? findings : functions)->kind != JSON_ARRAY)
		return err_set(err, -EINVAL,
			       "'%s' is JSON, but no document of perseus report or conflicts, schema 1\n"
			       "  perseus report --json RUN writes one",
			       r->name);
	if (!r->sharing && !strcmp(json_text_of(v, "purpose", ""), "sharing"))
		return err_set(err, -EDOM,
			       "'%s' has the times of a sharing run, which memory probes inflate\n"
			       "  perseus conflicts --json RUN writes its findings",
			       r->name);
	r->program = json_text_of(v, "program", NULL);
	r->thread_ns = fmax(0, json_number_of(v, "thread_ns", 0));
	r->command = command_of(v);
	r->cpu = json_text_of(v, "cpu", NULL);
	r->cores = json_number_of(v, "cores", 0);
	r->load = json_number_of(v, "load_before", -1);
	r->in_line = json_number_of(v, "in_line", 0);
	if (!json_bool_of(v, "complete", false))
		r->incomplete = json_text_of(v, "incomplete_why", "a part of it is missing");
	if (check_rows(r, "functions", err) || check_rows(r, "call_sites", err) ||
	    check_rows(r, "findings", err))
		return err->code;
	if (r->sharing) {
		add_findings(r);
		return 0;
	}
	r->cut[DIFF_FUNCTION] = is_cut(v, "functions", "functions_in_all");
	r->cut[DIFF_SITE] = is_cut(v, "call_sites", "call_sites_in_all");
	add_functions(r, noise);
	add_sites(r, noise);
	return 0;
}

static bool is_file(const char *name)
{
	struct stat st;

	return !stat(name, &st) && S_ISREG(st.st_mode);
}

static void load_release(struct diff_recording *r)
{
	for (size_t i = 0; i < r->rows.n; i++) {
		free(r->rows.at[i].key);
		free(r->rows.at[i].other);
	}
	vec_release(&r->rows);
	free(r->command);
	json_release(&r->document);
}

/* A file that is no document may have the name of a run: the program itself has. */
static int read_any(struct json_value *v, const char *name, bool findings, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int ret;

	if (!is_file(name))
		return read_run(v, name, err);
	ret = fs_read(name, DOCUMENT_MAX, &text, err);
	if (!ret && text.s && strchr("{<", text.s[strspn(text.s, " \t\r\n")]))
		ret = read_text(v, &text, findings, name, err);
	else if (!ret && read_run(v, name, err))
		ret = err_set(err, -EINVAL,
			      "'%s' is neither a run nor a document of perseus report --json or --html",
			      name);
	strbuf_release(&text);
	return ret;
}

int diff_add(struct diff_side *s, const char *name, double noise, struct err *err)
{
	struct diff_recording r = {.name = name};
	int ret = read_any(&r.document, name, s->findings, err);

	if (!ret)
		ret = take_document(&r, noise, err);
	if (!ret && s->findings && !r.sharing)
		ret = err_set(err, -EDOM,
			      "'%s' has no findings, but times\n"
			      "  expected a sharing run, or a page with one in it",
			      name);
	if (ret)
		load_release(&r);
	else
		vec_push(&s->recordings, r);
	return ret;
}

void diff_side_release(struct diff_side *s)
{
	for (size_t i = 0; i < s->recordings.n; i++)
		load_release(&s->recordings.at[i]);
	vec_release(&s->recordings);
}

/* SPDX-License-Identifier: MIT */
/* `perseus waits --critical-path`. */
#include <stdio.h>
#include <string.h>

#include "lib/json.h"
#include "lib/num.h"
#include "record/run.h"
#include "report/critical/parts.h"
#include "report/time/words.h"
#include "report/waits/waits.h"

#define SHOWN 8u
#define LEAST 0.005 /* of the path: less is shown by --json only */
#define STEPS 20000u

static const char *const kind_names[CRIT_KINDS] = {
	[CRIT_WORK] = "work", [CRIT_WAIT] = "wait", [CRIT_HAND] = "handoff", [CRIT_START] = "start"};

static double critical_print_share(const struct report_critical *c, double ns)
{
	return c->ns > 0 ? ns / c->ns : 0;
}

static void put_time(struct strbuf *out, double ns)
{
	char text[32];

	strbuf_puts(out, num_time(text, sizeof(text), ns * 1e-9));
}

static void put_share(const struct report_critical *c, double ns, struct strbuf *out)
{
	char text[32];

	strbuf_printf(out, "  %5.1f %% %9s  ", 100 * critical_print_share(c, ns),
		      num_time(text, sizeof(text), ns * 1e-9));
}

static void text_kinds(const struct report_critical *c, struct strbuf *out)
{
	static const char *const words[CRIT_KINDS] = {
		[CRIT_WORK] = "work",
		[CRIT_WAIT] = "waiting for nobody that is known, or outside of the program",
		[CRIT_HAND] = "from the end of a wait until the thread went on",
		[CRIT_START] = "from the creation of a thread until it began"};

	for (size_t i = 0; i < CRIT_KINDS; i++) {
		if (c->kind_ns[i] <= 0)
			continue;
		put_share(c, c->kind_ns[i], out);
		strbuf_printf(out, "%s\n", words[i]);
	}
}

static void text_parts(const struct report_critical *c, const char *head, const struct crit_part *parts,
		       size_t n, struct strbuf *out)
{
	strbuf_printf(out, "%s\n", head);
	for (size_t i = 0; i < n && i < SHOWN; i++) {
		if (parts[i].ns < LEAST * c->ns && i)
			break;
		put_share(c, parts[i].ns, out);
		strbuf_puts(out, parts[i].name);
		if (parts[i].who)
			strbuf_printf(out, " of %s", parts[i].who);
		if (parts[i].file) {
			strbuf_puts(out, ", called at ");
			text_place(parts[i].file, parts[i].line, out);
		}
		strbuf_puts(out, "\n");
	}
}

static void text_wait(const struct report_critical *c, const struct crit_part *w, struct strbuf *out)
{
	char text[32];

	put_share(c, w->whom ? w->behind_ns : w->ns, out);
	strbuf_printf(out, "%s: %s", w->name, w->who);
	if (w->whom)
		strbuf_printf(out, " for %s", w->whom);
	if (w->file) {
		strbuf_puts(out, ", ");
		text_place(w->file, w->line, out);
	}
	strbuf_printf(out, ", %s times\n", num_group(text, sizeof(text), w->count));
}

static void text_waits(const struct report_critical *c, struct strbuf *out)
{
	if (!c->n_waits) {
		strbuf_puts(out, "waits     none: the path stays in its thread\n");
		return;
	}
	strbuf_puts(out, "waits     so long a thread stood there while the path went on in the other\n");
	for (size_t i = 0; i < c->n_waits && i < SHOWN; i++)
		text_wait(c, &c->waits[i], out);
}

/* An interval, or one figure where its ends are printed alike. */
static void text_gain(const struct crit_gain *g, struct strbuf *out)
{
	char low[16], high[16];

	snprintf(low, sizeof(low), "%.1f", 100 * g->low);
	snprintf(high, sizeof(high), "%.1f", 100 * g->high);
	if (strcmp(low, high))
		strbuf_printf(out, "  %5s to %s %%  ", low, high);
	else
		strbuf_printf(out, "  %5s %%  ", low);
	strbuf_printf(out, "%s%s", g->name, g->lock ? " held" : "");
	if (g->file) {
		strbuf_puts(out, ", called at ");
		text_place(g->file, g->line, out);
	}
	strbuf_puts(out, "\n");
}

static void text_gains(const struct report_critical *c, struct strbuf *out)
{
	if (!c->n_gains)
		return;
	strbuf_puts(out, "what if   half as long; so much shorter the run\n");
	for (size_t i = 0; i < c->n_gains && i < SHOWN; i++) {
		const struct crit_gain *g = &c->gains[i];

		if (!g->known)
			strbuf_printf(out, "  cannot be told  %s: %s\n", g->name, g->why);
		else
			text_gain(g, out);
	}
	strbuf_puts(
		out,
		"model     the recorded waits in their order, the rest as it was: low, all of them played\n"
		"          again; high, what comes off this path.  Waits that a change makes are not in "
		"it\n");
}

static void critical_text(const struct report_critical *c, struct strbuf *out)
{
	strbuf_printf(out, "path      ");
	put_time(out, c->ns);
	strbuf_printf(out, " from start to end, through %zu of %zu threads\n", c->n_threads,
		      c->process->n_threads);
	if (c->limit)
		strbuf_printf(out, "limited   %s\n", c->limit);
	text_kinds(c, out);
	text_parts(c, "threads", c->threads, c->n_threads, out);
	text_parts(c, "work      in long calls, the innermost ones", c->functions, c->n_functions, out);
	text_waits(c, out);
	text_gains(c, out);
}

/* ---- JSON ----------------------------------------------------------------------------- */

static void json_parts(const struct report_critical *c, struct json *j, const char *key,
		       const struct crit_part *parts, size_t n)
{
	json_array(j, key);
	for (size_t i = 0; i < n; i++) {
		json_object(j, NULL);
		json_string(j, "name", parts[i].name);
		json_string(j, "who", parts[i].who);
		json_string(j, "whom", parts[i].whom);
		json_double(j, "ns", parts[i].ns);
		json_double(j, "share", critical_print_share(c, parts[i].ns));
		json_double(j, "behind_ns", parts[i].behind_ns);
		json_u64(j, "count", parts[i].count);
		json_string(j, "file", parts[i].file);
		json_u64(j, "line", parts[i].file ? parts[i].line : 0);
		json_end(j);
	}
	json_end(j);
}

static void json_gains(const struct report_critical *c, struct json *j)
{
	json_array(j, "what_if");
	for (size_t i = 0; i < c->n_gains; i++) {
		const struct crit_gain *g = &c->gains[i];

		json_object(j, NULL);
		json_string(j, "name", g->name);
		json_string(j, "file", g->file);
		json_u64(j, "line", g->file ? g->line : 0);
		json_string(j, "change", g->lock ? "held half as long" : "half as long");
		json_bool(j, "known", g->known);
		json_string(j, "why", g->why);
		json_double(j, "low", g->low);
		json_double(j, "high", g->high);
		json_double(j, "on_path_ns", g->on_path_ns);
		json_end(j);
	}
	json_end(j);
}

static void json_steps(const struct report_critical *c, struct json *j)
{
	json_array(j, "steps");
	for (size_t i = 0; i < c->n_steps && i < STEPS; i++) {
		const struct crit_step *s = &c->steps[i];

		json_object(j, NULL);
		json_string(j, "thread", crit_thread_name(c, s->thread, true));
		json_string(j, "kind", kind_names[s->kind]);
		json_double(j, "begin", s->begin);
		json_double(j, "end", s->end);
		json_string(j, "at", s->wait.name);
		json_end(j);
	}
	json_end(j);
	json_u64(j, "steps_in_all", c->n_steps);
}

void report_critical_json(const struct report_critical *c, struct strbuf *out)
{
	struct json j;

	json_init(&j, out);
	json_object(&j, NULL);
	json_u64(&j, "schema", 1);
	json_string(&j, "run", c->s->run->path);
	json_string(&j, "trial", c->s->run->manifest.trial);
	json_bool(&j, "complete", c->s->run->complete);
	json_string(&j, "limit", c->limit);
	json_double(&j, "path_ns", c->ns);
	for (size_t i = 0; i < CRIT_KINDS; i++)
		json_double(&j,
			    i == CRIT_WORK   ? "work_ns"
			    : i == CRIT_WAIT ? "wait_ns"
			    : i == CRIT_HAND ? "handoff_ns"
					     : "start_ns",
			    c->kind_ns[i]);
	json_parts(c, &j, "threads", c->threads, c->n_threads);
	json_parts(c, &j, "functions", c->functions, c->n_functions);
	json_parts(c, &j, "waits", c->waits, c->n_waits);
	json_gains(c, &j);
	json_steps(c, &j);
	json_end(&j);
}

/* No path: one line, or an object without one. */
static void put_reason(const struct report_summary *s, bool json, const char *why, struct strbuf *out)
{
	struct json j;

	if (!json) {
		strbuf_printf(out, "path      not known: %s\n", why);
		return;
	}
	json_init(&j, out);
	json_object(&j, NULL);
	json_u64(&j, "schema", 1);
	json_string(&j, "run", s->run->path);
	json_string(&j, "trial", s->run->manifest.trial);
	json_string(&j, "path_ns", NULL);
	json_string(&j, "limit", why);
	json_end(&j);
}

void report_critical_put(struct report_summary *s, bool json, struct strbuf *out)
{
	struct err err = ERR_INIT;
	struct report_critical c;

	if (report_critical_make(&c, s, &err)) {
		put_reason(s, json, err.msg, out);
		return;
	}
	if (json)
		report_critical_json(&c, out);
	else
		critical_text(&c, out);
	report_critical_release(&c);
}

/* SPDX-License-Identifier: MIT */
/* The run as a comment of a pull request: at most 30 lines. */
#include <string.h>

#include "lib/num.h"
#include "report/export/out.h"
#include "report/time/overhead.h"
#include "report/time/words.h"
#include "report/waits/waits.h"

#define FUNCTIONS    8
#define WAITS        4
#define FINDINGS     4
#define FUNCTION_MIN 0.1 /* percent of thread time */

/* Text of others: no mark-up, no mention of a person, no number of an issue. */
static void put_text(struct export *e, const char *text)
{
	struct strbuf name = STRBUF_INIT;

	export_name(&name, text, "");
	for (const char *p = name.s ? name.s : ""; *p; p++) {
		if (*p == '<' || *p == '>' || *p == '@' || *p == '#' || *p == '&' ||
		    (*p == ':' && p > name.s && p[-1] == ':'))
			strbuf_printf(&e->out, "&#%d;", *p);
		else if (strchr("\\`*_[]|~!", *p))
			strbuf_printf(&e->out, "\\%c", *p);
		else
			strbuf_add(&e->out, p, 1);
	}
	strbuf_release(&name);
}

static void put_place(struct export *e, const char *file, uint32_t line)
{
	struct strbuf place = STRBUF_INIT;

	text_place(file, line, &place);
	if (place.s)
		put_text(e, place.s);
	strbuf_release(&place);
}

static void markdown_put_head(struct export *e)
{
	const struct report_summary *s = e->s;
	struct strbuf cost = STRBUF_INIT;
	char n[4][32];

	strbuf_puts(&e->out, "### Perseus: ");
	put_text(e, e->run->manifest.program);
	strbuf_printf(&e->out, "\n\n%s, %s thread%s, %s run, %s of %s call sites seen by the record",
		      num_time(n[0], sizeof(n[0]), s->wall_ns * 1e-9),
		      num_group(n[1], sizeof(n[1]), s->n_threads), s->n_threads == 1 ? "" : "s",
		      s->sharing ? "sharing" : "timing",
		      num_group(n[2], sizeof(n[2]), e->run->sites_registered),
		      num_group(n[3], sizeof(n[3]), e->run->sites_compiled));
	if (!s->sharing) {
		overhead_text(s, &cost);
		strbuf_printf(&e->out, ", %s", cost.s ? cost.s : "");
	}
	strbuf_puts(&e->out, ".\n");
	if (!e->run->complete) {
		strbuf_puts(&e->out, "**Incomplete:** ");
		put_text(e, e->run->incomplete_why ? e->run->incomplete_why : "a part is missing");
		strbuf_puts(&e->out, "\n");
	}
	strbuf_release(&cost);
}

static void put_functions(struct export *e)
{
	const struct report_summary *s = e->s;
	char n[32];

	strbuf_puts(&e->out, "\n| self | function | place | calls |\n|---:|---|---|---:|\n");
	for (size_t i = 0; i < s->n_functions && i < FUNCTIONS; i++) {
		const struct report_function *f = &s->functions[i];

		if (text_percent(f->self_ns, s->thread_ns) < FUNCTION_MIN)
			break;
		strbuf_printf(&e->out, "| %.1f %% | ", text_percent(f->self_ns, s->thread_ns));
		put_text(e, f->name);
		strbuf_puts(&e->out, f->at_call ? " | called at " : " | ");
		put_place(e, f->file, f->line);
		strbuf_printf(&e->out, " | %s |\n",
			      f->calls ? text_calls(n, sizeof(n), f->calls, f->about) : "");
	}
}

static void put_waits(struct export *e)
{
	const struct report_summary *s = e->s;
	size_t n = 0;

	for (size_t i = 0; i < s->n_waits && n < WAITS; i++) {
		const struct report_wait *w = &s->waits[i];

		if (!waits_significant(s, w))
			continue;
		if (!n++)
			strbuf_puts(&e->out, "\n| waits | thread | at | place |\n|---:|---|---|---|\n");
		strbuf_printf(&e->out, "| %.1f %% | ", text_percent(w->ns, s->thread_ns));
		put_text(e, w->who);
		strbuf_printf(&e->out, " | %s ", report_wait_kind(w->kind));
		put_text(e, w->object ? w->object : "");
		strbuf_puts(&e->out, " | ");
		put_place(e, w->file, w->line);
		strbuf_printf(&e->out, " (%s) |\n", w->id);
	}
}

static void put_findings(struct export *e)
{
	static const struct conflicts_choice significant;
	const struct sharing_report *rep = &e->judged->rep;
	size_t n = 0;

	strbuf_puts(&e->out, "\n");
	for (size_t i = 0; i < rep->n && n < FINDINGS; i++) {
		const struct sharing_finding *f = &rep->findings[i];

		if (!conflicts_shown(f, rep, &significant))
			continue;
		n++;
		strbuf_printf(&e->out, "- **%s** on ", sharing_verdict_name(f->verdict));
		put_text(e, f->subject);
		if (f->priced)
			strbuf_printf(&e->out, ", costs %.1f %% of run time", f->cost);
		strbuf_printf(&e->out, " (%s), ", f->evidence);
		put_text(e, f->object);
		strbuf_puts(&e->out, "\n");
	}
	if (!n)
		strbuf_printf(&e->out, "No sharing of cache lines that matters was found%s.\n",
			      rep->doubts.n ? "; the run is inconclusive" : "");
	else if (rep->n_significant > n)
		strbuf_printf(&e->out, "- and %zu more\n", rep->n_significant - n);
}

int export_markdown(struct export *e, struct err *err)
{
	(void)err;
	markdown_put_head(e);
	if (e->judged)
		put_findings(e);
	else
		put_functions(e);
	put_waits(e);
	strbuf_puts(&e->out,
		    "\nShares are of the time of all threads together. Written by perseus " PERSEUS_VERSION
		    " from run ");
	put_text(e, text_run_name(e->s));
	strbuf_puts(&e->out, ".\n");
	return 0;
}

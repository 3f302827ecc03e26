/* SPDX-License-Identifier: MIT */
/* Counted events as text and as JSON. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/num.h"
#include "report/counters/counters.h"

#define ALL_COUNTED 0.999 /* share of the time above which nothing is said of taking turns */

static bool any_counted(const struct run_counters *c)
{
	for (size_t e = 0; e < c->n_events; e++)
		if (c->events[e].counted)
			return true;
	return false;
}

/* "EACCES (Permission denied)" */
static const char *refusal(int error, char *buf, size_t size)
{
	const char *name = strerrorname_np(error);

	snprintf(buf, size, "%s (%s)", name ? name : "no reason", strerror(error));
	return buf;
}

static double share_of(const struct report_counters *c, size_t e)
{
	return c->wanted_ns[e] > 0 ? c->counted_ns[e] / c->wanted_ns[e] : 0;
}

/* How the counters were read: what the figures can be trusted for. */
static void text_rung(const struct run_counters *c, struct strbuf *out)
{
	char each[32], cost[32];

	num_time(each, sizeof(each), (double)c->interval_us * 1e-6);
	if (c->rung == PRS_RUNG_RDPMC) {
		num_time(cost, sizeof(cost), (double)c->rdpmc_ns * 1e-9);
		strbuf_printf(out, "rdpmc at every logged call (%s a counter)", cost);
	} else if (c->rung == PRS_RUNG_READ) {
		num_time(cost, sizeof(cost), (double)c->read_ns * 1e-9);
		strbuf_printf(out, "read(2) once per %s and thread (%s each), between by the clock", each,
			      cost);
	} else if (any_counted(c)) {
		strbuf_printf(out, "clock only: what the system itself knows, once per %s and thread", each);
	} else {
		strbuf_puts(out, "clock only: nothing could be counted");
	}
}

/* "LLC-loads, LLC-load-misses: ENOENT (No such file or directory)" for each reason once. */
static void text_refused(const struct run_counters *c, const char *indent, struct strbuf *out)
{
	char why[96];

	for (size_t i = 0; i < c->n_events; i++) {
		bool first = !c->events[i].counted;

		for (size_t k = 0; k < i; k++)
			first &= c->events[k].counted || c->events[k].error != c->events[i].error;
		if (!first)
			continue;
		strbuf_printf(out, "%snot counted: %s", indent, c->events[i].name);
		for (size_t k = i + 1; k < c->n_events; k++)
			if (!c->events[k].counted && c->events[k].error == c->events[i].error)
				strbuf_printf(out, ", %s", c->events[k].name);
		strbuf_printf(out, ": %s\n", refusal(c->events[i].error, why, sizeof(why)));
	}
}

void counters_line(const struct report_summary *s, struct strbuf *out)
{
	const struct report_counters *c = s->counters;
	const char *sep = "counters  ";
	char n[32];

	if (!c)
		return;
	for (size_t e = 0; e < c->how->n_events; e++) {
		if (!c->how->events[e].counted)
			continue;
		strbuf_printf(out, "%s%s %s", sep, num_si(n, sizeof(n), c->totals[e]),
			      c->how->events[e].name);
		sep = ", ";
	}
	if (*sep == ',')
		strbuf_puts(out, "\n");
	else
		strbuf_puts(out, "counters  none: the run has times only\n");
}

static void text_event(const struct report_counters *c, size_t e, struct strbuf *out)
{
	const struct run_event *event = &c->how->events[e];
	double share = share_of(c, e);
	char n[32], percent[16] = "-";

	if (!event->counted)
		return;
	if (!event->system)
		snprintf(percent, sizeof(percent), "%.1f %%", 100 * share);
	strbuf_printf(out, "%18s %8s  %s", num_group(n, sizeof(n), (uint64_t)(c->totals[e] + 0.5)), percent,
		      event->name);
	if (event->system)
		strbuf_puts(out, ", from getrusage and the CPU clock: perf is refused");
	else if (event->user_only)
		strbuf_puts(out, ", user mode only");
	if (!event->system && share > 0 && share < ALL_COUNTED)
		strbuf_puts(out, ", scaled: it took turns with others");
	strbuf_puts(out, "\n");
}

/* A count for people; what is below one event is none. */
static void text_counts(const struct report_counters *c, const double *counts, struct strbuf *out)
{
	char n[32];

	for (size_t e = 0; e < c->how->n_events; e++)
		if (c->how->events[e].counted)
			strbuf_printf(out, " %*s",
				      (int)strlen(c->how->events[e].name) < 8
					      ? 8
					      : (int)strlen(c->how->events[e].name),
				      num_si(n, sizeof(n), counts[e]));
	if (c->cycles >= 0 && c->instructions >= 0) {
		double cycles = counts[c->cycles];

		snprintf(n, sizeof(n), "%.2f", cycles > 0 ? counts[c->instructions] / cycles : 0);
		strbuf_printf(out, " %5s", cycles > 0 ? n : "-");
	}
}

static void text_titles(const struct report_counters *c, const char *last, struct strbuf *out)
{
	strbuf_puts(out, "\n");
	for (size_t e = 0; e < c->how->n_events; e++)
		if (c->how->events[e].counted)
			strbuf_printf(out, " %8s", c->how->events[e].name);
	if (c->cycles >= 0 && c->instructions >= 0)
		strbuf_printf(out, " %5s", "IPC");
	strbuf_printf(out, "  %s\n", last);
}

static void text_functions(const struct report_counters *c, const struct report_view *view,
			   struct strbuf *out)
{
	text_titles(c, "of each function itself", out);
	for (size_t i = 0; i < c->n_functions && i < view->rows; i++) {
		text_counts(c, c->functions[i].counts, out);
		strbuf_printf(out, "  %s\n",
			      c->functions[i].name ? c->functions[i].name : "(outside instrumented code)");
	}
}

static void thread_counts(const struct report_thread *t, double *counts)
{
	const struct run_counters *c = t->process->counters;

	for (size_t e = 0; c && e < c->n_events; e++)
		counts[e] = run_count_total(c, t->index, e);
}

static void text_threads(const struct report_summary *s, struct strbuf *out)
{
	text_titles(s->counters, "of each thread", out);
	for (size_t i = 0; i < s->n_threads_listed; i++) {
		double counts[PRS_EVENTS_MAX] = {0};

		thread_counts(&s->threads[i], counts);
		text_counts(s->counters, counts, out);
		strbuf_printf(out, "  %u %s\n", s->threads[i].index, s->threads[i].full);
	}
}

void counters_text(const struct report_summary *s, const struct report_view *view, struct strbuf *out)
{
	const struct report_counters *c = s->counters;
	char n[32];

	if (!c)
		return;
	strbuf_puts(out, "\ncounters  ");
	text_rung(c->how, out);
	strbuf_puts(out, "\n");
	text_refused(c->how, "          ", out);
	if (c->threads_without)
		strbuf_printf(
			out,
			"          %s thread%s got no counter for some event: too many files are open?\n",
			num_group(n, sizeof(n), c->threads_without), c->threads_without == 1 ? "" : "s");
	if (!any_counted(c->how))
		return;
	strbuf_printf(out, "%18s %8s  event\n", "total", "counted");
	for (size_t e = 0; e < c->how->n_events; e++)
		text_event(c, e, out);
	text_functions(c, view, out);
	if (view->threads)
		text_threads(s, out);
}

/* ---- JSON ------------------------------------------------------------------------- */

static void json_events(const struct report_counters *c, struct json *j)
{
	json_array(j, "events");
	for (size_t e = 0; e < c->how->n_events; e++) {
		const struct run_event *event = &c->how->events[e];

		json_object(j, NULL);
		json_string(j, "name", event->name);
		json_string(j, "source", !event->counted ? NULL : event->system ? "system" : "perf");
		json_bool(j, "user_only", event->user_only);
		json_string(j, "error", event->error ? strerrorname_np(event->error) : NULL);
		json_double(j, "total", event->counted ? c->totals[e] : NAN);
		json_double(j, "share_counted", event->counted ? share_of(c, e) : NAN);
		json_u64(j, "group", event->group);
		json_end(j);
	}
	json_end(j);
}

/* "counts": by event, null where it was not counted. */
static void json_counts(const struct report_counters *c, const double *counts, struct json *j)
{
	json_object(j, "counts");
	for (size_t e = 0; e < c->how->n_events; e++)
		json_double(j, c->how->events[e].name, c->how->events[e].counted ? counts[e] : NAN);
	json_end(j);
}

static void json_threads(const struct report_summary *s, struct json *j)
{
	json_array(j, "threads");
	for (size_t i = 0; i < s->n_threads_listed; i++) {
		const struct report_thread *t = &s->threads[i];
		double counts[PRS_EVENTS_MAX] = {0};

		thread_counts(t, counts);
		json_object(j, NULL);
		json_u64(j, "process", t->process->header->pid);
		json_u64(j, "index", t->index);
		json_counts(s->counters, counts, j);
		json_end(j);
	}
	json_end(j);
}

void counters_json(const struct report_summary *s, const struct report_view *view, struct json *j)
{
	static const char *const rungs[] = {"none", "clock", "read", "rdpmc"};
	const struct report_counters *c = s->counters;

	if (!c)
		return;
	json_object(j, "counters");
	json_string(j, "rung", rungs[c->how->rung & 3]);
	json_u64(j, "interval_us", c->how->interval_us);
	json_u64(j, "read_ns", c->how->read_ns);
	json_u64(j, "rdpmc_ns", c->how->rdpmc_ns);
	json_u64(j, "threads_refused", c->threads_without);
	json_events(c, j);
	json_array(j, "functions");
	for (size_t i = 0; i < c->n_functions && i < view->rows; i++) {
		json_object(j, NULL);
		json_string(j, "name", c->functions[i].name);
		json_double(j, "self_ns", c->functions[i].self_ns);
		json_counts(c, c->functions[i].counts, j);
		json_end(j);
	}
	json_end(j);
	json_threads(s, j);
	json_end(j);
}

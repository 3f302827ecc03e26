/* SPDX-License-Identifier: MIT */
/* `perseus report --json`, schema 1.  Times are nanoseconds, shares 0..1. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/json.h"
#include "report/counters/counters.h"
#include "report/summary.h"
#include "report/time/budget.h"
#include "report/time/order.h"
#include "report/time/overhead.h"
#include "report/waits/waits.h"

#define REPORT_SCHEMA 1

static double report_json_share(const struct report_summary *s, double ns)
{
	return s->thread_ns > 0 ? ns / s->thread_ns : 0;
}

/* A single time that the clock can tell from nothing; null: it cannot.  Nothing timed is 0. */
static double told(const struct report_summary *s, double ns, bool timed)
{
	return timed && ns < s->resolution_ns ? NAN : ns;
}

static void json_run(struct json *j, const struct report_summary *s)
{
	const struct run *run = s->run;

	json_u64(j, "schema", REPORT_SCHEMA);
	json_string(j, "run", run->path);
	json_string(j, "program", run->manifest.program);
	json_array(j, "command");
	for (size_t i = 0; i < run->manifest.n_argv; i++)
		json_string(j, NULL, run->manifest.argv[i]);
	json_end(j);
	json_string(j, "trial", run->manifest.trial);
	json_string(j, "cpu", run->manifest.cpu);
	json_u64(j, "cores", run->manifest.cores);
	json_double(j, "load_before", run->manifest.load_before);
	json_string(j, "purpose", s->sharing ? "sharing" : "timing");
	json_bool(j, "times_inflated", s->sharing);
	json_bool(j, "complete", run->complete);
	json_string(j, "incomplete_why", run->incomplete_why);
	json_double(j, "wall_ns", s->wall_ns);
	json_double(j, "thread_ns", s->thread_ns);
	json_double(j, "waiting", report_json_share(s, s->wait_ns));
	json_double(j, "outside", report_json_share(s, s->outside_ns));
	json_double(j, "in_line", report_json_share(s, s->line_ns));
	json_double(j, "cpu_ns", s->cpu_ns);
	overhead_json(s, j);
	json_u64(j, "processes", run->n_processes);
	json_u64(j, "threads_seen", s->n_threads);
	json_u64(j, "calls", s->calls);
	json_u64(j, "calls_timed", s->timed);
	json_u64(j, "calls_open", s->open);
	json_u64(j, "calls_interrupted", s->switched);
	json_double(j, "probes", report_json_share(s, s->probe_ns));
	json_double(j, "resolution_ns", s->resolution_ns);
	json_string(j, "quantiles", "middle of a bucket: within 12.5 %; null: below the resolution");
}

static void json_trust(struct json *j, const struct report_summary *s)
{
	json_object(j, "sites");
	json_u64(j, "compiled", s->run->sites_compiled);
	json_u64(j, "registered", s->run->sites_registered);
	json_u64(j, "hit", s->run->sites_hit);
	json_u64(j, "skipped", s->skipped);
	json_u64(j, "skipped_by_request", s->by_request);
	json_u64(j, "functions_unprobed", s->unprobed);
	json_u64(j, "tail_calls_cleared", s->tails);
	json_u64(j, "units_unlinked", s->unlinked);
	json_u64(j, "units_two_plugins", s->duplicate);
	json_end(j);
	json_object(j, "lost");
	json_u64(j, "blocks", s->lost_blocks);
	json_u64(j, "events", s->lost_events);
	json_u64(j, "lines", s->lost_lines);
	json_u64(j, "notes", s->lost_notes);
	json_u64(j, "threads", s->lost_threads);
	json_u64(j, "calls", s->lost_calls);
	json_end(j);
	if (s->sharing) {
		json_u64(j, "lines_moved", s->lines);
		json_u64(j, "line_transfers", s->transfers);
	}
}

/* A place in the source; the line is left out where it is not known. */
static void json_place(struct json *j, const char *file, uint32_t line)
{
	json_string(j, "file", file && strcmp(file, "-") ? file : NULL);
	if (line)
		json_u64(j, "line", line);
}

static void json_calls(struct json *j, uint64_t calls, bool about, double least, double most)
{
	json_u64(j, "calls", calls);
	json_bool(j, "calls_estimated", about);
	if (!about)
		return;
	json_u64(j, "calls_low", (uint64_t)least);
	json_u64(j, "calls_high", (uint64_t)(most + 0.5));
}

static void json_functions(struct json *j, const struct report_summary *s, const struct report_view *view)
{
	const struct report_function **order = order_functions(s, view->sort);

	json_u64(j, "functions_in_all", s->n_functions);
	json_array(j, "functions");
	for (size_t i = 0; i < s->n_functions && i < view->rows; i++) {
		const struct report_function *f = order[i];

		json_object(j, NULL);
		json_string(j, "name", f->name);
		json_string(j, "assembler_name", f->asm_name);
		json_place(j, f->file, f->line);
		json_bool(j, "place_is_call", f->at_call);
		json_bool(j, "thread_start", f->starts);
		json_double(j, "self", report_json_share(s, f->self_ns));
		json_double(j, "self_ns", f->self_ns);
		json_double(j, "total_ns", f->total_ns);
		json_calls(j, f->calls, f->about, f->least, f->most);
		json_u64(j, "timed", f->timed);
		json_double(j, "p50_ns", told(s, f->p50_ns, f->timed));
		json_double(j, "p90_ns", told(s, f->p90_ns, f->timed));
		json_double(j, "p99_ns", told(s, f->p99_ns, f->timed));
		json_double(j, "max_ns", told(s, f->max_ns, f->timed));
		json_end(j);
	}
	json_end(j);
	free(order);
}

static void json_sites(struct json *j, const struct report_summary *s, const struct report_view *view)
{
	const struct report_site **order = order_sites(s, view->sort);

	json_u64(j, "call_sites_in_all", s->n_sites);
	json_array(j, "call_sites");
	for (size_t i = 0; i < s->n_sites && i < view->rows; i++) {
		const struct report_site *f = order[i];

		json_object(j, NULL);
		json_string(j, "id", f->site ? f->site->id : NULL);
		json_string(j, "instance", f->site ? f->site->instance : NULL);
		json_string(j, "function", f->site ? f->site->pretty : NULL);
		json_string(j, "callee", f->callee);
		json_place(j, f->site ? f->site->file : NULL, f->site ? f->site->line : 0);
		json_double(j, "self", report_json_share(s, f->self_ns));
		json_double(j, "self_ns", f->self_ns);
		json_double(j, "total_ns", f->total_ns);
		json_calls(j, f->calls, f->about, f->least, f->most);
		json_u64(j, "timed", f->timed);
		json_double(j, "min_ns", told(s, f->min_ns, f->timed));
		json_double(j, "p50_ns", told(s, f->p50_ns, f->timed));
		json_double(j, "p90_ns", told(s, f->p90_ns, f->timed));
		json_double(j, "p99_ns", told(s, f->p99_ns, f->timed));
		json_double(j, "max_ns", told(s, f->max_ns, f->timed));
		json_u64(j, "threads", f->threads);
		json_u64(j, "period", f->period);
		json_end(j);
	}
	json_end(j);
	free(order);
}

static void json_waits(struct json *j, const struct report_summary *s, const struct report_view *view)
{
	json_array(j, "waits");
	for (size_t i = 0; i < s->n_waits && i < view->rows; i++) {
		const struct report_wait *w = &s->waits[i];

		json_object(j, NULL);
		json_string(j, "id", w->id);
		json_string(j, "kind", report_wait_kind(w->kind));
		json_string(j, "who", w->who);
		json_string(j, "whom", w->whom);
		json_string(j, "object", w->object);
		json_place(j, w->file, w->line);
		json_double(j, "share", report_json_share(s, w->ns));
		json_double(j, "ns", w->ns);
		json_u64(j, "count", w->count);
		json_end(j);
	}
	json_end(j);
}

static void json_threads(struct json *j, const struct report_summary *s)
{
	json_array(j, "threads");
	for (size_t i = 0; i < s->n_threads_listed; i++) {
		const struct report_thread *t = &s->threads[i];

		json_object(j, NULL);
		json_u64(j, "process", t->process->header->pid);
		json_u64(j, "index", t->index);
		json_string(j, "name", t->full);
		json_string(j, "group", t->name);
		json_double(j, "life_ns", t->life_ns);
		json_double(j, "cpu_ns", t->cpu_known ? t->cpu_ns : NAN); /* null: not known */
		json_double(j, "wait_ns", t->wait_ns);
		json_u64(j, "calls", t->calls);
		json_u64(j, "switches", t->switches);
		json_bool(j, "end_seen", !t->alive);
		json_end(j);
	}
	json_end(j);
}

void report_json(const struct report_summary *s, const struct report_view *view, struct strbuf *out)
{
	struct json j;

	json_init(&j, out);
	json_object(&j, NULL);
	json_run(&j, s);
	json_trust(&j, s);
	budget_json(s, &j);
	json_functions(&j, s, view);
	json_sites(&j, s, view);
	json_waits(&j, s, view);
	json_threads(&j, s);
	counters_json(s, view, &j);
	json_end(&j);
}

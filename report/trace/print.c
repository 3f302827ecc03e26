/* SPDX-License-Identifier: MIT */
/* `perseus report --trace`. */
#include <math.h>
#include <stdlib.h>

#include "lib/inspect/demangle.h"
#include "lib/json.h"
#include "lib/num.h"
#include "report/time/words.h"
#include "report/trace/trace.h"

#define TRACE_SCHEMA 1

static double quantile_ns(const struct trace_site *s, double q)
{
	double ticks = report_quantile(s->hist, q, (double)s->min, (double)s->max);
	double own = (double)s->process->header->own_ticks;

	return (ticks > own ? ticks - own : 0) * s->process->ns_per_tick;
}

static double resolution_ns(const struct trace_site *s)
{
	return (double)s->process->header->quantum_ticks * s->process->ns_per_tick;
}

/* What is shorter than a step of the clock is not printed as if it were known. */
static const char *duration(char buf[32], const struct trace_site *s, double q)
{
	return text_duration(buf, 32, quantile_ns(s, q), resolution_ns(s));
}

static double known(const struct trace_site *s, double q)
{
	double ns = quantile_ns(s, q);

	return ns < resolution_ns(s) ? NAN : ns;
}

/* "radar.c:140 main -> fir", in the program's own source. */
static void put_site(const struct trace_figures *f, const struct trace_site *s, struct strbuf *out)
{
	const struct run_call_site *site = run_call_site(s->process, s->site);
	struct run_place place;

	if (!site) {
		strbuf_printf(out, "site %u of process %u", s->site, s->process->header->pid);
		return;
	}
	run_site_place(f->run, site, &place);
	text_place(place.file, place.line, out);
	strbuf_puts(out, " ");
	trace_put_name(f->run, place.function, out);
	strbuf_puts(out, " -> ");
	trace_put_name(f->run, site->callee, out);
}

static void trace_print_put_head(const struct trace_figures *f, struct strbuf *out)
{
	char events[32], streams[32], bytes[32], lost[32], gaps[32], gap[32];

	strbuf_printf(out, "trace     %s events of %s thread%s, %s%sB",
		      num_group(events, sizeof(events), 2 * f->calls + f->mems + f->notes),
		      num_group(streams, sizeof(streams), f->streams), f->streams == 1 ? "" : "s",
		      num_si(bytes, sizeof(bytes), (double)f->bytes), f->bytes < 1000 ? " " : "");
	if (!f->lost) {
		strbuf_puts(out, ", none lost\n");
		return;
	}
	strbuf_printf(out, ", %s lost\n", num_group(lost, sizeof(lost), f->lost));
	if (f->gaps)
		strbuf_printf(out, "          %s gaps of %s in all, where buffers were full\n",
			      num_group(gaps, sizeof(gaps), f->gaps),
			      num_time(gap, sizeof(gap), f->gap_ns * 1e-9));
}

/* Does the trace say the same as the record, and if not, why not. */
static void put_agreement(const struct trace_figures *f, struct strbuf *out)
{
	char a[32], b[32], c[32];

	if (!f->differ)
		strbuf_printf(
			out,
			"agrees    with the record: %s counts of sites and threads, in number and time\n",
			num_group(a, sizeof(a), f->compared));
	else
		strbuf_printf(
			out,
			"differs   from the record in %s of %s counts of sites and threads; the record has\n"
			"          %s timed calls more, and is right\n",
			num_group(a, sizeof(a), f->differ), num_group(b, sizeof(b), f->compared),
			num_group(c, sizeof(c), f->missing));
	if (f->untimed)
		strbuf_printf(
			out,
			"          %s calls have no time and are not in the trace: they did not return, or\n"
			"          more than 1,024 were open round them\n",
			num_group(a, sizeof(a), f->untimed));
	if (f->refused)
		strbuf_printf(out, "          %llu threads have no trace: too many ran at a time\n",
			      (unsigned long long)f->refused);
}

static void trace_print_put_sites(const struct trace_figures *f, const struct report_view *view,
				  struct strbuf *out)
{
	char b[7][32];

	if (f->n_sites)
		strbuf_printf(out, "\n%8s %8s %13s %8s %8s %8s %8s  call site\n", "self", "total", "calls",
			      "p50", "p99", "p99.9", "max");
	for (size_t i = 0; i < f->n_sites && i < view->rows; i++) {
		const struct trace_site *s = &f->sites[i];

		strbuf_printf(out, "%8s %8s %13s %8s %8s %8s %8s  ",
			      num_time(b[0], sizeof(b[0]), trace_self_ns(s) * 1e-9),
			      num_time(b[1], sizeof(b[1]), trace_total_ns(s) * 1e-9),
			      num_group(b[2], sizeof(b[2]), s->calls), duration(b[3], s, 0.5),
			      duration(b[4], s, 0.99), duration(b[5], s, 0.999), duration(b[6], s, 1));
		put_site(f, s, out);
		strbuf_puts(out, "\n");
	}
	if (f->n_sites > view->rows)
		strbuf_printf(out, "  %zu more: --calls %zu\n", f->n_sites - view->rows, f->n_sites);
}

static void put_accesses(const struct trace_figures *f, const struct report_view *view, struct strbuf *out)
{
	char n[32];

	if (f->n_accesses)
		strbuf_printf(out, "\n%13s  access\n", "times");
	for (size_t i = 0; i < f->n_accesses && i < view->rows; i++) {
		const struct trace_access *a = &f->accesses[i];
		const struct run_mem_site *m = run_mem_site(a->process, a->site);
		struct run_place place;

		strbuf_printf(out, "%13s  ", num_group(n, sizeof(n), a->count));
		if (m) {
			run_mem_place(f->run, m, &place);
			text_place(place.file, place.line, out);
			strbuf_puts(out, " ");
			trace_put_name(f->run, place.function, out);
			strbuf_printf(out, ": %s\n", m->base);
		} else {
			strbuf_printf(out, "site %u of process %u\n", a->site, a->process->header->pid);
		}
	}
	if (f->n_accesses > view->rows)
		strbuf_printf(out, "  %zu more: --calls %zu\n", f->n_accesses - view->rows, f->n_accesses);
}

void trace_text(const struct trace_figures *f, const struct report_view *view, struct strbuf *out)
{
	trace_print_put_head(f, out);
	put_agreement(f, out);
	trace_print_put_sites(f, view, out);
	put_accesses(f, view, out);
}

static void json_site(struct json *j, const struct trace_figures *f, const struct trace_site *s)
{
	const struct run_call_site *site = run_call_site(s->process, s->site);
	struct run_place place;

	json_object(j, NULL);
	json_u64(j, "pid", s->process->header->pid);
	json_u64(j, "number", s->site);
	json_string(j, "site", site ? site->id : NULL);
	json_string(j, "callee", site ? site->callee : NULL);
	if (site) {
		run_site_place(f->run, site, &place);
		json_string(j, "function", place.function);
		json_string(j, "file", place.file);
		json_u64(j, "line", place.line);
	}
	json_u64(j, "calls", s->calls);
	json_u64(j, "moved", s->moved);
	json_double(j, "self_ns", trace_self_ns(s));
	json_double(j, "total_ns", trace_total_ns(s));
	json_double(j, "wall_ns", (double)s->sum * s->process->ns_per_tick);
	json_double(j, "min_ns", known(s, 0));
	json_double(j, "p50_ns", known(s, 0.5));
	json_double(j, "p99_ns", known(s, 0.99));
	json_double(j, "p999_ns", known(s, 0.999));
	json_double(j, "max_ns", known(s, 1));
	json_end(j);
}

static void json_accesses(struct json *j, const struct trace_figures *f)
{
	json_array(j, "accesses");
	for (size_t i = 0; i < f->n_accesses; i++) {
		const struct trace_access *a = &f->accesses[i];
		const struct run_mem_site *m = run_mem_site(a->process, a->site);

		json_object(j, NULL);
		json_u64(j, "pid", a->process->header->pid);
		json_u64(j, "number", a->site);
		json_string(j, "site", m ? m->id : NULL);
		json_u64(j, "count", a->count);
		json_end(j);
	}
	json_end(j);
}

void trace_json(const struct trace_figures *f, const struct report_view *view, struct strbuf *out)
{
	struct json j;

	json_init(&j, out);
	json_object(&j, NULL);
	json_u64(&j, "schema", TRACE_SCHEMA);
	json_string(&j, "run", f->run->path);
	json_string(&j, "trial", f->run->manifest.trial);
	json_bool(&j, "whole", trace_whole(f));
	json_string(&j, "damage", f->damage);
	json_u64(&j, "streams", f->streams);
	json_u64(&j, "bytes", f->bytes);
	json_u64(&j, "calls", f->calls);
	json_u64(&j, "accesses_traced", f->mems);
	json_u64(&j, "lost", f->lost);
	json_u64(&j, "gaps", f->gaps);
	json_double(&j, "gap_ns", f->gap_ns);
	json_u64(&j, "counts_compared", f->compared);
	json_u64(&j, "counts_that_differ", f->differ);
	json_u64(&j, "calls_missing", f->missing);
	json_u64(&j, "calls_without_time", f->untimed);
	json_u64(&j, "threads_without_trace", f->refused);
	json_array(&j, "sites");
	for (size_t i = 0; i < f->n_sites && i < view->rows; i++)
		json_site(&j, f, &f->sites[i]);
	json_end(&j);
	json_accesses(&j, f);
	json_end(&j);
	strbuf_puts(out, "\n");
}

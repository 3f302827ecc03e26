/* SPDX-License-Identifier: MIT */
/* The summary that `perseus record` ends with. */
#include "report/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/num.h"
#include "record/blocks/bursts.h"
#include "report/counters/counters.h"
#include "report/summary.h"
#include "report/time/budget.h"
#include "report/time/overhead.h"
#include "report/time/words.h"
#include "report/waits/bottleneck.h"
#include "report/waits/waits.h"

#define OVERHEAD_MAX    0.03 /* above it times are not to be trusted blindly */
#define TOP_FUNCTIONS   4
#define NAME_MIN        12 /* columns */
#define NAME_MAX_WIDTH  30
#define PLACE_MIN       8
#define PLACE_MAX_WIDTH 28
#define TOP_WAITS       2
#define LIBRARY_MIN     10.0 /* percent: one callee without probes that has as much is named */
#define PROBES_MIN      0.5  /* percent: less is not worth a word */
#define WAIT_MIN        1.0  /* percent: shorter waits are not worth a line */
#define FUNCTION_MIN    0.05 /* percent: would be printed as 0.0 */
#define ON_CORE_MIN     0.9  /* below it threads stood in line for cores */

static void text_run(const struct report_summary *s, struct strbuf *out)
{
	const struct run *run = s->run;
	char wall[32];

	strbuf_printf(out, "run %s%s   %s, %llu thread%s", text_is_last(run) ? "@last = " : "", run->path,
		      num_time(wall, sizeof(wall), s->wall_ns * 1e-9), (unsigned long long)s->n_threads,
		      s->n_threads == 1 ? "" : "s");
	if (run->n_processes > 1)
		strbuf_printf(out, " in %zu processes", run->n_processes);
	if (run->manifest.cores)
		strbuf_printf(out, ", %u cores", run->manifest.cores);
	strbuf_printf(out, ", purpose %s\n", s->sharing ? "sharing" : "timing");
	if (run->manifest.trial)
		strbuf_printf(out, "trial     of plan %.12s..: placed by its probes, not a flight build\n",
			      run->manifest.trial);
}

static uint64_t lost(const struct report_summary *s)
{
	return s->lost_blocks + s->lost_events + s->lost_lines + s->lost_notes + s->lost_threads +
	       s->lost_calls;
}

/* What was lost, in words. */
static void text_lost(const struct report_summary *s, struct strbuf *out)
{
	const struct {
		uint64_t n;
		const char *what;
	} kinds[] = {
		{s->lost_blocks, "block log entries"}, {s->lost_events, "events"},
		{s->lost_lines, "cache lines"},        {s->lost_notes, "heap notes"},
		{s->lost_threads, "threads"},          {s->lost_calls, "call records"},
	};
	const char *sep = "";
	char n[32];

	if (!lost(s))
		strbuf_puts(out, "nothing lost");
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (!kinds[i].n)
			continue;
		strbuf_printf(out, "%s%s %s lost", sep, num_group(n, sizeof(n), kinds[i].n), kinds[i].what);
		sep = ", ";
	}
}

static bool flawed(const struct report_summary *s)
{
	return s->run->sites_registered < s->run->sites_compiled || lost(s);
}

/* Ten times the threshold from which single calls were logged, in microseconds. */
static double fewer_blocks_us(const struct run *run)
{
	const struct run_process *p = &run->processes[0];

	return 10 * (double)p->header->block_ticks * p->ns_per_tick / 1000;
}

/* The next step that a flaw of the run asks for. */
static void text_remedy(const struct report_summary *s, struct strbuf *out)
{
	const char *const indent = "          ";

	if (s->run->sites_registered < s->run->sites_compiled)
		strbuf_printf(out,
			      "%ssites that never registered: under -flto give -fplugin=perseus.so to the "
			      "link step too\n",
			      indent);
	if (s->lost_threads || s->lost_calls)
		strbuf_printf(out, "%sthe record was full: perseus record --limit-mb=N makes room for more\n",
			      indent);
	if (s->lost_blocks && s->run->n_processes)
		strbuf_printf(out,
			      "%sthe log of single long calls was full, sums and counts are whole: perseus "
			      "record --block-us=%.0f logs fewer\n",
			      indent, fewer_blocks_us(s->run));
	if (s->lost_events || s->lost_notes || s->lost_lines)
		strbuf_printf(out,
			      "%swhat one thread may log was full, so waits, heap notes or cache lines are "
			      "missing: record a shorter run\n",
			      indent);
}

static bool too_costly(const struct report_summary *s)
{
	if (s->budget.promised > 0)
		return budget_broken(s);
	return s->overhead > OVERHEAD_MAX && !s->sharing;
}

/* Nothing that could have seen anything. */
static bool no_probes(const struct report_summary *s)
{
	uint64_t mems = 0;

	for (size_t i = 0; i < s->run->n_processes; i++)
		mems += s->run->processes[i].header->n_mems;
	return !s->run->sites_compiled || (s->sharing && !mems);
}

const char *text_trust_word(const struct report_summary *s)
{
	if (!s->run->complete)
		return "incomplete";
	if (no_probes(s))
		return "none";
	return flawed(s) || too_costly(s) || s->unlinked || overhead_high(s) ? "limited" : "good";
}

/* A further line of trust, "N THINGs REST". */
static void text_count(uint64_t n, const char *thing, const char *rest, struct strbuf *out)
{
	char number[32];

	if (n)
		strbuf_printf(out, "          %s %s%s %s\n", num_group(number, sizeof(number), n), thing,
			      n == 1 ? "" : "s", rest);
}

/* What is not seen of the program, and why. */
static void text_gaps(const struct report_summary *s, struct strbuf *out)
{
	char number[32];

	text_count(s->unlinked, "unit",
		   "compiled with -flto and the plugin but linked without it: add -fplugin=perseus.so to the "
		   "link step",
		   out);
	text_count(s->duplicate, "unit", "compiled with two copies of the plugin loaded: give -fplugin= once",
		   out);
	if (s->unprobed)
		strbuf_printf(out,
			      "          %s function%s could not be probed: perseus sites %s --skipped\n",
			      num_group(number, sizeof(number), s->unprobed), s->unprobed == 1 ? "" : "s",
			      text_run_name(s));
	text_count(s->foreign, "thread",
		   "whose creation was not seen: there before the recording began, or the program\n"
		   "          is static and was linked without what perseus flags --libs --static prints",
		   out);
	text_count(s->by_request, "site", "left out by attributes, select=, skip= or rules=", out);
	text_count(s->tails, "tail call", "made as ordinary calls, so that their return is seen", out);
	if (too_costly(s) && s->budget.promised <= 0)
		strbuf_printf(
			out,
			"          many short calls, whose probes take %.1f %%: trust the counts and shares "
			"more than the times\n"
			"          perseus sites --suggest %s -o perseus.rules    keeps probes below %.0f "
			"%%\n",
			100 * s->overhead, text_run_name(s), 100 * OVERHEAD_MAX);
}

static void text_trust(const struct report_summary *s, struct strbuf *out)
{
	const struct run *run = s->run;
	char registered[32], compiled[32];

	if (!run->complete)
		strbuf_printf(out, "trust     incomplete: %s\n          ",
			      run->incomplete_why ? run->incomplete_why : "a part is missing");
	else
		strbuf_printf(out, "trust     %s: ", text_trust_word(s));
	strbuf_printf(out, "%s of %s sites registered, ",
		      num_group(registered, sizeof(registered), run->sites_registered),
		      num_group(compiled, sizeof(compiled), run->sites_compiled));
	text_lost(s, out);
	strbuf_printf(out, ", %s hit", num_group(registered, sizeof(registered), run->sites_hit));
	if (s->sharing)
		strbuf_puts(out, ", times inflated by memory probes");
	strbuf_puts(out, "\n          ");
	overhead_text(s, out);
	if (s->budget.promised > 0)
		strbuf_printf(out, "; probes %.1f %% (promised %.3g %%)", 100 * s->budget.measured,
			      100 * s->budget.promised);
	strbuf_puts(out, "\n");
	if (no_probes(s))
		strbuf_printf(out, "          no object has %s: build with what perseus flags prints\n",
			      s->sharing ? "memory probes" : "probes");
	budget_text(s, out);
	text_remedy(s, out);
	text_gaps(s, out);
}

void text_head(const struct report_summary *s, struct strbuf *out)
{
	text_run(s, out);
	text_trust(s, out);
}

/* Functions worth a line in the summary. */
static size_t top_functions(const struct report_summary *s)
{
	size_t n = 0;

	while (n < TOP_FUNCTIONS && n < s->n_functions &&
	       text_percent(s->functions[n].self_ns, s->thread_ns) >= FUNCTION_MIN)
		n++;
	return n;
}

/* More threads than cores: the times of functions hold time spent in line. */
static void text_crowd(const struct report_summary *s, struct strbuf *out)
{
	if (s->cpu_ns <= 0 || s->busy_ns <= 0 || s->cpu_ns / s->busy_ns >= ON_CORE_MIN)
		return;
	strbuf_printf(out,
		      "          on a core %.0f %% of the time not spent waiting: the rest stood in line",
		      text_percent(s->cpu_ns, s->busy_ns));
	if (text_percent(s->line_ns, s->thread_ns) >= PROBES_MIN)
		strbuf_printf(out, "\n          (%.0f %% of all time, in the time of no function)",
			      text_percent(s->line_ns, s->thread_ns));
	strbuf_puts(out, "\n");
}

/* Its calls end where no probe is: the function is no start of a thread and in no module with probes. */
static bool in_library(const struct report_summary *s, const struct report_function *f)
{
	return !f->starts && f->asm_name && !run_probed(s->run, f->asm_name);
}

static double library_ns(const struct report_summary *s)
{
	double ns = 0;

	for (size_t i = 0; i < s->n_functions; i++)
		if (in_library(s, &s->functions[i]))
			ns += s->functions[i].self_ns;
	return ns;
}

/* The callee behind which most of that time lies, if it is much of the run. */
static void text_library(const struct report_summary *s, struct strbuf *out)
{
	for (size_t i = 0; i < s->n_functions; i++) {
		const struct report_function *f = &s->functions[i];

		if (!in_library(s, f))
			continue;
		if (text_percent(f->self_ns, s->thread_ns) < LIBRARY_MIN)
			return;
		strbuf_printf(out, "          %.0f %% in %s, which has no probes",
			      text_percent(f->self_ns, s->thread_ns), f->name);
		if (f->at_call)
			text_beside(f->name, "called at ", f->file, f->line, out);
		strbuf_puts(out, ": perseus explain outside\n");
		return;
	}
}

/* Of functions of modules with probes, and of start routines. */
static double own_ns(const struct report_summary *s)
{
	double ns = 0;

	for (size_t i = 0; i < s->n_functions; i++)
		if (!in_library(s, &s->functions[i]))
			ns += s->functions[i].self_ns;
	return ns;
}

/* Each part of the time is in one place only. */
struct report_shares text_shares(const struct report_summary *s)
{
	double whole = s->thread_ns > 0 ? s->thread_ns : 1;

	return (struct report_shares){.own = own_ns(s) / whole,
				      .waiting = s->wait_ns / whole,
				      .libraries = library_ns(s) / whole,
				      .unknown = s->outside_ns / whole,
				      .probes = s->probe_ns / whole,
				      .line = s->line_ns / whole};
}

void text_time(const struct report_summary *s, struct strbuf *out)
{
	struct report_shares x = text_shares(s);

	strbuf_printf(out,
		      "time      %.0f %% in own code, %.0f %% waiting, %.0f %% in libraries without probes, "
		      "%.0f %% unknown",
		      100 * x.own, 100 * x.waiting, 100 * x.libraries, 100 * x.unknown);
	if (100 * x.probes >= PROBES_MIN)
		strbuf_printf(out, ", %.0f %% recording", 100 * x.probes);
	strbuf_puts(out, s->sharing ? " (inflated)\n" : "\n");
	text_library(s, out);
	text_crowd(s, out);
}

/* Longest of @n and the length of @text, not beyond @max. */
static int wider(int n, const char *text, int max)
{
	int len = text ? (int)strlen(text) : 0;

	return len > max ? max : len > n ? len : n;
}

static void text_function(const struct report_summary *s, const struct report_function *f, int name_width,
			  int place_width, struct strbuf *out)
{
	struct strbuf place = STRBUF_INIT;
	char calls[32], p50[32], p99[32];
	const char *unit = f->starts && !f->timed ? "thread" : "call";

	text_place(f->file, f->line, &place);
	strbuf_puts(out, "          ");
	text_cell(f->name, name_width, out);
	strbuf_puts(out, "  ");
	text_cell(place.s ? place.s : "", place_width, out);
	strbuf_printf(out, " %5.1f %%  %10s %s%s", text_percent(f->self_ns, s->thread_ns),
		      num_group(calls, sizeof(calls), f->calls), unit, f->calls == 1 ? "" : "s");
	if (f->timed)
		strbuf_printf(out, "%s  p50 %s  p99 %s", f->calls == 1 ? " " : "",
			      text_duration(p50, sizeof(p50), f->p50_ns, s->resolution_ns),
			      text_duration(p99, sizeof(p99), f->p99_ns, s->resolution_ns));
	strbuf_puts(out, "\n");
	strbuf_release(&place);
}

static void text_functions(const struct report_summary *s, struct strbuf *out)
{
	size_t n = top_functions(s);
	int name = NAME_MIN, place = PLACE_MIN;

	for (size_t i = 0; i < n; i++) {
		struct strbuf sb = STRBUF_INIT;

		text_place(s->functions[i].file, s->functions[i].line, &sb);
		name = wider(name, s->functions[i].name, NAME_MAX_WIDTH);
		place = wider(place, sb.s, PLACE_MAX_WIDTH);
		strbuf_release(&sb);
	}
	for (size_t i = 0; i < n; i++)
		text_function(s, &s->functions[i], name, place, out);
}

void text_wait(const struct report_summary *s, const struct report_wait *w, struct strbuf *out)
{
	strbuf_printf(out, "%s %s waits %.1f %%", w->id, w->who, text_percent(w->ns, s->thread_ns));
	if (w->whom)
		strbuf_printf(out, " for %s", w->whom);
	strbuf_printf(out, " at %s", report_wait_kind(w->kind));
	if (w->object)
		strbuf_printf(out, " `%s`", w->object);
	if (w->file) {
		strbuf_puts(out, " (");
		text_place(w->file, w->line, out);
		strbuf_puts(out, ")");
	}
	strbuf_puts(out, "\n");
}

static void text_waits(const struct report_summary *s, struct strbuf *out)
{
	struct strbuf lock = STRBUF_INIT;
	size_t shown = 0;

	bottleneck_text(s, "          ", &lock);
	if (lock.len)
		strbuf_printf(out, "waits     %s", lock.s);
	for (size_t i = 0; i < s->n_waits && shown < TOP_WAITS; i++) {
		if (report_wait_idle(&s->waits[i]))
			break;
		if (text_percent(s->waits[i].ns, s->thread_ns) < WAIT_MIN)
			continue;
		strbuf_puts(out, shown++ || lock.len ? "          " : "waits     ");
		text_wait(s, &s->waits[i], out);
	}
	if (!shown && !lock.len)
		strbuf_printf(out, "waits     none above %.0f %% of thread time\n", WAIT_MIN);
	strbuf_release(&lock);
}

/* A model of chance says nothing of smaller ones. */
#define MISS_SHOWN 1e-6

/* What a run that looks now and then may have missed. */
static void text_bursts(const struct report_summary *s, struct strbuf *out)
{
	struct run_bursts b;
	char first[32];
	double miss;

	run_bursts(&b, s->run);
	if (!b.rate && !b.n)
		return;
	strbuf_printf(out, "bursts    %u, %.1f ms each, %.1f %% of the time", b.n, b.length * 1e3,
		      100 * b.share);
	if (b.first > 0)
		strbuf_printf(out, ": all that was looked at after the first %s",
			      num_time(first, sizeof(first), b.first));
	else
		strbuf_puts(out, b.rate ? ": all that was looked at" : ", inside loops");
	miss = run_bursts_miss(&b, BURSTS_RATE, BURSTS_NEED);
	if (b.rate)
		strbuf_printf(
			out,
			"\n          a line that moves %.0f times a second all the time is missed with a "
			"probability %s %.1g",
			BURSTS_RATE, miss < MISS_SHOWN ? "below" : "of",
			miss < MISS_SHOWN ? MISS_SHOWN : miss);
	strbuf_puts(out, "\n");
}

/* One process of one thread: others could have shared by shared memory. */
static bool alone(const struct run *run)
{
	return run->n_processes == 1 && run->processes[0].n_threads <= 1;
}

/* What they share is found when their records are put side by side. */
static bool between_processes(const struct run *run)
{
	size_t n = 0;

	for (size_t i = 0; i < run->n_processes; i++)
		n += run->processes[i].n_shared > 0;
	return n > 1;
}

static void text_findings(const struct report_summary *s, struct strbuf *out)
{
	char lines[32], moves[32];

	if (!s->sharing) {
		strbuf_puts(out, "findings  conflicts are not looked for in a timing run\n");
		return;
	}
	text_bursts(s, out);
	if (!s->lines && between_processes(s->run)) {
		strbuf_puts(out,
			    "findings  processes have memory in common: perseus conflicts compares them\n");
		return;
	}
	if (!s->lines) {
		strbuf_puts(out, alone(s->run) ? "findings  one thread only: nothing can be shared\n"
					       : "findings  no cache line moved between threads\n");
		return;
	}
	strbuf_printf(out, "findings  %s cache line%s moved between threads, %s time%s\n",
		      num_group(lines, sizeof(lines), s->lines), s->lines == 1 ? "" : "s",
		      num_group(moves, sizeof(moves), s->transfers), s->transfers == 1 ? "" : "s");
}

/* The program as it can be typed again; arguments that a shell would change are left to the user. */
static void text_command(const struct manifest *m, struct strbuf *out)
{
	for (size_t i = 0; i < m->n_argv; i++) {
		if (strpbrk(m->argv[i], " \t\n'\"\\$*?[]{}()<>|&;~#`!") || !*m->argv[i]) {
			strbuf_puts(out, " ...");
			return;
		}
		strbuf_printf(out, " %s", m->argv[i]);
	}
	if (!m->n_argv)
		strbuf_puts(out, " PROGRAM");
}

static void text_next(const struct report_summary *s, struct strbuf *out)
{
	const char *name = text_is_last(s->run) ? "" : s->run->path;
	const char *blank = *name ? " " : "";

	strbuf_puts(out, "next      ");
	if (!s->run->complete && s->run->n_processes && !s->n_functions) {
		strbuf_puts(out, "perseus record");
		text_command(&s->run->manifest, out);
		strbuf_puts(out, "    again\n");
	} else if (s->sharing) {
		strbuf_printf(out, "perseus conflicts%s%s    names objects, fields and costs\n", blank, name);
	} else {
		if (s->n_threads > 1) {
			strbuf_puts(out, "perseus record --purpose=sharing");
			text_command(&s->run->manifest, out);
			strbuf_puts(out, "    finds conflicts\n          ");
		}
		if (s->n_waits && text_percent(s->waits[0].ns, s->thread_ns) >= WAIT_MIN)
			strbuf_printf(out, "perseus waits%s%s    who waits for whom\n          ", blank,
				      name);
		strbuf_printf(
			out, "perseus report%s%s    functions, call sites, waits; --paths: who called whom\n",
			blank, name);
	}
}

int report_summary_text(const struct run *run, struct strbuf *out, struct err *err)
{
	struct report_summary s;

	if (!run->n_processes)
		return err_set(err, -ENODATA, "run '%s' has no process to report on", run->path);
	report_summarise(&s, run);
	text_head(&s, out);
	text_time(&s, out);
	text_functions(&s, out);
	text_waits(&s, out);
	counters_line(&s, out);
	text_findings(&s, out);
	text_next(&s, out);
	report_summary_release(&s);
	return 0;
}

/* SPDX-License-Identifier: MIT */
/* The report as text. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/fs.h"
#include "lib/inspect/demangle.h"
#include "lib/num.h"
#include "record/file/folder.h"
#include "report/denormal/parts.h"

#define COLUMNS    80
#define TOP_BIRTHS 3
#define TOP_LINES  8
#define TOP_ARRAYS 8
#define TOP_DOUBTS 4
#define TOP_PLACES 3
#define HARMLESS   0.005 /* of the run's time: what costs less is not worth a change */

bool denormal_is_last(const struct denormal_run *run)
{
	struct stat a, b;

	return !stat(RUNS_DIR "/last", &a) && !stat(run->path, &b) && a.st_dev == b.st_dev &&
	       a.st_ino == b.st_ino;
}

void denormal_place(const struct denormal_line *l, struct strbuf *out)
{
	char *people = demangle_short(l->function);

	strbuf_printf(out, "%s:%u in %s()", fs_base_name(l->file), l->line, people ? people : l->function);
	free(people);
}

static const char *group(char *buf, uint64_t n)
{
	return num_group(buf, 32, n);
}

/* "4.48 M", but small numbers as they are. */
static const char *about(char *buf, uint64_t n)
{
	return n < 100000 ? num_group(buf, 32, n) : num_si(buf, 32, (double)n);
}

static void put_run(const struct denormal_report *r, struct strbuf *out)
{
	const struct denormal_run *run = r->run;
	size_t threads = 0;
	char wall[32];

	for (size_t i = 0; i < run->counts.threads.n; i++)
		threads += run->counts.threads.at[i].raw.threads;
	strbuf_printf(out, "run %s%s   ", denormal_is_last(run) ? "@last = " : "", run->path);
	if (run->manifest.wall_ns)
		strbuf_printf(out, "%s, ",
			      num_time(wall, sizeof(wall), (double)run->manifest.wall_ns * 1e-9));
	strbuf_printf(out, "%zu thread%s", threads, threads == 1 ? "" : "s");
	if (run->counts.files.n > 1)
		strbuf_printf(out, " in %zu processes", run->counts.files.n);
	strbuf_puts(out, ", purpose denormal\n");
}

void denormal_sentence(struct strbuf *out, const char *head, const char *text)
{
	struct strbuf line = STRBUF_INIT;

	strbuf_printf(&line, "%-10s%s\n", head, text);
	strbuf_wrap(out, line.s, "          ", COLUMNS);
	strbuf_release(&line);
}

static void put_trust(const struct denormal_report *r, struct strbuf *out)
{
	static const char *const words[] = {"good", "limited", "none"};
	size_t units = r->run->counts.n_units;
	struct strbuf sb = STRBUF_INIT;
	const char *word = words[r->trust];

	if (r->trust == DENORMAL_GOOD && !denormal_report_any(r))
		word = "no denormals";
	strbuf_printf(&sb,
		      "%s: %zu unit%s with counters loaded, nothing lost; code without counters is not seen",
		      word, units, units == 1 ? "" : "s");
	if (r->run->counts.gates)
		strbuf_puts(&sb,
			    ", nor is a denormal operand that meets a NaN in a loop that was tried without "
			    "counters (no operation made one)");
	if (r->run->traps.n_files) {
		sb.len = 0;
		strbuf_printf(&sb, "%s: %zu thread%s watched by traps, nothing lost", word,
			      r->run->traps.n_threads, r->run->traps.n_threads == 1 ? " was" : "s were");
	}
	if (r->trust != DENORMAL_GOOD) {
		sb.len = 0;
		strbuf_printf(&sb, "%s: %s", word, r->doubts.at[0]);
	}
	denormal_sentence(out, "trust", sb.s);
	for (size_t i = 1; i < r->doubts.n && i < TOP_DOUBTS; i++)
		denormal_sentence(out, "", r->doubts.at[i]);
	strbuf_release(&sb);
}

/* What the births of line @l, followed through memory, explain. */
static void denormal_explain(const struct denormal_report *r, const struct denormal_line *l,
			     struct strbuf *out)
{
	uint64_t n = denormal_explained(r, l);
	char values[32], all[32];

	strbuf_printf(out, "; %s explain%s %s of %s store%s, as followed through memory",
		      l->n.births == 1 ? "it" : "they", l->n.births == 1 ? "s" : "", about(values, n),
		      about(all, r->all.stores), denormal_s(r->all.stores));
}

void denormal_origin(const struct denormal_report *r, struct strbuf *out)
{
	const struct denormal_counts *n = &r->all;
	char births[32], values[32];

	if (!r->births.n) {
		if (!r->run->counts.full)
			strbuf_puts(out, "not counted; build with probe=denormal:full");
		else if (n->stores || n->loads || n->results)
			strbuf_puts(out, "none: all denormals came from data or from code without counters");
		else
			strbuf_puts(out, "none");
		return;
	}
	strbuf_printf(out, "%s at ", group(births, r->births.at[0].n.births));
	denormal_place(&r->births.at[0], out);
	if (r->run->counts.origins) {
		strbuf_puts(out, r->births.n > 1 ? "" : ", the only place");
		denormal_explain(r, &r->births.at[0], out);
		return;
	}
	if (r->births.n > 1) {
		strbuf_printf(out, ", and %s at %zu other line%s",
			      group(births, n->births - r->births.at[0].n.births), r->births.n - 1,
			      r->births.n == 2 ? "" : "s");
		return;
	}
	strbuf_puts(out, ", the only place");
	if (n->stores > n->births)
		strbuf_printf(out, "; %s explain%s %s stores", n->births == 1 ? "it" : "they",
			      n->births == 1 ? "s" : "", about(values, n->stores));
}

static void put_births(const struct denormal_report *r, size_t most, struct strbuf *out)
{
	struct strbuf sb = STRBUF_INIT;

	denormal_origin(r, &sb);
	denormal_sentence(out, "births", sb.s);
	for (size_t i = 1; i < r->births.n && i < most; i++) {
		char n[32];

		sb.len = 0;
		strbuf_printf(&sb, "%s at ", group(n, r->births.at[i].n.births));
		denormal_place(&r->births.at[i], &sb);
		if (r->run->counts.origins)
			denormal_explain(r, &r->births.at[i], &sb);
		denormal_sentence(out, "", sb.s);
	}
	strbuf_release(&sb);
}

/* @what is for one, @many for any other number. */
static void put_count(struct strbuf *out, uint64_t n, const char *what, const char *many, const char **sep)
{
	char text[32];

	if (!n)
		return;
	strbuf_printf(out, "%s%s %s", *sep, about(text, n), n == 1 ? what : many);
	*sep = ", ";
}

static void put_counts(struct strbuf *out, const struct denormal_counts *n)
{
	const char *sep = "";

	put_count(out, n->results, "result", "results", &sep);
	put_count(out, n->loads, "load", "loads", &sep);
	put_count(out, n->stores, "store", "stores", &sep);
	put_count(out, n->copies, "copy", "copies", &sep);
	put_count(out, n->births, "birth", "births", &sep);
	put_count(out, n->deaths, "death", "deaths", &sep);
	if (!*sep)
		strbuf_puts(out, "none");
}

void denormal_time(double low_ps, double high_ps, struct strbuf *out)
{
	char low[32], high[32];

	num_time(low, sizeof(low), low_ps * 1e-12);
	num_time(high, sizeof(high), high_ps * 1e-12);
	if (low_ps < 1000 && high_ps >= 1000)
		strbuf_printf(out, "at most %s", high);
	else if (!strcmp(low, high))
		strbuf_puts(out, low);
	else
		strbuf_printf(out, "%s to %s", low, high);
}

static void put_lines(const struct denormal_report *r, size_t most, struct strbuf *out)
{
	for (size_t i = 0; i < r->lines.n && i < most; i++) {
		const struct denormal_line *l = &r->lines.at[i];
		struct strbuf sb = STRBUF_INIT;

		denormal_place(l, &sb);
		strbuf_puts(&sb, "  ");
		strbuf_puts(&sb, l->wrapped ? ">= " : "");
		put_counts(&sb, &l->n);
		if (r->priced && l->n.high_ps >= 1000) {
			strbuf_puts(&sb, ", ");
			denormal_time(l->n.low_ps, l->n.high_ps, &sb);
		}
		denormal_sentence(out, i ? "" : "lines", sb.s);
		strbuf_release(&sb);
	}
	if (r->lines.n > most)
		strbuf_printf(out, "          and %zu more line%s; --all shows %s\n", r->lines.n - most,
			      denormal_s(r->lines.n - most), r->lines.n - most == 1 ? "it" : "them");
}

static void put_array(const struct denormal_report *r, const struct denormal_array *a, struct strbuf *sb)
{
	static const char *const where[] = {"heap", "variable", "stack", "mapped", "elsewhere"};
	const struct prs_den_object *o = &r->run->counts.objects.at[a->object].raw;
	char bytes[32], loads[32], stores[32];

	strbuf_printf(sb, "%s  %s, %sB, ", a->name, where[o->where],
		      num_si(bytes, sizeof(bytes), (double)o->bytes));
	strbuf_printf(sb, "%s load%s, %s store%s", group(loads, a->loads), denormal_s(a->loads),
		      group(stores, a->stores), denormal_s(a->stores));
	if (a->in || a->out)
		strbuf_printf(sb, ", %s copied in, %s out", group(loads, a->in), group(stores, a->out));
	strbuf_printf(sb, ": %s", denormal_part_name(a->part));
	if (a->made)
		strbuf_printf(sb, "; made by %s", a->made);
	if (o->blocks > 1)
		strbuf_printf(sb, ", %llu blocks of this allocation", (unsigned long long)o->blocks);
	if (a->part == DENORMAL_BROUGHT)
		strbuf_puts(
			sb,
			": no counted operation stored them; they were read, written by other code, or are "
			"small integers in an array of floats");
	if (a->part == DENORMAL_UNSEEN)
		strbuf_puts(sb, ": loads or stores that may be its own lie in no array");
	if (a->part == DENORMAL_MOVED)
		strbuf_puts(sb, " as bytes or integers; no operation computed them");
}

/* What lies in no array, with its lines. */
static void put_unplaced(const struct denormal_report *r, size_t most, struct strbuf *out)
{
	struct denormal_counts all = {0};
	struct strbuf sb = STRBUF_INIT;

	for (size_t i = 0; i < r->unplaced.n; i++) {
		all.loads += r->unplaced.at[i].n.loads;
		all.stores += r->unplaced.at[i].n.stores;
	}
	if (!r->unplaced.n)
		return;
	strbuf_puts(&sb, "in none of them (in a register, or their place is not known): ");
	put_counts(&sb, &all);
	for (size_t i = 0; i < r->unplaced.n && i < most; i++) {
		strbuf_puts(&sb, i ? ", " : "; ");
		denormal_place(&r->unplaced.at[i], &sb);
		strbuf_puts(&sb, " ");
		put_counts(&sb, &r->unplaced.at[i].n);
	}
	if (r->unplaced.n > most)
		strbuf_printf(&sb, " and %zu more line%s", r->unplaced.n - most,
			      denormal_s(r->unplaced.n - most));
	denormal_sentence(out, r->arrays.n ? "" : "arrays", sb.s);
	strbuf_release(&sb);
}

static void put_arrays(const struct denormal_report *r, size_t most, struct strbuf *out)
{
	for (size_t i = 0; i < r->arrays.n && i < most; i++) {
		struct strbuf sb = STRBUF_INIT;

		put_array(r, &r->arrays.at[i], &sb);
		denormal_sentence(out, i ? "" : "arrays", sb.s);
		strbuf_release(&sb);
	}
	if (r->arrays.n > most)
		strbuf_printf(out, "          and %zu more array%s; --all shows %s\n", r->arrays.n - most,
			      denormal_s(r->arrays.n - most), r->arrays.n - most == 1 ? "it" : "them");
	put_unplaced(r, most == SIZE_MAX ? most : TOP_PLACES, out);
}

/* On processors that others measured. */
static void put_elsewhere(const struct denormal_report *r, struct strbuf *out)
{
	struct denormal_cited c;

	for (size_t i = 0; denormal_cited(i, r->run, &c); i++) {
		struct strbuf sb = STRBUF_INIT;
		char text[32];

		strbuf_printf(&sb, "on %s ", c.cpu);
		denormal_time(c.low_ps, c.high_ps, &sb);
		if (c.unpriced)
			strbuf_printf(&sb, ", and %s value%s of which nothing is known",
				      about(text, c.unpriced), denormal_s(c.unpriced));
		strbuf_puts(&sb, ", cited");
		denormal_sentence(out, i ? "" : "elsewhere", sb.s);
		strbuf_release(&sb);
	}
}

static void put_cost(const struct denormal_report *r, struct strbuf *out)
{
	double wall = (double)r->run->manifest.wall_ns * 1e3, high = r->all.high_ps;
	struct strbuf sb = STRBUF_INIT;
	char text[32];

	if (!r->priced) {
		denormal_sentence(
			out, "cost",
			"not known: perseus calibrate measures what denormals cost here; -p FILE takes "
			"its platform");
		put_elsewhere(r, out);
		return;
	}
	if (wall > 0 && high * DENORMAL_SLOWER < HARMLESS * wall && !r->unpriced)
		strbuf_puts(&sb, "harmless here: ");
	denormal_time(r->all.low_ps, r->all.high_ps, &sb);
	if (wall > 0)
		strbuf_printf(&sb, " of %s with counters", num_time(text, sizeof(text), wall * 1e-12));
	strbuf_printf(&sb, ", by the prices of %s", r->prices->name);
	if (!r->run->counts.full)
		strbuf_puts(&sb, "; of the results that were counted, not of those inside expressions");
	if (r->unpriced)
		strbuf_printf(&sb, "; %s value%s met operations that have no price", about(text, r->unpriced),
			      denormal_s(r->unpriced));
	denormal_sentence(out, "cost", sb.s);
	strbuf_release(&sb);
	put_elsewhere(r, out);
}

static void put_next(const struct denormal_report *r, struct strbuf *out)
{
	const char *name = denormal_is_last(r->run) ? "" : r->run->path;
	const char *blank = *name ? " " : "";

	if (!denormal_report_any(r))
		return;
	strbuf_printf(out, "next      perseus denormals%s%s    lines, arrays, cost, remedies\n", blank, name);
}

void denormal_report_summary(const struct denormal_report *r, struct strbuf *out)
{
	struct strbuf sb = STRBUF_INIT;

	put_run(r, out);
	put_trust(r, out);
	if (r->run->traps.n_files) {
		denormal_traps_put(r, TOP_BIRTHS, out);
		return;
	}
	if (denormal_report_any(r)) {
		put_births(r, TOP_BIRTHS, out);
		put_counts(&sb, &r->all);
		denormal_sentence(out, "denormal", sb.s);
		put_lines(r, TOP_BIRTHS, out);
		put_arrays(r, 2, out);
	}
	put_next(r, out);
	strbuf_release(&sb);
}

/* What may be done, where it would act. */
static void put_remedies(const struct denormal_report *r, struct strbuf *out)
{
	const struct denormal_line *at = r->births.n ? &r->births.at[0] : r->lines.n ? &r->lines.at[0] : NULL;
	const char *function = r->flush_in ? r->flush_in : denormal_report_function(r, 0);
	struct strbuf sb = STRBUF_INIT;

	if (!at)
		return;
	if (r->births.n) {
		strbuf_puts(&sb, "threshold or offset at ");
		denormal_place(at, &sb);
		strbuf_puts(&sb, ", where they are born: --patch, if it is a plain assignment");
		denormal_sentence(out, "remedies", sb.s);
	}
	sb.len = 0;
	if (r->no_flush)
		strbuf_puts(&sb, r->no_flush);
	else
		strbuf_printf(&sb, "flush to zero in %s(): --what-if=ftz:%s -- PROGRAM tries it", function,
			      function);
	denormal_sentence(out, r->births.n ? "" : "remedies", sb.s);
	denormal_sentence(out, "", "flush to zero in the whole program: --what-if=ftz -- PROGRAM tries it");
	strbuf_release(&sb);
}

void denormal_report_text(const struct denormal_report *r, bool all, struct strbuf *out)
{
	struct strbuf sb = STRBUF_INIT;

	put_run(r, out);
	put_trust(r, out);
	if (r->run->traps.n_files) {
		denormal_traps_put(r, all ? SIZE_MAX : TOP_LINES, out);
		return;
	}
	put_births(r, all ? SIZE_MAX : TOP_BIRTHS, out);
	put_counts(&sb, &r->all);
	denormal_sentence(out, "denormal", sb.s);
	put_lines(r, all ? SIZE_MAX : TOP_LINES, out);
	put_arrays(r, all ? SIZE_MAX : TOP_ARRAYS, out);
	denormal_origins_put(r, all ? SIZE_MAX : TOP_ARRAYS, out);
	denormal_states_put(r, all ? SIZE_MAX : TOP_LINES, out);
	if (denormal_report_any(r))
		put_cost(r, out);
	put_remedies(r, out);
	strbuf_release(&sb);
}

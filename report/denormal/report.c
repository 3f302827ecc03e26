/* SPDX-License-Identifier: MIT */
#include "report/denormal/report.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/inspect/demangle.h"
#include "report/denormal/parts.h"

static const char *const kinds[PRS_DEN_KINDS] = {
	[PRS_DEN_LOAD] = "load",       [PRS_DEN_STORE] = "store", [PRS_DEN_ADD] = "add",
	[PRS_DEN_SUB] = "sub",         [PRS_DEN_MUL] = "mul",     [PRS_DEN_DIV] = "div",
	[PRS_DEN_SQRT] = "sqrt",       [PRS_DEN_FMA] = "fma",     [PRS_DEN_CONVERT] = "convert",
	[PRS_DEN_COMPARE] = "compare", [PRS_DEN_CALL] = "call",   [PRS_DEN_COPY] = "copy",
	[PRS_DEN_OTHER] = "other",
};
static const char *const types[PRS_DEN_TYPES] = {
	[PRS_DEN_FLOAT16] = "_Float16",        [PRS_DEN_FLOAT] = "float",         [PRS_DEN_DOUBLE] = "double",
	[PRS_DEN_LONG_DOUBLE] = "long double", [PRS_DEN_FLOAT128] = "__float128",
};

const char *denormal_kind_name(uint32_t kind)
{
	return kind < PRS_DEN_KINDS ? kinds[kind] : "?";
}

const char *denormal_type_name(uint32_t type)
{
	return type < PRS_DEN_TYPES ? types[type] : "?";
}

void denormal_doubt(struct denormal_report *r, enum denormal_trust trust, const char *fmt, ...)
{
	struct strbuf sb = STRBUF_INIT;
	char text[600];
	va_list ap;

	if (trust > r->trust)
		r->trust = trust;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	strbuf_puts(&sb, text);
	vec_push(&r->doubts, strbuf_detach(&sb));
}

/* What was counted of one site, by what it does. */
static void add_site(struct denormal_counts *n, const struct denormal_site *s)
{
	if (s->kind == PRS_DEN_LOAD)
		n->loads += s->results;
	else if (s->kind == PRS_DEN_STORE)
		n->stores += s->results;
	else if (s->kind == PRS_DEN_COPY)
		n->copies += s->results;
	else
		n->results += s->results;
	n->births += s->births;
	n->deaths += s->deaths;
}

static bool any(const struct denormal_counts *n)
{
	return n->loads || n->stores || n->results || n->copies || n->births || n->deaths;
}

bool denormal_report_any(const struct denormal_report *r)
{
	return any(&r->all) || r->run->traps.rows.n;
}

bool denormal_in_line(const struct denormal_line *l, const struct denormal_site *s)
{
	return l->line == s->line && !strcmp(l->file, s->file) && !strcmp(l->function, s->function);
}

/* Sites of one line stand side by side. */
static void collect_lines(struct denormal_report *r)
{
	const struct denormal *d = &r->run->counts;

	for (size_t i = 0; i < d->sites.n; i++) {
		const struct denormal_site *s = &d->sites.at[i];
		struct denormal_line *l = r->lines.n ? &r->lines.at[r->lines.n - 1] : NULL;
		struct denormal_counts one = {0};

		add_site(&one, s);
		if (!any(&one))
			continue;
		if (!l || !denormal_in_line(l, s)) {
			l = vec_add(&r->lines);
			*l = (struct denormal_line){
				.file = s->file, .function = s->function, .line = s->line};
		}
		add_site(&l->n, s);
		add_site(&r->all, s);
		l->wrapped |= s->wrapped;
		if (r->priced && !denormal_price(r->prices, s, &l->n))
			r->unpriced += s->results + s->deaths;
	}
	for (size_t i = 0; i < r->lines.n; i++) {
		r->all.low_ps += r->lines.at[i].n.low_ps;
		r->all.high_ps += r->lines.at[i].n.high_ps;
	}
}

static uint64_t busy(const struct denormal_counts *n)
{
	return n->loads + n->stores + n->results + n->copies;
}

static int by_place(const struct denormal_line *x, const struct denormal_line *y)
{
	int c = strcmp(x->file, y->file);

	if (!c)
		c = strcmp(x->function, y->function);
	return c ? c : (x->line > y->line) - (x->line < y->line);
}

static int by_cost(const void *a, const void *b)
{
	const struct denormal_line *x = a, *y = b;

	if (x->n.high_ps < y->n.high_ps || x->n.high_ps > y->n.high_ps)
		return x->n.high_ps > y->n.high_ps ? -1 : 1;
	if (busy(&x->n) != busy(&y->n))
		return busy(&x->n) > busy(&y->n) ? -1 : 1;
	return by_place(x, y);
}

static int by_births(const void *a, const void *b)
{
	const struct denormal_line *x = a, *y = b;

	if (x->n.births != y->n.births)
		return x->n.births > y->n.births ? -1 : 1;
	return by_place(x, y);
}

static void rank(struct denormal_report *r)
{
	for (size_t i = 0; i < r->lines.n; i++)
		if (r->lines.at[i].n.births)
			vec_push(&r->births, r->lines.at[i]);
	if (r->lines.n)
		qsort(r->lines.at, r->lines.n, sizeof(*r->lines.at), by_cost);
	if (r->births.n)
		qsort(r->births.at, r->births.n, sizeof(*r->births.at), by_births);
}

/* Who turned it on, if that was seen, and whether it was off before. */
static void put_flush(const struct denormal_report *r, struct strbuf *out)
{
	const struct denormal *d = &r->run->counts;
	const struct run_symbol *s = NULL;
	bool later = false;

	for (size_t i = 0; i < d->flushes.n; i++) {
		const struct denormal_flush *f = &d->flushes.at[i];

		later |= f->later;
		if (!s && f->address)
			s = denormal_symbol(r->run, f->file, f->address - 1, NULL);
	}
	strbuf_printf(out, "%zu thread%s%s", d->flushes.n, d->flushes.n == 1 ? "" : "s",
		      later ? ", not from its begin" : "");
	if (s) {
		char *people = demangle_short(s->name);

		strbuf_printf(out, ", set in %s()", people ? people : s->name);
		free(people);
	} else {
		strbuf_puts(out, " (-ffast-math, a library?)");
	}
}

static void judge_flushes(struct denormal_report *r)
{
	struct strbuf sb = STRBUF_INIT;

	put_flush(r, &sb);
	denormal_doubt(
		r, DENORMAL_FLUSHED,
		"flush-to-zero or denormals-are-zero was on in %s: denormals that they would have made "
		"are not counted, nor were they computed",
		sb.s);
	strbuf_release(&sb);
}

static void judge_left(struct denormal_report *r, const struct denormal_left *l)
{
	static const char *const ways[PRS_DEN_WAYS] = {
		[PRS_DEN_WAY_JUMP] = "by a jump",
		[PRS_DEN_WAY_THROW] = "by an exception",
		[PRS_DEN_WAY_THREAD] = "by ending the thread",
		[PRS_DEN_WAY_PROCESS] = "by ending the process",
	};
	const struct run_symbol *s = denormal_symbol(r->run, l->file, l->address, NULL);
	char *people = s ? demangle_short(s->name) : NULL, place[32], times[32] = "";

	snprintf(place, sizeof(place), "code at 0x%" PRIx64, l->address);
	if (l->count > 1)
		snprintf(times, sizeof(times), ", %" PRIu64 " times", l->count);
	denormal_doubt(r, DENORMAL_LIMITED,
		       "a signal handler left %s%s %s%s: what the loop that it interrupted had counted is "
		       "missing",
		       people ? people
		       : s    ? s->name
			      : place,
		       s ? "()" : "", ways[l->way], times);
	free(people);
}

/* Part of the code is not in it. */
static void judge_missing(struct denormal_report *r)
{
	size_t n = r->run->unlinked;

	if (n)
		denormal_doubt(r, DENORMAL_LIMITED,
			       "%zu unit%s compiled with -flto and the plugin but linked without it: what %s "
			       "do%s is not counted; add -fplugin=perseus.so and its arguments to the link "
			       "step",
			       n, n == 1 ? " was" : "s were", n == 1 ? "it" : "they", n == 1 ? "es" : "");
}

/* What keeps a reader from believing the counts. */
static void denormal_judge(struct denormal_report *r)
{
	const struct denormal *d = &r->run->counts;
	bool wrapped = false;

	if (d->flushes.n)
		judge_flushes(r);
	if (r->run->traps.n_files)
		denormal_traps_judge(r);
	else if (!d->n_units)
		denormal_doubt(r, DENORMAL_LIMITED, "no code with counters ran: nothing is known");
	judge_missing(r);
	if (r->run->incomplete)
		denormal_doubt(r, DENORMAL_LIMITED, "%s: what was counted up to there is shown",
			       r->run->incomplete);
	if (d->lost)
		denormal_doubt(r, DENORMAL_LIMITED,
			       "there was no room for %" PRIu64 " tables or arrays: counts are lower "
			       "bounds",
			       d->lost);
	for (size_t i = 0; i < d->lefts.n; i++)
		judge_left(r, &d->lefts.at[i]);
	for (size_t i = 0; i < r->lines.n; i++)
		wrapped |= r->lines.at[i].wrapped;
	if (wrapped)
		denormal_doubt(r, DENORMAL_LIMITED,
			       "loops of more than 2^32 turns: counts of lines with `>=` are lower bounds");
	if (d->gates && d->n_invalid)
		denormal_doubt(r, DENORMAL_LIMITED,
			       "an invalid operation, which makes a NaN, was seen in %zu thread%s: a "
			       "denormal operand "
			       "that meets a NaN is missing where a loop was tried without counters; "
			       "probe=denormal has no such loops",
			       d->n_invalid, d->n_invalid == 1 ? "" : "s");
	if (d->n_units && !d->full)
		denormal_doubt(
			r, DENORMAL_LIMITED,
			"only results that leave their expression were counted (probe=denormal): births and "
			"loads are not known; probe=denormal:full counts them");
}

void denormal_report_make(struct denormal_report *r, const struct denormal_run *run,
			  const struct platform *prices)
{
	*r = (struct denormal_report){.run = run, .prices = prices};
	r->priced = prices && prices->n_denormal;
	collect_lines(r);
	rank(r);
	denormal_arrays(r);
	denormal_judge(r);
}

const char *denormal_report_function(const struct denormal_report *r, size_t i)
{
	if (i < r->births.n)
		return r->births.at[i].function;
	return i - r->births.n < r->lines.n ? r->lines.at[i - r->births.n].function : NULL;
}

void denormal_report_release(struct denormal_report *r)
{
	for (size_t i = 0; i < r->arrays.n; i++) {
		free(r->arrays.at[i].called);
		free(r->arrays.at[i].name);
		free(r->arrays.at[i].made);
	}
	for (size_t i = 0; i < r->doubts.n; i++)
		free(r->doubts.at[i]);
	free(r->no_flush);
	vec_release(&r->lines);
	vec_release(&r->births);
	vec_release(&r->arrays);
	vec_release(&r->unplaced);
	vec_release(&r->doubts);
}

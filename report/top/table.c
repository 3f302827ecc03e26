/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "report/top/top.h"

#define WIDE 100 /* columns from which both kinds of counts are shown */

struct form {
	const char *head, *word;
	int width; /* 0: the rest; below 0: from the left */
};

static const struct form forms[TOP_COLUMNS] = {
	[TOP_TID] = {"TID", "tid", 7},
	[TOP_THREAD] = {"THREAD", "thread", -15},
	[TOP_STATE] = {"S", "state", 1},
	[TOP_CORE] = {"CORE", "core", 4},
	[TOP_RUNNING] = {"CPU%", "cpu", 5},
	[TOP_READY] = {"RDY%", "ready", 5},
	[TOP_WAITING] = {"WAIT%", "wait", 5},
	[TOP_CALLS] = {"CALL/s", "calls", 6},
	[TOP_LINES] = {"LINE/s", "lines", 6},
	[TOP_MIGRATIONS] = {"MIG/s", "migrations", 5},
	[TOP_WAIT_FOR] = {"WAITS FOR", "for", 0},
};

const char *top_column_word(enum top_column c)
{
	return c < TOP_COLUMNS ? forms[c].word : NULL;
}

/* On a narrow terminal only what this run counts. */
static bool shown(const struct live *l, const struct top_view *v, enum top_column c)
{
	if (v->columns >= WIDE || (c != TOP_CALLS && c != TOP_LINES))
		return true;
	return (c == TOP_LINES) == (l->sharing && !l->counted);
}

/* ---- rows --------------------------------------------------------------------------------------- */

static bool contains(const char *text, const char *part)
{
	size_t n = part ? strlen(part) : 0;

	for (const char *at = text; n && *at; at++)
		if (!strncasecmp(at, part, n))
			return true;
	return !n;
}

static double value(const struct live_thread *t, enum top_column c)
{
	switch (c) {
	case TOP_TID:
		return t->tid;
	case TOP_STATE:
		return t->state;
	case TOP_CORE:
		return t->core;
	case TOP_RUNNING:
		return t->running;
	case TOP_READY:
		return t->ready;
	case TOP_WAITING:
		return t->waiting;
	case TOP_CALLS:
		return t->calls;
	case TOP_LINES:
		return t->transfers;
	case TOP_MIGRATIONS:
		return t->migrations;
	default:
		return 0;
	}
}

struct order {
	enum top_column sort;
	bool upwards;
};

static int by_view(const void *a, const void *b, void *arg)
{
	const struct top_row *x = a, *y = b;
	const struct order *o = arg;
	double p = value(x->t, o->sort), q = value(y->t, o->sort);
	int d = o->sort == TOP_THREAD     ? strcmp(x->name, y->name)
		: o->sort == TOP_WAIT_FOR ? strcmp(x->wait, y->wait)
					  : (p > q) - (p < q);

	if (d)
		return o->upwards ? d : -d;
	if (x->t->pid != y->t->pid)
		return x->t->pid < y->t->pid ? -1 : 1;
	return (x->t->index > y->t->index) - (x->t->index < y->t->index);
}

void top_rows_make(struct top_rows *rows, const struct live *l, const struct top_names *n,
		   const struct top_view *v)
{
	struct order order = {v->sort, v->upwards};

	*rows = (struct top_rows)VEC_INIT;
	for (size_t i = 0; i < l->threads.n; i++) {
		const struct live_thread *t = &l->threads.at[i];
		struct strbuf name = STRBUF_INIT, wait = STRBUF_INIT;
		struct top_row row = {.t = t};

		if (!top_thread_name(&name, l, n, t->pid, t->index, t->name))
			strbuf_puts(&name, "-");
		top_wait_text(&wait, l, n, t);
		strbuf_puts(&wait, "");
		row.name = strbuf_detach(&name);
		row.wait = strbuf_detach(&wait);
		if (contains(row.name, v->filter)) {
			vec_push(rows, row);
			continue;
		}
		free(row.name);
		free(row.wait);
	}
	if (rows->n)
		qsort_r(rows->at, rows->n, sizeof(*rows->at), by_view, &order);
}

void top_rows_release(struct top_rows *rows)
{
	for (size_t i = 0; i < rows->n; i++) {
		free(rows->at[i].name);
		free(rows->at[i].wait);
	}
	vec_release(rows);
}

/* ---- text ---------------------------------------------------------------------------------------- */

/* "-", "0", "37", "1.2k", "120k", "4.5M": at most five characters. */
static void put_rate(char *buf, size_t size, double x)
{
	static const char units[] = " kMGT";
	int u = 0;

	if (x < 0) {
		snprintf(buf, size, "-");
		return;
	}
	for (; x >= 999.5 && units[u + 1]; u++)
		x /= 1000;
	snprintf(buf, size, u && x < 9.95 ? "%.1f%c" : "%.0f%c", x, units[u]);
	if (!u)
		buf[strlen(buf) - 1] = '\0';
}

static void put_share(char *buf, size_t size, double x)
{
	if (x < 0)
		snprintf(buf, size, "-");
	else
		snprintf(buf, size, "%.1f", 100 * x);
}

static void cell(char *buf, size_t size, const struct top_row *r, enum top_column c)
{
	const struct live_thread *t = r->t;

	switch (c) {
	case TOP_TID:
		snprintf(buf, size, "%u", t->tid);
		return;
	case TOP_THREAD:
		snprintf(buf, size, "%s", r->name);
		return;
	case TOP_STATE:
		snprintf(buf, size, "%c", t->state ? t->state : '-');
		return;
	case TOP_CORE:
		if (t->core < 0)
			snprintf(buf, size, "-");
		else
			snprintf(buf, size, "%d", t->core);
		return;
	case TOP_WAIT_FOR:
		snprintf(buf, size, "%s", r->wait);
		return;
	case TOP_RUNNING:
	case TOP_READY:
	case TOP_WAITING:
		put_share(buf, size, value(t, c));
		return;
	default:
		put_rate(buf, size, value(t, c));
	}
}

/* @text in the width of column @c, behind what is in the line; long text is cut, and says so. */
static void put_cell(struct strbuf *out, const struct top_view *v, enum top_column c, const char *text,
		     size_t line)
{
	int width = forms[c].width;
	size_t used = out->len - line, len = strlen(text), room;

	if (used) {
		strbuf_puts(out, " ");
		used++;
	}
	room = width ? (size_t)abs(width) : v->columns > used ? v->columns - used : 0;
	if (len > room) {
		strbuf_printf(out, "%.*s%s", (int)(room ? room - 1 : 0), text, room ? "~" : "");
		return;
	}
	if (width)
		strbuf_printf(out, width > 0 ? "%*s" : "%-*s", (int)room, text);
	else
		strbuf_puts(out, text);
}

void top_head(struct strbuf *out, const struct live *l, const struct top_view *v)
{
	size_t line = out->len;

	for (enum top_column c = 0; c < TOP_COLUMNS; c++) {
		char head[24];

		if (!shown(l, v, c))
			continue;
		snprintf(head, sizeof(head), "%s%s", forms[c].head,
			 c == v->sort ? (v->upwards ? "^" : "*") : "");
		put_cell(out, v, c,
			 strlen(head) > (size_t)abs(forms[c].width) && forms[c].width ? forms[c].head : head,
			 line);
	}
}

void top_line(struct strbuf *out, const struct live *l, const struct top_view *v, const struct top_row *r)
{
	size_t line = out->len;

	for (enum top_column c = 0; c < TOP_COLUMNS; c++) {
		char text[512];

		if (!shown(l, v, c))
			continue;
		cell(text, sizeof(text), r, c);
		put_cell(out, v, c, text, line);
	}
	while (out->len > line && out->s[out->len - 1] == ' ')
		out->s[--out->len] = '\0';
	for (char *c = out->s + line; *c; c++) /* names of threads may be anything */
		if (*c < ' ' || *c > '~')
			*c = '?';
}

struct sums {
	double running, ready, calls, transfers, migrations;
	size_t in_wait;
	bool queued; /* it is known who waits for a core */
};

static void sums_add(double *sum, double x)
{
	*sum += x > 0 ? x : 0;
}

static struct sums sums_of(const struct live *l)
{
	struct sums s = {0};

	for (size_t i = 0; i < l->threads.n; i++) {
		const struct live_thread *t = &l->threads.at[i];

		sums_add(&s.running, t->running);
		sums_add(&s.ready, t->ready);
		s.queued |= t->ready >= 0;
		sums_add(&s.calls, t->calls);
		sums_add(&s.transfers, t->transfers);
		sums_add(&s.migrations, t->migrations);
		s.in_wait += t->wait_open;
	}
	return s;
}

/* Of what does not fit into 80 columns, what matters most. */
static void narrow_sums(struct strbuf *out, const struct live *l, const struct sums *s, const char *counts)
{
	strbuf_printf(out, "%zu thread%s, %zu wait; %.2f cores busy", l->threads.n,
		      l->threads.n == 1 ? "" : "s", s->in_wait, s->running);
	if (s->queued)
		strbuf_printf(out, ", %.2f wanted", s->ready);
	strbuf_printf(out, "%s mig/s", counts);
}

void top_sums(struct strbuf *out, const struct live *l, unsigned columns)
{
	struct sums s = sums_of(l);
	struct strbuf counts = STRBUF_INIT;
	size_t begin = out->len;
	char calls[16], lines[16], moves[16];

	put_rate(calls, sizeof(calls), s.calls);
	put_rate(lines, sizeof(lines), s.transfers);
	put_rate(moves, sizeof(moves), s.migrations);
	strbuf_printf(out, "%zu thread%s of %zu process%s, %zu in a wait, %zu ended; %.2f cores busy",
		      l->threads.n, l->threads.n == 1 ? "" : "s", l->n_processes,
		      l->n_processes == 1 ? "" : "es", s.in_wait, l->n_ended, s.running);
	if (s.queued)
		strbuf_printf(out, ", %.2f more wanted", s.ready);
	if (l->counted)
		strbuf_printf(&counts, "; %s calls/s", calls);
	if (l->sharing)
		strbuf_printf(&counts, "; %s lines/s", lines);
	strbuf_printf(&counts, "; %s", moves);
	strbuf_printf(out, "%s migrations/s", counts.s);
	if (out->len - begin > columns) {
		out->len = begin;
		narrow_sums(out, l, &s, counts.s);
	}
	strbuf_release(&counts);
}

/* ---- JSON ---------------------------------------------------------------------------------------- */

static void json_known(struct json *j, const char *key, double x)
{
	if (x < 0)
		json_string(j, key, NULL);
	else
		json_double(j, key, x);
}

static void json_thread(struct json *j, const struct top_row *r)
{
	const struct live_thread *t = r->t;

	json_object(j, NULL);
	json_u64(j, "pid", t->pid);
	json_u64(j, "tid", t->tid);
	json_string(j, "thread", r->name);
	json_known(j, "core", t->core);
	json_known(j, "running", t->running);
	json_known(j, "ready", t->ready);
	json_known(j, "waiting", t->waiting);
	json_known(j, "calls_per_s", t->calls);
	json_known(j, "transfers_per_s", t->transfers);
	json_known(j, "migrations_per_s", t->migrations);
	json_string(j, "waits_for", t->wait_kind ? r->wait : NULL);
	json_bool(j, "in_wait", t->wait_open);
	json_end(j);
}

void top_json(struct json *j, const struct live *l, const struct top_rows *rows)
{
	json_u64(j, "processes", l->n_processes);
	json_u64(j, "threads_ended", l->n_ended);
	json_array(j, "threads");
	for (size_t i = 0; i < rows->n; i++)
		json_thread(j, &rows->at[i]);
	json_end(j);
}

/* SPDX-License-Identifier: MIT */
#include "monitor/counts/file.h"

#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "lib/num.h"

#define THREAD_WORDS 6 /* before its counts */
#define EVENTS_MAX   ((WORDS_MAX - THREAD_WORDS) / 3)

/* "at NS" */
static int take_time(struct counts_file *f, uint64_t after, struct err *err)
{
	const struct words *w = &f->words;

	if (w->n != 2 || num_u64(w->word[1], 1, INT64_MAX, &f->next_ns))
		return words_bad(w, err, "expected 'at NS'");
	if (f->next_ns <= after)
		return words_bad(w, err, "at %s is not after the look before", w->word[1]);
	return 0;
}

static int take_events(struct counts_file *f, struct err *err)
{
	const struct words *w = &f->words;

	if (!w->n || strcmp(w->word[0], "events") || w->n < 2)
		return words_bad(w, err, "expected 'events NAME...'");
	if (w->n - 1 > EVENTS_MAX)
		return words_bad(w, err, "more than %d events", EVENTS_MAX);
	for (size_t i = 1; i < w->n; i++) {
		if (counts_event(&f->events, w->word[i]) < f->events.n)
			return words_bad(w, err, "event '%s' stands twice", w->word[i]);
		vec_push(&f->events, mem_strdup(w->word[i]));
	}
	return 0;
}

int counts_file_open(struct counts_file *f, const char *path, const char *text, size_t len, struct err *err)
{
	int ret;

	*f = (struct counts_file){.next_ns = 0};
	ret = words_open(&f->words, path, text, len, "perseus-counts", err);
	if (ret)
		return ret;
	ret = words_next(&f->words, err);
	if (ret >= 0)
		ret = take_events(f, err);
	if (!ret) {
		ret = words_next(&f->words, err);
		if (ret == 0)
			ret = words_bad(&f->words, err, "no look: expected 'at NS'");
		else if (ret > 0)
			ret = strcmp(f->words.word[0], "at") ? words_bad(&f->words, err, "expected 'at NS'")
							     : take_time(f, 0, err);
	}
	if (ret)
		counts_file_close(f);
	return ret;
}

void counts_file_close(struct counts_file *f)
{
	words_close(&f->words);
	counts_events_release(&f->events);
}

static int hex(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* False: too long, or %XX is none. */
static bool take_name(const char *from, char *to, size_t size)
{
	size_t n = 0;

	if (!strcmp(from, "-"))
		from = "";
	for (; *from; from++) {
		int c = *from;

		if (c == '%') {
			if (hex(from[1]) < 0 || hex(from[2]) < 0)
				return false;
			c = 16 * hex(from[1]) + hex(from[2]);
			from += 2;
		}
		if (!c || n + 1 >= size)
			return false;
		to[n++] = (char)c;
	}
	to[n] = 0;
	return true;
}

static int take_counts(const struct words *w, struct count *c, size_t n, struct err *err)
{
	for (size_t i = 0; i < n; i++) {
		char *const *at = &w->word[THREAD_WORDS + 3 * i];

		if (num_u64(at[0], 0, INT64_MAX, &c[i].value) ||
		    num_u64(at[1], 0, INT64_MAX, &c[i].enabled) ||
		    num_u64(at[2], 0, INT64_MAX, &c[i].running))
			return words_bad(w, err, "'%s %s %s' is no count: VALUE ENABLED RUNNING", at[0],
					 at[1], at[2]);
		if (c[i].running > c[i].enabled)
			return words_bad(w, err, "counted for %s ns of %s", at[2], at[1]);
	}
	return 0;
}

static int take_thread(struct counts_file *f, struct counts_look *look, struct err *err)
{
	const struct words *w = &f->words;
	struct counts_thread t = {.core = -1};
	uint64_t pid, tid, core = 0, partner = 0;

	if (w->n != THREAD_WORDS + 3 * f->events.n)
		return words_bad(w, err,
				 "%zu words, expected 'thread PID TID CORE PARTNER NAME' and %zu counts",
				 w->n, f->events.n);
	if (num_u64(w->word[1], 0, INT32_MAX, &pid) || num_u64(w->word[2], 0, INT32_MAX, &tid))
		return words_bad(w, err, "'%s %s' are no process and thread", w->word[1], w->word[2]);
	if (strcmp(w->word[3], "-") && num_u64(w->word[3], 0, 65535, &core))
		return words_bad(w, err, "'%s' is no core", w->word[3]);
	if (strcmp(w->word[4], "-") && num_u64(w->word[4], 1, INT32_MAX, &partner))
		return words_bad(w, err, "'%s' is no thread", w->word[4]);
	if (!take_name(w->word[5], t.name, sizeof(t.name)))
		return words_bad(w, err, "'%s' is no name of a thread", w->word[5]);
	t.pid = (uint32_t)pid;
	t.tid = (uint32_t)tid;
	t.core = strcmp(w->word[3], "-") ? (int)core : -1;
	t.partner = (uint32_t)partner;
	for (size_t i = 0; i < look->threads.n; i++)
		if (look->threads.at[i].tid == t.tid)
			return words_bad(w, err, "thread %u stands twice", t.tid);
	return take_counts(w, counts_look_add(look, &t), f->events.n, err);
}

int counts_file_next(struct counts_file *f, struct counts_look *look, struct err *err)
{
	int ret;

	if (!f->next_ns)
		return 0;
	counts_look_clear(look, f->next_ns, f->events.n);
	f->next_ns = 0;
	while ((ret = words_next(&f->words, err)) > 0) {
		if (!strcmp(f->words.word[0], "at")) {
			ret = take_time(f, look->ns, err);
			return ret ? ret : 1;
		}
		if (strcmp(f->words.word[0], "thread"))
			return words_bad(&f->words, err, "'%s': expected at or thread", f->words.word[0]);
		ret = take_thread(f, look, err);
		if (ret)
			return ret;
	}
	return ret ? ret : 1;
}

void counts_file_head(struct strbuf *out, const struct counts_events *events)
{
	strbuf_puts(out, "perseus-counts 1\nevents");
	for (size_t i = 0; i < events->n; i++)
		strbuf_printf(out, " %s", events->at[i]);
	strbuf_puts(out, "\n");
}

static void number_or_dash(struct strbuf *out, bool known, uint64_t n)
{
	if (known)
		strbuf_printf(out, " %lu", (unsigned long)n);
	else
		strbuf_puts(out, " -");
}

void counts_file_look(struct strbuf *out, const struct counts_look *look)
{
	strbuf_printf(out, "at %lu\n", (unsigned long)look->ns);
	for (size_t i = 0; i < look->threads.n; i++) {
		const struct counts_thread *t = &look->threads.at[i];

		strbuf_printf(out, "thread %u %u", t->pid, t->tid);
		number_or_dash(out, t->core >= 0, (uint64_t)t->core);
		number_or_dash(out, t->partner, t->partner);
		strbuf_puts(out, " ");
		strbuf_percent(out, t->name);
		for (size_t e = 0; e < look->n_events; e++) {
			const struct count *c = &look->counts.at[i * look->n_events + e];

			strbuf_printf(out, " %lu %lu %lu", (unsigned long)c->value, (unsigned long)c->enabled,
				      (unsigned long)c->running);
		}
		strbuf_puts(out, "\n");
	}
}

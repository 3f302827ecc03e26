/* SPDX-License-Identifier: MIT */
/* TEXT and COUNTER chunks: names of events, and the readings of each thread. */
#include "record/counters.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lib/mem.h"
#include "lib/num.h"
#include "lib/search.h"
#include "record/parts.h"

/* More than the runtime ever keeps of a thread: a chunk of holes must not keep a reader busy. */
#define READINGS_MAX 65536u

/* ---- text ---------------------------------------------------------------------- */

void gather_text(struct run_process *p, const struct chunk_list *chunks)
{
	struct strbuf sb = STRBUF_INIT;

	for (size_t i = 0; i < chunks->n; i++) {
		const struct chunk_ref *c = &chunks->at[i];
		const char *text;

		if (c->type != PRS_CHUNK_TEXT)
			continue;
		text = chunk_entry(p, c, 0);
		strbuf_add(&sb, text, strnlen(text, c->bytes - sizeof(struct prs_chunk)));
		strbuf_puts(&sb, "\n");
	}
	free(p->text);
	p->text = sb.len ? strbuf_detach(&sb) : NULL;
	strbuf_release(&sb);
}

const char *run_text(const struct run_process *p, const char *key, size_t *len)
{
	size_t n = strlen(key);

	for (const char *line = p->text; line && *line;) {
		const char *end = strchr(line, '\n');

		if (!end)
			end = line + strlen(line);
		if (!strncmp(line, key, n) && line[n] == ' ') {
			*len = (size_t)(end - line) - n - 1;
			return line + n + 1;
		}
		line = *end ? end + 1 : end;
	}
	return NULL;
}

/* The number behind @key, 0 if there is none. */
static uint64_t text_number(const struct run_process *p, const char *key)
{
	size_t len;
	const char *value = run_text(p, key, &len);
	char digits[24];
	uint64_t v;

	if (!value || len >= sizeof(digits))
		return 0;
	memcpy(digits, value, len);
	digits[len] = '\0';
	return num_u64(digits, 0, UINT64_MAX, &v) ? 0 : v;
}

/* ---- events ---------------------------------------------------------------------- */

static bool value_is(const char *value, size_t len, const char *word)
{
	return len >= strlen(word) && !strncmp(value, word, strlen(word));
}

/* False: there is no event of this number. */
static bool read_event(const struct run_process *p, uint32_t i, struct run_event *e)
{
	char key[32];
	const char *value;
	size_t len;

	snprintf(key, sizeof(key), "event.%u.name", i);
	value = run_text(p, key, &len);
	if (!value || !len || len >= PRS_EVENT_NAME)
		return false;
	*e = (struct run_event){.name = mem_strndup(value, len)};
	snprintf(key, sizeof(key), "event.%u.source", i);
	value = run_text(p, key, &len);
	e->system = value && value_is(value, len, "system");
	e->counted = e->system || (value && value_is(value, len, "perf"));
	e->user_only = value && value_is(value, len, "perf user");
	snprintf(key, sizeof(key), "event.%u.error", i);
	e->error = (int)(text_number(p, key) & 0xffff);
	snprintf(key, sizeof(key), "event.%u.group", i);
	e->group = (uint32_t)text_number(p, key) % PRS_EVENTS_MAX;
	return true;
}

int run_event_find(const struct run_counters *c, const char *name)
{
	for (size_t i = 0; c && i < c->n_events; i++)
		if (c->events[i].counted && !strcasecmp(c->events[i].name, name))
			return (int)i;
	return -1;
}

/* ---- readings -------------------------------------------------------------------- */

/* One reading as it lies in the file. */
struct reading {
	uint64_t tick;
	const struct prs_counter *entry;
	const struct prs_counter_value *values;
	size_t n_values;
};
struct reading_list VEC(struct reading);

static void take_refusals(struct run_counts *t, const struct run_counters *c, const struct reading *r)
{
	for (size_t i = 0; i < c->n_events && i < r->n_values; i++)
		if (!r->values[i].enabled)
			t->refused[i] = (int)(r->values[i].value & 0xffff);
}

static void take_chunk(struct run_process *p, const struct chunk_ref *chunk, struct reading_list *out)
{
	struct run_counters *c = p->counters;

	if (chunk->thread >= c->n_threads) {
		if (chunk->used)
			process_damage(p, "the chunk at byte %llu belongs to thread %u, which is missing",
				       (unsigned long long)chunk->offset, chunk->thread);
		return;
	}
	for (uint64_t k = 0; k < chunk->used && k < READINGS_MAX; k++) {
		const struct prs_counter *e = chunk_entry(p, chunk, k);
		struct reading r = {.tick = e->tsc,
				    .entry = e,
				    .values = (const void *)(e + 1),
				    .n_values =
					    (chunk->stride - sizeof(*e)) / sizeof(struct prs_counter_value)};

		if (e->n < r.n_values)
			r.n_values = e->n;
		if (e->tsc && e->why == PRS_COUNTER_REFUSED)
			take_refusals(&c->threads[chunk->thread], c, &r);
		else if (e->tsc)
			vec_push(&out[chunk->thread], r);
	}
}

static int by_tick(const void *a, const void *b)
{
	const struct reading *x = a, *y = b;

	if (x->tick != y->tick)
		return x->tick < y->tick ? -1 : 1;
	return (x->entry > y->entry) - (x->entry < y->entry);
}

static struct prs_counter_value value_of(const struct reading *r, size_t event)
{
	return event < r->n_values ? r->values[event] : (struct prs_counter_value){0};
}

/* False: a sum went back, which none does, or more was counted than was wanted. */
static bool follows(const struct reading *a, const struct reading *b, size_t n_events)
{
	for (size_t i = 0; i < n_events; i++) {
		struct prs_counter_value x = value_of(a, i), y = value_of(b, i);

		if (y.value < x.value || y.enabled < x.enabled || y.running < x.running ||
		    y.running > y.enabled)
			return false;
	}
	return true;
}

/* Sort, and drop what thinning left twice and what contradicts the reading before. */
static size_t clean(struct run_process *p, struct reading_list *v, uint64_t start)
{
	static const struct reading zero;
	size_t n = 0, wrong = 0;

	if (v->n)
		qsort(v->at, v->n, sizeof(*v->at), by_tick);
	for (size_t i = 0; i < v->n; i++) {
		const struct reading *before = n ? &v->at[n - 1] : &zero;

		if (v->at[i].tick <= (n ? before->tick : start))
			wrong += v->at[i].tick < start;
		else if (follows(before, &v->at[i], p->counters->n_events))
			v->at[n++] = v->at[i];
		else
			wrong++;
	}
	if (wrong)
		process_damage(p, "%zu readings of counters contradict those before", wrong);
	return n;
}

/* What was counted from @from to @to, for the whole of that time; false: it had no turn. */
static bool scaled(struct prs_counter_value from, struct prs_counter_value to, double *count)
{
	double wanted = (double)(to.enabled - from.enabled), got = (double)(to.running - from.running);

	*count = (double)(to.value - from.value);
	if (got > 0 && got < wanted)
		*count *= wanted / got;
	return got > 0 || wanted <= 0;
}

/* The sums of one event; a stretch in which it had no turn shares what the next turn showed. */
static void sum_event(struct run_counts *t, const struct reading *r, size_t n_events, size_t event)
{
	struct prs_counter_value base = {0};
	double sum = 0, count;
	size_t from = 0;

	for (size_t i = 0; i < t->n; i++) {
		struct prs_counter_value v = value_of(&r[i], event);

		if (!scaled(base, v, &count) && i + 1 < t->n)
			continue;
		for (size_t k = from; k <= i; k++) {
			double part = v.enabled > base.enabled
					      ? (double)(value_of(&r[k], event).enabled - base.enabled) /
							(double)(v.enabled - base.enabled)
					      : 1;

			t->sums[k * n_events + event] = sum + part * count;
		}
		sum += count;
		base = v;
		from = i + 1;
	}
	t->share[event] = base.enabled ? (double)base.running / (double)base.enabled : 0;
}

/* The kernel wants a counter of a thread while that is on a core. */
static double *on_core(const struct run_counters *c, const struct reading *r, size_t n)
{
	double *ns;
	size_t e = 0;

	while (e < c->n_events && (!c->events[e].counted || c->events[e].system))
		e++;
	if (e == c->n_events)
		return NULL;
	ns = mem_new(n + 1, sizeof(*ns));
	for (size_t i = 0; i < n; i++)
		ns[i] = (double)value_of(&r[i], e).enabled;
	return ns;
}

static void fill_thread(struct run_process *p, uint32_t thread, struct reading_list *v)
{
	struct run_counters *c = p->counters;
	struct run_counts *t = &c->threads[thread];

	t->n = clean(p, v, p->threads[thread].raw->start_tsc);
	t->ticks = mem_new(t->n + 1, sizeof(*t->ticks));
	t->sums = mem_new(t->n * c->n_events + 1, sizeof(*t->sums));
	for (size_t i = 0; i < t->n; i++)
		t->ticks[i] = v->at[i].tick;
	t->on_ns = on_core(c, v->at, t->n);
	for (size_t e = 0; e < c->n_events; e++)
		sum_event(t, v->at, c->n_events, e);
}

static void gather_readings(struct run_process *p, const struct chunk_list *chunks)
{
	struct run_counters *c = p->counters;
	struct reading_list *lists = mem_new(c->n_threads + 1, sizeof(*lists));

	for (size_t i = 0; i < chunks->n; i++)
		if (chunks->at[i].type == PRS_CHUNK_COUNTER)
			take_chunk(p, &chunks->at[i], lists);
	for (uint32_t i = 0; i < c->n_threads; i++) {
		fill_thread(p, i, &lists[i]);
		vec_release(&lists[i]);
	}
	free(lists);
}

void gather_counts(struct run_process *p, const struct chunk_list *chunks)
{
	struct run_counters *c;

	if (!p->header->counter_rung || p->header->minor < 1)
		return;
	c = mem_new(1, sizeof(*c));
	p->counters = c;
	c->rung = p->header->counter_rung;
	c->interval_us = text_number(p, "counters.interval_us");
	c->read_ns = text_number(p, "counters.read_ns");
	c->rdpmc_ns = text_number(p, "counters.rdpmc_ns");
	while (c->n_events < PRS_EVENTS_MAX && read_event(p, (uint32_t)c->n_events, &c->events[c->n_events]))
		c->n_events++;
	c->n_threads = p->n_threads;
	c->threads = mem_new(p->n_threads + 1, sizeof(*c->threads));
	gather_readings(p, chunks);
}

void counts_release(struct run_process *p)
{
	struct run_counters *c = p->counters;

	free(p->text);
	if (!c)
		return;
	for (size_t i = 0; i < c->n_threads; i++) {
		free(c->threads[i].ticks);
		free(c->threads[i].sums);
		free(c->threads[i].on_ns);
	}
	for (size_t i = 0; i < c->n_events; i++)
		free((void *)c->events[i].name);
	free(c->threads);
	free(c);
}

/* ---- asking ------------------------------------------------------------------------ */

/* Number of readings at or before @tick. */
static size_t readings_until(const struct run_counts *t, uint64_t tick)
{
	return search_first(t->n, i, t->ticks[i] <= tick);
}

double run_count_at(const struct run_counters *c, const struct run_thread *t, size_t event, uint64_t tick)
{
	const struct run_counts *x = &c->threads[t->raw->index];
	size_t n = readings_until(x, tick);
	double before = n ? x->sums[(n - 1) * c->n_events + event] : 0;
	uint64_t from = n ? x->ticks[n - 1] : t->raw->start_tsc;

	if (n == x->n || tick <= from)
		return before;
	return before + (x->sums[n * c->n_events + event] - before) * (double)(tick - from) /
				(double)(x->ticks[n] - from);
}

double run_count_total(const struct run_counters *c, uint32_t thread, size_t event)
{
	const struct run_counts *t = &c->threads[thread];

	return t->n ? t->sums[(t->n - 1) * c->n_events + event] : 0;
}

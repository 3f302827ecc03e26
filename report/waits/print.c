/* SPDX-License-Identifier: MIT */
#include "report/waits/waits.h"

#include <string.h>

#include "lib/num.h"
#include "report/time/words.h"
#include "report/waits/bottleneck.h"

#define SIGNIFICANT  0.01  /* of thread time */
#define SHOWN        0.001 /* less is only shown on request */
#define WHOMS_SHOWN  4
#define LOCKS_SHOWN  20
#define BACK_MIN     0.05 /* of the waits' time: less than that is no matter */
#define HOLDS_ENOUGH 30   /* timed holds: fewer are said */
#define HELD_UP      0.1  /* of the time of a side at one lock */
#define BOTH_WAIT    0.25 /* of the slow side's time: then it is not what the other waits for */
#define LOPSIDED     1.5  /* one side of a queue waits so many times as long as the other */

/* A wait for threads of the program that may be too long: not a join, which waits for their work. */
static bool counts(const struct report_summary *s, const struct report_wait *w)
{
	return w->kind && w->kind != PRS_EV_JOIN && !w->outside && s->thread_ns > 0;
}

bool waits_significant(const struct report_summary *s, const struct report_wait *w)
{
	return counts(s, w) && w->ns >= SIGNIFICANT * s->thread_ns;
}

bool waits_longer(const struct report_summary *s, double part)
{
	for (size_t i = 0; i < s->n_waits; i++)
		if (counts(s, &s->waits[i]) && s->waits[i].ns > part * s->thread_ns)
			return true;
	return false;
}

size_t waits_count_significant(const struct report_summary *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n_waits; i++)
		n += waits_significant(s, &s->waits[i]);
	return n;
}

static void text_span(double ns, struct strbuf *out)
{
	char text[32];

	strbuf_puts(out, num_time(text, sizeof(text), ns * 1e-9));
}

static void text_number(uint64_t n, const char *one, const char *many, struct strbuf *out)
{
	char text[32];

	strbuf_printf(out, "%s %s", num_group(text, sizeof(text), n), n == 1 ? one : many);
}

/* " in put() queue.c:48" */
static void text_where(const char *function, const char *file, uint32_t line, struct strbuf *out)
{
	size_t len = function ? strlen(function) : 0;

	if (function)
		strbuf_printf(out, " in %s%s", function, len && function[len - 1] == ')' ? "" : "()");
	if (file) {
		strbuf_puts(out, " ");
		text_place(file, line, out);
	}
}

/* "965 ms (95.6 % of its time) in 399 waits, mean 2.42 ms, longest 7.11 ms" */
static void text_times(const struct report_wait *w, struct strbuf *out)
{
	text_span(w->ns, out);
	if (w->life_ns > 0)
		strbuf_printf(out, " (%.1f %% of its time)", text_percent(w->ns, w->life_ns));
	strbuf_puts(out, " in ");
	text_number(w->count, "wait", "waits", out);
	if (w->count > 1) {
		strbuf_puts(out, ", mean ");
		text_span(w->ns / (double)w->count, out);
	}
	if (w->count > 1 && w->max_ns > 0) {
		strbuf_puts(out, ", longest ");
		text_span(w->max_ns, out);
	}
	strbuf_puts(out, "\n");
}

/* A mean of few of many is said to be one. */
static void text_sample(uint64_t holds, uint64_t taken, struct strbuf *out)
{
	char n[2][32];

	if (holds < HOLDS_ENOUGH && holds < taken)
		strbuf_printf(out, " (%s of %s holds timed)", num_group(n[0], sizeof(n[0]), holds),
			      num_group(n[1], sizeof(n[1]), taken));
}

static void text_whom(const struct report_wait *w, const struct report_whom *whom, const char *label,
		      struct strbuf *out)
{
	strbuf_printf(out, "    %-9s %s", label, whom->name);
	text_where(whom->function, whom->file, whom->line, out);
	strbuf_puts(out, ": ");
	text_span(whom->ns, out);
	strbuf_puts(out, " in ");
	text_number(whom->count, "wait", "waits", out);
	if (run_is_lock(w->kind) && whom->holds) {
		strbuf_puts(out, "; holds it for ");
		text_span(whom->hold_ns / (double)whom->holds, out);
		text_sample(whom->holds, whom->taken, out);
	}
	strbuf_puts(out, "\n");
}

static void text_whoms(const struct report_wait *w, struct strbuf *out)
{
	const char *label = run_is_lock(w->kind) ? "held by" : w->kind == PRS_EV_BARRIER ? "last is" : "for";
	double rest = 0;

	for (size_t i = 0; i < w->n_whoms; i++) {
		if (i < WHOMS_SHOWN)
			text_whom(w, &w->whoms[i], i ? "" : label, out);
		else
			rest += w->whoms[i].ns;
	}
	if (rest > 0) {
		strbuf_puts(out, "              others, ");
		text_span(rest, out);
		strbuf_puts(out, "\n");
	}
}

/*
 * Several that wait at one condition go on one after the other, as each has to get the
 * mutex back: that is in their time, and no wait at the mutex.
 */
static void text_back(const struct report_summary *s, const struct report_wait *w, struct strbuf *out)
{
	for (size_t i = 0; w->pair && w->threads > 1 && i < s->n_locks; i++) {
		const struct report_lock *l = &s->locks[i];

		if (l->kind != PRS_EV_MUTEX || l->object != w->pair ||
		    report_hold_mean(l) * (double)w->count < BACK_MIN * w->ns)
			continue;
		strbuf_printf(out, "    with      the time to get %s back, which is held for ", w->pair);
		text_span(report_hold_mean(l), out);
		strbuf_puts(out, "\n");
	}
}

/* Other places of the same waits, which only the function between them could distinguish. */
static void text_others(const struct report_wait *w, struct strbuf *out)
{
	if (!w->n_others)
		return;
	strbuf_puts(out, "\n    or       ");
	for (size_t i = 0; i < w->n_others; i++) {
		const struct report_place *o = &w->others[i];

		strbuf_puts(out, i ? "," : "");
		text_where(o->function, o->file, o->line, out);
	}
	strbuf_puts(out, ": not distinguished");
}

static void text_one(const struct report_summary *s, const struct report_wait *w, struct strbuf *out)
{
	strbuf_printf(out, "%s %s %s   %.1f %% of thread time\n    waits     %s", w->id,
		      report_wait_kind(w->kind), w->object ? w->object : "-",
		      text_percent(w->ns, s->thread_ns), w->who);
	if (w->threads > 1)
		strbuf_printf(out, ", %u threads%s", w->threads, w->function ? "," : "");
	text_where(w->function, w->file, w->line, out);
	text_others(w, out);
	if (w->from_function) {
		strbuf_puts(out, "\n    called   ");
		text_where(w->from_function, w->from_file, w->from_line, out);
	}
	strbuf_puts(out, "\n              ");
	text_times(w, out);
	if (w->taken >= w->count && w->taken) {
		strbuf_puts(out, "    taken     ");
		text_number(w->taken, "time", "times", out);
		strbuf_printf(out, " there, %.1f %% after a wait\n",
			      text_percent((double)w->count, (double)w->taken));
	}
	if (w->open)
		strbuf_printf(out, "    still     %u of them wait%s at the end of the record\n", w->open,
			      w->open == 1 ? "s" : "");
	if (w->objects > 1)
		strbuf_printf(out, "    objects   %u that have no name\n", w->objects);
	text_whoms(w, out);
	text_back(s, w, out);
}

/* ---- queues -------------------------------------------------------------------------- */

static void text_side(const char *label, const struct report_side *side, struct strbuf *out)
{
	strbuf_printf(out, "    %-9s %s, ", label, side->name);
	text_number(side->threads, "thread", "threads", out);
	if (!side->count) {
		strbuf_puts(out, ", never waits\n");
		return;
	}
	strbuf_puts(out, ", waits ");
	text_span(side->ns, out);
	strbuf_printf(out, " (%.1f %% of its time)", text_percent(side->ns, side->life_ns));
	if (side->object)
		strbuf_printf(out, " at %s", side->object);
	strbuf_puts(out, "\n");
}

/* Where the threads of the slow side wait themselves, if it is long: more of them would not help. */
static const struct report_wait *held_up_at(const struct report_summary *s, const char *name)
{
	const struct report_wait *best = NULL;

	for (size_t i = 0; i < s->n_waits; i++) {
		const struct report_wait *w = &s->waits[i];

		if (run_is_lock(w->kind) && w->who == name && w->ns >= HELD_UP * w->life_ns &&
		    (!best || w->ns > best->ns))
			best = w;
	}
	return best;
}

static void text_slower(const struct report_summary *s, const struct report_queue *q, struct strbuf *out)
{
	const struct report_side *slow = &q->producer, *fast = &q->consumer;
	const struct report_wait *w;

	if (text_percent(slow->ns, slow->life_ns) > text_percent(fast->ns, fast->life_ns)) {
		slow = &q->consumer;
		fast = &q->producer;
	}
	if (text_percent(fast->ns, fast->life_ns) < LOPSIDED * text_percent(slow->ns, slow->life_ns)) {
		strbuf_puts(out, "    balanced  neither side waits much longer than the other\n");
		return;
	}
	if (slow->ns > BOTH_WAIT * slow->life_ns) {
		strbuf_puts(out, "    balanced  both sides wait much: neither works all the time\n");
		return;
	}
	strbuf_printf(out,
		      "    slower    %s: %s waits for it %.1f %% of its time, %.1f %% the other way round\n",
		      slow->name, fast->name, text_percent(fast->ns, fast->life_ns),
		      text_percent(slow->ns, slow->life_ns));
	w = held_up_at(s, slow->name);
	if (w)
		strbuf_printf(
			out,
			"    first     %s itself waits %.0f %% of its time at %s (%s): look there first\n",
			slow->name, text_percent(w->ns, w->life_ns), w->object ? w->object : "a lock", w->id);
	else
		strbuf_printf(out, "    first     less work in %s, or more threads for it\n", slow->name);
}

static void text_queue(const struct report_summary *s, const struct report_queue *q, struct strbuf *out)
{
	strbuf_printf(out, "%s %s %s   %s %s %s\n", q->id, q->guessed ? "handoff" : "producer-consumer",
		      q->object ? q->object : "-", q->producer.name, q->guessed ? "and" : "to",
		      q->consumer.name);
	text_side(q->guessed ? "one side" : "producer", &q->producer, out);
	text_side(q->guessed ? "the other" : "consumer", &q->consumer, out);
	text_slower(s, q, out);
	if (q->one_condition)
		strbuf_puts(out, "    guessed   both wait at one condition: they take turns, or are a "
				 "queue's sides\n");
	else if (q->guessed)
		strbuf_puts(out,
			    "    guessed   who is the producer is not known: only one side ever waited\n");
}

/* ---- locks ----------------------------------------------------------------------------- */

static void text_lock(const struct report_lock *l, struct strbuf *out)
{
	strbuf_printf(out, "    %-9s %-24s ", report_wait_kind(l->kind), l->object ? l->object : "-");
	if (l->taken || !l->waits)
		text_number(l->taken, "time", "times", out);
	else
		strbuf_puts(out, "uncounted");
	strbuf_puts(out, " by ");
	text_number(l->threads, "thread", "threads", out);
	strbuf_puts(out, ", ");
	text_number(l->waits, "wait", "waits", out);
	if (l->holds) {
		strbuf_puts(out, ", held for ");
		text_span(report_hold_mean(l), out);
		text_sample(l->holds, l->taken, out);
	}
	if (l->objects > 1)
		strbuf_printf(out, " (%u of them%s)", l->objects,
			      l->processes > 1 ? ", or one that processes share" : "");
	strbuf_puts(out, "\n");
}

static void text_locks(const struct report_summary *s, struct strbuf *out)
{
	if (!s->n_locks)
		return;
	strbuf_puts(out, "\nlocks\n");
	for (size_t i = 0; i < s->n_locks && i < LOCKS_SHOWN; i++)
		text_lock(&s->locks[i], out);
	if (s->n_locks > LOCKS_SHOWN)
		strbuf_printf(out, "    and %zu more: --json has them\n", s->n_locks - LOCKS_SHOWN);
}

/* ---- all of it --------------------------------------------------------------------------- */

static void text_blind(const struct report_summary *s, struct strbuf *out)
{
	if (s->n_blind)
		strbuf_printf(
			out,
			"Blind: in %u of %zu processes no waits can be seen: link a static program with "
			"perseus flags --libs --static\n",
			s->n_blind, s->run->n_processes);
	if (s->lost_events)
		strbuf_printf(out, "%llu events found no room: waits after that are not in the sums\n",
			      (unsigned long long)s->lost_events);
	strbuf_puts(out,
		    "Not seen: waits inside libraries that ask the kernel themselves; perseus-waits(1)\n");
}

bool waits_text_one(const struct report_summary *s, const char *id, struct strbuf *out)
{
	for (size_t i = 0; i < s->n_waits; i++)
		if (!strcmp(s->waits[i].id, id)) {
			text_one(s, &s->waits[i], out);
			return true;
		}
	for (size_t i = 0; i < s->n_queues; i++)
		if (!strcmp(s->queues[i].id, id)) {
			text_queue(s, &s->queues[i], out);
			return true;
		}
	return false;
}

void waits_text(const struct report_summary *s, bool all, struct strbuf *out)
{
	size_t significant = waits_count_significant(s), shown = 0;

	strbuf_printf(out, "waits of %s: ", s->run->path);
	text_number(s->n_threads, "thread", "threads", out);
	strbuf_printf(out, ", %.1f %% of ", text_percent(s->wait_ns, s->thread_ns));
	text_span(s->thread_ns, out);
	strbuf_puts(out, " thread time was waiting\n");
	bottleneck_text(s, "  ", out);
	strbuf_puts(out, "\n");
	for (size_t i = 0; i < s->n_waits; i++) {
		if (!all && s->waits[i].ns < SHOWN * s->thread_ns)
			continue;
		text_one(s, &s->waits[i], out);
		shown++;
	}
	for (size_t i = 0; i < s->n_queues; i++)
		text_queue(s, &s->queues[i], out);
	if (all)
		text_locks(s, out);
	text_number(s->n_waits, "wait", "waits", out);
	strbuf_printf(out, ", %zu significant", significant);
	if (shown < s->n_waits)
		strbuf_printf(out, ", %zu too short to show (--all)", s->n_waits - shown);
	strbuf_puts(out, "; ");
	text_number(s->n_queues, "queue", "queues", out);
	strbuf_puts(out, ".\n");
	text_blind(s, out);
}

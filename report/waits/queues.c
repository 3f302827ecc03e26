/* SPDX-License-Identifier: MIT */
/*
 * Producers and consumers: two groups of threads, distinguished by what they run,
 * of which one waits until the other signals.  Conditions under one mutex are
 * one queue, a pipe is one, and semaphores between the same two groups are
 * one.  Who reads a pipe is the consumer.  Else who signalled the other first
 * is the producer, since nothing can be taken before something was put in; if
 * only one side ever waited, who is who is no more than a guess.  Where both wait
 * at one condition they may as well take turns, with nothing between them.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/hash.h"
#include "record/object-name.h"
#include "report/waits/parts.h"

#define WAITS_MIN 8 /* fewer are a start or an end, not a stream */

/* @who waited until @whom did something. */
struct hop {
	const struct run_process *process;
	uint64_t channel; /* what ties the two directions together */
	const char *who, *whom;
	uint64_t object, first, count;
	uint32_t kind;
	int fd;
	double ns;
};
struct hop_list VEC(struct hop);

/* What a kind of wait goes through; semaphores and futexes come in pairs without a common object. */
static uint64_t channel_of(const struct wait_row *r)
{
	return r->kind == PRS_EV_COND                             ? r->pair
	       : r->kind == PRS_EV_SEM || r->kind == PRS_EV_FUTEX ? 0
								  : r->object;
}

static bool is_handed_over(uint32_t kind)
{
	return kind == PRS_EV_COND || kind == PRS_EV_SEM || kind == PRS_EV_FUTEX || kind == PRS_EV_READ ||
	       kind == PRS_EV_WRITE || kind == PRS_EV_POLL;
}

/* Both directions, so that the two sides of a queue meet under one order of names. */
static int by_sides(const void *a, const void *b)
{
	const struct hop *x = a, *y = b;
	bool x_turned = strcmp(x->who, x->whom) > 0, y_turned = strcmp(y->who, y->whom) > 0;
	int c;

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	if (x->channel != y->channel)
		return x->channel < y->channel ? -1 : 1;
	c = strcmp(x_turned ? x->whom : x->who, y_turned ? y->whom : y->who);
	if (c)
		return c;
	return strcmp(x_turned ? x->who : x->whom, y_turned ? y->who : y->whom);
}

/* Threads of one process by their name. */
static void count_threads(const struct report_summary *s, const struct run_process *p,
			  struct report_side *side)
{
	for (size_t i = 0; i < s->n_threads_listed; i++) {
		const struct report_thread *t = &s->threads[i];

		if (t->process != p || strcmp(t->name, side->name))
			continue;
		side->threads++;
		side->life_ns += t->life_ns;
	}
}

struct half {
	struct report_side side;
	const struct hop *most; /* where it waited longest */
	uint64_t first;         /* ~0: it never waited */
	uint64_t signal;        /* when it first signalled what the other waits at, ~0: never */
	bool both;              /* it signals what it waits at itself, as well */
};

static void add_hop(struct half *half, const struct hop *h)
{
	half->side.count += h->count;
	half->side.ns += h->ns;
	if (h->first < half->first)
		half->first = h->first;
	if (!half->most || h->ns > half->most->ns)
		half->most = h;
}

/* What the one who is waited for does to the object. */
static uint32_t signal_kind(uint32_t kind)
{
	return kind == PRS_EV_COND ? PRS_EV_SIGNAL_COND : kind == PRS_EV_SEM ? PRS_EV_POST : PRS_EV_WAKE;
}

struct signals {
	uint64_t first; /* ~0: never */
	uint64_t count;
};

/*
 * How threads called @who signal what h waits at; with @other, what else they signal
 * at least @least times at one place.
 */
static struct signals signals_of(const struct report_summary *s, const struct hop *h, const char *who,
				 bool other, uint64_t least)
{
	struct signals sum = {~0ull, 0};

	for (uint32_t i = 0; i < h->process->n_threads; i++) {
		const struct run_thread *t = &h->process->threads[i];

		if (wait_thread_line(s, h->process, i)->name != who)
			continue;
		for (size_t k = 0; k < t->n_waits; k++) {
			const struct prs_wait *w = &t->waits[k];
			bool wanted = other ? run_is_signal(w->kind) && w->object != h->object
					    : w->kind == signal_kind(h->kind) && w->object == h->object;

			if (!(w->flags & PRS_WAIT_TAKEN) || !wanted || !w->first || w->count < least)
				continue;
			sum.count += w->count;
			if (w->first < sum.first)
				sum.first = w->first;
		}
	}
	return sum;
}

/* What waits at a place that the C++ library has for many: a barrier, a future, a latch. */
static bool is_of_many(const struct report_summary *s, const struct hop *h)
{
	return h->kind == PRS_EV_FUTEX &&
	       object_is_of_library(s->object_names[h->process - s->run->processes], h->object);
}

/* A latch or a start line that the same threads meet at once: no stream. */
static bool is_once(const struct report_summary *s, const struct hop *h)
{
	return (h->kind == PRS_EV_SEM || h->kind == PRS_EV_FUTEX) && h->count < WAITS_MIN &&
	       signals_of(s, h, h->whom, false, 0).count < WAITS_MIN;
}

static void queues_gather(const struct report_summary *s, const struct wait_list *rows, struct hop_list *hops)
{
	for (size_t i = 0; i < rows->n; i++) {
		const struct wait_row *r = &rows->at[i];

		struct hop h = {.process = r->process,
				.channel = channel_of(r),
				.who = r->who,
				.whom = r->whom,
				.object = r->object,
				.first = r->first,
				.count = r->count,
				.kind = r->kind,
				.fd = r->fd,
				.ns = r->ns};

		if (r->whom && is_handed_over(r->kind) && strcmp(r->who, r->whom) && !is_once(s, &h) &&
		    !is_of_many(s, &h))
			vec_push(hops, h);
	}
	if (hops->n)
		qsort(hops->at, hops->n, sizeof(*hops->at), by_sides);
}

static struct report_side finish_side(struct report_summary *s, const struct run_process *p,
				      const struct half *half)
{
	struct report_side side = half->side;

	count_threads(s, p, &side);
	if (half->most) {
		side.kind = half->most->kind;
		side.object = wait_object_name(s, p, half->most->kind, half->most->object, half->most->fd);
	}
	return side;
}

/* The name of what lies between them: the mutex of conditions, else what either waits at. */
static const char *between(struct report_summary *s, const struct hop *h, const struct report_queue *q)
{
	const char *name = NULL;

	if (h->kind == PRS_EV_COND)
		name = wait_object_name(s, h->process, PRS_EV_MUTEX, h->channel, -1);
	if (!name)
		name = q->consumer.object ? q->consumer.object : q->producer.object;
	return name;
}

/* Which half takes what the other makes. */
static int consumer_of(const struct half half[2], bool *guessed)
{
	*guessed = false;
	for (int i = 0; i < 2; i++) {
		uint32_t kind = half[i].most ? half[i].most->kind : 0;

		if (kind == PRS_EV_READ || kind == PRS_EV_POLL)
			return i;
		if (kind == PRS_EV_WRITE)
			return !i;
	}
	/* Nothing can be taken out before something was put in: who signals first is the producer. */
	if (half[0].signal != ~0ull && half[1].signal != ~0ull)
		return half[0].signal < half[1].signal;
	/* Who only waits, for one who only signals, takes what that one makes. */
	for (int i = 0; i < 2; i++)
		if (half[i].signal != ~0ull && !half[i].side.count && !half[!i].both)
			return !i;
	*guessed = true;
	return half[1].first < half[0].first;
}

/* Do both sides wait at one condition and nowhere else? */
static bool at_one_condition(const struct hop *h, size_t n)
{
	bool first = false, second = false;

	for (size_t i = 0; i < n; i++) {
		if (h[i].kind != PRS_EV_COND || h[i].object != h->object)
			return false;
		*(strcmp(h[i].who, h->who) ? &second : &first) = true;
	}
	return first && second;
}

/*
 * Where the others were never seen to wait, h->who signals them at something else, as
 * often as they signal: each for one thing that went through.
 */
static void look_back(const struct report_summary *s, const struct hop *h, struct half half[2], int who)
{
	uint64_t forward = signals_of(s, h, h->whom, false, 0).count;

	half[who].both |= signals_of(s, h, h->who, false, 0).count > 0;
	if (half[who].signal == ~0ull && !half[!who].side.count)
		half[who].signal = signals_of(s, h, h->who, true, forward / 4 + 1).first;
}

static void add_queue(struct report_summary *s, const struct hop *h, size_t n)
{
	struct half half[2] = {{.side = {.name = h->who}, .first = ~0ull, .signal = ~0ull},
			       {.side = {.name = h->whom}, .first = ~0ull, .signal = ~0ull}};
	struct report_queue *q = &s->queues[s->n_queues];
	int consumer;

	for (size_t i = 0; i < n; i++) {
		int who = strcmp(h[i].who, h->who) != 0;
		struct signals forward = signals_of(s, &h[i], h[i].whom, false, 0);

		add_hop(&half[who], &h[i]);
		if (forward.first < half[!who].signal)
			half[!who].signal = forward.first;
	}
	for (size_t i = 0; i < n; i++)
		look_back(s, &h[i], half, strcmp(h[i].who, h->who) != 0);
	if (half[0].side.count + half[1].side.count < WAITS_MIN)
		return;
	consumer = consumer_of(half, &q->guessed);
	q->one_condition = at_one_condition(h, n);
	q->guessed |= q->one_condition;
	q->consumer = finish_side(s, h->process, &half[consumer]);
	q->producer = finish_side(s, h->process, &half[!consumer]);
	q->object = between(s, h, q);
	s->n_queues++;
}

static int queues_by_time(const void *a, const void *b)
{
	const struct report_queue *x = a, *y = b;
	double p = x->producer.ns + x->consumer.ns, q = y->producer.ns + y->consumer.ns;

	if (p != q)
		return p > q ? -1 : 1;
	return strcmp(x->producer.name, y->producer.name);
}

static bool id_taken(const struct report_summary *s, size_t n, const char *id)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(s->queues[i].id, id))
			return true;
	return false;
}

static void give_ids(struct report_summary *s)
{
	for (size_t i = 0; i < s->n_queues; i++) {
		struct report_queue *q = &s->queues[i];
		struct strbuf key = STRBUF_INIT;
		unsigned step = 0;

		strbuf_printf(&key, "%s\n%s\n%s", q->object ? q->object : "", q->producer.name,
			      q->consumer.name);
		do
			evidence_id(q->id, sizeof(q->id), "queue", key.s, step);
		while (id_taken(s, i, q->id) && step++ < 1000);
		strbuf_release(&key);
	}
}

void collect_queues(struct report_summary *s, const struct wait_list *rows)
{
	struct hop_list hops = VEC_INIT;
	size_t n;

	queues_gather(s, rows, &hops);
	s->queues = mem_new(hops.n + 1, sizeof(*s->queues));
	for (size_t i = 0; i < hops.n; i += n) {
		for (n = 1; i + n < hops.n && !by_sides(&hops.at[i], &hops.at[i + n]);)
			n++;
		add_queue(s, &hops.at[i], n);
	}
	qsort(s->queues, s->n_queues, sizeof(*s->queues), queues_by_time);
	give_ids(s);
	vec_release(&hops);
}

/* SPDX-License-Identifier: MIT */
#include "report/waits/bottleneck.h"

#include "lib/num.h"
#include "report/time/words.h"
#include "report/waits/waits.h"

#define HELD_MIN     0.25 /* of the run: a lock that is free most of the time limits nothing */
#define WAITED_MIN   0.1  /* of the time of the threads that wait for it */
#define PASSED_ON    0.5  /* of the time that a lock is held: its holders wait for another one instead */
#define HOLDS_MIN    10   /* timed holds: fewer tell nothing of the others, ... */
#define HOLDS_ENOUGH 30   /* ... and fewer than these not much */

static const struct report_wait *longest_at(const struct report_summary *s, const struct report_lock *l)
{
	const struct report_wait *best = NULL;

	for (size_t i = 0; i < s->n_waits; i++) {
		const struct report_wait *w = &s->waits[i];

		if (w->kind == l->kind && w->object == l->object && w->life_ns > 0 &&
		    (!best || w->ns > best->ns))
			best = w;
	}
	return best;
}

/* Several processes may have a lock of one name each, and so may locks without one: of these no sum is known. */
static bool is_one(const struct report_summary *s, const struct report_lock *l)
{
	return l->object && l->objects <= 1 && s->run->n_processes == 1;
}

/* What the threads of @b->wait wait for the lock, wherever they do; b->waited is the part of their time. */
static void add_up(const struct report_summary *s, struct report_bottleneck *b)
{
	double life = 0;

	for (size_t i = 0; i < s->n_waits; i++) {
		const struct report_wait *w = &s->waits[i];

		if (w->kind != b->lock->kind || w->object != b->lock->object || w->who != b->wait->who)
			continue;
		b->wait_ns += w->ns;
		if (w->life_ns > life)
			life = w->life_ns;
	}
	b->waited = b->wait_ns / life;
}

static bool bottleneck_weigh(const struct report_summary *s, const struct report_lock *l,
			     struct report_bottleneck *b)
{
	*b = (struct report_bottleneck){.lock = l};
	if (!is_one(s, l) || l->holds < HOLDS_MIN || s->wall_ns <= 0)
		return false;
	b->wait = longest_at(s, l);
	if (!b->wait)
		return false;
	b->hold_ns = report_hold_mean(l);
	b->held = l->held_ns / s->wall_ns;
	add_up(s, b);
	if (b->held > 1)
		b->held = 1;
	return b->held >= HELD_MIN && b->waited >= WAITED_MIN;
}

/* Do those who hold it do so for as long as they wait for another lock that limits, too? */
static bool is_passed_on(const struct report_summary *s, const struct report_bottleneck *b)
{
	struct report_bottleneck other;

	for (size_t i = 0; i < s->n_locks; i++)
		if (&s->locks[i] != b->lock && bottleneck_weigh(s, &s->locks[i], &other) &&
		    b->wait->whom == other.wait->who && other.wait_ns >= PASSED_ON * b->lock->held_ns)
			return true;
	return false;
}

bool report_bottleneck(const struct report_summary *s, struct report_bottleneck *b)
{
	struct report_bottleneck one;
	bool any = false, passed_on = false;

	for (size_t i = 0; i < s->n_locks; i++) {
		bool now;

		if (!bottleneck_weigh(s, &s->locks[i], &one))
			continue;
		now = is_passed_on(s, &one);
		/* Of locks that wait for one another none is the last: then the longest wait says it. */
		if (any && now == passed_on ? one.lock->wait_ns <= b->lock->wait_ns : any && now)
			continue;
		*b = one;
		passed_on = now;
		any = true;
	}
	return any;
}

void bottleneck_text(const struct report_summary *s, const char *indent, struct strbuf *out)
{
	struct report_bottleneck b;
	char mean[32], taken[32], timed[32];

	if (!report_bottleneck(s, &b))
		return;
	strbuf_puts(out, b.lock->object);
	text_beside(b.lock->object, "", b.wait->file, b.wait->line, out);
	strbuf_printf(out, " is the bottleneck: held %s%.0f %% of the run, %s x %s",
		      b.lock->holds < HOLDS_ENOUGH && b.lock->holds < b.lock->taken ? "about " : "",
		      100 * b.held, num_time(mean, sizeof(mean), b.hold_ns * 1e-9),
		      num_group(taken, sizeof(taken), b.lock->taken));
	if (b.lock->holds < b.lock->taken)
		strbuf_printf(out, " (by %s timed holds)", num_group(timed, sizeof(timed), b.lock->holds));
	strbuf_printf(out, ";\n%s%s", indent, b.wait->who);
	if (b.wait->threads > 1)
		strbuf_printf(out, " (%u threads)", b.wait->threads);
	strbuf_printf(out, " wait%s for it %.0f %% of %s time [%s]\n", b.wait->threads > 1 ? "" : "s",
		      100 * b.waited, b.wait->threads > 1 ? "their" : "its", b.wait->id);
}

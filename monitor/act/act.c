/* SPDX-License-Identifier: MIT */
#include "monitor/act/act.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"

#define NO_CORE ACT_CORES

void act_init(struct act *a, const struct act_hands *hands, const struct act_options *options)
{
	*a = (struct act){.hands = hands, .options = *options};
}

__attribute__((format(printf, 3, 4))) static void audit(const struct act *a, const struct act_done *d,
							const char *fmt, ...)
{
	char line[512], what[320];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	snprintf(line, sizeof(line), "%s %s thread %u (%s) of %u: %s; lease %u", d->id, rule_words[d->answer],
		 d->is.tid, d->is.name, d->is.pid, what, a->options.lease);
	a->hands->audit(a->hands->arg, line);
}

/* ---- doing and taking back ------------------------------------------------------------ */

/* Let @tid run on @to alone, and keep where it ran. */
static int move_thread(const struct act *a, struct act_done *d, uint32_t tid, const struct act_cores *to)
{
	struct act_saved saved = {.tid = tid};
	int ret = a->hands->where(a->hands->arg, tid, &saved.was);

	if (!ret)
		ret = a->hands->place(a->hands->arg, tid, to);
	if (!ret)
		vec_push(&d->saved, saved);
	return ret;
}

static void take_back(struct act *a, struct act_done *d)
{
	for (size_t i = 0; i < d->saved.n; i++)
		a->hands->place(a->hands->arg, d->saved.at[i].tid, &d->saved.at[i].was);
	vec_release(&d->saved);
	if (d->workers) {
		a->options.workers = d->workers;
		a->hands->workers(a->hands->arg, d->workers);
	}
	d->workers = 0;
}

static int core_of(const struct rates *r, uint32_t tid)
{
	for (size_t i = 0; tid && i < r->threads.n; i++)
		if (r->threads.at[i].tid == tid)
			return r->threads.at[i].core;
	return -1;
}

/* Threads that ran last on @core, without @but. */
static unsigned threads_on(const struct rates *r, int core, uint32_t but)
{
	unsigned n = 0;

	for (size_t i = 0; i < r->threads.n; i++)
		n += r->threads.at[i].tid != but && r->threads.at[i].tid && r->threads.at[i].core == core;
	return n;
}

/* The leased core for @is, not its own: nearest to its partner but not the partner's, else the emptiest. */
static unsigned best_core(const struct act *a, const struct rates *r, const struct counts_thread *is)
{
	int partner = core_of(r, is->partner);
	unsigned best = NO_CORE;
	uint64_t least = UINT64_MAX;

	for (unsigned c = 0; c < ACT_CORES; c++) {
		uint64_t cost = threads_on(r, (int)c, is->tid);

		if (!act_cores_has(&a->options.cores, c) || (int)c == is->core || (int)c == partner)
			continue;
		if (partner >= 0)
			cost += (uint64_t)a->hands->distance(a->hands->arg, c, (unsigned)partner) << 32;
		if (cost < least) {
			least = cost;
			best = c;
		}
	}
	/* No nearer than now: that would be a move for its own sake. */
	if (best < NO_CORE && partner >= 0 && is->core >= 0 &&
	    a->hands->distance(a->hands->arg, (unsigned)is->core, (unsigned)partner) <= least >> 32)
		return NO_CORE;
	return best;
}

static int do_move(struct act *a, struct act_done *d, const struct rates *r, const char **why)
{
	unsigned core = best_core(a, r, &d->is);
	struct act_cores to = {{0}};
	int ret;

	*why = d->blind ? "the directory counts by thread, and cannot tell whether a move helped"
			: "no leased core is nearer to its partner";
	if (d->blind || core == NO_CORE)
		return -ENOENT;
	act_cores_add(&to, core);
	ret = move_thread(a, d, d->is.tid, &to);
	*why = ret ? strerror(-ret) : NULL;
	if (!ret)
		audit(a, d, "from core %d to %u: rate %.6g in 10 ms", d->is.core, core, d->before);
	return ret;
}

/* Both on the partner's core. */
static int do_apart(struct act *a, struct act_done *d, const struct rates *r, const char **why)
{
	int core = core_of(r, d->is.partner);
	struct act_cores to = {{0}};
	int ret;

	*why = d->is.partner ? "its partner's core is not leased" : "nobody knows its partner";
	if (core < 0 || !act_cores_has(&a->options.cores, (unsigned)core))
		return -ENOENT;
	act_cores_add(&to, (unsigned)core);
	ret = move_thread(a, d, d->is.partner, &to);
	if (!ret)
		ret = move_thread(a, d, d->is.tid, &to);
	*why = ret ? strerror(-ret) : NULL;
	if (ret)
		take_back(a, d);
	else
		audit(a, d, "with thread %u on core %d alone: rate %.6g in 10 ms", d->is.partner, core,
		      d->before);
	return ret;
}

static int fewer_workers(struct act *a, struct act_done *d, const char **why)
{
	uint64_t had = a->options.workers;
	int ret;

	*why = "no fewer workers are allowed";
	if (had <= a->options.least_workers || had <= 1)
		return -ENOENT;
	ret = a->hands->workers(a->hands->arg, had - 1);
	*why = ret ? strerror(-ret) : NULL;
	if (ret)
		return ret;
	d->workers = had;
	a->options.workers = had - 1;
	audit(a, d, "from %lu to %lu workers: rate %.6g in 10 ms", (unsigned long)had, (unsigned long)had - 1,
	      d->before);
	return 0;
}

/* Its process has one leased core fewer than it may use now. */
static int do_reduce(struct act *a, struct act_done *d, const struct rates *r, const char **why)
{
	struct act_cores now, to = {{0}};
	unsigned left = 0;
	char text[64];
	int ret;

	if (a->options.workers)
		return fewer_workers(a, d, why);
	ret = a->hands->where(a->hands->arg, d->is.tid, &now);
	*why = ret ? strerror(-ret) : "one core is left";
	if (ret)
		return ret;
	for (unsigned c = 0; c < ACT_CORES; c++)
		left += act_cores_has(&now, c) && act_cores_has(&a->options.cores, c);
	for (unsigned c = 0; c < ACT_CORES; c++)
		if (act_cores_has(&now, c) && act_cores_has(&a->options.cores, c) &&
		    act_cores_count(&to) + 1 < left)
			act_cores_add(&to, c);
	if (left < 2)
		return -ENOENT;
	for (size_t i = 0; i < r->threads.n; i++) {
		ret = r->threads.at[i].pid == d->is.pid ? move_thread(a, d, r->threads.at[i].tid, &to) : 0;
		if (ret && ret != -ESRCH)
			break;
		ret = 0;
	}
	*why = ret ? strerror(-ret) : NULL;
	if (ret)
		take_back(a, d);
	else
		audit(a, d, "its process on cores %s: rate %.6g in 10 ms",
		      act_cores_text(text, sizeof(text), &to), d->before);
	return ret;
}

/* ---- when ---------------------------------------------------------------------------------- */

static bool is_useless(const struct act *a, const char *id)
{
	for (size_t i = 0; i < a->useless.n; i++)
		if (!strcmp(a->useless.at[i], id))
			return true;
	return false;
}

/* Something is on trial in its process, or this was done already. */
static bool is_busy(const struct act *a, const struct advice *x)
{
	for (size_t i = 0; i < a->done.n; i++) {
		const struct act_done *d = &a->done.at[i];

		if ((d->trial && d->is.pid == x->is.pid) || (d->is.tid == x->is.tid && !strcmp(d->id, x->id)))
			return true;
	}
	return false;
}

static void act_begin(struct act *a, const struct advice *x, const struct rates *r)
{
	static int (*const act[RULE_ANSWERS])(struct act *, struct act_done *, const struct rates *,
					      const char **) = {do_move, do_apart, do_reduce};
	struct act_done d = {.is = x->is,
			     .answer = x->rule->answer,
			     .event = x->event,
			     .before = x->rate.per_10ms,
			     .since_ns = r->ns,
			     .within_ns = x->rule->within_ns,
			     .helps = x->rule->helps,
			     .trial = true};
	const char *why;

	snprintf(d.id, sizeof(d.id), "%s", x->id);
	d.blind = d.answer == RULE_MOVE && counts_by_clock(x->rule->event);
	if (!act[d.answer](a, &d, r, &why)) {
		vec_push(&a->done, d);
		return;
	}
	audit(a, &d, "not done: %s", why);
	vec_push(&a->useless, mem_strdup(d.id));
}

static const struct rate *rate_of(const struct act_done *d, const struct rates *r)
{
	for (size_t i = 0; i < r->threads.n; i++)
		if (r->threads.at[i].tid == d->is.tid && r->threads.at[i].pid == d->is.pid)
			return &r->at.at[i * r->n_events + d->event];
	return NULL;
}

/* True: it is decided, and the answer was no. */
static bool decide(struct act *a, struct act_done *d, const struct rates *r)
{
	const struct rate *rate = rate_of(d, r);
	double mean;

	if (!rate) {
		audit(a, d, "taken back: the thread has ended");
		take_back(a, d);
		return true;
	}
	if (rate->per_10ms >= 0) {
		d->sum += rate->per_10ms;
		d->n++;
	}
	if (r->ns - d->since_ns < d->within_ns)
		return false;
	mean = d->n ? d->sum / d->n : d->before;
	d->trial = false;
	if (d->n && mean <= d->before * (1 - d->helps / 100)) {
		audit(a, d, "helped: rate %.6g, before %.6g", mean, d->before);
		return false;
	}
	audit(a, d, "taken back: rate %.6g in %.6g ms, before %.6g, wanted %g %% less", mean,
	      (double)(r->ns - d->since_ns) * 1e-6, d->before, d->helps);
	take_back(a, d);
	vec_push(&a->useless, mem_strdup(d->id));
	return true;
}

static void take_all_back(struct act *a, const char *why)
{
	for (size_t i = a->done.n; i--;) {
		audit(a, &a->done.at[i], "taken back: %s", why);
		take_back(a, &a->done.at[i]);
	}
	a->done.n = 0;
}

void act_window(struct act *a, const struct judge *j, const struct rates *r)
{
	size_t kept = 0;

	if (!a->lost && !a->hands->leased(a->hands->arg)) {
		take_all_back(a, "the lease has ended");
		a->lost = true;
	}
	if (a->lost)
		return;
	for (size_t i = 0; i < a->done.n; i++)
		if (!a->done.at[i].trial || !decide(a, &a->done.at[i], r))
			a->done.at[kept++] = a->done.at[i];
	a->done.n = kept;
	for (enum rule_answer answer = 0; answer < RULE_ANSWERS; answer++)
		for (size_t i = 0; i < j->advice.n; i++) {
			const struct advice *x = &j->advice.at[i];

			if (x->there && advice_holds(x) && x->rule->answer == answer &&
			    !is_useless(a, x->id) && !is_busy(a, x))
				act_begin(a, x, r);
		}
}

void act_end(struct act *a)
{
	take_all_back(a, "the end");
	vec_release(&a->done);
	for (size_t i = 0; i < a->useless.n; i++)
		free(a->useless.at[i]);
	vec_release(&a->useless);
}

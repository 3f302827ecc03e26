/* SPDX-License-Identifier: MIT */
/*
 * Where a thread's time went.
 *
 * Self time of a call = its time less that of the timed calls made inside.
 * Sampled sites are scaled up; what their untimed calls are estimated to have
 * taken is part of the measured time of the caller and comes off there.
 * Waiting is known exactly from the events and comes off the innermost call.
 * A pair of probes adds own_ticks to the time of its call, and the rest of
 * pair_ticks to the call round it: both come off, and are the probes' time.
 * What no call accounts for was spent in the thread's start routine.
 */
#include "report/time/times.h"

#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "lib/search.h"
#include "report/time/callers.h"
#include "report/time/collect.h"

/* Calls this many octaves above the median may have been interrupted. */
#define OUTLIER_OCTAVES 6
#define OUTLIER_PART    0.01   /* of the thread's life, that one of them would stand for */
#define UNMARKED        4      /* calls that met a page fault or an interrupt, which nobody marks */
#define ROUND_MAX       32     /* calls up the path */
#define TYPICAL_MIN     16u    /* timed calls, of which a typical one is known */
#define SWITCHES_MIN    8u     /* of a thread, for a rule of averages */
#define KNOWN_ERROR     0.1    /* of what calls take undisturbed */
#define SWITCHED_PART   0.01   /* of the timed calls: more of them gave up their core than lost it */
#define IN_LINE         0.9    /* less CPU time than this part of the time not spent waiting: in line */
#define UNTOLD_MAX      60000u /* more is less than none: prepaid calls are charged to one record of the slot */

static double minimum(double a, double b)
{
	return a < b ? a : b;
}

/* First record of @site, or the number of records. */
static size_t first_of(const struct run_thread *t, uint32_t site)
{
	size_t lo = search_first(t->n_calls, i, t->calls[i]->site < site);

	return lo < t->n_calls && t->calls[lo]->site == site ? lo : t->n_calls;
}

static size_t index_of(const struct thread_times *x, const struct rec_call *call)
{
	return x->rank[call - x->thread->records];
}

/* Take @ticks off call @i, as far as it reaches; what was taken. */
static double times_take(struct thread_times *x, size_t i, double ticks)
{
	double part = minimum(ticks, x->self[i]);

	x->self[i] -= part;
	return part;
}

/*
 * Take @ticks off the calls of @site: off each path to it in proportion to its
 * time, since an event does not say which one it was.  With @wait they become
 * waiting.  Returns what was taken.
 */
static double take_off(struct thread_times *x, uint32_t site, double ticks, bool wait)
{
	const struct run_thread *t = x->thread;
	size_t from = site == PRS_NO_SITE ? t->n_calls : first_of(t, site), to = from;
	double sum = 0, share;

	for (; to < t->n_calls && t->calls[to]->site == site; to++)
		sum += x->self[to];
	if (sum <= 0)
		return 0;
	share = minimum(1, ticks / sum);
	for (size_t i = from; i < to; i++) {
		double part = times_take(x, i, x->self[i] * share);

		if (wait)
			x->wait[i] += part;
	}
	return sum * share;
}

/* The calls round call @i that were being timed give @ticks away; what they had to give. */
static double take_from_outer(struct thread_times *x, size_t i, double ticks)
{
	const struct rec_call *c = x->thread->calls[i];

	if (c->up)
		return times_take(x, index_of(x, c->up), ticks);
	return take_off(x, c->parent, ticks, false);
}

/* Middle of bucket @i of a histogram. */
static double middle(uint32_t i)
{
	return 0.5 * (double)(prs_hist_low(i) + prs_hist_low(i + 1));
}

/* Mean of the timed calls without those far above the median, the longest first and @most of them at the most. */
static double without_outliers(const struct rec_call *c, uint64_t most)
{
	uint64_t n = 0, below = 0;
	uint32_t b = 0, last;
	double sum = 0;

	for (uint32_t i = 0; i < PRS_HIST_BUCKETS; i++)
		n += c->hist[i];
	while (b < PRS_HIST_BUCKETS - 1 && 2 * (below + c->hist[b]) < n)
		below += c->hist[b++];
	last = b + OUTLIER_OCTAVES * PRS_HIST_SUB;
	if (!most || last >= PRS_HIST_BUCKETS - 1 || c->max < prs_hist_low(last + 1))
		return (double)c->sum / (double)c->timed;
	n = 0;
	for (uint32_t i = PRS_HIST_BUCKETS; i-- > 0;) {
		uint64_t out = i > last && c->hist[i] < most ? c->hist[i] : i > last ? most : 0;

		most -= out;
		n += c->hist[i] - out;
		sum += middle(i) * (double)(c->hist[i] - out);
	}
	return n ? sum / (double)n : 0;
}

/* Is the function of @c round the call, too? */
static bool is_recursive(const struct run_process *p, const struct rec_call *c)
{
	const struct run_call_site *site = run_call_site(p, c->site), *round;

	if (!site || !strcmp(site->function, site->callee))
		return site != NULL;
	for (int hops = 0; c->up && hops < ROUND_MAX; hops++) {
		c = c->up;
		round = run_call_site(p, c->site);
		if (round && !strcmp(round->callee, site->callee) && strcmp(site->callee, "indirect"))
			return true;
	}
	return false;
}

/*
 * Mean of the timed calls without those that were interrupted: a sampled site is a
 * short one, and a time slice must not be multiplied by the sampling period.  How long
 * a call took does not say it: the slow way through a function that is taken once in a
 * hundred calls is as far from the others.  But the kernel marks switches, so no more
 * are left out than were marked.  Of a function that calls itself the first calls, which
 * are all timed, are the longest: there all that are far off go.
 */
static double typical_ticks(const struct thread_times *x, const struct rec_call *c)
{
	bool marked = x->process->header->switch_kind == PRS_SWITCH_RSEQ && !is_recursive(x->process, c);

	return without_outliers(c, marked ? c->switched + UNMARKED : UINT64_MAX);
}

/* What a timed call holds of its own probes. */
static double own_cost(const struct run_process *p)
{
	return p->header->minor >= 1 && p->header->pair_ticks ? (double)p->header->own_ticks : 0;
}

/* Under a budget sampling changes, so the runtime estimates as it goes; the calls that came after that. */
static uint32_t untold(const struct rec_call *c, uint64_t calls)
{
	uint16_t rest = (uint16_t)(calls - c->timed - c->seen_untimed);

	return rest > UNTOLD_MAX ? 0 : rest;
}

/* What the untimed calls of a record took; they were spared the clock read that each timed one holds. */
static double untimed_ticks(const struct thread_times *x, const struct rec_call *c, uint64_t calls)
{
	const struct run_process *p = x->process;
	double each, held = own_cost(p);

	if (!c->timed || calls <= c->timed + c->open)
		return 0;
	if (p->header->budget_ppm && c->mean)
		return (double)c->untimed_ticks + (double)c->mean * untold(c, calls);
	each = typical_ticks(x, c) - (held > 0 ? held : (double)p->header->clock_ticks);
	return each > 0 ? each * (double)(calls - c->timed - c->open) : 0;
}

static double untimed_of(const struct thread_times *x, size_t i)
{
	return x->total[i] - x->measured[i];
}

static bool is_sampled(const struct thread_times *x, size_t i)
{
	return x->thread->totals[i] > x->thread->calls[i]->timed + x->thread->calls[i]->open;
}

/*
 * The calls of a sampled site are dealt to its records by whom the samples met.  A
 * callee of an indirect one that no sample met has no record: its calls are told as
 * another's, also where there is one alone, unless the callees' own calls say how many
 * there were (record/names/dealt.h).
 */
static void mark_estimates(struct thread_times *x)
{
	const struct run_thread *t = x->thread;

	for (size_t from = 0, to; from < t->n_calls; from = to) {
		bool sampled = false, indirect = false;

		for (to = from; to < t->n_calls && t->calls[to]->site == t->calls[from]->site; to++) {
			sampled |= is_sampled(x, to);
			indirect |= t->calls[to]->dealt;
		}
		for (size_t i = from; sampled && i < to; i++)
			x->about[i] =
				(to > from + 1 ? TIMES_ABOUT_PATH : 0) | (indirect ? TIMES_ABOUT_CALLEE : 0);
	}
}

bool thread_cpu_known(const struct run_process *p, const struct prs_thread *t)
{
	return (t->end_tsc || p->complete) && t->cpu_end_ns && t->cpu_end_ns >= t->cpu_start_ns;
}

static void scale_calls(struct thread_times *x)
{
	const struct run_thread *t = x->thread;

	for (size_t i = 0; i < t->n_calls; i++) {
		const struct rec_call *c = t->calls[i];
		double own = c->sum > c->child ? (double)(c->sum - c->child) : 0;

		x->measured[i] = (double)c->sum;
		x->total[i] = (double)c->sum + untimed_ticks(x, c, t->totals[i]);
		x->self[i] = c->sum ? own * (x->total[i] / (double)c->sum) : 0;
	}
}

/*
 * Calls that never returned took their time, too: up to the end of the thread,
 * or to the last thing seen of a process that was killed.
 */
static void add_open(struct thread_times *x)
{
	const struct run_thread *t = x->thread;
	double inside = 0;

	for (size_t d = t->n_open; d-- > 0;) {
		const struct rec_open *o = &t->open[d];
		uint64_t end = t->raw->end_tsc ? t->raw->end_tsc : x->process->end;
		double took = end > o->start ? (double)(end - o->start) : 0;
		double own = took - (double)o->child - inside;

		inside = took;
		if (!o->call)
			continue;
		x->measured[index_of(x, o->call)] += took;
		x->total[index_of(x, o->call)] += took;
		x->self[index_of(x, o->call)] += own > 0 ? own : 0;
	}
}

/* Records of minor 0 know a site that was round the call, and no path. */
static void take_off_untimed_by_site(struct thread_times *x)
{
	for (size_t i = 0; i < x->thread->n_calls; i++)
		if (x->thread->calls[i]->timed && untimed_of(x, i) > 0)
			take_from_outer(x, i, untimed_of(x, i));
}

/*
 * What calls took off the call round them as they ran is known of the timed
 * ones only, and only where that one was being timed as well.  A call that is
 * timed always: the estimate for its untimed callees comes off, and what timed
 * ones further down took inside of them goes back.  A sampled one: all that its
 * callees are estimated to have taken comes off.
 */
static void take_off_untimed(struct thread_times *x)
{
	const struct run_thread *t = x->thread;

	for (size_t i = 0; i < t->n_calls; i++) {
		const struct rec_call *c = t->calls[i];
		uint32_t caller = x->callers[i];

		if (caller != CALLER_NONE && is_sampled(x, caller)) {
			if (c->up)
				x->self[index_of(x, c->up)] += (double)c->sum;
			x->self[caller] -= x->total[i];
		} else if (caller != CALLER_NONE) {
			x->self[caller] -= untimed_of(x, i);
		} else if (untimed_of(x, i) >
			   0) { /* the path was not kept: the site round it is known at most */
			take_from_outer(x, i, untimed_of(x, i));
		}
	}
	for (size_t i = 0; i < t->n_calls; i++)
		if (x->self[i] < 0)
			x->self[i] = 0;
}

/* The sums of own times below each call: of those that are timed always, and of the estimated ones. */
static void add_below(const struct thread_times *x, double *sure, double *guess)
{
	for (size_t i = 0; i < x->thread->n_calls; i++)
		for (uint32_t up = x->callers[i]; up != CALLER_NONE; up = x->callers[up])
			*(is_sampled(x, i) ? &guess[up] : &sure[up]) += x->self[i];
}

/*
 * Estimates below a call that was timed always must fit into its time: where
 * a sampled function calls itself each level holds the ones inside.
 */
static void fit_estimates(struct thread_times *x)
{
	size_t n = x->thread->n_calls;
	double *sure = mem_new(n + 1, sizeof(*sure)), *guess = mem_new(n + 1, sizeof(*guess));
	double *scale = mem_new(n + 1, sizeof(*scale));

	add_below(x, sure, guess);
	for (size_t i = 0; i < n; i++) {
		double room = x->measured[i] - sure[i];

		scale[i] = is_sampled(x, i) || guess[i] <= 0 || guess[i] <= room ? 1
			   : room > 0                                            ? room / guess[i]
										 : 0;
	}
	for (size_t i = 0; i < n; i++) {
		double least = 1;

		for (uint32_t up = x->callers[i]; is_sampled(x, i) && up != CALLER_NONE; up = x->callers[up])
			least = minimum(least, scale[up]);
		x->self[i] *= least;
	}
	free(sure);
	free(guess);
	free(scale);
}

/* The probes' share of the own time of calls and of their callers. */
static void take_off_probes(struct thread_times *x)
{
	const struct run_thread *t = x->thread;
	double own = own_cost(x->process), outer;

	/* Growing the record is in no call's time either. */
	x->probes = (double)t->raw->own_ticks;
	if (x->process->header->minor < 1 || !x->process->header->pair_ticks)
		return;
	outer = (double)x->process->header->pair_ticks - own;
	for (size_t i = 0; i < t->n_calls; i++) {
		double n = (double)t->calls[i]->timed;

		x->probes += times_take(x, i, own * n);
		if (outer <= 0)
			continue;
		/* Round the outermost calls is the start routine, whose time is what is left over. */
		if (!t->calls[i]->up && t->calls[i]->parent == PRS_NO_SITE)
			x->probes += outer * n;
		else
			x->probes += take_from_outer(x, i, outer * n);
	}
}

/* The time of a call does not hold that of the probes in and below it. */
static void correct_totals(struct thread_times *x)
{
	const struct run_thread *t = x->thread;
	double pair = (double)x->process->header->pair_ticks, own = own_cost(x->process);

	if (x->process->header->minor < 1 || !x->process->header->pair_ticks)
		return;
	for (size_t i = 0; i < t->n_calls; i++) {
		double n = (double)t->calls[i]->timed;

		x->total[i] -= own * n;
		for (const struct rec_call *c = t->calls[i]->up; c; c = c->up)
			x->total[index_of(x, c)] -= pair * n;
	}
	for (size_t i = 0; i < t->n_calls; i++)
		if (x->total[i] < x->self[i] + x->wait[i])
			x->total[i] = x->self[i] + x->wait[i];
}

static void take_off_waits(struct thread_times *x)
{
	const struct run_thread *t = x->thread;

	for (size_t i = 0; i < t->n_waits; i++) {
		const struct prs_wait *w = &t->waits[i];

		if (!is_wait(w->kind) || w->flags & PRS_WAIT_TAKEN)
			continue;
		x->waited += (double)w->ticks;
		x->loose_wait += (double)w->ticks - take_off(x, w->site, (double)w->ticks, true);
	}
}

/* Of the own time of call @i, what its untimed calls are estimated to have taken on a core; one that gives its core away is not. */
static double estimated(const struct thread_times *x, size_t i)
{
	const struct rec_call *c = x->thread->calls[i];
	bool marked = x->process->header->switch_kind == PRS_SWITCH_RSEQ;

	if (!marked || x->total[i] <= 0 || c->switched > SWITCHED_PART * (double)c->timed)
		return 0;
	return x->self[i] * (untimed_of(x, i) / x->total[i]);
}

/*
 * The estimates are of calls on a core, so all of them together fit into the CPU time.
 * They do not by themselves: where the core is shared the probes of a short call take
 * longer than they did when they were calibrated, and what is left of each timed one is
 * multiplied by the sampling period.
 */
static void fit_to_cpu(struct thread_times *x)
{
	const struct prs_thread *t = x->thread->raw;
	double sum = 0, cpu;

	if (!thread_cpu_known(x->process, t))
		return;
	cpu = (double)(t->cpu_end_ns - t->cpu_start_ns) / x->process->ns_per_tick - x->probes;
	for (size_t i = 0; i < x->thread->n_calls; i++)
		sum += estimated(x, i);
	for (size_t i = 0; i < x->thread->n_calls && cpu > 0 && sum > cpu; i++) {
		double less = estimated(x, i) * (1 - cpu / sum);

		x->self[i] -= less;
		x->total[i] -= less;
	}
}

/* Keep the parts within the whole: estimates may exceed a short life. */
static void fit(struct thread_times *x)
{
	double sum = 0, room;

	if (x->waited > x->life) {
		x->loose_wait -= minimum(x->loose_wait, x->waited - x->life);
		x->waited = x->life;
	}
	x->probes = minimum(x->probes, x->life - x->waited);
	room = x->life - x->waited - x->probes;
	for (size_t i = 0; i < x->thread->n_calls; i++)
		sum += x->self[i];
	for (size_t i = 0; i < x->thread->n_calls && sum > room; i++)
		x->self[i] *= room / sum;
	x->rest = sum < room ? room - sum : 0;
}

/* Is the mean of these calls known, whatever interrupted some of them? */
static bool is_typical(const struct rec_call *c)
{
	return c->timed >= TYPICAL_MIN;
}

/* The own time of call @i without what interrupted it: of a few calls all take the shortest. */
static double undisturbed(const struct thread_times *x, size_t i)
{
	const struct rec_call *c = x->thread->calls[i];
	double mean = c->timed ? (double)c->sum / (double)c->timed : 0, one;

	if (c->timed < 2 || mean <= 0)
		return x->self[i];
	one = is_typical(c) ? typical_ticks(x, c) : (double)c->min;
	return x->self[i] * minimum(1, one / mean);
}

/* How many timed calls each call makes; behind them all the start routine. */
static uint64_t *count_inside(const struct thread_times *x)
{
	size_t n = x->thread->n_calls;
	uint64_t *inside = mem_new(n + 1, sizeof(*inside));

	for (size_t i = 0; i < n; i++)
		inside[x->callers[i] == CALLER_NONE ? n : x->callers[i]] += x->thread->calls[i]->timed;
	return inside;
}

/* What call @i took with those inside, as those that ran through took it; of calls that all were interrupted as the shortest. */
static double ran_through(const struct thread_times *x, size_t i)
{
	const struct rec_call *c = x->thread->calls[i];
	double mean = c->timed ? (double)c->sum / (double)c->timed : 0, one = (double)c->min;

	if (mean <= 0)
		return x->total[i];
	if (x->process->header->switch_kind != PRS_SWITCH_RSEQ)
		one = typical_ticks(x, c);
	else if (c->timed >= c->switched + TYPICAL_MIN)
		one = (double)(c->sum - c->switched_ticks) / (double)(c->timed - c->switched);
	return x->total[i] * minimum(1, one / mean);
}

/* The own time of each call without what interrupted it. */
static double *undisturbed_times(const struct thread_times *x, const uint64_t *inside)
{
	const struct run_thread *t = x->thread;
	double *ran = mem_new(t->n_calls + 1, sizeof(*ran)), own = own_cost(x->process);
	double outer = own > 0 ? (double)x->process->header->pair_ticks - own : 0;

	for (size_t i = 0; i < t->n_calls; i++) {
		ran[i] += ran_through(x, i) - own * (double)t->calls[i]->timed;
		if (x->callers[i] != CALLER_NONE)
			ran[x->callers[i]] -= ran_through(x, i) + outer * (double)t->calls[i]->timed;
	}
	for (size_t i = 0; i < t->n_calls; i++)
		if (is_recursive(x->process, t->calls[i]))
			ran[i] = undisturbed(x, i);
		else if (inside[i] < TYPICAL_MIN)
			ran[i] = minimum(undisturbed(x, i), ran[i] > 0 ? ran[i] : 0);
		else
			ran[i] = ran[i] > 0 ? minimum(ran[i], x->self[i]) : 0;
	return ran;
}

/* Does call @i make many calls, and how long it takes itself is not known? */
static bool is_vague(const struct thread_times *x, const uint64_t *inside, size_t i)
{
	const struct rec_call *c = x->thread->calls[i];
	bool marked = x->process->header->switch_kind == PRS_SWITCH_RSEQ;

	return inside[i] >= TYPICAL_MIN &&
	       (!is_typical(c) || (marked && c->timed < c->switched + TYPICAL_MIN));
}

/* How much longer the calls that make no others took than those that ran through, at least 1. */
static double slow_down(const struct thread_times *x, const uint64_t *inside, const double *ran)
{
	double self = 0, sum = 0;

	for (size_t i = 0; i < x->thread->n_calls; i++) {
		self += inside[i] ? 0 : x->self[i];
		sum += inside[i] ? 0 : ran[i];
	}
	return sum > 0 && self > sum ? self / sum : 1;
}

/*
 * Leave @part of what is beyond the time @ran undisturbed to the callers of many calls, slowed down
 * as their callees were, so that they can be compared; what is taken off.
 */
static double leave_to_callers(struct thread_times *x, const uint64_t *inside, const double *ran, double part,
			       double vague_part)
{
	double sum = 0, slow = slow_down(x, inside, ran);

	for (size_t i = 0; i < x->thread->n_calls; i++) {
		double left = slow * (ran[i] + part * (x->self[i] - ran[i]));

		if (inside[i] < TYPICAL_MIN)
			continue;
		if (is_vague(x, inside, i))
			left = vague_part * x->self[i];
		left = x->self[i] - minimum(left, x->self[i]);
		x->in_line[i] += left;
		x->self[i] -= left;
		sum += left;
	}
	return sum;
}

/*
 * The few timed calls of a sampled site stand for all.  One of them that lost its core
 * for a time slice holds more than all the others: beyond what they take it stood in line.
 */
static double leave_by_sampled(struct thread_times *x)
{
	double sum = 0;

	for (size_t i = 0; i < x->thread->n_calls; i++) {
		const struct rec_call *c = x->thread->calls[i];
		double beyond = (double)c->switched_ticks;

		if (!c->switched || !is_sampled(x, i) || !is_typical(c) || is_recursive(x->process, c))
			continue;
		beyond -= (double)c->switched * typical_ticks(x, c);
		if (beyond > 0)
			beyond = times_take(x, i,
					    beyond * (c->sum > c->child ? (double)(c->sum - c->child) : 0) /
						    (double)c->sum);
		x->in_line[i] += beyond > 0 ? beyond : 0;
		sum += beyond > 0 ? beyond : 0;
	}
	return sum;
}

/*
 * While threads stand in line for cores, that time falls on whoever is on a core
 * then, and on the system calls of our own more often than elsewhere.  These are in
 * the time of the caller of many calls, which may have done nothing itself.  What
 * the others take undisturbed is known, and so is what a caller takes whose calls
 * were not all interrupted; the rest of the CPU time is all that callers can have
 * done beyond that, and what is more is nobody's.
 */
static void deal_line(struct thread_times *x, double cpu)
{
	const struct run_thread *t = x->thread;
	uint64_t *inside = count_inside(x);
	double sampled = leave_by_sampled(x), *ran = undisturbed_times(x, inside), known = 0, vague = 0,
	       beyond = 0, left, most, part;
	bool start = inside[t->n_calls] >= TYPICAL_MIN;

	for (size_t i = 0; i < t->n_calls; i++) {
		known += is_vague(x, inside, i) ? 0 : ran[i];
		vague += is_vague(x, inside, i) ? x->self[i] : 0;
		beyond += x->self[i] - (is_vague(x, inside, i) ? 0 : ran[i]);
	}
	*(start ? &vague : &known) += x->rest;
	beyond += start ? x->rest : 0;
	left = known < cpu ? cpu - known : 0;
	most = left + KNOWN_ERROR * known;
	part = vague > most ? most / vague : 1;
	x->line = leave_to_callers(x, inside, ran, beyond > left ? left / beyond : 1, part);
	x->rest_line = start ? (1 - part) * x->rest : 0;
	x->rest -= x->rest_line;
	x->line += x->rest_line + sampled;
	free(inside);
	free(ran);
}

static void take_off_line(struct thread_times *x)
{
	const struct run_thread *t = x->thread;
	double cpu =
		(double)(t->raw->cpu_end_ns - t->raw->cpu_start_ns) / x->process->ns_per_tick - x->probes;
	double room = x->life - x->waited - x->probes;

	/* A few interruptions are where the clock has them. */
	if (t->raw->switches < SWITCHES_MIN || x->process->header->purpose != PRS_PURPOSE_TIMING)
		return;
	if (x->callers && thread_cpu_known(x->process, t->raw) && cpu > 0 && cpu <= IN_LINE * room)
		deal_line(x, cpu);
}

void thread_times_make(struct thread_times *x, const struct run_process *p, const struct run_thread *t)
{
	*x = (struct thread_times){.process = p,
				   .thread = t,
				   .life = (double)thread_life(p, t),
				   .self = mem_new(t->n_calls + 1, sizeof(double)),
				   .total = mem_new(t->n_calls + 1, sizeof(double)),
				   .wait = mem_new(t->n_calls + 1, sizeof(double)),
				   .in_line = mem_new(t->n_calls + 1, sizeof(double)),
				   .about = mem_new(t->n_calls + 1, sizeof(uint8_t)),
				   .measured = mem_new(t->n_calls + 1, sizeof(double)),
				   .rank = mem_new(t->n_calls + 1, sizeof(uint32_t))};
	for (size_t i = 0; i < t->n_calls; i++)
		x->rank[t->calls[i] - t->records] = (uint32_t)i;
	mark_estimates(x);
	scale_calls(x);
	add_open(x);
	if (p->header->minor >= 1) {
		x->callers = callers_find(p, t, x->rank);
		take_off_untimed(x);
		fit_estimates(x);
	} else {
		take_off_untimed_by_site(x);
	}
	take_off_probes(x);
	take_off_waits(x);
	fit_to_cpu(x);
	fit(x);
	take_off_line(x);
	correct_totals(x);
}

void thread_times_blocked(struct thread_times *x, size_t i)
{
	x->wait[i] += x->self[i];
	x->waited += x->self[i];
	x->self[i] = 0;
}

void thread_times_release(struct thread_times *x)
{
	free(x->self);
	free(x->total);
	free(x->wait);
	free(x->in_line);
	free(x->measured);
	free(x->about);
	free(x->rank);
	free(x->callers);
	*x = (struct thread_times){0};
}

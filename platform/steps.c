/* SPDX-License-Identifier: MIT */
#include "platform/steps.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "lib/stats.h"
#include "platform/base/clock.h"
#include "platform/base/pin.h"

#define STEADY_PASSES   20000 /* some ms */
#define STEADY_ROUNDS   7
#define SETTLE_NS       10000000 /* beyond what drivers take */
#define PIECE_PASSES    200      /* tens of us: the resolution of a change */
#define CHANGE_MAX_NS   100000000
#define CHANGES         15
#define CHANGES_QUICK   5
#define PIECES_ALIKE    3 /* so many in a row make a new speed */
#define TOLERANCE       0.10
#define TOLERANCE_LEAST 0.02

struct measure {
	const struct step_control *control;
	uint32_t core;
	steps_speed speed;
	void *context;
};

static double by_chain(void *context, uint32_t passes)
{
	(void)context;
	return clock_chain_khz(passes);
}

static double steady_khz(const struct measure *m)
{
	uint64_t end = clock_wall_ns() + SETTLE_NS;
	double khz[STEADY_ROUNDS];

	do
		m->speed(m->context, PIECE_PASSES);
	while (clock_wall_ns() < end);
	for (int i = 0; i < STEADY_ROUNDS; i++)
		khz[i] = m->speed(m->context, STEADY_PASSES);
	return stats_median(khz, STEADY_ROUNDS);
}

/* How far a step may be from its frequency: not half way to its neighbours, and no more than a tenth. */
static double tolerance(const struct platform *p, uint32_t i)
{
	double khz = p->steps[i].khz, nearest = TOLERANCE * 2 * khz;

	if (i && p->steps[i - 1].khz - khz < nearest)
		nearest = p->steps[i - 1].khz - khz;
	if (i + 1 < p->n_steps && khz - p->steps[i + 1].khz < nearest)
		nearest = khz - p->steps[i + 1].khz;
	nearest /= 2 * khz;
	return nearest < TOLERANCE_LEAST ? TOLERANCE_LEAST : nearest;
}

/* The highest step that is in force when read back; the others are compared with it. */
static const struct step_result *highest(const struct steps_domain *d)
{
	for (size_t i = 0; i < d->results.n; i++)
		if (d->results.at[i].verdict != STEP_NOT_HELD)
			return &d->results.at[i];
	return NULL;
}

/*
 * The highest step may well run at another frequency, in turbo or because
 * other cores are busy: it is what the others are compared with.
 */
static enum step_verdict steps_judge(const struct platform *p, const struct steps_domain *d, uint32_t i)
{
	const struct step_result *r = &d->results.at[i], *top = highest(d);
	double off = (double)r->measured_khz / r->khz - 1, should, does;

	if (r->verdict == STEP_NOT_HELD || r == top)
		return r->verdict;
	should = (double)top->khz - r->khz;
	does = (double)top->measured_khz - (double)r->measured_khz;
	if (does < should / 2)
		return STEP_NO_EFFECT;
	return off > tolerance(p, i) || off < -tolerance(p, i) ? STEP_OFF : STEP_HONOURED;
}

static int try_steps(struct steps_domain *d, const struct measure *m, const struct platform *p,
		     struct err *err)
{
	for (uint32_t i = 0; i < p->n_steps; i++) {
		struct step_result *r = vec_add(&d->results);
		int ret = m->control->set(m->control->context, m->core, p->steps[i].khz, err);

		if (ret < 0)
			return ret;
		r->khz = p->steps[i].khz;
		r->verdict = ret ? STEP_NOT_HELD : STEP_HONOURED;
		r->measured_khz = (uint64_t)(steady_khz(m) + 0.5);
	}
	for (uint32_t i = 0; i < p->n_steps; i++)
		d->results.at[i].verdict = steps_judge(p, d, i);
	return 0;
}

/* ---- changes ---- */

/* Runs pieces until the speed is on the side of @to; when the first of them began, 0: it never was. */
static uint64_t wait_for(const struct measure *m, double from, double to, uint64_t start)
{
	double middle = (from + to) / 2;
	uint64_t since = 0;
	int alike = 0;

	while (alike < PIECES_ALIKE) {
		uint64_t begin = clock_wall_ns();
		double khz = m->speed(m->context, PIECE_PASSES);

		if (begin - start > CHANGE_MAX_NS)
			return 0;
		if ((khz < middle) != (to < middle)) {
			alike = 0;
			continue;
		}
		if (!alike++)
			since = begin;
	}
	return since;
}

/* One change; 0 or a negative errno.  @ns and @call are 0 if it was never seen. */
static int steps_change(const struct measure *m, const struct step_result *from, const struct step_result *to,
			double *ns, double *call, struct err *err)
{
	uint64_t start = clock_wall_ns(), back, since;
	int ret = m->control->set(m->control->context, m->core, to->khz, err);

	back = clock_wall_ns();
	*ns = *call = 0;
	if (ret < 0)
		return ret;
	since = wait_for(m, (double)from->measured_khz, (double)to->measured_khz, start);
	if (since) {
		*ns = (double)(since - start);
		*call = (double)(back - start);
	}
	return 0;
}

static const struct step_result *lowest_honoured(const struct steps_domain *d)
{
	for (size_t i = d->results.n; i-- > 1;)
		if (d->results.at[i].verdict == STEP_HONOURED)
			return &d->results.at[i];
	return NULL;
}

/* Changes that were not seen count neither here nor there: they are rare, or all of them. */
static uint64_t median_of(double *x, int n)
{
	int seen = 0;

	for (int i = 0; i < n; i++)
		if (x[i] > 0)
			x[seen++] = x[i];
	return 2 * seen > n ? (uint64_t)(stats_median(x, (size_t)seen) + 0.5) : 0;
}

static int measure_changes(struct steps_domain *d, const struct measure *m, bool quick, struct err *err)
{
	const struct step_result *high = highest(d), *low = lowest_honoured(d);
	double down[CHANGES], up[CHANGES], call[2 * CHANGES];
	int n = quick ? CHANGES_QUICK : CHANGES, ret;

	if (!low || low == high)
		return 0;
	ret = m->control->set(m->control->context, m->core, high->khz, err);
	if (ret < 0)
		return ret;
	steady_khz(m);
	for (int i = 0; i < n; i++) {
		ret = steps_change(m, high, low, &down[i], &call[2 * i], err);
		if (!ret)
			ret = steps_change(m, low, high, &up[i], &call[2 * i + 1], err);
		if (ret)
			return ret;
	}
	d->down_ns = median_of(down, n);
	d->up_ns = median_of(up, n);
	d->call_ns = median_of(call, 2 * n);
	return 0;
}

int steps_measure(struct steps_domain *d, const struct platform *p, uint32_t core,
		  const struct step_control *control, bool quick, steps_speed speed, void *speed_context,
		  struct err *err)
{
	struct measure m = {.control = control,
			    .core = core,
			    .speed = speed ? speed : by_chain,
			    .context = speed_context};
	cpu_set_t *mask = pin_save();
	int ret = speed ? 0 : pin_thread(core);

	*d = (struct steps_domain){.core = core};
	if (ret)
		err_set(err, ret, "cannot run on core %" PRIu32 ": %s", core, strerror(-ret));
	if (!ret)
		ret = try_steps(d, &m, p, err);
	if (!ret)
		ret = measure_changes(d, &m, quick, err);
	pin_restore(mask);
	if (ret)
		steps_release(d);
	return ret;
}

void steps_release(struct steps_domain *d)
{
	vec_release(&d->results);
}

const char *steps_verdict_name(enum step_verdict verdict)
{
	static const char *const names[] = {"honoured", "not honoured: not in force when read back",
					    "not honoured", "runs at another frequency"};

	return names[verdict];
}

/* SPDX-License-Identifier: MIT */
#include "record/power/align.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "lib/mem.h"
#include "record/power/correlate.h"

#define MOST_MISSING 0.05 /* of the run */
#define MOST_GAP     0.02 /* of the run, of one gap, and 0.2 s */
#define LEAST_GAP_S  0.2

/* ---- pulses ---- */

/* Does a pulse of @length s last as long as the run? */
static bool is_as_long(double length, const struct series *s, const struct align_run *run)
{
	return fabs(length - run->seconds) <= ALIGN_MOST_DRIFT * run->seconds + 2 * s->interval;
}

/* The first edge that goes up. */
static size_t first_up(const struct series *s)
{
	return s->high;
}

/* The pulse: 1, 0 if there is none, -EINVAL for several. */
static int find_pulse(struct align *a, const struct series *s, const struct align_run *run, struct err *err)
{
	int found = 0;

	for (size_t i = first_up(s); i + 1 < s->n_edges; i += 2) {
		double length = s->edges[i + 1] - s->edges[i];

		if (!is_as_long(length, s, run))
			continue;
		if (found++)
			return err_set(err, -EINVAL,
				       "the trigger is up for the length of the run at %.6g s and again at "
				       "%.6g s: which "
				       "of them is it?\n  cut the other one out of the file",
				       a->start, s->edges[i]);
		a->how = JOULES_TRIGGER;
		a->start = s->edges[i];
		a->drift = length / run->seconds - 1;
		a->error = s->interval;
	}
	/* Over a short run a reading more or less is no drift. */
	if (found && fabs(a->drift) * run->seconds <= 2 * s->interval)
		a->drift = 0;
	return found;
}

/* What is there instead of a pulse, for a message. */
static int say_pulses(const struct series *s, const struct align_run *run, const char *why, struct err *err)
{
	size_t i = first_up(s);

	if (i < s->n_edges && i + 1 < s->n_edges)
		err_set(err, -EINVAL,
			"the trigger is up from %.6g to %.6g s of the meter, %.6g s, and the run took %.6g "
			"s: %s",
			s->edges[i], s->edges[i + 1], s->edges[i + 1] - s->edges[i], run->seconds, why);
	else if (s->n_edges)
		err_set(err, -EINVAL, "the trigger changes at %.6g s of the meter and not again: %s",
			s->edges[0], why);
	else
		err_set(err, -EINVAL, "the trigger never changes: %s", why);
	return err_advise(err, "set it directly before the program starts and back directly after it ends");
}

/* ---- all of it ---- */

/* An edge without its other one is at the begin or the end of the run; what the program did says which, and the drift. */
static int by_edge(struct align *a, const struct series *s, const struct align_run *run, struct err *err)
{
	struct correlation best = {0}, c;

	for (size_t i = 0; i < s->n_edges; i++) {
		bool up = (i + s->high) % 2 == 0;

		/* Both edges of a pulse are of something that took as long as it does. */
		if (up ? i + 1 < s->n_edges : i > 0)
			continue;
		if (up ? correlate_from(&c, s, run, s->edges[i]) : correlate_until(&c, s, run, s->edges[i]))
			continue;
		if (c.fit > best.fit)
			best = c;
	}
	if (best.fit < CORRELATE_LEAST)
		return say_pulses(s, run, "no pulse, and what the program did fits to no edge", err);
	*a = (struct align){JOULES_EDGE, best.start, best.drift, fmax(best.error, s->interval), best.fit};
	return 0;
}

int align_find(struct align *a, const struct series *s, const struct align_run *run, struct err *err)
{
	struct correlation c;
	int ret;

	memset(a, 0, sizeof(*a));
	ret = s->has_trigger ? find_pulse(a, s, run, err) : 0;
	if (ret)
		return ret < 0 ? ret : 0;
	if (s->n_edges)
		return by_edge(a, s, run, err);
	ret = correlate_find(&c, s, run, err);
	if (ret)
		return s->has_trigger ? err_advise(err, "the trigger never changes: was its wire connected?")
				      : ret;
	*a = (struct align){JOULES_CORRELATED, c.start, c.drift, fmax(c.error, s->interval), c.fit};
	return 0;
}

static int check_cover(const struct series *s, double from, double to, struct err *err)
{
	double early = s->t[0] - from, late = to - s->t[s->n - 1];

	if (early > 1.5 * s->interval)
		return err_set(err, -EINVAL,
			       "the meter's file begins %.6g s after the run did, at %.6g s of its time",
			       early, s->t[0]);
	if (late > 1.5 * s->interval)
		return err_set(err, -EINVAL,
			       "the meter's file ends %.6g s before the run did, at %.6g s of its time", late,
			       s->t[s->n - 1]);
	return 0;
}

/* The longest gap in [from, to]: how long it is, where it begins, and how many readings are missing in all. */
static double longest_gap(const struct series *s, double from, double to, double *at, uint64_t *missing)
{
	double longest = 0;

	*missing = 0;
	for (size_t i = 1; i < s->n && s->t[i - 1] < to; i++) {
		double d = s->t[i] - s->t[i - 1];

		if (s->t[i] <= from)
			continue;
		if (d > SERIES_GAP * s->interval)
			*missing += (uint64_t)(d / s->interval + 0.5) - 1;
		if (d > longest) {
			longest = d;
			*at = s->t[i - 1];
		}
	}
	return longest;
}

static int check_missing(const struct series *s, double from, double to, double gap, uint64_t *missing,
			 struct err *err)
{
	double length = to - from, at = from, longest = longest_gap(s, from, to, &at, missing);

	if (gap > MOST_MISSING * length)
		return err_set(
			err, -EINVAL,
			"of %.3g %% of the run the meter has no readings, first behind %.6g s of its time",
			100 * gap / length, at);
	if (longest > fmax(MOST_GAP * length, LEAST_GAP_S) && longest > 3 * s->interval)
		return err_set(err, -EINVAL,
			       "the meter has no readings for %.3g s of the run, from %.6g s of its time on",
			       longest, at);
	return 0;
}

/* Watts round the edges of the run, against those inside: what a shift by the alignment's error changes. */
static double edge_error(const struct series *s, double from, double to, double error)
{
	double in = series_joules(s, from, from + error, NULL) + series_joules(s, to - error, to, NULL);
	double out = series_joules(s, from - error, from, NULL) + series_joules(s, to, to + error, NULL);

	return fabs(in - out) / 2;
}

static void fill_windows(struct joules *j, const struct series *s, const struct align *a,
			 const struct align_run *run)
{
	bool below = false;

	j->window = run->window;
	j->n_power = run->n_busy;
	j->power = mem_new(j->n_power, sizeof(*j->power));
	for (size_t i = 0; i < j->n_power; i++) {
		double from = (double)i * run->window, to = fmin(from + run->window, run->seconds);
		double f = a->start + from * (1 + a->drift), t = a->start + to * (1 + a->drift);

		j->power[i] = t > f ? series_joules(s, f, t, NULL) / (t - f) : 0;
		below |= j->power[i] < 0;
		j->power[i] = fmax(j->power[i], 0);
	}
	if (below)
		joules_note(
			j, "the meter shows less than 0 W in some windows: they are 0 there, not in the sum");
}

int align_joules(struct joules *j, const struct series *s, const struct align *a, const struct align_run *run,
		 struct err *err)
{
	double from = a->start, to = a->start + run->seconds * (1 + a->drift), gap, edge, before;
	int ret = check_cover(s, from, to, err);

	j->joules = series_joules(s, from, to, &gap) / (1 + a->drift);
	if (!ret)
		ret = check_missing(s, from, to, gap, &j->missing, err);
	if (!ret && j->joules <= 0)
		ret = err_set(err, -EINVAL, "the meter shows %.3g J for the run: not above 0", j->joules);
	if (ret)
		return ret;
	edge = edge_error(s, from, to, a->error);
	j->error = edge / j->joules + gap / (to - from);
	/* A clock that was fitted is as wrong as the places of its ends. */
	if (a->how != JOULES_TRIGGER && a->drift != 0)
		j->error += a->error / run->seconds;
	j->interval = s->interval;
	j->readings = (uint64_t)((to - from) / s->interval + 0.5);
	j->alignment = a->how;
	j->shift = -a->start;
	j->drift = a->drift;
	j->alignment_error = a->error;
	j->doubled = s->doubled;
	before = fmin(from - s->t[0], 1);
	if (before > 10 * s->interval && before > 2 * a->error)
		j->idle_watts =
			fmax(0, series_joules(s, from - before, from - a->error, NULL) / (before - a->error));
	if (run->n_busy)
		fill_windows(j, s, a, run);
	return 0;
}

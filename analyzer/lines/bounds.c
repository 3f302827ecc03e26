/* SPDX-License-Identifier: MIT */
#include "analyzer/lines/bounds.h"

#include <math.h>

#include "analyzer/lines/kept.h"

/*
 * A thread's first transfers are recorded one by one; later each may stand for so many:
 * of a thread with very many, and of a line that rests (runtime/memory).
 */
#define ONE_BY_ONE  4096.0
#define WEIGHT_MOST 128.0

/* What was seen for certain.  A miss in a window is one of those that the window saw. */
static double certain(const struct line_use *u, const struct line_pace *pace)
{
	double missed = (double)u->raw->misses, watched = (double)u->raw->watched;

	/* Between processes nobody saw them. */
	if (pace->windows)
		return watched;
	if (u->raw->recorded)
		missed = (double)u->raw->recorded;
	else if (pace->misses >= ONE_BY_ONE)
		missed /= WEIGHT_MOST;
	return missed > watched ? missed : watched;
}

/* What the probe adds to an access may be so much less or more. */
#define PROBE_LOW  0.3
#define PROBE_HIGH 3.0

/*
 * Who gets a core for a part of the time makes up for it at once, or has to share the caches, and windows
 * see it at the beginning.
 */
#define LACKING 1.5

/* Windows see what comes after a transfer. */
#define WINDOW_OFF 1.3

/* ... and accesses to a wait, and what ranges announce. */
#define COUNT_OFF 1.6
#define TRIPS_OFF 1.15

/*
 * By how much more there may be if the thread made up for the time that it was kept from its core.  Where
 * visits are counted, windows saw of that what they saw of the rest: an error beside COUNT_OFF.
 */
static double made_up(const struct line_use *u, const struct bound_facts *f, const struct line_pace *pace)
{
	double all = kept_factor(&f->there);

	if (u->by_count)
		return pace->cut ? exp(hypot(log(COUNT_OFF), log(all))) / COUNT_OFF : 1;
	return pace->spins && !pace->windows ? all : 1;
}

/* What the estimate may be off by where it comes from. */
static void by_source(struct line_use *u, const struct bound_facts *f, const struct line_pace *pace)
{
	double each = f->gap + u->probe_ns, off = 1;

	u->low = u->accesses / u->fewer;
	u->high = u->accesses * u->more;
	if (f->staged)
		u->high = INFINITY;
	if (u->how == EVIDENCE_SEEN) {
		u->low = 0;
		u->high = INFINITY;
	} else if (u->how == EVIDENCE_ANNOUNCED) {
		off = TRIPS_OFF;
	} else if (u->how == EVIDENCE_WINDOW && u->by_count) {
		off = COUNT_OFF;
	} else if (u->how == EVIDENCE_WINDOW && each > 0) {
		u->low *= each / (f->gap * u->wide + PROBE_HIGH * u->probe_ns);
		u->high *= each / (f->gap / u->wide_short + PROBE_LOW * u->probe_ns);
		u->low /= f->there.ns > 0 ? 1 + LACKING * f->there.lacking / f->there.ns : 1;
		u->low *= f->there.least < f->there.ns ? f->there.least / f->there.ns : 1;
		off = WINDOW_OFF;
	}
	if (u->how == EVIDENCE_WINDOW)
		u->high *= made_up(u, f, pace);
	u->low /= off;
	u->high *= off;
}

void bounds_set(struct line_use *u, const struct bound_facts *f, const struct line_pace *pace)
{
	double most = (f->there.ns + f->there.outside) / f->shortest, least = certain(u, pace);

	by_source(u, f, pace);
	if (f->there.ns > 0)
		u->high *= 1 + f->there.outside / f->there.ns;
	u->low = u->low > least ? u->low : least;
	u->high = u->high < most ? u->high : most;
	u->low = u->low < u->accesses ? u->low : u->accesses;
	u->high = u->high > u->accesses ? u->high : u->accesses;
}

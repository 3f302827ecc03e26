/* SPDX-License-Identifier: MIT */
/*
 * A plan's run on the same platform with one figure changed.  The figures are
 * those that perseus-plan(1) names, each looked at from a tenth to ten times,
 * less where the platform would contradict itself.
 */
#ifndef PERSEUS_VERIFY_FIGURES_WHATIF_H
#define PERSEUS_VERIFY_FIGURES_WHATIF_H

#include "verify/figures/baselines.h"

enum wfigure_kind {
	W_HALT,
	W_BUSY,
	W_IDLE,
	W_BUSY_ALL,
	W_IDLE_ALL,
	W_LINE_ALL,
	W_LINE,
	W_MIGRATE,
	W_FREQUENCY,
	W_TRIGGER,
	W_AFFINITY,
	W_MEMORY
};

struct wfigure {
	enum wfigure_kind kind;
	size_t step;
	int access, distance;
	double value, low, high, scale; /* mW, ps, ns or percent; how many make one of what people read */
	const char *unit;
	char name[96];
};

struct whatif {
	const struct ground *g;
	struct wfigure *figure;
	size_t n;
};

/* All figures that are not 0, into @x, which has its ground; free(x->figure). */
void whatif_list(struct whatif *x, const struct result *r);

/* Share of the baseline that the plan saves if figure @f were @value. */
double whatif_gain(const struct whatif *x, const struct wfigure *f, double value);

/* Time of work at a step below the top if memory had the share f->memory_asked of all work, ns. */
uint64_t whatif_work_ns(const struct vplatform *f, const struct member *m, size_t step);

#endif

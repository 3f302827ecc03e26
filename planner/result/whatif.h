/* SPDX-License-Identifier: MIT */
/*
 * What designs would cost if one figure of the platform, or the model's share
 * of memory time, were another one: the problem with that figure changed.
 * Slots, phases and designs stay what they are, so designs can be evaluated
 * on it.
 */
#ifndef PERSEUS_PLANNER_RESULT_WHATIF_H
#define PERSEUS_PLANNER_RESULT_WHATIF_H

#include "planner/cost/eval.h"

enum figure_kind {
	FIGURE_BUSY,     /* mW of a busy core at `step` */
	FIGURE_IDLE,     /* mW of an idle core at `step` */
	FIGURE_BUSY_ALL, /* percent of the platform's figures at all steps */
	FIGURE_IDLE_ALL,
	FIGURE_HALT,      /* mW of a halted package */
	FIGURE_LINE,      /* ps that an `access` to a shared line costs more at `distance` */
	FIGURE_LINE_ALL,  /* percent of all of these */
	FIGURE_MIGRATE,   /* ns of the longest migration; the others in proportion */
	FIGURE_FREQUENCY, /* ns of a change of frequency */
	FIGURE_TRIGGER,   /* ns */
	FIGURE_AFFINITY,  /* ns */
	FIGURE_MEMORY,    /* percent of the work's time at the top step that no step makes shorter */
};

struct figure {
	enum figure_kind kind;
	uint32_t step;
	enum prs_kind access;
	enum platform_distance distance;
	double value;     /* what the platform says */
	double low, high; /* looked at: 0.1 to 10 times, less where the platform would contradict itself */
};

/*
 * All figures of @pb that are not 0, those that stand for others first; the
 * caller frees the array, *@n long.
 */
struct figure *figure_list(const struct problem *pb, uint32_t *n);

/* "idle power at 1853 MHz"; the caller frees it. */
char *figure_name(const struct problem *pb, const struct figure *f);

/* The unit that people read it in, and how many of the figure's own make one. */
const char *figure_unit(const struct figure *f, double *scale);

/* A problem with one figure changed; @pb must outlive it. */
struct whatif {
	const struct problem *original;
	struct platform platform;
	struct machine machine;
	struct problem problem;
};

/* Copy what can change; released by whatif_release(). */
void whatif_init(struct whatif *w, const struct problem *pb);
void whatif_release(struct whatif *w);

/* Everything as in the original, but @f at @value. */
void whatif_set(struct whatif *w, const struct figure *f, double value);

/*
 * Everything as in the original, but the busy watts of each step off by @busy times
 * what they may be off by, and its idle ones by @idle times; @step: at this step
 * only, UINT32_MAX: at all.  No core draws more idle than busy.
 */
void whatif_set_errors(struct whatif *w, double busy, double idle, uint32_t step);

/* Everything as in the original, but conflicts of unknown phases cost nothing. */
void whatif_set_never(struct whatif *w);

/* Evaluate all of @d; @ev was made for the original. */
void whatif_eval(const struct whatif *w, const struct design *d, struct evaluation *ev);

#endif

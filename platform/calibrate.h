/* SPDX-License-Identifier: MIT */
/* Measure this machine's prices. */
#ifndef PERSEUS_PLATFORM_CALIBRATE_H
#define PERSEUS_PLATFORM_CALIBRATE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/err.h"
#include "lib/vec.h"
#include "platform/steps.h"
#include "yaml/platform.h"

struct calibrate_options {
	bool quick; /* one pair of cores a distance, fewer rounds */
	/* Told what is measured now and the share that is done (0..1); may be NULL. */
	void (*progress)(void *context, const char *what, double done);
	void *context;
	/*
	 * Find somebody who sets the frequency steps of @p; NULL: they are not
	 * measured.  If it fails the message is the reason, without advice.
	 */
	int (*find_control)(void *context, const struct platform *p, struct step_control *control,
			    struct err *err);
};

/* What the price of one pair of cores was, for people. */
struct calibrate_pair {
	uint32_t core_a, core_b;
	enum platform_distance distance;
	double alone_ps[PRS_KIND_N], shared_ps[PRS_KIND_N];
	double extra_ps[PRS_KIND_N][PRICE_GAPS]; /* by platform_gap_ps() */
	double beside_ps[PRS_KIND_N][PRS_KIND_N]
			[BESIDE_GAPS]; /* by own kind, the other's, platform_beside_ps() */
	double transfer_ps;
	double first_transfer_ps;                   /* the same, measured before all else */
	double least_transfer_ps, most_transfer_ps; /* of all looks at it meanwhile */
	double nearest_ps, farthest_ps;             /* ... and of other attempts that were quiet */
	double migrate_ns;
	double lost; /* part of the rounds, 0 to 1, in which one of the two threads had no core */
	bool noisy;  /* busy, fewer than half of the wanted rounds were quiet, or they differ much */
};

/* True if others had the cores for a good part of the rounds. */
bool calibrate_was_busy(const struct calibrate_pair *pair);

/* What of the prices of a pair cannot be, in words; NULL: nothing. */
const char *calibrate_contradiction(const struct calibrate_pair *pair);

struct calibrate_report {
	const char *frequency_how;
	uint64_t core_khz;
	const char *steps_how; /* who set steps; NULL: nobody */
	struct vec_steps_domain VEC(struct steps_domain) domains;
	struct vec_calibrate_pair VEC(struct calibrate_pair) pairs;
	/* The same pairs when they were at another distance: virtual cores move. */
	struct vec_calibrate_pair moved;
	struct vec_note VEC(char *) notes; /* what is missing or doubtful, one sentence each */
};

/*
 * Tell pairs whose transfers differ by PLATFORM_MOVED from what is usual at their
 * distance apart from the others, and fill in prices, transfers and migrations of @p.
 */
void calibrate_fill(struct platform *p, struct calibrate_report *report);

/* True if the pair was seen at another distance of which the report has no prices. */
bool calibrate_half_known(const struct calibrate_report *report, const struct calibrate_pair *pair);

/*
 * Read this machine and measure: core frequency, trigger, affinity call,
 * and for pairs of usable cores of each distance migration, transfer, and the
 * price of a shared line for each kind of access, at full rate and with other
 * work between; and the effect of frequency steps and the time that a change
 * takes, if somebody sets them.  A step that is not honoured is left out of
 * @p.  Big machines: up to three pairs a distance, and three domains, stand
 * for all.  With one usable core the prices stay unknown and a note says so.
 * Takes at most about 10 s, and 50 ms for each step; less when quiet.
 */
int platform_calibrate(struct platform *p, const struct calibrate_options *options,
		       struct calibrate_report *report, struct err *err);

/* Free everything inside. */
void calibrate_report_release(struct calibrate_report *report);

/* Figures of two states of the machine, or of two pairs, that no mean stands for. */
bool platform_far_apart(double x, double y);

#endif

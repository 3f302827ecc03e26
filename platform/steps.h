/* SPDX-License-Identifier: MIT */
/* Which frequency steps change the speed of a loop, and how long a change takes. */
#ifndef PERSEUS_PLATFORM_STEPS_H
#define PERSEUS_PLATFORM_STEPS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/vec.h"
#include "yaml/platform.h"

/* Somebody who can set the step of a core's domain, and put back what was there. */
struct step_control {
	const char *how; /* "perseusd", "cpufreq's files" */
	/* 0; 1: taken, but something else is in force; negative errno with a message. */
	int (*set)(void *context, uint32_t core, uint32_t khz, struct err *err);
	/* Everything as it was before; may fail with a message that is a warning. */
	int (*end)(void *context, struct err *err);
	void *context;
};

enum step_verdict {
	STEP_HONOURED,
	STEP_NOT_HELD,  /* read back, something else is in force */
	STEP_NO_EFFECT, /* in force as it seems, and the loop runs as fast as at a higher step */
	STEP_OFF,       /* has an effect, but runs at another frequency */
};

struct step_result {
	uint32_t khz;
	uint64_t measured_khz;
	enum step_verdict verdict;
};

/* Of one domain. */
struct steps_domain {
	uint32_t core;                                          /* that the loop ran on */
	struct vec_step_result VEC(struct step_result) results; /* as platform.steps */
	/* From the call to the first piece of the loop at the new speed, medians; 0: not known. */
	uint64_t down_ns, up_ns;
	uint64_t call_ns; /* of these the call itself */
};

/*
 * What the core runs at, kHz, over so many passes of a chain of
 * multiplications; NULL: clock_chain_khz().  For tests.
 */
typedef double (*steps_speed)(void *context, uint32_t passes);

/*
 * Bound to @core, hold each step of @p in turn, measure, and measure
 * changes between the highest and the lowest that are honoured.  Ends with the
 * step that was tried last still set: control->end() follows.  Fails if a step
 * is refused.
 */
int steps_measure(struct steps_domain *d, const struct platform *p, uint32_t core,
		  const struct step_control *control, bool quick, steps_speed speed, void *speed_context,
		  struct err *err);

void steps_release(struct steps_domain *d);

/* "not honoured", ...; for people. */
const char *steps_verdict_name(enum step_verdict verdict);

#endif

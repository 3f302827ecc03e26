/* SPDX-License-Identifier: MIT */
/*
 * What a given placement is expected to take, without any search: to compare the
 * model with what is measured.
 */
#ifndef PERSEUS_PLANNER_RESULT_PREDICT_H
#define PERSEUS_PLANNER_RESULT_PREDICT_H

#include "lib/err.h"
#include "planner/cost/baseline.h"
#include "yaml/model.h"

struct prediction {
	struct cost cost; /* prices of thread starts included */
	bool free_main;   /* main was left to the system: it is where it disturbs least */
	bool simulated;   /* there are locks: by sim.h, since how long threads wait hangs on who comes when */
};

/*
 * Threads of @model on the cores @cores[@n], operating system's numbers; the
 * first is of the first thread that main made, and so on in the order of the
 * model, all steps the fastest.  Fewer than there are threads begin again from
 * the first.  -EINVAL: no core, or one that the platform has not or must not
 * use; or what machine_init(), problem_init() and sim_run() say.
 */
int planner_predict(const struct model *model, const struct platform *platform, const uint64_t *cores,
		    size_t n, struct prediction *out, struct err *err);

/* The same for a baseline; @seed: of random. */
int planner_predict_baseline(const struct model *model, const struct platform *platform, enum baseline kind,
			     uint64_t seed, struct prediction *out, struct err *err);

#endif

/* SPDX-License-Identifier: MIT */
/* The figure that a plan's goal makes small, for those who print it. */
#ifndef PERSEUS_CMD_PLAN_PRINT_FIGURES_H
#define PERSEUS_CMD_PLAN_PRINT_FIGURES_H

#include "planner/result/outcome.h"

/* Share of @base that @now saves, percent; negative: costs more. */
double plan_saved(double base, double now);

/* ns, pJ, ns x pJ, or for the largest draw mW. */
double plan_figure(const struct outcome *o, double time_ns, double energy_pj, double peak_mw);
double plan_cost_figure(const struct outcome *o, const struct cost *c);

/* Behind a percentage: "time", "energy", "energy x delay", "of the largest draw". */
const char *plan_figure_name(const struct outcome *o);

/* The same of the plan as written, of its baseline, and what no plan can be below (0: not known). */
double plan_now(const struct outcome *o, const struct plan *plan);
double plan_base(const struct outcome *o, const struct plan *plan);
double plan_bound(const struct outcome *o, const struct plan *plan);

#endif

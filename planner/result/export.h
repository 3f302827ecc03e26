/* SPDX-License-Identifier: MIT */
/*
 * The problem as a mixed integer program in CPLEX LP format, for solvers that
 * know nothing of Perseus.  It is what the planner's bound is proven for:
 * work that matters, in its phases, without prices of changes.  So the
 * optimum of the program is the bound of a plan that says "proven".
 *
 *	x_S_U		slot S (a stretch of phases of a thread) is on unit U
 *	y_P_D_F		in phase P frequency domain D is at step F
 *	z_P_I_U_F	member I of phase P is on U, which is at F: x and y at once
 *	a_P_K_D_F	how long package K is awake in phase P, if D is at F; else 0
 *	l_P_K		how long package K is awake in phase P
 *	t_P		how long phase P takes
 *
 * y in each phase by itself, as in the bound.  Equal cores and equal threads
 * are distinguished once, which loses no optimum.
 */
#ifndef PERSEUS_PLANNER_RESULT_EXPORT_H
#define PERSEUS_PLANNER_RESULT_EXPORT_H

#include "lib/err.h"
#include "lib/strbuf.h"
#include "planner/result/outcome.h"

/*
 * Append the program for the goal of @p (time or energy, with deadlines) to
 * @out, after planner_run(); slots of threads that cannot be planned stand
 * where the baseline has them.  -ENOTSUP: conflicts, the other objectives and
 * a cap have no exact linear form; -E2BIG: too large for any solver.
 */
int planner_export(const struct outcome *o, struct strbuf *out, struct err *err);

#endif

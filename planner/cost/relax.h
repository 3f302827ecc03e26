/* SPDX-License-Identifier: MIT */
/*
 * What no placement and no choice of steps can take a phase below, in closed
 * form: small enough to be recomputed by somebody who does not trust us.
 *
 * Given the heavy members i with work w[i][f] at step f (ns), N units, the
 * packages k with n[k] units, all figures in mW, ns and pJ:
 *
 *   floor       idle power of the step that draws least when idle
 *   above[f]    busy power at step f - floor
 *   waking[k]   n[k] * floor - halt power of k; a package that cannot halt
 *               has its idle power for halt power, so this is 0
 *   halted      halt powers of all packages together
 *   spread      least waking[k] / n[k]
 *   waking      least waking[k]
 *
 * Time: T0 = the largest of the longest w[i][0]; the sum of w[i][0] / N,
 * rounded up; and for each lock the sum over its users of what they do under
 * it, at step 0 (that can only be done one after the other).
 *
 * Energy, when the phase lasts T >= T0: everything is halted for T, busy
 * members draw above[f] more, and packages must be awake to run them. A
 * package of n units awake for t holds at most n * t of work, and the
 * longest member keeps its package awake for as long as it runs:
 *
 *   E(T) = halted * T + the larger of
 *     sum over i of the least (above[f] + spread) * w[i][f], and
 *     sum over i of the least above[f] * w[i][f], where above[f] + waking
 *     stands for above[f] in the member with the longest w[i][0] (the first
 *     of several),
 *
 * the least being taken over the steps with w[i][f] <= T.  Between two
 * values of w[i][f] only halted * T changes, so the least E(T) is found
 * among T0 and those w[i][f] that are above T0.
 *
 * Work also needs T >= sum of the chosen w[i][f] / N, hence the other bound
 *
 *   sum over i of the least (above[f] + spread + halted / N) * w[i][f]
 *
 * over all steps.  The larger of the two is the answer.  Each sum that
 * contains spread is formed as one fraction and rounded down at the end.
 *
 * Draw: halted + waking + least above[f]: one unit is busy at least.
 */
#ifndef PERSEUS_PLANNER_COST_RELAX_H
#define PERSEUS_PLANNER_COST_RELAX_H

#include "planner/problem/goal.h"
#include "planner/problem/problem.h"

/*
 * The bound for one occurrence of @ph: ns, pJ and mW.  Energy and draw are 0
 * if the platform's watts are not known.
 */
void relax_phase(const struct problem *pb, const struct prob_phase *ph, struct cost *bound);

#endif

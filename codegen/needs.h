/* SPDX-License-Identifier: MIT */
/*
 * What of the templates a plan needs, as the names behind their `@if`:
 *
 *   cpu          the start-up check compares the processor's name
 *   pins steps   something is bound to a core, a domain set to a step
 *   by_daemon by_device by_files  who makes the steps
 *   moves        a trigger at a call binds; settles: only starts do
 *   place        something is set at the start of a thread; place_moves, place_stays: with moves, without
 *   sites        calls that create threads are marked
 *   family       threads whose creation is known
 *   family_sites family_bare  with marked calls, without
 *   family_moves family_stays  with moves, without
 *   alone        no thread but main is known
 *   creator      creations ask who is calling; creator_moves, creator_stays: with moves, without
 *   state        a thread remembers something
 *   no_core      a thread has no core at its start, or may have none later
 *   call         there are triggers at calls
 *   flush        functions run with flush-to-zero
 *   bare         nothing is bound, and no step made
 *   due          one of them acts every so often, but not from the first visit on
 */
#ifndef PERSEUS_CODEGEN_NEEDS_H
#define PERSEUS_CODEGEN_NEEDS_H

#include "codegen/view/view.h"

/* Append @text with the parts that the plan of @v needs. */
void needs_add(struct strbuf *out, const char *text, const struct view *v);

/* True if the plan needs the part @name. */
bool needs(const struct view *v, const char *name);

/* True if trigger @t must know how often its thread has come by. */
bool needs_visits(const struct plan_trigger *t);

/* True if it acts at every n-th visit, but not from the first on. */
bool needs_due(const struct plan_trigger *t);

/* True if a trigger of @thread at @p, or of any thread if PLAN_NONE, must know it. */
bool needs_count(const struct view *v, const struct view_point *p, uint32_t thread);

#endif

/* SPDX-License-Identifier: MIT */
/* The parts of collect_waits(); for this folder only. */
#ifndef PERSEUS_REPORT_WAITS_PARTS_H
#define PERSEUS_REPORT_WAITS_PARTS_H

#include "report/waits/waits.h"

/* Line in the table of threads; NULL for PRS_NO_THREAD. */
const struct report_thread *wait_thread_line(const struct report_summary *s, const struct run_process *p,
					     uint32_t thread);

/* Where acquisitions and signals happen, for look-up by object and thread. */
struct wait_places;
struct wait_places *wait_places_make(const struct report_summary *s);
void wait_places_free(struct wait_places *places);

/* The site at which a wait or acquisition from @caller is best shown: @site unless a better one is known. */
uint32_t wait_places_site(const struct wait_places *places, const struct run_process *p, uint64_t caller,
			  uint32_t site);

/*
 * @site, or if it lies in a header of the system the nearest call round it that
 * does not; @w: the wait that is about, if @site is its own.
 */
uint32_t wait_places_outside(const struct run *run, const struct run_process *p, uint32_t thread,
			     uint32_t site, const struct prs_wait *w);

/*
 * Other places than @shown from which @thread got to @site, which lies in a header of the
 * system: its waits are not distinguished by them.  At most @max go to @out; their number.
 */
size_t wait_places_beside(const struct run *run, const struct run_process *p, uint32_t thread, uint32_t site,
			  uint32_t shown, uint32_t *out, size_t max);

/* @w, or the acquisitions of the same thing at the same place if they know better how the thread got to @site. */
const struct prs_wait *wait_places_better(const struct wait_places *places, const struct run_process *p,
					  uint32_t thread, uint32_t site, const struct prs_wait *w);

/* The call round those of @site in which @thread spent most time; PRS_NO_SITE: none is known. */
uint32_t wait_places_round(const struct run_process *p, uint32_t thread, uint32_t site);

/* How often the thread of @row got its object at its place; 0 when asked again. */
uint64_t wait_places_taken(struct wait_places *places, const struct wait_row *row);

/* ... and threads of the name @who that were not counted yet, since they never waited there; once, too. */
uint64_t wait_places_others(struct wait_places *places, const struct report_summary *s,
			    const struct wait_row *row, const char *who);

/* Fill place and holds of @whom: where thread @row->other holds, signals or posts what @row is about. */
void wait_places_whom(const struct wait_places *places, struct report_summary *s, const struct wait_row *row,
		      struct report_whom *whom);

/* Fill s->locks; s->queues out of raw @rows. */
void collect_locks(struct report_summary *s);
void collect_queues(struct report_summary *s, const struct wait_list *rows);

#endif

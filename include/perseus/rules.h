/* SPDX-License-Identifier: MIT */
/*
 * perseus.rules: sites that a build leaves without probes, because a run has
 * shown that they cost more than they tell.  Written by `perseus sites
 * --suggest`, read by the plugin (rules=FILE), made to be reviewed.  Text, one
 * item a line, fields separated by one blank, in this order:
 *
 *   perseus-rules 1
 *   run NAME                  the run that the counts are of
 *   budget B                  probes may take B % of thread time
 *   cost COUNTED TIMED        picoseconds per call: only counted; timed
 *   before P                  estimated share of thread time, in %
 *   after P                   ... without the sites below
 *   kept P                    share of the attributed time that stays with the
 *                             function that spent it; the rest goes to callers
 *   call SITE CALLS TIMED COST MEAN UNIT PLACE FUNCTION CALLEE REASON
 *                             the call SITE was made CALLS times, TIMED of them
 *                             timed; its probes cost COST % of thread time; a
 *                             call took MEAN ns
 *   mem SITE COUNT UNIT PLACE FUNCTION BASE REASON
 *                             the access SITE was made COUNT times
 *   end N                     number of call and mem lines
 *
 * Blank lines and lines that begin with '#' are passed over.  SITE: 16 hex
 * digits, all instances.  UNIT: source file as in the U line of
 * .perseus.sites.  PLACE: file:line, for people.  In UNIT to REASON blanks,
 * control characters and '%' are written %XX.  Lines are sorted: call before
 * mem, then by falling cost, then by SITE.
 *
 * A site that UNIT no longer has is named by a warning (-Wperseus-rules).
 */
#ifndef PERSEUS_RULES_H
#define PERSEUS_RULES_H

#define PRS_RULES_MAGIC   "perseus-rules"
#define PRS_RULES_VERSION 1

#define PRS_RULES_SITE_UNIT_CALL 6 /* field numbers of UNIT */
#define PRS_RULES_SITE_UNIT_MEM  3
#define PRS_RULES_FIELDS_CALL    11
#define PRS_RULES_FIELDS_MEM     8

#endif

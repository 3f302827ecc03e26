/* SPDX-License-Identifier: MIT */
/*
 * perseus_triggers.plan: the only form of a plan that the plugin reads.
 * Written by `perseus codegen`, bound by hash to plan.yaml.  Text, one item a
 * line, fields separated by one blank, in this order:
 *
 *   perseus-triggers 2
 *   plan SHA256                      of plan.yaml, 64 hex digits
 *   start                            at most once: call perseus_program_start()
 *                                    first thing in main(); not where all the
 *                                    plan has are layouts
 *   create K SITE INSTANCE UNIT FUNCTION CALLEE LINE [EQUAL NEAR]
 *                                    a call that creates threads: the plugin puts
 *                                    perseus_create_K_begin() before and
 *                                    perseus_create_end() after it
 *   call NNNN SITE INSTANCE SIDE UNIT FUNCTION CALLEE LINE [EQUAL NEAR]
 *                                    put perseus_trigger_NNNN() on SIDE
 *                                    (before | after) of the call
 *   flush K UNIT FUNCTION LINE       the whole of FUNCTION (assembler name) is a region with
 *                                    flush-to-zero: perseus_flush_K_begin() first of all in it,
 *                                    perseus_flush_K_end() on every way out
 *   layout field TYPE FIELD FILE LINE ALIGN SIZE OFFSET SIZE-THEN OFFSET-THEN
 *                                       [EVIDENCE [accepted]]
 *                                    FIELD of TYPE, declared there, is aligned to ALIGN bytes
 *                                    before TYPE is laid out
 *   layout variable NAME UNIT FILE LINE ALIGN SIZE SIZE-THEN [EVIDENCE]
 *                                    the variable defined there begins at a multiple of ALIGN
 *                                    bytes, and so does what lies behind it
 *   end COUNT HASH                   number of lines above, header excluded, and
 *                                    prs_fnv64() of all bytes above as 16 hex
 *                                    digits: what was edited by hand is refused
 *
 * SITE: 16 hex digits.  INSTANCE: 8 hex digits, or `*` for all.  UNIT: source
 * file as in the U line of .perseus.sites ('-' if that was recorded under LTO),
 * '%XX' for blanks and control characters.  A unit named here whose function no longer holds the site is a
 * compile error in that unit, and so
 * is a site that lies in another function, or is a call of another callee, than
 * the line says.  create, call, flush and layout
 * lines stand in this order, and are sorted by number where they have one.
 * LINE: of the call when it was recorded, 0 if that is not known.  SITE counts
 * equal calls of one function; where there are several, LINE says which one is
 * meant, and the two must agree (lines may have moved together).
 * EQUAL: how many such calls there were when it was recorded: one more or less is
 * an error.  NEAR: 8 hex digits of what stood beside the call (perseus/sites.h):
 * if another one of them is more like it than this one, that is an error, too.
 *
 * TYPE: as a reader writes it, `struct ' may stand before it or not; of an
 * instantiation `pair<int>' all other instantiations are aligned, too, and SIZE and
 * OFFSET are those of the one that is named.  FIELD of a struct without a name
 * in TYPE counts as one of TYPE.  FILE: what stands behind its last `../' is
 * the end of the file's path from the root, or of what -ffile-prefix-map makes of it.  ALIGN: a power of two from 2 to
 * PRS_LAYOUT_ALIGN_MAX.  SIZE: bytes of TYPE or of the variable, OFFSET: of
 * FIELD in TYPE, as compiled without the plan; -THEN: with all of it.  NAME: may
 * be qualified, the last part counts.  UNIT: as above, of a variable that is
 * static, else '-'; compared as FILE is.  EVIDENCE: the finding that it rests on, for
 * messages, '-' for none.  accepted: objects of TYPE may be given to what reads their bytes.  Whatever differs is a compile error in each unit that
 * declares it: other figures, another line, no such field or variable.
 *
 * Section .perseus.layouts of an object, which is not loaded: text, the layout line of
 * each layout that was applied in a unit as it stands above, a blank, and the path of
 * the unit's source, with %XX.  Linkers put the parts of all objects behind one another.
 * A link with -flto adds
 *   without FILE                     an object that it took in, compiled without the plan
 *   link COUNT                       behind those: how many objects there were
 *
 * Functions the generated sources define (all void, C linkage):
 *   perseus_program_start(void), perseus_create_K_begin(void),
 *   perseus_create_end(void), perseus_trigger_NNNN(void),
 *   perseus_flush_K_begin(void), perseus_flush_K_end(void)
 * and variables that a verifier reads in the program:
 *   perseus_plan_sha256, perseus_thread_table
 */
#ifndef PERSEUS_TRIGGERS_H
#define PERSEUS_TRIGGERS_H

#define PRS_TRIGGERS_VERSION 2
#define PRS_TRIGGER_PREFIX   "perseus_trigger_"
#define PRS_FN_PROGRAM_START "perseus_program_start"
#define PRS_FN_CREATE_BEGIN  "perseus_create_%u_begin" /* K, decimal */
#define PRS_FN_CREATE_END    "perseus_create_end"
#define PRS_FN_FLUSH_BEGIN   "perseus_flush_%u_begin" /* K, decimal */
#define PRS_FN_FLUSH_END     "perseus_flush_%u_end"
#define PRS_PLAN_SHA256      "perseus_plan_sha256"
#define PRS_THREAD_TABLE     "perseus_thread_table"
#define PRS_LAYOUTS_SECTION  ".perseus.layouts"
#define PRS_LAYOUT_ALIGN_MAX 4096u

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The passes, and what they share. */
#ifndef PERSEUS_PLUGIN_PASS_H
#define PERSEUS_PLUGIN_PASS_H

#include "gcc-plugin/base/gcc-common.h"

/* Early: write down calls, accesses and allocated types of one function. */
gimple_opt_pass *make_pass_site(gcc::context *ctxt);

/* First of all: the functions of a plan that are regions (flush lines). */
gimple_opt_pass *make_pass_region(gcc::context *ctxt);

/* Between GCC's loop optimizers, before the vectoriser: range probes. */
gimple_opt_pass *make_pass_range(gcc::context *ctxt);

/* Last of the IPA passes: functions with two bodies (base/bodies.h). */
simple_ipa_opt_pass *make_pass_bodies(gcc::context *ctxt);

/* Behind the last of the IPA passes: variables that get lines of their own (layouts/). */
simple_ipa_opt_pass *make_pass_layouts(gcc::context *ctxt);

/* Among the IPA passes, at a link with -flto: the units that it takes in, for a plan (layouts/). */
ipa_opt_pass_d *make_pass_units(gcc::context *ctxt);

/* Late, in this order: memory probes, triggers, call probes. */
gimple_opt_pass *make_pass_mem(gcc::context *ctxt);
gimple_opt_pass *make_pass_trigger(gcc::context *ctxt);
gimple_opt_pass *make_pass_call(gcc::context *ctxt);

/* Near the end: how long loops with memory probes take (rounds.h). */
rtl_opt_pass *make_pass_rounds(gcc::context *ctxt);

/* The entries of plain bodies. */
rtl_opt_pass *make_pass_entry(gcc::context *ctxt);

/* When registers are settled and the flow is still known: those that a call probe may change unsaved (spare.h). */
rtl_opt_pass *make_pass_spare(gcc::context *ctxt);

/* Last: the registers that are free at memory probes (scratch.h). */
rtl_opt_pass *make_pass_scratch(gcc::context *ctxt);

/*
 * The function @name that a plan's sources define: one declaration per name and unit.  It takes no
 * argument: a verifier then needs the target of a call only, wherever the scheduler moves constants.
 */
tree pass_declared(const char *name);

/*
 * Put @stmt right behind @call, on the fall-through edge if the call ends its
 * block.  Several are placed in the order of the calls to this function when
 * @after (initially @call) is passed on.  False if control never comes back.
 */
bool pass_insert_after(gimple *call, gimple *stmt, gimple **after);

#endif

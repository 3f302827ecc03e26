/* SPDX-License-Identifier: MIT */
/*
 * The machine of the original Perseus report (2008): two packages of four
 * cores in pairs that share an L2 cache.  Figures are from its appendix A.2,
 * in cycles of 1.853 GHz there and in ns here; the watts that the report
 * does not give are calibrated on its own results:
 *
 *   - the penalties are cycles: move 386461/563589/579692/872597, frequency
 *     change 7246156, time slice 18530000;
 *   - an idle core of an awake package draws 0.712 of a busy one, a halted
 *     package 11.67 W: the two unknowns of the two equations "haltstate saves
 *     22.6 %" and "float saves 20.7 %";
 *   - every core has a clock of its own;
 *   - the "instrumentation penalty" is left out, it was paid once per run.
 *     The report has no price for a trigger that changes nothing; 0.1 us and
 *     1 us for a system call are typical of the time.
 *
 * False sharing.  A.2 charges 65000 cycles for one "false share", an entry
 * of its detector, and gives no number of accesses behind one.  An entry is
 * taken as one thousand accesses: 65 cycles, 35077 ps, for each access above
 * its undisturbed cost, a believable transfer over that machine's front-side
 * bus.  At this price the report's pairs program (19.25 % of time saved, so
 * 1.238 times slower when apart) makes 3.66 such accesses a kilocycle.  Only
 * cores without a common L2 pay (the "cache share" map of A.2), whatever the
 * kind of access: the report makes no difference.  Undisturbed: 1 cycle for
 * loads and stores, 6 for read-modify-write, 20 for a locked one.
 */
#include "yaml/builtin/builtin.h"

#include <stddef.h>

#define HEAD(name, source)                                                                                   \
	"perseus: platform\n"                                                                                \
	"version: 1\n"                                                                                       \
	"name: \"" name "\"\n"                                                                               \
	"source: \"built-in: " source "\"\n"                                                                 \
	"cpu: \"Intel(R) Xeon(R) CPU E5320 @ 1.86GHz\"\n"

#define CORES                                                                                                \
	"cores:\n"                                                                                           \
	"  - {id: 0, package: 0, cache_group: 0, physical: 0, domain: 0, usable: true}\n"                    \
	"  - {id: 1, package: 0, cache_group: 0, physical: 1, domain: 1, usable: true}\n"                    \
	"  - {id: 2, package: 0, cache_group: 1, physical: 2, domain: 2, usable: true}\n"                    \
	"  - {id: 3, package: 0, cache_group: 1, physical: 3, domain: 3, usable: true}\n"                    \
	"  - {id: 4, package: 1, cache_group: 2, physical: 4, domain: 4, usable: true}\n"                    \
	"  - {id: 5, package: 1, cache_group: 2, physical: 5, domain: 5, usable: true}\n"                    \
	"  - {id: 6, package: 1, cache_group: 3, physical: 6, domain: 6, usable: true}\n"                    \
	"  - {id: 7, package: 1, cache_group: 3, physical: 7, domain: 7, usable: true}\n"

#define STEPS(low)                                                                                           \
	"steps:\n"                                                                                           \
	"  - {khz: 1853000, busy_mw: 8160, idle_mw: 5810}\n"                                                 \
	"  - {khz: 1587000, " low "}\n"

#define PRICES                                                                                               \
	"energy_known: true\n"                                                                               \
	"can_halt: true\n"                                                                                   \
	"package_halt_mw: 11670\n"                                                                           \
	"slice_ns: 10000000\n"                                                                               \
	"trigger_ns: 100\n"                                                                                  \
	"affinity_ns: 1000\n"                                                                                \
	"frequency_ns: 3910500\n"                                                                            \
	"migrate_ns: {cache: 208560, package: 308495, remote: 470910}\n"                                     \
	"migrate_matrix_ns:\n"                                                                               \
	"  - [0, 208560, 304149, 312840, 470910, 470910, 470910, 470910]\n"                                  \
	"  - [208560, 0, 304149, 312840, 470910, 470910, 470910, 470910]\n"                                  \
	"  - [304149, 312840, 0, 208560, 470910, 470910, 470910, 470910]\n"                                  \
	"  - [304149, 312840, 208560, 0, 470910, 470910, 470910, 470910]\n"                                  \
	"  - [470910, 470910, 470910, 470910, 0, 208560, 304149, 312840]\n"                                  \
	"  - [470910, 470910, 470910, 470910, 208560, 0, 304149, 312840]\n"                                  \
	"  - [470910, 470910, 470910, 470910, 304149, 312840, 0, 208560]\n"                                  \
	"  - [470910, 470910, 470910, 470910, 304149, 312840, 208560, 0]\n"                                  \
	"price:\n"                                                                                           \
	"  store: {alone_ps: 540, shared_ps: {same: 540, smt: 540, cache: 540, package: 35617, remote: "     \
	"35617}}\n"                                                                                          \
	"  rmw: {alone_ps: 3238, shared_ps: {same: 3238, smt: 3238, cache: 3238, package: 38315, remote: "   \
	"38315}}\n"                                                                                          \
	"  atomic: {alone_ps: 10793, shared_ps: {same: 10793, smt: 10793, cache: 10793, package: 45870, "    \
	"remote: 45870}}\n"                                                                                  \
	"  load: {alone_ps: 540, shared_ps: {same: 540, smt: 540, cache: 540, package: 35617, remote: "      \
	"35617}}\n"

const char *const builtin_names[] = {"xeon-e5320", "xeon-e5320-cubic", NULL};

const char *const builtin_texts[] = {
	HEAD("xeon-e5320", "the machine of the original Perseus report, appendix A.2")
		CORES STEPS("busy_mw: 7000, idle_mw: 4984") PRICES,
	/* Watts by the cube of the frequency: the low step pays, unlike A.2's. */
	HEAD("xeon-e5320-cubic", "xeon-e5320 with power by the cube of frequency")
		CORES STEPS("busy_mw: 5130, idle_mw: 3653") PRICES,
};

/* SPDX-License-Identifier: MIT */
/* All verbs, in the order of the data flow.  X(identifier) */
#ifndef PERSEUS_CMD_VERBS_H
#define PERSEUS_CMD_VERBS_H

#define CMD_VERBS(X)                                                                                         \
	X(doctor)                                                                                            \
	X(build)                                                                                             \
	X(flags)                                                                                             \
	X(record)                                                                                            \
	X(top)                                                                                               \
	X(monitor)                                                                                           \
	X(runs)                                                                                              \
	X(report)                                                                                            \
	X(annotate)                                                                                          \
	X(sites)                                                                                             \
	X(waits)                                                                                             \
	X(conflicts)                                                                                         \
	X(denormals)                                                                                         \
	X(export)                                                                                            \
	X(energy)                                                                                            \
	X(calibrate)                                                                                         \
	X(analyze)                                                                                           \
	X(plan)                                                                                              \
	X(try)                                                                                               \
	X(codegen)                                                                                           \
	X(verify)                                                                                            \
	X(prove)                                                                                             \
	X(diff)                                                                                              \
	X(predict)                                                                                           \
	X(schedule)                                                                                          \
	X(tune)                                                                                              \
	X(gate)                                                                                              \
	X(ctl)                                                                                               \
	X(explain)

#endif

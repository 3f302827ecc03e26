/* SPDX-License-Identifier: MIT */
/* What C is generated from. */
#ifndef PERSEUS_CODEGEN_VIEW_INPUT_H
#define PERSEUS_CODEGEN_VIEW_INPUT_H

#include "lib/hash.h"
#include "yaml/plan.h"

/* Where the settings are made: which perseus_platform_*.c is written. */
enum codegen_backend {
	CODEGEN_LINUX, /* affinity; frequency steps by one of the ways below */
	CODEGEN_POSIX, /* threads are known, nothing can be set: every setting is counted as unavailable */
	CODEGEN_STUB,  /* bodies for an integrator to fill in */
	CODEGEN_BACKENDS,
};

/* Who makes frequency steps under Linux. */
enum codegen_frequency {
	CODEGEN_BY_PERSEUSD,
	CODEGEN_BY_DEVICE,  /* /dev/perseus */
	CODEGEN_BY_CPUFREQ, /* the files below /sys */
	CODEGEN_FREQUENCIES,
};

struct codegen_input {
	const struct plan *plan;
	const char *plan_name;   /* as shown in the generated files, without directories */
	char sha256[SHA256_HEX]; /* of the bytes of plan.yaml */
	enum codegen_backend backend;
	enum codegen_frequency frequency;
	enum plan_kind limit; /* a plan that needs more than this is refused; 0: none is */
};

#endif

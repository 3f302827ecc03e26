/* SPDX-License-Identifier: MIT */
/*
 * plan -> C that a reviewer can sign, the plan file that the plugin reads,
 * and the matrix that ties each of their lines to the plan.
 *
 * The generator is not trusted: perseus-verify compares the binary with the
 * plan without sharing code with it.
 */
#ifndef PERSEUS_CODEGEN_CODEGEN_H
#define PERSEUS_CODEGEN_CODEGEN_H

#include <stdbool.h>

#include "codegen/view/input.h"
#include "lib/err.h"
#include "lib/strbuf.h"

enum codegen_file {
	CODEGEN_HEADER,     /* perseus_triggers.h */
	CODEGEN_SOURCE,     /* perseus_triggers.c */
	CODEGEN_PLAN,       /* perseus_triggers.plan */
	CODEGEN_MACHINE_H,  /* perseus_machine.h */
	CODEGEN_LAYOUTS,    /* perseus_layouts.h, of a plan with layouts */
	CODEGEN_STATUS_H,   /* perseus_status.h, from here to the platform file: the library */
	CODEGEN_SUPPORT_H,  /* perseus_support.h */
	CODEGEN_PLATFORM_H, /* perseus_platform.h */
	CODEGEN_PLATFORM_C, /* perseus_platform_BACKEND.c */
	CODEGEN_MATRIX,     /* perseus_matrix.csv */
	CODEGEN_TEST,       /* perseus_triggers_test.c */
	CODEGEN_GRAFT,      /* perseus_graft.patch, made by graft_make() if it is asked for */
	CODEGEN_FILES,
};

struct codegen_output {
	struct strbuf file[CODEGEN_FILES];
	enum codegen_backend backend;
	enum plan_kind kind; /* that the plan needs */
	size_t n_points;     /* functions perseus_trigger_NNNN */
	size_t n_creates;    /* creating call sites */
	size_t n_threads;
	size_t n_settings;   /* decisions: cores of starts, and what triggers set */
	struct strbuf notes; /* what can never act, a sentence a line; empty: nothing */
};

/* What somebody has decided in @plan: each start on a core, each setting of a trigger. */
size_t codegen_settings(const struct plan *plan);

/* "linux", "posix", "stub", NULL. */
extern const char *const codegen_backends[];

/* "perseusd", "device", "cpufreq", NULL. */
extern const char *const codegen_frequencies[];

/*
 * True for the files that hold nothing of a plan: the same bytes for all plans
 * that need the same parts, so that they are reviewed once.
 */
bool codegen_is_library(enum codegen_file file);

/* Name of a file, without directory. */
const char *codegen_file_name(enum codegen_backend backend, enum codegen_file file);

/*
 * Write all files into memory; the same input gives the same bytes.  -EINVAL
 * if the plan contradicts itself (the message names the item), -ENODATA if it
 * sets nothing, so that there is nothing to generate.  The caller releases
 * @out in every case.
 */
int codegen_make(struct codegen_output *out, const struct codegen_input *in, struct err *err);

/*
 * Write @out below directory @dir, which is made.  All files are written
 * under other names first, so that a failure leaves what was there.
 */
int codegen_write(const struct codegen_output *out, const char *dir, struct err *err);

/* Free the contents. */
void codegen_release(struct codegen_output *out);

#endif

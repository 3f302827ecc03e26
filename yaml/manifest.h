/* SPDX-License-Identifier: MIT */
/*
 * manifest.yaml of a run directory: who ran what, how it ended, which files
 * belong to it.  Written by `perseus record`; the rest of the directory:
 *
 *   <pid>.<epoch>.prec             one per process (perseus-record(5))
 *   <pid>.<epoch>.pden             ... of purpose "denormal" (perseus/denormal.h)
 *   modules/<build id or hash>.sites    copy of .perseus.sites
 *   modules/<build id or hash>.symbols  copy of the symbol table, one
 *                                  `address size type name` a line (hex hex t name)
 */
#ifndef PERSEUS_YAML_MANIFEST_H
#define PERSEUS_YAML_MANIFEST_H

#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/strbuf.h"

#define MANIFEST_VERSION 1

struct manifest_module {
	char *path;         /* as loaded */
	char *key;          /* names the files in modules/ */
	char *build_id;     /* hex or NULL */
	char *sites_sha256; /* NULL: the module carries no probes */
};

struct manifest {
	char *program; /* base name */
	char **argv;
	size_t n_argv;
	char *trial;   /* SHA-256 of the plan that acted by its probes meanwhile, NULL: none */
	char *purpose; /* "timing", "sharing" or "denormal" */
	char *status;  /* "running", "exited", "killed", "stopped" (the recording, not the program) */
	int exit_code; /* exited */
	int signal;    /* killed */
	uint64_t wall_ns;
	uint64_t user_ns, system_ns;
	uint64_t recorder_ns; /* CPU time of the recorder itself, 0: not known */
	uint64_t syscall_ns;  /* to read a thread's CPU time by a system call took then, 0: not known */
	uint64_t samples;     /* looks at where the program was, at equal distances of CPU time; 0: none */
	uint64_t samples_runtime;  /* ... that found it in the runtime */
	uint64_t samples_watching; /* ... in the program's text at probes that were awake */
	uint64_t samples_resting; /* ... behind memory probes at rest; without samples_taken: by their part */
	uint64_t samples_counting;  /* ... in front of probed calls, where they are counted */
	uint64_t samples_loading;   /* ... elsewhere in its text, where it waited for memory */
	uint64_t samples_taken;     /* looks, each counted once; 0: as `samples` */
	uint64_t sample_ns;         /* what each of them took of the program's CPU time; 0: not known */
	uint64_t trace_bytes;       /* events of a trace, which went through the caches; 0: no trace */
	uint64_t samples_user_only; /* 1: system calls were not looked at */
	uint32_t cores;             /* usable */
	char *cpu;
	uint64_t core_khz;  /* calibrated at record time, 0 unknown */
	uint64_t locked_ps; /* what a locked access takes that finds its line at hand, 0 unknown */
	double load_before; /* 1 minute load average */
	struct manifest_module *modules;
	size_t n_modules;
};

/* Read and check; errors as model_load(). */
int manifest_load(struct manifest *m, const char *path, struct err *err);

/* The same from memory; @name stands in messages. */
int manifest_parse(struct manifest *m, const char *text, size_t len, const char *name, struct err *err);

/* Append the canonical form to @out. */
void manifest_text(const struct manifest *m, struct strbuf *out);

/* Write; the recorder does so at start (status "running") and at the end. */
int manifest_save(const struct manifest *m, const char *path, struct err *err);

/* Free everything inside. */
void manifest_release(struct manifest *m);

#endif

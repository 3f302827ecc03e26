/* SPDX-License-Identifier: MIT */
/*
 * What instructions of programs without source raised: the rows of .pden files
 * of the trap route, merged over threads and processes by module and address.
 * include/perseus/denormal.h is the format.
 */
#ifndef PERSEUS_RECORD_DENORMAL_TRAPS_H
#define PERSEUS_RECORD_DENORMAL_TRAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/vec.h"
#include "perseus/denormal.h"
#include "record/file/types.h"

#define DENORMAL_NO_MODULE SIZE_MAX

/* A file with code; those of one path and build id are one. */
struct denormal_trap_module {
	char *path;
	char build_id[2 * 32 + 1]; /* hexadecimal, "": none */
};

struct denormal_trap {
	size_t module;    /* DENORMAL_NO_MODULE: code that was made while the program ran */
	uint64_t address; /* of the instruction, as linked; without a module as it was */
	uint64_t operands, results, lanes;
	char *function; /* assembler name, NULL: not known; by denormal_traps_name() */
	uint64_t into;  /* bytes from its begin */
	char *file;     /* of the source, NULL: not known; by cmd/denormals */
	uint32_t line;
};

/* As struct prs_den_note. */
struct denormal_trap_note {
	uint32_t kind, pid, thread; /* thread: number in its process, UINT32_MAX: none */
	uint64_t value, count;
	size_t module; /* of NOTE_DECODE and NOTE_HANDLER, whose value is as linked then */
};

struct denormal_traps {
	struct VEC(struct denormal_trap_module) modules;
	struct VEC(struct denormal_trap) rows;
	struct VEC(struct denormal_trap_note) notes;
	size_t n_files, n_running; /* processes that were watched; those that did not end by themselves */
	size_t n_threads;
	uint64_t lost; /* for which there was no room */
};

/*
 * Add the file @data of @size bytes, called @name in messages; one of programs
 * with probes adds nothing.  -EINVAL: as denormal_add().
 */
int denormal_traps_add(struct denormal_traps *t, const void *data, size_t size, const char *name,
		       struct err *err);

/* After the last file: one row for each instruction, those with most traps first. */
void denormal_traps_settle(struct denormal_traps *t);

/*
 * The functions that instructions lie in, by the symbols of the modules' files;
 * a file that is gone, or is another one now, gives none.
 */
void denormal_traps_name(struct denormal_traps *t);

/* The same for module @module by the symbols @symbols of it. */
void denormal_traps_name_by(struct denormal_traps *t, size_t module, const struct run_module *symbols);

void denormal_traps_release(struct denormal_traps *t);

#endif

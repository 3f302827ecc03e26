/* SPDX-License-Identifier: MIT */
/* Which events there are, by purpose and processor: perseus-monitor(1), monitor/README.md. */
#ifndef PERSEUS_MONITOR_FAMILIES_FAMILIES_H
#define PERSEUS_MONITOR_FAMILIES_FAMILIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/vec.h"

enum family_scope {
	FAMILY_THREAD,  /* on a counter of the core, for one thread */
	FAMILY_PACKAGE, /* of a package, whoever caused it */
	FAMILY_KERNEL,  /* for one thread by the kernel: needs no counter */
};

struct family_event {
	char *family, *name; /* "coherence", "hitm" */
	char *event;         /* as event_encode() takes it */
	char *source;        /* the manual, or libpfm4's table, and its words */
	enum family_scope scope;
};

/* Models from low to high. */
struct family_range {
	uint32_t low, high;
};

struct family_machine {
	char *name, *vendor; /* libpfm4's table; as /proc/cpuinfo has it, "-": any */
	uint32_t family;
	struct VEC(struct family_range) models;
	struct VEC(struct family_event) events;
};

struct families VEC(struct family_machine);

/* Read @text of @len bytes; @path is for messages.  -EINVAL with its line. */
int families_read(struct families *f, const char *path, const char *text, size_t len, struct err *err);

/* Those that are in this program. */
int families_builtin(struct families *f, struct err *err);
void families_release(struct families *f);

/* ---- which machine (choose.c) ------------------------------------------------------ */

struct machine_id {
	char vendor[24];
	uint32_t family, model;
};

/* What /proc/cpuinfo below @sysroot says; false: it does not. */
bool machine_id_read(const char *sysroot, struct machine_id *id);

/*
 * The machine of @id, or the nearest of the same vendor (*@nearest is set then); NULL: none of
 * that vendor.
 */
const struct family_machine *families_choose(const struct families *f, const struct machine_id *id,
					     bool *nearest);

/* The one of that name, NULL. */
const struct family_machine *families_find(const struct families *f, const char *name);

/* ---- what is counted together (sets.c) ----------------------------------------------- */

/* Numbers of events that are on counters at the same time. */
struct family_set VEC(size_t);
struct family_sets VEC(struct family_set);

/*
 * Pack the events of @m whose family is in the comma list @wanted (NULL: all) into sets of at
 * most @counters events (0: as 1).  An event of a package is a set of its own; those of the
 * kernel are one.
 */
void family_sets_make(struct family_sets *sets, const struct family_machine *m, const char *wanted,
		      unsigned counters);

/* Divide set @i into its two halves, the second one behind it; false: it has one event. */
bool family_sets_halve(struct family_sets *sets, size_t i);
void family_sets_release(struct family_sets *sets);

/* Is @family a word of the comma list @wanted (NULL: yes)? */
bool family_wanted(const char *wanted, const char *family);

#endif

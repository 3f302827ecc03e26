/* SPDX-License-Identifier: MIT */
/* Sets of cpus, with the bits where the messages have them, and the kernel's lists ("0-3,8"). */
#ifndef PERSEUS_DAEMON_MACHINE_CPUS_H
#define PERSEUS_DAEMON_MACHINE_CPUS_H

#include <stdbool.h>
#include <stddef.h>

#include "perseus/ctl.h"

#define CPUS_BYTES (PRS_CTL_CPUS / 8)
#define CPUS_TEXT  4096 /* more than the longest list of PRS_CTL_CPUS cpus */

struct cpus {
	prs_u8 bits[CPUS_BYTES];
};

static inline bool cpus_has(const struct cpus *set, prs_u32 cpu)
{
	return cpu < PRS_CTL_CPUS && set->bits[cpu / 8] >> cpu % 8 & 1;
}

static inline void cpus_add(struct cpus *set, prs_u32 cpu)
{
	if (cpu < PRS_CTL_CPUS)
		set->bits[cpu / 8] |= (prs_u8)(1u << cpu % 8);
}

static inline void cpus_join(struct cpus *set, const struct cpus *more)
{
	for (unsigned int i = 0; i < CPUS_BYTES; i++)
		set->bits[i] |= more->bits[i];
}

static inline void cpus_meet(struct cpus *set, const struct cpus *other)
{
	for (unsigned int i = 0; i < CPUS_BYTES; i++)
		set->bits[i] &= other->bits[i];
}

static inline void cpus_remove(struct cpus *set, const struct cpus *other)
{
	for (unsigned int i = 0; i < CPUS_BYTES; i++)
		set->bits[i] &= (prs_u8)~other->bits[i];
}

/* The first cpu from @from on, PRS_CTL_CPUS if there is none. */
prs_u32 cpus_next(const struct cpus *set, prs_u32 from);

/* The first cpu of @set that is not in @other, PRS_CTL_CPUS if there is none. */
prs_u32 cpus_first_outside(const struct cpus *set, const struct cpus *other);

static inline bool cpus_is_empty(const struct cpus *set)
{
	return cpus_next(set, 0) == PRS_CTL_CPUS;
}

#define cpus_for_each(CPU, SET)                                                                              \
	for (prs_u32 CPU = cpus_next(SET, 0); CPU < PRS_CTL_CPUS; CPU = cpus_next(SET, CPU + 1))

/*
 * Read "0-3,8", or numbers with blanks between; blanks and a new line around them are ignored, an empty list
 * is none.  Returns 0, or -EINVAL for anything else, numbers from PRS_CTL_CPUS on, and ranges that fall.
 */
int cpus_parse(struct cpus *set, const char *list);

/* As the kernel writes it, without a new line; returns the length.  @size CPUS_TEXT is always enough. */
size_t cpus_print(const struct cpus *set, char *out, size_t size);

#endif

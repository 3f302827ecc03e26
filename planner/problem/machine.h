/* SPDX-License-Identifier: MIT */
/*
 * The platform as the search sees it: units instead of operating system
 * cores.  A unit is a physical core with at least one usable hardware thread;
 * hardware threads of one core are counted as taking turns, since no price
 * for their interference is known.  Units stand in the order package, cache
 * group, number, so that packages are ranges.
 */
#ifndef PERSEUS_PLANNER_PROBLEM_MACHINE_H
#define PERSEUS_PLANNER_PROBLEM_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/err.h"
#include "yaml/platform.h"

#define MACHINE_NONE 0xffffffffu

struct unit {
	uint32_t package; /* index in machine.packages */
	uint32_t group;   /* dense, ascending over the units */
	uint32_t domain;  /* index in machine.domains */
	uint32_t first;   /* its hardware threads: machine.cores[first .. first + n_cores) */
	uint32_t n_cores;
};

struct machine_package {
	uint32_t first, last; /* units [first, last) */
	uint32_t class;       /* packages of one class may be exchanged */
	bool halts;
	uint64_t halt_mw; /* never above what its cores draw idle */
};

struct machine_domain {
	uint32_t id;      /* the platform's number */
	uint32_t package; /* MACHINE_NONE: spans packages */
	uint32_t *units;
	uint32_t n_units;
};

struct machine {
	const struct platform *platform; /* not owned */
	struct unit *units;
	uint32_t n_units;
	uint32_t *cores; /* indices in platform.cores */
	struct machine_package *packages;
	uint32_t n_packages;
	uint32_t *group_class; /* groups of one class in exchangeable packages may be exchanged */
	uint32_t n_groups;
	struct machine_domain *domains;
	uint32_t n_domains;
	uint32_t n_steps;
	uint32_t idle_step;       /* the step that draws least when idle */
	uint64_t *busy_mw;        /* per step; 0 if the watts are not known */
	uint64_t *idle_mw;        /* per step */
	uint8_t *distance;        /* n_units x n_units, enum platform_distance */
	uint64_t n_apart[DIST_N]; /* ordered pairs of different units at that distance */
	uint64_t *migrate;        /* n_units x n_units, ns */
	uint64_t migrate_max;     /* ns */
	uint64_t full_mw;         /* every unit busy at the step that draws most */
	bool symmetric;           /* the frequency domains follow the topology: units may be exchanged */
};

/*
 * Build from a platform, which must outlive the machine.  -EINVAL if the
 * platform contradicts itself, -ENODEV if no core is usable.
 */
int machine_init(struct machine *m, const struct platform *p, struct err *err);

/* Free everything inside. */
void machine_release(struct machine *m);

/*
 * Which packages halt, and what they draw then, from the platform's figure and
 * the machine's idle watts; for whoever changes one of these in a copy.
 */
void machine_halting(struct machine *m);

/* Operating system number of the @nth hardware thread (modulo their number) of a unit. */
uint32_t machine_core_id(const struct machine *m, uint32_t unit, uint32_t nth);

/* The unit that holds operating system core @id, MACHINE_NONE if none does. */
uint32_t machine_unit_of(const struct machine *m, uint32_t id);

#endif

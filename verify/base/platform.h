/* SPDX-License-Identifier: MIT */
/* platform.yaml as the verifiers see it: cores, steps, what things cost and draw. */
#ifndef PERSEUS_VERIFY_BASE_PLATFORM_H
#define PERSEUS_VERIFY_BASE_PLATFORM_H

#include "verify/base/yaml.h"

#define VPLATFORM_NONE 0xffffffffu

/* How far two cores are apart, nearer first. */
enum vdistance { VDIST_SAME, VDIST_SMT, VDIST_CACHE, VDIST_PACKAGE, VDIST_REMOTE, VDIST_N };

/* How a line is accessed, as platform.yaml orders the prices. */
enum vaccess { VACCESS_STORE, VACCESS_RMW, VACCESS_ATOMIC, VACCESS_LOAD, VACCESS_N };

#define VGAPS 5 /* distances in time that prices are known at */

struct vplatform_core {
	uint32_t id, package, group, physical, domain;
	bool usable;
	uint32_t unit; /* the first usable core of the same physical core; VPLATFORM_NONE: not usable */
};

struct vplatform_step {
	uint32_t khz;
	uint64_t busy_mw, idle_mw;
};

struct vplatform_package {
	uint64_t n_units, rest_mw; /* ... that it draws without work */
	bool whole, halts;         /* all its cores are usable; without work it halts */
};

/* A price that is missing at a distance is that of the next farther one, else of the next nearer. */
struct vplatform_price {
	uint64_t alone_ps, shared_ps[VDIST_N], extra_ps[VGAPS][VDIST_N];
};

struct vplatform {
	struct input in;
	struct vyaml doc;
	char sha256[65]; /* of the file */
	const char *name, *cpu;
	struct vplatform_core *core;
	size_t n_cores;
	struct vplatform_step *step; /* the fastest first */
	size_t n_steps;
	struct vplatform_package *package; /* by number, up to the highest */
	bool energy_known, can_halt;
	uint64_t halt_mw, trigger_ns, affinity_ns, frequency_ns;
	uint64_t migrate_ns[VDIST_N], transfer_ps[VDIST_N];
	uint64_t *matrix_ns; /* n_cores x n_cores, or NULL */
	struct vplatform_price price[VACCESS_N];
	/* Of another platform that is asked about (whatif.h): times what an access costs more; shares of memory. */
	double times[VACCESS_N][VDIST_N], memory_is, memory_asked;
	/* What follows from the rest: units, ordered pairs of different units by distance, the longest move. */
	uint64_t n_units, apart[VDIST_N], longest_move_ns;
	uint64_t floor_mw;              /* least idle power of a unit */
	uint32_t n_packages, n_domains; /* one more than the highest number */
	uint32_t first;                 /* usable core */
};

/* Read a platform strictly; -1 with file, line and reason.  Release in every case. */
int vplatform_read(struct vplatform *p, const char *path, struct fault *f);

/* Distance of, and time to move a thread between, two usable cores; by their units. */
int vplatform_distance(const struct vplatform *p, uint32_t a, uint32_t b);
uint64_t vplatform_move_ns(const struct vplatform *p, uint32_t from, uint32_t to);

/* Index of core @id, VPLATFORM_NONE if there is none that is usable; of the step of @khz, likewise. */
uint32_t vplatform_find(const struct vplatform *p, uint32_t id);
uint32_t vplatform_find_step(const struct vplatform *p, uint32_t khz);

/* What follows from steps and halt_mw: floor_mw, and which packages halt. */
void vplatform_watts(struct vplatform *p);

/* What an access costs more at full rate, ps. */
uint64_t vplatform_full_rate(const struct vplatform_price *p, int distance);

/* Free the contents. */
void vplatform_release(struct vplatform *p);

#endif

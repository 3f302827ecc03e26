/* SPDX-License-Identifier: MIT */
/*
 * Meters of this machine: what /sys offers that counts joules or shows watts, what
 * each of them is good for, and reading them.  All paths go through a sysroot.
 */
#ifndef PERSEUS_PLATFORM_METER_METER_H
#define PERSEUS_PLATFORM_METER_METER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/vec.h"

/* From the best to the worst. */
enum meter_kind {
	METER_POWERCAP, /* zones of RAPL: counters of energy that wrap around */
	METER_PMU,      /* the same by perf: 64 bits */
	METER_ENERGY,   /* hwmon energy*_input: counters */
	METER_POWER,    /* hwmon power*_input: watts now or of a while */
	METER_KINDS
};

/* "powercap", "pmu", "hwmon-energy", "hwmon-power". */
const char *meter_kind_name(enum meter_kind kind);

struct meter_source {
	enum meter_kind kind;
	char *name;     /* "package-0", "energy-pkg of processor 0", "amd_energy Esocket0" */
	char *path;     /* of the file, or of the folder of the PMU, without the sysroot */
	double unit;    /* joules, or watts, of one count */
	double range;   /* joules at which it begins again, 0: it does not, or that is not known */
	double latency; /* seconds: what it shows may be as old */
	bool whole; /* a part of the sum for the machine; false: inside of another one, or of other parts */
	int error;  /* errno of reading it, 0: it can be read */
	uint32_t type; /* of the PMU */
	uint64_t config;
	int processor;
};
struct meter_sources VEC(struct meter_source);

/* Find all below @sysroot ("": this machine), in the order of their kinds, and try each. */
void meter_find(struct meter_sources *out, const char *sysroot);
void meter_release(struct meter_sources *s);

/* What is wrong with a source's file, by source.error: "is empty". */
const char *meter_why(int error);

/* What somebody can do who wants to read sources that this user may not. */
const char *meter_remedy(enum meter_kind kind);

struct meter;

/*
 * Open the sources of @kind whose sum is that of the machine; METER_KINDS: of the best
 * kind that can be read.  -ENOENT: there are none; -EACCES: this user may read
 * none of them, -EIO; the message names remedy or reason.
 */
int meter_open(struct meter **m, enum meter_kind kind, const char *sysroot, struct err *err);
void meter_close(struct meter *m);

/* "powercap package-0, package-1"; lives as long as @m. */
const char *meter_name(const struct meter *m);

/* The smallest difference that it shows, J; 0: it shows watts. */
double meter_step(const struct meter *m);

/* How old what it shows may be, s. */
double meter_latency(const struct meter *m);

/*
 * Joules since meter_open() at @now (s, any clock, not falling).  Wrap-around is taken
 * out; of what shows watts it is the trapezoids between readings.  -EIO: a source
 * vanished, or its counter fell and does not wrap around.
 */
int meter_read(struct meter *m, double now, double *joules, struct err *err);

/* How often a counter began again. */
uint64_t meter_wraps(const struct meter *m);

#endif

/* SPDX-License-Identifier: MIT */
/* What a measurement needs to say of the machine it was made on. */
#ifndef PERSEUS_CMD_PROVE_MACHINE_H
#define PERSEUS_CMD_PROVE_MACHINE_H

#include <stdint.h>

#include "lib/err.h"

struct machine {
	char cpu[128];     /* model name, "" unknown */
	uint32_t cores;    /* in the affinity mask of this process */
	double load;       /* 1 minute load average */
	char governor[32]; /* of core 0, "" if there is no frequency control */
};

/* CPU time of the whole machine since boot, in clock ticks (sysconf(_SC_CLK_TCK)). */
struct machine_ticks {
	uint64_t busy;   /* everything but idle, waiting for a disk, and stolen */
	uint64_t stolen; /* taken by the host of a virtual machine */
};

/* Read the facts below @sysroot ("" for this machine); what is missing stays empty. */
void machine_read(struct machine *m, const char *sysroot);

/* Read the counters of /proc/stat below @sysroot; -ENOENT, -EINVAL. */
int machine_ticks_read(struct machine_ticks *t, const char *sysroot);

/*
 * A counter of the user-mode instructions of this process and of the programs
 * that it starts from now on, with all their threads; -1 if there is none
 * here.  The caller closes it.
 */
int machine_instructions_open(void);

/* What it has counted so far; a program adds its part when it has ended.  0 for -1. */
uint64_t machine_instructions_read(int fd);

#endif

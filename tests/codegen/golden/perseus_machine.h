/* SPDX-License-Identifier: MIT */
/*
 * Machine of the triggers of `radar`, written by perseus codegen.  Do not edit: change the plan and generate
 * again; the same plan and tool version give this file byte for byte.  See perseus_triggers.h
 * for the plan.
 */
#ifndef PERSEUS_MACHINE_H
#define PERSEUS_MACHINE_H

/* The planned machine: cores online, and the processor's name. */
#define PERSEUS_CORES (8)
#define PERSEUS_CPU   "Intel(R) Xeon(R) CPU E5320 @ 1.86GHz"
#define PERSEUS_CORE_LIMIT  (8u) /* core numbers are below */
#define PERSEUS_LAST_DOMAIN (7u) /* highest one that the plan sets */

/* Frequency domains that the plan sets, and its lowest and highest step, kHz. */
#define PERSEUS_DOMAINS     (4u)
#define PERSEUS_DOMAIN_LIST {2u, 3u, 6u, 7u}
#define PERSEUS_LOWEST_KHZ  (1587000u)
#define PERSEUS_HIGHEST_KHZ (1853000u)

/* Parts of the platform file that the plan needs. */
#define PERSEUS_SYSTEM_CPU_MOVES_STEPS (1u)

#endif

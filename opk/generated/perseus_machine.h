/* SPDX-License-Identifier: MIT */
/*
 * Machine of the triggers of `pairs`, written by perseus codegen.  Do not edit: change the plan and generate
 * again; the same plan and tool version give this file byte for byte.  See perseus_triggers.h
 * for the plan.
 */
#ifndef PERSEUS_MACHINE_H
#define PERSEUS_MACHINE_H

/* The planned machine: cores online, and the processor's name. */
#define PERSEUS_CORES (8)
#define PERSEUS_CPU   "Intel(R) Xeon(R) CPU E5320 @ 1.86GHz"

/* Parts of the platform file that the plan needs. */
#define PERSEUS_SYSTEM_CPU_SETTLES (1u)

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The stubs of an object: they save what a call would destroy. */
#ifndef PERSEUS_PLUGIN_ARCH_STUBS_H
#define PERSEUS_PLUGIN_ARCH_STUBS_H

#include "gcc-plugin/arch/probe.h"
#include "gcc-plugin/base/text.h"
#include "perseus/abi.h"
#include <stdint.h>
#include <stdio.h>

#define STUB_DESC     "__prs_desc"
#define STUB_ACCESSES ".LprsAccess" /* 32 bits for each memory site; in front of it for each group of parts */

enum stub_kind {
	STUB_ENTER,          /* result in the register */
	STUB_ENTER_INDIRECT, /* the same, target on the stack */
	STUB_LEAVE,          /* token in the register */
	STUB_MEM,            /* address in the register */
	STUB_MEM_CALLED,     /* the same, from a cold part that was called */
	STUB_RANGE,          /* stack: first byte, bytes, times */
	STUB_ROWS,           /* stack: struct prs_rows */
	STUB_NOTE_ALLOC,     /* stack: pointer, bytes */
	STUB_NOTE_STRDUP,    /* stack: pointer */
	STUB_NOTE_MEMALIGN,  /* stack: pointer to the pointer, bytes */
	STUB_NOTE_FREE,      /* stack: pointer */
	STUB_KINDS
};

/* AT&T name of GCC's general register @regno, 64 or 32 bits wide. */
const char *stub_register(unsigned regno, bool wide);

/* Label of a stub for @regno (0 where the kind takes none); it will be written. */
const char *stub_name(enum stub_kind kind, unsigned regno);

/* The sites that number @site of a probe stands for, itself or its parts; how many. */
unsigned stub_sites(unsigned site, unsigned *sites);

/*
 * Append: 32 bits of @to become the site.  @stack: where the return address
 * is.  It is behind the call, or (@called) in front of the cold part that the
 * probe called.
 */
void stub_load_site(struct text *out, const char *stack, unsigned to, unsigned scratch, bool called);

/* Write descriptor, used stubs, constructor and destructor to @f; without a site only the descriptor, which entries name. */
void stub_write_all(FILE *f, unsigned n_calls, unsigned n_mems, uint64_t unit_id);

#endif

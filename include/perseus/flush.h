/* SPDX-License-Identifier: MIT */
/*
 * What libperseus-flush.so, which tries flush-to-zero in a program that knows nothing of it,
 * is told through the environment, and what it tells back.
 */
#ifndef PERSEUS_FLUSH_H
#define PERSEUS_FLUSH_H

#include <stdint.h>

#define PRS_ENV_FLUSH_BITS                                                                                   \
	"PERSEUS_FLUSH_BITS" /* of MXCSR, hexadecimal; 0: go the same way, change nothing */
#define PRS_ENV_FLUSH_PAGE "PERSEUS_FLUSH_PAGE" /* path of a file of struct prs_flush */
/*
 * "ADDRESS:BYTES[:AT...] ...", hexadecimal, at most PRS_FLUSH_REGIONS: link-time addresses of functions
 * of the program, how many bytes of whole instructions at their begin may be moved (5 to
 * PRS_FLUSH_MOVED), and where in these 32-bit distances from the place of the code stand.  Not set:
 * the whole program.
 */
#define PRS_ENV_FLUSH_REGIONS "PERSEUS_FLUSH_REGIONS"

#define PRS_ENV_FLUSH_PROGRAM "PERSEUS_FLUSH_PROGRAM" /* file of the program that has the regions */

#define PRS_FLUSH_REGIONS 8
#define PRS_FLUSH_MOVED   20

#define PRS_FLUSH_FTZ 0x8000u
#define PRS_FLUSH_DAZ 0x0040u

#define PRS_FLUSH_MAGIC 0x48534c4652455031ull

struct prs_flush {
	uint64_t magic;
	uint64_t begun;   /* processes that the library was ready in */
	uint64_t failed;  /* ... or not: no memory near the program, or its code could not be changed */
	uint64_t entered; /* calls of the regions */
	uint64_t left;    /* returns from them */
	uint64_t jumped;  /* calls that were left otherwise: the register was not put back */
	uint64_t foreign; /* calls, or programs that ended, with the bits set by somebody else */
	uint64_t changed; /* returns that found the bits gone: the region sets the register itself */
};

#endif

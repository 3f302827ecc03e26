/* SPDX-License-Identifier: MIT */
/* How a program uses memory: the one list of kinds, in ascending strength, with letters and words. */
#ifndef PERSEUS_ACCESS_H
#define PERSEUS_ACCESS_H

/* The numbers are stored in records and probes, the letters in site tables. */
enum prs_kind {
	PRS_KIND_LOAD,
	PRS_KIND_STORE,
	PRS_KIND_RMW,    /* plain read-modify-write, merged into one probe */
	PRS_KIND_ATOMIC, /* locked read-modify-write */
	PRS_KIND_N
};

#define PRS_KIND_LETTERS "LSRA"
/* In model and platform files. */
#define PRS_KIND_WORDS "load", "store", "rmw", "atomic"

/* The word of @kind, which is a valid one. */
static inline const char *prs_kind_word(unsigned kind)
{
	static const char *const words[PRS_KIND_N] = {PRS_KIND_WORDS};

	return words[kind];
}

#endif

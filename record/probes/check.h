/* SPDX-License-Identifier: MIT */
/* Do probe pairs enclose their call and nothing else?  Answered from the linked code. */
#ifndef PERSEUS_RECORD_PROBES_CHECK_H
#define PERSEUS_RECORD_PROBES_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/strbuf.h"
#include "lib/vec.h"
#include "record/run.h"

enum region_fault {
	REGION_DIVISION,
	REGION_CALL, /* another call than the probed one */
	REGION_LOAD, /* from memory that is neither frame, stack argument nor constant */
	REGION_STORE,
	REGION_BRANCH,
	REGION_WORK,      /* any other instruction that does not just move */
	REGION_NO_CALL,   /* the code ends, or another probe begins, before there is a call */
	REGION_NO_LEAVE,  /* ... before there is the leave probe */
	REGION_WRONG,     /* the leave probe is of another site */
	REGION_UNREADABLE /* bytes that are no instruction */
};

/* What one pair encloses that it should not; only the first thing of each pair is kept. */
struct region_finding {
	enum region_fault fault;
	bool after;       /* behind the call, not before it */
	uint64_t address; /* of the instruction */
	uint8_t bytes[15];
	unsigned n_bytes;
	const struct run_call_site *site;
	uint64_t copies; /* pairs of the site with this fault on this side */
	char id[20];     /* region-NNNNNN */
};
struct region_findings VEC(struct region_finding);

/* What was looked at in one module. */
struct region_counts {
	uint64_t slots;     /* call sites of its table */
	uint64_t found;     /* of these, with a probe in the code */
	uint64_t pairs;     /* probes in the code: copies count */
	uint64_t noreturn;  /* of these, round a call that does not return: no leave probe */
	uint64_t copied;    /* slots with more than one probe */
	uint64_t elsewhere; /* slots without code, whose site another unit has: the linker keeps one copy */
	uint64_t gone;      /* slots without code otherwise */
	uint64_t faulty;    /* pairs with a finding */
};

/*
 * Judge all pairs of the file @path with the site table @sites.  Findings in
 * order of their ids, pointing into @sites; release with vec_release().  Fails
 * as sites_image_open(), or with -ENOTSUP: none of the probes was found, so
 * they are of a form that is not known.
 */
int sites_check(const char *path, const struct sites *sites, struct region_counts *counts,
		struct region_findings *findings, struct err *err);

/* "division", "call", ...: the kind of a finding. */
const char *region_fault_name(enum region_fault f);

/* The text and the JSON of `perseus sites --check`; the second is an object in an array. */
struct json;
void sites_check_text(const char *path, const struct region_counts *counts,
		      const struct region_findings *findings, struct strbuf *out);
void sites_check_json(const char *path, const struct region_counts *counts,
		      const struct region_findings *findings, struct json *j);

#endif

/* SPDX-License-Identifier: MIT */
/* What the parts of libperseus-trial.so share. */
#ifndef RUNTIME_TRIAL_H
#define RUNTIME_TRIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perseus/abi.h"
#include "perseus/trial.h"

/* A unit with hooks. */
struct trial_unit {
	uint64_t unit_id;
	uint32_t base; /* of its slots, from the block; without the recording runtime */
	uint32_t n_calls;
	uint16_t *first; /* by slot: 1 + number of its first hook; 0: it has none */
	struct trial_unit *next;
};

/* In desc.spare; the entries in arch/ read all but the last. */
enum { TRIAL_FIRST, TRIAL_ENTER, TRIAL_ENTER_TO, TRIAL_LEAVE, TRIAL_UNIT };

struct trial {
	const struct prs_trial *plan; /* NULL: this process is not the program, or there is no plan */
	struct prs_trial_status *status;
	int pid; /* whose words `status` has */
	bool first;
	const struct prs_trial_doors *doors; /* of the recording runtime; NULL: there is none */
	struct trial_unit *units;
	uint32_t slots_end;
};
extern struct trial trial;

/* The plan's library, if one is loaded. */
extern const struct prs_trial perseus_trial __attribute__((weak));

/* Copy what the generated code counts into the file, in the process whose words it has. */
void trial_tell(void);

/* Behind the entries: what enter() and leave() of a call at a slot do. */
uint64_t trial_enter(const struct prs_desc *d, uint32_t site, const void *target);
void trial_leave(const struct prs_desc *d, uint32_t site, uint64_t token);

/* Threads' own slots are given back as they end; false: that cannot be. */
bool trial_blocks_begin(void);

/* arch/: in place of the stubs of desc.  The first goes to C always, the others for slots that have hooks. */
void trial_entry_enter_all(void);
void trial_entry_enter(void);
void trial_entry_enter_to(void);
void trial_entry_leave(void);

/* arch/: call @f with all registers as they were for the program; trial_save_begin() first. */
void trial_run(void (*f)(void));
void trial_save_begin(void);

#endif

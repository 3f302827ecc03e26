/* SPDX-License-Identifier: MIT */
/*
 * A plan that is tried in a probed program: what `perseus try` and `perseus record --try` hand to
 * libperseus-trial.so, and what they get back.
 *
 * The plan comes as a library, the generated code of `perseus codegen` and one variable
 * `perseus_trial`, which the text below describes.  Both libraries are preloaded.  They do nothing in a
 * process whose executable is not the one that PRS_ENV_TRIAL_PROGRAM names.
 */
#ifndef PERSEUS_TRIAL_H
#define PERSEUS_TRIAL_H

#include <stddef.h>
#include <stdint.h>

#define PRS_TRIAL_VERSION     1u
#define PRS_TRIAL_SYMBOL      "perseus_trial"
#define PRS_ENV_TRIAL_PROGRAM "PERSEUS_TRIAL_PROGRAM" /* path of the executable, without links */
#define PRS_ENV_TRIAL_STATUS  "PERSEUS_TRIAL_STATUS"  /* a file of sizeof(struct prs_trial_status) bytes */

/* At a call: ascending by unit and slot, then in the order in which they stand in perseus_triggers.plan. */
struct prs_trial_hook {
	uint64_t unit_id;
	uint32_t slot; /* local number in the unit */
	uint32_t after;
	void (*run)(void);
};

/* What the generated code counts (perseus_status.h), as words. */
enum prs_trial_word {
	PRS_TRIAL_MACHINE, /* 0 not looked at, 1 the planned one, 2 another: nothing is set */
	PRS_TRIAL_PLACED,
	PRS_TRIAL_STARTED,
	PRS_TRIAL_UNPLANNED,
	PRS_TRIAL_NOT_CREATED,
	PRS_TRIAL_NOT_ENTERED,
	PRS_TRIAL_SUPPRESSED,
	PRS_TRIAL_PINS, /* five: made, differs, refused, outside of the mask, unavailable */
	PRS_TRIAL_PINS_LOST = PRS_TRIAL_PINS + 5,
	PRS_TRIAL_STEPS, /* five */
	PRS_TRIAL_STEPS_WAY = PRS_TRIAL_STEPS + 5,
	PRS_TRIAL_LAST_ERROR,
	PRS_TRIAL_LAST_VALUE,
	PRS_TRIAL_WORDS,
};

/* The variable of the plan's library. */
struct prs_trial {
	uint32_t version; /* PRS_TRIAL_VERSION */
	uint32_t n_hooks;
	uint32_t n_slots; /* call slots of all units that have hooks, each unit once */
	uint32_t n_units;
	const struct prs_trial_hook *hooks;
	void (*start)(void); /* first thing in main() */
	int (*create)(void *thread, const void *attributes, void *(*start)(void *), void *argument);
	void (*status)(uint32_t *words);
};

/* In the file; written by the first process that the plan acts in, at each hook and at its end. */
struct prs_trial_status {
	uint32_t magic;     /* PRS_TRIAL_MAGIC; written by the caller, as the file is made */
	uint32_t processes; /* in which the plan acted */
	uint32_t pid;       /* whose words these are, 0: none began */
	uint32_t units;     /* with hooks, that were attached in it */
	uint64_t visits;    /* calls at which a hook ran */
	uint32_t words[PRS_TRIAL_WORDS];
	uint32_t no_room; /* threads and units without memory for their slots: their hooks did not run */
};
#define PRS_TRIAL_MAGIC 0x4c525450u /* "PTRL" */

struct prs_desc;

/*
 * What the recording runtime lends: its own probes, and a slot whose every call comes to enter().
 * @target: callee of an indirect call, else NULL.  enter() returns 0 if the call is not timed.
 */
struct prs_trial_doors {
	uint64_t (*enter)(const struct prs_desc *d, uint32_t site, const void *target);
	void (*leave)(const struct prs_desc *d, uint32_t site, uint64_t token);
	void (*pin)(const struct prs_desc *d, uint32_t site);
};

/*
 * Of libperseus-trial.so; the recording runtime calls it for each object that it has filled in and not
 * yet roused, under its lock.
 */
void __prs_trial(struct prs_desc *desc, const struct prs_trial_doors *doors);

#endif

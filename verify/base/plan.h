/* SPDX-License-Identifier: MIT */
/* plan.yaml as the verifiers see it.  Texts live as long as the struct. */
#ifndef PERSEUS_VERIFY_BASE_PLAN_H
#define PERSEUS_VERIFY_BASE_PLAN_H

#include "verify/base/yaml.h"

#define VPLAN_NONE 0xffffffffu

enum vplan_point { VPLAN_PROGRAM_START, VPLAN_THREAD_START, VPLAN_CALL };
enum vplan_action_kind { VPLAN_PIN, VPLAN_STEP };

struct vplan_thread {
	const char *name, *evidence, *reason;  /* ids, comma separated; a sentence; NULL: absent */
	uint32_t creator, site, ordinal, core; /* VPLAN_NONE: absent */
	uint32_t
		create; /* number of its creating site, from 1 in the order in which threads name them; 0: none */
};

struct vplan_site {
	const char *id, *instance, *unit, *function, *callee;
	const char *file, *near; /* near: a hash of what is beside the call; NULL: absent */
	uint32_t line, equal;    /* equal: calls of the callee in the function; 0: absent */
};

struct vplan_action {
	uint32_t kind, core, domain, khz;
	uint32_t trigger; /* index of its trigger */
	uint32_t line;    /* of plan.yaml */
};

struct vplan_trigger {
	uint32_t number, at, thread, site, first, every;
	bool after;
	const char *evidence, *reason; /* as those of a thread */
	size_t action, n_actions;      /* in vplan.action */
	uint32_t point; /* at a call: lowest number of the triggers at this site and side, its function */
	uint32_t line;
};

/* A function that runs with flush-to-zero. */
struct vplan_flush {
	uint32_t number, source_line, line; /* source_line: 0: absent; line: of plan.yaml */
	const char *unit, *function;        /* as those of a site */
	const char *change, *evidence, *reason;
	uint32_t entry, bits; /* control register expected on entry; what is set in it */
	uint64_t births, cost;
};

enum vplan_layout_kind { VPLAN_FIELD, VPLAN_VARIABLE };

/* A field or variable that the compiler aligns. */
struct vplan_layout {
	uint32_t kind, source_line, align, line; /* source_line: of the declaration; line: of plan.yaml */
	const char *type, *name, *unit, *file;   /* type: NULL of a variable; unit: NULL: absent */
	const char *breaks, *accept, *evidence, *reason;
	uint64_t size, offset, size_after, offset_after, bytes, saves; /* saves: ns */
	bool weighed;                                                  /* it counts in the plan's figures */
};

/* Layouts and placement weighed: neither, one of them, both. */
enum vplan_choice_kind { VPLAN_NEITHER, VPLAN_LAYOUTS, VPLAN_PLACEMENT, VPLAN_BOTH, VPLAN_CHOICES };

struct vplan_choice {
	uint32_t kind;
	uint64_t bytes, time, bound; /* bound: ns; 0: absent */
	const char *evidence;        /* NULL: absent */
};

/* Phases first..last of the model's chain, joined into one. */
struct vplan_phase {
	const char *name;
	uint32_t first, last;                           /* VPLAN_NONE: the plan does not say */
	uint64_t repeats, time, energy, peak, deadline; /* ns, nJ, mW, ns; 0: absent */
};

/* From a phase on a thread is counted on a core. */
struct vplan_place {
	uint32_t thread, phase, core;
};

enum vplan_kind { VPLAN_KIND_CALL, VPLAN_KIND_PHASE, VPLAN_KIND_START };

/* What plans of a kind are said to reach. */
struct vplan_reach {
	uint32_t kind, triggers;
	uint64_t time, energy;
};

/* A figure of the platform at which the plan is said to stop gaining. */
struct vplan_breakeven {
	const char *parameter, *unit;
	double value, at;
};

/* What another baseline is said to take. */
struct vplan_regret {
	const char *baseline;
	uint64_t time, energy;
};

struct vplan {
	struct input in;
	struct vyaml doc;
	char sha256[65]; /* of the file */
	const char *program, *cpu, *platform_sha256, *model_sha256, *objective, *baseline;
	const char *build_id, *sites_sha256, *baseline_sha256, *turns_on; /* NULL: absent */
	const char *platform_name, *method;
	uint64_t n_cores, max_core_id, seed, evaluations;
	uint64_t base_time, base_energy, time, energy, bound_time, bound_energy; /* 0: absent */
	uint64_t peak, deadline, cap, relaxed_time, relaxed_energy;              /* likewise */
	uint64_t simulated_time, simulated_energy;                               /* likewise */
	bool proven;
	struct vplan_thread *thread;
	size_t n_threads;
	uint32_t n_creates; /* creating sites */
	struct vplan_site *site;
	size_t n_sites;
	struct vplan_trigger *trigger;
	size_t n_triggers;
	struct vplan_action *action;
	size_t n_actions;
	struct vplan_flush *flush;
	size_t n_flushes;
	struct vplan_layout *layout;
	size_t n_layouts;
	struct vplan_choice *choice; /* in the order of the enum */
	size_t n_choices;            /* VPLAN_CHOICES or 0 */
	struct vplan_phase *phase;
	size_t n_phases;
	struct vplan_place *base_place, *free_place;
	size_t n_base_places, n_free_places;
	const char **input; /* sha256 of the models of a plan for several */
	size_t n_inputs;
	struct vplan_reach *reach;
	struct vplan_breakeven *breakeven;
	struct vplan_regret *regret;
	size_t n_reach, n_breakevens, n_regret;
	uint32_t kind;    /* enum vplan_kind */
	bool starts_only; /* kind: start */
	bool worst;       /* of the models' figures; else their mean */
};

/*
 * Read a plan strictly: unknown keys, references to what is not there, texts
 * in wrong form are refused.  -1 with file, line and reason; release in every
 * case.
 */
int vplan_read(struct vplan *p, const char *path, struct fault *f);

/* Free the contents. */
void vplan_release(struct vplan *p);

/*
 * What a plan sets, counted as everywhere in Perseus: threads for which
 * something is set at their start, and triggers at calls.
 */
size_t vplan_thread_starts(const struct vplan *p);
size_t vplan_call_triggers(const struct vplan *p);

/* True if the program has to call generated code: anything is set, or threads are counted. */
bool vplan_calls_code(const struct vplan *p);

/* The core of the last of @n places of @thread that begins by @phase, VPLAN_NONE if there is none. */
uint32_t vplan_place(const struct vplan_place *place, size_t n, uint32_t thread, uint32_t phase);

/* True if both indices name the same call site and instance. */
bool vplan_same_site(const struct vplan *p, uint32_t a, uint32_t b);

#endif

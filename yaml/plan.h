/* SPDX-License-Identifier: MIT */
/*
 * plan.yaml: which thread instance runs on which core and which frequency
 * domain at which step, over time, and the triggers that bring it about.
 * perseus-plan(5) and yaml/examples/plan.yaml describe the document.
 */
#ifndef PERSEUS_YAML_PLAN_H
#define PERSEUS_YAML_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/strbuf.h"

struct manifest;
struct platform;

#define PLAN_VERSION 1
#define PLAN_NONE    0xffffffffu

enum plan_objective { PLAN_TIME, PLAN_ENERGY, PLAN_EDP, PLAN_POWER };

/* What of the program a plan may change, from most to least. */
enum plan_kind {
	PLAN_KIND_CALL,  /* cores at any call site, steps anywhere */
	PLAN_KIND_PHASE, /* changes at the boundaries of phases only */
	PLAN_KIND_START, /* cores and steps at the start of program and threads only */
	PLAN_KINDS,
};

/* "call", "phase", "start", NULL. */
extern const char *const plan_kind_words[PLAN_KINDS + 1];

/* The kind that @word is; PLAN_KINDS: none. */
enum plan_kind plan_kind_of(const char *word);

/* How the figures of several models were put together. */
enum plan_over { PLAN_OVER_MEAN, PLAN_OVER_WORST };

enum plan_point {
	PLAN_AT_PROGRAM_START, /* frequency steps, main's core */
	PLAN_AT_THREAD_START,
	PLAN_AT_CALL,
};

/* A call site, self-contained: codegen and the plugin read no model. */
struct plan_site {
	char *id;       /* 16 hex digits */
	char *instance; /* 8 hex digits or "*" */
	char *unit;
	char *function;
	char *callee;
	char *file;
	uint32_t line;
	uint32_t equal; /* calls of the callee in the function when it was recorded; 0: not known */
	char *near;     /* 8 hex digits of what was beside the call; NULL: not known */
};

/* A thread instance of the plan. */
struct plan_thread {
	char *name;
	uint32_t creator;     /* PLAN_NONE for main = thread 0 */
	uint32_t create_site; /* index in plan.sites; PLAN_NONE: by library code or main */
	uint32_t ordinal;
	uint32_t core;  /* at thread start: OS core id, PLAN_NONE: placement unchanged */
	char *evidence; /* ids, comma separated, or NULL */
	char *reason;   /* one sentence for the reviewer */
};

enum plan_action_kind { PLAN_PIN, PLAN_STEP };

struct plan_action {
	enum plan_action_kind kind;
	uint32_t core;   /* PIN: OS core id of the calling thread */
	uint32_t domain; /* STEP */
	uint32_t khz;    /* STEP */
};

/*
 * One trigger.  At a call: fires in thread instance `thread` on visit
 * `first` of that thread, and if `every` > 0 on every `every`th after it.
 */
struct plan_trigger {
	uint32_t number; /* 1..9999, ascending, unique */
	enum plan_point at;
	uint32_t thread; /* index in plan.threads */
	uint32_t site;   /* index in plan.sites, PLAN_NONE unless AT_CALL */
	bool after;      /* side */
	uint32_t first;  /* from 1 */
	uint32_t every;  /* 0: once */
	struct plan_action *actions;
	size_t n_actions;
	char *evidence;
	char *reason;
};

/* What a flush sets: results that are denormal become zero, operands count as zero, or both. */
enum plan_flush_bits { PLAN_FLUSH_FTZ, PLAN_FLUSH_DAZ, PLAN_FLUSH_BOTH };

/* "ftz", "daz", "ftz-daz", NULL. */
extern const char *const plan_flush_words[];

/* A function of the program that runs with flush-to-zero, and what it calls with it. */
struct plan_flush {
	uint32_t number; /* from 1, ascending */
	char *unit;      /* as in a site */
	char *function;  /* as the assembler names it */
	uint32_t line;   /* of its definition; 0: not known */
	uint32_t entry;  /* the control register that a review expects there, flags left out */
	enum plan_flush_bits set;
	uint64_t births;  /* of denormals in the run that it rests on; 0: not known */
	uint64_t cost_ns; /* of denormals in that run, on its machine; 0: not known */
	char *change;     /* the largest one of the output that an experiment saw, or NULL */
	char *evidence;
	char *reason;
};

#define PLAN_FLUSHES  64u     /* at most */
#define PLAN_FP_ENTRY 0x1f80u /* as a program begins: nothing is flushed, exceptions are masked */
#define PLAN_FP_FLAGS 0x003fu /* of exceptions that happened: no part of what is compared */
#define PLAN_FP_LIMIT 0x10000u

/* The bits of the register (MXCSR of x86-64) that @set stands for. */
uint32_t plan_flush_bits(enum plan_flush_bits set);

enum plan_layout_kind { PLAN_LAYOUT_FIELD, PLAN_LAYOUT_VARIABLE };

/* "field", "variable", NULL. */
extern const char *const plan_layout_words[];

/* A field or variable that the compiler aligns, so that it gets lines of its own. */
struct plan_layout {
	enum plan_layout_kind kind;
	char *type;     /* of a field: its type as written, "pair<int>" */
	char *field;    /* of a field: its name */
	char *variable; /* of a variable: its name, maybe qualified */
	char *unit;     /* of a variable that is static, as in a site; else NULL */
	char *file;     /* of the declaration */
	uint32_t line;
	uint32_t align;        /* bytes, a power of two */
	uint64_t size, offset; /* bytes of the type or variable, place of the field: without the plan */
	uint64_t size_after, offset_after; /* and with it; of a variable with what is left free behind it */
	uint64_t bytes;                    /* of memory that it costs in all; 0: not known */
	char *breaks;                      /* what code relied on the old layout, for a reviewer, or NULL */
	char *accept; /* why its type may leave the program all the same, or NULL: refused where it does */
	bool weighed; /* the plan's figures are those of the program with it */
	uint64_t saves_ns; /* weighed: what the plan would take longer with the conflicts of its evidence */
	char *evidence;
	char *reason;
};

#define PLAN_LAYOUTS   1024u /* at most */
#define PLAN_ALIGN_MAX 4096u

/* Is @id one of @ids, which are comma separated; NULL: none. */
bool plan_has_evidence(const char *ids, const char *id);

/* Layouts and placement weighed against each other: what each of the two does, and both. */
enum plan_choice_kind { PLAN_NEITHER, PLAN_LAYOUTS_ALONE, PLAN_PLACEMENT_ALONE, PLAN_BOTH, PLAN_CHOICES };

/* "neither", "layouts", "placement", "both", NULL. */
extern const char *const plan_choice_words[];

struct plan_choice {
	enum plan_choice_kind kind;
	uint64_t bytes; /* of memory that its layouts cost */
	uint64_t time_ns;
	uint64_t bound_time_ns; /* with its layouts no placement is below; 0: nothing was searched */
	char *evidence;         /* findings that its layouts end, or NULL */
};

/* Its name as a reader says it: "pair.right", "hits". */
void plan_layout_name(const struct plan_layout *l, struct strbuf *out);

/* Information for readers: what the planner believes. */
struct plan_phase {
	char *name;
	uint32_t repeats;
	uint64_t time_ns;
	uint64_t energy_nj;
	uint64_t peak_mw;     /* 0: not known */
	uint64_t deadline_ns; /* of one occurrence, the passage into it included; 0: none */
	uint32_t first, last; /* places in the model's chain of phases, from 0; PLAN_NONE: not known */
};

/* From a phase on a thread is counted on a core. */
struct plan_place {
	uint32_t thread; /* index in plan.threads */
	uint32_t phase;  /* index in plan.phases */
	uint32_t core;   /* OS core id */
};

/* A model that the plan was made for. */
struct plan_input {
	char *model_sha256;
};

/* What a kind of plan reaches. */
struct plan_reach {
	enum plan_kind kind;
	uint64_t time_ns, energy_nj;
	uint32_t triggers;
};

/* A figure of the platform, and where the plan stops gaining. */
struct plan_breakeven {
	char *parameter;
	double value; /* what the platform says */
	double at;
	char *unit;
};

/* What another baseline would take. */
struct plan_regret {
	char *baseline;
	uint64_t time_ns, energy_nj;
};

struct plan {
	char *program;
	char *build_id;
	char *sites_sha256;
	char *model_sha256;
	char *platform_name;
	char *platform_sha256;
	uint32_t n_cores; /* of the platform, checked at start */
	uint32_t max_core_id;
	char *cpu; /* model name, checked at start; NULL: not checked */
	enum plan_objective objective;
	uint64_t deadline_ns; /* of the whole run; 0: none */
	uint64_t cap_mw;      /* of the draw at any time; 0: none */
	enum plan_kind kind;
	enum plan_over over; /* of no meaning with one model */
	uint64_t seed;
	char *method; /* "exact", "exact per phase + shortest path", "genetic" */
	uint64_t evaluations;
	char *baseline; /* "spread" */
	char *baseline_sha256;
	uint64_t base_time_ns, base_energy_nj;
	uint64_t time_ns, energy_nj;             /* of this plan, prices included */
	uint64_t peak_mw;                        /* largest draw of a phase; 0: not known */
	uint64_t bound_time_ns, bound_energy_nj; /* no plan can be below; 0: not known */
	/* The same in closed form, for somebody who recomputes it; 0: not known. */
	uint64_t relaxed_time_ns, relaxed_energy_nj;
	uint64_t simulated_time_ns, simulated_energy_nj; /* by the block simulator; 0: not known */
	bool proven;                                     /* the search was exhaustive */
	char *turns_on;                                  /* sensitivity sentence, or NULL */
	struct plan_thread *threads;
	size_t n_threads;
	struct plan_site *sites;
	size_t n_sites;
	struct plan_trigger *triggers;
	size_t n_triggers;
	struct plan_flush *flushes; /* all with the same `entry` and `set` */
	size_t n_flushes;
	struct plan_layout *layouts;
	size_t n_layouts;
	struct plan_choice *choices; /* all four, or none */
	size_t n_choices;
	struct plan_phase *phases;
	size_t n_phases;
	struct plan_place *base_places; /* of all threads, in the baseline */
	size_t n_base_places;
	struct plan_place *free_places; /* of the threads that the plan places nowhere */
	size_t n_free_places;
	struct plan_input *inputs; /* empty: the one of model_sha256 */
	size_t n_inputs;
	struct plan_reach *kinds;
	size_t n_kinds;
	struct plan_breakeven *breakevens;
	size_t n_breakevens;
	struct plan_regret *regret;
	size_t n_regret;
};

/*
 * Begin a plan of no model in @p, zeroed, for the run that @m is of, whose manifest stands in the
 * model's place, and the machine @here.  It sets nothing yet; @method: what makes it.
 */
void plan_begin(struct plan *p, const struct manifest *m, const struct platform *here, const char *method);

/* Read and check (indices, numbers, ascending triggers); errors as model_load(). */
int plan_load(struct plan *p, const char *path, struct err *err);
int plan_parse(struct plan *p, const char *text, size_t len, const char *name, struct err *err);

/*
 * Read @path and check it against the platform too: every core known and
 * usable, every domain and step there, the same number of cores.  -EINVAL
 * names line and column.  Hashes are not compared.
 */
int plan_load_for(struct plan *p, const char *path, const struct platform *platform, struct err *err);

/*
 * What a plan sets, counted as everywhere in Perseus: threads for which
 * something is set at their start, and triggers at calls.
 */
size_t plan_thread_starts(const struct plan *p);
size_t plan_call_triggers(const struct plan *p);

/* True if the program has to call generated code; a plan of layouts alone is the compiler's. */
bool plan_calls_code(const struct plan *p);

/* Write the canonical form. */
int plan_save(const struct plan *p, const char *path, struct err *err);

/* Append the canonical form to @out. */
void plan_text(const struct plan *p, struct strbuf *out);

/* SHA-256 of the canonical form; @hex has 65 bytes. */
void plan_hash(const struct plan *p, char *hex);

/* Free everything inside. */
void plan_release(struct plan *p);

/* Is something set when @thread starts? */
bool plan_sets_at_start(const struct plan *p, size_t thread);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * model.yaml: what one or more runs say about a program, in units that
 * travel between machines: core cycles, memory time, accesses per kilocycle.
 * perseus-model(5) and yaml/examples/model.yaml describe the document.
 */
#ifndef PERSEUS_YAML_MODEL_H
#define PERSEUS_YAML_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/strbuf.h"
#include "perseus/access.h"

#define MODEL_VERSION 2
#define MODEL_NONE    0xffffffffu

/* A thread instance: path (creator instance, creating site, ordinal). */
struct model_thread {
	char *name;           /* start routine or thread name, for people */
	uint32_t creator;     /* index in model.threads, MODEL_NONE for main (thread 0) */
	uint32_t create_site; /* index in model.sites, MODEL_NONE: created by library code */
	uint32_t ordinal;     /* among creations by (creator, create_site) */
	bool plannable;       /* false: seen in some runs only, or its work varies */
	char *reason;         /* why not plannable, or NULL */
};

/* A call site that a thread, phase or trigger refers to. */
struct model_site {
	char *id;       /* 16 hex digits */
	char *instance; /* 8 hex digits */
	char *unit;     /* source of the unit, as in the U line */
	char *function; /* assembler name */
	char *callee;   /* assembler name or "indirect" */
	char *file;
	uint32_t line;
	uint32_t equal; /* calls of the callee in the function; 0: not known */
	char *near;     /* 8 hex digits of what is beside the call; NULL: not known */
};

/* One thread's part in a phase. */
struct model_work {
	uint32_t thread;    /* index */
	uint64_t cycles;    /* core cycles, mean over runs and repeats */
	uint64_t memory_ns; /* time that does not scale with frequency */
	uint64_t cycles_sd; /* standard deviation over runs */
	/*
	 * Where the thread enters the phase: after call `site` returned for
	 * the `visit`th time (from 1), or site MODEL_NONE: it starts in the
	 * phase, or passes no boundary there (then it cannot be re-placed).
	 */
	uint32_t enter_site; /* index in model.sites or MODEL_NONE */
	uint32_t enter_visit;
	uint32_t enter_every; /* visits from one repeat of the phase to the next; 0: no repeat */
	bool starts;          /* the thread is created for this phase */
	bool waits;           /* blocked (join, barrier) for nearly all of it */
};

/* What one thread does under a lock in one occurrence of a phase: a part of its work there. */
struct model_held {
	uint32_t thread;    /* index; it has work in the phase */
	uint64_t cycles;    /* core cycles, at most the work's */
	uint64_t memory_ns; /* at most the work's */
};

/* Work that is done one after the other, whatever the cores: under a lock. */
struct model_serial {
	uint32_t lock; /* its number, the same in all phases; once in a phase */
	char *object;  /* "mutex queue (main.c:31)", or NULL */
	struct model_held *held;
	size_t n_held;
};

/* A phase class: an interval between global synchronisations. */
struct model_phase {
	char *name;       /* evidence id phase-NNNNNN */
	char *opened_by;  /* "start", "create", "join", "barrier", "call" */
	uint32_t repeats; /* occurrences folded into it, >= 1 */
	uint64_t wall_ns; /* mean duration of one occurrence, as recorded */
	uint64_t wall_sd_ns;
	struct model_work *work;
	size_t n_work;
	struct model_serial *serial;
	size_t n_serial;
	uint32_t after; /* index of the phase before, MODEL_NONE for the first */
	bool accepted;  /* false: differed between runs */
	char *reason;   /* why rejected, or NULL */
};

/* One of two threads at a cache line, and where it uses it. */
struct model_side {
	uint32_t thread;            /* index */
	char *field;                /* of the object, or NULL */
	enum prs_kind kind;         /* strongest that it uses on the line */
	double accesses_per_kcycle; /* of the thread's own work */
	/*
	 * Visits are accesses that one transfer of the line serves; the gap is
	 * the thread's own work, in core cycles, from one visit to the next
	 * while they go on.  Both are 0 where they are not known: then accesses
	 * count as made one after the other.
	 */
	double visits_per_kcycle;
	double gap_cycles;
	/* The place in the source; NULL, NULL, NULL and 0: not known. */
	char *site; /* 16 hex digits of the memory site */
	char *function;
	char *file;
	uint32_t line;
};

/* One of several phases in which two threads meet. */
struct model_meeting {
	uint32_t phase; /* index */
	double share;   /* of the conflict, 0..1; 0: as the work is dealt to the phases */
};

/* Two threads and one cache line. */
struct model_conflict {
	char *evidence;         /* share-NNNNNN */
	bool is_false;          /* false sharing; else true sharing */
	char *object;           /* "stats", "heap main.c:31 struct job", "stack of f" */
	struct model_side a, b; /* a.thread < b.thread */
	double transfers_per_s; /* as observed, information only */
	/*
	 * Where they meet: in `phase` (index); if that is MODEL_NONE in those of
	 * `phases`, which ascend and have a share all or none; if there are none
	 * either, in all phases in which both run, or it is not known.  Rates are
	 * of the work in the phases named.
	 */
	uint32_t phase;
	struct model_meeting *phases;
	size_t n_phases;
	char *phase_reason; /* why it is not known, or NULL */
};

struct model {
	char *program;      /* base name */
	char *build_id;     /* hex, of the main module */
	char *sites_sha256; /* of the program's .perseus.sites */
	char *clock;        /* how cycles were obtained: "cpu-time x 4.31 GHz (calibrated)" */
	char **runs;        /* names of the runs used */
	size_t n_runs;
	char **doubts; /* why conflicts may be missing, or of other rates; a sentence each */
	size_t n_doubts;
	uint64_t hz;         /* core frequency the cycles were computed with */
	uint64_t wall_ns;    /* mean run time */
	uint64_t wall_sd_ns; /* over runs; 0 with one run */
	/*
	 * Part of wall_ns that was waiting for shared lines and differed from
	 * run to run, 0: none is known; it is not in the phases' cycles.  And
	 * the standard deviation without it.
	 */
	uint64_t waited_ns;
	uint64_t wall_rest_sd_ns;
	double outside; /* share of time outside instrumented code, 0..1 */
	struct model_thread *threads;
	size_t n_threads;
	struct model_site *sites;
	size_t n_sites;
	struct model_phase *phases;
	size_t n_phases;
	struct model_conflict *conflicts;
	size_t n_conflicts;
};

/*
 * Read and check a model.  Every index is in range afterwards, phases form a
 * chain, thread 0 is main.  Fails with -ENOENT, -EINVAL (syntax or content;
 * the message carries path, line and column) or -ENOTSUP (newer version).
 */
int model_load(struct model *m, const char *path, struct err *err);

/* The same from memory; @name stands in messages. */
int model_parse(struct model *m, const char *text, size_t len, const char *name, struct err *err);

/* Write the canonical form: fixed order, fixed formatting, same bytes for the same model. */
int model_save(const struct model *m, const char *path, struct err *err);

/* Append the canonical form to @out. */
void model_text(const struct model *m, struct strbuf *out);

/* SHA-256 of the canonical form; @hex has 65 bytes. */
void model_hash(const struct model *m, char *hex);

/* How often the line may have to be fetched, per kilocycle: visits where they are known, else accesses. */
double model_rate(const struct model_side *s);

/* Cycles of @thread's work in all occurrences of a phase; 0: none. */
double model_cycles(const struct model_phase *p, uint32_t thread);

/* Conflicts of which it is not known in which phases the two meet. */
size_t model_anywhere(const struct model *m);

/*
 * By how much the rates of side @s of conflict @c are higher in phase @phase than the conflict
 * says of all its phases: 1 where no shares are known, 0 where they do not meet.
 */
double model_density(const struct model *m, const struct model_conflict *c, const struct model_side *s,
		     uint32_t phase);

/* Free everything inside. */
void model_release(struct model *m);

#endif

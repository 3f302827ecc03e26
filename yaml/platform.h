/* SPDX-License-Identifier: MIT */
/*
 * platform.yaml: a machine: packages, cores, caches, frequency steps and
 * domains, what things cost, what they draw.  perseus-platform(5) and
 * yaml/examples/platform.yaml describe the document.
 */
#ifndef PERSEUS_YAML_PLATFORM_H
#define PERSEUS_YAML_PLATFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/strbuf.h"
#include "perseus/access.h"

#define PLATFORM_VERSION   1
#define PLATFORM_MAX_CORES 1024

/* Distances between two cores, ordered: nearer first. */
enum platform_distance {
	DIST_SAME,    /* the same core */
	DIST_SMT,     /* two hardware threads of one core */
	DIST_CACHE,   /* share a cache group */
	DIST_PACKAGE, /* same package, no common cache group */
	DIST_REMOTE,  /* different packages */
	DIST_N,
};

struct platform_core {
	uint32_t id; /* the operating system's number */
	uint32_t package;
	uint32_t cache_group; /* cores with the same number share a mid-level cache */
	uint32_t physical;    /* hardware threads of one core share it */
	uint32_t domain;      /* frequency domain */
	bool usable;          /* in the affinity mask it was made with */
};

/* A frequency step, the same table for every domain; descending khz. */
struct platform_step {
	uint32_t khz;
	uint64_t busy_mw;                      /* one busy core */
	uint64_t idle_mw;                      /* an idle core of an awake package */
	uint64_t busy_error_mw, idle_error_mw; /* what they may be off by; 0: not known */
	bool dominated; /* computed: another step needs less energy per cycle and is faster */
};

/* The kinds of access in the order in which a platform lists their prices. */
extern const uint8_t platform_kinds[PRS_KIND_N];

/* Distances in time between accesses that prices are known at. */
#define PRICE_GAPS 5

/* ... and prices of unlike accesses. */
#define BESIDE_GAPS 5 /* the longest may be missing, in files of before */

/*
 * What one access to a line that another core uses at full rate costs more
 * than the same access undisturbed.
 */
struct platform_price {
	uint64_t alone_ps;          /* per access, undisturbed */
	uint64_t shared_ps[DIST_N]; /* per access, two threads at full rate at that distance; 0: not known */
	/*
	 * What an access costs more where both threads do other work between
	 * their accesses, so that each comes every platform_gap_ps(g); 0: not
	 * known.  Other work hides a part, and leaves the line with one
	 * thread for longer or shorter, so this is measured, not derived.
	 */
	uint64_t extra_ps[PRICE_GAPS][DIST_N];
	/*
	 * The same where the other thread makes accesses of another kind, at platform_beside_ps(g);
	 * work needs nothing of what a load brings, where extra_ps is of work that does.
	 */
	uint64_t beside_ps[PRS_KIND_N][BESIDE_GAPS][DIST_N];
};

/* Operations whose price with denormals is known, and the types; the words of the document. */
enum platform_fp {
	PLATFORM_FP_ADD, /* and subtract, compare */
	PLATFORM_FP_MUL,
	PLATFORM_FP_DIV,
	PLATFORM_FP_SQRT,
	PLATFORM_FP_FMA,
	PLATFORM_FP_CONVERT,
	PLATFORM_FP_LOAD,
	PLATFORM_FP_STORE,
	PLATFORM_FP_N,
};
enum platform_fp_type { PLATFORM_FP_FLOAT, PLATFORM_FP_DOUBLE, PLATFORM_FP_TYPES };

/*
 * What one operation takes longer if an operand is denormal and the result is not, the other way
 * round, or if both are.  Beside other work, and where the next operation waits for it (chain).
 */
struct platform_denormal {
	enum platform_fp operation;
	enum platform_fp_type type;
	uint64_t operand_ps, operand_chain_ps;
	uint64_t result_ps, result_chain_ps;
	uint64_t both_ps, both_chain_ps;
};

/* One of two threads at a line. */
struct platform_visitor {
	enum prs_kind kind;
	uint64_t
		gap_ps; /* of its own time from one access to the next, undisturbed; 0: not known, full rate */
};

struct platform {
	char *name;
	char *source; /* "calibrated", "built-in: ...", for people */
	char *cpu;    /* model name */
	uint32_t n_cores;
	struct platform_core *cores; /* ascending id */
	uint32_t n_packages;
	uint32_t n_domains;
	struct platform_step *steps;
	uint32_t n_steps;         /* >= 1 */
	uint64_t package_halt_mw; /* all cores of a package idle: the package draws this at once */
	bool can_halt;
	bool energy_known;           /* false: watts are not known, energy objectives are refused */
	uint64_t slice_ns;           /* round-robin time slice */
	uint64_t core_cache_bytes;   /* the largest cache that a core has alone; 0: not known */
	uint64_t group_cache_bytes;  /* that of a cache group; 0: not known, or there are no groups */
	uint64_t migrate_ns[DIST_N]; /* moving a thread, by distance */
	uint64_t *migrate_matrix_ns; /* n_cores x n_cores, or NULL: use migrate_ns */
	uint64_t frequency_ns;       /* changing a domain's step */
	uint64_t trigger_ns;         /* one trigger call that changes nothing */
	uint64_t affinity_ns;        /* one sched_setaffinity that does not move */
	struct platform_price price[PRS_KIND_N];
	uint64_t transfer_ps[DIST_N]; /* one dirty line from a core at that distance */
	/*
	 * Virtual cores move: the same pairs at another time, where they were much nearer or
	 * farther; 0: never seen so.  Findings are priced with both, plans with the first.
	 */
	struct platform_price moved_price[PRS_KIND_N];
	uint64_t moved_transfer_ps[DIST_N];
	struct platform_denormal *denormal; /* one for each operation and type that was measured */
	size_t n_denormal;
};

/* Two transfers at one distance that differ by this factor are of cores that moved. */
#define PLATFORM_MOVED 2.0

/* Read and check; same errors as model_load(). */
int platform_load(struct platform *p, const char *path, struct err *err);
int platform_parse(struct platform *p, const char *text, size_t len, const char *name, struct err *err);

/*
 * A platform by name: a path if it contains '/' or ends in .yaml, else a
 * built-in one ("xeon-e5320": the machine of the original Perseus report).
 * -ENOENT names the known ones.
 */
int platform_find(struct platform *p, const char *name, struct err *err);

/* Names of the built-in platforms, NULL-terminated. */
const char *const *platform_builtin_names(void);

/* Write the canonical form. */
int platform_save(const struct platform *p, const char *path, struct err *err);

/* Append the canonical form to @out. */
void platform_text(const struct platform *p, struct strbuf *out);

/* SHA-256 of the canonical form; @hex has 65 bytes. */
void platform_hash(const struct platform *p, char *hex);

/* Distance of two core indices (positions in p->cores). */
enum platform_distance platform_distance(const struct platform *p, uint32_t a, uint32_t b);

/* The g-th distance in time between accesses, g < PRICE_GAPS, ps; ascending. */
uint64_t platform_gap_ps(uint32_t g);

/* The same of prices beside another kind of access, g < BESIDE_GAPS; the first, 0, is the full rate. */
uint64_t platform_beside_ps(uint32_t g);

/*
 * What each access of @own costs more at @distance because @other uses the
 * line too, ps.  No access pays more often than the other comes; without a
 * price at that distance the next farther counts, else the next nearer;
 * 0 if the platform has none.
 */
uint64_t platform_conflict_ps(const struct platform *p, enum platform_distance distance,
			      const struct platform_visitor *own, const struct platform_visitor *other);

/* True if @own has a measured price beside @other at @distance. */
bool platform_beside_known(const struct platform *p, enum platform_distance distance, enum prs_kind own,
			   enum prs_kind other);

/*
 * The same by the prices of unlike pairs where they are known, and of who comes more
 * often by what is not hidden of one travel.  Findings are priced so; the planner keeps
 * to what its verifier knows.
 */
uint64_t platform_sharing_ps(const struct platform *p, enum platform_distance distance,
			     const struct platform_visitor *own, const struct platform_visitor *other);

/* True if the same cores were at another time at another distance. */
bool platform_moves(const struct platform *p);

/*
 * Take the prices of @from, the same machine at another time, into @p as those of cores
 * that moved, for each distance at which its transfers differ by PLATFORM_MOVED.  Of two
 * that do what differs more is taken.  Returns true if @p holds any then.
 */
bool platform_keep_moved(struct platform *p, const struct platform *from);

/*
 * @p with its cores where they were at the other time, for as long as @p lives: not to be
 * released.  Distances that never moved are as in @p.
 */
struct platform platform_at_other_time(const struct platform *p);

/* Time to move a thread between two core indices, ns. */
uint64_t platform_migrate_ns(const struct platform *p, uint32_t from, uint32_t to);

/*
 * Fill in what follows from the rest (n_packages, n_domains, dominated
 * steps).  Loading does it; whoever fills a struct by hand calls it.
 */
void platform_complete(struct platform *p);

/* The price of @operation on @type with denormals, NULL: not known. */
const struct platform_denormal *platform_denormal(const struct platform *p, enum platform_fp operation,
						  enum platform_fp_type type);

/* "add", "fma", ...; "float", "double". */
const char *platform_fp_name(enum platform_fp operation);
const char *platform_fp_type_name(enum platform_fp_type type);

/* The words of the document: "cache", "remote", ... */
const char *platform_distance_name(enum platform_distance distance);

/* Free everything inside. */
void platform_release(struct platform *p);

#endif

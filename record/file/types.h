/* SPDX-License-Identifier: MIT */
/* What a run holds once it is read; record/run.h opens one. */
#ifndef PERSEUS_RECORD_FILE_TYPES_H
#define PERSEUS_RECORD_FILE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "perseus/record.h"
#include "perseus/sites.h"
#include "yaml/manifest.h"

/* One O line: what an argument of a call is to threads that wait. */
#define RUN_OBJECTS 2u
struct run_object {
	const char *type, *field, *member; /* NULL: no such line; "-" if unknown; field may begin with '*' */
	uint64_t offset;                   /* in the type, ~0: unknown */
	uint32_t arg;
};

/* One C line of a site table with its N and F lines resolved. */
struct run_call_site {
	char id[17];
	char instance[9];
	const char *unit;     /* source of the unit */
	const char *function; /* assembler name */
	const char *pretty;   /* as people write it */
	const char *callee;   /* assembler name or "indirect" */
	const char *file;
	uint32_t line, column, ordinal;
	const char *flags;                     /* comma list or "-" */
	const char *chain;                     /* or "-" */
	uint32_t equal;                        /* calls that the ordinal counts, 0: not known */
	const char *near;                      /* 8 hex digits of what is beside it, NULL: not known */
	const char *alloc_type;                /* from the A line, NULL */
	uint64_t alloc_bytes;                  /* size of one object, 0 unknown */
	uint64_t alloc_skip;                   /* bytes of the block in front of the objects */
	struct run_object object[RUN_OBJECTS]; /* from O lines */
	const char *alloc_dims;                /* "[4][8]" of an array on a frame, else "" */
};

/* One M line. */
struct run_mem_site {
	char id[17];
	char instance[9];
	const char *unit, *function, *pretty, *file;
	uint32_t line, column;
	uint32_t kind; /* PRS_KIND_* */
	uint32_t bytes;
	const char *base, *type, *field; /* "-" if unknown */
	uint64_t offset;
	bool near;         /* the position is the nearest known one */
	const char *chain; /* inline chain as of a call site, or "-" */
	/* One turn of the innermost loop round it, cycles of the program's own work; round_accesses 0: not known. */
	uint32_t round_least, round_most, round_accesses;
	bool round_open; /* ... at the least */
};

/* One G line. */
struct run_variable {
	const char *name, *type, *file;
	uint64_t bytes;
	uint32_t line;
	const char *dims;     /* "[4][8]" of an array, else "" */
	const char *function; /* that it is static in, "": none; NULL: the table does not say */
};

/* One T line, and the P line behind it. */
struct run_field {
	const char *name;
	uint64_t offset, bytes;
};
/* A member in a P line, as declared; without a name: a base class, a struct or union without one. */
struct run_part {
	const char *name; /* "": it has none */
	const char *type; /* of it or its elements, if that is an aggregate; else "-" */
	uint64_t offset, bytes;
	uint32_t align; /* bytes; 0: a bit-field */
};
struct run_type {
	const char *name;
	uint64_t bytes;
	struct run_field *fields;
	size_t n_fields;
	uint64_t fixed; /* bytes in front: base classes, pointer to virtual functions */
	/* "union" or "struct" without a name in it, whose members are fields */
	const struct run_field *unnamed;
	size_t n_unnamed;
	/* The P line behind it; none where the rules of the ABI do not say all, or the table is old. */
	uint32_t align;
	struct run_part *parts;
	size_t n_parts;
};

/* One N line; the same function in several units is kept once. */
struct run_function {
	const char *name;   /* assembler name */
	const char *pretty; /* as people write it */
	const char *file;   /* "-" if unknown */
	uint32_t line;
};

/* One S line. */
struct run_skipped {
	const char *kind, *reason, *function, *callee, *file;
	const char *unit; /* source file of its U line */
	const char *site; /* id of what rules left out, else "-" */
	uint32_t line;
};

/* One L line: a unit compiled under -flto whose probes the link was to put in, and did not. */
struct run_unlinked {
	const char *source;
	uint64_t calls; /* in its functions, before optimisation */
};

/* One U..Z contribution. */
struct sites_unit {
	uint64_t unit_id;
	const char *source, *producer, *flags;
	const char *language;        /* "c17", "c++14"; "-" unknown */
	struct run_call_site *calls; /* by local number */
	uint32_t n_calls;
	struct run_mem_site *mems;
	uint32_t n_mems;
};

/* All contributions of one module. */
struct sites {
	struct sites_unit *units;
	size_t n_units;
	struct run_variable *vars;
	size_t n_vars;
	struct run_type *types;
	size_t n_types;
	struct run_skipped *skipped;
	size_t n_skipped;
	struct run_unlinked *unlinked;
	size_t n_unlinked;
	struct run_function *functions; /* ascending by name */
	size_t n_functions;
	char *text; /* owns the strings */
	size_t text_len;
};

struct run_symbol {
	uint64_t address, bytes; /* link-time; thread-local: from the thread pointer on */
	char type;               /* as nm prints it; `l` and `L` of thread-local variables */
	const char *name;
};

/* A module of the run: site table and symbols, NULL-free after open. */
struct run_module {
	const struct manifest_module *info; /* NULL: not in the manifest */
	char *key;                          /* names its files below modules/ */
	struct sites sites;
	struct run_symbol *symbols; /* ascending by address */
	size_t n_symbols;
	const struct run_symbol **functions; /* those of them that are code, ascending by name */
	size_t n_functions;
	char *symbol_text;
};

struct run_unit {
	const struct prs_unit *raw;
	const struct prs_module *module;
	struct run_module *tables;      /* of that module, NULL: no copy in the run */
	const struct sites_unit *sites; /* NULL: unit not found in the table */
};

/*
 * One (call site, callee, path) of a thread: struct prs_call of any minor.
 * Times in ticks, of the timed calls; all of them are in it, also the one that
 * was left last.
 */
struct rec_call {
	uint32_t site;
	uint32_t parent; /* site of the timed call round the first one, or PRS_NO_SITE */
	uint64_t callee; /* run-time address, indirect calls only */
	uint64_t count;  /* with those that are only prepaid: run_thread.totals has the calls made */
	uint64_t timed;
	uint64_t sum, min, max;
	uint64_t child; /* inside timed calls made by these */
	uint32_t period;
	uint32_t flags;          /* PRS_CALL_* */
	uint64_t open;           /* timed calls that had not returned at the end */
	uint64_t switched;       /* timed calls that did not run through, see switch_kind of the header */
	uint64_t switched_ticks; /* ... and their time */
	uint64_t untimed_ticks;  /* under a budget: see struct prs_call */
	uint32_t mean;
	uint16_t seen_untimed;
	double fewer, more; /* if dealt: factors by which the calls may be fewer and more */
	bool dealt; /* which calls of the site were of this callee follows from samples, if it was sampled */
	const struct rec_call *up; /* one up the path; NULL: none, or the record has PRS_CALL_OVERFLOW */
	uint64_t at;               /* byte of the file: names the record */
	uint64_t up_at;            /* as the file has it */
	uint32_t hist[PRS_HIST_BUCKETS]; /* as prs_hist_index() */
};

/* A timed call that had not returned at the end of the record. */
struct rec_open {
	const struct rec_call *call; /* NULL: it was made before a fork */
	uint32_t site;
	uint64_t start; /* ticks */
	uint64_t child; /* inside timed calls that it made and that returned */
};

/* One thread of one process, its chunks gathered. */
struct run_thread {
	const struct prs_thread *raw;
	const struct rec_call **calls; /* all records with count or timed > 0, by site, then in file order */
	/* calls[i] made: count less the prepaid rest of its slot (charged to the slot's first record) */
	uint64_t *totals;
	size_t n_calls;
	struct rec_call *records; /* what calls[] shows, in file order */
	struct rec_open *open;    /* calls open at the end, the outermost first; from minor 1 on */
	size_t n_open;
	size_t n_left; /* calls that were left by an exception or longjmp(), as far as the record shows */
	struct prs_log *log; /* copies in order of end */
	size_t n_log;
	struct prs_event *events; /* copies in order of end */
	size_t n_events;
	const struct prs_line **lines; /* entries with line != 0 */
	size_t n_lines;
	struct prs_line *line_copies; /* of entries that are shorter in the file; NULL: none are */
	size_t n_line_copies;
	struct prs_note *notes;
	size_t n_notes;
	struct prs_wait *
		waits; /* copies, and out of the events of records without; PRS_WAIT_OPEN: ended by the end */
	size_t n_waits;
	const uint64_t *mem_counts; /* by process-wide memory site number, NULL: none; n = header->n_mems */
};

struct run_counters;

/* One record file. */
struct run_process {
	char *file; /* base name */
	const struct prs_rec_header *header;
	struct prs_module *modules;
	size_t n_modules;
	struct run_module **module_tables; /* of modules[i], NULL: no copy in the run */
	struct run_unit *units;
	size_t n_units;
	struct run_thread *threads; /* by thread index */
	struct prs_shared *shared;  /* memory that other processes may have */
	size_t n_shared;
	size_t n_threads;
	bool complete; /* ended by exit or return; false: killed, or data missing */
	char *damage;  /* what was found wrong but could be passed over, or NULL */
	double ns_per_tick;
	uint64_t end; /* ticks of the last thing seen */
	void *map;    /* a private copy of the file: it may still be written to */
	size_t map_bytes;
	const char *clock; /* how ns_per_tick was obtained, for people */
	uint32_t *by_call; /* indices of units with call sites, ascending by first_call */
	uint32_t *by_mem;  /* ... with memory sites, by first_mem */
	size_t n_by_call, n_by_mem;
	/* Memory counters of ended threads whose own could not be kept, added up; NULL: none. */
	const uint64_t *exited_counts;
	char *text;                        /* lines "key value" of the TEXT chunks, NULL: none */
	struct run_counters *counters;     /* record/counters.h; NULL: none were asked for */
	struct prs_thread *thread_entries; /* what threads[].raw shows */
	struct prs_unit *unit_entries;
};

/* The name of an address in a library without probes. */
struct run_callee {
	uint32_t pid;
	uint64_t address;
	const char *name;
};

struct run {
	char *path;
	struct manifest manifest;
	struct run_module *modules;
	size_t n_modules;
	struct run_process *processes; /* the program's own first, then by pid */
	size_t n_processes;
	bool complete;
	char *incomplete_why;       /* "the program was killed by SIGKILL", ... or NULL */
	struct run_callee *callees; /* by pid and address, see record/callees.h */
	size_t n_callees;
	char *callee_text;
	uint64_t sites_compiled, sites_registered, sites_hit; /* over all processes, call sites */
};

#endif

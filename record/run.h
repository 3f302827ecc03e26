/* SPDX-License-Identifier: MIT */
/*
 * The one reader of run directories.  run_open() reads the manifest, the
 * site tables and symbols, maps every record file read-only, and checks all
 * of it once; afterwards every index and offset that these structs hold is
 * in range, or PRS_NO_THREAD, PRS_NO_SITE.  Times are ticks of the record unless the name says _ns;
 * run_ns() converts.
 */
#ifndef PERSEUS_RECORD_RUN_H
#define PERSEUS_RECORD_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "perseus/record.h"
#include "perseus/sites.h"
#include "yaml/manifest.h"

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
	const char *flags;      /* comma list or "-" */
	const char *chain;      /* or "-" */
	const char *alloc_type; /* from the A line, NULL */
	uint64_t alloc_bytes;   /* size of one object, 0 unknown */
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
};

/* One G line. */
struct run_variable {
	const char *name, *type, *file;
	uint64_t bytes;
	uint32_t line;
};

/* One T line. */
struct run_field {
	const char *name;
	uint64_t offset, bytes;
};
struct run_type {
	const char *name;
	uint64_t bytes;
	struct run_field *fields;
	size_t n_fields;
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

/*
 * Parse a .perseus.sites text (copied); -EINVAL names the line.  Afterwards
 * every string is non-NULL ("-" where the table does not know), every slot
 * of every unit is filled, and types are ascending by name.  @name is put
 * into messages.  On failure @s is empty.
 */
int sites_parse(struct sites *s, const char *text, size_t len, const char *name, struct err *err);

/* Free everything inside; @s is empty afterwards. */
void sites_release(struct sites *s);

struct run_symbol {
	uint64_t address, bytes; /* link-time */
	char type;               /* as nm prints it */
	const char *name;
};

/* A module of the run: site table and symbols, NULL-free after open. */
struct run_module {
	const struct manifest_module *info; /* NULL: not in the manifest */
	char *key;                          /* names its files below modules/ */
	struct sites sites;
	struct run_symbol *symbols; /* ascending by address */
	size_t n_symbols;
	char *symbol_text;
};

struct run_unit {
	const struct prs_unit *raw;
	const struct prs_module *module;
	struct run_module *tables;      /* of that module, NULL: no copy in the run */
	const struct sites_unit *sites; /* NULL: unit not found in the table */
};

/* One thread of one process, its chunks gathered. */
struct run_thread {
	const struct prs_thread *raw;
	const struct prs_call **calls; /* all records with count or timed > 0, by site */
	/* calls[i] made: count less the prepaid rest of its slot (charged to the slot's first record) */
	uint64_t *totals;
	size_t n_calls;
	struct prs_log *log; /* copies in order of end */
	size_t n_log;
	struct prs_event *events; /* copies in order of end */
	size_t n_events;
	const struct prs_line **lines; /* entries with line != 0 */
	size_t n_lines;
	struct prs_note *notes;
	size_t n_notes;
	const uint64_t *mem_counts; /* by process-wide memory site number, NULL: none; n = header->n_mems */
};

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
	struct prs_thread *thread_entries; /* what threads[].raw shows */
	struct prs_unit *unit_entries;
};

struct run {
	char *path;
	struct manifest manifest;
	struct run_module *modules;
	size_t n_modules;
	struct run_process *processes; /* the program's own first, then by pid */
	size_t n_processes;
	bool complete;
	char *incomplete_why; /* "the program was killed by SIGKILL", ... or NULL */
	uint64_t sites_compiled, sites_registered, sites_hit; /* over all processes, call sites */
};

/*
 * Open the run directory @path: a path, "@last" (perseus.data/last, a
 * symbolic link), or a name below perseus.data/.  Fails with -ENOENT (no
 * such run), -ENODATA (the run has no record file: "built without
 * -fplugin=perseus.so"), -EINVAL (corrupt beyond use, or truncated).
 * A run that is merely incomplete opens, with complete = false.
 */
int run_open(struct run *run, const char *path, struct err *err);

/* Free everything inside; @run is empty afterwards. */
void run_close(struct run *run);

/* Ticks of a process to nanoseconds since its start. */
uint64_t run_ns(const struct run_process *p, uint64_t ticks);

/* A length in ticks to nanoseconds. */
uint64_t run_span_ns(const struct run_process *p, uint64_t ticks);

/* The call or memory site behind a process-wide number, NULL if not known. */
const struct run_call_site *run_call_site(const struct run_process *p, uint32_t site);
const struct run_mem_site *run_mem_site(const struct run_process *p, uint32_t site);

/* Name of the function or variable at a run-time address; @offset may be NULL.  NULL: none. */
const struct run_symbol *run_symbol(const struct run *run, const struct run_process *p, uint64_t address,
				    uint64_t *offset);

/* Where people look for a site; function is an assembler name. */
struct run_place {
	char function[256];
	const char *file;
	uint32_t line;
};

/*
 * The place of a site in the program's own source: its position, or for one
 * inside a header below /usr (std::mutex, std::atomic) the nearest caller of
 * its inline chain that is not.
 */
void run_site_place(const struct run *run, const struct run_call_site *site, struct run_place *place);
void run_mem_place(const struct run *run, const struct run_mem_site *site, struct run_place *place);

/* What the site tables know of a function by its assembler name, NULL: nothing. */
const struct run_function *run_function(const struct run *run, const char *assembler_name);

/* A type's layout by name in any module, NULL if not known. */
const struct run_type *run_type(const struct run *run, const char *name);

/* Field of @type that holds byte @offset: name into @buf ("a.b", "v[3]"); -ENOENT. */
int run_field_name(const struct run_type *type, uint64_t offset, char *buf, size_t size);

#endif

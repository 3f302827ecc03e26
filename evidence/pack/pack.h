/* SPDX-License-Identifier: MIT */
/*
 * The evidence pack: what a reviewer and an authority get beside the generated
 * files.  All of it is made in memory, from the plan, the generated text, the
 * built files and what outside tools say, and stored at the end as a whole.
 *
 * No tool is trusted further than it ran: what did not run is "not run".
 */
#ifndef PERSEUS_EVIDENCE_PACK_PACK_H
#define PERSEUS_EVIDENCE_PACK_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "evidence/pack/outline.h"
#include "lib/err.h"
#include "lib/hash.h"
#include "lib/strbuf.h"
#include "lib/vec.h"
#include "yaml/plan.h"

/* A file that is handed in; nothing is owned. */
struct evidence_source {
	const char *path; /* as the user gave it, or the name of a generated file */
	const char *text;
	size_t len;
};

/* What the pack is made of; strings and arrays are borrowed. */
struct evidence_input {
	const struct plan *plan;
	struct evidence_source plan_file;
	const struct evidence_source *generated; /* with perseus_matrix.csv */
	size_t n_generated;
	struct evidence_source requirements; /* path NULL: none given */
	const struct plan *previous;         /* NULL: none given */
	struct evidence_source previous_file;
	struct evidence_source binary; /* path NULL: none given */
	const struct evidence_source *objects;
	size_t n_objects;
	struct evidence_source platform;      /* path NULL: none given */
	const struct evidence_source *models; /* in the plan's order */
	size_t n_models;
	const struct evidence_source
		*attached; /* run manifests, calibration, results of prove: kept as they are */
	size_t n_attached;
	const char *cc; /* compiler and flags of the flown generated code, a line for sh; NULL: not given */
	void (*progress)(void *ctx, const char *gates, size_t n, size_t of); /* before each; may be NULL */
	void *progress_ctx;
	const char *verify, *source_check, *plan_check; /* paths of the verifiers, NULL: not installed */
	const char *plugin, *self; /* paths of other parts, for their hashes; NULL: not installed */
	const char *version;       /* of Perseus */
};

/* ---- plan items: all that the plan sets or leaves alone ---- */

struct evidence_words VEC(char *);
struct evidence_indices VEC(uint32_t);

enum evidence_item_kind { ITEM_THREAD, ITEM_TRIGGER, ITEM_FLUSH, ITEM_LAYOUT };

struct evidence_item {
	char *id;    /* "thread 1", "trigger 0118", "flush 3", "layout 0" */
	char *place; /* "triggers[2]": where it stands in the plan */
	bool sets;   /* false: a thread whose placement is left alone */
	enum evidence_item_kind kind;
	uint32_t index;                       /* in the plan's list of its kind */
	uint32_t number;                      /* of a trigger or flush */
	char *function;                       /* generated, or the table of threads; of a layout the header */
	uint32_t line;                        /* in perseus_triggers.c, or the header; 0: none */
	char *thread, *point;                 /* words */
	char *settings;                       /* "core 2; domain 2 to 1853000 kHz" */
	uint32_t site;                        /* in plan.sites, PLAN_NONE */
	const char *reason;                   /* of the plan; may be NULL */
	struct evidence_words findings;       /* evidence ids */
	struct evidence_indices requirements; /* of the user */
};
struct evidence_items VEC(struct evidence_item);

/* ---- derived requirements ---- */

struct evidence_derived {
	char *id;   /* "DR-01", "DR-S001" (a thread's start), "DR-T0118", "DR-F003", "DR-L000" */
	char *text; /* what shall be */
	char *why;
	char *how;     /* how it is verified */
	uint32_t item; /* in items, PLAN_NONE: of the generated code as such */
	struct evidence_words functions;
	struct evidence_indices requirements;
};
struct evidence_deriveds VEC(struct evidence_derived);

/* ---- requirements of the user ---- */

struct evidence_requirement {
	char *id, *text;
	uint32_t line; /* in the file */
	struct match_list
		targets; /* key: the word given; index: an item, or n_items + a derived requirement */
};
struct evidence_requirements VEC(struct evidence_requirement);

/* ---- symbols of built files ---- */

struct evidence_symbol {
	uint64_t address, size;
	char type;
	char *name;
};
struct evidence_symbols VEC(struct evidence_symbol);

struct evidence_object {
	char *name;                      /* in the pack: "inputs/object-1-main.o" */
	const char *given;               /* as the user gave it */
	struct evidence_symbols symbols; /* ascending by name */
	bool is_binary;
};
struct evidence_objects VEC(struct evidence_object);

/* ---- gates ---- */

/* Partial: nothing was found, but the tool itself says that it did not show all. */
enum evidence_verdict { EVIDENCE_PASSED, EVIDENCE_PARTIAL, EVIDENCE_FAILED, EVIDENCE_NOT_RUN };

struct evidence_gate {
	char *name; /* "MISRA C:2012" */
	enum evidence_verdict verdict;
	char *detail;     /* one line */
	const char *file; /* of the pack, where it is found; may be NULL */
};
struct evidence_gates VEC(struct evidence_gate);

struct evidence_tool {
	char *name, *version, *flags, *use;
};
struct evidence_tools VEC(struct evidence_tool);

/* ---- files of the pack ---- */

struct evidence_file {
	char *path; /* relative to the pack */
	const char *role;
	char *given; /* path the user gave, without directories; NULL: made here */
	struct strbuf text;
};
struct evidence_files VEC(struct evidence_file);

struct evidence {
	const struct evidence_input *in;
	struct outline outline;
	struct evidence_items items;
	struct evidence_deriveds derived;
	struct evidence_requirements requirements;
	struct evidence_objects objects;
	struct evidence_gates gates;
	struct evidence_tools tools;
	struct evidence_files files;    /* ascending by path once complete */
	struct evidence_words untraced; /* what stops the pack when requirements are given */
	uint32_t *owner;                /* of each scanned function: derived requirement, PLAN_NONE */
};

/*
 * Read what can be read without running anything: items, functions, derived
 * requirements, the user's requirements, symbols.  -EINVAL: the requirements
 * name something twice or something unknown, a built file is damaged; the
 * message names it.  Release @p in every case.
 */
int evidence_read(struct evidence *p, const struct evidence_input *in, struct err *err);

/*
 * True if each item that sets something has a requirement, a function and,
 * where built files are given, an address, and each function its requirement.
 * What has not is in p->untraced.
 */
bool evidence_traced(struct evidence *p);

/* Run the gates and write all files into p->files; fails only where nothing can be run at all (no scratch folder). */
int evidence_make(struct evidence *p, struct err *err);

/*
 * Can evidence_store() write there?  Errors as of evidence_store().  Tries it with a folder that is
 * removed at once; nothing else is changed.
 */
int evidence_store_check(const char *dir, struct err *err);

/*
 * Write the pack as directory @dir, whole or not at all.  A directory that is
 * there is replaced if it is empty or a pack that nobody has changed;
 * -ENOTEMPTY names what else is in it.
 */
int evidence_store(const struct evidence *p, const char *dir, struct err *err);

/* Number of gates with @verdict. */
size_t evidence_count(const struct evidence *p, enum evidence_verdict verdict);

/* "passed", "partial", "failed", "not run". */
const char *evidence_verdict_name(enum evidence_verdict verdict);

/* Free everything. */
void evidence_release(struct evidence *p);

#endif

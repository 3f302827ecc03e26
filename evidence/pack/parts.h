/* SPDX-License-Identifier: MIT */
/* What a pack is made of, read; and how a file gets into it. */
#ifndef PERSEUS_EVIDENCE_PACK_PARTS_H
#define PERSEUS_EVIDENCE_PACK_PARTS_H

#include "evidence/pack/pack.h"

/* ---- reading, in this order; each fails as evidence_read() ---- */

int items_read(struct evidence *p, struct err *err);
void functions_read(struct evidence *p);
void derived_make(struct evidence *p);
int requirements_read(struct evidence *p, struct err *err);
int symbols_read(struct evidence *p, struct err *err);

/* Where the assertions of layouts stand. */
#define LAYOUTS_HEADER "perseus_layouts.h"

/* True if the header asserts what the plan says of the layout @it, or no assertion can name it. */
bool layout_asserted(const struct evidence *p, const struct evidence_item *it);

/* Append "pair.right aligned to 64, at byte 64 of 128". */
void layout_text(struct strbuf *out, const struct plan_layout *l);

/* The text of the generated file @name, NULL. */
const char *evidence_generated(const struct evidence *p, const char *name);

/* True for generated C that is part of the program; tests are not. */
bool evidence_is_source(const char *name);

/* The id of the derived requirement of @it: "DR-S001", "DR-T0118", "DR-F003", "DR-L000"; @size 16 or more. */
void derived_name(const struct evidence_item *it, char *out, size_t size);

/* Index of the derived requirement @id, PLAN_NONE. */
uint32_t derived_find(const struct evidence *p, const char *id);

/* True for the files whose functions are traced: sources, and perseus_support.h, which is a part of one. */
bool evidence_has_functions(const char *name);

/* True for the generated files that hold nothing of the plan and are reviewed once. */
bool evidence_is_library(const char *name);

/* True if a source of the triggers, perseus_support.h with them, holds @text. */
bool evidence_triggers_hold(const struct evidence *p, const char *text);

/* Lines of all generated C: those the plan decides, and those of the library.  Tests are neither. */
struct evidence_lines {
	size_t plan, library, settings;
};
struct evidence_lines evidence_lines(const struct evidence *p);

/* ---- links ---- */

/*
 * Where item @item is in object @o: its address, and the symbol it lies in
 * through @symbol (owned by the pack).  False: it is not there.
 */
bool object_address(const struct evidence *p, const struct evidence_object *o, uint32_t item,
		    uint64_t *address, const char **symbol);

/* Where function @name is in @o; false if it is not, or is compiled into its callers. */
bool object_symbol(const struct evidence_object *o, const char *name, uint64_t *address, uint64_t *size);

/*
 * Name in the pack of the @number-th file of a kind (0: the only one) that the user
 * calls @path: "inputs/object-3-main.o", safe as a file name whatever his is.  The caller frees it.
 */
char *evidence_stored_name(const char *what, size_t number, const char *path);

/* ---- writing ---- */

/* Hand @text over as file @path of the pack; @given may be NULL. */
void evidence_put(struct evidence *p, const char *path, const char *role, const char *given,
		  struct strbuf *text);

/* derived.csv, derived.md, library.csv; each appends to @out. */
void derived_csv(const struct evidence *p, struct strbuf *out);
void derived_md(const struct evidence *p, struct strbuf *out);
void library_csv(const struct evidence *p, struct strbuf *out);

/* A field of CSV with a comma behind it, or the end of the line. */
void csv_put(struct strbuf *out, const char *s);
void csv_end(struct strbuf *out, const char *s);

/* Text inside a row of a Markdown table: no markup, no cell ends, one line. */
void md_put(struct strbuf *out, const char *s);

#endif

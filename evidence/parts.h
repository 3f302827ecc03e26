/* SPDX-License-Identifier: MIT */
/* The parts of a pack, one function each; for this folder only. */
#ifndef PERSEUS_EVIDENCE_PARTS_H
#define PERSEUS_EVIDENCE_PARTS_H

#include "evidence/pack.h"
#include "evidence/run.h"

/* ---- reading, in this order; each fails as evidence_read() ---- */

int items_read(struct evidence *p, struct err *err);
void functions_read(struct evidence *p);
void derived_make(struct evidence *p);
int requirements_read(struct evidence *p, struct err *err);
int symbols_read(struct evidence *p, struct err *err);

/* The text of the generated file @name, NULL. */
const char *evidence_generated(const struct evidence *p, const char *name);

/* True for generated C that is part of the program; tests are not. */
bool evidence_is_source(const char *name);

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

/* ---- writing; each appends to @out, or puts files of its own ---- */

void trace_csv(const struct evidence *p, struct strbuf *out);
void trace_html(const struct evidence *p, struct strbuf *out);
/* library.csv, trace-tests.csv, deactivated.md, coupling.md */
void library_csv(const struct evidence *p, struct strbuf *out);
void tests_csv(const struct evidence *p, struct strbuf *out);
void deactivated_md(const struct evidence *p, struct strbuf *out);
void coupling_md(const struct evidence *p, struct strbuf *out);

/* True if trace-tests.csv knows how derived requirement @derived is verified. */
bool tests_has(const char *derived);

void derived_csv(const struct evidence *p, struct strbuf *out);
void derived_md(const struct evidence *p, struct strbuf *out);
void checklist_md(const struct evidence *p, struct strbuf *out);
void problems_md(const struct evidence *p, struct strbuf *out);
void impact_md(const struct evidence *p, struct strbuf *out);
void dossier_md(const struct evidence *p, struct strbuf *out);
void gates_csv(const struct evidence *p, struct strbuf *out);
void tools_csv(const struct evidence *p, struct strbuf *out);
void index_md(const struct evidence *p, struct strbuf *out);

/* ---- gates: each adds its verdicts, tools and files; -errno only where nothing can be run ---- */

/* The scratch folder with all that tools need, under relative names. */
struct bench {
	struct evidence *pack;
	struct run_place place;
};

int gate_compilers(struct bench *b, struct err *err);
int gate_misra(struct bench *b, struct err *err);
int gate_proof(struct bench *b, struct err *err);
int gate_stack(struct bench *b, struct err *err);
int gate_coverage(struct bench *b, struct err *err);
int gate_verify(struct bench *b, struct err *err);
int gate_plan(struct bench *b, struct err *err);
int gate_platform(struct bench *b, struct err *err);
int gate_object(struct bench *b, struct err *err);

/*
 * Name in the pack of the @number-th file of a kind (0: the only one) that the user
 * calls @path: "inputs/object-3-main.o", safe as a file name whatever his is.  The caller frees it.
 */
char *evidence_stored_name(const char *what, size_t number, const char *path);

/* Name of model @i in the pack; the caller frees it. */
char *evidence_model_name(size_t i);

/* configuration.csv */
int config_csv(struct bench *b, struct err *err);

/* Note in tools.csv what the built files say of their compiler. */
void built_tools(struct evidence *p);

/* ---- helpers ---- */

/* Hand @text over as file @path of the pack; @given may be NULL. */
void evidence_put(struct evidence *p, const char *path, const char *role, const char *given,
		  struct strbuf *text);

/* Note the verdict of gate @name; @detail is taken over. */
void evidence_gate(struct evidence *p, const char *name, enum evidence_verdict verdict, struct strbuf *detail,
		   const char *file);

/* "TOOL is not installed (apt-get install PACKAGE)": a gate that did not run. */
void evidence_not_run(struct evidence *p, const char *name, const char *tool, const char *package,
		      const char *file);

/* Note a tool; NULL: unknown. */
void evidence_tool(struct evidence *p, const char *name, const char *version, const char *flags,
		   const char *use);

/* A field of CSV with a comma behind it, or the end of the line. */
void csv_put(struct strbuf *out, const char *s);
void csv_end(struct strbuf *out, const char *s);

/* Text inside HTML: no markup, no control characters. */
void html_put(struct strbuf *out, const char *s);

/* Text inside a row of a Markdown table: no markup, no cell ends, one line. */
void md_put(struct strbuf *out, const char *s);

#endif

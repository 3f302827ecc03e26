/* SPDX-License-Identifier: MIT */
/* One function per generated file; each appends to @out. */
#ifndef PERSEUS_CODEGEN_EMIT_H
#define PERSEUS_CODEGEN_EMIT_H

#include "codegen/view/view.h"

/* perseus_machine.h: what the platform file has to know of the plan. */
void emit_machine(struct strbuf *out, const struct view *v);

/* What the library has to know of a plan, for perseus_triggers.h: what may be set, and which parts it has. */
void emit_allowed(struct strbuf *out, const struct view *v);

/* The comment on top of a generated C file; @what: first words, "Triggers".  That of perseus_triggers.h names the plan. */
void emit_provenance(struct strbuf *out, const struct view *v, const char *what);

/* Lines that stop the compiler if perseus_triggers.h is of another plan than the file they stand in. */
void emit_same_plan(struct strbuf *out, const struct view *v);

/* perseus_triggers.h */
void emit_header(struct strbuf *out, const struct view *v);

/* perseus_triggers.c; notes in @v on which line each thread and trigger stands. */
void emit_source(struct strbuf *out, struct view *v);

/* perseus_triggers.plan, see perseus/triggers.h */
void emit_plan(struct strbuf *out, const struct view *v);

/* perseus_layouts.h; nothing if the plan has no layouts. */
void emit_layouts(struct strbuf *out, const struct view *v);

/* The library: perseus_status.h, perseus_support.h, perseus_platform.h, and the .c of the back end.  Nothing of a plan is in it. */
void emit_status(struct strbuf *out, const struct view *v);
void emit_support(struct strbuf *out, const struct view *v);
void emit_platform_header(struct strbuf *out, const struct view *v);
void emit_platform_source(struct strbuf *out, const struct view *v);

/* perseus_matrix.csv; after emit_source(), whose lines it names. */
void emit_matrix(struct strbuf *out, const struct view *v);

/*
 * perseus_triggers_test.c: the unit test of perseus_triggers.c on a
 * counterfeit platform; under Frama-C, the program round it.
 */
void emit_test(struct strbuf *out, const struct view *v);

#endif

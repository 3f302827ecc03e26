/* SPDX-License-Identifier: MIT */
/* One function per generated file; each appends to @out. */
#ifndef PERSEUS_CODEGEN_EMIT_H
#define PERSEUS_CODEGEN_EMIT_H

#include "codegen/view.h"

/* The comment on top of every generated C file; @what: first words, "Triggers". */
void emit_provenance(struct strbuf *out, const struct view *v, const char *what);

/* perseus_triggers.h */
void emit_header(struct strbuf *out, const struct view *v);

/* perseus_triggers.c; notes in @v on which line each thread and trigger stands. */
void emit_source(struct strbuf *out, struct view *v);

/* perseus_triggers.plan, see perseus/triggers.h */
void emit_plan(struct strbuf *out, const struct view *v);

/* perseus_platform_linux.h and .c */
void emit_linux_header(struct strbuf *out, const struct view *v);
void emit_linux_source(struct strbuf *out, const struct view *v);

/* perseus_matrix.csv; after emit_source(), whose lines it names. */
void emit_matrix(struct strbuf *out, const struct view *v);

#endif

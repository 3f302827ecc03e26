/* SPDX-License-Identifier: MIT */
/* Comments of the generated files: sanitised words, wrapped. */
#ifndef PERSEUS_CODEGEN_VIEW_WRAP_H
#define PERSEUS_CODEGEN_VIEW_WRAP_H

#include "lib/strbuf.h"

/* Append a C comment of @text, which is safe already, behind @tabs tabs, wrapped at 100 columns. */
void wrap_comment(struct strbuf *out, int tabs, const char *text);

/* Append "REASON [EVIDENCE]" in a form that is safe in a comment; NULL or empty parts are left out. */
void wrap_reason(struct strbuf *out, const char *reason, const char *evidence);

#endif

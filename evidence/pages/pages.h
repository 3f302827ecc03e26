/* SPDX-License-Identifier: MIT */
/* The pages and tables of a pack; each appends to @out. */
#ifndef PERSEUS_EVIDENCE_PAGES_PAGES_H
#define PERSEUS_EVIDENCE_PAGES_PAGES_H

#include "evidence/gates/gates.h"
#include "evidence/pack/parts.h"

void trace_csv(const struct evidence *p, struct strbuf *out);
void trace_html(const struct evidence *p, struct strbuf *out);

/* trace-tests.csv, deactivated.md, coupling.md */
void tests_csv(const struct evidence *p, struct strbuf *out);
void deactivated_md(const struct evidence *p, struct strbuf *out);
void coupling_md(const struct evidence *p, struct strbuf *out);

void checklist_md(const struct evidence *p, struct strbuf *out);
void problems_md(const struct evidence *p, struct strbuf *out);
void impact_md(const struct evidence *p, struct strbuf *out);
void dossier_md(const struct evidence *p, struct strbuf *out);
void gates_csv(const struct evidence *p, struct strbuf *out);
void tools_csv(const struct evidence *p, struct strbuf *out);
void index_md(const struct evidence *p, struct strbuf *out);

/* configuration.csv */
int config_csv(struct gate_env *b, struct err *err);

/* Note in tools.csv what the built files say of their compiler. */
void built_tools(struct evidence *p);

#endif

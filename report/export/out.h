/* SPDX-License-Identifier: MIT */
/* Writing, and names as each format takes them; for this folder only. */
#ifndef PERSEUS_REPORT_EXPORT_OUT_H
#define PERSEUS_REPORT_EXPORT_OUT_H

#include "report/export/export.h"
#include "report/time/paths.h"

/* Hand over what stands in e->out if it is long; call it after each piece. */
void export_ready(struct export *e);

/* ... in any case.  Returns e->failed. */
int export_flush(struct export *e);

/*
 * Append @name in UTF-8 without what may not be shown (lib/shown.h), nor the
 * characters of @not; '?' stands for each.  NULL is "?".
 */
void export_name(struct strbuf *out, const char *name, const char * not );

/* The functions of a tree: nodes of one name in one module are one. */
struct export_function {
	const char *name, *file; /* file of the definition, NULL: not known */
	uint32_t line;
};

struct export_functions {
	struct export_function *at;
	size_t n;
	uint32_t *of; /* by node */
};

void export_functions_make(struct export_functions *f, const struct report_paths *p);
void export_functions_release(struct export_functions *f);

/* Nanoseconds as they are written: whole ones. */
static inline unsigned long long export_ns(double ns)
{
	return ns > 0 ? (unsigned long long)(ns + 0.5) : 0;
}

/* The formats; all have the form of export_format.write. */
int export_callgrind(struct export *e, struct err *err);
int export_chrome(struct export *e, struct err *err);
int export_csv(struct export *e, struct err *err);
int export_folded(struct export *e, struct err *err);
int export_markdown(struct export *e, struct err *err);
int export_perf_script(struct export *e, struct err *err);
int export_perfetto(struct export *e, struct err *err);
int export_quickfix(struct export *e, struct err *err);
int export_sarif(struct export *e, struct err *err);
int export_speedscope(struct export *e, struct err *err);

#endif

/* SPDX-License-Identifier: MIT */
/* The pieces of a page; for this folder only. */
#ifndef PERSEUS_REPORT_PAGE_PARTS_H
#define PERSEUS_REPORT_PAGE_PARTS_H

#include <stddef.h>
#include <stdint.h>

#include "report/page/page.h"
#include "report/page/tabs/tabs.h"

/* What can be read without a script. */
void page_first(const struct page_parts *p, struct strbuf *out);

/* The elements that hold data. */
void page_data(const struct page_parts *p, struct strbuf *out);

/* The calls of each thread at each site, with their histograms: the document `calls`, two tables. */
void page_calls(struct report_summary *s, struct strbuf *out);

/* What happened to the memory that the findings are about: the document `memory`, five tables. */
void page_memory(const struct conflicts_case *c, struct strbuf *out);

/* Lives, waits, long calls and the trace: the document `timeline`, three tables, with a trace three more. */
void page_timeline(struct report_summary *s, struct strbuf *out);

/* On which core each thread was seen: the document `cores`, a table. */
void page_cores(const struct report_summary *s, struct strbuf *out);

#endif

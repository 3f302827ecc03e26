/* SPDX-License-Identifier: MIT */
/* What is wrong with a run, of all kinds, by what could be gained. */
#ifndef PERSEUS_REPORT_PAGE_FINDINGS_H
#define PERSEUS_REPORT_PAGE_FINDINGS_H

#include <stddef.h>

#include "report/page/page.h"

/* One finding in words; all of it is owned. */
struct page_finding {
	char *id;      /* "share-001274", "wait-003317" */
	char *title;   /* "false sharing of stats.rx/tx" */
	char *cost;    /* "costs 11.4 % of run time (9.8 to 12.9 %)" */
	char **places; /* "rx written by rx_thread, net.c:57" */
	size_t n_places;
	char *advice;  /* what to do, one line */
	char *command; /* that does it or says more, or NULL */
	double gain;   /* percent, for the order; below 0: not known */
};

struct page_findings {
	struct page_finding *at;
	size_t n;
};

/* The significant findings of @p, the largest gain first; those without a price are behind the others. */
void page_findings_make(struct page_findings *f, const struct page_parts *p);
void page_findings_release(struct page_findings *f);

#endif

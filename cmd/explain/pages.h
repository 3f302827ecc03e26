/* SPDX-License-Identifier: MIT */
/* The pages of `perseus explain`. */
#ifndef PERSEUS_CMD_EXPLAIN_PAGES_H
#define PERSEUS_CMD_EXPLAIN_PAGES_H

struct explain_page {
	const char *topic; /* "share", "doctor-energy", "exit" */
	const char *title; /* one line */
	const char *text;  /* whole lines */
};

/* All pages, ended by one with a NULL topic. */
const struct explain_page *explain_pages(void);

#endif

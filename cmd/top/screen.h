/* SPDX-License-Identifier: MIT */
/* The table of `perseus top` on a terminal, and its keys. */
#ifndef PERSEUS_CMD_TOP_SCREEN_H
#define PERSEUS_CMD_TOP_SCREEN_H

#include <stdbool.h>

#include "report/top/top.h"

struct top_screen {
	struct top_view view;
	char filter[64];
	bool typing; /* the filter */
	bool frozen; /* what is shown stays */
	bool help;
	int help_first; /* line of it that is the first shown */
	bool leave;
	int jump;        /* -1 back, 1 on: of a run that is over */
	double interval; /* s */
};

/* Take the terminal; false: it is none that can be drawn on (TERM). */
bool top_screen_open(struct top_screen *s, enum top_column sort, double interval, const char *filter);
void top_screen_close(void);

/* Draw the look; @title: the first line, what is looked at. */
void top_screen_draw(struct top_screen *s, const struct live *l, const struct top_names *n,
		     const char *title);

/* Wait for a key for up to @seconds and do what it says; false: none came.  s->leave: the user has had enough. */
bool top_screen_key(struct top_screen *s, double seconds, size_t threads);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* perseus_triggers.plan (include/perseus/triggers.h): the only form in which
   the plugin reads a plan. */
#ifndef PERSEUS_PLUGIN_PLAN_FILE_H
#define PERSEUS_PLUGIN_PLAN_FILE_H

#include "gcc-plugin/base/gcc-common.h"

struct plan_line {
	bool create;         /* create line, else call line */
	bool after;          /* call line: side */
	unsigned number;     /* K or NNNN */
	char number_text[8]; /* as written: the function's name ends with it */
	char site[20];
	char instance[12];                    /* 8 hex digits or "*" */
	const char *unit, *function, *callee; /* blanks undone */
	unsigned line;                        /* of the call when it was recorded, 0: not known */
	unsigned found;                       /* the line where the early pass found the site */
	unsigned equal;             /* calls of the callee in the function, as the site counts them */
	unsigned namesake;          /* line of an equal call that the plan may mean */
	location_t at, namesake_at; /* of the call that was found, and of that one */
	bool is_other;              /* that one is more like the planned call as it was recorded */
	unsigned equal_then;        /* calls when it was recorded, 0: not known */
	unsigned near;              /* a hash of what was beside it then, if near_then */
	bool near_then;
	unsigned seen; /* places with this site that the early pass saw */
	unsigned done; /* calls inserted */
};

/* A flush line: a function that is a region. */
struct plan_region {
	char number_text[8];
	const char *unit, *function; /* blanks undone; function: as the assembler names it */
	bool done;                   /* its calls were put in, or why not was said */
};

/* A layout line: a field or variable that gets a line of its own, or more. */
struct plan_layout {
	bool variable;
	const char *text;     /* the line itself */
	const char *type;     /* of a field: as its type is written */
	const char *name;     /* of the field or variable */
	const char *unit;     /* of a variable that each unit has; NULL: it is public */
	const char *file;     /* of the declaration */
	const char *evidence; /* the finding that it rests on, NULL: not told */
	unsigned line;
	unsigned long align;        /* bytes, a power of two */
	unsigned long size, offset; /* bytes of the type or variable, place of the field: without the plan */
	unsigned long size_then, offset_then; /* and with it */
	bool accepted;                        /* its type may leave the program */
	bool found;                           /* the unit declares it */
	bool told;                            /* an error was said of it */
};

struct plan {
	char hash[65]; /* of plan.yaml */
	bool start;
	bool started; /* perseus_program_start() was put into main() */
	vec<plan_line> lines;
	vec<plan_region> regions;
	vec<plan_layout> layouts;
};

extern struct plan prs_plan;

/* Read @path and compare it with @hash (NULL: any); false after error(). */
bool plan_read(const char *path, const char *hash);

/* Next line for @site and @instance ("" : any instance) after *@at, which
   starts at 0; NULL if there is no more. */
struct plan_line *plan_find(const char *site, const char *instance, unsigned *at);

/* error() if the plan has other names for the site of @l than the function and callee that it was found in. */
void plan_hold(const struct plan_line *l, const char *function, const char *callee, location_t at);

/* At the end of a unit: error() for each trigger that it should hold and does not. */
void plan_check_unit(void);

#endif

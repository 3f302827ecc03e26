/* SPDX-License-Identifier: MIT */
/* Joules of a run by program, thread, function, call site and phase: measured, modelled, or absent and why. */
#ifndef PERSEUS_REPORT_ENERGY_ENERGY_H
#define PERSEUS_REPORT_ENERGY_ENERGY_H

#include <stdbool.h>

#include "analyzer/energy/account.h"
#include "lib/strbuf.h"
#include "lib/vec.h"
#include "record/power/joules.h"
#include "report/time/types.h"
#include "yaml/energy.h"

/* How the joules of the whole are known. */
enum energy_mode { ENERGY_MEASURED, ENERGY_MODELLED, ENERGY_ABSENT };

struct energy_wanted {
	const struct energy *model; /* NULL: none */
	enum energy_rule rule;
};

/* One row of a table. */
struct energy_line {
	const char *name, *file; /* owned by the summary or the report; file may be NULL */
	uint32_t line;
	double joules, idle; /* idle: of these what the machine draws anyway */
	double cpu;          /* s; of a phase how long it took */
	double error;        /* of a phase: what its joules may be off by, a part of them; else 0 */
	uint64_t count;      /* calls; of a phase how often it came */
};
struct energy_lines VEC(struct energy_line);

struct energy_report {
	struct report_summary *s; /* not const: it interns names */
	struct joules joules;     /* as recorded, or by a meter's file since */
	bool recorded;            /* there is a joules.yaml */
	enum energy_mode mode;
	char *reason, *remedy; /* ENERGY_ABSENT; remedy may be NULL */
	double total, idle;    /* J of the machine in the run; idle: 0 if that is not known */
	double error;          /* of the total, a part of it */
	double others;         /* J of other programs, in the total */
	bool by_model;         /* dealt to parts by what the model says they cause, */
	double model_error;    /* ... each within this part, 0: not known */
	char *outside;         /* why the model's interval is not claimed, NULL: it is */
	enum energy_rule rule;
	struct energy_lines programs, threads, functions, sites, phases;
	char **names; /* that the report owns */
	size_t n_names;
};

/*
 * Deal the joules of the run of @s, which must outlive it.  @joules is taken over and
 * zero then (NULL: the run has no joules.yaml).
 */
void energy_report_make(struct energy_report *r, struct report_summary *s, struct joules *joules,
			const struct energy_wanted *wanted);
void energy_report_release(struct energy_report *r);

void energy_report_text(const struct energy_report *r, const struct report_view *view, struct strbuf *out);
void energy_report_json(const struct energy_report *r, const struct report_view *view, struct strbuf *out);

/* ---- inside of the folder ---- */

/* What of a thread is one function's, from one call site. */
struct energy_leaf {
	const char *function, *site, *site_file, *file;
	uint32_t line, site_line;
	size_t thread;  /* in s->threads; n_threads_listed: of none */
	double self_ns; /* of a function */
	double cpu;     /* s */
	double time_ns; /* that it was there */
	uint64_t calls;
};
struct energy_leaves VEC(struct energy_leaf);

/* All time of all threads, once. */
void energy_leaves_make(struct energy_leaves *out, const struct energy_report *r);

/*
 * What the model says: activity of each leaf (J) into @activity, and watts of the whole.
 * False: an event is missing, and r->reason says which.
 */
bool energy_model_apply(struct energy_report *r, const struct energy *model,
			const struct energy_leaves *leaves, double *activity, double *watts,
			double *idle_watts);

/* Is @name "core-N-on", the time that core N had a thread?  *core is N. */
bool energy_core_of(const char *name, uint32_t *core);

/* That time of each leaf, s; false: the recorder could not look where threads were. */
bool energy_on_time(const struct energy_report *r, const struct energy_leaves *l, uint32_t core,
		    double *count);

/* r->phases. */
void energy_phases_make(struct energy_report *r);

/* A text that the report owns. */
const char *energy_name(struct energy_report *r, char *text);

/* "measured +- 2 %" of what was measured within @error, "by CPU time, measured", "modelled +- 9 %". */
const char *energy_tag(const struct energy_report *r, bool whole, double error, char *buf, size_t size);

#endif

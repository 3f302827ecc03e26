/* SPDX-License-Identifier: MIT */
/* What the parts of `perseus monitor` share: options, where looks come from, what is printed. */
#ifndef PERSEUS_CMD_MONITOR_MONITOR_H
#define PERSEUS_CMD_MONITOR_MONITOR_H

#include "cmd/ctl/ctl.h"
#include "cmd/top/source.h"
#include "lib/fs.h"
#include "lib/strbuf.h"
#include "monitor/act/hands.h"
#include "monitor/counts/directory.h"
#include "monitor/counts/file.h"
#include "monitor/counts/perf.h"
#include "monitor/rules/rules.h"
#include "report/top/top.h"

enum monitor_from { FROM_BOTH, FROM_COUNTERS, FROM_DIRECTORY };

struct monitor_options {
	uint64_t pid, count;
	double interval; /* s */
	enum monitor_from from;
	const char *families, *rules, *events; /* comma list; files, NULL: those of this program */
	const char *replay, *save, *run;
	bool json, list;
	bool act;
	const char *cpus, *socket, *audit;
	const char *workers; /* NAME:LEAST:FIRST */
	char **program;
};

/* ---- where looks come from (source.c) ------------------------------------------------- */

struct monitor_source {
	const struct monitor_options *o;
	struct families families;
	const struct family_machine *machine; /* NULL: none is counted */
	bool nearest;                         /* ... for another one */
	struct strbuf left_out;               /* a line for each event that cannot be counted, and why */
	struct counts_events events;          /* those of the processor, then those of the directory */
	size_t n_perf;                        /* the first so many */
	struct counts_perf *perf;             /* NULL: none */
	bool kernel;                          /* none, but the kernel's own could be, by their name */
	struct top_source program;            /* the run, or the started program */
	bool recorded;                        /* there is a run */
	int hold_fd;                          /* a byte lets a started program begin, 0: it has begun */
	struct live live;
	struct top_names names;
	struct strbuf text; /* of --replay */
	struct counts_file file;
	unsigned slice, slices; /* of a window */
	struct VEC(struct counts_thread) seen;
	bool begun; /* there were threads */
	double own; /* cores that looking took in the last window */
	uint64_t own_ns, at_ns;
	struct fs_file kept; /* --save */
	bool unwritable;     /* ... failed */
};

/* Settle what can be counted here, and find or start what is looked at. */
int monitor_source_open(struct monitor_source *s, const struct monitor_options *o, struct err *err);
void monitor_source_close(struct monitor_source *s);

/*
 * Wait for the next look and make it: 1, 0 when all is over, or a negative errno.  *@window is set
 * where a window ends with it.
 */
int monitor_source_look(struct monitor_source *s, struct counts_look *look, bool *window, struct err *err);

/* Looks that --save keeps are all there: put the file in its place.  0 or a negative errno. */
int monitor_source_kept(struct monitor_source *s, struct err *err);

/* What the directory saw in the whole run of a started program, once it is over; false: nothing is known. */
bool monitor_source_totals(struct monitor_source *s, struct counts_look *look);

/* A signal came: no more looks. */
void monitor_source_signals(void);

/* ---- a lease (lease.c) ------------------------------------------------------------------ */

struct monitor_lease {
	struct ctl_link link;
	bool held;
	uint32_t number;
	struct hands_machine machine;
	struct act_hands hands;
	struct act act;
	struct strbuf said; /* lines of the audit since the last window */
	int audit_fd;       /* -1: none */
	char *workers;      /* the name in --workers */
};

/* Reserve --cpus, for the rules of @hash, and be ready to act. */
int monitor_lease_open(struct monitor_lease *l, const struct monitor_options *o, const struct rules *rules,
		       struct err *err);

/* Take all back and give the cores back. */
void monitor_lease_close(struct monitor_lease *l);

/* ---- what is printed (print.c) ----------------------------------------------------------- */

struct monitor_view {
	const struct monitor_options *o;
	const struct monitor_source *source;
	const struct judge *judge;
	const struct rates *rates;
	const struct strbuf *acts; /* lines; NULL */
};

/* Events of this machine, with their sources. */
void monitor_print_list(const struct monitor_source *s, bool json);

/* What cannot be counted or judged, on stderr. */
void monitor_print_head(const struct monitor_view *v);
void monitor_print_window(const struct monitor_view *v);
void monitor_print_totals(const struct monitor_view *v, const struct counts_look *totals);

#endif

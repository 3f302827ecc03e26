/* SPDX-License-Identifier: MIT */
/* The table of `perseus top`: threads since the last look, sorted, filtered, as lines of text. */
#ifndef PERSEUS_REPORT_TOP_TOP_H
#define PERSEUS_REPORT_TOP_TOP_H

#include "lib/json.h"
#include "lib/strbuf.h"
#include "record/live/live.h"
#include "record/run.h"

/* What threads and the things that they wait at are called: from the run as it was a while ago. */
struct top_names {
	struct run run;
	bool open;
	char ***threads; /* by process and index */
	struct object_names **objects;
	uint64_t next_ns; /* when it may be read again */
	size_t n_threads; /* that were there then */
	uint64_t called;  /* hash of what the kernel called them */
};

/*
 * Read them again where @l has threads that are new, or are called otherwise, but not so often that it takes
 * more than a hundredth of the time.
 */
void top_names_update(struct top_names *n, const struct live *l);
void top_names_release(struct top_names *n);

/*
 * Name of thread @index of @pid, appended, as in all reports (@kernel: what the kernel calls it, "", where the
 * record does not say it yet); false: it has none (yet).
 */
bool top_thread_name(struct strbuf *out, const struct live *l, const struct top_names *n, uint32_t pid,
		     uint32_t index, const char *kernel);

/* "mutex pool.lock, work 3": what @t of @l waited for longest, and whom; nothing if it did not. */
void top_wait_text(struct strbuf *out, const struct live *l, const struct top_names *n,
		   const struct live_thread *t);

/* The columns, in the order in which they stand. */
enum top_column {
	TOP_TID,
	TOP_THREAD,
	TOP_STATE,
	TOP_CORE,
	TOP_RUNNING,
	TOP_READY,
	TOP_WAITING,
	TOP_CALLS,
	TOP_LINES,
	TOP_MIGRATIONS,
	TOP_WAIT_FOR,
	TOP_COLUMNS,
};

/* What is shown, and how. */
struct top_view {
	enum top_column sort;
	bool upwards;       /* the least first */
	const char *filter; /* a part of the name of the thread, case does not matter; NULL or "": all */
	size_t first;       /* rows left out above */
	unsigned columns;   /* of the terminal */
	size_t rows;        /* at most, 0: all */
};

/* A row: @t and what the names say of it. */
struct top_row {
	const struct live_thread *t;
	char *name, *wait;
};
struct top_rows VEC(struct top_row);

/* The threads of @l that @v lets through, sorted.  The caller releases them. */
void top_rows_make(struct top_rows *rows, const struct live *l, const struct top_names *n,
		   const struct top_view *v);
void top_rows_release(struct top_rows *rows);

/* The line of column heads; the one that is sorted by has a mark. */
void top_head(struct strbuf *out, const struct live *l, const struct top_view *v);

/* Row @r as one line, cut to the width. */
void top_line(struct strbuf *out, const struct live *l, const struct top_view *v, const struct top_row *r);

/* "12 threads of 1 process, 7 in a wait, ...; 1.2M lines/s": one line for all of them, shorter if it is too wide. */
void top_sums(struct strbuf *out, const struct live *l, unsigned columns);

/* Threads and sums of a look into an open object. */
void top_json(struct json *j, const struct live *l, const struct top_rows *rows);

/* The head of a column as --sort has it: "cpu", "wait", ...; NULL behind the last. */
const char *top_column_word(enum top_column c);

#endif

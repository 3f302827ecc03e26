/* SPDX-License-Identifier: MIT */
/*
 * Reader of the trace of a run, <run>/trace/: what `perseus record --trace`
 * wrote in Common Trace Format 1.8.  The streams have the fixed layout of
 * perseus/trace.h, so the metadata is read only for what is said about the
 * trace as a whole; other tools read the same files by the metadata.
 */
#ifndef PERSEUS_RECORD_BLOCKS_CTF_H
#define PERSEUS_RECORD_BLOCKS_CTF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "perseus/trace.h"

/* The file of one thread. */
struct ctf_stream {
	char *path;
	uint32_t pid, epoch; /* of its struct run_process */
	uint32_t thread;     /* index in it */
	uint32_t tid;
	uint64_t bytes;
};

struct ctf {
	struct ctf_stream *streams; /* by pid, epoch and thread */
	size_t n_streams;
	uint64_t bytes;      /* of all streams */
	char state[32];      /* "complete"; "running": the recorder was killed; "disk full"; "" unknown */
	uint64_t refused;    /* threads that have no stream, because too many ran at a time */
	uint8_t uuid[16];    /* in every packet */
	size_t n_unreadable; /* files that are no stream of this trace */
	char *unreadable;    /* why the first of them is not, or NULL */
};

/*
 * Open the trace of the run directory @run.  -ENOENT: it has none; -EINVAL:
 * no metadata, or none that this reader knows.  A stream that cannot be read
 * is left out and counted.
 */
int ctf_open(struct ctf *t, const char *run, struct err *err);

/* Free everything inside; @t is empty afterwards. */
void ctf_close(struct ctf *t);

/* Where one is in a stream. */
struct ctf_cursor {
	int fd;
	const struct ctf *trace;
	const struct ctf_stream *stream;
	unsigned char *buffer;
	uint64_t at;   /* byte of the file that is read next */
	uint64_t left; /* bytes of the packet from there on */
	struct prs_packet packet;
	uint64_t last;      /* ticks of the last record */
	uint64_t discarded; /* records lost in front of `at` */
	char damage[160];   /* what was wrong where reading ended, or "" */
};

/* Begin at the start of @s; the caller ends with ctf_cursor_close() also after a failure. */
int ctf_cursor_open(struct ctf_cursor *c, const struct ctf *t, const struct ctf_stream *s, struct err *err);
void ctf_cursor_close(struct ctf_cursor *c);

/*
 * The next records: @units gets units of 16 bytes, of whole records that were
 * checked (classes known, time never back, nothing cut).  Returns how many; 0:
 * the end, or damage, see c->damage.  Valid until the next call.
 */
size_t ctf_read(struct ctf_cursor *c, const uint64_t **units);

/* The class of the record that begins at @unit, PRS_CLASS_*, and its time. */
static inline unsigned ctf_class(const uint64_t *unit)
{
	return (unsigned)(unit[0] >> PRS_CLASS_SHIFT);
}

static inline uint64_t ctf_time(const uint64_t *unit)
{
	return unit[0] & PRS_VALUE_MASK;
}

/* Units of that record. */
static inline size_t ctf_units(const uint64_t *unit)
{
	return ctf_class(unit) == PRS_CLASS_CALL ? 1 : 2;
}

/* Of a call: how long it took, ticks, and its site (process-wide). */
static inline uint64_t ctf_length(const uint64_t *unit)
{
	uint32_t length = (uint32_t)unit[1];

	return (uint64_t)(length & ((1u << PRS_LENGTH_BITS) - 1)) << (length >> PRS_LENGTH_BITS);
}

static inline uint32_t ctf_call_site(const uint64_t *unit)
{
	return (uint32_t)(unit[1] >> 32) & (PRS_TRACE_SITES - 1);
}

#endif

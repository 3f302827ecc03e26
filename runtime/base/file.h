/* SPDX-License-Identifier: MIT */
/* The record file: mapped once, grown before it is touched. */
#ifndef RUNTIME_BASE_FILE_H
#define RUNTIME_BASE_FILE_H

#include "runtime/base/rt.h"

/*
 * Create <rt.dir>/<pid>.<epoch>.prec and map it; sets rt.base, rt.header.
 * False: refused, nothing is left behind.
 */
bool file_open(void);

/* Forget the mapping and the descriptor (a fork child, before file_open()). */
void file_drop(void);

/*
 * A chunk of @bytes (a multiple of 4096), all zero, of which the first @backed
 * have space on the disk; the rest reads as zero and must be given space by
 * file_back() before it is written.  Not published yet: fill it, then
 * file_publish().  NULL: no room, the reason is in the header.
 */
struct prs_chunk *file_chunk(uint32_t type, uint32_t entry_bytes, uint32_t thread, uint64_t bytes,
			     uint64_t backed);

/* Make the chunk visible to readers. */
void file_publish(struct prs_chunk *c);

/* Give [at, at + bytes) of the file space; false: none, the reason is in the header. */
bool file_back(uint64_t at, uint64_t bytes);

/*
 * The process does without these pages of the record for now (whole pages):
 * they stay in the file, and come back when they are touched.
 */
void file_leave(const void *from, uint64_t bytes);

/* Enter @reason, an enum prs_off_reason, into the header unless there is one already. */
void file_note_off(uint32_t reason);

/* Offset of an address inside the mapping. */
static inline uint64_t file_offset(const void *p)
{
	return (uint64_t)((const unsigned char *)p - rt.base);
}

/* Update the heartbeat if the last is older than about 10 ms; @now in ticks. */
void file_beat(uint64_t now);

/*
 * Room for one entry of @entry_bytes in @s of thread @owner, which may take
 * @max bytes of file in all; NULL: full or no space.  The caller fills the
 * entry and calls stream_publish(*at); a signal handler may come between.
 */
void *stream_take(struct rt_stream *s, uint32_t type, uint32_t entry_bytes, uint32_t owner, uint64_t max,
		  struct prs_chunk **at);

/*
 * Nothing more is written to this chunk: give it a checksum, if its entries
 * are of a kind that never changes again, all of them were published, and the
 * processor can do it in passing.  NULL is fine.
 */
void file_seal(struct prs_chunk *c);

/* The fields that stay as they are have their values: give the header a checksum of them. */
void file_seal_start(struct prs_rec_header *h);

static inline void stream_publish(struct prs_chunk *at)
{
	rt_barrier();
	local_add64(&at->used, 1);
}

/* Append a text, or a number in decimal, to @out as far as @end; returns the new end, without a NUL. */
char *file_put_text(char *out, const char *end, const char *text);
char *file_put_number(char *out, const char *end, uint32_t v);

#endif

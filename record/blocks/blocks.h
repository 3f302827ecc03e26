/* SPDX-License-Identifier: MIT */
/*
 * The block file: what each thread did between the boundaries of phases, in
 * the order of the run.  `perseus analyze --blocks` writes it out of the block
 * log, `perseus plan --blocks` simulates designs on it.
 *
 * A header, then the number of works of each phase of the model (32 bits
 * each), then occurrences of phases.  All that follows the table are varints
 * (7 bits a byte, low ones first):
 *
 *	phase, number of parts, then for each part
 *	work (index in the phase's list; less the part's before and 1), bytes, body
 *
 * A body is a row of blocks and of what happens between them; the two low
 * bits of a varint say what it is, v is the rest of it:
 *
 *	0  a block of weight v (its length in the recorded run; only the share counts)
 *	1  v equal blocks; their weight follows
 *	2  arrives at barrier v and waits until as many have come as follows
 *	3  takes (v even) or gives back (v odd) lock v / 2; whoever waits is served in turn
 *
 * The file belongs to one model, whose hash stands in the header.
 */
#ifndef PERSEUS_RECORD_BLOCKS_BLOCKS_H
#define PERSEUS_RECORD_BLOCKS_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/strbuf.h"
#include "yaml/model.h"

#define BLOCKS_MAGIC       "PRSBLK\r\n"
#define BLOCKS_VERSION     1u
#define BLOCKS_MAX_OBJECTS 65536u       /* barriers and locks */
#define BLOCKS_MAX_WEIGHT  (1ull << 62) /* of one work in all occurrences together */

struct blocks_header {
	char magic[8];
	uint32_t version;
	uint32_t n_phases; /* of the model */
	uint64_t bytes;    /* of the file */
	uint64_t n_occurrences;
	uint64_t n_blocks;
	uint32_t n_objects;
	uint32_t crc;          /* crc32c of all that follows the header */
	char model_sha256[64]; /* no NUL */
	uint32_t pad;
	uint32_t header_crc; /* crc32c of all before */
};
_Static_assert(sizeof(struct blocks_header) == 120, "format");

/* An open block file.  Every index and length in it has been checked. */
struct blocks {
	struct blocks_header header;
	const uint8_t *first, *end; /* the occurrences */
	uint32_t *work_at;          /* works of phase p: [work_at[p], work_at[p + 1]) */
	uint64_t *weight;           /* of each work, summed over the occurrences */
	uint64_t *occurrences;      /* of each phase */
	void *map;                  /* NULL: the bytes are the caller's */
	size_t map_bytes;
};

/*
 * Open the block file @path of @model.  The file must not be changed while it
 * is open.  -ENOENT, -EINVAL (corrupt; another model's), -ENOTSUP (newer).
 */
int blocks_open(struct blocks *b, const char *path, const struct model *model, struct err *err);

/* The same of memory, which must outlive @b; @name stands in messages. */
int blocks_parse(struct blocks *b, const void *data, size_t len, const char *name, const struct model *model,
		 struct err *err);

/* Free everything inside. */
void blocks_close(struct blocks *b);

/* ---- reading an open file ---- */

enum block_kind { BLOCK_WORK, BLOCK_RUN, BLOCK_BARRIER, BLOCK_LOCK };

struct block {
	enum block_kind kind;
	uint64_t value;   /* weight; number of blocks; object; 2 x object + given back */
	uint64_t operand; /* RUN: weight of each; BARRIER: how many */
};

/* Some rows of blocks; moves on as it is read. */
struct block_cursor {
	const uint8_t *at, *end;
};

/* One varint; @c must hold one. */
static inline uint64_t block_varint(struct block_cursor *c)
{
	uint64_t v = *c->at++;

	if (v < 0x80)
		return v;
	v &= 0x7f;
	for (uint32_t shift = 7;; shift += 7) {
		uint8_t byte = *c->at++;

		v |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return v;
	}
}

/* What comes next; false at the end. */
static inline bool block_next(struct block_cursor *c, struct block *b)
{
	uint64_t v;

	if (c->at == c->end)
		return false;
	v = block_varint(c);
	b->kind = (enum block_kind)(v & 3);
	b->value = v >> 2;
	if (b->kind == BLOCK_RUN || b->kind == BLOCK_BARRIER)
		b->operand = block_varint(c);
	return true;
}

/* One occurrence: its parts follow each other in @parts, see block_part(). */
struct block_occurrence {
	uint32_t phase;
	uint32_t n_parts;
};

/* The cursor over all occurrences. */
static inline struct block_cursor blocks_begin(const struct blocks *b)
{
	return (struct block_cursor){b->first, b->end};
}

/* The head of the next occurrence; its parts must be taken before the one after it.  False at the end. */
bool block_occurrence(struct block_cursor *c, struct block_occurrence *o);

/* The next part: the index of its work, which is above *@work (-1: the first), goes there; its body. */
struct block_cursor block_part(struct block_cursor *c, int64_t *work);

/* ---- writing ---- */

/* A block file under construction. */
struct blocks_writer {
	struct strbuf out;  /* table and occurrences */
	struct strbuf body; /* of the part at hand */
	uint32_t n_phases;
	char model_sha256[65];
	uint64_t n_occurrences, n_blocks;
	uint32_t n_objects;
	int64_t work;              /* of the part before, -1 */
	uint64_t weight, repeated; /* blocks that are not written yet */
	bool open;                 /* in a part */
};

/* Begin a file for @model. */
void blocks_write_begin(struct blocks_writer *w, const struct model *model);

/* Begin an occurrence of @phase with @n_parts parts, each of which must follow. */
void blocks_write_occurrence(struct blocks_writer *w, uint32_t phase, uint32_t n_parts);

/* Begin the part of @work, in ascending order. */
void blocks_write_part(struct blocks_writer *w, uint32_t work);

/* Add to the part: a block, an arrival at a barrier of @n, a lock taken or given back. */
void blocks_write_block(struct blocks_writer *w, uint64_t weight);
void blocks_write_barrier(struct blocks_writer *w, uint32_t object, uint64_t n);
void blocks_write_lock(struct blocks_writer *w, uint32_t object, bool give_back);

/* The whole file goes to @out (appended); @w is empty afterwards. */
void blocks_write_end(struct blocks_writer *w, struct strbuf *out);

/* Append @v, seven bits a byte, the lowest first, as the block file has numbers. */
void blocks_put_number(struct strbuf *sb, uint64_t v);

#endif

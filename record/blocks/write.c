/* SPDX-License-Identifier: MIT */
/* Writing block files. */
#include <string.h>

#include "lib/crc32c.h"
#include "record/blocks/blocks.h"

/* What a varint can hold behind two bits; a record that has a longer block is senseless. */
#define WEIGHT_MAX (1ull << 60)

/* The blocks that wait for one that differs. */
static void put_blocks(struct blocks_writer *w)
{
	if (w->repeated == 1) {
		blocks_put_number(&w->body, w->weight << 2 | BLOCK_WORK);
	} else if (w->repeated) {
		blocks_put_number(&w->body, w->repeated << 2 | BLOCK_RUN);
		blocks_put_number(&w->body, w->weight);
	}
	w->repeated = 0;
}

static void end_part(struct blocks_writer *w)
{
	if (!w->open)
		return;
	put_blocks(w);
	blocks_put_number(&w->out, w->body.len);
	strbuf_add(&w->out, w->body.len ? w->body.s : "", w->body.len);
	w->body.len = 0;
	w->open = false;
}

void blocks_write_begin(struct blocks_writer *w, const struct model *model)
{
	*w = (struct blocks_writer){.out = STRBUF_INIT, .body = STRBUF_INIT};
	w->n_phases = (uint32_t)model->n_phases;
	model_hash(model, w->model_sha256);
	for (size_t i = 0; i < model->n_phases; i++) {
		uint32_t n = (uint32_t)model->phases[i].n_work;

		strbuf_add(&w->out, &n, sizeof(n));
	}
}

void blocks_write_occurrence(struct blocks_writer *w, uint32_t phase, uint32_t n_parts)
{
	end_part(w);
	blocks_put_number(&w->out, phase);
	blocks_put_number(&w->out, n_parts);
	w->work = -1;
	w->n_occurrences++;
}

void blocks_write_part(struct blocks_writer *w, uint32_t work)
{
	end_part(w);
	blocks_put_number(&w->out, (uint64_t)((int64_t)work - w->work - 1));
	w->work = work;
	w->open = true;
}

void blocks_write_block(struct blocks_writer *w, uint64_t weight)
{
	weight = weight < WEIGHT_MAX ? weight : WEIGHT_MAX;
	if (w->repeated && w->weight != weight)
		put_blocks(w);
	w->weight = weight;
	w->repeated++;
	w->n_blocks++;
}

static void use_object(struct blocks_writer *w, uint32_t object)
{
	if (object >= w->n_objects)
		w->n_objects = object + 1;
}

void blocks_write_barrier(struct blocks_writer *w, uint32_t object, uint64_t n)
{
	put_blocks(w);
	blocks_put_number(&w->body, (uint64_t)object << 2 | BLOCK_BARRIER);
	blocks_put_number(&w->body, n);
	use_object(w, object);
}

void blocks_write_lock(struct blocks_writer *w, uint32_t object, bool give_back)
{
	put_blocks(w);
	blocks_put_number(&w->body, ((uint64_t)object << 1 | give_back) << 2 | BLOCK_LOCK);
	use_object(w, object);
}

void blocks_write_end(struct blocks_writer *w, struct strbuf *out)
{
	struct blocks_header h = {.version = BLOCKS_VERSION};

	end_part(w);
	memcpy(h.magic, BLOCKS_MAGIC, sizeof(h.magic));
	memcpy(h.model_sha256, w->model_sha256, sizeof(h.model_sha256));
	h.n_phases = w->n_phases;
	h.bytes = sizeof(h) + w->out.len;
	h.n_occurrences = w->n_occurrences;
	h.n_blocks = w->n_blocks;
	h.n_objects = w->n_objects;
	h.crc = crc32c(0, w->out.s, w->out.len);
	h.header_crc = crc32c(0, &h, offsetof(struct blocks_header, header_crc));
	strbuf_add(out, &h, sizeof(h));
	strbuf_add(out, w->out.s, w->out.len);
	strbuf_release(&w->out);
	strbuf_release(&w->body);
	*w = (struct blocks_writer){0};
}

void blocks_put_number(struct strbuf *sb, uint64_t v)
{
	uint8_t byte[10];
	size_t n = 0;

	for (; v >= 0x80; v >>= 7)
		byte[n++] = (uint8_t)(v | 0x80);
	byte[n++] = (uint8_t)v;
	strbuf_add(sb, byte, n);
}

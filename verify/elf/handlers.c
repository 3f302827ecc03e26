/* SPDX-License-Identifier: MIT */
#include "verify/elf/handlers.h"

#include <string.h>

#define TABLE_BYTES ((size_t)1 << 20)
#define OMITTED     0xff
#define BY_LEB      0x01
#define BY_WORD     0x03

struct table {
	const uint8_t *data;
	size_t at, size;
	bool bad;
};

static uint8_t handlers_byte(struct table *t)
{
	if (t->at >= t->size) {
		t->bad = true;
		return 0;
	}
	return t->data[t->at++];
}

/* A number of 7 bits a byte, or of 4 bytes. */
static uint64_t handlers_number(struct table *t, uint8_t encoding)
{
	uint64_t value = 0;
	uint32_t shift = 0;
	uint8_t b;

	if (encoding == BY_WORD) {
		for (; shift < 32; shift += 8)
			value |= (uint64_t)handlers_byte(t) << shift;
		return value;
	}
	do {
		b = handlers_byte(t);
		if (shift < 64)
			value |= (uint64_t)(b & 0x7f) << shift;
		shift += 7;
	} while (b & 0x80 && !t->bad);
	return value;
}

/* The stretches of code in the table, of a function that begins at @from. */
static enum handled look_up(struct table *t, uint64_t from, uint64_t at, uint64_t *place)
{
	uint8_t base = handlers_byte(t), types = handlers_byte(t), encoding;
	uint64_t bytes;
	size_t end;

	if (types != OMITTED)
		handlers_number(t, BY_LEB);
	encoding = handlers_byte(t);
	bytes = handlers_number(t, BY_LEB);
	if (t->bad || base != OMITTED || (encoding != BY_LEB && encoding != BY_WORD) ||
	    bytes > t->size - t->at)
		return HANDLED_UNKNOWN;
	end = t->at + (size_t)bytes;
	while (t->at < end) {
		uint64_t begin = handlers_number(t, encoding), size = handlers_number(t, encoding);
		uint64_t pad = handlers_number(t, encoding);

		handlers_number(t, BY_LEB);
		if (t->bad)
			return HANDLED_UNKNOWN;
		if (at - from < begin || at - from - begin >= size)
			continue;
		*place = from + pad;
		return pad ? HANDLED_HERE : HANDLED_BEYOND;
	}
	return HANDLED_ENDS;
}

enum handled handlers_find(const struct image *e, const struct frames *f, uint64_t at, uint64_t *place)
{
	size_t i = frames_from(f, at + 1);
	const struct frame *fr = i ? f->by_code[i - 1] : NULL;
	struct table t = {0};

	if (!fr || at - fr->from >= fr->size)
		return HANDLED_ENDS;
	if (!fr->kind.has_lsda || !frames_value(f, fr->lsda, fr->kind.lsda_encoding))
		return HANDLED_NOT;
	t.data = image_some(e, frames_pointer(f, fr->lsda, fr->kind.lsda_encoding), TABLE_BYTES, &t.size);
	return t.data ? look_up(&t, fr->from, at, place) : HANDLED_UNKNOWN;
}

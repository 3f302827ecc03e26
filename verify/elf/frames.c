/* SPDX-License-Identifier: MIT */
#include "verify/elf/frames.h"

#include <stdlib.h>
#include <string.h>

#define PCREL    0x10
#define INDIRECT 0x80

/* A position in an entry; past the end all is zero and @bad. */
struct cursor {
	const uint8_t *data;
	size_t at, end;
	bool bad;
};

static uint8_t byte(struct cursor *c)
{
	if (c->at >= c->end) {
		c->bad = true;
		return 0;
	}
	return c->data[c->at++];
}

/* LEB128: seven bits a byte.  A signed one is extended. */
static uint64_t leb(struct cursor *c, bool is_signed)
{
	uint64_t value = 0;
	uint32_t shift = 0;
	uint8_t b;

	do {
		b = byte(c);
		if (shift < 64)
			value |= (uint64_t)(b & 0x7f) << shift;
		shift += 7;
	} while (b & 0x80 && !c->bad);
	if (is_signed && b & 0x40 && shift < 64)
		value |= UINT64_MAX << shift;
	return value;
}

/* Bytes of a number that is encoded so, 0: of an unknown or changing size. */
static size_t bytes_of(uint8_t encoding)
{
	switch (encoding & 0x0f) {
	case 0x00: /* an address */
	case 0x04: /* udata8 */
	case 0x0c: /* sdata8 */
		return 8;
	case 0x03: /* udata4 */
	case 0x0b: /* sdata4 */
		return 4;
	default:
		return 0;
	}
}

/* Absolute or counted from its place, for personalities also by way of a pointer. */
static bool is_encoding(uint8_t encoding, bool indirect)
{
	uint8_t way = encoding & 0xf0;

	return bytes_of(encoding) &&
	       (way == 0 || way == PCREL || (indirect && (way == (PCREL | INDIRECT) || way == INDIRECT)));
}

static bool skip(struct cursor *c, size_t n)
{
	if (n > c->end - c->at)
		c->bad = true;
	else
		c->at += n;
	return !c->bad;
}

/* One letter of the augmentation. */
static bool read_letter(struct frame_kind *k, struct cursor *c, char letter)
{
	switch (letter) {
	case 'R':
		k->pc_encoding = byte(c);
		return is_encoding(k->pc_encoding, false);
	case 'L':
		k->has_lsda = true;
		k->lsda_encoding = byte(c);
		return is_encoding(k->lsda_encoding, false);
	case 'P':
		k->has_personality = true;
		k->personality_encoding = byte(c);
		k->personality = c->at;
		return is_encoding(k->personality_encoding, true) &&
		       skip(c, bytes_of(k->personality_encoding));
	case 'S': /* of a signal handler */
		return true;
	default:
		return false;
	}
}

static bool read_augmentation(struct frame_kind *k, struct cursor *c)
{
	size_t end;
	uint64_t n;

	if (!k->augmentation[0])
		return true;
	if (k->augmentation[0] != 'z')
		return false;
	n = leb(c, false);
	if (c->bad || n > c->end - c->at)
		return false;
	end = c->at + (size_t)n;
	for (const char *letter = k->augmentation + 1; *letter; letter++)
		if (strchr(k->augmentation, *letter) != letter || !read_letter(k, c, *letter))
			return false;
	return !c->bad && c->at == end;
}

/* Numbers behind each operation from 0x00 on: L one in LEB128, B a block behind its length; digits: bytes. */
static const char *const operands[] = {
	"",   NULL, "1",  "2",  "4",  "LL", "L",  "L",  "L",  "LL", "",   "",   "LL", "L",  "L",  "B",
	"LB", "LL", "LL", "L",  "LL", "LL", "LB", NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
	NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, "",   "L",  "LL"};

/* One operation, whatever it does. */
static bool skip_operation(struct cursor *c)
{
	uint8_t b = byte(c);
	const char *o = b < sizeof(operands) / sizeof(*operands) ? operands[b] : NULL;

	if (b >> 6)
		o = b >> 6 == 2 ? "L" : "";
	for (; o && *o; o++) {
		uint64_t n = *o == 'L' || *o == 'B' ? leb(c, false) : (uint64_t)(*o - '0');

		if (*o != 'L' && (c->bad || n > c->end - c->at || !skip(c, (size_t)n)))
			return false;
	}
	return o && !c->bad;
}

/* All operations up to the last that does something; what fills up behind it is the linker's affair. */
static bool read_code(struct cursor *c, struct frame_code *code)
{
	*code = (struct frame_code){.at = c->data + c->at};
	while (c->at < c->end) {
		const uint8_t *at = c->data + c->at;

		if (!skip_operation(c))
			return false;
		if (*at)
			code->n = (size_t)(c->data + c->at - code->at);
	}
	return true;
}

static uint32_t word(const uint8_t *p)
{
	uint32_t w;

	memcpy(&w, p, sizeof(w));
	return w;
}

/* An entry at @at: its id, and what is behind; false if it does not lie in the section. */
static bool entry(const struct frames *f, size_t at, uint32_t *id, struct cursor *c)
{
	uint32_t n;

	if (at > f->size || f->size - at < 8)
		return false;
	n = word(f->data + at);
	if (n < 4 || n > f->size - at - 4)
		return false;
	*id = word(f->data + at + 4);
	*c = (struct cursor){.data = f->data, .at = at + 8, .end = at + 4 + n};
	return true;
}

static bool read_kind(const struct frames *f, size_t at, struct frame_kind *k)
{
	struct cursor c;
	uint32_t id;
	size_t text;

	*k = (struct frame_kind){0};
	if (!entry(f, at, &id, &c) || id)
		return false;
	k->version = byte(&c);
	text = c.at;
	while (byte(&c))
		;
	if (c.bad || (k->version != 1 && k->version != 3))
		return false;
	k->augmentation = (const char *)f->data + text;
	k->align_code = leb(&c, false);
	k->align_data = leb(&c, true);
	k->return_register = k->version == 1 ? byte(&c) : leb(&c, false);
	if (c.bad || !read_augmentation(k, &c))
		return false;
	return read_code(&c, &k->code);
}

static bool read_frame(struct frames *f, size_t at, uint32_t back, struct cursor *c)
{
	struct frame out = {.offset = at, .pc = c->at};
	size_t n;

	if (back > at + 4 || !read_kind(f, at + 4 - back, &out.kind))
		return false;
	n = bytes_of(out.kind.pc_encoding);
	if (!skip(c, 2 * n))
		return false;
	out.from = frames_pointer(f, out.pc, out.kind.pc_encoding);
	out.size = frames_value(f, out.pc + n, out.kind.pc_encoding & 0x07);
	if (n == 4)
		out.size &= UINT32_MAX;
	if (out.kind.augmentation[0]) {
		uint64_t more = leb(c, false);

		if (c->bad || more > c->end - c->at ||
		    more != (out.kind.has_lsda ? bytes_of(out.kind.lsda_encoding) : 0))
			return false;
		out.lsda = c->at;
		c->at += (size_t)more;
	}
	if (!read_code(c, &out.code))
		return false;
	f->frame = need_more(f->frame, f->n, sizeof(out));
	f->frame[f->n++] = out;
	return true;
}

static bool is_zero(const struct frames *f, size_t at)
{
	while (at < f->size && !f->data[at])
		at++;
	return at == f->size;
}

static int by_code(const void *a, const void *b)
{
	const struct frame *x = *(const struct frame *const *)a, *y = *(const struct frame *const *)b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static void sort(struct frames *f)
{
	f->by_code = need(f->n + 1, sizeof(*f->by_code));
	for (size_t i = 0; i < f->n; i++)
		f->by_code[i] = &f->frame[i];
	qsort(f->by_code, f->n, sizeof(*f->by_code), by_code);
}

size_t frames_from(const struct frames *f, uint64_t from)
{
	size_t low = 0, high = f->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (f->by_code[mid]->from < from)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

const struct frame *frames_at(const struct frames *f, size_t offset)
{
	size_t low = 0, high = f->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (f->frame[mid].offset < offset)
			low = mid + 1;
		else
			high = mid;
	}
	return low < f->n && f->frame[low].offset == offset ? &f->frame[low] : NULL;
}

/* All entries, up to the zero that ends them. */
static bool frames_read_all(struct frames *out)
{
	size_t at = 0;

	while (at < out->size) {
		struct cursor c;
		struct frame_kind kind;
		uint32_t id;

		/* Behind the end may stand what fills up. */
		if (out->size - at >= 4 && !word(out->data + at))
			return is_zero(out, at);
		if (!entry(out, at, &id, &c))
			return false;
		if (id ? !read_frame(out, at, id, &c) : !read_kind(out, at, &kind))
			return false;
		at = c.end;
	}
	return true;
}

bool frames_read(struct frames *out, const struct image *e, size_t section)
{
	bool right;

	*out = (struct frames){.address = e->section[section].sh_addr};
	out->data = image_bytes(e, section, &out->size);
	right = out->data && frames_read_all(out);
	sort(out);
	return right;
}

void frames_release(struct frames *f)
{
	free(f->by_code);
	free(f->frame);
	*f = (struct frames){0};
}

uint64_t frames_value(const struct frames *f, size_t at, uint8_t encoding)
{
	uint64_t value = 0;
	size_t n = bytes_of(encoding);

	if (at > f->size || n > f->size - at)
		return 0;
	memcpy(&value, f->data + at, n);
	if (n == 4 && encoding & 0x08)
		value = (uint64_t)(int64_t)(int32_t)(uint32_t)value;
	return value;
}

uint64_t frames_pointer(const struct frames *f, size_t at, uint8_t encoding)
{
	return frames_value(f, at, encoding) + ((encoding & 0x70) == PCREL ? f->address + at : 0);
}

bool frames_same_code(const struct frame_code *a, const struct frame_code *b)
{
	return a->n == b->n && (!a->n || !memcmp(a->at, b->at, a->n));
}

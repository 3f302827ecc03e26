/* SPDX-License-Identifier: MIT */
#include "lib/html/columns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "lib/html/html.h"
#include "lib/mem.h"

#define LEVEL 4     /* of 9: 6 takes twice as long for 2 % less */
#define SLOTS 65536 /* of rows that resemble each other; a power of two, page.js has it too */

/* Where a word of a column's name ends: "rival", "thread", "line=thread". */
static size_t name_length(const char *name)
{
	return strcspn(name, "/+=");
}

static const struct column *column_of(const struct columns *c, const char *name)
{
	size_t n = name_length(name);

	for (size_t i = 0; i < c->n; i++)
		if (name_length(c->at[i].name) == n && !memcmp(c->at[i].name, name, n))
			return &c->at[i];
	return NULL;
}

void columns_init(struct columns *c, const char *const *names)
{
	*c = (struct columns){0};
	while (names[c->n])
		c->n++;
	c->at = mem_new(c->n + 1, sizeof(*c->at));
	for (size_t i = 0; i < c->n; i++)
		c->at[i].name = names[i];
}

void columns_release(struct columns *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->at[i].values);
	free(c->at);
	*c = (struct columns){0};
}

void columns_expect(struct columns *c, size_t rows)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->at[i].cap < rows) {
			c->at[i].values = mem_resize(c->at[i].values, rows, sizeof(*c->at[i].values));
			c->at[i].cap = rows;
		}
}

static int64_t exact(int64_t v)
{
	return v > COLUMNS_MAX ? COLUMNS_MAX : v < -COLUMNS_MAX ? -COLUMNS_MAX : v;
}

void columns_add(struct columns *c, const int64_t *values)
{
	for (size_t i = 0; i < c->n; i++) {
		struct column *x = &c->at[i];

		if (c->rows == x->cap) {
			x->cap = x->cap ? 2 * x->cap : 64;
			x->values = mem_resize(x->values, x->cap, sizeof(*x->values));
		}
		x->values[c->rows] = exact(values[i]);
	}
	c->rows++;
}

/* 0, -1, 1, -2, ... as 0, 1, 2, 3, ...; @v is not near the ends. */
static uint64_t zigzag(int64_t v)
{
	return (uint64_t)v << 1 ^ (uint64_t)(v >> 63);
}

/* What is written of each row: the zigzag of its difference. */
static void steps_of(const struct column *x, size_t rows, uint64_t *out)
{
	for (size_t i = 0; i < rows; i++)
		out[i] = zigzag(x->values[i] - (i ? x->values[i - 1] : 0));
}

/* @like: "thread", "thread+rival" or "line=thread". */
static void steps_like(const struct columns *c, const struct column *x, const char *like, uint64_t *out)
{
	const char *second = like + name_length(like), *third = second + strcspn(second, "/=");
	const int64_t *a = column_of(c, like)->values, *b = NULL, *of = x->values;
	int64_t *last = mem_new(SLOTS, sizeof(*last));

	if (*second == '+')
		b = column_of(c, second + 1)->values;
	if (*third == '=')
		of = column_of(c, third + 1)->values;
	for (size_t i = 0; i < c->rows; i++) {
		size_t slot = ((uint64_t)a[i] + (b ? 257 * (uint64_t)b[i] : 0)) % SLOTS;

		out[i] = zigzag(x->values[i] - last[slot]);
		last[slot] = of[i];
	}
	free(last);
}

static void steps_plain(const struct column *x, size_t rows, uint64_t *out)
{
	for (size_t i = 0; i < rows; i++)
		out[i] = zigzag(x->values[i]);
}

/* Bytes that the widest of them needs. */
static unsigned planes(const uint64_t *steps, size_t rows)
{
	uint64_t all = 0;

	for (size_t i = 0; i < rows; i++)
		all |= steps[i];
	return all >> 32 ? 8 : all >> 16 ? 4 : all >> 8 ? 2 : 1;
}

/* Bits that a code of single bytes takes for them. */
static double entropy(const uint64_t *steps, size_t rows)
{
	double bits = 0;

	for (unsigned b = 0, n = planes(steps, rows); b < n; b++) {
		size_t count[256] = {0};

		for (size_t i = 0; i < rows; i++)
			count[steps[i] >> 8 * b & 255]++;
		for (unsigned v = 0; v < 256; v++)
			bits += count[v] ? (double)count[v] * log2((double)rows / (double)count[v]) : 0;
	}
	return bits;
}

/* The shortest way to write @x into *@steps, @*other being room for one more; what stands behind its name for it. */
static const char *choose_steps(const struct columns *c, const struct column *x, uint64_t **steps,
				uint64_t **other)
{
	const char *best = ".", *like = strchr(x->name, '/');
	double least;

	if (!like) {
		steps_of(x, c->rows, *steps);
		return "";
	}
	steps_plain(x, c->rows, *steps);
	least = entropy(*steps, c->rows);
	for (; like && least > 0; like = strchr(like + 1, '/')) {
		uint64_t *spare = *other;
		double bits;

		steps_like(c, x, like + 1, spare);
		bits = entropy(spare, c->rows);
		if (bits > least)
			continue;
		least = bits;
		best = like + 1;
		*other = *steps;
		*steps = spare;
	}
	return best;
}

/* 32 where all values are those of an int32_t. */
static unsigned bits(const struct column *x, size_t rows)
{
	for (size_t i = 0; i < rows; i++)
		if (x->values[i] != (int32_t)x->values[i])
			return 64;
	return 32;
}

struct packer {
	z_stream z;
	unsigned char *out;
	size_t cap;
};

static void *grab(void *opaque, uInt n, uInt size)
{
	(void)opaque;
	return mem_new(n, size);
}

static void give(void *opaque, void *p)
{
	(void)opaque;
	free(p);
}

static void pack(struct packer *p, const void *data, size_t len, int flush)
{
	int ret;

	p->z.next_in = (void *)(uintptr_t)data;
	p->z.avail_in = (uInt)len;
	do {
		if (p->z.total_out == p->cap) {
			p->cap = p->cap ? 2 * p->cap : 65536;
			p->out = mem_resize(p->out, p->cap, 1);
		}
		p->z.next_out = p->out + p->z.total_out;
		p->z.avail_out =
			(uInt)(p->cap - p->z.total_out < 1u << 30 ? p->cap - p->z.total_out : 1u << 30);
		ret = deflate(&p->z, flush);
	} while (ret == Z_OK && (p->z.avail_in || !p->z.avail_out || flush == Z_FINISH));
}

static void pack_steps(struct packer *p, const uint64_t *steps, size_t rows, unsigned bytes)
{
	unsigned char part[65536];

	for (unsigned b = 0; b < bytes; b++)
		for (size_t i = 0; i < rows; i += sizeof(part)) {
			size_t n = rows - i < sizeof(part) ? rows - i : sizeof(part);

			for (size_t k = 0; k < n; k++)
				part[k] = (unsigned char)(steps[i + k] >> 8 * b);
			pack(p, part, n, Z_NO_FLUSH);
		}
}

void columns_write(const struct columns *c, const char *id, struct strbuf *out)
{
	uint64_t *steps = mem_new(c->rows + 1, sizeof(*steps)), *other = mem_new(c->rows + 1, sizeof(*other));
	struct packer p = {.out = NULL};

	strbuf_printf(out, "<script type=\"text/plain\" id=\"%s\" data-rows=\"%zu\" data-columns=\"", id,
		      c->rows);
	p.z.zalloc = grab;
	p.z.zfree = give;
	deflateInit2(&p.z, LEVEL, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY); /* fails for memory only */
	for (size_t i = 0; i < c->n; i++) {
		const struct column *x = &c->at[i];
		const char *like = choose_steps(c, x, &steps, &other);
		unsigned bytes = planes(steps, c->rows);

		strbuf_printf(out, "%s%.*s:%u:%u%s%.*s", i ? " " : "", (int)name_length(x->name), x->name,
			      bytes, bits(x, c->rows), *like ? ":" : "", (int)strcspn(like, "/"), like);
		pack_steps(&p, steps, c->rows, bytes);
	}
	pack(&p, "", 0, Z_FINISH);
	strbuf_puts(out, "\">");
	html_base64(out, p.out, p.z.total_out);
	strbuf_puts(out, "</script>\n");
	deflateEnd(&p.z);
	free(p.out);
	free(other);
	free(steps);
}

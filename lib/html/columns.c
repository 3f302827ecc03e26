/* SPDX-License-Identifier: MIT */
#include "lib/html/columns.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <zlib.h>

#include "lib/html/html.h"
#include "lib/mem.h"

#define LEVEL 6     /* of 9: 4 takes half as long for 6 % more of time stamps */
#define ALONE 65536 /* rows that one thread writes sooner than several start */
#define TEAM  8     /* threads at most */
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

/* A tenth of a page's time went into the faults of small ones.  Where there are none it is as before. */
static void use_large_pages(void *p, size_t bytes)
{
	const uintptr_t page = 4096;
	uintptr_t from = ((uintptr_t)p + page - 1) & ~(page - 1), to = ((uintptr_t)p + bytes) & ~(page - 1);

	if (bytes >= 1u << 22)
		(void)madvise((void *)from, to - from, MADV_HUGEPAGE);
}

void columns_expect(struct columns *c, size_t rows)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->at[i].cap < rows) {
			c->at[i].values = mem_resize(c->at[i].values, rows, sizeof(*c->at[i].values));
			c->at[i].cap = rows;
			use_large_pages(c->at[i].values, rows * sizeof(*c->at[i].values));
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

/* Nothing that repeats can be expected where its bytes hold more than half of what they could. */
static bool is_noise(const uint64_t *steps, size_t rows)
{
	return entropy(steps, rows) > 4.0 * planes(steps, rows) * (double)rows;
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

/* 8, 16 or 32 where all values are those of a signed integer of that size. */
static unsigned bits(const struct column *x, size_t rows)
{
	uint64_t all = 0;

	for (size_t i = 0; i < rows; i++)
		all |= zigzag(x->values[i]);
	return all >> 32 ? 64 : all >> 16 ? 32 : all >> 8 ? 16 : 8;
}

static bool is_constant(const struct column *x, size_t rows)
{
	for (size_t i = 1; i < rows; i++)
		if (x->values[i] != x->values[0])
			return false;
	return rows;
}

/* A column as it is written: a part of a deflate stream that ends at a byte. */
struct packed {
	z_stream z;
	unsigned char *out;
	size_t cap;
	uint32_t crc;
	unsigned bytes, bits;
	const char *like; /* NULL: a constant, of which nothing is written */
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

static void pack(struct packed *p, const void *data, size_t len, int flush)
{
	p->z.next_in = (void *)(uintptr_t)data;
	p->z.avail_in = (uInt)len;
	p->crc = (uint32_t)crc32(p->crc, data, (uInt)len);
	do {
		if (p->z.total_out == p->cap) {
			p->cap = p->cap ? 2 * p->cap : 4096;
			p->out = mem_resize(p->out, p->cap, 1);
		}
		p->z.next_out = p->out + p->z.total_out;
		p->z.avail_out =
			(uInt)(p->cap - p->z.total_out < 1u << 30 ? p->cap - p->z.total_out : 1u << 30);
		if (deflate(&p->z, flush) != Z_OK)
			return;
	} while (p->z.avail_in || !p->z.avail_out);
}

static void pack_steps(struct packed *p, const uint64_t *steps, size_t rows)
{
	unsigned char part[65536];

	for (unsigned b = 0; b < p->bytes; b++)
		for (size_t i = 0; i < rows; i += sizeof(part)) {
			size_t n = rows - i < sizeof(part) ? rows - i : sizeof(part);

			for (size_t k = 0; k < n; k++)
				part[k] = (unsigned char)(steps[i + k] >> 8 * b);
			pack(p, part, n, Z_NO_FLUSH);
		}
}

static void pack_column(struct packed *p, const struct columns *c, const struct column *x)
{
	uint64_t *steps, *other;

	p->bits = bits(x, c->rows);
	if (is_constant(x, c->rows))
		return;
	steps = mem_new(c->rows + 1, sizeof(*steps));
	other = mem_new(c->rows + 1, sizeof(*other));
	p->like = choose_steps(c, x, &steps, &other);
	p->bytes = planes(steps, c->rows);
	p->z.zalloc = grab;
	p->z.zfree = give;
	/* Fails for memory only. */
	deflateInit2(&p->z, LEVEL, Z_DEFLATED, -15, 9,
		     is_noise(steps, c->rows) ? Z_HUFFMAN_ONLY : Z_DEFAULT_STRATEGY);
	pack_steps(p, steps, c->rows);
	pack(p, "", 0, Z_SYNC_FLUSH);
	deflateEnd(&p->z);
	free(other);
	free(steps);
}

/* ---- several threads ------------------------------------------------------------------------------ */

struct team {
	const struct columns *c;
	struct packed *of; /* by column */
	size_t next;       /* column; atomic */
};

static void *pack_columns(void *arg)
{
	struct team *t = arg;
	size_t i;

	while ((i = __atomic_fetch_add(&t->next, 1, __ATOMIC_RELAXED)) < t->c->n)
		pack_column(&t->of[i], t->c, &t->c->at[i]);
	return NULL;
}

/* What is written does not depend on how many there are: each column has its own part of the stream. */
static void pack_all(const struct columns *c, struct packed *of)
{
	struct team t = {.c = c, .of = of};
	pthread_t id[TEAM];
	size_t n = 0, want = 1;
	cpu_set_t cpus;

	if (c->rows > ALONE && !sched_getaffinity(0, sizeof(cpus), &cpus))
		want = (size_t)CPU_COUNT(&cpus);
	want = want < TEAM ? want : TEAM;
	want = want < c->n ? want : c->n;
	while (n + 1 < want && !pthread_create(&id[n], NULL, pack_columns, &t))
		n++;
	pack_columns(&t);
	while (n)
		pthread_join(id[--n], NULL);
}

/* ---- the element ---------------------------------------------------------------------------------- */

static unsigned char *append(unsigned char *to, const void *data, size_t len)
{
	if (len) /* a table without rows has no data */
		memcpy(to, data, len);
	return to + len;
}

static unsigned char *append_u32(unsigned char *to, uint32_t v)
{
	unsigned char le[4] = {(unsigned char)v, (unsigned char)(v >> 8), (unsigned char)(v >> 16),
			       (unsigned char)(v >> 24)};

	return append(to, le, 4);
}

/* The parts as one gzip member (RFC 1952), in base64. */
static void join(const struct columns *c, const struct packed *of, struct strbuf *out)
{
	static const unsigned char head[] = {0x1f, 0x8b, Z_DEFLATED, 0, 0, 0, 0, 0, 0, 3};
	static const unsigned char last[] = {3, 0}; /* a block with nothing in it that is the last */
	uint32_t crc = (uint32_t)crc32(0, NULL, 0), length = 0;
	size_t bytes = sizeof(head) + sizeof(last) + 8;
	unsigned char *all, *to;

	for (size_t i = 0; i < c->n; i++)
		bytes += of[i].z.total_out;
	all = mem_new(bytes, 1);
	to = append(all, head, sizeof(head));
	for (size_t i = 0; i < c->n; i++) {
		to = append(to, of[i].out, of[i].z.total_out);
		crc = (uint32_t)crc32_combine(crc, of[i].crc, (z_off_t)of[i].z.total_in);
		length += (uint32_t)of[i].z.total_in;
	}
	to = append(to, last, sizeof(last));
	to = append_u32(to, crc);
	append_u32(to, length);
	html_base64(out, all, bytes);
	free(all);
}

void columns_write(const struct columns *c, const char *id, struct strbuf *out)
{
	struct packed *of = mem_new(c->n + 1, sizeof(*of));

	pack_all(c, of);
	strbuf_printf(out, "<script type=\"text/plain\" id=\"%s\" data-rows=\"%zu\" data-columns=\"", id,
		      c->rows);
	for (size_t i = 0; i < c->n; i++) {
		const char *name = c->at[i].name, *like = of[i].like;

		strbuf_printf(out, "%s%.*s:%u:%u", i ? " " : "", (int)name_length(name), name, of[i].bytes,
			      of[i].bits);
		if (!like)
			strbuf_printf(out, ":%" PRId64, c->at[i].values[0]);
		else if (*like)
			strbuf_printf(out, ":%.*s", (int)strcspn(like, "/"), like);
	}
	strbuf_puts(out, "\">");
	join(c, of, out);
	strbuf_puts(out, "</script>\n");
	for (size_t i = 0; i < c->n; i++)
		free(of[i].out);
	free(of);
}

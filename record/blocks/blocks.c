/* SPDX-License-Identifier: MIT */
/* Opening block files: everything is checked once, so that reading need not. */
#include "record/blocks/blocks.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/crc32c.h"
#include "lib/mem.h"

/* A walk over bytes that nobody has looked at yet. */
struct walk {
	struct block_cursor c;
	const uint8_t *start;
	const char *wrong; /* what, or NULL */
};

static uint64_t fail(struct walk *w, const char *what)
{
	if (!w->wrong)
		w->wrong = what;
	return 0;
}

static uint64_t take(struct walk *w)
{
	const uint8_t *at = w->c.at;
	uint32_t n = 0;

	while (at + n < w->c.end && n < 9 && at[n] >= 0x80)
		n++;
	if (w->wrong || at + n >= w->c.end)
		return fail(w, "ends in the middle of a number");
	if (n == 9)
		return fail(w, "holds a number of more than 63 bits");
	return block_varint(&w->c);
}

/* One entry of a body: adds to @weight and @n_blocks. */
static void check_entry(const struct blocks *b, struct walk *w, uint64_t *weight, uint64_t *n_blocks)
{
	uint64_t v = take(w), value = v >> 2, operand = 1;

	if ((v & 3) == BLOCK_RUN || (v & 3) == BLOCK_BARRIER)
		operand = take(w);
	switch ((enum block_kind)(v & 3)) {
	case BLOCK_WORK:
	case BLOCK_RUN:
		if ((unsigned __int128)value * operand + *weight > BLOCKS_MAX_WEIGHT)
			fail(w, "holds more work than can be");
		*weight += value * operand;
		*n_blocks += (v & 3) == BLOCK_RUN ? value : 1;
		break;
	case BLOCK_BARRIER:
		if (value >= b->header.n_objects || !operand)
			fail(w, "names a barrier that is not there, or of nobody");
		break;
	case BLOCK_LOCK:
		if (value / 2 >= b->header.n_objects)
			fail(w, "names a lock that is not there");
		break;
	}
}

static void check_part(const struct blocks *b, struct walk *w, uint32_t phase, int64_t *work,
		       uint64_t *n_blocks)
{
	uint64_t skip = take(w), bytes = take(w), n = b->work_at[phase + 1] - b->work_at[phase];
	struct walk body = {.start = w->start};

	if (w->wrong)
		return;
	if (skip >= n || (uint64_t)(*work + 1) + skip >= n) {
		fail(w, "names a work that the phase does not have");
		return;
	}
	*work += 1 + (int64_t)skip;
	if (bytes > (uint64_t)(w->c.end - w->c.at)) {
		fail(w, "ends in the middle of a part");
		return;
	}
	body.c = (struct block_cursor){w->c.at, w->c.at + bytes};
	while (!body.wrong && body.c.at < body.c.end)
		check_entry(b, &body, &b->weight[b->work_at[phase] + *work], n_blocks);
	w->c.at = body.c.at;
	w->wrong = body.wrong;
}

static void check_occurrence(const struct blocks *b, struct walk *w, uint64_t *n_blocks)
{
	uint64_t phase = take(w), n_parts = take(w);
	int64_t work = -1;

	if (w->wrong)
		return;
	if (phase >= b->header.n_phases) {
		fail(w, "names a phase that the model does not have");
		return;
	}
	b->occurrences[phase]++;
	for (uint64_t i = 0; i < n_parts && !w->wrong; i++)
		check_part(b, w, (uint32_t)phase, &work, n_blocks);
}

static int bad(const char *name, const char *what, uint64_t at, struct err *err)
{
	return err_set(err, -EINVAL,
		       "'%s' %s (at byte %llu)\n"
		       "  perseus analyze --blocks writes it again",
		       name, what, (unsigned long long)at);
}

static int check_header(const struct blocks *b, size_t len, const char *name, struct err *err)
{
	const struct blocks_header *h = &b->header;

	if (memcmp(h->magic, BLOCKS_MAGIC, sizeof(h->magic)))
		return err_set(err, -EINVAL, "'%s' is not a block file: it does not begin with its magic",
			       name);
	if (h->version > BLOCKS_VERSION)
		return err_set(err, -ENOTSUP, "'%s' has version %u, this perseus reads up to %u", name,
			       h->version, BLOCKS_VERSION);
	if (h->header_crc != crc32c(0, h, offsetof(struct blocks_header, header_crc)))
		return bad(name, "has a header that does not match its checksum", 0, err);
	if (h->bytes != len)
		return err_set(err, -EINVAL, "'%s' has %zu bytes, %llu were written", name, len,
			       (unsigned long long)h->bytes);
	if (h->n_objects > BLOCKS_MAX_OBJECTS)
		return bad(name, "has more barriers and locks than can be",
			   offsetof(struct blocks_header, n_objects), err);
	return 0;
}

/* The hash is what counts; the table keeps a forged one from reaching beyond the model. */
static int check_model(struct blocks *b, const uint8_t *table, size_t len, const char *name,
		       const struct model *model, struct err *err)
{
	char hash[65];
	uint32_t sum = 0;

	model_hash(model, hash);
	if (memcmp(hash, b->header.model_sha256, 64))
		return err_set(err, -EINVAL,
			       "'%s' belongs to model %.6s.., not to this one, %.6s..\n"
			       "  perseus analyze --blocks writes both",
			       name, b->header.model_sha256, hash);
	if (b->header.n_phases != model->n_phases || len / 4 < model->n_phases)
		return bad(name, "has a number of phases that is not the model's", 12, err);
	b->work_at = mem_new(model->n_phases + 1, sizeof(*b->work_at));
	for (size_t i = 0; i < model->n_phases; i++) {
		uint32_t n;

		memcpy(&n, table + 4 * i, sizeof(n));
		if (n != model->phases[i].n_work)
			return bad(name, "has a number of threads in a phase that is not the model's",
				   sizeof(b->header) + 4 * i, err);
		b->work_at[i + 1] = sum += n;
	}
	b->weight = mem_new((size_t)sum + 1, sizeof(*b->weight));
	b->occurrences = mem_new(model->n_phases + 1, sizeof(*b->occurrences));
	return 0;
}

static int check_body(struct blocks *b, const uint8_t *start, const char *name, struct err *err)
{
	struct walk w = {.c = {b->first, b->end}, .start = start};
	uint64_t n_occurrences = 0, n_blocks = 0;

	for (; w.c.at < w.c.end && !w.wrong; n_occurrences++)
		check_occurrence(b, &w, &n_blocks);
	if (w.wrong)
		return bad(name, w.wrong, (uint64_t)(w.c.at - start), err);
	if (n_occurrences != b->header.n_occurrences || n_blocks != b->header.n_blocks)
		return bad(name, "holds another number of phases or blocks than its header says", 24, err);
	return 0;
}

int blocks_parse(struct blocks *b, const void *data, size_t len, const char *name, const struct model *model,
		 struct err *err)
{
	const uint8_t *p = data;
	int ret;

	*b = (struct blocks){0};
	if (len < sizeof(b->header))
		return err_set(err, -EINVAL, "'%s' has %zu bytes: too short for a block file", name, len);
	memcpy(&b->header, p, sizeof(b->header));
	ret = check_header(b, len, name, err);
	if (!ret && b->header.crc != crc32c(0, p + sizeof(b->header), len - sizeof(b->header)))
		ret = bad(name, "does not match its checksum", sizeof(b->header), err);
	if (!ret)
		ret = check_model(b, p + sizeof(b->header), len - sizeof(b->header), name, model, err);
	if (!ret) {
		b->first = p + sizeof(b->header) + 4 * (size_t)b->header.n_phases;
		b->end = p + len;
		ret = check_body(b, p, name, err);
	}
	if (ret)
		blocks_close(b);
	return ret;
}

static int map_file(const char *path, void **map, size_t *len, struct err *err)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC), ret = 0;

	if (fd < 0)
		return err_set(err, -errno, "cannot open '%s': %s", path, strerror(errno));
	*map = MAP_FAILED;
	if (fstat(fd, &st))
		ret = err_set(err, -errno, "cannot read '%s': %s", path, strerror(errno));
	else if (!S_ISREG(st.st_mode) || !st.st_size)
		ret = err_set(err, -EINVAL, "'%s' is not a block file: it is empty or no file", path);
	if (!ret) {
		*len = (size_t)st.st_size;
		*map = mmap(NULL, *len, PROT_READ, MAP_PRIVATE, fd, 0);
		if (*map == MAP_FAILED)
			ret = err_set(err, -errno, "cannot map '%s': %s", path, strerror(errno));
	}
	close(fd);
	return ret;
}

int blocks_open(struct blocks *b, const char *path, const struct model *model, struct err *err)
{
	size_t len = 0;
	void *map = NULL;
	int ret = map_file(path, &map, &len, err);

	*b = (struct blocks){0};
	if (ret)
		return ret;
	madvise(map, len, MADV_SEQUENTIAL);
	ret = blocks_parse(b, map, len, path, model, err);
	if (ret) {
		munmap(map, len);
		return ret;
	}
	b->map = map;
	b->map_bytes = len;
	return 0;
}

void blocks_close(struct blocks *b)
{
	if (b->map)
		munmap(b->map, b->map_bytes);
	free(b->work_at);
	free(b->weight);
	free(b->occurrences);
	*b = (struct blocks){0};
}

bool block_occurrence(struct block_cursor *c, struct block_occurrence *o)
{
	if (c->at == c->end)
		return false;
	o->phase = (uint32_t)block_varint(c);
	o->n_parts = (uint32_t)block_varint(c);
	return true;
}

struct block_cursor block_part(struct block_cursor *c, int64_t *work)
{
	struct block_cursor body;
	uint64_t bytes;

	*work += 1 + (int64_t)block_varint(c);
	bytes = block_varint(c);
	body = (struct block_cursor){c->at, c->at + bytes};
	c->at += bytes;
	return body;
}

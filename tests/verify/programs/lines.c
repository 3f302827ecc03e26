/* SPDX-License-Identifier: MIT */
/*
 * lines BINARY...         each address of each function, its file and line
 * lines ROUNDS BINARY...  bytes of their line tables are changed, ROUNDS times;
 *                         whatever is answered, it must not crash.  The same
 *                         arguments give the same run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/verify/programs/draw.h"
#include "verify/elf/lines.h"
#include "verify/elf/symbols.h"

static struct line_query *all_queries(const struct symbols *s, size_t *n)
{
	struct line_query *q = NULL;

	*n = 0;
	for (size_t i = 0; i < s->n_functions; i++)
		for (uint64_t at = 0; at < s->function[i].size; at++) {
			q = need_more(q, *n, sizeof(*q));
			q[(*n)++] = (struct line_query){.address = s->function[i].address + at};
		}
	return q;
}

static enum lines_state ask(const struct image *e, struct line_query *q, size_t n)
{
	struct line_query **p = need(n + 1, sizeof(*p));
	enum lines_state state_of;

	for (size_t i = 0; i < n; i++) {
		q[i] = (struct line_query){.address = q[i].address};
		p[i] = &q[i];
	}
	state_of = lines_find(e, p, n);
	free(p);
	return state_of;
}

static void show(const struct image *e, const struct symbols *s)
{
	size_t n;
	struct line_query *q = all_queries(s, &n);

	ask(e, q, n);
	for (size_t i = 0; i < n; i++)
		if (q[i].line && q[i].file && !q[i].doubtful)
			printf("%#llx %s:%u\n", (unsigned long long)q[i].address, q[i].file, q[i].line);
	free(q);
}

/* Damage of one section, which is taken back. */
static uint64_t damage(struct image *e, const char *name, struct line_query *q, size_t n)
{
	size_t i = image_named(e, name), size;
	const uint8_t *data = i < e->n_sections ? image_bytes(e, i, &size) : NULL;
	uint8_t *bytes, *kept;
	uint64_t answers = 0;

	if (!data || !size)
		return 0;
	bytes = e->in.data + (data - e->in.data);
	kept = need(size, 1);
	memcpy(kept, bytes, size);
	for (uint64_t k = 1 + draw(8); k; k--) {
		static const uint8_t odd[] = {0, 1, 0x7f, 0x80, 0xff, 3, 9};
		size_t at = draw(draw(3) ? size : (size < 200 ? size : 200));

		bytes[at] = draw(2) ? odd[draw(sizeof(odd))] : (uint8_t)draw(256);
	}
	if (!draw(4))
		e->section[i].sh_size = draw(size + 1);
	ask(e, q, n);
	for (size_t k = 0; k < n; k++)
		answers += q[k].line && q[k].file;
	e->section[i].sh_size = size;
	memcpy(bytes, kept, size);
	free(kept);
	return answers;
}

static void fuzz(struct image *e, const struct symbols *s, unsigned long rounds)
{
	size_t n;
	struct line_query *q = all_queries(s, &n);
	uint64_t answers = 0;

	/* Some of them, so that a round is short. */
	for (size_t i = 0; n && i < 64; i++)
		q[i] = q[draw(n)];
	n = n < 64 ? n : 64;
	for (unsigned long i = 0; i < rounds; i++)
		answers += damage(e, i % 4 ? ".debug_line" : ".debug_line_str", q, n);
	printf("%llu answers\n", (unsigned long long)answers);
	free(q);
}

int main(int argc, char **argv)
{
	unsigned long rounds = argc > 2 ? strtoul(argv[1], NULL, 10) : 0;

	for (int i = rounds ? 2 : 1; i < argc; i++) {
		struct image e;
		struct symbols s = {0};
		struct fault f;

		if (image_open(&e, argv[i], &f) || symbols_read(&s, &e, &f)) {
			fprintf(stderr, "%s\n", f.text);
			return 1;
		}
		if (rounds)
			fuzz(&e, &s, rounds);
		else
			show(&e, &s);
		symbols_release(&s);
		image_release(&e);
	}
	return 0;
}

/* SPDX-License-Identifier: MIT */
/* Sums of .pden files: a line a file, each fact a word NAME=NUMBER. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "perseus/denormal.h"

static struct sums {
	uint64_t slot[2], all, threads, items, objects, blocks, where[5], rows[2], in[5], units, ftz, ended;
} s;
static uint32_t where_of[100000]; /* each object is */

static void add(const struct prs_den_item *item)
{
	const struct prs_den_table *t = (const void *)item;
	const struct prs_den_object *o = (const void *)item;
	const struct prs_den_arrays *a = (const void *)item;
	const struct prs_den_array_row *row = (const void *)(a + 1);

	if (item->type == PRS_DEN_ITEM_TABLE) {
		for (uint64_t i = 0; i < (item->bytes - sizeof(*t)) / 8; i++) {
			s.slot[i % 2] += t->count[i];
			s.all += t->count[i];
		}
	} else if (item->type == PRS_DEN_ITEM_THREAD) {
		s.items++;
		s.threads += ((const struct prs_den_thread *)item)->threads;
	} else if (item->type == PRS_DEN_ITEM_OBJECT) {
		s.objects++;
		s.blocks += o->blocks;
		s.ended += o->end_ns != 0;
		s.where[o->where]++;
		where_of[item->number] = o->where;
		if (o->where == PRS_DEN_HEAP && !o->caller[0])
			abort();
	} else if (item->type == PRS_DEN_ITEM_ARRAYS) {
		for (uint32_t i = 0; i < a->n; i++)
			s.rows[row[i].object < 2 ? row[i].object : 1] += row[i].object < 2 ? row[i].count : 0;
	} else if (item->type == PRS_DEN_ITEM_UNIT) {
		s.units++;
	} else if (item->type == PRS_DEN_ITEM_NOTE) {
		s.ftz += ((const struct prs_den_note *)item)->kind == PRS_DEN_NOTE_FTZ;
	}
}

/* Behind all others: a row may be of an object that came later than its item. */
static void add_rows(const struct prs_den_item *item)
{
	const struct prs_den_arrays *a = (const void *)item;
	const struct prs_den_array_row *row = (const void *)(a + 1);

	for (uint32_t i = 0; item->type == PRS_DEN_ITEM_ARRAYS && i < a->n; i++)
		s.in[where_of[row[i].object]] += row[i].count;
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		FILE *f = fopen(argv[i], "rb");
		struct stat st;
		unsigned char *p;

		if (!f || fstat(fileno(f), &st) || !(p = malloc((size_t)st.st_size)) ||
		    fread(p, (size_t)st.st_size, 1, f) != 1)
			return 2;
		fclose(f);
		const struct prs_den_head *h = (const void *)p;

		if (memcmp(h->magic, PRS_DEN_MAGIC, 8) || h->used > (uint64_t)st.st_size)
			return 3;
		s = (struct sums){0};
		for (uint64_t at = PRS_DEN_HEAD_SIZE; at < h->used;) {
			const struct prs_den_item *item = (const void *)(p + at);

			if (item->bytes % 64 || item->bytes < 64 || item->bytes > h->used - at)
				return 4;
			add(item);
			at += item->bytes;
		}
		for (uint64_t at = PRS_DEN_HEAD_SIZE; at < h->used;
		     at += ((const struct prs_den_item *)(p + at))->bytes)
			add_rows((const void *)(p + at));
		printf("even=%llu odd=%llu all=%llu threads=%llu items=%llu objects=%llu blocks=%llu "
		       "heap=%llu static=%llu stack=%llu first=%llu second=%llu units=%llu ftz=%llu "
		       "closed=%d lost=%llu "
		       "ended=%llu in_heap=%llu in_static=%llu in_page=%llu\n",
		       (unsigned long long)s.slot[0], (unsigned long long)s.slot[1],
		       (unsigned long long)s.all, (unsigned long long)s.threads, (unsigned long long)s.items,
		       (unsigned long long)s.objects, (unsigned long long)s.blocks,
		       (unsigned long long)s.where[PRS_DEN_HEAP], (unsigned long long)s.where[PRS_DEN_STATIC],
		       (unsigned long long)s.where[PRS_DEN_STACK], (unsigned long long)s.rows[0],
		       (unsigned long long)s.rows[1], (unsigned long long)s.units, (unsigned long long)s.ftz,
		       h->end_ns != 0, (unsigned long long)h->lost, (unsigned long long)s.ended,
		       (unsigned long long)s.in[PRS_DEN_HEAP], (unsigned long long)s.in[PRS_DEN_STATIC],
		       (unsigned long long)s.in[PRS_DEN_ELSEWHERE]);
		free(p);
	}
	return 0;
}

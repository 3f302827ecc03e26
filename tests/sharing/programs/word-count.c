/* SPDX-License-Identifier: MIT */
/*
 * Words are counted in tables of the threads; how many entries a table has
 * stands in an array by thread, and changes seldom: the line is shared, falsely, for nothing.
 */
#include "crew.h"

#include <string.h>

#define ENTRIES 512

struct entry {
	char word[12];
	int n;
};

static struct entry *tables[2];
static ALIGNED int use_len[2];

static NOIPA void add(struct entry *table, int *len, const char *word)
{
	unsigned h = 5381;

	for (const char *p = word; *p; p++)
		h = h * 33 + (unsigned char)*p;
	h %= ENTRIES;
	while (table[h].n && strcmp(table[h].word, word))
		h = (h + 1) % ENTRIES;
	if (!table[h].n++) {
		strcpy(table[h].word, word);
		++*len;
	}
}

static void work(int id)
{
	uint32_t r = (uint32_t)id + 1;
	char word[12];

	FOR_A_WHILE for (int i = 0; i < 200; i++) {
		snprintf(word, sizeof(word), "w%u", crew_random(&r) % 300);
		add(tables[id], &use_len[id], word);
	}
}

int main(void)
{
	for (int i = 0; i < 2; i++)
		tables[i] = aligned_alloc(4096, ENTRIES * sizeof(struct entry));
	for (int i = 0; i < 2; i++)
		memset(tables[i], 0, ENTRIES * sizeof(struct entry));
	crew(2, work);
	return use_len[0] != 300;
}

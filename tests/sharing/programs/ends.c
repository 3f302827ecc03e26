/* SPDX-License-Identifier: MIT */
/*
 * A histogram for each thread, in an array that grows as threads arrive, of a type that
 * has its name by typedef alone: what one counts last and what the next one counts
 * first lie in one line, where one element ends and the next begins.
 */
#include "crew.h"

typedef struct {
	int dark[24];
	int bright[24];
#ifdef FIXED
	int room[32];
#endif
} tones_t;

static tones_t *tones;

static NOIPA void count(tones_t *t, int bright)
{
	if (bright)
		t->bright[23]++; /* <- */
	else
		t->dark[0]++; /* <- */
}

static void work(int id)
{
	FOR_A_WHILE for (int i = 0; i < 1000; i++)
		count(&tones[id], !id);
}

int main(void)
{
	/* Of which malloc() leaves 16 bytes to the block before: the second element begins inside of a line. */
	for (int n = 1; n <= 2; n++)
		tones = realloc(tones, (size_t)n * sizeof(*tones));
	for (int i = 0; i < 2; i++)
		tones[i] = (tones_t){.dark = {0}};
	crew(2, work);
	return tones[0].bright[23] == 0;
}

/* SPDX-License-Identifier: MIT */
/* The same array as malloc() gives it: 16 bytes after a line, as glibc's blocks often lie. */
#include "crew.h"

#define THREADS 4

struct worker {
	long id;
	APART long done;
	long failed;
	long bytes;
	char name[8];
};

static struct worker *workers;

static struct worker *get(void)
{
#ifdef FIXED
	return aligned_alloc(LINE, THREADS * sizeof(struct worker));
#else
	struct worker *w = malloc(THREADS * sizeof(struct worker));

	for (int i = 0; i < 100 && (uintptr_t)w % LINE != 16; i++)
		w = malloc(THREADS * sizeof(struct worker));
	if ((uintptr_t)w % LINE != 16)
		exit(3);
	return w;
#endif
}

static NOIPA void finish(struct worker *w, long bytes)
{
	w->done++; /* <- */
	w->bytes += bytes; /* <- */
}

static void work(int id)
{
	struct worker *w = &workers[id];

	FOR_A_WHILE for (int i = 0; i < 1000; i++)
		finish(w, i);
}

int main(void)
{
	workers = get();
	for (int i = 0; i < THREADS; i++)
		workers[i] = (struct worker){.id = i};
	crew(THREADS, work);
	return workers[0].done == 0;
}

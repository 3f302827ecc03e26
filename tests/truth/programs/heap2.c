/* SPDX-License-Identifier: MIT */
/* Two small blocks, one after the other: a line apart if plain. */
#include <pthread.h>
#include <stdlib.h>

#include "known.h"

struct reader {
	volatile long seen;
};
struct writer {
	volatile int done;
	int pad;
	volatile long bytes;
	char name[8];
};

static struct reader *r;
static struct writer *w;

static void *reads(void *x)
{
	for (long i = 0; i < N; i++)
		r->seen++; /* <- seen */
	return x;
}

static void *writes(void *x)
{
	for (long i = 0; i < N; i++)
		w->bytes += 3; /* <- bytes */
	return x;
}

int main(void)
{
	pthread_t p, q;

	r = malloc(sizeof(*r)); /* = reader */
#ifdef TWIN
	if (!malloc(100))
		return 1;
#endif
	w = malloc(sizeof(*w)); /* = writer */
	r->seen = w->bytes = 0;
	pthread_create(&p, 0, reads, 0);
	pthread_create(&q, 0, writes, 0);
	pthread_join(p, 0);
	pthread_join(q, 0);
	SAY("seen", 0, r->seen);
	SAY("bytes", 1, w->bytes);
	return 0;
}

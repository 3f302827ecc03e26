/* SPDX-License-Identifier: MIT */
/* Two blocks of the heap that lie in one line. */
#include "crew.h"

struct reader {
	long lines;
};

struct writer {
	long records;
};

static struct reader *reader;
static struct writer *writer;

static NOIPA void count_line(struct reader *r)
{
	r->lines++; /* <- */
}

static NOIPA void count_record(struct writer *w)
{
	w->records++; /* <- */
}

static void work(int id)
{
	struct reader *r = reader;
	struct writer *w = writer;

	FOR_A_WHILE for (int i = 0; i < 1000; i++)
		if (id)
			count_line(r);
		else
			count_record(w);
}

int main(void)
{
	/* Small blocks follow each other: these two lie in one line. */
	struct reader *r = malloc(sizeof(*r));
	struct writer *w = malloc(sizeof(*w));

	for (int i = 0; i < 100 && (uintptr_t)r / LINE != (uintptr_t)w / LINE; i++) {
		r = malloc(sizeof(*r));
		if ((uintptr_t)r / LINE != (uintptr_t)w / LINE)
			w = malloc(sizeof(*w));
	}
	if ((uintptr_t)r / LINE != (uintptr_t)w / LINE)
		return 3;
#ifdef FIXED
	w = aligned_alloc(LINE, LINE);
#endif
	reader = r;
	writer = w;
	reader->lines = writer->records = 0;
	crew(2, work);
	return reader->lines == 0 || writer->records == 0;
}

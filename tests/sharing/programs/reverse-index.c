/* SPDX-License-Identifier: MIT */
/*
 * Links of pages are put into lists of the threads under a lock; the lengths lie
 * side by side.  With 1 in 4096 steps the line hardly moves.
 */
#include "crew.h"

struct link {
	struct link *next;
	unsigned page;
};

static ALIGNED struct {
	int length[2];
} lists;
static struct {
	ALIGNED struct link *head;
} heads[2];
static const char page[] = "<p>some text <a href=one>one</a> and more of it, to be scanned <a href=two>two</a></p>";

static NOIPA unsigned parse(const char *p)
{
	unsigned h = 0;

	for (; *p; p++)
		if (*p == '<' && p[1] == 'a')
			h = h * 31 + (unsigned char)p[8];
	return h;
}

static void work(int id)
{
	unsigned n = 0;

	FOR_A_WHILE for (int i = 0; i < 100; i++) {
		unsigned h = parse(page);

		if (++n % 4096 == 0) {
			struct link *l = malloc(sizeof(*l));

			*l = (struct link){heads[id].head, h};
			heads[id].head = l;
			lists.length[id]++;
		}
	}
}

int main(void)
{
	crew(2, work);
	return 0;
}

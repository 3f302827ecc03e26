/* SPDX-License-Identifier: MIT */
/* Records of constant size, filled by memcpy() and memset(), which the compiler does in line. */
#include "crew.h"

#include <string.h>

struct record {
	char key[16];
	char value[8];
#ifdef FIXED
	char pad[40];
#endif
};

static ALIGNED struct record records[2];
static const char source[2][16] = {"key of thread 0", "key of thread 1"};

static NOIPA void fill(struct record *r, const char *key, int c)
{
	memcpy(r->key, key, sizeof(r->key)); /* <- */
	memset(r->value, c, sizeof(r->value)); /* <- */
}

static NOIPA int first(const struct record *r)
{
	return r->key[0] + r->value[0]; /* <- */
}

static void work(int id)
{
	int n = 0;

	FOR_A_WHILE for (int i = 0; i < 1000; i++) {
		fill(&records[id], source[id], i);
		n += first(&records[id]);
	}
	if (n == -1)
		abort();
}

int main(void)
{
	crew(2, work);
	return 0;
}

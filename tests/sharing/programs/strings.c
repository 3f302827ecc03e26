/* SPDX-License-Identifier: MIT */
/* Names of variable length that strcpy(), memcpy() and memset() of the C library write. */
#include "crew.h"

#include <string.h>

struct label {
	char text[24];
#ifdef FIXED
	char pad[40];
#endif
};

static ALIGNED struct label labels[2];
static const char *const names[2][2] = {{"north", "north-east"}, {"south", "south-west"}};

static NOIPA void set(struct label *l, const char *name, size_t n)
{
	memset(l->text, ' ', n + 4); /* <- */
	memcpy(l->text, name, n); /* <- */
	strcpy(l->text + n, "!"); /* <- */
}

static void work(int id)
{
	FOR_A_WHILE for (int i = 0; i < 500; i++)
		set(&labels[id], names[id][i & 1], strlen(names[id][i & 1]));
}

int main(void)
{
	crew(2, work);
	return labels[0].text[0] != 'n';
}

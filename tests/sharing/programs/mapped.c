/* SPDX-License-Identifier: MIT */
/*
 * Two threads read a large mapped file over and over and count what they find,
 * in counters that lie in one line.
 */
#include "crew.h"

#include <sys/mman.h>
#include <unistd.h>

#define BYTES (24 << 20)

struct words {
	long short_ones;
	APART long long_ones;
};

static ALIGNED struct words words;
static const unsigned char *file;

static NOIPA void count(long *n, const unsigned char *p, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		if (p[i] == ' ')
			++*n; /* <- */
}

static void work(int id)
{
	size_t at = 0;

	FOR_A_WHILE {
		count(id ? &words.long_ones : &words.short_ones, file + at, 1 << 16);
		at = (at + (1 << 16)) % BYTES;
	}
}

int main(void)
{
	char block[4096];
	FILE *f = tmpfile();
	int fd = f ? fileno(f) : -1;

	for (size_t i = 0; i < sizeof(block); i++)
		block[i] = i % 5 ? 'x' : ' ';
	for (int i = 0; i < BYTES / 4096; i++)
		if (write(fd, block, sizeof(block)) != sizeof(block))
			return 3;
	file = mmap(NULL, BYTES, PROT_READ, MAP_PRIVATE, fd, 0);
	if (file == MAP_FAILED)
		return 3;
	crew(2, work);
	return words.short_ones == 0;
}

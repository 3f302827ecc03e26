/* SPDX-License-Identifier: MIT */
/* string-match FILE: each line is scrambled into a buffer and compared with four keys. */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "two.h"

#define WORD 1024

static const char *const keys[4] = {"Mjqqt|twqi", "mt|fwj~tz", "kjwwfwn", "|mtymjrfs"};
static const char *text;
static size_t bytes;
static long found[2][8];

static NOIPA void scramble(char *to, const char *from, int n)
{
	for (int i = 0; i < n; i++)
		to[i] = (char)(from[i] + 5);
	to[n] = 0;
}

static NOIPA long matches(const char *word)
{
	long n = 0;

	for (int k = 0; k < 4; k++)
		n += !strcmp(word, keys[k]);
	return n;
}

static void work(int id)
{
	const char *from = text + (size_t)id * (bytes / 2), *end = from + bytes / 2;
	char *buffer = malloc(WORD);

	for (int t = 0; t < 6; t++)
		for (const char *p = from; p < end;) {
			const char *e = memchr(p, '\n', (size_t)(end - p));
			int n = (int)((e ? e : end) - p);

			scramble(buffer, p, n < WORD ? n : WORD - 1);
			found[id][0] += matches(buffer);
			p += n + 1;
		}
	free(buffer);
}

int main(int argc, char **argv)
{
	int fd = open(argc > 1 ? argv[1] : "", O_RDONLY);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return 2;
	bytes = (size_t)st.st_size;
	text = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, fd, 0);
	if (text == MAP_FAILED)
		return 3;
	two(work);
	printf("%ld\n", found[0][0] + found[1][0]);
	return 0;
}

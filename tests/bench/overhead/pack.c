/* SPDX-License-Identifier: MIT */
/* pack ROUNDS: repetitions in a text are looked up by hash and replaced: one short function a byte. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline))
#define BYTES    (1 << 20)
#define NEAR     65535
#define LONGEST  255

static unsigned char in[BYTES], out[4 * BYTES];
static int seen[1 << 16];

NOINLINE static unsigned hash(const unsigned char *p)
{
	unsigned v;

	memcpy(&v, p, sizeof(v));
	return v * 2654435761u >> 16;
}

NOINLINE static int same(const unsigned char *a, const unsigned char *b, const unsigned char *end)
{
	int n = 0;

	while (b < end && *a == *b) {
		a++;
		b++;
		n++;
	}
	return n;
}

NOINLINE static unsigned char *emit(unsigned char *o, int length, int distance)
{
	*o++ = (unsigned char)length;
	*o++ = (unsigned char)distance;
	*o++ = (unsigned char)(distance >> 8);
	return o;
}

static long pack(void)
{
	unsigned char *o = out;

	memset(seen, 0, sizeof(seen));
	for (int i = 0; i + 4 < BYTES;) {
		unsigned h = hash(in + i);
		int before = seen[h], n = 0;

		seen[h] = i;
		if (before && i - before < NEAR)
			n = same(in + before, in + i, in + (i + LONGEST < BYTES ? i + LONGEST : BYTES));
		if (n >= 4)
			o = emit(o, n, i - before);
		else
			*o++ = in[i];
		i += n >= 4 ? n : 1;
	}
	return o - out;
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 80;
	unsigned s = 1;
	long bytes = 0;

	for (int i = 0; i < BYTES; i++) {
		s = s * 1664525u + 1013904223u;
		in[i] = i > 300 && s >> 28 ? in[i - 1 - i % 277] : (unsigned char)('a' + (s >> 20) % 26);
	}
	while (rounds--)
		bytes += pack();
	printf("%ld\n", bytes);
	return 0;
}

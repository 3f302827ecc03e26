/* SPDX-License-Identifier: MIT */
/* match LINES: patterns with ? and * are looked for in lines, by a function that calls itself for each byte. */
#include <stdio.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline))

static int fits(const char *pattern, const char *text);

/* The star takes as little as it can. */
NOINLINE static int star(const char *pattern, const char *text)
{
	for (;; text++) {
		if (fits(pattern, text))
			return 1;
		if (!*text)
			return 0;
	}
}

/* The text begins with the pattern. */
NOINLINE static int fits(const char *pattern, const char *text)
{
	if (!*pattern)
		return 1;
	if (*pattern == '*')
		return star(pattern + 1, text);
	if (!*text || (*pattern != '?' && *pattern != *text))
		return 0;
	return fits(pattern + 1, text + 1) ? 1 : 0;
}

NOINLINE static int found(const char *pattern, const char *text)
{
	return star(pattern, text);
}

int main(int argc, char **argv)
{
	int lines = argc > 1 ? atoi(argv[1]) : 200000;
	char text[200];
	long hits = 0;

	for (int i = 0; i < lines; i++) {
		sprintf(text, "%d of %d boxes of wire went to yard %d before noon", i, i * 7, i % 10);
		hits += found("b?xes*yard 7", text) + found("w*e*r*t*z", text) + found("noon", text);
	}
	printf("%ld\n", hits);
	return 0;
}

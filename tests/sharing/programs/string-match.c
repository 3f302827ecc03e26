/* SPDX-License-Identifier: MIT */
/*
 * Words of a text are scrambled into a small buffer of the thread and compared with
 * keys; the buffers are malloc()ed one after the other, as Phoenix' string_match does.
 */
#include "crew.h"

#include <string.h>

#define WORD 12

static const char text[] = "Helloworld howareyou ferrari whotheman apple house river stone perseus ";
static const char *const keys[4] = {"Mjqqt|twqi", "mt|fwj~tz", "kjwwfwn", "|mtymjrfs"};
static char *buffers[2];
static volatile int found[2];

static NOIPA void scramble(char *out, const char *word, int n)
{
	for (int i = 0; i < n; i++)
		out[i] = (char)(word[i] + 5); /* <- */
	out[n] = 0; /* <- */
}

static NOIPA int known(const char *word)
{
	for (int k = 0; k < 4; k++) {
		const char *a = word, *b = keys[k];

		while (*a && *a == *b) /* <- */
			a++, b++;
		if (*a == *b) /* <- */
			return 1;
	}
	return 0;
}

static void work(int id)
{
	int n = 0;

	FOR_A_WHILE for (const char *p = text; *p;) {
		const char *end = strchr(p, ' ');

		if (end - p < WORD) {
			scramble(buffers[id], p, (int)(end - p));
			n += known(buffers[id]);
		}
		p = end + 1;
	}
	found[id] = n;
}

int main(void)
{
#ifdef FIXED
	for (int i = 0; i < 2; i++)
		buffers[i] = aligned_alloc(LINE, LINE);
#else
	buffers[0] = malloc(WORD);
	buffers[1] = malloc(WORD);
	for (int i = 0; i < 100 && (uintptr_t)buffers[0] / LINE != (uintptr_t)buffers[1] / LINE; i++) {
		buffers[0] = buffers[1];
		buffers[1] = malloc(WORD);
	}
#endif
#ifndef FIXED
	if ((uintptr_t)buffers[0] / LINE != (uintptr_t)buffers[1] / LINE)
		return 3;
#endif
	crew(2, work);
	return found[0] == 0;
}

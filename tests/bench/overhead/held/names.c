/* SPDX-License-Identifier: MIT */
/* names N: a table of names that grows, with copies of them, and look-ups. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct name {
	struct name *next;
	char *text;
	long count;
};
static struct name **table;
static size_t places, used;

static unsigned long hash(const char *s)
{
	unsigned long h = 5381;

	while (*s)
		h = h * 33 ^ (unsigned char)*s++;
	return h;
}

static void grow(void)
{
	size_t n = places ? 2 * places : 64;
	struct name **wide = calloc(n, sizeof(struct name *));

	for (size_t i = 0; i < places; i++)
		while (table[i]) {
			struct name *e = table[i], **to = &wide[hash(e->text) % n];

			table[i] = e->next;
			e->next = *to;
			*to = e;
		}
	free(table);
	table = wide;
	places = n;
}

static struct name *find(const char *text)
{
	struct name *e = places ? table[hash(text) % places] : NULL;

	while (e && strcmp(e->text, text))
		e = e->next;
	return e;
}

static struct name *get(const char *text)
{
	struct name *e = find(text), **at;

	if (e)
		return e;
	if (used++ >= places)
		grow();
	at = &table[hash(text) % places];
	e = malloc(sizeof(*e));
	*e = (struct name){*at, strdup(text), 0};
	return *at = e;
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 1500000;
	unsigned s = 9;
	char text[32];

	for (long i = 0; i < n; i++) {
		s = s * 1664525u + 1013904223u;
		sprintf(text, "name%u", (s >> 10) % 100000);
		get(text)->count++;
	}
	printf("%zu\n", used);
	return 0;
}

/* SPDX-License-Identifier: MIT */
/* json ROUNDS: a JSON text is read into a tree, added up and freed: short recursive calls, and blocks everywhere. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RECORDS                                                                                              \
	1500 /* less than the caches hold: beyond, the same run takes up to twice as long now and then */

struct node {
	struct node *next, *child;
	char *key;
	double number;
};
static const char *at;

static struct node *value(void);

static struct node *make(void)
{
	return calloc(1, sizeof(struct node));
}

static void space(void)
{
	while (isspace((unsigned char)*at))
		at++;
}

static char *text(void)
{
	const char *begin = ++at;

	at = strchr(at, '"');
	return strndup(begin, (size_t)(at++ - begin));
}

static struct node *list(char end)
{
	struct node *n = make(), **tail = &n->child;

	for (at++, space(); *at != end; space()) {
		char *key = end == '}' ? text() : NULL;

		space();
		at += *at == ':';
		*tail = value();
		(*tail)->key = key;
		tail = &(*tail)->next;
		space();
		at += *at == ',';
	}
	at++;
	return n;
}

static struct node *number(void)
{
	struct node *n = make();
	char *end;

	n->number = strtod(at, &end);
	at = end;
	return n;
}

static struct node *value(void)
{
	space();
	return *at == '{' ? list('}') : *at == '[' ? list(']') : number();
}

static void release(struct node *n)
{
	while (n) {
		struct node *next = n->next;

		release(n->child);
		free(n->key);
		free(n);
		n = next;
	}
}

static double sum(const struct node *n)
{
	double s = 0;

	for (; n; n = n->next)
		s += n->number + sum(n->child);
	return s;
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 200;
	char *document = malloc(RECORDS * 96), *end = document;
	double all = 0;

	end += sprintf(end, "[");
	for (int i = 0; i < RECORDS; i++)
		end += sprintf(end, "%s{\"id\":%d,\"tags\":[1,2,3.5,%d],\"pos\":{\"x\":%d.25,\"y\":-%d}}",
			       i ? "," : "", i, i * 7, i % 100, i % 77);
	sprintf(end, "]");
	while (rounds--) {
		struct node *n;

		at = document;
		n = value();
		all += sum(n);
		release(n);
	}
	printf("%f\n", all);
	free(document);
	return 0;
}

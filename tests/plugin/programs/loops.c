/* SPDX-License-Identifier: MIT */
/* Leaf functions with data in the red zone, vectors, sorting, strings, the heap. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node { struct node *next; int key; char name[12]; };
static float x[256], y[256];
static unsigned hist[16];

__attribute__((noinline)) static int leaf(const int *p, int n)
{
	int a[16];

	for (int i = 0; i < 16; i++)
		a[i] = p[(i * n) & 15] + i;
	for (int i = 1; i < 16; i++)
		a[i] ^= a[(i * 7) & 15];
	return a[3] + a[15] * 3 + p[0];
}
__attribute__((noinline)) static void saxpy(float k)
{
	for (int i = 0; i < 256; i++)
		y[i] += k * x[i];
}
static int by_key(const void *a, const void *b)
{
	return (*(struct node *const *)a)->key - (*(struct node *const *)b)->key;
}
__attribute__((noinline)) static struct node *build(int n)
{
	struct node *head = NULL;

	for (int i = 0; i < n; i++) {
		struct node *p = calloc(1, sizeof(*p));

		p->next = head;
		p->key = i * 7919 % 101;
		snprintf(p->name, sizeof(p->name), "n%d", p->key);
		head = p;
	}
	return head;
}

int main(void)
{
	int data[16], s = 0;
	struct node *all[60], *p = build(60), *next;
	char *text = strdup("the quick brown fox"), *more;
	float total = 0;

	for (int i = 0; i < 16; i++)
		data[i] = i * i - 20;
	for (int i = 1; i < 50; i++)
		s += leaf(data, i);
	for (int i = 0; i < 256; i++)
		x[i] = (float)i / 4;
	saxpy(2.0f);
	saxpy(-0.5f);
	for (int i = 0; i < 256; i++)
		total += y[i];
	for (int i = 0; p; p = next, i++) {
		next = p->next;
		all[i] = p;
		hist[p->key & 15]++;
	}
	qsort(all, 60, sizeof(all[0]), by_key);
	more = realloc(text, 64);
	strcat(more, " jumps");
	printf("%d %.2f %s %s %u %s\n", s, total, all[0]->name, all[59]->name, hist[5], more);
	for (int i = 0; i < 60; i++)
		free(all[i]);
	free(more);
	return 0;
}

/* SPDX-License-Identifier: MIT */
#include "planner/diff/match.h"

#include <string.h>

void match_add(struct match_list *l, char *key, uint32_t index)
{
	struct match_item item = {key, index};

	vec_push(l, item);
}

static int match_by_key(const void *x, const void *y)
{
	const struct match_item *a = x, *b = y;
	int order = strcmp(a->key, b->key);

	return order ? order : (a->index > b->index) - (a->index < b->index);
}

void match_sort(struct match_list *l)
{
	if (l->n)
		qsort(l->at, l->n, sizeof(*l->at), match_by_key);
}

void match_pairs(struct match_list *a, struct match_list *b,
		 void (*pair)(void *arg, uint32_t in_a, uint32_t in_b), void *arg)
{
	size_t i = 0, k = 0;

	match_sort(a);
	match_sort(b);
	while (i < a->n && k < b->n) {
		int order = strcmp(a->at[i].key, b->at[k].key);

		if (!order)
			pair(arg, a->at[i].index, b->at[k].index);
		i += order <= 0;
		k += order >= 0;
	}
}

void match_release(struct match_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->at[i].key);
	vec_release(l);
}

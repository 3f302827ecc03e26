/* SPDX-License-Identifier: MIT */
#include "planner/diff/diff.h"

#include <stdlib.h>

#include "planner/diff/pair.h"

const char *diff_kind_name(enum diff_kind kind)
{
	static const char *const names[DIFF_KINDS] = {"identity", "task",    "thread",  "changed", "moved",
						      "added",    "dropped", "promise", "note"};

	return names[kind];
}

/* A stable sort by kind: counting, as there are few kinds. */
static void sort_by_kind(struct diff_changes *changes)
{
	struct diff_changes sorted = VEC_INIT;

	for (int kind = 0; kind < DIFF_KINDS; kind++)
		for (size_t i = 0; i < changes->n; i++)
			if (changes->at[i].kind == (enum diff_kind)kind)
				vec_push(&sorted, changes->at[i]);
	vec_release(changes);
	*changes = sorted;
}

void plan_diff(struct plan_diff *d, const struct plan *old, const struct plan *new)
{
	struct pair p;

	pair_init(&p, d, old, new);
	pair_flatten(&p);
	pair_head(&p);
	pair_threads(&p);
	pair_settings(&p);
	pair_flushes(&p);
	pair_layouts(&p);
	pair_why(&p);
	pair_release(&p);
	sort_by_kind(&d->changes);
}

void plan_diff_release(struct plan_diff *d)
{
	for (size_t i = 0; i < d->changes.n; i++) {
		const struct diff_change *c = &d->changes.at[i];

		free(c->subject);
		free(c->what);
		free(c->before);
		free(c->after);
		free(c->text);
	}
	vec_release(&d->changes);
}

/* SPDX-License-Identifier: MIT */
#include "scheduler/work/workflow.h"

#include <errno.h>
#include <math.h>
#include <string.h>

void work_release(struct workflow *w)
{
	for (size_t i = 0; i < w->tasks.n; i++) {
		free(w->tasks.at[i].name);
		free(w->tasks.at[i].command);
		vec_release(&w->tasks.at[i].after);
		vec_release(&w->tasks.at[i].next);
	}
	for (size_t i = 0; i < w->nodes.n; i++)
		free(w->nodes.at[i].name);
	vec_release(&w->tasks);
	vec_release(&w->nodes);
	free(w->topological);
	free(w->by_speed);
	*w = (struct workflow){0};
}

static bool is_time(double v)
{
	return v > 0 && isfinite(v);
}

static int task_check(const struct workflow *w, const struct work_task *t, struct err *err)
{
	if (!is_time(t->seconds) || !is_time(t->low) || !is_time(t->high))
		return err_set(err, -EINVAL,
			       "task '%s': a prediction of %g (%g to %g) s: it has to be above 0 and finite",
			       t->name, t->seconds, t->low, t->high);
	if (t->low > t->seconds || t->high < t->seconds)
		return err_set(err, -EINVAL, "task '%s': %g s does not lie between %g and %g", t->name,
			       t->seconds, t->low, t->high);
	if (!t->width || t->width > w->nodes.n)
		return err_set(err, -EINVAL, "task '%s' takes %zu nodes, and there are %zu", t->name,
			       t->width, w->nodes.n);
	if (!(t->release >= 0) || !isfinite(t->release) || !(t->deadline > 0))
		return err_set(err, -EINVAL, "task '%s': release %g, deadline %g", t->name, t->release,
			       t->deadline);
	return 0;
}

static int by_speed(const void *a, const void *b, void *arg)
{
	const struct workflow *sorted = arg;
	size_t i = *(const size_t *)a, k = *(const size_t *)b;
	double d = sorted->nodes.at[k].speed - sorted->nodes.at[i].speed;

	return d != 0 ? (d > 0) - (d < 0) : (i > k) - (i < k);
}

/* Say which task of a cycle waits for itself: any that @left has waits for another one of these. */
static int cycle_fail(const struct workflow *w, const size_t *left, struct err *err)
{
	size_t at = 0;

	while (!left[at])
		at++;
	/* After as many steps as there are tasks one stands on the cycle itself. */
	for (size_t step = 0; step < w->tasks.n; step++)
		for (size_t k = 0; k < w->tasks.at[at].after.n; k++)
			if (left[w->tasks.at[at].after.at[k]]) {
				at = w->tasks.at[at].after.at[k];
				break;
			}
	return err_set(err, -EINVAL, "task '%s' waits for itself, by way of others", w->tasks.at[at].name);
}

static int topological_order(struct workflow *w, struct err *err)
{
	size_t *left = mem_new(w->tasks.n, sizeof(*left)), done = 0;
	int ret = 0;

	for (size_t i = 0; i < w->tasks.n; i++) {
		left[i] = w->tasks.at[i].after.n;
		if (!left[i])
			w->topological[done++] = i;
	}
	for (size_t at = 0; at < done; at++) {
		const struct work_task *t = &w->tasks.at[w->topological[at]];

		for (size_t k = 0; k < t->next.n; k++)
			if (!--left[t->next.at[k]])
				w->topological[done++] = t->next.at[k];
	}
	if (done < w->tasks.n)
		ret = cycle_fail(w, left, err);
	free(left);
	return ret;
}

int work_by_key(const void *a, const void *b)
{
	const struct work_keyed *x = a, *y = b;

	return x->key != y->key ? (x->key > y->key) - (x->key < y->key)
				: (x->place > y->place) - (x->place < y->place);
}

void work_sort_again(struct work_keyed *k, size_t n)
{
	size_t moves = 16 * n; /* about what qsort() takes */

	for (size_t i = 1; i < n && moves; i++) {
		struct work_keyed x = k[i];
		size_t at = i;

		for (; at && moves && work_by_key(&k[at - 1], &x) > 0; at--, moves--)
			k[at] = k[at - 1];
		k[at] = x;
	}
	if (!moves)
		qsort(k, n, sizeof(*k), work_by_key);
}

int work_settle(struct workflow *w, struct err *err)
{
	int ret = 0;

	if (!w->tasks.n || !w->nodes.n)
		return err_set(err, -EINVAL, "there are no %s", w->tasks.n ? "nodes" : "tasks");
	for (size_t i = 0; !ret && i < w->nodes.n; i++)
		if (!is_time(w->nodes.at[i].speed))
			ret = err_set(err, -EINVAL, "node '%s': speed %g", w->nodes.at[i].name,
				      w->nodes.at[i].speed);
	for (size_t i = 0; !ret && i < w->tasks.n; i++) {
		ret = task_check(w, &w->tasks.at[i], err);
		for (size_t k = 0; k < w->tasks.at[i].after.n; k++)
			vec_push(&w->tasks.at[w->tasks.at[i].after.at[k]].next, i);
	}
	if (ret)
		return ret;
	w->topological = mem_new(w->tasks.n, sizeof(*w->topological));
	w->by_speed = mem_new(w->nodes.n, sizeof(*w->by_speed));
	for (size_t i = 0; i < w->nodes.n; i++)
		w->by_speed[i] = i;
	qsort_r(w->by_speed, w->nodes.n, sizeof(*w->by_speed), by_speed, w);
	return topological_order(w, err);
}

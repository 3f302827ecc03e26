/* SPDX-License-Identifier: MIT */
#include "scheduler/check/check.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/hash.h"
#include "lib/mem.h"
#include "lib/read/names.h"
#include "scheduler/check/optimum.h"
#include "yaml/doc.h"

#define CLOSE  1e-6 /* relative */
#define DIGITS 1e-8 /* ... of times that are written with nine digits */

struct booking {
	double from, to;
	uint32_t task; /* of the schedule */
	const char *node;
};

struct checker {
	struct doc work, plan;
	struct names nodes, tasks; /* of the workflow: elements of its lists */
	struct names planned;      /* of the schedule */
	struct err *err;
	struct booking *bookings;
	size_t n_bookings, cap;
	double makespan, late;
	enum check_optimum optimum;
};

static double number_of(const struct doc *d, uint32_t map, const char *key, double other)
{
	uint32_t v = doc_get(d, map, key);

	return v == DOC_NONE || d->nodes[v].kind != DOC_SCALAR ? other : strtod(doc_text(d, v), NULL);
}

static const char *text_of(const struct doc *d, uint32_t map, const char *key)
{
	uint32_t v = d->nodes[map].kind == DOC_MAP ? doc_get(d, map, key) : DOC_NONE;

	return v == DOC_NONE || d->nodes[v].kind != DOC_SCALAR ? "" : doc_text(d, v);
}

static uint32_t list_of(const struct doc *d, uint32_t map, const char *key)
{
	uint32_t v = d->nodes[map].kind == DOC_MAP ? doc_get(d, map, key) : DOC_NONE;

	return v == DOC_NONE || d->nodes[v].kind != DOC_LIST ? DOC_NONE : d->nodes[v].first;
}

/* Elements of the list @key by their @field; of those with one name the first. */
static void read_names(const struct doc *d, const char *key, const char *field, struct names *out)
{
	for (uint32_t k = list_of(d, 0, key); k != DOC_NONE; k = d->nodes[k].next)
		names_add(out, text_of(d, k, field), k);
}

static bool is_close(double a, double b)
{
	return fabs(a - b) <= CLOSE * fmax(1, fmax(fabs(a), fabs(b)));
}

__attribute__((format(printf, 3, 4))) static int wrong(struct checker *c, uint32_t at, const char *fmt, ...)
{
	char text[300];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	doc_fail(&c->plan, at, c->err, "%s", text);
	return 1;
}

/* The speed of the node @name: NAME, or NAME.I of `count`; 0: there is none. */
static double speed_of(const struct checker *c, const char *name)
{
	const char *dot = strrchr(name, '.');
	size_t k = names_find(&c->nodes, name);
	double count;
	char *end;

	if (k != NAMES_NONE && number_of(&c->work, (uint32_t)k, "count", 1) <= 1)
		return number_of(&c->work, (uint32_t)k, "speed", 1);
	k = dot ? names_find_part(&c->nodes, name, (size_t)(dot - name)) : NAMES_NONE;
	if (k == NAMES_NONE || dot[1] < '0' || dot[1] > '9')
		return 0;
	count = number_of(&c->work, (uint32_t)k, "count", 1);
	if (count <= 1 || !((double)strtoul(dot + 1, &end, 10) < count) || *end)
		return 0;
	return number_of(&c->work, (uint32_t)k, "speed", 1);
}

static int check_nodes(struct checker *c, uint32_t task, uint32_t work, double start, double end)
{
	double slowest = INFINITY, took = number_of(&c->work, work, "seconds", NAN), count = 0;

	for (uint32_t k = list_of(&c->plan, task, "nodes"); k != DOC_NONE; k = c->plan.nodes[k].next) {
		const char *name = c->plan.nodes[k].kind == DOC_SCALAR ? doc_text(&c->plan, k) : "";
		double speed = speed_of(c, name);

		if (!speed)
			return wrong(c, k, "there is no node '%s'", name);
		slowest = fmin(slowest, speed);
		count++;
		if (c->n_bookings == c->cap) {
			c->cap = c->cap ? 2 * c->cap : 64;
			c->bookings = mem_resize(c->bookings, c->cap, sizeof(*c->bookings));
		}
		c->bookings[c->n_bookings++] = (struct booking){start, end, task, name};
	}
	if (count != number_of(&c->work, work, "nodes", 1))
		return wrong(c, task, "task '%s' has %g nodes and needs %g", text_of(&c->plan, task, "task"),
			     count, number_of(&c->work, work, "nodes", 1));
	/* What a long time leaves of a short one is as exact as the long one. */
	if (!is_close(end - start, took / slowest) && fabs(end - start - took / slowest) > DIGITS * fabs(end))
		return wrong(c, task, "task '%s' takes %g s, and %g are planned",
			     text_of(&c->plan, task, "task"), took / slowest, end - start);
	return 0;
}

static int check_task(struct checker *c, uint32_t task)
{
	const char *name = text_of(&c->plan, task, "task");
	size_t found = names_find(&c->tasks, name);
	uint32_t work = (uint32_t)found;
	double start = number_of(&c->plan, task, "start", NAN), end = number_of(&c->plan, task, "end", NAN);

	if (found == NAMES_NONE)
		return wrong(c, task, "there is no task '%s'", name);
	if (names_find(&c->planned, name) != task)
		return wrong(c, task, "task '%s' is there twice", name);
	if (!isfinite(start) || !isfinite(end))
		return wrong(c, task, "task '%s' has no start or no end", name);
	if (start < number_of(&c->work, work, "release", 0) * (1 - CLOSE))
		return wrong(c, task, "task '%s' starts at %g, before its release", name, start);
	for (uint32_t k = list_of(&c->work, work, "after"); k != DOC_NONE; k = c->work.nodes[k].next) {
		size_t other = names_find(&c->planned, doc_text(&c->work, k));
		double ends = other == NAMES_NONE ? INFINITY
						  : number_of(&c->plan, (uint32_t)other, "end", INFINITY);

		if (start < ends && !is_close(start, ends))
			return wrong(c, task, "task '%s' starts at %g, before '%s' has ended", name, start,
				     doc_text(&c->work, k));
	}
	c->makespan = fmax(c->makespan, end);
	c->late += fmax(end - number_of(&c->work, work, "deadline", INFINITY), 0);
	return check_nodes(c, task, work, start, end);
}

static int by_node(const void *a, const void *b)
{
	const struct booking *x = a, *y = b;
	int names = strcmp(x->node, y->node);

	return names ? names : (x->from > y->from) - (x->from < y->from);
}

static int check_alone(struct checker *c)
{
	if (c->n_bookings)
		qsort(c->bookings, c->n_bookings, sizeof(*c->bookings), by_node);
	for (size_t i = 1; i < c->n_bookings; i++) {
		const struct booking *a = &c->bookings[i - 1], *b = &c->bookings[i];

		if (!strcmp(a->node, b->node) && b->from < a->to && !is_close(b->from, a->to))
			return wrong(c, b->task, "node '%s' has tasks '%s' and '%s' at %g", a->node,
				     text_of(&c->plan, a->task, "task"), text_of(&c->plan, b->task, "task"),
				     b->from);
	}
	return 0;
}

/* The nodes of the workflow one by one; false: there are too many. */
static bool read_speeds(const struct checker *c, struct optimum_work *w)
{
	for (uint32_t k = list_of(&c->work, 0, "nodes"); k != DOC_NONE; k = c->work.nodes[k].next) {
		double count = number_of(&c->work, k, "count", 1);

		for (double i = 0; i < count; i++) {
			if (w->n_nodes == OPTIMUM_NODES)
				return false;
			w->speed[w->n_nodes++] = number_of(&c->work, k, "speed", 1);
		}
	}
	return true;
}

/* Bits of the tasks that the one at @k waits for. */
static uint32_t waits_for(const struct checker *c, uint32_t k)
{
	uint32_t bits = 0;

	for (uint32_t a = list_of(&c->work, k, "after"); a != DOC_NONE; a = c->work.nodes[a].next) {
		size_t of = names_find(&c->tasks, doc_text(&c->work, a));
		uint32_t i = 0;

		for (uint32_t x = list_of(&c->work, 0, "tasks"); x != DOC_NONE && x != of;
		     x = c->work.nodes[x].next)
			i++;
		bits |= i < OPTIMUM_TASKS ? 1u << i : 0;
	}
	return bits;
}

static bool read_work(const struct checker *c, struct optimum_work *w)
{
	for (uint32_t k = list_of(&c->work, 0, "tasks"); k != DOC_NONE; k = c->work.nodes[k].next) {
		if (w->n_tasks == OPTIMUM_TASKS)
			return false;
		w->tasks[w->n_tasks++] = (struct optimum_task){
			.seconds = number_of(&c->work, k, "seconds", NAN),
			.release = number_of(&c->work, k, "release", 0),
			.deadline = number_of(&c->work, k, "deadline", INFINITY),
			.width = (size_t)number_of(&c->work, k, "nodes", 1),
			.after = waits_for(c, k),
		};
	}
	return read_speeds(c, w);
}

/* What no workflow that can be read has: nothing is tried on it. */
static bool is_sound(const struct optimum_work *w)
{
	for (size_t i = 0; i < w->n_tasks; i++)
		if (!(w->tasks[i].seconds > 0) || !isfinite(w->tasks[i].seconds) || !w->tasks[i].width)
			return false;
	for (size_t i = 0; i < w->n_nodes; i++)
		if (!(w->speed[i] > 0))
			return false;
	return true;
}

static int check_optimum(struct checker *c)
{
	struct optimum_work w = {0};
	double least, cost = c->makespan + c->late;

	c->optimum = CHECK_NOT_SHOWN;
	if (!read_work(c, &w) || !is_sound(&w) || !optimum_least(&w, cost, &least))
		return 0;
	if (least < cost)
		return wrong(c, 0, "it is not the optimum: there is a schedule of cost %g", least);
	c->optimum = CHECK_SHOWN;
	return 0;
}

static int check_sums(struct checker *c)
{
	double makespan = number_of(&c->plan, 0, "makespan", NAN), late = number_of(&c->plan, 0, "late", NAN),
	       bound = number_of(&c->plan, 0, "bound", NAN);
	const char *optimal = text_of(&c->plan, 0, "optimal");

	if (isnan(makespan) || isnan(late) || isnan(bound))
		return wrong(c, 0, "makespan, late and bound have to be numbers");
	if (!is_close(makespan, c->makespan))
		return wrong(c, 0, "the makespan is %g, not %g", c->makespan, makespan);
	if (!is_close(late, c->late))
		return wrong(c, 0, "tasks are %g s late in all, not %g", c->late, late);
	if (!(bound > 0) || (bound > makespan + late && !is_close(bound, makespan + late)))
		return wrong(c, 0, "a bound of %g cannot be above a cost of %g", bound, makespan + late);
	if (*optimal && strcmp(optimal, "true") && strcmp(optimal, "false"))
		return wrong(c, 0, "expected 'optimal: true' or 'false'");
	if (strcmp(optimal, "true"))
		return 0;
	if (!is_close(bound, makespan + late))
		return wrong(c, 0, "an optimum of %g has no bound of %g below it", makespan + late, bound);
	return check_optimum(c);
}

static int check_all(struct checker *c, const char *hash)
{
	uint32_t k;

	if (c->plan.nodes[0].kind != DOC_MAP || number_of(&c->plan, 0, "schedule", 0) != 1)
		return wrong(c, 0, "expected 'schedule: 1'");
	if (strcmp(text_of(&c->plan, 0, "workflow"), hash))
		return wrong(c, 0, "it is of another workflow, or of another version of this one");
	for (k = list_of(&c->plan, 0, "tasks"); k != DOC_NONE; k = c->plan.nodes[k].next) {
		int ret = check_task(c, k);

		if (ret)
			return ret;
	}
	for (k = list_of(&c->work, 0, "tasks"); k != DOC_NONE; k = c->work.nodes[k].next)
		if (names_find(&c->planned, text_of(&c->work, k, "name")) == NAMES_NONE)
			return wrong(c, 0, "task '%s' is missing", text_of(&c->work, k, "name"));
	return check_alone(c) || check_sums(c);
}

int check_schedule(const char *workflow, size_t workflow_len, const char *schedule, size_t schedule_len,
		   enum check_optimum *optimum, struct err *err)
{
	struct checker c = {.err = err};
	char hash[SHA256_HEX];
	struct sha256 sha;
	int ret = doc_parse(&c.work, workflow, workflow_len, "workflow", err);

	if (ret)
		return ret;
	ret = doc_parse(&c.plan, schedule, schedule_len, "schedule", err);
	if (ret) {
		doc_release(&c.work);
		return ret;
	}
	sha256_init(&sha);
	sha256_add(&sha, workflow, workflow_len);
	sha256_hex(&sha, hash);
	read_names(&c.work, "nodes", "name", &c.nodes);
	read_names(&c.work, "tasks", "name", &c.tasks);
	read_names(&c.plan, "tasks", "task", &c.planned);
	ret = check_all(&c, hash);
	*optimum = c.optimum;
	names_release(&c.nodes);
	names_release(&c.tasks);
	names_release(&c.planned);
	free(c.bookings);
	doc_release(&c.work);
	doc_release(&c.plan);
	return ret;
}

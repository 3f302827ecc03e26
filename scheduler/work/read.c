/* SPDX-License-Identifier: MIT */
/* The file of a workflow: nodes and tasks, as perseus-schedule(1) has them. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/num.h"
#include "lib/read/names.h"
#include "scheduler/work/workflow.h"
#include "yaml/doc.h"

struct reader {
	const struct doc *d;
	struct workflow *w;
	struct names *nodes, *tasks; /* by name: which one it is */
	struct err *err;
};

static int check_keys(const struct reader *r, uint32_t map, const char *const *keys)
{
	if (r->d->nodes[map].kind != DOC_MAP)
		return doc_fail(r->d, map, r->err, "expected a map");
	for (uint32_t k = r->d->nodes[map].first; k != DOC_NONE; k = r->d->nodes[r->d->nodes[k].next].next) {
		size_t i = 0;

		while (keys[i] && strcmp(keys[i], doc_text(r->d, k)))
			i++;
		if (!keys[i])
			return doc_fail(r->d, k, r->err, "unknown key '%s'", doc_text(r->d, k));
	}
	return 0;
}

/* The number at @key of @map; *out stays as it is if it is not there. */
static int read_number(const struct reader *r, uint32_t map, const char *key, double least, double *out)
{
	uint32_t v = doc_get(r->d, map, key);

	if (v == DOC_NONE)
		return 0;
	if (r->d->nodes[v].kind != DOC_SCALAR || num_double(doc_text(r->d, v), least, 1e15, out))
		return doc_fail(r->d, v, r->err, "%s: expected a number from %g to 1e15", key, least);
	return 0;
}

static int read_name(const struct reader *r, uint32_t map, const char **out)
{
	uint32_t v = doc_get(r->d, map, "name");

	if (v == DOC_NONE || r->d->nodes[v].kind != DOC_SCALAR || !*doc_text(r->d, v))
		return doc_fail(r->d, v == DOC_NONE ? map : v, r->err, "a name is missing");
	*out = doc_text(r->d, v);
	return 0;
}

/* A node, or `count` of them: NAME.0, NAME.1 ... */
static int read_node(const struct reader *r, uint32_t map)
{
	static const char *const keys[] = {"name", "speed", "count", NULL};
	double speed = 1, count = 1;
	const char *name;

	if (check_keys(r, map, keys) || read_name(r, map, &name) ||
	    read_number(r, map, "speed", 1e-9, &speed) || read_number(r, map, "count", 1, &count))
		return r->err->code;
	if (count != floor(count) || (double)r->w->nodes.n + count > WORK_NODES)
		return doc_fail(r->d, map, r->err,
				"count: expected a whole number, and at most %d nodes in all", WORK_NODES);
	for (size_t i = 0; i < (size_t)count; i++) {
		struct work_node node = {NULL, speed, 0};

		if (asprintf(&node.name, count > 1 ? "%s.%zu" : "%s", name, i) < 0)
			return err_set(r->err, -ENOMEM, "out of memory");
		if (!names_add(r->nodes, node.name, r->w->nodes.n)) {
			doc_fail(r->d, map, r->err, "node '%s' is there twice", node.name);
			free(node.name);
			return r->err->code;
		}
		vec_push(&r->w->nodes, node);
	}
	return 0;
}

static int read_task(const struct reader *r, uint32_t map)
{
	static const char *const keys[] = {"name",    "seconds",  "low",   "high",    "nodes",
					   "release", "deadline", "after", "command", NULL};
	struct work_task t = {.seconds = NAN, .low = NAN, .high = NAN, .deadline = INFINITY};
	uint32_t command;
	double width = 1;
	const char *name;

	if (check_keys(r, map, keys) || read_name(r, map, &name) ||
	    read_number(r, map, "seconds", 1e-9, &t.seconds) || read_number(r, map, "low", 1e-9, &t.low) ||
	    read_number(r, map, "high", 1e-9, &t.high) || read_number(r, map, "nodes", 1, &width) ||
	    read_number(r, map, "release", 0, &t.release) ||
	    read_number(r, map, "deadline", 1e-9, &t.deadline))
		return r->err->code;
	if (isnan(t.seconds))
		return doc_fail(r->d, map, r->err, "task '%s' has no seconds", name);
	if (width != floor(width))
		return doc_fail(r->d, map, r->err, "nodes: expected a whole number");
	if (r->w->tasks.n == WORK_TASKS)
		return doc_fail(r->d, map, r->err, "more than %d tasks", WORK_TASKS);
	if (!names_add(r->tasks, name, r->w->tasks.n))
		return doc_fail(r->d, map, r->err, "task '%s' is there twice", name);
	t.low = isnan(t.low) ? t.seconds : t.low;
	t.high = isnan(t.high) ? t.seconds : t.high;
	t.width = (size_t)width;
	command = doc_get(r->d, map, "command");
	if (command != DOC_NONE && r->d->nodes[command].kind != DOC_SCALAR)
		return doc_fail(r->d, command, r->err, "command: expected a text");
	t.name = mem_strdup(name);
	t.command = command == DOC_NONE ? NULL : mem_strdup(doc_text(r->d, command));
	vec_push(&r->w->tasks, t);
	return 0;
}

/* The list `after` of task number @i, once all tasks are known. */
static int read_after(const struct reader *r, uint32_t map, size_t i)
{
	uint32_t list = doc_get(r->d, map, "after");

	if (list == DOC_NONE)
		return 0;
	if (r->d->nodes[list].kind != DOC_LIST)
		return doc_fail(r->d, list, r->err, "after: expected a list of tasks");
	for (uint32_t k = r->d->nodes[list].first; k != DOC_NONE; k = r->d->nodes[k].next) {
		size_t other = r->d->nodes[k].kind == DOC_SCALAR ? names_find(r->tasks, doc_text(r->d, k))
								 : NAMES_NONE;

		if (other == NAMES_NONE)
			return doc_fail(r->d, k, r->err, "after: there is no such task");
		vec_push(&r->w->tasks.at[i].after, other);
	}
	return 0;
}

static int read_list(const struct reader *r, const char *key, int (*read)(const struct reader *, uint32_t))
{
	uint32_t list = doc_get(r->d, 0, key);
	int ret = 0;

	if (list == DOC_NONE || r->d->nodes[list].kind != DOC_LIST)
		return doc_fail(r->d, list == DOC_NONE ? 0 : list, r->err, "expected a list '%s'", key);
	for (uint32_t k = r->d->nodes[list].first; !ret && k != DOC_NONE; k = r->d->nodes[k].next)
		ret = read(r, k);
	return ret;
}

static int read_all(const struct reader *r)
{
	static const char *const keys[] = {"workflow", "nodes", "tasks", NULL};
	double version = 0;
	size_t i = 0;
	int ret = check_keys(r, 0, keys);

	if (!ret)
		ret = read_number(r, 0, "workflow", 0, &version);
	if (!ret && version != 1)
		ret = doc_fail(r->d, 0, r->err, "expected 'workflow: 1'");
	if (!ret)
		ret = read_list(r, "nodes", read_node);
	if (!ret)
		ret = read_list(r, "tasks", read_task);
	for (uint32_t k = ret ? DOC_NONE : r->d->nodes[doc_get(r->d, 0, "tasks")].first;
	     !ret && k != DOC_NONE; k = r->d->nodes[k].next)
		ret = read_after(r, k, i++);
	return ret;
}

int work_parse(struct workflow *w, const char *text, size_t len, const char *name, struct err *err)
{
	struct names nodes = {0}, tasks = {0};
	struct sha256 sha;
	struct doc d;
	int ret;

	*w = (struct workflow){0};
	ret = doc_parse(&d, text, len, name, err);
	if (ret)
		return ret;
	ret = read_all(&(struct reader){&d, w, &nodes, &tasks, err});
	names_release(&nodes);
	names_release(&tasks);
	doc_release(&d);
	if (!ret && (ret = work_settle(w, err)))
		err_prefix(err, "%s", name);
	if (ret)
		work_release(w);
	sha256_init(&sha);
	sha256_add(&sha, text, len);
	sha256_hex(&sha, w->hash);
	return ret;
}

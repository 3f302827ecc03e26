/* SPDX-License-Identifier: MIT */
#include "record/callees.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/fs.h"
#include "record/parts.h"

#define FILE_MAX ((size_t)64 << 20)

static int by_place(const void *a, const void *b)
{
	const struct run_callee *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return (x->address > y->address) - (x->address < y->address);
}

/* @line ends in a zero byte. */
static bool parse_line(char *line, struct run_callee *c)
{
	char *end;

	if (*line < '0' || *line > '9')
		return false;
	c->pid = (uint32_t)strtoul(line, &end, 10);
	if (*end != ' ')
		return false;
	line = end + 1;
	c->address = strtoull(line, &end, 16);
	c->name = end + 1;
	return end != line && *end == ' ' && end[1];
}

static int parse(struct run *run, const char *path, struct err *err)
{
	struct VEC(struct run_callee) v = VEC_INIT;
	size_t line = 1;

	for (char *s = run->callee_text, *next; *s; s = next, line++) {
		char *end = strchr(s, '\n');

		next = end ? end + 1 : s + strlen(s);
		if (end)
			*end = '\0';
		if (!parse_line(s, vec_add(&v))) {
			vec_release(&v);
			return err_set(err, -EINVAL, "%s: line %zu is '%.60s', expected `pid address name`",
				       path, line, s);
		}
	}
	if (v.n)
		qsort(v.at, v.n, sizeof(*v.at), by_place);
	run->callees = v.at;
	run->n_callees = v.n;
	return 0;
}

int callees_load(struct run *run, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	char path[PATH_MAX];
	int ret;

	if (snprintf(path, sizeof(path), "%s/" CALLEES_FILE, run->path) >= (int)sizeof(path))
		return err_set(err, -ENAMETOOLONG, "the path of the run is too long");
	ret = fs_read(path, FILE_MAX, &text, err);
	if (!ret && text.len) {
		run->callee_text = mem_strndup(text.s, text.len);
		ret = parse(run, path, err);
	}
	strbuf_release(&text);
	if (ret != -ENOENT)
		return ret;
	/* Most runs have none. */
	*err = (struct err)ERR_INIT;
	return 0;
}

void callees_release(struct run *run)
{
	free(run->callees);
	free(run->callee_text);
}

const char *callees_name(const struct run *run, uint32_t pid, uint64_t address)
{
	const struct run_callee key = {.pid = pid, .address = address}, *c;

	c = run->n_callees ? bsearch(&key, run->callees, run->n_callees, sizeof(key), by_place) : NULL;
	return c ? c->name : NULL;
}

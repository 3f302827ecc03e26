/* SPDX-License-Identifier: MIT */
#include "record/cores/cores.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/fs.h"
#include "lib/search.h"
#include "lib/strbuf.h"

#define FILE_MAX ((size_t)16 << 20)

static int path_of(const char *dir, char *path, size_t size, struct err *err)
{
	if (snprintf(path, size, "%s/" CORES_FILE, dir) >= (int)size)
		return err_set(err, -ENAMETOOLONG, "the path of the run is too long");
	return 0;
}

int cores_write(const char *dir, const struct core_looks *looks, struct err *err)
{
	struct strbuf out = STRBUF_INIT;
	char path[PATH_MAX];
	int ret = path_of(dir, path, sizeof(path), err);

	for (size_t i = 0; i < looks->n; i++) {
		const struct core_look *l = &looks->at[i];

		strbuf_printf(&out, "%" PRIu32 " %" PRIu32 " %" PRIu64 " %" PRIu32 "\n", l->pid, l->tid,
			      l->ns, l->core);
	}
	if (!ret && out.len)
		ret = fs_write(path, out.s, out.len, err);
	strbuf_release(&out);
	return ret;
}

/* A decimal number up to @most and the character behind it, which is @end; NULL: it is none. */
static const char *cores_number(const char *s, uint64_t most, char end, uint64_t *value)
{
	char *behind;

	if (*s < '0' || *s > '9')
		return NULL;
	errno = 0;
	*value = strtoull(s, &behind, 10);
	return errno || *value > most || *behind != end ? NULL : behind + 1;
}

static const char *parse_line(const char *s, struct core_look *l)
{
	uint64_t pid = 0, tid = 0, core = 0;

	s = cores_number(s, UINT32_MAX, ' ', &pid);
	s = s ? cores_number(s, UINT32_MAX, ' ', &tid) : NULL;
	s = s ? cores_number(s, UINT64_MAX, ' ', &l->ns) : NULL;
	s = s ? cores_number(s, UINT32_MAX, '\n', &core) : NULL;
	l->pid = (uint32_t)pid;
	l->tid = (uint32_t)tid;
	l->core = (uint32_t)core;
	return s;
}

static int cores_by_thread(const void *a, const void *b)
{
	const struct core_look *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return (x->ns > y->ns) - (x->ns < y->ns);
}

static int cores_parse(const char *text, size_t len, const char *path, struct core_looks *looks,
		       struct err *err)
{
	const char *next, *end = text + len;

	for (size_t line = 1; text < end; text = next, line++) {
		struct core_look l;

		next = parse_line(text, &l);
		if (!next)
			return err_set(err, -EINVAL, "%s: line %zu is '%.*s', expected `pid tid ns core`",
				       path, line, (int)strcspn(text, "\n") % 61, text);
		vec_push(looks, l);
	}
	if (looks->n)
		qsort(looks->at, looks->n, sizeof(*looks->at), cores_by_thread);
	return 0;
}

int cores_read(const char *dir, struct core_looks *looks, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	char path[PATH_MAX];
	int ret = path_of(dir, path, sizeof(path), err);

	*looks = (struct core_looks)VEC_INIT;
	if (!ret)
		ret = fs_read(path, FILE_MAX, &text, err);
	if (!ret && text.s)
		ret = cores_parse(text.s, text.len, path, looks, err);
	strbuf_release(&text);
	if (!ret)
		return 0;
	vec_release(looks);
	*looks = (struct core_looks)VEC_INIT;
	if (ret != -ENOENT)
		return ret;
	*err = (struct err)ERR_INIT;
	return 0;
}

size_t cores_first(const struct core_looks *looks, uint32_t pid, uint32_t tid)
{
	const struct core_look *l = looks->at;

	return search_first(looks->n, i, l[i].pid < pid || (l[i].pid == pid && l[i].tid < tid));
}

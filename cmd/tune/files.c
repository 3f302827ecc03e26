/* SPDX-License-Identifier: MIT */
/* Files that are named: none is written over that is read, and none twice; names in braces are looked at. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/base/print.h"
#include "cmd/tune/tune.h"
#include "lib/fs.h"
#include "lib/mem.h"

#define TEXT_MOST ((size_t)64 << 20)

struct named {
	char *path;
	const char *option;
	bool written;
};

struct named_files VEC(struct named);

static void named_add(struct named_files *files, const char *option, const char *path, size_t len,
		      bool written)
{
	struct named f = {NULL, option, written};

	if (!path || (len == 1 && *path == '-'))
		return;
	f.path = mem_strndup(path, len);
	vec_push(files, f);
}

static void named_whole(struct named_files *files, const char *option, const char *path, bool written)
{
	named_add(files, option, path, path ? strlen(path) : 0, written);
}

static void add_all(const struct tune_opts *o, struct named_files *files)
{
	named_whole(files, "--space", o->space, false);
	for (size_t i = 0; i < o->templates.n; i++) {
		const char *colon = strchr(o->templates.at[i], ':');

		if (!colon)
			continue;
		named_add(files, "--template", o->templates.at[i], (size_t)(colon - o->templates.at[i]),
			  false);
		named_whole(files, "--template", colon + 1, true);
	}
	named_whole(files, "--log", o->log, true);
	named_whole(files, "--watch", o->watch, true);
	named_whole(files, "--settings", o->settings, true);
	named_whole(files, "--environment", o->environment, true);
	named_whole(files, "--header", o->header, true);
}

/* The folder of @path by its true name, and the name in it; false: there is no such folder. */
static bool true_name(const char *path, char name[2 * PATH_MAX])
{
	char dir[PATH_MAX], real[PATH_MAX];
	const char *slash = strrchr(path, '/');

	snprintf(dir, sizeof(dir), "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
	if (!realpath(dir, real))
		return false;
	snprintf(name, 2 * (size_t)PATH_MAX, "%s/%s", real, slash ? slash + 1 : path);
	return true;
}

/* Are these one file, there or yet to be made?  What is no regular file, such as /dev/null, is not in the way. */
static bool one_file(const char *a, const char *b)
{
	char x[2 * PATH_MAX], y[2 * PATH_MAX];
	struct stat st;

	if (fs_same(a, b))
		return true;
	if (!stat(a, &st) && !S_ISREG(st.st_mode))
		return false;
	return true_name(a, x) && true_name(b, y) && !strcmp(x, y);
}

int tune_files_check(const struct tune_opts *o, struct err *err)
{
	struct named_files files = VEC_INIT;
	int ret = 0;

	add_all(o, &files);
	for (size_t i = 0; i < files.n && !ret; i++)
		for (size_t k = 0; k < i && !ret; k++) {
			const struct named *a = &files.at[k], *b = &files.at[i];

			if ((!a->written && !b->written) || !one_file(a->path, b->path))
				continue;
			ret = err_set(err, -EINVAL, "%s and %s: '%s' would be %s", a->option, b->option,
				      b->path, a->written && b->written ? "written twice" : "written over");
		}
	for (size_t i = 0; i < files.n; i++)
		free(files.at[i].path);
	vec_release(&files);
	return ret;
}

/* ---- names in braces -------------------------------------------------------------- */

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"

static bool is_tunable(const struct space *space, const char *name, size_t len)
{
	for (size_t j = 0; j < space->n_tunables; j++)
		if (strlen(space->tunables[j].name) == len && !strncmp(space->tunables[j].name, name, len))
			return true;
	return false;
}

/* Say each name of @text that looks like a tunable and is none, as often as there; @where it stands. */
static void say_unknown(const struct tune_opts *o, const struct space *space, const char *text,
			const char *where)
{
	for (const char *at = strchr(text, '{'); at; at = strchr(at + 1, '{')) {
		size_t len = strspn(at + 1, LETTERS "0123456789");
		bool name = len && strspn(at + 1, LETTERS) && at[1 + len] == '}';
		bool variable = at > text && at[-1] == '$';

		if (!name || variable || is_tunable(space, at + 1, len) ||
		    (o->build && len == 5 && !strncmp(at + 1, "build", len)))
			continue;
		cmd_say(stderr, "perseus tune: {%.*s} in %s is no tunable: it stays as it is\n", (int)len,
			at + 1, where);
	}
}

void tune_files_names(const struct tune_opts *o, const struct space *space)
{
	for (char **word = o->args; *word; word++)
		say_unknown(o, space, *word, "the arguments");
	if (o->build)
		say_unknown(o, space, o->build, "--build");
	for (size_t i = 0; i < o->templates.n; i++) {
		const char *colon = strchr(o->templates.at[i], ':');
		struct strbuf text = STRBUF_INIT;
		struct err ignored = ERR_INIT; /* the first run says it */
		char *from;

		if (!colon)
			continue;
		from = mem_strndup(o->templates.at[i], (size_t)(colon - o->templates.at[i]));
		if (!fs_read(from, TEXT_MOST, &text, &ignored) && text.s)
			say_unknown(o, space, text.s, from);
		strbuf_release(&text);
		free(from);
	}
}

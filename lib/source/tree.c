/* SPDX-License-Identifier: MIT */
#include "lib/source/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/mem.h"
#include "lib/source/source.h"

#define NAMES_MAX 4096u
#define DEPTH_MAX 16u

static bool ends_in(const char *name, const char *end)
{
	size_t len = strlen(name), n = strlen(end);

	return len > n && !strcmp(name + len - n, end);
}

static bool is_source(const char *name)
{
	static const char *const ends[] = {".c", ".h", ".inc", ".def", ".inl"};

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (ends_in(name, ends[i]))
			return true;
	return source_is_cxx(name);
}

static bool source_tree_is_ours(const char *base)
{
	return *base != '.' && strncmp(base, "perseus_triggers", 16) && strncmp(base, "perseus_platform", 16);
}

static void source_tree_walk(struct tree *t, const char *below, unsigned depth);

static void source_tree_visit(struct tree *t, const char *below, const char *base, unsigned depth)
{
	char path[PATH_MAX], name[PATH_MAX];
	struct stat st;

	if (!source_tree_is_ours(base) ||
	    snprintf(name, sizeof(name), "%s%s%s", below, *below ? "/" : "", base) >= (int)sizeof(name) ||
	    snprintf(path, sizeof(path), "%s/%s", t->root, name) >= (int)sizeof(path))
		return;
	if (lstat(path, &st)) {
		tree_note_unread(t, name);
		return;
	}
	if (S_ISDIR(st.st_mode) && depth < DEPTH_MAX) {
		source_tree_walk(t, name, depth + 1);
	} else if (S_ISREG(st.st_mode) && is_source(name)) {
		t->cut |= t->n >= NAMES_MAX;
		if (t->cut)
			return;
		t->names = mem_resize(t->names, t->n + 1, sizeof(*t->names));
		t->names[t->n++] = mem_strdup(name);
	}
}

static void source_tree_walk(struct tree *t, const char *below, unsigned depth)
{
	char path[PATH_MAX];
	struct dirent **list;
	int n;

	if (snprintf(path, sizeof(path), "%s/%s", t->root, below) >= (int)sizeof(path))
		return;
	n = scandir(path, &list, NULL, alphasort);
	if (n < 0)
		tree_note_unread(t, *below ? below : ".");
	for (int i = 0; i < n; i++) {
		source_tree_visit(t, below, list[i]->d_name, depth);
		free(list[i]);
	}
	if (n >= 0)
		free(list);
}

int tree_open(struct tree *t, const char *root, struct err *err)
{
	struct stat st;

	*t = (struct tree){.root = realpath(root, NULL)};
	if (!t->root)
		return err_set(err, -errno, "'%s': %s\n  expected the directory of the sources", root,
			       strerror(errno));
	if (stat(t->root, &st) || !S_ISDIR(st.st_mode)) {
		tree_release(t);
		return err_set(err, -ENOTDIR, "'%s' is not a directory\n  expected that of the sources",
			       root);
	}
	return 0;
}

void tree_list(struct tree *t)
{
	if (t->names)
		return;
	t->names = mem_new(1, sizeof(*t->names));
	source_tree_walk(t, "", 0);
}

/* No part of @name is "", "." or "..". */
static bool is_plain(const char *name)
{
	for (const char *at = name;; at++) {
		size_t len = strcspn(at, "/");

		if (!len || (len <= 2 && !strncmp(at, "..", len)))
			return false;
		at += len;
		if (!*at)
			return true;
	}
}

/* Is @path, below a directory that is real, a regular file that no symbolic link leads to?  One call instead of one a part. */
static bool is_real(const char *path)
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_NO_SYMLINKS};
	long fd = syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));
	struct stat st;
	bool regular = fd >= 0 && !fstat((int)fd, &st) && S_ISREG(st.st_mode);

	if (fd >= 0)
		close((int)fd);
	return regular;
}

char *tree_real(const struct tree *t, const char *name)
{
	char path[PATH_MAX], *real;
	size_t root = strlen(t->root);
	struct stat st;

	if (snprintf(path, sizeof(path), "%s/%s", t->root, name) >= (int)sizeof(path))
		return NULL;
	if (is_plain(name) && is_real(path))
		return mem_strdup(path);
	real = realpath(path, NULL);
	if (real && !strncmp(real, t->root, root) && (real[root] == '/' || root == 1) && !stat(real, &st) &&
	    S_ISREG(st.st_mode))
		return real;
	free(real);
	return NULL;
}

const char *tree_name(const struct tree *t, const char *real)
{
	size_t root = strlen(t->root);

	return real + root + (root > 1);
}

void tree_note_unread(struct tree *t, const char *name)
{
	if (!t->unread)
		t->unread = mem_strdup(name);
}

int tree_check_read(const struct tree *t, struct err *err)
{
	if (!t->unread)
		return 0;
	return err_set(err, -EIO,
		       "cannot read '%s' below '%s': whether it uses what is to be changed is not known",
		       t->unread, t->root);
}

void tree_release(struct tree *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->names[i]);
	free(t->names);
	free(t->unread);
	free(t->root);
	*t = (struct tree){0};
}

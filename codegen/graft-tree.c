/* SPDX-License-Identifier: MIT */
#include "codegen/graft-tree.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/mem.h"

#define SOURCES_MAX 4096u
#define DEPTH_MAX   16u

bool graft_is_unit(const char *name)
{
	static const char *const ends[] = {".c", ".cc", ".cpp", ".cxx", ".c++", ".C"};
	size_t len = strlen(name);

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (len > strlen(ends[i]) && !strcmp(name + len - strlen(ends[i]), ends[i]))
			return true;
	return false;
}

static bool is_source(const char *name)
{
	static const char *const ends[] = {".h", ".inc", ".def", ".inl"};
	size_t len = strlen(name);

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (len > strlen(ends[i]) && !strcmp(name + len - strlen(ends[i]), ends[i]))
			return true;
	return graft_is_unit(name) || source_is_cxx(name);
}

static void walk(struct graft_tree *t, const char *below, unsigned depth);

static void visit(struct graft_tree *t, const char *below, const char *base, unsigned depth)
{
	char path[PATH_MAX], name[PATH_MAX];
	struct stat st;

	/* What codegen wrote is not of the program, wherever it lies. */
	if (*base == '.' || !strncmp(base, "perseus_triggers", 16) ||
	    !strncmp(base, "perseus_platform", 16) ||
	    snprintf(name, sizeof(name), "%s%s%s", below, *below ? "/" : "", base) >= (int)sizeof(name) ||
	    snprintf(path, sizeof(path), "%s/%s", t->root, name) >= (int)sizeof(path) || lstat(path, &st))
		return;
	if (S_ISDIR(st.st_mode) && depth < DEPTH_MAX) {
		walk(t, name, depth + 1);
	} else if (S_ISREG(st.st_mode) && is_source(name)) {
		t->cut |= t->n_names >= SOURCES_MAX;
		if (t->cut)
			return;
		t->names = mem_resize(t->names, t->n_names + 1, sizeof(*t->names));
		t->names[t->n_names++] = mem_strdup(name);
	}
}

static void walk(struct graft_tree *t, const char *below, unsigned depth)
{
	char path[PATH_MAX];
	struct dirent **list;
	int n;

	if (snprintf(path, sizeof(path), "%s/%s", t->root, below) >= (int)sizeof(path))
		return;
	n = scandir(path, &list, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		visit(t, below, list[i]->d_name, depth);
		free(list[i]);
	}
	if (n >= 0)
		free(list);
}

int graft_tree_open(struct graft_tree *t, const char *root, struct err *err)
{
	struct stat st;

	*t = (struct graft_tree){.root = realpath(root, NULL)};
	if (!t->root)
		return err_set(err, -errno, "--graft: '%s': %s\n  expected the directory of the sources",
			       root, strerror(errno));
	if (stat(t->root, &st) || !S_ISDIR(st.st_mode))
		return err_set(err, -ENOTDIR,
			       "--graft: '%s' is not a directory\n  expected that of the sources", root);
	walk(t, "", 0);
	return 0;
}

void graft_tree_release(struct graft_tree *t)
{
	for (size_t i = 0; i < t->n_files; i++) {
		graft_scan_release(&t->files[i]->scan);
		source_release(&t->files[i]->src);
		edits_release(&t->files[i]->edits);
		free(t->files[i]->name);
		free(t->files[i]);
	}
	for (size_t i = 0; i < t->n_names; i++)
		free(t->names[i]);
	free(t->names);
	free(t->files);
	free(t->root);
	*t = (struct graft_tree){0};
}

/* The real path of @name if that is a file below the root; owned by the caller. */
static char *real_below(const struct graft_tree *t, const char *name)
{
	char path[PATH_MAX], *real;
	size_t root = strlen(t->root);
	struct stat st;

	if (snprintf(path, sizeof(path), "%s/%s", t->root, name) >= (int)sizeof(path))
		return NULL;
	real = realpath(path, NULL);
	if (real && !strncmp(real, t->root, root) && (real[root] == '/' || root == 1) && !stat(real, &st) &&
	    S_ISREG(st.st_mode))
		return real;
	free(real);
	return NULL;
}

struct graft_file *graft_tree_file(struct graft_tree *t, const char *name)
{
	char *real = real_below(t, name);
	size_t root = strlen(t->root);
	struct graft_file *f = NULL;

	if (!real)
		return NULL;
	name = real + root + (root > 1);
	for (size_t i = 0; i < t->n_files && !f; i++)
		if (!strcmp(t->files[i]->name, name))
			f = t->files[i];
	if (!f) {
		f = mem_new(1, sizeof(*f));
		if (source_read(&f->src, real, NULL)) {
			free(f);
			free(real);
			return NULL;
		}
		f->name = mem_strdup(name);
		graft_scan_init(&f->scan, &f->src);
		t->files = mem_resize(t->files, t->n_files + 1, sizeof(*t->files));
		t->files[t->n_files++] = f;
	}
	free(real);
	return f;
}

/* Can a unified diff name it as it is? */
static bool plain_name(const char *name)
{
	for (; *name; name++)
		if ((unsigned char)*name < ' ' || *name == '"' || *name == '\\' || *name == 0x7f)
			return false;
	return true;
}

struct graft_file *graft_tree_find(struct graft_tree *t, const char *path, const char **why)
{
	size_t root = strlen(t->root);
	struct graft_file *f = NULL;

	*why = "the plan names no file for it";
	if (!path || !*path || !strcmp(path, "-"))
		return NULL;
	*why = "the file is not below the directory of the sources";
	if (!strncmp(path, t->root, root) && path[root] == '/')
		f = graft_tree_file(t, path + root + 1);
	else if (!strncmp(path, "/usr/", 5) && !access(path, F_OK))
		return NULL;
	for (const char *rest = path; !f && rest && *rest; rest = strchr(rest, '/')) {
		rest += strspn(rest, "/");
		f = *rest ? graft_tree_file(t, rest) : NULL;
	}
	if (f && plain_name(f->name))
		return f;
	if (f)
		*why = "a diff cannot hold the file's name";
	return NULL;
}

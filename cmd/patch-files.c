/* SPDX-License-Identifier: MIT */
/* Finding sources again. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/patch.h"
#include "lib/mem.h"

#define TREE_MAX   4096u
#define TREE_DEPTH 12u

int patch_start(struct patch *p, const struct run *run, const char *root, struct err *err)
{
	struct stat st;

	*p = (struct patch){.run = run, .root = realpath(root, NULL)};
	if (!p->root)
		return err_set(err, -errno, "--source: '%s': %s", root, strerror(errno));
	if (stat(p->root, &st) || !S_ISDIR(st.st_mode)) {
		patch_release(p);
		return err_set(err, -ENOTDIR, "--source: '%s' is not a directory", root);
	}
	for (size_t m = 0; m < run->n_modules; m++)
		for (size_t u = 0; u < run->modules[m].sites.n_units; u++) {
			bool cxx = source_is_cxx(run->modules[m].sites.units[u].source);

			p->cxx |= cxx;
			p->c |= !cxx;
		}
	return 0;
}

void patch_release(struct patch *p)
{
	for (size_t i = 0; i < p->n_files; i++) {
		source_release(&p->files[i]->src);
		edits_release(&p->files[i]->edits);
		free(p->files[i]->name);
		free(p->files[i]);
	}
	for (size_t i = 0; i < p->n_tree; i++)
		free(p->tree[i]);
	free(p->tree);
	free(p->files);
	free(p->root);
	*p = (struct patch){0};
}

static bool is_source(const char *name)
{
	static const char *const ends[] = {".c", ".h", ".inc", ".def"};
	size_t len = strlen(name);

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (len > strlen(ends[i]) && !strcmp(name + len - strlen(ends[i]), ends[i]))
			return true;
	return source_is_cxx(name);
}

static void walk(struct patch *p, const char *below, unsigned depth)
{
	char path[PATH_MAX], name[PATH_MAX];
	struct dirent **list;
	int n;

	if (snprintf(path, sizeof(path), "%s/%s", p->root, below) >= (int)sizeof(path))
		return;
	n = scandir(path, &list, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		struct stat st;
		bool fits = snprintf(name, sizeof(name), "%s%s%s", below, *below ? "/" : "",
				     list[i]->d_name) < (int)sizeof(name) &&
			    snprintf(path, sizeof(path), "%s/%s", p->root, name) < (int)sizeof(path);

		if (!fits || list[i]->d_name[0] == '.' || lstat(path, &st)) {
			/* not ours */
		} else if (p->n_tree >= TREE_MAX) {
			p->tree_cut = true;
		} else if (S_ISDIR(st.st_mode) && depth < TREE_DEPTH) {
			walk(p, name, depth + 1);
		} else if (S_ISREG(st.st_mode) && is_source(name)) {
			p->tree = mem_resize(p->tree, p->n_tree + 1, sizeof(*p->tree));
			p->tree[p->n_tree++] = mem_strdup(name);
		}
		free(list[i]);
	}
	if (n >= 0)
		free(list);
}

void patch_tree(struct patch *p)
{
	if (p->tree)
		return;
	p->tree = mem_new(1, sizeof(*p->tree));
	walk(p, "", 0);
}

/* The file @name below the root, opened once. */
static struct patch_file *open_below(struct patch *p, const char *name)
{
	char path[PATH_MAX], *real;
	size_t root = strlen(p->root);
	struct patch_file *f;
	struct stat st;

	if (snprintf(path, sizeof(path), "%s/%s", p->root, name) >= (int)sizeof(path))
		return NULL;
	real = realpath(path, NULL);
	if (!real || strncmp(real, p->root, root) || (real[root] != '/' && root > 1) || stat(real, &st) ||
	    !S_ISREG(st.st_mode)) {
		free(real);
		return NULL;
	}
	name = real + root + (root > 1);
	for (size_t i = 0; i < p->n_files; i++)
		if (!strcmp(p->files[i]->name, name)) {
			free(real);
			return p->files[i];
		}
	f = mem_new(1, sizeof(*f));
	if (source_read(&f->src, real, NULL)) {
		free(f);
		free(real);
		return NULL;
	}
	f->name = mem_strdup(name);
	free(real);
	p->files = mem_resize(p->files, p->n_files + 1, sizeof(*p->files));
	return p->files[p->n_files++] = f;
}

struct patch_file *patch_open_tree(struct patch *p, size_t i)
{
	return open_below(p, p->tree[i]);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static struct patch_file *open_by_name(struct patch *p, const char *base)
{
	const char *found = NULL;

	patch_tree(p);
	for (size_t i = 0; i < p->n_tree; i++) {
		if (strcmp(base_name(p->tree[i]), base))
			continue;
		if (found)
			return NULL;
		found = p->tree[i];
	}
	return found && !p->tree_cut ? open_below(p, found) : NULL;
}

struct patch_file *patch_open(struct patch *p, const char *path)
{
	size_t root = strlen(p->root);
	struct patch_file *f = NULL;

	if (!path || !strcmp(path, "-"))
		return NULL;
	if (!strncmp(path, p->root, root) && path[root] == '/')
		return open_below(p, path + root + 1);
	for (const char *rest = path; rest && *rest && !f; rest = strchr(rest, '/')) {
		rest += strspn(rest, "/");
		f = open_below(p, rest);
	}
	return f ? f : open_by_name(p, base_name(path));
}

enum dialect patch_dialect(const struct patch *p, const struct patch_file *f)
{
	size_t len = strlen(f->name);

	if (f->src.cxx)
		return DIALECT_CXX;
	if (len > 2 && !strcmp(f->name + len - 2, ".c"))
		return DIALECT_C;
	return p->c && p->cxx ? DIALECT_BOTH : p->cxx ? DIALECT_CXX : DIALECT_C;
}

const char *patch_align(enum dialect d)
{
	static const char *const names[] = {"_Alignas(64)", "alignas(64)", "__attribute__((aligned(64)))"};

	return names[d];
}

char *patch_assertion(enum dialect d, const char *condition, const char *name)
{
	struct strbuf sb = STRBUF_INIT;

	if (d == DIALECT_BOTH) {
		strbuf_puts(&sb, "typedef char perseus_keeps_");
		for (; *name; name++)
			if (strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", *name))
				strbuf_add(&sb, name, 1);
		strbuf_printf(&sb, "[(%s) ? 1 : -1] __attribute__((unused));", condition);
	} else {
		strbuf_printf(&sb, "%s(%s, \"threads would share a cache line\");",
			      d == DIALECT_C ? "_Static_assert" : "static_assert", condition);
	}
	return strbuf_detach(&sb);
}

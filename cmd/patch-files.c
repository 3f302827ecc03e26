/* SPDX-License-Identifier: MIT */
/* Finding sources again. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/patch.h"
#include "lib/mem.h"

int patch_start(struct patch *p, const struct run *run, const char *root, struct err *err)
{
	int ret;

	*p = (struct patch){.run = run};
	ret = tree_open(&p->tree, root, err);
	if (ret) {
		err_prefix(err, "--source");
		return ret;
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
	free(p->files);
	tree_release(&p->tree);
	*p = (struct patch){0};
}

/* The file @name below the root, opened once. */
static struct patch_file *open_below(struct patch *p, const char *name)
{
	char *real = tree_real(&p->tree, name);
	struct patch_file *f;

	if (!real)
		return NULL;
	name = tree_name(&p->tree, real);
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
	return open_below(p, p->tree.names[i]);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static struct patch_file *open_by_name(struct patch *p, const char *base)
{
	const char *found = NULL;

	tree_list(&p->tree);
	for (size_t i = 0; i < p->tree.n; i++) {
		if (strcmp(base_name(p->tree.names[i]), base))
			continue;
		if (found)
			return NULL;
		found = p->tree.names[i];
	}
	return found && !p->tree.cut ? open_below(p, found) : NULL;
}

struct patch_file *patch_open(struct patch *p, const char *path)
{
	size_t root = strlen(p->tree.root);
	struct patch_file *f = NULL;

	if (!path || !strcmp(path, "-"))
		return NULL;
	if (!strncmp(path, p->tree.root, root) && path[root] == '/')
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

/* SPDX-License-Identifier: MIT */
#include "codegen/graft/tree.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/mem.h"

bool graft_is_unit(const char *name)
{
	static const char *const ends[] = {".c", ".cc", ".cpp", ".cxx", ".c++", ".C"};
	size_t len = strlen(name);

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (len > strlen(ends[i]) && !strcmp(name + len - strlen(ends[i]), ends[i]))
			return true;
	return false;
}

int graft_tree_open(struct graft_tree *t, const char *root, struct err *err)
{
	int ret;

	*t = (struct graft_tree){0};
	ret = tree_open(&t->tree, root, err);
	if (ret) {
		err_prefix(err, "--graft");
		return ret;
	}
	tree_list(&t->tree);
	return 0;
}

void graft_tree_release(struct graft_tree *t)
{
	for (size_t i = 0; i < t->n_files; i++) {
		scan_release(&t->files[i]->scan);
		source_release(&t->files[i]->src);
		edits_release(&t->files[i]->edits);
		free(t->files[i]->name);
		free(t->files[i]);
	}
	free(t->files);
	tree_release(&t->tree);
	*t = (struct graft_tree){0};
}

struct graft_file *graft_tree_file(struct graft_tree *t, const char *name)
{
	char *real = tree_real(&t->tree, name);
	struct graft_file *f = NULL;

	if (!real)
		return NULL;
	name = tree_name(&t->tree, real);
	for (size_t i = 0; i < t->n_files && !f; i++)
		if (!strcmp(t->files[i]->name, name))
			f = t->files[i];
	if (!f) {
		f = mem_new(1, sizeof(*f));
		if (source_read(&f->src, real, NULL)) {
			tree_note_unread(&t->tree, name);
			free(f);
			free(real);
			return NULL;
		}
		f->name = mem_strdup(name);
		scan_init(&f->scan, &f->src);
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
	size_t root = strlen(t->tree.root);
	struct graft_file *f = NULL;

	*why = "the plan names no file for it";
	if (!path || !*path || !strcmp(path, "-"))
		return NULL;
	*why = "the file is not below the directory of the sources";
	if (!strncmp(path, t->tree.root, root) && path[root] == '/')
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

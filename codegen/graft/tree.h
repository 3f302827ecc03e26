/* SPDX-License-Identifier: MIT */
/* The sources below a directory, opened when they are asked for. */
#ifndef PERSEUS_CODEGEN_GRAFT_TREE_H
#define PERSEUS_CODEGEN_GRAFT_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/err.h"
#include "lib/source/edits.h"
#include "lib/source/scan.h"
#include "lib/source/source.h"
#include "lib/source/tree.h"

struct graft_file {
	char *name; /* below the root */
	struct source src;
	struct scan scan;
	struct edits edits;
};

struct graft_tree {
	struct tree tree;
	struct graft_file **files;
	size_t n_files;
};

/* List the sources below @root; -ENOENT, -ENOTDIR, ... name it. */
int graft_tree_open(struct graft_tree *t, const char *root, struct err *err);
void graft_tree_release(struct graft_tree *t);

/* The source @name below the root; NULL: it cannot be read, or lies elsewhere. */
struct graft_file *graft_tree_file(struct graft_tree *t, const char *name);

/*
 * The source that a build called @path: as named if that is below the root, else with leading
 * directories left out.  NULL with the reason in @why.
 */
struct graft_file *graft_tree_find(struct graft_tree *t, const char *path, const char **why);

/* True if @name ends as what a compiler is called for: no header. */
bool graft_is_unit(const char *name);

/* How many units below the root include @f, directly or not, as far as last names tell. */
size_t graft_tree_units(struct graft_tree *t, const struct graft_file *f);

#endif

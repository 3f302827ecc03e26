/* SPDX-License-Identifier: MIT */
/* The program as it was in a revision: built in a tree of its own. */
#ifndef PERSEUS_CMD_GATE_TREE_H
#define PERSEUS_CMD_GATE_TREE_H

#include "lib/err.h"

struct gate_tree {
	char *dir;  /* holds the tree; NULL: nothing was made */
	char *tree; /* git knows it as a work tree */
	char *base; /* the program in it */
};

/*
 * Check out @revision of the repository here into a new directory below
 * TMPDIR, run @build by sh where this directory is in that tree, with its
 * output on stderr, and find what @head is in it.  -EINVAL: no such revision,
 * no repository, @head is not in it, the build fails or makes no such program;
 * -ENOTSUP: no git.  The caller removes the tree also after a failure.
 */
int gate_tree_make(struct gate_tree *t, const char *revision, const char *build, const char *head,
		   struct err *err);

/* Remove it and free the names. */
void gate_tree_remove(struct gate_tree *t);

#endif

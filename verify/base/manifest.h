/* SPDX-License-Identifier: MIT */
/* A list of files as sha256sum writes it: "HASH  PATH" or "HASH *PATH" a line. */
#ifndef PERSEUS_VERIFY_BASE_MANIFEST_H
#define PERSEUS_VERIFY_BASE_MANIFEST_H

#include <stdbool.h>

#include "verify/base/input.h"

struct manifest_entry {
	const char *hash; /* 64 digits */
	const char *path;
	uint32_t line;
};

struct vmanifest {
	struct input in;
	struct manifest_entry *entry;
	size_t n;
	char sha256[65]; /* of the list itself */
	uint32_t equal;  /* files that are as listed, of vmanifest_check() */
};

/* A file that must be in the list. */
struct manifest_needed {
	const char *what;
	const char *hash;
};

/* Read the list @path; -1 with line and reason if it has another form.  Release in every case. */
int vmanifest_read(struct vmanifest *m, const char *path, struct fault *f);

/*
 * Hash each file.  Paths are sought from the folder of the list (@path), then
 * from each of @n_roots folders.  A file that is missing, differs or is named
 * twice, and a needed one that no entry stands for, are lines in @list.
 */
void vmanifest_check(struct vmanifest *m, const char *path, char *const *root, int n_roots,
		     const struct manifest_needed *needed, size_t n_needed, struct findings *list);

/* Is a file of that hash, of 64 digits, in the list? */
bool vmanifest_lists(const struct vmanifest *m, const char *hash);

/*
 * After vmanifest_check(): files below the folder of the list, but for the list
 * itself, that it does not name are lines in @list.
 */
void vmanifest_check_folder(const struct vmanifest *m, const char *path, struct findings *list);

/* Free the contents. */
void vmanifest_release(struct vmanifest *m);

#endif

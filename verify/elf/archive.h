/* SPDX-License-Identifier: MIT */
/* Static libraries (ar, System V and GNU): their members, read without trust. */
#ifndef PERSEUS_VERIFY_ELF_ARCHIVE_H
#define PERSEUS_VERIFY_ELF_ARCHIVE_H

#include "verify/elf/image.h"

struct archive {
	const char *path;
	struct input in;
	size_t at;    /* of the next member */
	size_t names; /* where long names are, and how many bytes */
	size_t names_size;
	char member[512]; /* "PATH(NAME)" of the current one */
};

/* True if @path begins as an archive does. */
bool archive_is(const char *path);

/* Read @path; -1 if it is none, or one that only names its members.  Release in every case. */
int archive_open(struct archive *a, const char *path, struct fault *f);

/* The next member that is an object file, in @e, which the caller releases before the next call; 1 if there is one, 0
 * behind the last, -1 if the archive is damaged. */
int archive_next(struct archive *a, struct image *e, struct fault *f);

/* Free the contents. */
void archive_release(struct archive *a);

#endif

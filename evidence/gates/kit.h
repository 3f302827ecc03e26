/* SPDX-License-Identifier: MIT */
/* Files of Perseus that a pack holds. */
#ifndef PERSEUS_EVIDENCE_GATES_KIT_H
#define PERSEUS_EVIDENCE_GATES_KIT_H

#include <stddef.h>

struct kit_file {
	const char *path; /* in the pack */
	const char *role;
	const char *text, *end; /* bytes from text to end */
};

/* All of them; @n gets their number. */
const struct kit_file *kit_files(size_t *n);

#endif

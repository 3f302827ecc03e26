/* SPDX-License-Identifier: MIT */
/*
 * Whom a user id belongs to.  Limits bind a person: everybody whom useradd
 * makes has 65536 subordinate ids besides his own, and becomes any of them in a
 * user namespace.
 */
#ifndef PERSEUS_DAEMON_PERSONS_H
#define PERSEUS_DAEMON_PERSONS_H

#include <stdbool.h>
#include <sys/types.h>

#include "perseus/ctl.h"

#define PERSONS_KNOWN  16384
#define PERSONS_RANGES 4096

#define PERSON_STRANGER ((uid_t)-2) /* all whom neither passwd nor the configuration knows */
#define PERSON_NOBODY   ((uid_t)-1) /* ... where they are refused */

/* What becomes of those. */
enum strangers { STRANGERS_EACH, STRANGERS_TOGETHER, STRANGERS_REFUSED };

struct persons {
	enum strangers strangers;
	prs_u32 n, n_ranges;
	uid_t known[PERSONS_KNOWN]; /* ascending */
	struct persons_range {
		uid_t first, n, owner;
	} range[PERSONS_RANGES];
};

/* Add what SYSROOT/etc/passwd and subuid say; a file that is not there says nothing. */
void persons_load(struct persons *persons, const char *sysroot);

/* Add a user whom the configuration names. */
void persons_add(struct persons *persons, uid_t uid);

/* The user himself, the owner of a subordinate id, or one of the two above. */
uid_t persons_of(const struct persons *persons, uid_t uid);

#endif

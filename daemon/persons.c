/* SPDX-License-Identifier: MIT */
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/machine/files.h"
#include "daemon/persons.h"

#define ENTRY_BYTES 512

static FILE *open_etc(const char *sysroot, const char *name)
{
	char path[4096];

	return file_path(path, sizeof(path), sysroot, name) ? NULL : fopen(path, "re");
}

/* ---- users of their own ----------------------------------------------------- */

/* Where it is, or belongs. */
static prs_u32 persons_place_of(const struct persons *persons, uid_t uid)
{
	prs_u32 low = 0, high = persons->n;

	while (low < high) {
		prs_u32 middle = low + (high - low) / 2;

		if (persons->known[middle] < uid)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool persons_is_known(const struct persons *persons, uid_t uid)
{
	prs_u32 at = persons_place_of(persons, uid);

	return at < persons->n && persons->known[at] == uid;
}

void persons_add(struct persons *persons, uid_t uid)
{
	prs_u32 at = persons_place_of(persons, uid);

	if (persons->n == PERSONS_KNOWN || persons_is_known(persons, uid))
		return;
	memmove(&persons->known[at + 1], &persons->known[at], (persons->n - at) * sizeof(uid_t));
	persons->known[at] = uid;
	persons->n++;
}

static void load_users(struct persons *persons, const char *sysroot)
{
	FILE *f = open_etc(sysroot, "etc/passwd");
	struct passwd *entry;

	while (f && (entry = fgetpwent(f)))
		persons_add(persons, entry->pw_uid);
	if (f)
		fclose(f);
}

/* ---- subordinate ids -------------------------------------------------------- */

static bool persons_number(const char *text, uid_t *out)
{
	char *end;
	unsigned long long n = strtoull(text, &end, 10);

	*out = (uid_t)n;
	return *text >= '0' && *text <= '9' && !*end && n < UINT32_MAX;
}

static bool find_owner(const char *sysroot, const char *name, uid_t *uid)
{
	FILE *f = open_etc(sysroot, "etc/passwd");
	struct passwd *entry;
	bool is_found = false;

	while (f && !is_found && (entry = fgetpwent(f))) {
		is_found = !strcmp(entry->pw_name, name);
		*uid = entry->pw_uid;
	}
	if (f)
		fclose(f);
	return is_found || persons_number(name, uid);
}

/* "alice:100000:65536"; what is no such line gives nobody anything. */
static void add_range(struct persons *persons, const char *sysroot, char *line)
{
	struct persons_range *range = &persons->range[persons->n_ranges];
	char *save = NULL, *owner = strtok_r(line, ":\n", &save), *first = strtok_r(NULL, ":\n", &save),
	     *n = strtok_r(NULL, ":\n", &save);

	if (persons->n_ranges == PERSONS_RANGES || !n || !persons_number(first, &range->first) ||
	    !persons_number(n, &range->n) || !find_owner(sysroot, owner, &range->owner))
		return;
	persons->n_ranges++;
}

static void load_ranges(struct persons *persons, const char *sysroot)
{
	FILE *f = open_etc(sysroot, "etc/subuid");
	char line[ENTRY_BYTES];

	while (f && fgets(line, sizeof(line), f))
		add_range(persons, sysroot, line);
	if (f)
		fclose(f);
}

void persons_load(struct persons *persons, const char *sysroot)
{
	load_users(persons, sysroot);
	load_ranges(persons, sysroot);
}

uid_t persons_of(const struct persons *persons, uid_t uid)
{
	if (!uid || persons_is_known(persons, uid))
		return uid;
	for (prs_u32 i = 0; i < persons->n_ranges; i++) {
		const struct persons_range *range = &persons->range[i];

		if (uid >= range->first && uid - range->first < range->n)
			return range->owner;
	}
	return persons->strangers == STRANGERS_EACH       ? uid
	       : persons->strangers == STRANGERS_TOGETHER ? PERSON_STRANGER
							  : PERSON_NOBODY;
}

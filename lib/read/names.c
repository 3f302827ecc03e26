/* SPDX-License-Identifier: MIT */
#include "lib/read/names.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "perseus/sites.h"

/* FNV-1a, its bits mixed once more: the low ones choose the slot. */
static uint64_t names_hash(const char *name, size_t len)
{
	uint64_t h = prs_fnv64(PRS_FNV_INIT, name, len);

	return h ^ h >> 29;
}

/* The slot of @name, or the free one where it would stand. */
static struct names_slot *slot_of(const struct names *t, const char *name, size_t len)
{
	size_t i = names_hash(name, len) & (t->cap - 1);

	while (t->slots[i].name && (strncmp(t->slots[i].name, name, len) || t->slots[i].name[len]))
		i = (i + 1) & (t->cap - 1);
	return &t->slots[i];
}

/* At most half of the slots are taken. */
static void names_grow(struct names *t)
{
	struct names old = *t;

	if (2 * (t->n + 1) <= t->cap)
		return;
	t->cap = old.cap ? 2 * old.cap : 16;
	t->slots = mem_new(t->cap, sizeof(*t->slots));
	for (size_t i = 0; i < old.cap; i++)
		if (old.slots[i].name)
			*slot_of(t, old.slots[i].name, strlen(old.slots[i].name)) = old.slots[i];
	free(old.slots);
}

bool names_add(struct names *t, const char *name, size_t value)
{
	struct names_slot *slot;

	names_grow(t);
	slot = slot_of(t, name, strlen(name));
	if (slot->name)
		return false;
	*slot = (struct names_slot){name, value};
	t->n++;
	return true;
}

size_t names_find_part(const struct names *t, const char *name, size_t len)
{
	const struct names_slot *slot = t->cap ? slot_of(t, name, len) : NULL;

	return slot && slot->name ? slot->value : NAMES_NONE;
}

size_t names_find(const struct names *t, const char *name)
{
	return names_find_part(t, name, strlen(name));
}

void names_release(struct names *t)
{
	free(t->slots);
	*t = (struct names){0};
}

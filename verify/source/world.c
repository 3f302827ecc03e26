/* SPDX-License-Identifier: MIT */
#include "verify/source/world.h"

#include <stdio.h>
#include <string.h>

#define PREFIX "perseus_platform_"

/* As in perseus_platform.h. */
enum { SET = 0, REFUSED = 2, NO = 0, YES = 1 };

static uint64_t *pointed(struct crun *r, uint64_t pointer)
{
	return pointer && pointer - 1 < r->n_cells ? &r->cell[pointer - 1] : NULL;
}

static int world_note(struct crun *r, struct world *w, struct setting s, uint64_t error)
{
	uint64_t *cell = pointed(r, error);

	if (!cell || w->n_made == WORLD_SETTINGS)
		return crun_bad(r,
				cell ? "more settings at once than any plan has" : "no place for the error");
	*cell = 0;
	w->made[w->n_made++] = s;
	return 0;
}

static int world_count(struct crun *r, uint64_t pointer)
{
	uint64_t *cell = pointed(r, pointer);

	if (!cell)
		return crun_bad(r, "a counter that is nowhere");
	*cell += *cell < UINT32_MAX;
	return 0;
}

static int store(struct crun *r, uint64_t pointer, uint64_t n)
{
	uint64_t *cell = pointed(r, pointer);

	if (!cell)
		return crun_bad(r, "a place that is nowhere");
	*cell = n & UINT32_MAX;
	return 0;
}

/* Who is calling, and on what machine. */
static bool identity(struct world *w, const char *name, const uint64_t *a, uint64_t *result)
{
	*result = SET;
	if (!strcmp(name, "start"))
		*result = w->foreign ? REFUSED : SET;
	else if (!strcmp(name, "in_main"))
		*result = w->in_main ? YES : NO;
	else if (!strcmp(name, "self"))
		*result = w->self;
	else if (!strcmp(name, "become"))
		w->self = (uint32_t)a[0];
	else
		return !strcmp(name, "holds");
	return true;
}

/* The register of floating-point control. */
static bool floating(struct world *w, const char *name, const uint64_t *a, uint64_t *result)
{
	if (!strcmp(name, "control"))
		*result = w->control;
	else if (!strcmp(name, "flush"))
		w->control |= (uint32_t)a[0];
	else if (!strcmp(name, "unflush"))
		w->control &= ~(uint32_t)a[0];
	else if (!strcmp(name, "level"))
		*result = w->level;
	else if (!strcmp(name, "set_level"))
		w->level = (uint32_t)a[0];
	else
		return false;
	return true;
}

int world_call(struct crun *r, void *context, const char *name, const uint64_t *a, size_t n, uint64_t *result)
{
	static const struct {
		const char *name;
		size_t n;
	} known[] = {{"start", 0}, {"in_main", 0}, {"self", 0},  {"become", 1},   {"holds", 1},
		     {"pin", 2},   {"step", 3},    {"count", 1}, {"store", 2},    {"control", 0},
		     {"flush", 1}, {"unflush", 1}, {"level", 0}, {"set_level", 1}};
	const size_t all = sizeof(known) / sizeof(*known);
	struct world *w = context;
	size_t i = 0;

	if (strncmp(name, PREFIX, strlen(PREFIX)))
		return crun_bad(r, "a function that is neither defined nor of the platform");
	name += strlen(PREFIX);
	while (i < all && strcmp(name, known[i].name))
		i++;
	if (i == all || known[i].n != n)
		return crun_bad(r, "an unknown function of the platform");
	if (identity(w, name, a, result) || floating(w, name, a, result))
		return 0;
	if (*name == 'p')
		return world_note(r, w, (struct setting){VPLAN_PIN, (uint32_t)a[0], 0}, a[1]);
	if (!strcmp(name, "step"))
		return world_note(r, w, (struct setting){VPLAN_STEP, (uint32_t)a[0], (uint32_t)a[1]}, a[2]);
	return *name == 'c' ? world_count(r, a[0]) : store(r, a[0], a[1]);
}

bool world_same(const struct setting *made, size_t n_made, const struct setting *planned, size_t n_planned,
		uint32_t core, bool strict)
{
	size_t k = 0;

	for (size_t i = 0; i < n_planned; i++) {
		const struct setting *want = &planned[i];
		bool is_pin = want->kind == VPLAN_PIN;

		bool is_there = k < n_made && !memcmp(&made[k], want, sizeof(*want));

		if (is_pin && want->core == core && (strict || !is_there))
			continue;
		if (!is_there)
			return false;
		k++;
		if (is_pin)
			core = want->core;
	}
	return k == n_made;
}

void world_text(char *out, size_t bytes, const struct setting *s, size_t n)
{
	size_t at = 0;

	snprintf(out, bytes, "nothing");
	for (size_t i = 0; i < n && at + 1 < bytes; i++) {
		int length = s[i].kind == VPLAN_PIN
				     ? snprintf(out + at, bytes - at, "%score %u", i ? ", " : "", s[i].core)
				     : snprintf(out + at, bytes - at, "%sdomain %u at %u kHz", i ? ", " : "",
						s[i].core, s[i].khz);

		at += length > 0 ? (size_t)length : 0;
	}
}

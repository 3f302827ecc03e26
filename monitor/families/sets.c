/* SPDX-License-Identifier: MIT */
/* Events into groups that schedule together: first-fit, families whole where they fit. */
#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "monitor/families/families.h"

bool family_wanted(const char *wanted, const char *family)
{
	size_t len = strlen(family);

	if (!wanted)
		return true;
	for (const char *p = wanted; *p; p += strcspn(p, ","), p += *p == ',')
		if (strcspn(p, ",") == len && !memcmp(p, family, len))
			return true;
	return false;
}

/* The first event of its family among those of its scope that are wanted. */
static bool begins_family(const struct family_machine *m, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (m->events.at[k].scope == m->events.at[i].scope &&
		    !strcmp(m->events.at[k].family, m->events.at[i].family))
			return false;
	return true;
}

/* The family of event @i, from @i on. */
static void collect(const struct family_machine *m, size_t i, struct family_set *out)
{
	out->n = 0;
	for (size_t k = i; k < m->events.n; k++)
		if (m->events.at[k].scope == m->events.at[i].scope &&
		    !strcmp(m->events.at[k].family, m->events.at[i].family))
			vec_push(out, k);
}

static void append(struct family_set *to, const size_t *at, size_t n)
{
	for (size_t i = 0; i < n; i++)
		vec_push(to, at[i]);
}

/* Put @n events into the first set that has room, or a new one. */
static void put_into_set(struct family_sets *sets, const struct family_machine *m, const size_t *at, size_t n,
			 size_t room)
{
	enum family_scope scope = m->events.at[at[0]].scope;

	for (size_t i = 0; i < sets->n; i++) {
		struct family_set *s = &sets->at[i];

		if (m->events.at[s->at[0]].scope == scope && s->n + n <= room) {
			append(s, at, n);
			return;
		}
	}
	append(vec_add(sets), at, n);
}

static size_t room_of(enum family_scope scope, unsigned counters)
{
	if (scope == FAMILY_KERNEL)
		return SIZE_MAX;
	return scope == FAMILY_PACKAGE || !counters ? 1 : counters;
}

void family_sets_make(struct family_sets *sets, const struct family_machine *m, const char *wanted,
		      unsigned counters)
{
	struct family_set one = VEC_INIT;

	*sets = (struct family_sets)VEC_INIT;
	for (size_t i = 0; i < m->events.n; i++) {
		const struct family_event *e = &m->events.at[i];
		size_t room = room_of(e->scope, counters);

		if (!begins_family(m, i) || !family_wanted(wanted, e->family))
			continue;
		collect(m, i, &one);
		for (size_t from = 0; from < one.n; from += room) {
			size_t n = one.n - from < room ? one.n - from : room;

			put_into_set(sets, m, one.at + from, n, room);
			if (room == SIZE_MAX)
				break;
		}
	}
	vec_release(&one);
}

bool family_sets_halve(struct family_sets *sets, size_t i)
{
	struct family_set second = VEC_INIT;
	size_t keep = sets->at[i].n / 2;

	if (sets->at[i].n < 2)
		return false;
	append(&second, sets->at[i].at + keep, sets->at[i].n - keep);
	sets->at[i].n = keep;
	vec_push(sets, second);
	for (size_t k = sets->n - 1; k > i + 1; k--) {
		struct family_set other = sets->at[k];

		sets->at[k] = sets->at[k - 1];
		sets->at[k - 1] = other;
	}
	return true;
}

void family_sets_release(struct family_sets *sets)
{
	for (size_t i = 0; i < sets->n; i++)
		vec_release(&sets->at[i]);
	vec_release(sets);
}

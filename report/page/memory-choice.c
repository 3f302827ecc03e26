/* SPDX-License-Identifier: MIT */
/* Which accesses of a long trace are shown one by one. */
#include <string.h>

#include "report/page/memory.h"

#define PARTS 16u /* of the run: a pair may have one window in each */

void memory_choice_start(struct memory_choice *c, struct memory_story *s, uint64_t limit, uint64_t window)
{
	*c = (struct memory_choice){.story = s, .limit = limit, .window = window};
}

/* As many windows as @part of the whole holds. */
static uint64_t windows(const struct memory_choice *c, uint64_t part)
{
	uint64_t n = part / c->window;

	return n ? n : 1;
}

/* The last accesses were chosen, too, as far as they are still there. */
static void choose_back(struct memory_choice *c, uint64_t n)
{
	struct memory_story *s = c->story;

	for (size_t i = s->events.n; i-- > 0 && n; n--)
		s->events.at[i].chosen = true;
}

static void keep_chosen(struct memory_story *s, size_t from)
{
	size_t n = 0;

	for (size_t i = 0; i < s->events.n; i++)
		if (s->events.at[i].chosen || i >= from)
			s->events.at[n++] = s->events.at[i];
	s->events.n = n;
}

/* A conflict that is the first of its pair in this part of the run. */
static bool is_new(struct memory_choice *c, const struct memory_event *e)
{
	struct memory_story *s = c->story;
	struct memory_pair *p = e->pair ? &s->pairs.at[e->pair - 1] : NULL;
	uint64_t part = s->span_ns ? 1 + (uint64_t)((double)e->ns / (double)s->span_ns * PARTS) : 1;

	if (!p || p->last_part == part)
		return false;
	p->last_part = part;
	return true;
}

void memory_choice_add(struct memory_choice *c, const struct memory_event *e)
{
	struct memory_story *s = c->story;
	bool fresh = is_new(c, e);

	if (fresh && c->conflicts < windows(c, c->limit / 4)) {
		c->conflicts++;
		choose_back(c, c->window / 2);
		if (c->until < e->seq + c->window / 2)
			c->until = e->seq + c->window / 2;
	}
	if (e->ns >= c->next_ns) {
		c->next_ns = e->ns + s->span_ns / windows(c, c->limit / 2) + 1;
		if (c->until < e->seq + c->window)
			c->until = e->seq + c->window;
	}
	vec_push(&s->events, *e);
	s->events.at[s->events.n - 1].chosen = e->seq < c->limit / 4 || e->seq < c->until || fresh;
	s->seen = e->seq + 1;
	if (s->events.n >= 2 * c->limit)
		keep_chosen(s, s->events.n - c->window / 2);
}

void memory_choice_end(struct memory_choice *c)
{
	if (c->story->seen > c->limit)
		keep_chosen(c->story, c->story->events.n);
}

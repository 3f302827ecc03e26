/* SPDX-License-Identifier: MIT */
#include "monitor/counts/look.h"

#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"

struct count *counts_look_add(struct counts_look *look, const struct counts_thread *t)
{
	size_t at = look->counts.n;

	vec_push(&look->threads, *t);
	for (size_t i = 0; i < look->n_events; i++)
		vec_push(&look->counts, (struct count){.value = 0});
	return look->counts.at + at;
}

void counts_look_clear(struct counts_look *look, uint64_t ns, size_t n_events)
{
	look->ns = ns;
	look->n_events = n_events;
	look->threads.n = look->counts.n = 0;
}

void counts_look_release(struct counts_look *look)
{
	vec_release(&look->threads);
	vec_release(&look->counts);
}

size_t counts_event(const struct counts_events *events, const char *name)
{
	for (size_t i = 0; i < events->n; i++)
		if (!strcmp(events->at[i], name))
			return i;
	return events->n;
}

bool counts_by_clock(const char *name)
{
	return !strncmp(name, "directory.", 10);
}

void counts_events_release(struct counts_events *events)
{
	for (size_t i = 0; i < events->n; i++)
		free(events->at[i]);
	vec_release(events);
}

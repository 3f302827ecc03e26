/* SPDX-License-Identifier: MIT */
#include "monitor/counts/directory.h"

#include <string.h>

#include "lib/mem.h"

void counts_directory_events(struct counts_events *events)
{
	static const char *const names[DIRECTORY_EVENTS] = {"directory.transfers", "directory.hitm",
							    DIRECTORY_HIT, "directory.invalidations"};

	for (size_t i = 0; i < DIRECTORY_EVENTS; i++)
		vec_push(events, mem_strdup(names[i]));
}

void counts_directory_take(struct count *to, const struct live_lines *lines, uint64_t ns)
{
	uint64_t clean =
		lines->transfers > lines->from_modified ? lines->transfers - lines->from_modified : 0;
	const uint64_t value[DIRECTORY_EVENTS] = {lines->transfers, lines->from_modified, clean,
						  lines->invalidated};

	for (size_t i = 0; i < DIRECTORY_EVENTS; i++)
		to[i] = (struct count){value[i], ns, ns};
}

static uint32_t tid_of(const struct live *l, uint32_t pid, uint32_t index)
{
	for (size_t i = 0; index != PRS_NO_THREAD && i < l->threads.n; i++)
		if (l->threads.at[i].pid == pid && l->threads.at[i].index == index)
			return l->threads.at[i].tid;
	return 0;
}

void counts_directory_look(const struct live *l, struct counts_look *look, size_t from)
{
	for (size_t i = 0; i < l->threads.n; i++) {
		const struct live_thread *t = &l->threads.at[i];
		struct counts_thread is = {.pid = t->pid, .tid = t->tid, .core = t->core};
		struct count *to;

		is.partner = tid_of(l, t->pid, t->loser);
		memcpy(is.name, t->name, sizeof(is.name));
		to = counts_look_add(look, &is);
		if (t->lines.at_ns)
			counts_directory_take(to + from, &t->lines, t->lines.at_ns);
	}
}

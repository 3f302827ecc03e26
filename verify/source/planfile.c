/* SPDX-License-Identifier: MIT */
/* perseus_triggers.plan, by which the plugin put the calls in, against the plan. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "verify/base/triggers.h"
#include "verify/source/folder.h"

#define FILE_BYTES ((size_t)32 << 20)

struct lines {
	const struct vplan *p;
	struct findings *list;
	size_t n_calls, n_creates, n_flushes, n_layouts;
	bool has_plan;
};

/* Is the line's site, and the LINE of the source at field @at, that of the plan? */
static bool is_site(const struct vplan_site *s, char *const *field, int site, int at, int n)
{
	return at < n && !strcmp(field[site], s->id) && !strcmp(field[site + 1], s->instance) &&
	       strtoul(field[at], NULL, 10) == s->line;
}

static const struct vplan_site *creating_site(const struct vplan *p, uint32_t number)
{
	for (size_t i = 0; i < p->n_threads; i++)
		if (p->thread[i].create && p->thread[i].create == number)
			return &p->site[p->thread[i].site];
	return NULL;
}

static const struct vplan_trigger *point(const struct vplan *p, uint32_t number)
{
	for (size_t i = 0; i < p->n_triggers; i++) {
		const struct vplan_trigger *t = &p->trigger[i];

		if (t->at == VPLAN_CALL && t->number == number && t->point == number)
			return t;
	}
	return NULL;
}

static void check_flush_line(struct lines *x, char *const *field, int n)
{
	uint32_t number = n > 4 ? (uint32_t)strtoul(field[1], NULL, 10) : 0;

	x->n_flushes++;
	for (size_t i = 0; i < x->p->n_flushes; i++) {
		const struct vplan_flush *u = &x->p->flush[i];

		if (u->number == number && triggers_is_text(field[2], u->unit) &&
		    triggers_is_text(field[3], u->function))
			return;
	}
	findings_add(x->list, "perseus_triggers.plan: flush %u is another one than the plan's", number);
}

/* They stand in the plan's order. */
static void check_layout_line(struct lines *x, char *const *field, int n)
{
	size_t i = x->n_layouts++;

	if (i >= x->p->n_layouts || !triggers_is_layout(&x->p->layout[i], field, n))
		findings_add(x->list, "perseus_triggers.plan: layout %zu is another one than the plan's", i);
}

static void check_line(struct lines *x, char *const *field, int n)
{
	uint32_t number = n > 1 ? (uint32_t)strtoul(field[1], NULL, 10) : 0;

	if (n > 1 && !strcmp(field[0], "plan")) {
		x->has_plan = !strcmp(field[1], x->p->sha256);
	} else if (n > 4 && !strcmp(field[0], "create")) {
		const struct vplan_site *s = creating_site(x->p, number);

		x->n_creates++;
		if (!s || !is_site(s, field, 2, 7, n))
			findings_add(x->list,
				     "perseus_triggers.plan: creating site %u is another one than the plan's",
				     number);
	} else if (n > 1 && !strcmp(field[0], "flush")) {
		check_flush_line(x, field, n);
	} else if (n > 1 && !strcmp(field[0], "layout")) {
		check_layout_line(x, field, n);
	} else if (n > 4 && !strcmp(field[0], "call")) {
		const struct vplan_trigger *t = point(x->p, number);

		x->n_calls++;
		if (!t || !is_site(&x->p->site[t->site], field, 2, 8, n) ||
		    strcmp(field[4], t->after ? "after" : "before"))
			findings_add(
				x->list,
				"perseus_triggers.plan: trigger %04u stands at another call than in the plan",
				number);
	}
}

static void check_text(struct lines *x, char *text)
{
	size_t calls = 0;
	char *rest;

	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		char *field[16], *more;
		int n = 0;

		for (char *f = strtok_r(line, " ", &more); f && n < 16; f = strtok_r(NULL, " ", &more))
			field[n++] = f;
		check_line(x, field, n);
	}
	for (size_t i = 0; i < x->p->n_triggers; i++)
		calls += x->p->trigger[i].at == VPLAN_CALL &&
			 x->p->trigger[i].point == x->p->trigger[i].number;
	if (!x->has_plan)
		findings_add(x->list, "perseus_triggers.plan is of another plan");
	if (x->n_calls != calls || x->n_creates != x->p->n_creates)
		findings_add(
			x->list,
			"perseus_triggers.plan has %zu calls and %zu creating sites, the plan %zu and %u",
			x->n_calls, x->n_creates, calls, x->p->n_creates);
	if (x->n_flushes != x->p->n_flushes)
		findings_add(x->list, "perseus_triggers.plan has %zu flushes, the plan %zu", x->n_flushes,
			     x->p->n_flushes);
	if (x->n_layouts != x->p->n_layouts)
		findings_add(x->list, "perseus_triggers.plan has %zu layouts, the plan %zu", x->n_layouts,
			     x->p->n_layouts);
}

int folder_check_plan(const char *source, const struct vplan *p, struct findings *list, struct fault *f)
{
	struct lines x = {.p = p, .list = list};
	char path[FOLDER_PATH];
	struct input in;

	if (!folder_beside(path, source, "perseus_triggers.plan") || access(path, F_OK))
		return 0;
	if (input_read(&in, path, FILE_BYTES, f))
		return -1;
	check_text(&x, (char *)in.data);
	input_release(&in);
	return 0;
}

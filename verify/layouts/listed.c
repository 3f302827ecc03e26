/* SPDX-License-Identifier: MIT */
/* .perseus.layouts: what the compiler says it has applied, in which unit: the plan's layouts and no others. */
#include <stdlib.h>
#include <string.h>

#include "perseus/triggers.h"
#include "verify/base/triggers.h"
#include "verify/layouts/layouts.h"

#define FIELDS 16

/* Which layout of the plan the line is; n_layouts: none. */
static size_t layout_of(const struct vplan *p, char *const *field, int n)
{
	size_t i = 0;

	while (i < p->n_layouts && !triggers_is_layout(&p->layout[i], field, n))
		i++;
	return i;
}

/* A layout that the plan has not: what it is, as the line says. */
static void name_other(struct layouts *l, char *const *field, int n)
{
	bool of_type = n > 8 && !strcmp(field[1], "field");

	for (int i = 2; n > 8 && i < n; i++)
		triggers_plain(field[i]);
	if (n > 8)
		findings_add(l->list,
			     "a layout of %s%s%s (%s:%s, to %s bytes) was applied in %s, the plan has it not",
			     field[2], of_type ? "." : "", of_type ? field[3] : "", field[4], field[5],
			     field[6], field[n - 1]);
	else
		findings_add(l->list, "section " PRS_LAYOUTS_SECTION " is damaged");
}

static void listed_line(struct layouts *l, char *line, struct layouts_names *without)
{
	char *field[FIELDS], *rest;
	int n = 0;
	size_t i;

	for (char *f = strtok_r(line, " ", &rest); f && n < FIELDS; f = strtok_r(NULL, " ", &rest))
		field[n++] = f;
	if (n == 2 && !strcmp(field[0], "link"))
		l->link_told = true;
	/* What codegen makes uses no types of the program. */
	if (n == 2 && !strcmp(field[0], "without") && strncmp(layouts_last(field[1]), "perseus_", 8))
		layouts_add_name(without, triggers_plain(field[1]));
	if (!n || strcmp(field[0], "layout"))
		return;
	/* The unit stands behind the plan's line. */
	i = layout_of(l->plan, field, n - 1);
	if (i < l->plan->n_layouts)
		l->seen[i].listed++;
	else
		name_other(l, field, n);
}

void layouts_listed(struct layouts *l)
{
	struct layouts_names without = {.n = 0};

	l->link_told = false;
	for (size_t i = 0; i < l->e->n_sections; i++) {
		size_t size;
		const uint8_t *data = image_bytes(l->e, i, &size);
		char *text, *rest;

		if (!data || strcmp(image_section_name(l->e, i), PRS_LAYOUTS_SECTION))
			continue;
		text = need(size + 1, 1);
		memcpy(text, data, size);
		for (size_t k = 0; k < size; k++)
			text[k] = text[k] ? text[k] : '\n';
		for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
			listed_line(l, line, &without);
		free(text);
	}
	if (l->plan->n_layouts)
		layouts_say_untold(l, &without,
				   "the link with -flto took it in, and it was compiled without this plan");
}

/* SPDX-License-Identifier: MIT */
#include "codegen/graft/name.h"

#include <stdlib.h>
#include <string.h>

#include "codegen/view/text.h"
#include "lib/inspect/demangle.h"
#include "lib/mem.h"
#include "perseus/sites.h"

#define ORDINALS 65536u

/* Where the last two parts of a qualified name begin. */
static const char *last_part(const char *name, const char **before)
{
	int depth = 0;

	*before = NULL;
	for (const char *p = name, *part = name; *p; p++) {
		depth += (*p == '<' || *p == '(' || *p == '{') - (*p == '>' || *p == ')' || *p == '}');
		if (!depth && p[0] == ':' && p[1] == ':') {
			*before = part;
			part = p + 2;
			name = part;
		}
	}
	return name;
}

static void read_mangled(struct graft_name *n, char *name)
{
	const char *before, *last = last_part(name, &before);
	size_t len = strcspn(last, "<[");

	n->lambda = strstr(name, "{lambda") || strstr(name, "<lambda");
	n->special = strstr(name, "operator") || *last == '~' ||
		     (before && !strncmp(before, last, len) && strcspn(before, "<:") == len);
	n->library = !strncmp(name, "std::", 5) || !strncmp(name, "__gnu_cxx::", 11);
	n->instance = strchr(name, '<') && !n->lambda;
	n->base = mem_strndup(last, len);
}

void graft_name_read(struct graft_name *n, const char *name)
{
	char *pretty = !strncmp(name, "_Z", 2) ? demangle_short(name) : NULL;

	*n = (struct graft_name){.indirect = !strcmp(name, "indirect")};
	if (pretty)
		read_mangled(n, pretty);
	else if (!strncmp(name, "_Z", 2))
		n->why = "its name cannot be read on this machine";
	if (!n->base)
		n->base = mem_strdup(n->why ? "" : name);
	free(pretty);
}

void graft_name_release(struct graft_name *n)
{
	free(n->base);
	*n = (struct graft_name){0};
}

void graft_name_print(struct strbuf *out, const char *name, size_t max)
{
	char *pretty = name ? demangle_short(name) : NULL;

	text_comment(out, pretty ? pretty : name, max);
	free(pretty);
}

uint32_t graft_ordinal(const struct plan_site *s, bool *local)
{
	uint64_t id = strtoull(s->id, NULL, 16);
	uint64_t everywhere = prs_site_group(s->function, "", s->callee);
	uint64_t here = prs_site_group(s->function, s->unit, s->callee);

	for (uint32_t i = 0; i < ORDINALS; i++) {
		*local = prs_site_id(here, i) == id;
		if (*local || prs_site_id(everywhere, i) == id)
			return i;
	}
	return GRAFT_ORDINAL_NONE;
}

/* A call that the compiler made late has an id without ordinal. */
static bool is_late(const struct plan_site *s, const char *unit)
{
	return prs_site_late_id(prs_site_group(s->function, unit, s->callee)) == strtoull(s->id, NULL, 16);
}

bool graft_names_fit(const struct plan_site *s)
{
	bool local;

	/* Under LTO the unit is not recorded, and the id of a function that is local to it cannot be told. */
	if (!strcmp(s->unit, "-"))
		return true;
	return graft_ordinal(s, &local) != GRAFT_ORDINAL_NONE || is_late(s, "") || is_late(s, s->unit);
}

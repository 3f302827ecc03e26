/* SPDX-License-Identifier: MIT */
/* Names that a summary owns, each once. */
#include <stdlib.h>
#include <string.h>

#include "lib/inspect/demangle.h"
#include "lib/mem.h"
#include "report/time/collect.h"

const char *summary_name(struct report_summary *s, const char *name)
{
	for (size_t i = 0; i < s->n_names; i++)
		if (!strcmp(s->names[i], name))
			return s->names[i];
	s->names = mem_resize(s->names, s->n_names + 1, sizeof(*s->names));
	s->names[s->n_names] = mem_strdup(name);
	return s->names[s->n_names++];
}

const char *pretty_name(struct report_summary *s, const char *asm_name)
{
	const struct run_function *f = run_function(s->run, asm_name);
	const char *name;
	char *short_name;

	if (f)
		return f->pretty;
	short_name = demangle_short(asm_name);
	name = short_name ? summary_name(s, short_name) : asm_name;
	free(short_name);
	return name;
}

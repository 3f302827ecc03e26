/* SPDX-License-Identifier: MIT */
/* What lies behind a variable that is to begin a line of its own. */
#include <string.h>

#include "analyzer/patch/patch.h"

/* The module's table of the symbol, and its number there. */
static const struct run_module *module_of(const struct run *run, const struct run_symbol *symbol, size_t *at)
{
	for (size_t m = 0; m < run->n_modules; m++)
		for (size_t i = 0; i < run->modules[m].n_symbols; i++)
			if (&run->modules[m].symbols[i] == symbol) {
				*at = i;
				return &run->modules[m];
			}
	return NULL;
}

static bool declared(const struct run_module *m, const struct run_symbol *symbol, struct sharing_object *out)
{
	for (size_t i = 0; i < m->sites.n_vars; i++) {
		const struct run_variable *v = &m->sites.vars[i];

		if (strcmp(v->name, symbol->name) || !strcmp(v->file, "-"))
			continue;
		*out = (struct sharing_object){.kind = OBJECT_GLOBAL,
					       .name = (char *)symbol->name,
					       .symbol = symbol->name,
					       .type = v->type,
					       .file = v->file,
					       .line = v->line,
					       .bytes = v->bytes,
					       .ident = symbol};
		return true;
	}
	return false;
}

bool patch_neighbour(const struct patch *p, const struct sharing_object *o, struct sharing_object *out)
{
	const struct run_symbol *symbol = o->ident, *s;
	const struct run_module *m;
	uint64_t end;
	size_t at;

	if (o->kind != OBJECT_GLOBAL || !o->symbol)
		return false;
	m = module_of(p->run, symbol, &at);
	end = symbol->address + symbol->bytes;
	for (size_t i = at + 1; m && i < m->n_symbols; i++) {
		s = &m->symbols[i];
		if (s->address < end || !strchr("bBdD", s->type))
			continue;
		return s->address < end + REMEDY_LINE && declared(m, s, out);
	}
	return false;
}

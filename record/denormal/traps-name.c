/* SPDX-License-Identifier: MIT */
/* Functions of instructions that trapped. */
#include <errno.h>
#include <string.h>

#include "lib/inspect/elf.h"
#include "lib/search.h"
#include "record/denormal/traps.h"
#include "record/file/file.h"

/* Is the file at the module's path still what the program had loaded? */
static bool same_file(const struct denormal_trap_module *m)
{
	struct elf_facts facts;
	struct err err = ERR_INIT;

	return *m->path == '/' && !elf_facts(m->path, &facts, &err) &&
	       !strncmp(facts.build_id, m->build_id, strlen(m->build_id));
}

/* The innermost function round @address; those that begin behind one another do not nest deep. */
static const struct run_symbol *function_at(const struct run_module *m, uint64_t address)
{
	size_t low = search_first(m->n_symbols, i, m->symbols[i].address <= address);

	for (unsigned tries = 0; low-- > 0 && tries < 64; tries++) {
		const struct run_symbol *s = &m->symbols[low];

		if (strchr("TtWwi", s->type) && address - s->address < s->bytes)
			return s;
	}
	return NULL;
}

void denormal_traps_name_by(struct denormal_traps *t, size_t module, const struct run_module *symbols)
{
	for (size_t i = 0; i < t->rows.n; i++) {
		struct denormal_trap *row = &t->rows.at[i];
		const struct run_symbol *s;

		if (row->module != module || row->function)
			continue;
		s = function_at(symbols, row->address);
		if (!s)
			continue;
		row->function = mem_strdup(s->name);
		row->into = row->address - s->address;
	}
}

void denormal_traps_name(struct denormal_traps *t)
{
	for (size_t i = 0; i < t->modules.n; i++) {
		const struct denormal_trap_module *m = &t->modules.at[i];
		struct run_module symbols = {0};
		struct strbuf text = STRBUF_INIT;
		struct err err = ERR_INIT;

		if (same_file(m) && !elf_symbols(m->path, &text, &err) && text.s &&
		    !symbols_parse(&symbols, text.s, text.len, m->path, &err))
			denormal_traps_name_by(t, i, &symbols);
		free(symbols.symbols);
		free(symbols.functions);
		free(symbols.symbol_text);
		strbuf_release(&text);
	}
}

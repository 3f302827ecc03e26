/* SPDX-License-Identifier: MIT */
#include "cmd/denormals/lines.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/inspect/elf.h"
#include "lib/mem.h"
#include "lib/spawn/capture.h"

#define ROWS 500 /* of one module that are asked for; those with most traps come first */
#define HEX  24

/* "file:12" or "file:12 (discriminator 3)"; "??:0" is not known. */
static void take_line(struct denormal_trap *row, char *text)
{
	char *more = strstr(text, " (discriminator"), *colon, *end;
	unsigned long line;

	if (more)
		*more = '\0';
	colon = strrchr(text, ':');
	if (!colon || colon == text || *text == '?' || row->file)
		return;
	line = strtoul(colon + 1, &end, 10);
	if (end == colon + 1 || *end || !line || line > UINT32_MAX)
		return;
	row->file = mem_strndup(text, (size_t)(colon - text));
	row->line = (uint32_t)line;
}

static struct denormal_trap *row_at(struct denormal_traps *t, size_t module, uint64_t address)
{
	for (size_t i = 0; i < t->rows.n; i++)
		if (t->rows.at[i].module == module && t->rows.at[i].address == address)
			return &t->rows.at[i];
	return NULL;
}

/* Each address stands before its line, so what addr2line says besides is skipped. */
static void take_lines(struct denormal_traps *t, size_t module, char *text)
{
	struct denormal_trap *row = NULL;

	for (char *line = text, *end; line && *line; line = end) {
		end = strchr(line, '\n');
		if (end)
			*end++ = '\0';
		if (!strncmp(line, "0x", 2))
			row = row_at(t, module, strtoull(line, NULL, 16));
		else if (row)
			take_line(row, line);
	}
}

static void ask(struct denormal_traps *t, size_t module)
{
	const char *argv[ROWS + 5] = {"addr2line", "-a", "-e", t->modules.at[module].path};
	char(*hex)[HEX] = mem_new(ROWS, sizeof(*hex));
	struct strbuf text = STRBUF_INIT;
	size_t n = 0;

	for (size_t i = 0; i < t->rows.n && n < ROWS; i++) {
		if (t->rows.at[i].module != module)
			continue;
		snprintf(hex[n], HEX, "0x%" PRIx64, t->rows.at[i].address);
		argv[4 + n] = hex[n];
		n++;
	}
	if (n && !capture(argv, NULL, &text) && text.s)
		take_lines(t, module, text.s);
	strbuf_release(&text);
	free(hex);
}

void trap_lines(struct denormal_run *run)
{
	struct denormal_traps *t = &run->traps;

	for (size_t i = 0; i < t->modules.n; i++) {
		const struct denormal_trap_module *m = &t->modules.at[i];
		struct elf_facts facts;
		struct err err = ERR_INIT;

		if (*m->path == '/' && *m->build_id && !elf_facts(m->path, &facts, &err) &&
		    !strncmp(facts.build_id, m->build_id, strlen(m->build_id)))
			ask(t, i);
	}
}

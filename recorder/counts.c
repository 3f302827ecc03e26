/* SPDX-License-Identifier: MIT */
#include "recorder/counts.h"

#include <string.h>

#include "lib/inspect/elf.h"
#include "record/denormal/denormal.h"
#include "record/denormal/run.h"
#include "recorder/modules.h"

#define ID_HEX 40 /* of a build id that names tables in a run */

static void add_tables(struct manifest *m, const char *dir, const char *path, const char *build_id,
		       struct strbuf *notes)
{
	struct err why = ERR_INIT;

	if (modules_add(m, dir, path, build_id, &why))
		strbuf_printf(notes, "no names for the arrays of a module: %s\n", why.msg);
}

int counts_gather(struct manifest *m, const char *dir, const char *program, struct strbuf *notes,
		  struct err *err)
{
	struct denormal d;
	int ret = denormal_read(&d, dir, err);

	for (size_t i = 0; !ret && i < d.modules.n; i++) {
		struct denormal_module *module = &d.modules.at[i];

		if (strlen(module->build_id) > ID_HEX)
			module->build_id[ID_HEX] = '\0';
		if (*module->path == '/')
			add_tables(m, dir, module->path, module->build_id, notes);
	}
	if (!ret && program)
		add_tables(m, dir, program, "", notes);
	denormal_release(&d);
	return ret;
}

bool counts_wanted(const char *path)
{
	static const char name[] = "\0prs_den_open";
	struct strbuf names = STRBUF_INIT;
	bool found;

	found = !elf_section(path, ".dynstr", &names, NULL) && memmem(names.s, names.len, name, sizeof(name));
	strbuf_release(&names);
	return found;
}

/* SPDX-License-Identifier: MIT */
#include "recorder/counts.h"

#include <string.h>

#include "lib/inspect/elf.h"
#include "record/denormal/denormal.h"
#include "record/denormal/run.h"
#include "recorder/modules.h"

#define ID_HEX 40 /* of a build id that names tables in a run */

int counts_gather(struct manifest *m, const char *dir, struct strbuf *notes, struct err *err)
{
	struct denormal d;
	int ret = denormal_read(&d, dir, err);

	for (size_t i = 0; !ret && i < d.modules.n; i++) {
		struct denormal_module *module = &d.modules.at[i];
		struct err why = ERR_INIT;

		if (strlen(module->build_id) > ID_HEX)
			module->build_id[ID_HEX] = '\0';
		if (*module->path == '/' && modules_add(m, dir, module->path, module->build_id, &why))
			strbuf_printf(notes, "no names for the arrays of a module: %s\n", why.msg);
	}
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

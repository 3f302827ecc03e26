/* SPDX-License-Identifier: MIT */
#include "lib/spawn/compile.h"

void compile_make(struct compile *c, const char *cc, const char *source, const char *object)
{
	*c = (struct compile){.line = STRBUF_INIT};
	strbuf_printf(&c->line, "exec %s \"$@\"", cc);
	const char *const words[] = {"/bin/sh", "-c", c->line.s, "sh", "-g0", "-c", "-o", object, source};

	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		c->argv[i] = words[i];
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gcc-plugin/base/gcc-common.h"
#include <stdarg.h>
#include <stdio.h>
#include "gcc-plugin/choice/dump.h"
#include "gcc-plugin/choice/options.h"

/* Lines of compilers that run at the same time do not mix: each is one write in append mode. */
static FILE *dump_open(void)
{
	static FILE *file;
	static bool tried;

	if (tried || !prs_opt.dump)
		return file;
	tried = true;
	file = fopen(prs_opt.dump, "a");
	if (file)
		setvbuf(file, NULL, _IOLBF, 4096);
	else
		error("perseus: argument %<dump=%s%>: %m", prs_opt.dump);
	return file;
}

void dump_note(function *fun, gimple *stmt, const char *format, ...)
{
	FILE *f = dump_open();
	char text[256];
	va_list args;

	if (!f)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	fprintf(f, "%s %d %s\n", fun ? function_name(fun) : "-",
		stmt ? LOCATION_LINE(gimple_location(stmt)) : 0, text);
}

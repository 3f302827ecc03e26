/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/strbuf.h"
#include "record/file/file.h"

#define DAMAGE_MAX 800 /* bytes: the first few sentences say enough */

void process_damage(struct run_process *p, const char *fmt, ...)
{
	struct strbuf sb = STRBUF_INIT;
	char text[240];
	va_list ap;

	if (p->damage && strlen(p->damage) > DAMAGE_MAX)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (p->damage)
		strbuf_printf(&sb, "%s; ", p->damage);
	strbuf_puts(&sb, text);
	free(p->damage);
	p->damage = strbuf_detach(&sb);
}

/* SPDX-License-Identifier: MIT */
/* Files of a pack and what stands in them. */
#include "evidence/pack/parts.h"

#include <string.h>

#include "codegen/view/text.h"
#include "lib/mem.h"
#include "lib/shown.h"

void evidence_put(struct evidence *p, const char *path, const char *role, const char *given,
		  struct strbuf *text)
{
	struct evidence_file *f = vec_add(&p->files);
	const char *slash = given ? strrchr(given, '/') : NULL;

	strbuf_puts(text, "");
	f->path = mem_strdup(path);
	f->role = role;
	f->given = mem_strdup(slash ? slash + 1 : given);
	f->text = *text;
	*text = (struct strbuf)STRBUF_INIT;
}

void csv_put(struct strbuf *out, const char *s)
{
	text_csv(out, s);
	strbuf_puts(out, ",");
}

void csv_end(struct strbuf *out, const char *s)
{
	text_csv(out, s);
	strbuf_puts(out, "\n");
}

void md_put(struct strbuf *out, const char *s)
{
	size_t n;

	for (s = s ? s : ""; *s; s += n) {
		uint32_t c = shown_char(s, &n);

		if (shown_not(c))
			strbuf_puts(out, ".");
		else if (c == '<' || c == '>' || c == '&')
			strbuf_puts(out, c == '<' ? "&lt;" : c == '>' ? "&gt;" : "&amp;");
		else if (n == 1 && strchr("\\`*_[]|#!~$", *s))
			strbuf_printf(out, "\\%c", *s);
		else
			strbuf_add(out, s, n);
	}
}

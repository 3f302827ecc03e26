/* SPDX-License-Identifier: MIT */
/*
 * The library: generated files that hold nothing of the plan.  They are reviewed
 * once and known by their hash afterwards; the lines are what a reviewer reads.
 */
#include <string.h>

#include "codegen/codegen.h"
#include "evidence/pack/csv.h"
#include "evidence/pack/parts.h"

bool evidence_is_library(const char *name)
{
	for (int b = 0; b < CODEGEN_BACKENDS; b++)
		for (int f = 0; f < CODEGEN_FILES; f++)
			if (codegen_is_library((enum codegen_file)f) &&
			    !strcmp(name, codegen_file_name((enum codegen_backend)b, (enum codegen_file)f)))
				return true;
	return false;
}

bool evidence_has_functions(const char *name)
{
	return evidence_is_source(name) || !strcmp(name, codegen_file_name(CODEGEN_LINUX, CODEGEN_SUPPORT_H));
}

bool evidence_triggers_hold(const struct evidence *p, const char *text)
{
	static const enum codegen_file files[] = {CODEGEN_SOURCE, CODEGEN_SUPPORT_H};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		const char *all = evidence_generated(p, codegen_file_name(CODEGEN_LINUX, files[i]));

		if (all && strstr(all, text))
			return true;
	}
	return false;
}

static size_t newlines(const struct evidence_source *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->len; i++)
		n += s->text[i] == '\n';
	return n;
}

static bool is_header(const char *name)
{
	size_t n = strlen(name);

	return n > 2 && !strcmp(name + n - 2, ".h");
}

struct evidence_lines evidence_lines(const struct evidence *p)
{
	struct evidence_lines l = {.settings = codegen_settings(p->in->plan)};

	for (size_t i = 0; i < p->in->n_generated; i++) {
		const struct evidence_source *s = &p->in->generated[i];

		if (evidence_is_library(s->path))
			l.library += newlines(s);
		else if (evidence_is_source(s->path) || is_header(s->path))
			l.plan += newlines(s);
	}
	return l;
}

/* The words behind "Parts:" on top of a file. */
static void parts(struct strbuf *out, const struct evidence_source *s)
{
	const char *at = strstr(s->text, "\n * Parts:");

	strbuf_puts(out, "");
	if (!at)
		return;
	at += strlen("\n * Parts:");
	at += strspn(at, " ");
	strbuf_add(out, at, strcspn(at, "\n"));
}

void library_csv(const struct evidence *p, struct strbuf *out)
{
	strbuf_puts(out, "file,sha256,lines,parts,reviewed by,date\n");
	for (size_t i = 0; i < p->in->n_generated; i++) {
		const struct evidence_source *s = &p->in->generated[i];
		struct strbuf words = STRBUF_INIT;
		char hex[SHA256_HEX];

		if (!evidence_is_library(s->path))
			continue;
		sha256_of(s->text, s->len, hex);
		parts(&words, s);
		csv_put(out, s->path);
		csv_put(out, hex);
		strbuf_printf(out, "%zu,", newlines(s));
		csv_put(out, words.s);
		strbuf_puts(out, ",\n");
		strbuf_release(&words);
	}
}

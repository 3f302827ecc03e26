/* SPDX-License-Identifier: MIT */
/* Changes that a file needs once: the header, the start of the program. */
#include <stdlib.h>
#include <string.h>

#include "codegen/graft/edit.h"
#include "codegen/graft/lines.h"
#include "perseus/triggers.h"

const char *graft_edit_start(struct graft_file *f, size_t open)
{
	const struct source *s = &f->src;
	const char *eol = lines_end(s, s->at[open].at);
	struct strbuf sb = STRBUF_INIT;
	bool lines = lines_last(s, open) && open + 1 < s->n && s->at[open + 1].line > s->at[open].line;
	int ret;

	if (source_match(s, open) == SOURCE_NONE)
		return "the brackets of main() do not pair";
	strbuf_puts(&sb, lines ? "" : " ");
	if (lines && open + 1 == source_match(s, open)) {
		lines_indent(s, open, &sb);
		strbuf_puts(&sb, "\t");
	} else if (lines && lines_first(s, open + 1) && s->at[open + 1].kind != TOKEN_DIRECTIVE) {
		lines_indent(s, open + 1, &sb);
	} else if (lines) {
		strbuf_puts(&sb, "\t");
	}
	strbuf_printf(&sb, "%s();%s", PRS_FN_PROGRAM_START, lines ? eol : "");
	ret = edits_add(&f->edits, lines ? lines_behind(s, open) : lines_after(s, open), 0, sb.s, NULL);
	strbuf_release(&sb);
	return ret ? "another change meets it at the beginning of main()" : NULL;
}

/* The word behind the '#' of preprocessor line @i is @word. */
static bool is_line(const struct source *s, size_t i, const char *word)
{
	const char *p = s->text + s->at[i].at + 1;

	if (s->at[i].kind != TOKEN_DIRECTIVE)
		return false;
	p += strspn(p, " \t");
	return !strncmp(p, word, strlen(word));
}

/* A header's guard: #ifndef, #define, and all the rest inside. */
static bool has_guard(const struct source *s)
{
	return s->n > 2 && is_line(s, 0, "ifndef") && is_line(s, 1, "define") &&
	       is_line(s, s->n - 1, "endif");
}

/* Not in the middle of a declaration: in front of line @i ends one, or there is none. */
static bool is_between(const struct source *s, size_t i)
{
	while (i-- > 0)
		if (s->at[i].kind != TOKEN_DIRECTIVE)
			return source_is(s, i, ";") || source_is(s, i, "}");
	return true;
}

/*
 * The last #include that stands under no condition and in no brackets, before anything that is
 * changed; SOURCE_NONE: there is none.
 */
static size_t last_include(const struct graft_file *f)
{
	const struct source *s = &f->src;
	size_t found = SOURCE_NONE, end = f->edits.at[0].at;
	long depth = has_guard(s) ? -1 : 0;

	for (size_t i = 0; i < s->n && s->at[i].at < end; i++) {
		if (s->at[i].kind != TOKEN_DIRECTIVE)
			continue;
		depth += is_line(s, i, "if");
		depth -= is_line(s, i, "endif");
		if (!depth && is_line(s, i, "include") && scan_parent(&f->scan, i) == SOURCE_NONE &&
		    is_between(s, i))
			found = i;
	}
	return found;
}

/* Where lines can be put if nothing is included: before the first line that is no directive. */
static size_t before_all(const struct graft_file *f)
{
	const struct source *s = &f->src;
	long depth = has_guard(s) ? -1 : 0;

	for (size_t i = 0; i < s->n; i++) {
		if (s->at[i].kind == TOKEN_DIRECTIVE) {
			depth += is_line(s, i, "if");
			depth -= is_line(s, i, "endif");
			continue;
		}
		return !depth && lines_first(s, i) ? lines_start(s, i) : SOURCE_NONE;
	}
	return SOURCE_NONE;
}

const char *graft_edit_include(struct graft_file *f, const char *sha256)
{
	size_t after = last_include(f), at;
	struct strbuf sb = STRBUF_INIT;
	const char *eol;
	int ret;

	at = after == SOURCE_NONE ? before_all(f) : lines_behind(&f->src, after);
	if (at == SOURCE_NONE)
		return "no place for the #include of perseus_triggers.h is found";
	eol = lines_end(&f->src, after == SOURCE_NONE ? at : f->src.at[after].at);
	if (at && f->src.text[at - 1] != '\n')
		strbuf_puts(&sb, eol);
	strbuf_printf(
		&sb,
		"#define PERSEUS_CALLS_ONLY%s#include \"perseus_triggers.h\"%s#ifndef PERSEUS_PLAN_%.16s%s"
		"#error \"this source was grafted for another plan: reverse perseus_graft.patch and "
		"apply the "
		"new one\"%s#endif%s",
		eol, eol, sha256, eol, eol, eol);
	ret = edits_add(&f->edits, at, 0, sb.s, NULL);
	strbuf_release(&sb);
	return ret ? "another change meets it at the #include of perseus_triggers.h" : NULL;
}

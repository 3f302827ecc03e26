/* SPDX-License-Identifier: MIT */
/*
 * The source, and whether it is the one that was compiled.  A record has no
 * hash of it, so that is told by the names of functions at their lines, and by
 * its time.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/fs.h"
#include "lib/mem.h"
#include "record/names/names.h"
#include "report/annotate/parts.h"

#define SOURCE_MAX (64u << 20) /* bytes */
#define NEAR       2u          /* lines: a declaration may begin above the name */

static bool read_at(struct annotate *a, const char *folder, const char *name)
{
	struct strbuf path = STRBUF_INIT, text = STRBUF_INIT;
	struct err err = ERR_INIT;
	bool there;

	if (folder && *name != '/')
		strbuf_printf(&path, "%s/", folder);
	strbuf_puts(&path, name);
	there = !fs_read(path.s, SOURCE_MAX, &text, &err) && text.s;
	if (there) {
		a->text = strbuf_detach(&text);
		a->path = strbuf_detach(&path);
	}
	strbuf_release(&path);
	strbuf_release(&text);
	return there;
}

static void find_lines(struct annotate *a)
{
	size_t n = 1;

	for (const char *p = a->text; *p; p++)
		n += *p == '\n';
	a->at = mem_new(n, sizeof(*a->at));
	for (const char *p = a->text; *p; a->n_at++) {
		const char *end = strchr(p, '\n');

		a->at[a->n_at] = p;
		p = end ? end + 1 : p + strlen(p);
	}
}

/* The name itself, without namespaces, arguments and templates: "get" of "app::Pool<int>::get(int)". */
static void bare_name(const char *pretty, char *out, size_t size)
{
	const char *from = pretty, *p;
	size_t n = 0;

	for (p = pretty; *p && *p != '(' && *p != '<'; p++)
		if (*p == ':' || *p == ' ' || *p == '.' || *p == '~')
			from = p + 1;
	while (from + n < p && n + 1 < size && (isalnum((unsigned char)from[n]) || from[n] == '_'))
		n++;
	memcpy(out, from, n);
	out[n] = '\0';
}

/* Does the word stand on the line, or close to it? */
static bool stands_at(const struct annotate *a, uint32_t line, const char *word)
{
	size_t n = strlen(word);

	for (uint32_t k = line > NEAR ? line - NEAR : 1; k <= line + NEAR && k <= a->n_at; k++) {
		const char *text = a->at[k - 1], *end = strchr(text, '\n');

		for (const char *p = text; (p = strstr(p, word)) != NULL && (!end || p < end); p++)
			if ((p == text || !(isalnum((unsigned char)p[-1]) || p[-1] == '_')) &&
			    !(isalnum((unsigned char)p[n]) || p[n] == '_'))
				return true;
	}
	return false;
}

static void count_functions(struct annotate *a)
{
	char name[256];

	for (size_t i = 0; i < a->s->run->n_modules; i++) {
		const struct sites *t = &a->s->run->modules[i].sites;

		for (size_t k = 0; k < t->n_functions; k++) {
			if (strcmp(t->functions[k].file, a->file) || !t->functions[k].line)
				continue;
			bare_name(t->functions[k].pretty, name, sizeof(name));
			if (!*name || !strncmp(name, "operator", 8))
				continue;
			a->functions++;
			a->placed += stands_at(a, t->functions[k].line, name);
		}
	}
}

/* Was the source written to after the run was recorded? */
static bool is_newer(const struct annotate *a)
{
	struct strbuf manifest = STRBUF_INIT;
	struct stat source, run;
	bool newer;

	strbuf_printf(&manifest, "%s/manifest.yaml", a->s->run->path);
	newer = !stat(a->path, &source) && !stat(manifest.s, &run) &&
		(source.st_mtim.tv_sec > run.st_mtim.tv_sec ||
		 (source.st_mtim.tv_sec == run.st_mtim.tv_sec &&
		  source.st_mtim.tv_nsec > run.st_mtim.tv_nsec));
	strbuf_release(&manifest);
	return newer;
}

static enum annotate_match annotate_source_judge(const struct annotate *a)
{
	/* What macros make has a name that stands nowhere: some may be missing. */
	if ((a->n && a->lines[a->n - 1].line > a->n_at) || 2 * a->placed < a->functions)
		return ANNOTATE_OTHER;
	if (is_newer(a))
		return ANNOTATE_NEWER;
	return a->functions ? ANNOTATE_LIKELY : ANNOTATE_UNKNOWN;
}

void annotate_source(struct annotate *a, const char *name, const char *source)
{
	if (!read_at(a, source, name) && !read_at(a, source, a->file) &&
	    !(source && read_at(a, source, fs_base_name(a->file))))
		return;
	find_lines(a);
	count_functions(a);
	a->match = annotate_source_judge(a);
}

void annotate_match_text(const struct annotate *a, struct strbuf *out)
{
	if (a->match == ANNOTATE_ABSENT)
		strbuf_printf(out, "source    cannot be read here: --source DIR says where it is\n");
	else if (a->match == ANNOTATE_OTHER)
		strbuf_printf(out,
			      "source    %s is NOT what was compiled: %zu of %zu functions stand at their "
			      "lines\n",
			      a->path, a->placed, a->functions);
	else if (a->match == ANNOTATE_NEWER)
		strbuf_printf(out,
			      "source    %s was written to after the run was recorded; %zu of %zu functions\n"
			      "          still stand at their lines\n",
			      a->path, a->placed, a->functions);
	else if (a->match == ANNOTATE_UNKNOWN)
		strbuf_printf(out, "source    %s: whether it is what was compiled cannot be known\n",
			      a->path);
	else
		strbuf_printf(out,
			      "source    %s, older than the run; %zu of %zu functions stand at their lines\n",
			      a->path, a->placed, a->functions);
}

const char *annotate_match_word(enum annotate_match match)
{
	static const char *const words[] = {[ANNOTATE_ABSENT] = "absent",
					    [ANNOTATE_UNKNOWN] = "unknown",
					    [ANNOTATE_LIKELY] = "likely",
					    [ANNOTATE_NEWER] = "newer",
					    [ANNOTATE_OTHER] = "other"};

	return words[match];
}

/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/build/build-dir.h"
#include "cmd/build/build.h"
#include "lib/fs.h"
#include "lib/num.h"

#define MAX_LOG ((size_t)1 << 30)

static void tally_add(struct tally *t, const char *name, uint64_t n)
{
	struct tally_item *item;

	for (size_t i = 0; i < t->n; i++)
		if (!strcmp(t->at[i].name, name)) {
			t->at[i].n += n;
			return;
		}
	item = vec_add(t);
	*item = (struct tally_item){mem_strdup(name), n};
}

static void tally_release(struct tally *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->at[i].name);
	vec_release(t);
}

/* ---- reading ---- */

typedef void line_fn(struct build_count *c, char *line);

static void each_line(struct build_count *c, const struct build *b, const char *log, line_fn *take)
{
	struct strbuf text = STRBUF_INIT;
	char path[PATH_MAX + 16], *save = NULL;

	snprintf(path, sizeof(path), "%s/%s", b->dir, log);
	if (!fs_read(path, MAX_LOG, &text, NULL))
		for (char *line = strtok_r(text.s, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
			take(c, line);
	strbuf_release(&text);
}

static void take_unit(struct build_count *c, char *line)
{
	const char *field[4] = {"", "", "", ""}; /* kind, tool, version, detail */
	char name[64];

	for (int i = 0; i < 4; i++) {
		char *tab = strchr(line, '\t');

		if (!tab)
			return;
		*tab = '\0';
		field[i] = line;
		line = tab + 1;
	}
	c->given += !strcmp(field[0], BUILD_GIVEN);
	c->links += !strcmp(field[0], BUILD_LINK);
	c->configure += !strcmp(field[0], BUILD_CONFIGURE);
	c->preprocess += !strcmp(field[0], BUILD_PREPROCESS);
	if (!strcmp(field[0], BUILD_PROBES)) {
		c->probes++;
		snprintf(name, sizeof(name), "gcc %s", field[2]);
		tally_add(&c->versions, name, 1);
	} else if (!strcmp(field[0], BUILD_PLAIN)) {
		c->plain++;
		tally_add(&c->reasons, field[3], 1);
	}
}

static bool is_configure(const char *path)
{
	const char *slash = strrchr(path, '/');

	return !strncmp(slash ? slash + 1 : path, "conftest.", 9) || strstr(path, "/CMakeFiles/CMake") ||
	       strstr(path, "/CompilerId") || strstr(path, "/meson-private/");
}

/* "# FILE", then what became of it. */
static void take_ccache(struct build_count *c, char *line)
{
	if (!strncmp(line, "# ", 2))
		c->is_test = is_configure(line + 2);
	else if (!c->is_test)
		c->cached += !strcmp(line, "direct_cache_hit") || !strcmp(line, "preprocessed_cache_hit");
}

/* A command line, its words in double quotes. */
static void take_clang(struct build_count *c, char *line)
{
	static const char *const code[] = {"\"-emit-obj\"", "\"-S\"", "\"-emit-llvm-bc\""};

	if (!strstr(line, "\"-cc1\"") || strstr(line, "\"conftest.") || is_configure(line))
		return;
	for (size_t i = 0; i < sizeof(code) / sizeof(code[0]); i++)
		if (strstr(line, code[i])) {
			c->plain++;
			c->clang++;
			return;
		}
}

void build_count_read(struct build_count *c, const struct build *b)
{
	*c = (struct build_count){0};
	each_line(c, b, "clang", take_clang);
	if (c->clang)
		tally_add(&c->reasons, "by clang", c->clang);
	each_line(c, b, BUILD_UNITS, take_unit);
	each_line(c, b, "ccache", take_ccache);
}

void build_count_release(struct build_count *c)
{
	tally_release(&c->versions);
	tally_release(&c->reasons);
}

/* ---- saying ---- */

static void build_count_number(struct strbuf *text, uint64_t n)
{
	char buf[32];

	strbuf_puts(text, num_group(buf, sizeof(buf), n));
}

static void say_versions(const struct build_count *c, struct strbuf *text)
{
	const struct tally *t = &c->versions;

	for (size_t i = 0; i < t->n; i++) {
		strbuf_printf(text, "%s%s", i ? ", " : " (", t->at[i].name);
		if (t->n > 1)
			strbuf_printf(text, ": %" PRIu64, t->at[i].n);
	}
	strbuf_puts(text, t->n ? ")" : "");
}

static void say_reasons(const struct build_count *c, struct strbuf *text)
{
	if (!c->plain)
		return;
	strbuf_puts(text, ", ");
	build_count_number(text, c->plain);
	strbuf_puts(text, " without:");
	for (size_t i = 0; i < c->reasons.n; i++) {
		strbuf_puts(text, i ? ", " : " ");
		build_count_number(text, c->reasons.at[i].n);
		strbuf_printf(text, " %s", c->reasons.at[i].name);
	}
}

static void detail(struct strbuf *text, uint64_t n, const char *one, const char *many)
{
	if (!n)
		return;
	strbuf_puts(text, "  ");
	build_count_number(text, n);
	strbuf_printf(text, " %s\n", n == 1 ? one : many);
}

static void say_nothing(const struct build_count *c, struct strbuf *text)
{
	if (c->plain || c->configure || c->cached || c->given)
		return;
	if (c->links)
		strbuf_puts(text, "  only links were seen: the units that they took in were compiled before, "
				  "and are as "
				  "they\n  were (build from clean, if they are to be with it)\n");
	else if (c->preprocess)
		strbuf_puts(text,
			    "  sources were preprocessed only: were they compiled elsewhere (distcc)?\n");
	else
		strbuf_puts(text,
			    "  no compilation was seen: everything was up to date (build from clean), or it\n"
			    "  ran where this environment does not reach (a daemon, a container, another\n"
			    "  machine); there, give the compiler what `perseus flags` prints\n");
}

void build_count_say(const struct build_count *c, int status, struct strbuf *text)
{
	const char *with = c->with ? c->with : "probes";
	uint64_t units = c->probes + c->cached;

	/* A compilation that failed was counted when it began. */
	if (status && !units) {
		strbuf_printf(text, "failed before a unit with %s was compiled", with);
	} else {
		strbuf_puts(text, status ? "tried " : "built ");
		build_count_number(text, units);
		strbuf_printf(text, " unit%s with %s", units == 1 ? "" : "s", with);
	}
	say_versions(c, text);
	say_reasons(c, text);
	strbuf_puts(text, "\n");
	detail(text, c->given, "more had the plugin in its own flags",
	       "more had the plugin in their own flags");
	detail(text, c->cached, "of them came from ccache, compiled in the same way",
	       "of them came from ccache, compiled in the same way");
	detail(text, c->links, "link made its code then (-flto), as the units",
	       "links made their code then (-flto), as the units");
	detail(text, c->configure, "test program of a configure step was left as it is",
	       "test programs of configure steps were left as they are");
	if (c->clang)
		strbuf_puts(text,
			    "  clang takes -fplugin without a word and adds no probes: CC=gcc CXX=g++\n");
	if (!c->probes && !status)
		say_nothing(c, text);
}

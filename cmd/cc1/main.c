/* SPDX-License-Identifier: MIT */
/*
 * perseus-cc1: what GCC's drivers find under the names cc1, cc1plus, lto1 (and
 * those of other languages) while `perseus build` runs.  It becomes the real
 * one, with the plugin's options behind its own, and leaves a line that says
 * what it did.  Whatever is wrong with its set-up, the compilation goes on.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/build/build-dir.h"
#include "cmd/cc1/driver.h"
#include "lib/fs.h"
#include "lib/vec.h"

struct words VEC(char *);

struct config {
	struct strbuf text;
	char *plugin;
	struct words back_ends; /* "MAJOR IDENTITY" */
	struct words args;
};

/* What the command line asks for. */
struct request {
	const char *tool, *input;
	const char *width, *model; /* last -m32, -m64, ...; last -mcmodel= */
	bool preprocess;           /* no code comes out */
	bool no_code;              /* a check, or a precompiled header: no unit, but attributes count */
	bool help;                 /* no compilation at all */
	bool given;                /* the plugin is there */
	bool second; /* once more: -fcompare-debug, or a part of a link that is counted already */
};

static void complain(const char *what)
{
	fprintf(stderr, "perseus-cc1: %s\n", what);
}

/* ---- config ---- */

static void config_line(struct config *c, char *line)
{
	char *value = strchr(line, ' ');

	if (!value)
		return;
	*value++ = '\0';
	if (!strcmp(line, "plugin"))
		c->plugin = value;
	else if (!strcmp(line, "back-end"))
		vec_push(&c->back_ends, value);
	else if (!strcmp(line, "arg"))
		vec_push(&c->args, value);
}

static int config_read(struct config *c, const char *dir, struct err *err)
{
	char path[PATH_MAX], *save = NULL;
	int ret;

	snprintf(path, sizeof(path), "%s/" BUILD_CONFIG, dir);
	ret = fs_read(path, 1 << 20, &c->text, err);
	if (ret)
		return ret;
	if (strncmp(c->text.s, BUILD_MAGIC "\n", sizeof(BUILD_MAGIC)))
		return err_set(err, -EINVAL, "'%s' is not of this version of Perseus", path);
	for (char *line = strtok_r(c->text.s, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		config_line(c, line);
	return c->plugin ? 0 : err_set(err, -EINVAL, "'%s' names no plugin", path);
}

static bool has_back_end(const struct config *c, const char *version)
{
	int major = atoi(version);

	for (size_t i = 0; i < c->back_ends.n; i++)
		if (atoi(c->back_ends.at[i]) == major)
			return true;
	return false;
}

/* ---- the command line ---- */

static bool begins(const char *s, const char *with)
{
	return !strncmp(s, with, strlen(with));
}

static bool is_plugin(const char *arg)
{
	const char *name;

	if (!begins(arg, "-fplugin="))
		return false;
	name = fs_base_name(arg + strlen("-fplugin="));
	return !strcmp(name, "perseus") || !strcmp(name, "perseus.so");
}

static void read_word(struct request *q, const char *a)
{
	static const char *const widths[] = {"-m64", "-m32", "-mx32", "-m16", "-miamcu"};

	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++)
		if (!strcmp(a, widths[i]))
			q->width = a;
	if (!strcmp(a, "-E") || !strcmp(a, "-M") || !strcmp(a, "-MM"))
		q->preprocess = true;
	else if (!strcmp(a, "-fsyntax-only") || begins(a, "--output-pch"))
		q->no_code = true;
	else if (begins(a, "--help") || begins(a, "--target-help") || begins(a, "-fself-test"))
		q->help = true;
	else if (!strcmp(a, "-fcompare-debug-second") || !strcmp(a, "-fltrans"))
		q->second = true;
	else if (begins(a, "-mcmodel="))
		q->model = a;
	else if (is_plugin(a))
		q->given = true;
}

/* The word behind one of these belongs to it. */
static bool takes_word(const char *a)
{
	static const char *const options[] = {"-A",
					      "-D",
					      "-I",
					      "-MD",
					      "-MF",
					      "-MMD",
					      "-MQ",
					      "-MT",
					      "-U",
					      "-auxbase",
					      "-aux-info",
					      "-dumpbase",
					      "-dumpdir",
					      "-dumpbase-ext",
					      "-imacros",
					      "-imultilib",
					      "-include",
					      "-imultiarch",
					      "-iprefix",
					      "-iquote",
					      "-isysroot",
					      "-isystem",
					      "-o",
					      "--param",
					      "-iwithprefix",
					      "-idirafter",
					      "-auxbase-strip",
					      "-iwithprefixbefore"};

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (!strcmp(a, options[i]))
			return true;
	return false;
}

static void find_input(struct request *q, int argc, char **argv)
{
	q->input = "";
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "-dumpbase") && i + 1 < argc)
			q->input = argv[i + 1]; /* all there is if the files stand in an @file */
		if (argv[i][0] == '-' && argv[i][1])
			i += takes_word(argv[i]);
		else if (argv[i][0] != '@') {
			q->input = argv[i];
			return;
		}
	}
}

static struct request read_request(const char *tool, int argc, char **argv)
{
	struct request q = {.tool = tool};

	for (int i = 1; i < argc; i++)
		read_word(&q, argv[i]);
	find_input(&q, argc, argv);
	return q;
}

/* conftest.c, conftest2.c; libtool's conftstm.c; /tmp/cgXXXXXX/dummy.c of config.guess */
static bool conftest(const char *path)
{
	const char *name = fs_base_name(path);
	size_t stem = strspn(name, "confestm");

	if (!strcmp(name, "dummy.c") && strstr(path, "/cg"))
		return true;
	return (begins(name, "conftest") || begins(name, "conftstm")) && stem == 8 &&
	       name[stem + strspn(name + stem, "0123456789")] == '.';
}

/*
 * Test programs of autoconf, CMake, Meson, SCons, waf.  They are compiled as
 * without Perseus, so that it cannot sway what a configure step finds.
 */
static bool is_configure(const struct request *q)
{
	static const char *const places[] = {"/CMakeFiles/CMakeTmp", "/CMakeFiles/CMakeScratch",
					     "/CompilerIdC",         "/meson-private/",
					     "/.sconf_temp/",        "/.conf_check_"};
	char cwd[PATH_MAX + 1] = "";

	if (!getcwd(cwd, PATH_MAX))
		cwd[0] = '\0';
	strcat(cwd, "/");
	if (conftest(q->input))
		return true;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (strstr(q->input, places[i]) || strstr(cwd, places[i]))
			return true;
	return false;
}

/* Why the plugin cannot be used here, for people; NULL if it can. */
static const char *obstacle(const struct config *c, const struct request *q, const struct real_tool *t,
			    char *text, size_t size)
{
	static const struct {
		const char *tool, *language;
	} others[] = {{"f951", "Fortran"},
		      {"gnat1", "Ada"},
		      {"cc1obj", "Objective-C"},
		      {"cc1objplus", "Objective-C++"},
		      {"d21", "D"},
		      {"go1", "Go"},
		      {"cc1gm2", "Modula-2"}};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (!strcmp(q->tool, others[i].tool))
			return others[i].language;
	if (!begins(t->machine, "x86_64"))
		snprintf(text, size, "for %s", t->machine);
	else if (q->width && strcmp(q->width, "-m64"))
		snprintf(text, size, "with %s", q->width);
	else if (q->model && begins(q->model, "-mcmodel=large"))
		snprintf(text, size, "with %s", q->model);
	else if (!has_back_end(c, t->version))
		snprintf(text, size, "by gcc %s, for which no back end is installed", t->version);
	else
		return NULL;
	return text;
}

/* ---- the log ---- */

static void put_field(struct strbuf *line, const char *s, char end)
{
	size_t from = line->len;

	strbuf_puts(line, s);
	for (size_t i = from; i < line->len; i++)
		if ((unsigned char)line->s[i] < ' ')
			line->s[i] = '?';
	strbuf_add(line, &end, 1);
}

/* One write to a file opened for appending: lines of parallel compilations do not mix. */
static void cc1_main_note(const char *dir, const char *kind, const struct request *q,
			  const struct real_tool *t, const char *detail)
{
	struct strbuf line = STRBUF_INIT;
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s/" BUILD_UNITS, dir);
	put_field(&line, kind, '\t');
	put_field(&line, q->tool, '\t');
	put_field(&line, t->version, '\t');
	put_field(&line, detail, '\t');
	put_field(&line, q->input, '\n');
	fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, line.s, line.len) != (ssize_t)line.len)
		complain("cannot count this compilation: its line could not be written");
	if (fd >= 0)
		close(fd);
	strbuf_release(&line);
}

/* Say what becomes of this compilation; true if it gets the plugin. */
static bool cc1_main_judge(const char *dir, const struct config *c, const struct request *q,
			   const struct real_tool *t)
{
	bool is_link = !strcmp(q->tool, "lto1");
	char text[256];
	const char *why = obstacle(c, q, t, text, sizeof(text));
	const char *kind = is_link ? BUILD_LINK : BUILD_PROBES;

	if (q->preprocess)
		kind = BUILD_PREPROCESS;
	else if (is_configure(q))
		kind = BUILD_CONFIGURE;
	else if (q->given)
		kind = BUILD_GIVEN;
	else if (why)
		kind = BUILD_PLAIN;
	if (!q->second && !q->no_code)
		cc1_main_note(dir, kind, q, t, !strcmp(kind, BUILD_PLAIN) ? why : "");
	return !strcmp(kind, BUILD_PROBES) || !strcmp(kind, BUILD_LINK);
}

/* ---- becoming the real one ---- */

static void cc1_main_become(const struct real_tool *t, int argc, char **argv, const struct config *c,
			    bool probes)
{
	struct words words = VEC_INIT;
	char option[PATH_MAX + 16];

	vec_push(&words, (char *)(uintptr_t)t->path);
	for (int i = 1; i < argc; i++)
		vec_push(&words, argv[i]);
	if (probes) {
		snprintf(option, sizeof(option), "-fplugin=%s", c->plugin);
		vec_push(&words, option);
		for (size_t i = 0; i < c->args.n; i++)
			vec_push(&words, c->args.at[i]);
	}
	vec_push(&words, NULL);
	execv(t->path, words.at);
	fprintf(stderr, "perseus-cc1: cannot execute '%s': %s\n", t->path, strerror(errno));
}

/* The directory of the link we were called by. */
static void own_links(const char *argv0, char *dir, size_t size)
{
	const char *slash = strrchr(argv0, '/');

	snprintf(dir, size, "%.*s", slash ? (int)(slash - argv0) : 1, slash ? argv0 : ".");
}

int main(int argc, char **argv)
{
	const char *dir = getenv(BUILD_ENV), *tool = fs_base_name(argv[0]);
	struct request q = read_request(tool, argc, argv);
	struct config c = {0};
	struct real_tool t = {0};
	struct err err = ERR_INIT;
	char links[PATH_MAX];
	bool probes = false;

	fs_hold_standard();
	own_links(argv[0], links, sizeof(links));
	driver_clean_path(links);
	if (driver_find(tool, dir, &t, &err)) {
		complain(err.msg);
		return 1;
	}
	if (!dir)
		complain("not below `perseus build`: compiled without probes");
	else if (config_read(&c, dir, &err))
		fprintf(stderr, "perseus-cc1: %s: compiled without probes\n", err.msg);
	else
		probes = !q.help && cc1_main_judge(dir, &c, &q, &t);
	cc1_main_become(&t, argc, argv, &c, probes);
	return 1;
}

/* SPDX-License-Identifier: MIT */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/base/cmd.h"
#include "cmd/build/build-dir.h"
#include "cmd/build/build.h"
#include "lib/fs.h"
#include "lib/inspect/elf.h"
#include "lib/spawn/capture.h"
#include "lib/spawn/part.h"

/* ---- config ---- */

static int is_back_end(const struct dirent *d)
{
	int major = 0, end = 0;

	return sscanf(d->d_name, "perseus-gcc%2d.so%n", &major, &end) == 1 && end && !d->d_name[end];
}

static void add_back_end(struct strbuf *config, const char *folder, const char *name)
{
	char path[PATH_MAX + 256];
	struct elf_facts facts;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	if (!elf_facts(path, &facts, NULL))
		strbuf_printf(config, "back-end %d %s\n", atoi(name + strlen("perseus-gcc")), facts.build_id);
}

/* All back ends beside the plugin, in the order of their names. */
static void add_back_ends(struct strbuf *config, const char *plugin)
{
	char folder[PATH_MAX];
	struct dirent **list;
	int n;

	snprintf(folder, sizeof(folder), "%.*s", (int)(strrchr(plugin, '/') - plugin), plugin);
	n = scandir(folder, &list, is_back_end, alphasort);
	for (int i = 0; i < n; i++) {
		add_back_end(config, folder, list[i]->d_name);
		free(list[i]);
	}
	if (n >= 0)
		free(list);
}

static int write_config(const struct build *b, const struct plugin_args *args, struct err *err)
{
	struct strbuf config = STRBUF_INIT;
	char path[PATH_MAX + 16], plugin[PATH_MAX];
	int ret = part_find("plugin", plugin, sizeof(plugin), err);

	if (ret)
		return ret;
	strbuf_printf(&config, BUILD_MAGIC "\nplugin %s\n", plugin);
	add_back_ends(&config, plugin);
	for (size_t i = 0; i < args->n; i++)
		strbuf_printf(&config, "arg %s\n", args->at[i]);
	snprintf(path, sizeof(path), "%s/" BUILD_CONFIG, b->dir);
	ret = fs_write(path, config.s, config.len, err);
	strbuf_release(&config);
	return ret;
}

/* ---- environment ---- */

/* @name=@first[:@rest] */
static void set_list(struct environment *e, const char *name, const char *first, const char *rest)
{
	bool more = rest && *rest;

	environment_set(e, "%s=%s%s%s", name, first, more ? ":" : "", more ? rest : "");
}

/*
 * A compiler cache must not mix objects with and without probes, nor those of
 * different back ends and arguments: it hashes the config.  The variable hides
 * the same setting in the user's configuration, so that goes behind it.
 */
static void set_ccache(struct build *b)
{
	static const char *const ask[] = {"ccache", "--get-config", "extra_files_to_hash", NULL};
	const char *user = getenv("CCACHE_EXTRAFILES");
	struct strbuf said = STRBUF_INIT;
	char config[PATH_MAX + 16], line[PATH_MAX] = "";

	snprintf(config, sizeof(config), "%s/" BUILD_CONFIG, b->dir);
	if (!user && !capture(ask, NULL, &said))
		capture_first_line(&said, line, sizeof(line));
	set_list(&b->env, "CCACHE_EXTRAFILES", config, user ? user : line);
	if (!getenv("CCACHE_STATSLOG"))
		environment_set(&b->env, "CCACHE_STATSLOG=%s/ccache", b->dir);
	strbuf_release(&said);
}

/* clang takes no plugin of GCC, but writes down what it was asked to do. */
static void set_clang(struct build *b)
{
	if (getenv("CC_PRINT_OPTIONS"))
		return;
	environment_set(&b->env, "CC_PRINT_OPTIONS=1");
	environment_set(&b->env, "CC_PRINT_OPTIONS_FILE=%s/clang", b->dir);
}

static int find_links(struct build *b, struct err *err)
{
	int ret = part_find("perseus-cc1", b->links, sizeof(b->links), err);

	if (ret)
		return ret;
	snprintf(strrchr(b->links, '/'), sizeof("/gcc"), "/gcc");
	if (access(b->links, X_OK))
		return err_set(err, -ENOENT, "'%s' is not part of this installation", b->links);
	if (strchr(b->links, ':'))
		return err_set(err, -ENOTSUP, "perseus lies at '%s', and COMPILER_PATH takes no colon",
			       b->links);
	return 0;
}

static int make_dir(struct build *b, struct err *err)
{
	char path[PATH_MAX];
	int ret = fs_make_temporary(path, "perseus-build", err);

	if (!ret && !realpath(path, b->dir))
		ret = err_set(err, -errno, "'%s': %s", path, strerror(errno));
	return ret;
}

int build_open(struct build *b, const struct plugin_args *args, struct err *err)
{
	int ret;

	*b = (struct build){0};
	ret = find_links(b, err);
	if (!ret)
		ret = make_dir(b, err);
	if (!ret)
		ret = write_config(b, args, err);
	if (ret)
		return ret;
	environment_set(&b->env, BUILD_ENV "=%s", b->dir);
	set_list(&b->env, "COMPILER_PATH", b->links, getenv("COMPILER_PATH"));
	set_ccache(b);
	set_clang(b);
	return 0;
}

void build_close(struct build *b)
{
	fs_remove_all(b->dir);
	environment_release(&b->env);
}

void build_reset(const struct build *b)
{
	static const char *const logs[] = {BUILD_UNITS, "ccache", "clang"};
	char path[PATH_MAX + 16];

	for (size_t i = 0; i < sizeof(logs) / sizeof(logs[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", b->dir, logs[i]);
		unlink(path);
	}
}

/* ---- compilers that look elsewhere first ---- */

static void check_compiler(const struct build *b, const char *name, struct strbuf *notes)
{
	const char *argv[] = {name, "-print-prog-name=cc1", NULL};
	struct strbuf said = STRBUF_INIT;
	char answer[PATH_MAX], path[PATH_MAX + 16];

	if (!capture(argv, (const char *const *)b->env.at, &said)) {
		capture_first_line(&said, answer, sizeof(answer));
		snprintf(path, sizeof(path), "%s/cc1", b->links);
		if (answer[0] == '/' && strcmp(answer, path))
			strbuf_printf(notes,
				      "'%s' takes its own '%s' before any other: no probes by this way\n"
				      "  give it the plugin: CFLAGS=\"$(perseus flags --cc=%s)\"\n",
				      name, answer, name);
	}
	strbuf_release(&said);
}

void build_moved_compilers(const struct build *b, struct strbuf *notes)
{
	static const char *const usual[] = {"gcc", "g++", "cc", "c++"};
	const char *const users[] = {getenv("CC"), getenv("CXX")};
	struct build with = *b;

	/* A list that ends, without touching the caller's. */
	with.env = (struct environment)VEC_INIT;
	for (size_t i = 0; i < b->env.n; i++)
		vec_push(&with.env, b->env.at[i]);
	vec_push(&with.env, NULL);
	for (size_t i = 0; i < 2; i++)
		if (users[i] && *users[i] && !strpbrk(users[i], " \t"))
			check_compiler(&with, users[i], notes);
	for (size_t i = 0; i < 4; i++)
		if (!users[i % 2] || strcmp(users[i % 2], usual[i]))
			check_compiler(&with, usual[i], notes);
	vec_release(&with.env);
}

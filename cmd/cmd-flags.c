/* SPDX-License-Identifier: MIT */
/* perseus flags: compiler flags for builds made by hand.  See perseus-flags(1). */
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "cmd/base/option.h"
#include "cmd/build/plugin-args.h"
#include "cmd/doctor/doctor.h"
#include "lib/inspect/elf.h"
#include "lib/spawn/part.h"
#include "lib/strbuf.h"

struct opts {
	struct plugin_args args;
	const char *compiler;
	int what; /* 'c', 'e', 'l'; 0: not said */
	bool is_static;
};

extern const struct cmd cmd_flags;

/*
 * The plugin by its full path, so that compiler caches hash it; the identity of
 * the back end, which they do not see, because that file has no place on the
 * command line; the plugin's arguments.
 */
static int add_options(const struct opts *o, struct strbuf *out, struct err *err)
{
	char path[PATH_MAX], option[PATH_MAX + 16], id[ELF_BUILD_ID_HEX];
	int ret = part_find("plugin", path, sizeof(path), err);

	if (!ret)
		ret = doctor_back_end(o->compiler, id, sizeof(id), err);
	if (ret)
		return ret;
	snprintf(option, sizeof(option), "-fplugin=%s", path);
	strbuf_word(out, option);
	strbuf_printf(out, " -fplugin-arg-perseus-id=%s", id);
	for (size_t i = 0; i < o->args.n; i++) {
		strbuf_puts(out, " ");
		strbuf_word(out, o->args.at[i]);
	}
	return 0;
}

static int print_cflags(const struct opts *o, struct err *err)
{
	struct strbuf options = STRBUF_INIT;
	int ret = add_options(o, &options, err);

	if (!ret)
		cmd_raw("%s\n", options.s);
	strbuf_release(&options);
	return ret;
}

/* Added to what the user has.  Quoted once more: make hands CFLAGS to a shell. */
static int print_env(const struct opts *o, struct err *err)
{
	static const char *const names[] = {"CFLAGS", "CXXFLAGS"};
	struct strbuf options = STRBUF_INIT, word = STRBUF_INIT;
	int ret = add_options(o, &options, err);

	if (!ret)
		strbuf_word(&word, options.s);
	for (size_t i = 0; !ret && i < 2; i++)
		cmd_raw("export %s=\"${%s--O2 -g} \"%s\n", names[i], names[i], word.s);
	strbuf_release(&options);
	strbuf_release(&word);
	return ret;
}

/* A dynamic program needs nothing; the weak references of a static one must be asked for by name. */
static int print_libs(bool is_static, struct err *err)
{
	struct strbuf word = STRBUF_INIT;
	char path[PATH_MAX], wraps[PATH_MAX + 8] = "-Wl,@";
	int ret;

	if (!is_static) {
		cmd_raw("\n");
		return 0;
	}
	ret = part_find("libperseus-rt.a", path, sizeof(path), err);
	if (!ret)
		ret = part_find("libperseus-rt.wrap", wraps + 5, PATH_MAX, err);
	if (ret)
		return ret;
	strbuf_word(&word, wraps);
	strbuf_puts(&word, " ");
	strbuf_word(&word, path);
	cmd_raw("-Wl,-u,__prs_attach,-u,__prs_detach %s -lpthread\n", word.s);
	strbuf_release(&word);
	return 0;
}

static int take_what(const struct cmd *cmd, const char *name, const char *value, void *to)
{
	struct opts *o = to;

	(void)value;
	if (o->what && o->what != *name)
		return cmd_usage(cmd, "--cflags, --libs and --env exclude one another");
	o->what = *name;
	return 0;
}

static int flags_parse(struct opts *o, int argc, char **argv)
{
	const struct option_row rows[] = {
		PLUGIN_ARGS_ROWS(&o->args),
		OPTION_BARE("cflags", take_what, o),
		OPTION_BARE("libs", take_what, o),
		OPTION_FLAG(0, "static", &o->is_static),
		OPTION_BARE("env", take_what, o),
		OPTION_TEXT(0, "cc", &o->compiler),
		OPTION_END,
	};
	int ret = option_read(&cmd_flags, rows, argc, argv, OPTION_OPERANDS);

	if (ret)
		return ret;
	if (optind < argc)
		return cmd_usage(&cmd_flags, "unexpected argument '%s'", argv[optind]);
	if (o->is_static && o->what != 'l')
		return cmd_usage(&cmd_flags, "--static goes with --libs");
	if (o->what == 'l' && o->args.n)
		return cmd_usage(&cmd_flags, "--libs takes no arguments of the plugin");
	return 0;
}

static int flags_print(const struct opts *o, struct err *err)
{
	switch (o->what) {
	case 'l':
		return print_libs(o->is_static, err);
	case 'e':
		return print_env(o, err);
	default:
		return print_cflags(o, err);
	}
}

static int flags_run(int argc, char **argv)
{
	struct opts o = {.compiler = "gcc"};
	struct err err = ERR_INIT;
	int ret = flags_parse(&o, argc, argv);

	if (!ret && flags_print(&o, &err))
		ret = cmd_fail(&cmd_flags, &err, CMD_MACHINE);
	plugin_args_release(&o.args);
	return ret;
}

const struct cmd cmd_flags = {
	.name = "flags",
	.summary = "compiler flags for builds made by hand",
	.reads = NULL,
	.writes = NULL,
	.usage = "usage: perseus flags [--cflags | --libs [--static] | --env] [--cc COMPILER]\n"
		 "                     [ARGUMENT OF THE PLUGIN...]\n"
		 "\n"
		 "Prints what a measurement build needs:\n"
		 "\n"
		 "    make CFLAGS=\"-O2 -g $(perseus flags)\"\n"
		 "\n"
		 "  --cflags        the plugin by its full path, and the identity of what is behind\n"
		 "                  it, so that ccache sees when one of them changes (the default)\n"
		 "  --libs          what to link: nothing, unless with\n"
		 "  --static        for a static program: the runtime\n"
		 "  --env           lines for eval: CFLAGS and CXXFLAGS with the plugin added\n"
		 "  --cc=COMPILER   the compiler that will be used (default gcc)\n"
		 "\n"
		 "Arguments of the plugin go with the flags:\n" PLUGIN_ARGS_USAGE
		 "\nExit status: 0 printed; 2 usage, also a plan or rules file that cannot be read; 3 the\n"
		 "compiler is no GCC, cannot be run, or has no back end.\n",
	.run = flags_run,
};

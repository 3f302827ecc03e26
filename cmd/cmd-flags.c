/* SPDX-License-Identifier: MIT */
/* perseus flags: compiler flags for builds made by hand.  See perseus-flags(1). */
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/doctor.h"

extern const struct cmd cmd_flags;

/* For sh: safe characters stay as they are, the rest goes into single quotes. */
static void print_word(const char *s)
{
	static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=+,:@%";

	if (!s[strspn(s, safe)]) {
		fputs(s, stdout);
		return;
	}
	putchar('\'');
	for (; *s; s++)
		fputs(*s == '\'' ? "'\\''" : (char[]){*s, '\0'}, stdout);
	putchar('\'');
}

static int print_cflags(const char *compiler, struct err *err)
{
	char option[PATH_MAX + 16];
	int ret = doctor_plugin_option(compiler, option, sizeof(option), NULL, err);

	if (ret)
		return ret;
	print_word(option);
	putchar('\n');
	return 0;
}

/* Added to what the user has; a path with blanks would not survive in CFLAGS anyway. */
static int print_env(const char *compiler, struct err *err)
{
	char option[PATH_MAX + 16];
	int ret = doctor_plugin_option(compiler, option, sizeof(option), NULL, err);

	if (ret)
		return ret;
	printf("export CFLAGS=\"${CFLAGS--O2 -g} \"");
	print_word(option);
	printf("\nexport CXXFLAGS=\"${CXXFLAGS--O2 -g} \"");
	print_word(option);
	putchar('\n');
	return 0;
}

/* A dynamic program needs nothing; the weak references of a static one must be asked for by name. */
static int print_libs(bool is_static, struct err *err)
{
	char path[PATH_MAX];
	int ret;

	if (!is_static) {
		putchar('\n');
		return 0;
	}
	ret = cmd_part("libperseus-rt.a", path, sizeof(path), err);
	if (ret)
		return ret;
	printf("-Wl,-u,__prs_attach,-u,__prs_detach ");
	print_word(path);
	printf(" -lpthread\n");
	return 0;
}

static int run(int argc, char **argv)
{
	static const struct option longs[] = {
		{"cflags", no_argument, NULL, 'c'},   {"libs", no_argument, NULL, 'l'},
		{"static", no_argument, NULL, 's'},   {"env", no_argument, NULL, 'e'},
		{"cc", required_argument, NULL, 'C'}, {NULL, 0, NULL, 0},
	};
	const char *compiler = "gcc";
	struct err err = ERR_INIT;
	bool is_static = false;
	int c, what = 0, ret;

	opterr = 0;
	optind = 1;
	while ((c = getopt_long(argc, argv, ":", longs, NULL)) != -1) {
		if (c == 'C')
			compiler = optarg;
		else if (c == 's')
			is_static = true;
		else if (strchr(":?", c))
			return cmd_bad_option(&cmd_flags, c, argv);
		else if (what && what != c)
			return cmd_usage(&cmd_flags, "--cflags, --libs and --env exclude one another");
		else
			what = c;
	}
	if (optind < argc)
		return cmd_usage(&cmd_flags, "unexpected argument '%s'", argv[optind]);
	if (is_static && what != 'l')
		return cmd_usage(&cmd_flags, "--static goes with --libs");
	if (what == 'l')
		ret = print_libs(is_static, &err);
	else
		ret = what == 'e' ? print_env(compiler, &err) : print_cflags(compiler, &err);
	return ret ? cmd_fail(&cmd_flags, &err, CMD_MACHINE) : CMD_OK;
}

const struct cmd cmd_flags = {
	.name = "flags",
	.summary = "compiler flags for builds made by hand",
	.reads = NULL,
	.writes = NULL,
	.usage = "usage: perseus flags [--cflags | --libs [--static] | --env] [--cc COMPILER]\n"
		 "\n"
		 "Prints what a measurement build needs:\n"
		 "\n"
		 "    make CFLAGS=\"-O2 -g $(perseus flags)\"\n"
		 "\n"
		 "  --cflags        the plugin, by its short name if the compiler finds that, else by\n"
		 "                  its full path (the default)\n"
		 "  --libs          what to link: nothing, unless with\n"
		 "  --static        for a static program: the runtime\n"
		 "  --env           lines for eval: CFLAGS and CXXFLAGS with the plugin added\n"
		 "  --cc=COMPILER   the compiler to ask (default gcc)\n",
	.run = run,
};

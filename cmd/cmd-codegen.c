/* SPDX-License-Identifier: MIT */
/* perseus codegen: plan in, reviewable C out.  See perseus-codegen(1). */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"
#include "codegen/codegen.h"
#include "lib/fs.h"

#define PLAN_BYTES ((size_t)64 << 20)

const struct cmd cmd_codegen;

struct opts {
	const char *plan;
	const char *dir;
};

static int parse(struct opts *o, int argc, char **argv)
{
	static const struct option options[] = {{"output", required_argument, NULL, 'o'},
						{"backend", required_argument, NULL, 'b'},
						{NULL, 0, NULL, 0}};
	int c;

	*o = (struct opts){0};
	opterr = 0;
	while ((c = getopt_long(argc, argv, ":o:", options, NULL)) != -1) {
		if (c == 'o')
			o->dir = optarg;
		else if (c == 'b' && !strcmp(optarg, "linux"))
			continue;
		else if (c == 'b')
			return cmd_usage(&cmd_codegen, "unknown backend '%s', known: linux", optarg);
		else
			return cmd_bad_option(&cmd_codegen, c, argv);
	}
	if (argc - optind != 1)
		return cmd_usage(&cmd_codegen, "expected one plan, got %d", argc - optind);
	if (!o->dir)
		return cmd_usage(&cmd_codegen, "-o DIR is missing: where the generated files go");
	o->plan = argv[optind];
	return 0;
}

static int load(struct plan *plan, struct codegen_input *in, const char *path, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	const char *slash = strrchr(path, '/');
	int ret = fs_read(path, PLAN_BYTES, &text, err);

	if (!ret)
		ret = plan_parse(plan, text.s, text.len, path, err);
	if (!ret) {
		in->plan = plan;
		in->plan_name = slash ? slash + 1 : path;
		sha256_of(text.s, text.len, in->sha256);
	}
	strbuf_release(&text);
	return ret;
}

static void print_sets(const struct plan *plan)
{
	size_t starts = plan_thread_starts(plan), calls = plan_call_triggers(plan);

	printf("sets      %zu thread start%s, %zu call trigger%s\n", starts, starts == 1 ? "" : "s", calls,
	       calls == 1 ? "" : "s");
}

static void print_next(const struct opts *o, const struct codegen_input *in, const struct codegen_output *out)
{
	char plugin[4096];

	if (cmd_part("plugin", plugin, sizeof(plugin), NULL))
		strcpy(plugin, "perseus.so");
	print_sets(in->plan);
	printf("threads   %zu instance%s, %zu creating site%s\n", out->n_threads,
	       out->n_threads == 1 ? "" : "s", out->n_creates, out->n_creates == 1 ? "" : "s");
	printf("plan      %s, sha256 %s\n", in->plan_name, in->sha256);
	printf("wrote     ");
	for (int i = 0; i < CODEGEN_FILES; i++)
		printf("%s%s", i == 0 ? "" : i % 3 ? ", " : "\n          ", codegen_file_name(i));
	printf(" in %s\n", o->dir);
	printf("next      gcc -std=c11 -O2 -c -o %1$s/perseus_triggers.o %1$s/perseus_triggers.c\n"
	       "          gcc -std=c11 -O2 -c -o %1$s/perseus_platform_linux.o "
	       "%1$s/perseus_platform_linux.c\n"
	       "          rebuild the program with CFLAGS (CXXFLAGS, and at the link with -flto)\n"
	       "            -fplugin=%2$s\n"
	       "            -fplugin-arg-perseus-plan=%1$s/perseus_triggers.plan\n"
	       "            -fplugin-arg-perseus-plan-hash=%3$s\n"
	       "          and link it with %1$s/perseus_triggers.o %1$s/perseus_platform_linux.o\n"
	       "          a static program: compile the platform file with -DPERSEUS_STATIC, link with\n"
	       "            -Wl,--wrap=pthread_create\n"
	       "          perseus verify %4$s PROGRAM\n",
	       o->dir, plugin, in->sha256, o->plan);
}

static int run(int argc, char **argv)
{
	struct err err = ERR_INIT;
	struct plan plan = {0};
	struct codegen_input in = {0};
	struct codegen_output out = {0};
	struct opts o;
	int status = parse(&o, argc, argv);

	if (status)
		return status;
	if (load(&plan, &in, o.plan, &err))
		return cmd_fail(&cmd_codegen, &err, cmd_status(&err));
	if (codegen_make(&out, &in, &err)) {
		err_prefix(&err, "%s", o.plan);
		status = cmd_fail(&cmd_codegen, &err, CMD_DATA);
	} else if (codegen_write(&out, o.dir, &err)) {
		status = cmd_fail(&cmd_codegen, &err, cmd_write_status(&err));
	} else {
		print_next(&o, &in, &out);
	}
	codegen_release(&out);
	plan_release(&plan);
	return status;
}

const struct cmd cmd_codegen = {
	.name = "codegen",
	.summary = "write the triggers of a plan as C that can be reviewed",
	.reads = "plan.yaml",
	.writes = "perseus_triggers.c",
	.usage = "usage: perseus codegen PLAN -o DIR [--backend=linux]\n\n"
		 "Writes the triggers of PLAN into DIR: perseus_triggers.c and .h, the platform\n"
		 "files perseus_platform_linux.c and .h, perseus_triggers.plan for the plugin, and\n"
		 "perseus_matrix.csv, which ties every item of the plan to its generated line.\n"
		 "Prints the commands that build the planned program.\n\n"
		 "  -o, --output=DIR     where the files go; existing ones are replaced on success\n"
		 "      --backend=linux  the platform file to write (linux is the only one)\n\n"
		 "exit codes: 0 done, 2 usage, 3 cannot write there, 4 the plan is wrong\n",
	.run = run,
};

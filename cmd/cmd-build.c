/* SPDX-License-Identifier: MIT */
/* perseus build: run a build with the plugin in every GCC compilation below it.  See perseus-build(1). */
#include <getopt.h>
#include <stdbool.h>
#include <string.h>

#include "cmd/base/option.h"
#include "cmd/build/build.h"
#include "lib/spawn/child.h"

struct opts {
	struct plugin_args args;
	struct build_check check;
	bool checked, in_place;
};

extern const struct cmd cmd_build;

static int build_parse(struct opts *o, int argc, char **argv)
{
	const struct option_row rows[] = {
		PLUGIN_ARGS_ROWS(&o->args),
		OPTION_FLAG(0, "check-transparency", &o->checked),
		OPTION_FLAG(0, "keep", &o->check.keep),
		OPTION_FLAG(0, "in-place", &o->in_place),
		OPTION_TEXT(0, "clean", &o->check.clean),
		OPTION_LIST(0, "ignore", &o->check.ignore),
		OPTION_END,
	};
	int ret = option_read(&cmd_build, rows, argc, argv, OPTION_PROGRAM);

	if (ret)
		return ret;
	o->check.command = argv + optind;
	if (!argv[optind])
		return cmd_usage(&cmd_build, "no command given");
	if (!o->checked && (o->check.keep || o->in_place || o->check.clean || o->check.ignore.n))
		return cmd_usage(&cmd_build,
				 "--keep, --in-place, --clean and --ignore go with --check-transparency");
	if (o->in_place != !!o->check.clean)
		return cmd_usage(&cmd_build, "--in-place and --clean=CMD go together");
	return 0;
}

/* What the plugin has for units by @args: the last of the kinds of probes counts; with a plan or guard there are none by default. */
static const char *put_in(const struct plugin_args *args)
{
	static const char plan[] = "-fplugin-arg-perseus-plan=", guard[] = "-fplugin-arg-perseus-guard=",
			  probe[] = "-fplugin-arg-perseus-probe=";
	const char *kinds = NULL;
	bool planned = false, guarded = false, probed;

	for (size_t i = 0; i < args->n; i++) {
		planned |= !strncmp(args->at[i], plan, sizeof(plan) - 1);
		guarded |= !strncmp(args->at[i], guard, sizeof(guard) - 1);
		if (!strncmp(args->at[i], probe, sizeof(probe) - 1))
			kinds = args->at[i] + sizeof(probe) - 1;
	}
	probed = kinds && strcmp(kinds, "none");
	if (planned)
		return probed ? "the plan and probes" : "the plan";
	if (guarded)
		return probed ? "the guard and probes" : "the guard";
	return "probes";
}

static void say(const struct build *b, const struct plugin_args *args, int status)
{
	struct strbuf text = STRBUF_INIT;
	struct build_count count;

	build_count_read(&count, b);
	count.with = put_in(args);
	build_count_say(&count, status, &text);
	cmd_say(stderr, "perseus build: %s", text.s);
	build_count_release(&count);
	strbuf_release(&text);
}

static void warn_of_moved(const struct build *b)
{
	struct strbuf notes = STRBUF_INIT;

	build_moved_compilers(b, &notes);
	if (notes.len)
		cmd_say(stderr, "perseus build: %s", notes.s);
	strbuf_release(&notes);
}

/* Run the command; its exit status is ours. */
static int build(struct build *b, const struct opts *o)
{
	char *const *command = o->check.command;
	struct child_spec spec = {command[0], command, NULL, -1, -1, -1, 0, {0}, false};
	struct child_result result;
	struct err err = ERR_INIT;

	vec_push(&b->env, NULL);
	spec.environment = b->env.at;
	fflush(NULL);
	if (child_run(&spec, &result, &err))
		return cmd_fail(&cmd_build, &err, CMD_OWN_FAILURE);
	say(b, &o->args, result.status);
	return child_exit_status(result.status);
}

static int build_run(int argc, char **argv)
{
	struct opts o = {0};
	struct err err = ERR_INIT;
	struct build b = {0};
	int ret = build_parse(&o, argc, argv);

	if (ret)
		goto done;
	if (build_open(&b, &o.args, &err)) {
		ret = cmd_fail(&cmd_build, &err, o.checked ? CMD_MACHINE : CMD_OWN_FAILURE);
		goto done;
	}
	warn_of_moved(&b);
	if (!o.checked) {
		ret = build(&b, &o);
		goto done;
	}
	o.check.build = &b;
	ret = build_check_run(&o.check, &err);
	if (err.code)
		cmd_fail(&cmd_build, &err, ret);
done:
	build_close(&b);
	plugin_args_release(&o.args);
	vec_release(&o.check.ignore);
	return ret;
}

const struct cmd cmd_build = {
	.name = "build",
	.summary = "run a build with the plugin in every GCC compilation",
	.reads = "sources",
	.writes = "program",
	.usage = "usage: perseus build [OPTION...] [--] COMMAND [ARGUMENT...]\n"
		 "       perseus build --check-transparency [OPTION...] [--] COMMAND [ARGUMENT...]\n\n"
		 "Runs COMMAND, a build, with the plugin in every compilation by GCC below it,\n"
		 "whatever its flags and the path of the compiler, and says how many there "
		 "were.\n\n" PLUGIN_ARGS_USAGE "\n"
		 "  --check-transparency  COMMAND builds and tests: run it in copies of this\n"
		 "                  directory, plain twice and with probes live twice, and compare\n"
		 "                  exit status and output\n"
		 "  --in-place --clean=CMD  in this directory, after the shell command CMD\n"
		 "  --ignore=REGEX  lines that match do not count\n"
		 "  --keep          keep the copies even if all is equal\n\n"
		 "Exits with the status of COMMAND, 128 + N if signal N ended it, and 125 if it\n"
		 "could not be run.  --check-transparency: 0 equal, 1 different, 3 it could not be\n"
		 "tried, 5 the plain COMMAND does not repeat itself, or nothing was recorded.\n",
	.run = build_run,
	.executes = true,
};

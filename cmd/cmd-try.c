/* SPDX-License-Identifier: MIT */
/* perseus try: a plan in a probed program, without a rebuild.  See perseus-try(1). */
#include <errno.h>
#include <getopt.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/base/option.h"
#include "cmd/try/try.h"
#include "codegen/codegen.h"
#include "lib/fs.h"
#include "lib/spawn/target.h"
#include "perseus/ctl.h"
#include "recorder/preload.h"

extern const struct cmd cmd_try;

struct try_opts {
	const char *plan, *out, *cc, *keep, *socket;
	enum codegen_frequency frequency;
	bool quiet;
	char **program;
};

static int try_parse(struct try_opts *o, int argc, char **argv)
{
	const struct option_row rows[] = {
		OPTION_TEXT(0, "status", &o->out),
		OPTION_TEXT(0, "keep-plans", &o->keep),
		OPTION_WORD("frequency", codegen_frequencies, &o->frequency),
		OPTION_TEXT(0, "cc", &o->cc),
		OPTION_TEXT(0, "socket", &o->socket),
		OPTION_FLAG('q', "quiet", &o->quiet),
		OPTION_END,
	};
	int status;

	*o = (struct try_opts){0};
	status = option_read(&cmd_try, rows, argc, argv, OPTION_PROGRAM);
	if (status)
		return status;
	o->plan = argv[optind];
	o->program = argv + optind + (o->plan != NULL);
	if (*o->program && !strcmp(*o->program, "--"))
		o->program++;
	return *o->program ? 0
			   : cmd_usage(&cmd_try,
				       o->plan ? "which program?  perseus try %s -- ./prog" : "no plan given",
				       o->plan);
}

static int run_child(const struct try_opts *o, const struct target *t, const struct trial_watch *w,
		     struct child_result *r, struct err *err)
{
	struct child_spec spec = {.path = t->path, .argv = o->program, .in = -1, .out = -1, .error = -1};
	struct environment e = VEC_INIT;
	int ret;

	trial_watch_environment(w, &e);
	preload_list(&e, "LD_PRELOAD", w->libraries, true);
	if (t->elf.needs_asan)
		preload_list(&e, "ASAN_OPTIONS", "verify_asan_link_order=0", false);
	vec_push(&e, NULL);
	spec.environment = e.at;
	fflush(NULL);
	ret = child_run(&spec, r, err);
	environment_release(&e);
	return ret;
}

static int try_tell(const struct try_opts *o, const struct try_told *told, struct err *err)
{
	struct strbuf out = STRBUF_INIT;
	int ret = 0;

	if (!o->quiet) {
		try_text(told, &out);
		cmd_put(stderr, out.s);
	}
	out.len = 0;
	if (o->out) {
		try_json(told, &out);
		ret = fs_write(o->out, out.s, out.len, err);
	}
	strbuf_release(&out);
	return ret;
}

/* What stands in the plan and can never act. */
static void try_notes(const struct try_opts *o, const struct trial_made *made)
{
	if (!o->quiet && made->notes.len)
		cmd_say(stderr, "perseus try: %s", made->notes.s);
}

/* Can --status be written?  Asked before the program runs, since what it did is lost else. */
static int try_writable(const struct try_opts *o, struct err *err)
{
	struct fs_file f;
	struct stat st;
	int ret;

	/* A pipe's reader would take this for the end. */
	if (!o->out || !strcmp(o->out, "-") ||
	    (!stat(o->out, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)))
		return 0;
	ret = fs_begin(&f, o->out, err);
	return ret ? ret : fs_end(&f, false, err);
}

static int try_run(int argc, char **argv)
{
	struct trial_watch watch = {.status = ""};
	struct trial_request request;
	struct err err = ERR_INIT;
	struct trial_made made;
	struct target target;
	struct try_told told;
	struct try_opts o;
	int ret = try_parse(&o, argc, argv);

	if (ret)
		return ret;
	ret = try_writable(&o, &err);
	if (!ret)
		ret = target_find(&target, o.program[0], &err);
	if (!ret)
		ret = trial_possible(&target, &err);
	if (ret)
		return cmd_fail(&cmd_try, &err, CMD_OWN_FAILURE);
	request = (struct trial_request){o.plan, target.real, o.cc, o.keep, o.frequency, o.socket};
	told = (struct try_told){.plan = o.plan, .program = o.program[0], .made = &made};
	ret = trial_make(&made, &request, &err);
	if (!ret)
		ret = trial_watch_open(&watch, made.library, &target, &err);
	if (!ret) {
		try_notes(&o, &made);
		ret = run_child(&o, &target, &watch, &told.child, &err);
	}
	if (!ret) {
		told.status = *watch.page;
		try_given_back(o.socket, &told.status);
		ret = try_tell(&o, &told, &err);
	}
	trial_watch_close(&watch);
	trial_made_release(&made);
	return ret ? cmd_fail(&cmd_try, &err, CMD_OWN_FAILURE) : child_exit_status(told.child.status);
}

const struct cmd cmd_try = {
	.name = "try",
	.summary = "run a probed program as a plan says, without a rebuild",
	.reads = "plan.yaml, a program with probes",
	.writes = "text",
	.usage = "usage: perseus try [--frequency=WAY] [--cc=COMPILER] [--keep-plans=DIR] [--socket=PATH]\n"
		 "         [--status=FILE] [-q] PLAN [--] PROGRAM [ARGUMENT...]\n\n"
		 "Runs PROGRAM, built with -fplugin=perseus.so, with the placements and frequency steps of\n"
		 "PLAN: the generated code of `perseus codegen` is loaded into it, and the probes call it\n"
		 "where the plugin would have put the calls. It is a trial and not for flight.\n\n"
		 "  --frequency=WAY    who makes frequency steps: perseusd (default), device, cpufreq\n"
		 "  --cc=COMPILER      compiles the generated code (default gcc)\n"
		 "  --keep-plans=DIR   keep what was compiled in DIR, and use it again\n"
		 "  --socket=PATH      of perseusd, default " PRS_CTL_SOCKET "\n"
		 "  --status=FILE      what the plan did as JSON, schema 1; - is standard output\n"
		 "  -q, --quiet        say nothing of it\n\n"
		 "What the plan did goes to stderr.\n"
		 "Exit status: the program's, 128 + N if signal N ended it; 125 the plan cannot be tried:\n"
		 "it is wrong, of another program, or has what cannot be tried; 2 usage.\n",
	.run = try_run,
	.executes = true,
};

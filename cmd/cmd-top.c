/* SPDX-License-Identifier: MIT */
/* perseus top: threads of a run while it goes on.  See perseus-top(1). */
#include <errno.h>
#include <getopt.h>
#include <string.h>
#include <unistd.h>

#include "cmd/base/option.h"
#include "cmd/top/loop.h"
#include "lib/num.h"

#define PID_LIMIT 4194304

extern const struct cmd cmd_top;

static int take_sort(const struct cmd *cmd, const char *name, const char *value, void *to)
{
	enum top_column *sort = to;

	for (enum top_column c = 0; top_column_word(c); c++)
		if (!strcmp(value, top_column_word(c))) {
			*sort = c;
			return 0;
		}
	return cmd_usage(cmd,
			 "--%s takes tid, thread, state, core, cpu, ready, wait, calls, lines, migrations or "
			 "for, not '%s'",
			 name, value);
}

static int take_pid(const struct cmd *cmd, const char *name, const char *value, void *to)
{
	if (!num_u64(value, 1, PID_LIMIT, to))
		return 0;
	return cmd_usage(cmd, "--%s takes the number of a process, not '%s'", name, value);
}

static int top_parse(struct top_options *o, int argc, char **argv)
{
	const struct option_row rows[] = {
		OPTION_CALL_LETTER('p', "pid", take_pid, &o->pid),
		OPTION_REAL("interval", &o->interval, 0.1, 3600, "seconds"),
		OPTION_COUNT("count", &o->count, 1, 1000000000, NULL),
		OPTION_CALL("sort", take_sort, &o->sort),
		OPTION_TEXT(0, "filter", &o->filter),
		OPTION_TEXT(0, "purpose", &o->purpose),
		OPTION_FLAG(0, "json", &o->json),
		OPTION_END,
	};
	bool program = false;
	int ret;

	*o = (struct top_options){.interval = 1, .sort = TOP_RUNNING, .purpose = "timing"};
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--")) {
			program = true;
			o->program = argv + i + 1;
			argc = i;
			argv[i] = NULL;
		}
	ret = option_read(&cmd_top, rows, argc, argv, OPTION_OPERANDS);
	if (ret)
		return ret;
	if (argc - optind > 1)
		return cmd_usage(&cmd_top, "one run is looked at, not %d", argc - optind);
	o->run = optind < argc ? argv[optind] : NULL;
	if (program && !o->program[0])
		return cmd_usage(&cmd_top, "no program behind --");
	if ((o->run != NULL) + (o->pid != 0) + program > 1)
		return cmd_usage(&cmd_top, "a run, --pid, or a program behind --: one of them");
	if (strcmp(o->purpose, "timing") && strcmp(o->purpose, "sharing"))
		return cmd_usage(&cmd_top, "--purpose is timing or sharing here, not '%s'", o->purpose);
	return 0;
}

/* ---- the verb ----------------------------------------------------------------------- */

static int find_source(struct top_loop *t, struct err *err)
{
	const struct top_start how = {.verb = "top", .purpose = t->o->purpose};

	if (t->o->program)
		return top_source_start(&t->source, t->o->program, &how, err);
	if (t->o->pid)
		return top_source_process(&t->source, (unsigned)t->o->pid, "top", err);
	return top_source_run(&t->source, t->o->run ? t->o->run : "@last", err);
}

/* How it ended, on stderr, as the table goes to stdout. */
static int close_up(struct top_loop *t)
{
	bool going = top_source_goes_on(&t->source), over = t->begun && !t->live.threads.n;
	struct strbuf end = STRBUF_INIT;
	struct err err = ERR_INIT;

	if (!t->o->program)
		return CMD_OK;
	if (!going && !t->begun && access(t->source.dir, F_OK)) {
		top_source_failed(&t->source, &err);
		return cmd_fail(&cmd_top, &err, cmd_status(&err));
	}
	if (!going)
		top_source_end(&t->source, &end);
	cmd_say(stderr, "%s: %s%s; output in %s\n", t->source.dir,
		going && over ? "the program has ended, its record is being made"
		: going       ? "the program goes on and is recorded"
			      : "the program has ended",
		end.s ? end.s : "", t->source.output);
	if (!going && !t->shown && !t->screen)
		cmd_say(stderr,
			"  it ended before two looks, which a table needs: a shorter --interval, or\n"
			"  `perseus top %s`, which plays its record\n",
			t->source.dir);
	strbuf_release(&end);
	if (top_source_signal(&t->source))
		return top_source_signal(&t->source);
	return going || t->begun ? CMD_OK : CMD_DATA;
}

static int top_run(int argc, char **argv)
{
	struct top_options o;
	struct top_loop t = {.o = &o};
	struct err err = ERR_INIT;
	int ret = top_parse(&o, argc, argv);

	if (ret)
		return ret;
	ret = find_source(&t, &err);
	if (!ret)
		ret = top_loop_run(&t, &err);
	ret = ret ? cmd_fail(&cmd_top, &err, cmd_status(&err)) : close_up(&t);
	top_loop_release(&t);
	return ret;
}

const struct cmd cmd_top = {
	.name = "top",
	.summary = "threads of a running program: cores, waits, cache lines",
	.reads = "a run that goes on",
	.usage = "usage: perseus top [-p PID] [--interval=SECONDS] [--count=N] [--sort=KEY]\n"
		 "                   [--filter=TEXT] [--json] [RUN]\n"
		 "       perseus top [--purpose=timing|sharing] [...] -- PROGRAM [ARG...]\n"
		 "\n"
		 "Shows the threads of a recorded program while it runs; RUN is @last if none is given.  A "
		 "run\n"
		 "that is over is played again from its record.\n"
		 "\n"
		 "  -p, --pid=PID           the run that this process is recorded into\n"
		 "      --interval=SECONDS  between looks (1)\n"
		 "      --count=N           so many tables, then leave\n"
		 "      --sort=KEY          tid, thread, state, core, cpu (default), ready, wait, calls,\n"
		 "                          lines, migrations or for\n"
		 "      --filter=TEXT       only threads with this in their names\n"
		 "      --purpose=PURPOSE   what a program behind -- is recorded for (timing)\n"
		 "      --json              a JSON document a look\n"
		 "\n"
		 "On a terminal h shows the keys; piped, a table a look.\n"
		 "Exit status: 0 done, 2 usage, 3 the process may not be looked at, 4 no such run or\n"
		 "process, or no record of it, 128 + N if signal N ended the program behind --.\n",
	.run = top_run,
};

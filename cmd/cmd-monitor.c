/* SPDX-License-Identifier: MIT */
/* perseus monitor: counts over time, advice, and what is done about it.  See perseus-monitor(1). */
#include <errno.h>
#include <getopt.h>
#include <string.h>
#include <unistd.h>

#include "cmd/base/option.h"
#include "cmd/monitor/monitor.h"
#include "lib/fs.h"
#include "lib/num.h"

#define PID_LIMIT 4194304
#define RULES_MAX (1u << 20)

extern const struct cmd cmd_monitor;

static int take_pid(const struct cmd *cmd, const char *name, const char *value, void *to)
{
	if (!num_u64(value, 1, PID_LIMIT, to))
		return 0;
	return cmd_usage(cmd, "--%s takes the number of a process, not '%s'", name, value);
}

static int take_from(const struct cmd *cmd, const char *name, const char *value, void *to)
{
	static const char *const words[] = {"both", "counters", "directory"};

	for (size_t i = 0; i < 3; i++)
		if (!strcmp(value, words[i])) {
			*(enum monitor_from *)to = (enum monitor_from)i;
			return 0;
		}
	return cmd_usage(cmd, "--%s takes counters, directory or both, not '%s'", name, value);
}

static int monitor_check(const struct monitor_options *o, int operands)
{
	bool program = o->program != NULL;

	if (operands > 1)
		return cmd_usage(&cmd_monitor, "one run is looked at, not %d", operands);
	if (program && !o->program[0])
		return cmd_usage(&cmd_monitor, "no program behind --");
	if ((o->run != NULL) + (o->pid != 0) + program + (o->replay != NULL) > 1)
		return cmd_usage(&cmd_monitor, "a run, --pid, --replay, or a program behind --: one of them");
	if (o->run && o->from == FROM_COUNTERS)
		return cmd_usage(&cmd_monitor, "a run has no counters: --pid, or a program behind --");
	if (o->act && (!program || !o->cpus))
		return cmd_usage(
			&cmd_monitor,
			"--act needs --cpus=LIST and a program behind --: cores are reserved for what is "
			"started on them");
	if (!o->act && (o->cpus || o->workers || o->audit || o->socket))
		return cmd_usage(&cmd_monitor, "--cpus, --workers, --audit and --socket belong to --act");
	return 0;
}

static int monitor_parse(struct monitor_options *o, int argc, char **argv)
{
	const char *workers = NULL;
	const struct option_row rows[] = {
		OPTION_CALL_LETTER('p', "pid", take_pid, &o->pid),
		OPTION_REAL("interval", &o->interval, 0.01, 3600, "seconds"),
		OPTION_COUNT("count", &o->count, 1, 1000000000, NULL),
		OPTION_CALL("from", take_from, &o->from),
		OPTION_TEXT(0, "families", &o->families),
		OPTION_TEXT(0, "events-file", &o->events),
		OPTION_FLAG(0, "list", &o->list),
		OPTION_TEXT(0, "rules-file", &o->rules),
		OPTION_TEXT(0, "save", &o->save),
		OPTION_TEXT(0, "replay", &o->replay),
		OPTION_FLAG(0, "json", &o->json),
		OPTION_FLAG(0, "act", &o->act),
		OPTION_TEXT(0, "cpus", &o->cpus),
		OPTION_TEXT(0, "workers", &workers),
		OPTION_TEXT(0, "audit", &o->audit),
		OPTION_TEXT(0, "socket", &o->socket),
		OPTION_END,
	};
	int ret;

	*o = (struct monitor_options){.interval = 1};
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--")) {
			o->program = argv + i + 1;
			argc = i;
			argv[i] = NULL;
		}
	ret = option_read(&cmd_monitor, rows, argc, argv, OPTION_OPERANDS);
	if (ret)
		return ret;
	o->workers = workers;
	o->run = optind < argc ? argv[optind] : NULL;
	return monitor_check(o, argc - optind);
}

/* ---- the verb ----------------------------------------------------------------------------- */

struct monitor {
	struct monitor_options o;
	struct rules rules;
	struct monitor_lease lease;
	struct monitor_source source;
	struct judge judge;
	struct window window;
	struct counts_look look;
	struct rates rates;
	uint64_t windows;
};

static int load_rules(struct monitor *m, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int ret;

	if (!m->o.rules)
		return rules_builtin(&m->rules, err);
	ret = fs_read(m->o.rules, RULES_MAX, &text, err);
	if (!ret)
		ret = rules_read(&m->rules, m->o.rules, text.s ? text.s : "", text.len, err);
	strbuf_release(&text);
	return ret;
}

static void monitor_window(struct monitor *m)
{
	struct monitor_view view = {&m->o, &m->source, &m->judge, &m->rates,
				    m->o.act ? &m->lease.said : NULL};

	window_end(&m->window, &m->rates);
	judge_window(&m->judge, &m->rates);
	if (m->o.act)
		act_window(&m->lease.act, &m->judge, &m->rates);
	monitor_print_window(&view);
	m->windows++;
	strbuf_release(&m->lease.said);
}

static int monitor_loop(struct monitor *m, struct err *err)
{
	bool window;
	int ret;

	while ((ret = monitor_source_look(&m->source, &m->look, &window, err)) > 0) {
		window_add(&m->window, &m->look);
		if (window && m->look.threads.n)
			monitor_window(m);
		if (m->o.count && m->windows >= m->o.count)
			break;
	}
	return ret < 0 ? ret : 0;
}

/* Of a program that was started: how it stands, on stderr, as tables go to stdout. */
static int monitor_close_up(struct monitor *m)
{
	struct monitor_view view = {&m->o, &m->source, &m->judge, &m->rates, NULL};
	bool going = top_source_goes_on(&m->source.program);
	struct strbuf end = STRBUF_INIT;
	struct err err = ERR_INIT;

	if (!m->o.program)
		return CMD_OK;
	if (monitor_source_totals(&m->source, &m->look))
		monitor_print_totals(&view, &m->look);
	if (!going && !m->source.begun && m->source.recorded && access(m->source.program.dir, F_OK)) {
		top_source_failed(&m->source.program, &err);
		return cmd_fail(&cmd_monitor, &err, cmd_status(&err));
	}
	if (!going)
		top_source_end(&m->source.program, &end);
	cmd_say(stderr, "%s: %s%s; output in %s\n",
		m->source.recorded ? m->source.program.dir : m->o.program[0],
		going ? "the program goes on" : "the program has ended", end.s ? end.s : "",
		m->source.program.output);
	strbuf_release(&end);
	if (top_source_signal(&m->source.program))
		return top_source_signal(&m->source.program);
	return going || m->source.begun ? CMD_OK : CMD_DATA;
}

static int monitor_go(struct monitor *m, struct err *err)
{
	struct monitor_view view = {&m->o, &m->source, &m->judge, &m->rates, NULL};

	judge_init(&m->judge, &m->rules, &m->source.events);
	window_init(&m->window, &m->source.events);
	monitor_print_head(&view);
	monitor_source_signals();
	return monitor_loop(m, err);
}

static void monitor_release(struct monitor *m)
{
	window_release(&m->window);
	rates_release(&m->rates);
	counts_look_release(&m->look);
	judge_release(&m->judge);
	rules_release(&m->rules);
}

/* Look, or list; an exit status. */
static int monitor_watch(struct monitor *m)
{
	struct err err = ERR_INIT;
	int ret = monitor_source_open(&m->source, &m->o, &err);

	if (!ret && m->o.list)
		monitor_print_list(&m->source, m->o.json);
	else if (!ret)
		ret = monitor_go(m, &err);
	if (!ret)
		ret = monitor_source_kept(&m->source, &err);
	if (m->o.act) /* before the program is waited for: it gets its cores back */
		monitor_lease_close(&m->lease);
	if (ret)
		ret = cmd_fail(&cmd_monitor, &err,
			       m->source.unwritable ? cmd_write_status(&err) : cmd_status(&err));
	else if (!m->o.list)
		ret = monitor_close_up(m);
	monitor_source_close(&m->source);
	return ret;
}

static int monitor_run(int argc, char **argv)
{
	struct monitor m = {.windows = 0};
	struct err err = ERR_INIT;
	int ret = monitor_parse(&m.o, argc, argv);

	if (ret)
		return ret;
	ret = load_rules(&m, &err);
	if (ret) {
		ret = cmd_fail(&cmd_monitor, &err, cmd_status(&err));
	} else if (m.o.act && (ret = monitor_lease_open(&m.lease, &m.o, &m.rules, &err))) {
		monitor_lease_close(&m.lease);
		ret = cmd_fail(&cmd_monitor, &err, ret == -EINVAL ? CMD_USAGE : CMD_MACHINE);
	} else {
		ret = monitor_watch(&m);
	}
	monitor_release(&m);
	return ret;
}

const struct cmd cmd_monitor = {
	.name = "monitor",
	.summary = "lines, stalls, energy over time; advice and action",
	.reads = "a program that runs",
	.writes = "counts",
	.usage =
		"usage: perseus monitor [-p PID] [OPTION...] [RUN]\n"
		"       perseus monitor [OPTION...] -- PROGRAM [ARG...]\n"
		"       perseus monitor --replay=FILE [OPTION...]\n"
		"       perseus monitor --list\n"
		"\n"
		"Counts per thread and 10 ms, while the program runs: of the processor, and of the software\n"
		"directory of a sharing run.  Rules make advice of the rates.  RUN is @last if none is "
		"given.\n"
		"\n"
		"  -p, --pid=PID           this process, and the run that it is recorded into\n"
		"      --interval=SECONDS  of a window (1)\n"
		"      --count=N           so many windows, then leave\n"
		"      --from=WHERE        counters, directory or both (default)\n"
		"      --families=LIST     coherence, bandwidth, stalls, assists, cycles, energy, kernel,\n"
		"                          directory; all of the processor's if not said\n"
		"      --events-file=FILE  other events than those of --list\n"
		"      --list              the events of this machine, with their sources\n"
		"      --rules-file=FILE   other rules\n"
		"      --save=FILE         keep the counts\n"
		"      --replay=FILE       counts that were kept, or made up\n"
		"      --json              a JSON document a window\n"
		"      --act               carry advice out, and take it back if it did not help\n"
		"      --cpus=LIST         ... on these cores, which perseusd reserves\n"
		"      --workers=NAME:LEAST:FIRST  ... the tunable that is the number of workers\n"
		"      --audit=FILE        append what was done, and why, instead of stderr\n"
		"      --socket=PATH       of perseusd\n"
		"\n"
		"Exit status: 0 done, 2 usage, 3 this machine or set-up cannot, 4 no such run or process,\n"
		"128 + N if signal N ended the program behind --.\n",
	.run = monitor_run,
};

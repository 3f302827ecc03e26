/* SPDX-License-Identifier: MIT */
/* perseus record: run a program with the runtime and keep what it recorded.  See perseus-record(1). */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include "cmd/base/cmd.h"
#include "cmd/prove/machine.h"
#include "cmd/record/budget.h"
#include "cmd/record/counters.h"
#include "cmd/record/start.h"
#include "cmd/record/trace.h"
#include "lib/fs.h"
#include "lib/mem.h"
#include "lib/num.h"
#include "lib/spawn/child.h"
#include "lib/spawn/target.h"
#include "lib/strbuf.h"
#include "platform/base/clock.h"
#include "platform/events/samples.h"
#include "record/file/seal.h"
#include "record/run.h"
#include "recorder/callees.h"
#include "recorder/modules.h"
#include "recorder/preload.h"
#include "recorder/rundir.h"
#include "report/summary.h"
#include "yaml/manifest.h"

struct opts {
	const char *out;
	const char *purpose;
	const char *sharing; /* NULL: not said */
	uint64_t block_us, limit_mb;
	uint32_t budget_ppm; /* millionths, 0: no promise */
	bool quiet;
	struct record_start start;
	struct record_events events;
	struct record_trace trace;
	char **program; /* argv of the program */
};

/* Everything that one recording holds. */
struct recording {
	struct opts o;
	struct target target;
	struct rundir dir;
	struct manifest manifest;
	struct child_result child;
	bool finished;    /* summarised, while the program went on */
	bool stop_failed; /* ... or rather not */
	struct samples_totals samples;
	struct samples_maps maps;
	char runtime[PATH_MAX];
};

#define LOOK_NS 1000000 /* of CPU time from one look at the program to the next */

extern const struct cmd cmd_record;

/* How lines are watched only makes sense where they are, and a trace has every access. */
static int check_sharing(const struct opts *o, struct err *err)
{
	if (!o->sharing)
		return 0;
	if (strcmp(o->purpose, "sharing"))
		return err_set(err, -EINVAL,
			       "--sharing=%s says how lines are watched, and a timing run watches none: "
			       "add --purpose=sharing",
			       o->sharing);
	if (o->trace.wanted && strcmp(o->sharing, "precise"))
		return err_set(err, -EINVAL,
			       "--sharing=%s looks at a part of the accesses, --trace at all of them: "
			       "leave one of them out",
			       o->sharing);
	return 0;
}

static bool is_mode(const char *s)
{
	return !strcmp(s, "adaptive") || !strcmp(s, "precise") || !strcmp(s, "rate");
}

static int set_purpose(struct opts *o, const char *value, struct err *err)
{
	if (strcmp(value, "timing") && strcmp(value, "sharing"))
		return err_set(err, -EINVAL, "--purpose=%s: expected timing or sharing", value);
	o->purpose = value;
	return 0;
}

static int set_sharing(struct opts *o, const char *value, struct err *err)
{
	if (!is_mode(value))
		return err_set(err, -EINVAL, "--sharing=%s: expected adaptive, precise or rate", value);
	o->sharing = value;
	return 0;
}

static int set_number(uint64_t *to, const char *name, const char *value, uint64_t max, struct err *err)
{
	if (num_u64(value, 1, max, to))
		return err_set(err, -EINVAL, "--%s=%s: expected 1 to %" PRIu64, name, value, max);
	return 0;
}

/* Option @name, whose letter is @c.  0, -EINVAL, or 1 if there is no such option. */
static int set_option(struct opts *o, int c, const char *name, const char *value, struct err *err)
{
	switch (c) {
	case 'o':
		o->out = value;
		return *value ? 0 : err_set(err, -EINVAL, "--output: expected the name of a folder");
	case 'q':
		o->quiet = true;
		return 0;
	case 's':
		return record_start_option(&o->start, name, value, err);
	case 'B':
		return record_budget_parse(value, &o->budget_ppm, err);
	case 't':
		return record_trace_option(&o->trace, name, value, err);
	case 'e':
		return record_events_parse(&o->events, value, err);
	case 'p':
		return set_purpose(o, value, err);
	case 'S':
		return set_sharing(o, value, err);
	case 'b':
		return set_number(&o->block_us, name, value, 10000000, err);
	case 'l':
		return set_number(&o->limit_mb, name, value, 1 << 20, err);
	default:
		return 1;
	}
}

static int parse(struct opts *o, int argc, char **argv)
{
	static const struct option options[] = {
		{"output", required_argument, NULL, 'o'},
		{"purpose", required_argument, NULL, 'p'},
		{"sharing", required_argument, NULL, 'S'},
		{"block-us", required_argument, NULL, 'b'},
		{"limit-mb", required_argument, NULL, 'l'},
		{"quiet", no_argument, NULL, 'q'},
		{"start-signal", required_argument, NULL, 's'},
		{"delay", required_argument, NULL, 's'},
		{"duration", required_argument, NULL, 's'},
		{"events", required_argument, NULL, 'e'},
		{"trace", no_argument, NULL, 't'},
		{"trace-full", required_argument, NULL, 't'},
		{"trace-buffer", required_argument, NULL, 't'},
		{"budget", required_argument, NULL, 'B'},
		{NULL, 0, NULL, 0},
	};
	struct err err = ERR_INIT;
	int c, which = 0;

	*o = (struct opts){.purpose = "timing", .block_us = 20, .limit_mb = 1024};
	record_trace_defaults(&o->trace);
	opterr = 0;
	while ((c = getopt_long(argc, argv, "+:o:q", options, &which)) != -1) {
		int ret = set_option(o, c, options[which].name, optarg, &err);

		if (ret)
			return ret < 0 ? cmd_usage(&cmd_record, "%s", err.msg)
				       : cmd_bad_option(&cmd_record, c, argv);
	}
	if (check_sharing(o, &err) || record_start_check(&o->start, &err) ||
	    record_budget_check(o->budget_ppm, !strcmp(o->purpose, "sharing"), o->trace.wanted, &err))
		return cmd_usage(&cmd_record, "%s", err.msg);
	o->program = argv + optind;
	return *o->program ? 0 : cmd_usage(&cmd_record, "no program given");
}

static void describe(struct recording *r)
{
	struct manifest *m = &r->manifest;
	struct machine machine;

	machine_read(&machine, "");
	m->program = mem_strdup(fs_base_name(r->target.real));
	for (char **a = r->o.program; *a; a++) {
		m->argv = mem_resize(m->argv, m->n_argv + 1, sizeof(*m->argv));
		m->argv[m->n_argv++] = mem_strdup(*a);
	}
	m->purpose = mem_strdup(r->o.purpose);
	m->status = mem_strdup("running");
	m->cores = machine.cores;
	m->cpu = machine.cpu[0] ? mem_strdup(machine.cpu) : NULL;
	m->load_before = machine.load;
	m->core_khz = clock_core_khz_quick();
	m->locked_ps = clock_locked_ps_quick();
}

static int save_manifest(const struct recording *r, struct err *err)
{
	char path[PATH_MAX + 16];

	snprintf(path, sizeof(path), "%s/manifest.yaml", r->dir.absolute);
	return manifest_save(&r->manifest, path, err);
}

/* Before the program starts, so that even a recorder that is killed leaves a run that can be read. */
static int prepare(struct recording *r, struct err *err)
{
	int ret = preload_find(r->o.events.n > 0, r->runtime, sizeof(r->runtime), err);

	if (!ret)
		ret = target_find(&r->target, r->o.program[0], err);
	if (!ret)
		ret = rundir_make(&r->dir, r->o.out, r->o.program[0], r->o.purpose, err);
	if (ret)
		return ret;
	describe(r);
	if (r->target.is_elf && r->target.elf.has_sites)
		ret = modules_add(&r->manifest, r->dir.absolute, r->target.real, NULL, err);
	if (!ret)
		ret = save_manifest(r, err);
	if (!ret)
		ret = record_start_prepare(&r->o.start, r->dir.absolute, err);
	if (ret)
		rundir_remove(&r->dir);
	return ret;
}

static int launch(struct recording *r, struct err *err)
{
	struct strbuf events = STRBUF_INIT;
	struct preload p = {
		.runtime = r->runtime,
		.run_dir = r->dir.absolute,
		.purpose = r->o.purpose,
		.sharing = r->o.sharing ? r->o.sharing : "precise",
		.block_us = r->o.block_us,
		.limit_mb = r->o.limit_mb,
		.budget_ppm = r->o.budget_ppm,
		.watch = record_start_watch(&r->o.start),
	};
	struct samples *samples = NULL;
	int ret;

	if (r->o.events.n)
		record_events_prepare(&r->o.events, &events);
	p.events = events.s;
	ret = record_trace_start(&r->o.trace, r->dir.absolute, r->manifest.program, err);
	p.trace = record_trace_environment(&r->o.trace);
	/* Of a part of the program's life only that part would count; and a runtime inside it is no library. */
	if (!ret && !p.watch.wake && !r->target.elf.has_hooks)
		samples = samples_start("libperseus-rt", LOOK_NS);
	if (!ret)
		ret = preload_run(&p, &r->target, r->o.program, &r->child, err);
	samples_stop(samples, &r->samples, &r->maps);
	record_trace_stop(&r->o.trace);
	strbuf_release(&events);
	return ret;
}

/* What the runtime pays for most of what it asks the system. */
static uint64_t syscall_price(void)
{
	uint64_t best = UINT64_MAX;

	for (int round = 0; round < 8; round++) {
		struct timespec a, b;

		clock_gettime(CLOCK_MONOTONIC, &a);
		for (int i = 0; i < 64; i++)
			clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
		clock_gettime(CLOCK_MONOTONIC, &b);
		if (best > (uint64_t)((b.tv_sec - a.tv_sec) * 1000000000 + b.tv_nsec - a.tv_nsec) / 64)
			best = (uint64_t)((b.tv_sec - a.tv_sec) * 1000000000 + b.tv_nsec - a.tv_nsec) / 64;
	}
	return best;
}

/* So far: sealing large records, or the description of a trace, takes as long as all before it. */
static void note_recorder(struct manifest *m)
{
	struct rusage use;

	if (!m->syscall_ns)
		m->syscall_ns = syscall_price();
	if (!getrusage(RUSAGE_SELF, &use))
		m->recorder_ns = (uint64_t)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) * 1000000000u +
				 (uint64_t)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) * 1000u;
}

static void note_end(struct recording *r)
{
	struct manifest *m = &r->manifest;
	const struct record_start *s = &r->o.start;
	bool killed = WIFSIGNALED(r->child.status);

	note_recorder(m);
	free(m->status);
	if (s->opened_ns)
		r->child.wall_ns = s->closed_ns - s->opened_ns;
	if (s->page) { /* the program goes on */
		m->status = mem_strdup("stopped");
		m->wall_ns = r->child.wall_ns;
		return;
	}
	m->status = mem_strdup(killed ? "killed" : "exited");
	m->signal = killed ? WTERMSIG(r->child.status) : 0;
	m->exit_code = killed ? 0 : WEXITSTATUS(r->child.status);
	m->wall_ns = r->child.wall_ns;
	m->user_ns = r->child.user_ns;
	m->system_ns = r->child.system_ns;
	m->samples = r->samples.all;
	m->samples_runtime = r->samples.inside;
	m->samples_watching = r->samples.watching;
	m->samples_resting = r->samples.resting;
	m->samples_counting = r->samples.counting;
	m->samples_loading = r->samples.loading;
	m->samples_taken = r->samples.taken;
	m->sample_ns = r->samples.taken ? samples_price_ns() : 0;
	m->samples_user_only = r->samples.user_only;
	m->trace_bytes = r->o.trace.totals.bytes;
}

/* Units of the program that were compiled under -flto and linked without the plugin, if there are no others. */
static size_t only_unlinked(const char *path)
{
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct sites s;
	size_t n = 0;

	if (!elf_section(path, PRS_SITES_SECTION, &text, &err) &&
	    !sites_parse(&s, text.s ? text.s : "", text.len, path, &err)) {
		n = s.n_units ? 0 : s.n_unlinked;
		sites_release(&s);
	}
	strbuf_release(&text);
	return n;
}

/* Nothing was recorded: say why, and leave no empty run behind. */
static int nothing(struct recording *r)
{
	bool probes = r->target.is_elf && r->target.elf.has_sites;
	int status = child_exit_status(r->child.status);
	size_t unlinked = probes ? only_unlinked(r->target.real) : 0;

	if (unlinked) {
		cmd_say(stderr,
			"perseus record: nothing was recorded: %zu unit%s of '%s' %s compiled with -flto and "
			"the plugin\n"
			"  but linked without it: add -fplugin=perseus.so to the link step (the program "
			"ended "
			"with %d)\n",
			unlinked, unlinked == 1 ? "" : "s", r->o.program[0], unlinked == 1 ? "was" : "were",
			status);
		rundir_remove(&r->dir);
		return CMD_OWN_FAILURE;
	}
	if (probes)
		cmd_say(stderr,
			"perseus record: '%s' was built with the plugin, but there was nothing to record: it "
			"ended\n"
			"  before its first call or shared access, or cleared its environment; no run is "
			"kept\n"
			"  (the program ended with %d)\n",
			r->o.program[0], status);
	else
		cmd_say(stderr,
			"perseus record: nothing was recorded: '%s' %s -fplugin=perseus.so\n"
			"  %s (the program ended with %d)\n",
			r->o.program[0],
			r->target.is_elf ? "was built without" : "started no program built with",
			r->target.has_clang ? "rebuild it with gcc and the flags that `perseus flags` prints"
					    : "rebuild with the flags that `perseus flags` prints",
			status);
	rundir_remove(&r->dir);
	return probes ? status : CMD_OWN_FAILURE;
}

static int summarise(const struct recording *r, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	struct run run;
	int ret = run_open(&run, r->dir.path, err);

	if (ret)
		return ret;
	ret = report_summary_text(&run, &text, err);
	if (!ret)
		cmd_put(stderr, text.s);
	strbuf_release(&text);
	run_close(&run);
	return ret;
}

/* A record without checksums is as good as any today, and no reason to fail. */
static void seal(const struct recording *r)
{
	struct err err = ERR_INIT;

	if (seal_run(r->dir.absolute, NULL, &err))
		cmd_say(stderr, "perseus record: %s\n  it is left without checksums\n", err.msg);
}

/* A limit of the address space was meant for the program; records are mapped as a whole. */
static void use_all_space(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_AS, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	(void)setrlimit(RLIMIT_AS, &limit);
}

/* After the program: final manifest, tables of what it loaded, summary. */
static int finish(struct recording *r, struct err *err)
{
	struct strbuf notes = STRBUF_INIT;
	bool others = false;
	int ret, trace = CMD_OK;

	record_trace_stop(&r->o.trace);
	use_all_space();
	ret = modules_gather(&r->manifest, r->dir.absolute, &notes, &others, err);
	if (ret == -ENODATA) {
		strbuf_release(&notes);
		return nothing(r);
	}
	if (!ret && others && r->maps.n)
		ret = callees_write(r->dir.absolute, &r->maps, err);
	note_end(r);
	if (!ret)
		ret = save_manifest(r, err);
	if (!ret) {
		seal(r);
		record_trace_complete(&r->o.trace);
		note_recorder(&r->manifest);
		ret = save_manifest(r, err);
	}
	if (notes.len)
		cmd_say(stderr, "perseus record: %s", notes.s);
	strbuf_release(&notes);
	if (!ret && !r->o.quiet)
		ret = summarise(r, err);
	if (ret)
		cmd_fail(&cmd_record, err, CMD_OWN_FAILURE);
	else
		trace = record_trace_say(&r->o.trace, r->o.quiet);
	ret = ret && !r->child.status ? CMD_OWN_FAILURE : child_exit_status(r->child.status);
	return ret ? ret : trace;
}

/* What cannot be recorded because of how the program was compiled, before it runs for long. */
static void warn_of_build(const struct recording *r)
{
	const struct target *t = &r->target;

	if (t->is_elf && !t->elf.has_sites)
		cmd_say(stderr,
			"perseus record: '%s': built without -fplugin=perseus.so%s;\n"
			"  only what it loads or starts can be recorded\n",
			r->o.program[0],
			t->has_clang ? ", or by clang, which takes it and adds no probes" : "");
	else if (t->has_clang && !r->o.quiet)
		cmd_say(stderr,
			"perseus record: '%s': some of it was compiled by clang, which takes "
			"-fplugin=perseus.so and\n"
			"  adds no probes: that part cannot be seen; rebuild it with gcc\n",
			r->o.program[0]);
}

/* The recording was stopped before the program ended. */
static void stopped(void *arg)
{
	struct recording *r = arg;
	struct err err = ERR_INIT;

	r->finished = true;
	r->stop_failed = finish(r, &err) != 0;
}

/* The program has ended. */
static int conclude(struct recording *r, struct err *err)
{
	int status = child_exit_status(r->child.status);

	if (!record_start_end(&r->o.start) && !r->finished) {
		record_start_explain(&r->o.start, r->o.program[0], status);
		rundir_remove(&r->dir);
		return CMD_OWN_FAILURE;
	}
	if (!r->finished)
		return finish(r, err);
	return r->stop_failed && !status ? CMD_OWN_FAILURE : status;
}

static int run(int argc, char **argv)
{
	struct recording r = {0};
	struct err err = ERR_INIT;
	int ret = parse(&r.o, argc, argv);

	if (ret)
		return ret;
	if (prepare(&r, &err)) {
		ret = cmd_fail(&cmd_record, &err, CMD_OWN_FAILURE);
		goto done;
	}
	warn_of_build(&r);
	r.o.start.quiet = r.o.quiet;
	r.o.start.stopped = stopped;
	r.o.start.arg = &r;
	fflush(NULL);
	if (launch(&r, &err)) {
		rundir_remove(&r.dir);
		ret = cmd_fail(&cmd_record, &err, CMD_OWN_FAILURE);
		goto done;
	}
	ret = conclude(&r, &err);
done:
	record_trace_release(&r.o.trace);
	samples_maps_release(&r.maps);
	manifest_release(&r.manifest);
	return ret;
}

const struct cmd cmd_record = {
	.name = "record",
	.summary = "run a program and record its calls, waits and sharing",
	.reads = "program",
	.writes = RUNDIR_BASE "/<run>/",
	.usage = "usage: perseus record [OPTION...] [--] PROGRAM [ARGUMENT...]\n\n"
		 "Runs PROGRAM, built with -fplugin=perseus.so, and records what its threads do.\n"
		 "The run goes to " RUNDIR_BASE "/NAME-N; the other verbs know it as\n"
		 "`@last`, and as `@last-timing` or `@last-sharing`.\n\n"
		 "  -o, --output=DIR     put the run into DIR, which must be new or empty\n"
		 "  --purpose=timing     calls, waits and their times (default)\n"
		 "  --purpose=sharing    cache lines that threads take from each other; times\n"
		 "                       are inflated then\n"
		 "  --sharing=precise    ... every access is looked at; loops in front and, for a\n"
		 "                       millisecond now and then, in the middle (default)\n"
		 "  --sharing=adaptive   ... as precise for a tenth of a second with two threads,\n"
		 "                       then as rate: long runs\n"
		 "  --sharing=rate       ... all accesses for a millisecond now and then\n"
		 "  --block-us=N         log calls that take at least N us (default 20)\n"
		 "  --limit-mb=N         let the record of a process grow to N MB (default 1024)\n"
		 "  --budget=PERCENT     let probes take PERCENT of the CPU time: costly calls are timed,\n"
		 "                       cheap ones now and then or only counted\n"
		 "  --trace              keep every call, in Common Trace Format, below DIR/trace\n"
		 "  --trace-full=WHAT    where the disk is slower than the program: degrade (trace\n"
		 "                       again when there is room; default), drop, or block\n"
		 "  --trace-buffer=N     MB of memory for the trace of each thread (default 4)\n"
		 "  --events=LIST        count these events, too: names of `perseus doctor --events`\n"
		 "  --start-signal=SIG   the program runs with dormant probes until this process\n"
		 "                       gets SIG; the second one ends the recording\n"
		 "  --delay=SECONDS      begin after so long\n"
		 "  --duration=SECONDS   end so long after the beginning; the program goes on\n"
		 "  -q, --quiet          no summary at the end\n\n"
		 "The summary goes to stderr.  Exits with the program's status, 128 + N if signal N\n"
		 "ended it, and 125 if the recording itself failed.\n",
	.run = run,
};

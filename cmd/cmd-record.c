/* SPDX-License-Identifier: MIT */
/* perseus record: run a program with the runtime and keep what it recorded.  See perseus-record(1). */
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "cmd/base/cmd.h"
#include "cmd/record/close.h"
#include "cmd/record/counts.h"
#include "cmd/record/describe.h"
#include "cmd/record/options.h"
#include "cmd/record/unprobed.h"
#include "lib/fs.h"
#include "lib/mem.h"
#include "lib/spawn/child.h"
#include "lib/spawn/target.h"
#include "lib/strbuf.h"
#include "platform/base/clock.h"
#include "platform/events/samples.h"
#include "record/run.h"
#include "recorder/callees.h"
#include "recorder/modules.h"
#include "recorder/outcome.h"
#include "recorder/preload.h"
#include "recorder/rundir.h"
#include "yaml/manifest.h"

/* Everything that one recording holds. */
struct recording {
	struct record_options o;
	struct target target;
	struct rundir dir;
	struct manifest manifest;
	struct child_result child;
	bool finished;    /* summarised, while the program went on */
	bool stop_failed; /* ... or rather not */
	struct samples_totals samples;
	struct samples_maps maps;
	struct samples_cores cores;
	char runtime[PATH_MAX];
};

#define LOOK_NS 1000000 /* of CPU time from one look at the program to the next */

extern const struct cmd cmd_record;

static bool counts(const struct recording *r)
{
	return !strcmp(r->o.purpose, "denormal");
}

/* Before the program starts, so that even a recorder that is killed leaves a run that can be read. */
static int record_prepare(struct recording *r, struct err *err)
{
	int ret = preload_find(r->o.trap ? "trap" : r->o.purpose, r->o.events.n > 0, r->runtime,
			       sizeof(r->runtime), err);

	if (!ret)
		ret = target_find(&r->target, r->o.program[0], err);
	if (!ret && counts(r))
		ret = record_counts_possible(&r->target, r->o.program[0], err);
	if (!ret)
		ret = record_try_prepare(&r->o.plan_try, &r->target, &r->manifest, err);
	if (!ret)
		ret = rundir_make(&r->dir, r->o.out, r->o.program[0], r->o.purpose, err);
	if (ret)
		return ret;
	record_describe(&r->manifest, &r->target, &r->o);
	if (!counts(r) && r->target.is_elf && r->target.elf.has_sites)
		ret = modules_add(&r->manifest, r->dir.absolute, r->target.real, NULL, err);
	if (!ret)
		ret = rundir_save(&r->dir, &r->manifest, err);
	if (!ret)
		ret = record_start_prepare(&r->o.start, r->dir.absolute, err);
	if (ret)
		rundir_remove(&r->dir);
	return ret;
}

static int run_program(struct recording *r, struct preload *p, struct err *err)
{
	int ret;

	p->watch.pid = record_energy_pid(&r->o.energy);
	record_energy_begin(&r->o.energy);
	ret = preload_run(p, &r->target, r->o.program, &r->child, err);
	record_energy_end(&r->o.energy);
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
		.trap_rate = r->o.trap_rate,
		.watch = record_start_watch(&r->o.start),
		.trial = record_try_watch(&r->o.plan_try),
	};
	struct samples *samples = NULL;
	int ret;

	if (r->o.events.n)
		record_events_prepare(&r->o.events, &events);
	p.events = events.s;
	ret = record_trace_start(&r->o.trace, r->dir.absolute, r->manifest.program, err);
	p.trace = record_trace_environment(&r->o.trace);
	/* Of a part of the program's life only that part would count; and a runtime inside it is no library. */
	if (!ret && !p.watch.wake && !r->target.elf.has_hooks && !counts(r))
		samples = samples_start("libperseus-rt", LOOK_NS);
	if (!ret)
		ret = record_energy_start(&r->o.energy, err);
	if (!ret)
		ret = run_program(r, &p, err);
	samples_stop(samples, &r->samples, &r->maps, &r->cores);
	record_trace_stop(&r->o.trace);
	strbuf_release(&events);
	return ret;
}

/* The end of the program, or of its recording if the program goes on: nothing more is counted then. */
static void note_end(struct recording *r)
{
	const struct record_start *s = &r->o.start;

	outcome_recorder(&r->manifest);
	if (s->opened_ns)
		r->child.wall_ns = s->closed_ns - s->opened_ns;
	outcome_program(&r->manifest, &r->child, s->page);
	if (s->page)
		return;
	outcome_samples(&r->manifest, &r->samples);
	r->manifest.trace_bytes = r->o.trace.totals.bytes;
}

/* After the program: final manifest, tables of what it loaded, summary. */
static int record_finish(struct recording *r, struct err *err)
{
	struct strbuf notes = STRBUF_INIT;
	bool others = false;
	int ret, trace = CMD_OK;

	record_trace_stop(&r->o.trace);
	outcome_use_all_space();
	ret = modules_gather(&r->manifest, r->dir.absolute, &notes, &others, err);
	if (ret == -ENODATA) {
		strbuf_release(&notes);
		ret = record_unprobed_explain(&r->target, r->o.program[0],
					      child_exit_status(r->child.status));
		rundir_remove(&r->dir);
		return ret;
	}
	if (!ret && others && r->maps.n)
		ret = callees_write(r->dir.absolute, &r->maps, err);
	if (!ret)
		ret = outcome_cores(r->dir.absolute, &r->cores, err);
	if (!ret)
		ret = record_energy_write(&r->o.energy, r->dir.absolute, r->o.quiet, err);
	note_end(r);
	if (!ret)
		ret = rundir_save(&r->dir, &r->manifest, err);
	if (!ret) {
		record_seal(&r->dir);
		record_trace_complete(&r->o.trace);
		outcome_recorder(&r->manifest);
		ret = rundir_save(&r->dir, &r->manifest, err);
	}
	if (notes.len)
		cmd_say(stderr, "perseus record: %s", notes.s);
	strbuf_release(&notes);
	if (!ret && !r->o.quiet)
		ret = record_summarise(&r->dir, err);
	if (ret)
		cmd_fail(&cmd_record, err, CMD_OWN_FAILURE);
	else
		trace = record_trace_say(&r->o.trace, r->o.quiet);
	ret = ret && !r->child.status ? CMD_OWN_FAILURE : child_exit_status(r->child.status);
	return ret ? ret : trace;
}

/* The recording was stopped before the program ended. */
static void stopped(void *arg)
{
	struct recording *r = arg;
	struct err err = ERR_INIT;

	r->finished = true;
	r->stop_failed = record_finish(r, &err) != 0;
}

/* The program has ended. */
static int conclude(struct recording *r, struct err *err)
{
	int status = child_exit_status(r->child.status);

	if (counts(r)) {
		note_end(r);
		return record_counts_finish(&cmd_record, &r->dir, &r->manifest, &r->target, &r->o, status,
					    err);
	}
	if (!record_start_end(&r->o.start) && !r->finished) {
		record_start_explain(&r->o.start, r->o.program[0], status);
		rundir_remove(&r->dir);
		return CMD_OWN_FAILURE;
	}
	if (!r->finished)
		return record_finish(r, err);
	return r->stop_failed && !status ? CMD_OWN_FAILURE : status;
}

static int record_run(int argc, char **argv)
{
	struct recording r = {0};
	struct err err = ERR_INIT;
	int ret = record_options_read(&r.o, &cmd_record, argc, argv);

	if (ret)
		return ret;
	if (record_prepare(&r, &err)) {
		ret = cmd_fail(&cmd_record, &err, CMD_OWN_FAILURE);
		goto done;
	}
	if (counts(&r) && !r.o.trap)
		record_counts_warn(&r.target, r.o.program[0]);
	else if (!counts(&r))
		record_unprobed_warn(&r.target, r.o.program[0], r.o.quiet);
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
	record_try_end(&r.o.plan_try, r.o.program[0], &r.child, r.o.quiet);
	record_trace_release(&r.o.trace);
	record_energy_release(&r.o.energy);
	samples_maps_release(&r.maps);
	vec_release(&r.cores);
	manifest_release(&r.manifest);
	return ret;
}

const struct cmd cmd_record = {
	.name = "record",
	.summary = "run a program and record its calls, waits and sharing",
	.reads = "program",
	.writes = RUNS_DIR "/<run>/",
	.usage = "usage: perseus record [OPTION...] [--] PROGRAM [ARGUMENT...]\n\n"
		 "Runs PROGRAM, built with -fplugin=perseus.so, and records what its threads do.\n"
		 "The run goes to " RUNS_DIR "/NAME-N; the other verbs know it as\n"
		 "`@last`, and as `@last-timing`, `@last-sharing` or `@last-denormal`.\n\n"
		 "  -o, --output=DIR     put the run into DIR, which must be new or empty\n"
		 "  --purpose=timing     calls, waits and their times (default)\n"
		 "  --purpose=sharing    cache lines that threads take from each other; times\n"
		 "                       are inflated then\n"
		 "  --purpose=denormal   denormal numbers, of a program built with probe=denormal\n"
		 "  --trap               ... of any program, by a trap for each: some 1 us an event\n"
		 "  --trap-rate=N        ... at most about N a second in a thread, and say so\n"
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
		 "  --energy[=METER]     joules of the run, by the best meter of this machine, or powercap,\n"
		 "                       pmu, hwmon-energy, hwmon-power; none: what the program did alone\n"
		 "  --meter=FILE         ... by the file of an external meter: FILE[,KEY=VALUE...]\n"
		 "  --sysroot=DIR        ... by meters below DIR, a copy of /sys\n"
		 "  --start-signal=SIG   the program runs with dormant probes until this process\n"
		 "                       gets SIG; the second one ends the recording\n"
		 "  --delay=SECONDS      begin after so long\n"
		 "  --duration=SECONDS   end so long after the beginning; the program goes on\n"
		 "  --try=PLAN           ... and as PLAN says, without a rebuild (perseus try); marked as a "
		 "trial\n"
		 "  --socket=PATH        ... of perseusd, which lends it frequency steps\n"
		 "  -q, --quiet          no summary at the end\n\n"
		 "The summary goes to stderr.\n"
		 "Exit status: the program's, 128 + N if signal N ended it; 125 if the recording itself\n"
		 "failed; 2 usage.\n",
	.run = record_run,
	.executes = true,
};

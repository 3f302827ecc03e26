/* SPDX-License-Identifier: MIT */
/* Opening a run: which directory, which record files, and is it all there. */
#include "record/names/dealt.h"
#include "record/names/left.h"
#include "record/run.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/fs.h"
#include "record/callees.h"
#include "record/parts.h"

static void incomplete(struct run *run, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The first reason is kept: it is the one nearest to the cause. */
static void incomplete(struct run *run, const char *fmt, ...)
{
	struct strbuf sb = STRBUF_INIT;
	char text[1400];
	va_list ap;

	run->complete = false;
	if (run->incomplete_why)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	strbuf_puts(&sb, text);
	run->incomplete_why = strbuf_detach(&sb);
}

static int load_manifest(struct run *run, struct err *err)
{
	char path[PATH_MAX];
	int there;

	if (snprintf(path, sizeof(path), "%s/manifest.yaml", run->path) >= (int)sizeof(path))
		return err_set(err, -ENAMETOOLONG, "the path of run '%s' is too long", run->path);
	there = fs_is_there(path, err);
	if (there < 0)
		return there;
	if (!there)
		incomplete(run, "manifest.yaml is missing: nobody knows how the program ended");
	return there ? manifest_load(&run->manifest, path, err) : 0;
}

static int load_processes(struct run *run, const struct fs_names *files, struct err *err)
{
	int ret = 0;

	run->processes = mem_new(files->n + 1, sizeof(*run->processes));
	for (size_t i = 0; i < files->n && ret >= 0; i++) {
		ret = process_load(&run->processes[run->n_processes], run->path, files->at[i], err);
		if (!ret)
			run->n_processes++;
		else if (ret > 0)
			incomplete(run, "record '%s' is empty: its process was killed as it started",
				   files->at[i]);
	}
	return ret < 0 ? ret : 0;
}

/* Why a run directory without a record file has none. */
static int no_record(const struct run *run, const struct fs_names *files, struct err *err)
{
	const char *program = run->manifest.program ? run->manifest.program : "the program";

	if (files->n)
		return err_set(err, -EINVAL,
			       "run '%s' holds %zu record file(s), all empty: killed as they started\n"
			       "  record again",
			       run->path, files->n);
	if (text_equal(run->manifest.purpose, "denormal"))
		return err_set(err, -ENODATA,
			       "run '%s' holds counts of denormals, no calls\n"
			       "  perseus denormals %s shows them",
			       run->path, run->path);
	if (run->manifest.samples_runtime)
		return err_set(err, -ENODATA,
			       "the record file of run '%s' is missing (PID.0.prec): it was there, since the "
			       "runtime was seen at work\n"
			       "  record again",
			       run->path);
	for (size_t i = 0; i < run->manifest.n_modules; i++)
		if (run->manifest.modules[i].sites_sha256)
			return err_set(err, -ENODATA,
				       "run '%s' has no record file (PID.0.prec), although '%s' carries "
				       "probes: it was removed, or the runtime was not loaded\n"
				       "  static and setuid programs must link libperseus-rt.a themselves",
				       run->path, run->manifest.modules[i].path);
	if (!run->manifest.program)
		return err_set(err, -ENOENT, "'%s' is not a run: it has no manifest.yaml and no record file",
			       run->path);
	return err_set(err, -ENODATA,
		       "run '%s' has no record file: %s was built without -fplugin=perseus.so\n"
		       "  rebuild it with the flags that `perseus flags` prints, then record again",
		       run->path, program);
}

static int by_start(const void *a, const void *b)
{
	const struct run_process *x = a, *y = b;
	uint64_t mx = x->header->mono_start_ns, my = y->header->mono_start_ns;

	if (mx != my)
		return mx < my ? -1 : 1;
	return strcmp(x->file, y->file);
}

static int by_pid(const void *a, const void *b)
{
	const struct prs_rec_header *x = ((const struct run_process *)a)->header;
	const struct prs_rec_header *y = ((const struct run_process *)b)->header;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (x->epoch != y->epoch)
		return x->epoch < y->epoch ? -1 : 1;
	return by_start(a, b);
}

/* The process that started first is the program's own; the others follow by pid. */
static void order_processes(struct run *run)
{
	size_t first = 0;
	struct run_process own;

	for (size_t i = 1; i < run->n_processes; i++)
		if (by_start(&run->processes[i], &run->processes[first]) < 0)
			first = i;
	own = run->processes[first];
	run->processes[first] = run->processes[0];
	run->processes[0] = own;
	qsort(run->processes + 1, run->n_processes - 1, sizeof(own), by_pid);
}

/* A process without clock pairs borrows: all of a run share one counter. */
static void borrow_clock(const struct run *run, struct run_process *p)
{
	const struct prs_rec_header *h = p->header;

	for (size_t i = 0; !p->clock && i < run->n_processes; i++)
		if (run->processes[i].clock && run->processes[i].header->clock_kind == h->clock_kind) {
			p->ns_per_tick = run->processes[i].ns_per_tick;
			p->clock = "time-stamp counter, calibrated in another process of the run";
		}
	if (p->clock)
		return;
	p->clock = "time-stamp counter, estimated from the last heartbeat";
	p->ns_per_tick = 1.0;
	if (h->heartbeat_ns > h->mono_start_ns && p->end > h->tsc_start)
		p->ns_per_tick =
			(double)(h->heartbeat_ns - h->mono_start_ns) / (double)(p->end - h->tsc_start);
	if (p->ns_per_tick < 0.05 || p->ns_per_tick > 20 || h->heartbeat_ns <= h->mono_start_ns) {
		p->ns_per_tick = 1.0;
		p->clock = "unknown: times are ticks";
		process_damage(p, "the length of a tick is not known: times are shown in ticks");
	}
}

static void settle_clocks(struct run *run)
{
	for (size_t i = 0; i < run->n_processes; i++)
		if (!run->processes[i].clock)
			borrow_clock(run, &run->processes[i]);
}

/*
 * A record that was never closed is whole if its process called exec or,
 * being the program, _exit.  A child of a recorded process may also have
 * called exec on a program without probes, or _exit, as children do; it
 * counts as not complete, but it is not the program that was cut short.
 */
static bool ended_by_itself(const struct run *run, size_t i)
{
	const struct prs_rec_header *h = run->processes[i].header;

	for (size_t k = 0; k < run->n_processes; k++)
		if (run->processes[k].header->pid == h->pid && run->processes[k].header->epoch > h->epoch)
			return true;
	return !i && run->manifest.status && !strcmp(run->manifest.status, "exited") &&
	       !strcmp(fs_base_name(h->exe), run->manifest.program ? run->manifest.program : "");
}

static bool parent_is_recorded(const struct run *run, size_t i)
{
	const struct prs_rec_header *h = run->processes[i].header;

	for (size_t k = 0; k < run->n_processes; k++)
		if (run->processes[k].header->pid == h->ppid && h->pid != h->ppid)
			return true;
	return false;
}

static const char *off_text(uint32_t reason)
{
	switch (reason) {
	case PRS_OFF_DISK:
		return "the disk was full";
	case PRS_OFF_LIMIT:
		return "its record reached PERSEUS_LIMIT_MB";
	case PRS_OFF_MAP:
		return "a mapping was refused";
	case PRS_OFF_SPACE:
		return "a limit of its address space (ulimit -v) leaves too little for a record";
	case PRS_OFF_START:
		return "it got no thread that waits for the start (RLIMIT_NPROC, a seccomp filter?)";
	case PRS_OFF_SEALED:
		return "it restricts its own system calls (seccomp), those of the recorder, too";
	default:
		return NULL;
	}
}

static void judge_asleep(struct run *run, struct run_process *p)
{
	bool calls = p->header->purpose == PRS_PURPOSE_TIMING;

	p->complete = false;
	incomplete(run,
		   "%s probes of process %u (%s) stayed dormant: the system did not let the "
		   "runtime write to code (mprotect refused: SELinux, MemoryDenyWriteExecute, "
		   "seccomp?). %s where that is allowed",
		   calls ? "call" : "memory", p->header->pid, fs_base_name(p->header->exe),
		   calls ? "Build it without bodies=two, or record it" : "Record its accesses");
}

static void judge_part(struct run *run, struct run_process *p)
{
	p->complete = false;
	incomplete(run,
		   "some probes of process %u (%s) stayed dormant: its code is not what the "
		   "compiler wrote (changed by another tool?). Rebuild it and record again",
		   p->header->pid, fs_base_name(p->header->exe));
}

static void judge_process(struct run *run, size_t i)
{
	struct run_process *p = &run->processes[i];
	const char *off = off_text(p->header->off_reason);

	p->complete = true;
	if (off) {
		p->complete = false;
		incomplete(run, "process %u stopped recording: %s", p->header->pid, off);
	}
	if (p->header->off_reason == PRS_OFF_CODE)
		judge_asleep(run, p);
	if (p->header->off_reason == PRS_OFF_TABLE)
		judge_part(run, p);
	if (p->header->state == PRS_REC_RUNNING && !ended_by_itself(run, i)) {
		p->complete = false;
		if (!parent_is_recorded(run, i))
			incomplete(run, "process %u (%s) did not end by exit: killed, or still running",
				   p->header->pid, fs_base_name(p->header->exe));
	}
	if (p->damage) {
		p->complete = false;
		incomplete(run, "record '%s' is damaged: %s", p->file, p->damage);
	}
}

static void judge(struct run *run)
{
	const struct manifest *m = &run->manifest;
	const char *name = m->signal ? sigabbrev_np(m->signal) : NULL;

	if (m->status && !strcmp(m->status, "killed"))
		incomplete(run, "the program was killed by %s%s", name ? "SIG" : "a signal",
			   name ? name : "");
	else if (m->status && strcmp(m->status, "exited") && strcmp(m->status, "stopped"))
		incomplete(run, "the recording has not ended, or perseus record itself was killed");
	for (size_t i = 0; i < run->n_processes; i++)
		judge_process(run, i);
}

static int open_all(struct run *run, struct fs_names *files, struct err *err)
{
	int ret = load_manifest(run, err);

	if (!ret)
		ret = fs_list(run->path, process_is_record, files, err);
	if (!ret)
		ret = load_processes(run, files, err);
	if (!ret && !run->n_processes)
		ret = no_record(run, files, err);
	if (ret)
		return ret;
	order_processes(run);
	settle_clocks(run);
	ret = modules_load(run, err);
	if (ret < 0)
		return ret;
	if (ret > 0)
		incomplete(run, "the site table of a module is missing from the run");
	bind_sites(run);
	judge(run);
	left_calls_drop(run);
	dealt_calls_settle(run);
	return callees_load(run, err);
}

int run_open(struct run *run, const char *path, struct err *err)
{
	struct fs_names files = VEC_INIT;
	char dir[PATH_MAX];
	int ret;

	*run = (struct run){.complete = true};
	ret = run_folder(path, dir, sizeof(dir), err);
	if (ret)
		return ret;
	run->path = mem_strdup(dir);
	ret = open_all(run, &files, err);
	fs_names_release(&files);
	if (ret)
		run_close(run);
	return ret;
}

void run_close(struct run *run)
{
	for (size_t i = 0; i < run->n_processes; i++)
		process_release(&run->processes[i]);
	free(run->processes);
	modules_release(run);
	callees_release(run);
	manifest_release(&run->manifest);
	free(run->incomplete_why);
	free(run->path);
	*run = (struct run){0};
}

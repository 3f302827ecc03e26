/* SPDX-License-Identifier: MIT */
/* Looks of a program that is started, of one that runs, of a run, or of a file. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "cmd/base/print.h"
#include "cmd/monitor/monitor.h"
#include "lib/fs.h"
#include "lib/mem.h"
#include "lib/spawn/child.h"
#include "record/names/thread-name.h"
#include "record/run.h"

#define TEXT_MAX     (64u << 20)
#define SLICES       20 /* of a window, where sets take turns */
#define FILES_ENOUGH 65536

static volatile sig_atomic_t stopped;

static void stop(int sig)
{
	stopped = sig;
}

void monitor_source_signals(void)
{
	struct sigaction sa = {.sa_handler = stop};

	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
}

/* ---- what is counted ---------------------------------------------------------------- */

static int load_families(struct monitor_source *s, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int ret;

	if (!s->o->events)
		return families_builtin(&s->families, err);
	ret = fs_read(s->o->events, TEXT_MAX, &text, err);
	if (!ret)
		ret = families_read(&s->families, s->o->events, text.s ? text.s : "", text.len, err);
	strbuf_release(&text);
	return ret;
}

/* The machine's own events, and then what the kernel counts anyway. */
static int open_counters(struct monitor_source *s, struct err *err)
{
	struct rlimit files;
	struct machine_id id;

	/* Tables of processors that are not this one are wanted if it is unknown. */
	setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
	if (!getrlimit(RLIMIT_NOFILE, &files) && files.rlim_cur < files.rlim_max) {
		files.rlim_cur = files.rlim_max < FILES_ENOUGH ? files.rlim_max : FILES_ENOUGH;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	s->machine = machine_id_read("", &id) ? families_choose(&s->families, &id, &s->nearest) : NULL;
	if (!s->machine)
		s->machine = families_find(&s->families, "generic");
	if (!s->machine)
		return err_set(err, -ENODEV, "no family of events is for this processor");
	return counts_perf_open(&s->perf, s->machine, s->o->families, &s->events, &s->left_out, err);
}

/* No counter of the processor: the kernel's own, if those are asked for by name. */
static int open_generic(struct monitor_source *s, struct err *err)
{
	const struct family_machine *m = families_find(&s->families, "generic");
	struct err again = ERR_INIT;

	if (!m || m == s->machine || !s->o->families ||
	    counts_perf_open(&s->perf, m, s->o->families, &s->events, &s->left_out, &again))
		return err->code;
	s->machine = m;
	s->nearest = false;
	*err = (struct err)ERR_INIT;
	return 0;
}

static const char kernel_hint[] = "--families=kernel counts what the kernel does, of any process";

/* Would --families=kernel count something? */
static bool kernel_counts(const struct monitor_source *s)
{
	const struct family_machine *m = families_find(&s->families, "generic");
	struct counts_events events = VEC_INIT;
	struct strbuf left_out = STRBUF_INIT;
	struct counts_perf *perf = NULL;
	struct err ignored = ERR_INIT;
	bool any = m && !counts_perf_open(&perf, m, "kernel", &events, &left_out, &ignored);

	counts_perf_close(perf);
	counts_events_release(&events);
	strbuf_release(&left_out);
	return any;
}

static int settle_counts(struct monitor_source *s, struct err *err)
{
	struct err why = ERR_INIT;
	int ret = 0;

	if (s->o->from != FROM_DIRECTORY && open_counters(s, &why))
		ret = open_generic(s, &why);
	s->kernel = s->o->from != FROM_DIRECTORY && !s->perf && !s->o->families && kernel_counts(s);
	s->n_perf = s->events.n;
	if (s->o->from != FROM_COUNTERS && (!s->o->families || family_wanted(s->o->families, "directory")))
		counts_directory_events(&s->events);
	s->slices = s->perf && counts_perf_sets(s->perf) > 1 ? SLICES : 1;
	if (s->events.n)
		return 0;
	*err = why;
	if (!err->code)
		return ret ? ret : err_set(err, -ENODEV, "nothing is counted");
	return s->kernel ? err_advise(err, "%s", kernel_hint) : err->code;
}

/* ---- whom -------------------------------------------------------------------------------- */

static int start_program(struct monitor_source *s, struct err *err)
{
	bool recorded = s->events.n > s->n_perf;
	struct top_start how = {.verb = "monitor",
				.purpose = recorded ? "sharing" : NULL,
				.sharing = recorded ? "precise" : NULL};
	int ends[2], ret;

	if (pipe2(ends, O_CLOEXEC))
		return err_set(err, -errno, "cannot make a pipe: %s", strerror(errno));
	how.hold[0] = ends[0];
	how.hold[1] = ends[1];
	ret = top_source_start(&s->program, s->o->program, &how, err);
	close(ends[0]);
	s->hold_fd = ends[1];
	s->recorded = recorded;
	return ret;
}

static int find_process(struct monitor_source *s, struct err *err)
{
	bool wanted = s->events.n > s->n_perf;
	struct err why = ERR_INIT;
	char path[32];
	int ret = wanted ? top_source_process(&s->program, (unsigned)s->o->pid, "monitor", &why) : 0;

	s->recorded = wanted && !ret;
	snprintf(path, sizeof(path), "/proc/%lu", (unsigned long)s->o->pid);
	if (access(path, F_OK))
		return err_set(err, -ENOENT, "there is no process %lu", (unsigned long)s->o->pid);
	if (!s->recorded && !s->perf) {
		if (s->kernel)
			err_advise(&why, "%s", kernel_hint);
		*err = why;
		return ret;
	}
	return 0;
}

static int open_replay(struct monitor_source *s, struct err *err)
{
	int ret = fs_read(s->o->replay, TEXT_MAX, &s->text, err);

	if (!ret)
		ret = counts_file_open(&s->file, s->o->replay, s->text.s ? s->text.s : "", s->text.len, err);
	for (size_t i = 0; !ret && i < s->file.events.n; i++)
		vec_push(&s->events, mem_strdup(s->file.events.at[i]));
	return ret;
}

/* What is kept is what was looked at, so it can be judged again by other rules. */
static int begin_keeping(struct monitor_source *s, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int ret = s->o->save ? fs_begin(&s->kept, s->o->save, err) : 0;

	s->unwritable = ret != 0;
	if (!s->o->save || ret)
		return ret;
	counts_file_head(&text, &s->events);
	cmd_put(s->kept.to, text.s);
	strbuf_release(&text);
	return 0;
}

static void keep_look(struct monitor_source *s, const struct counts_look *look)
{
	struct strbuf text = STRBUF_INIT;

	if (!s->o->save)
		return;
	counts_file_look(&text, look);
	cmd_put(s->kept.to, text.s);
	strbuf_release(&text);
}

int monitor_source_kept(struct monitor_source *s, struct err *err)
{
	int ret = s->kept.to ? fs_end(&s->kept, true, err) : 0;

	s->kept.to = NULL;
	s->unwritable = ret != 0;
	return ret;
}

int monitor_source_open(struct monitor_source *s, const struct monitor_options *o, struct err *err)
{
	int ret;

	*s = (struct monitor_source){.o = o};
	if (o->replay) {
		ret = open_replay(s, err);
		return ret ? ret : begin_keeping(s, err);
	}
	ret = load_families(s, err);
	if (!ret)
		ret = settle_counts(s, err);
	if (ret || o->list)
		return o->list && s->machine ? 0 : ret;
	ret = begin_keeping(s, err); /* before there is a program that would have to be ended */
	if (ret)
		return ret;
	if (o->program)
		ret = start_program(s, err);
	else if (o->pid)
		ret = find_process(s, err);
	else
		ret = top_source_run(&s->program, o->run ? o->run : "@last", err);
	s->recorded |= !o->program && !o->pid && !ret;
	if (s->recorded)
		live_open(&s->live, s->program.dir);
	return ret;
}

void monitor_source_close(struct monitor_source *s)
{
	if (s->kept.to) /* looks before a failure are worth something */
		fs_end(&s->kept, s->at_ns, NULL);
	if (s->hold_fd) { /* it has not begun, and never will */
		close(s->hold_fd);
		if (*s->program.output)
			unlink(s->program.output);
	}
	if (s->recorded)
		live_close(&s->live);
	top_names_release(&s->names);
	if (s->o->replay)
		counts_file_close(&s->file);
	counts_perf_close(s->perf);
	counts_events_release(&s->events);
	vec_release(&s->seen);
	families_release(&s->families);
	strbuf_release(&s->left_out);
	strbuf_release(&s->text);
}

/* ---- looking -------------------------------------------------------------------------------- */

static uint64_t own_ns(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (uint64_t)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000000u +
	       (uint64_t)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1000u;
}

static void count_own(struct monitor_source *s)
{
	uint64_t own = own_ns(), now = child_clock_ns();

	s->own = s->at_ns ? (double)(own - s->own_ns) / (double)(now - s->at_ns) : 0;
	s->own_ns = own;
	s->at_ns = now;
}

static void sleep_for(double seconds)
{
	struct timespec t = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};

	nanosleep(&t, NULL);
}

static void watch_threads(struct monitor_source *s)
{
	if (s->o->pid)
		counts_perf_watch(s->perf, (uint32_t)s->o->pid);
	else if (s->o->program && !s->recorded && s->program.recorder)
		counts_perf_watch(s->perf, (uint32_t)s->program.recorder);
	for (size_t i = 0; s->recorded && i < s->live.threads.n; i++)
		if (!i || s->live.threads.at[i].pid != s->live.threads.at[i - 1].pid)
			counts_perf_watch(s->perf, s->live.threads.at[i].pid);
}

static void let_it_begin(struct monitor_source *s)
{
	if (!s->hold_fd)
		return;
	if (write(s->hold_fd, "", 1) != 1)
		stopped = SIGPIPE;
	close(s->hold_fd);
	s->hold_fd = 0;
}

/* A started program that is not recorded has no directory; what is not there yet is no failure. */
static int look_at_directory(struct monitor_source *s, struct err *err)
{
	bool going = s->o->program && top_source_goes_on(&s->program);
	int ret = s->recorded ? live_look(&s->live, err) : 0;

	if (ret == -ENOENT && s->o->program && !going)
		return top_source_failed(&s->program, err);
	return ret == -ENOENT && going ? 0 : ret;
}

/* Threads of a run are called as `perseus top` calls them. */
static void name_threads(struct monitor_source *s, struct counts_look *look)
{
	for (size_t i = 0; i < s->live.threads.n; i++) {
		const struct live_thread *t = &s->live.threads.at[i];
		struct strbuf name = STRBUF_INIT;

		top_thread_name(&name, &s->live, &s->names, t->pid, t->index, t->name);
		for (size_t k = 0; k < look->threads.n; k++)
			if (look->threads.at[k].tid == t->tid && look->threads.at[k].pid == t->pid)
				snprintf(look->threads.at[k].name, COUNT_NAME, "%s", name.s ? name.s : "");
		strbuf_release(&name);
	}
}

static int look_now(struct monitor_source *s, struct counts_look *look, struct err *err)
{
	struct timespec now;
	int ret = s->slice ? 0 : look_at_directory(s, err);

	if (ret)
		return ret;
	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	counts_look_clear(look, (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec, s->events.n);
	if (s->recorded && s->events.n > s->n_perf)
		counts_directory_look(&s->live, look, s->n_perf);
	if (s->perf) {
		watch_threads(s);
		counts_perf_look(s->perf, look, 0);
	}
	if (s->recorded) {
		top_names_update(&s->names, &s->live);
		name_threads(s, look);
	}
	return 0;
}

/* The kernel's name of a thread that was seen. */
static const char *source_name_of(const struct monitor_source *s, const struct counts_thread *t)
{
	for (size_t i = 0; i < s->seen.n; i++)
		if (s->seen.at[i].tid == t->tid && s->seen.at[i].pid == t->pid)
			return s->seen.at[i].name;
	return "";
}

/* Names are kept for the end, when the kernel knows them no more. */
static void keep_names(struct monitor_source *s, const struct counts_look *look)
{
	for (size_t i = 0; i < look->threads.n; i++)
		if (!*source_name_of(s, &look->threads.at[i]))
			vec_push(&s->seen, look->threads.at[i]);
}

/* Threads, not packages. */
static size_t n_threads(const struct counts_look *look)
{
	size_t n = 0;

	for (size_t i = 0; i < look->threads.n; i++)
		n += look->threads.at[i].tid != 0;
	return n;
}

static int replay_look(struct monitor_source *s, struct counts_look *look, bool *window, struct err *err)
{
	uint64_t interval = (uint64_t)(s->o->interval * 1e9);
	int ret = stopped ? 0 : counts_file_next(&s->file, look, err);

	if (!s->at_ns)
		s->at_ns = look->ns;
	*window = ret > 0 && look->ns - s->at_ns >= interval;
	if (*window)
		s->at_ns = look->ns;
	return ret;
}

static int take_look(struct monitor_source *s, struct counts_look *look, bool *window, struct err *err)
{
	bool first = !s->at_ns, going;
	int ret;

	if (s->o->replay)
		return replay_look(s, look, window, err);
	if (!first) {
		let_it_begin(s);
		sleep_for(s->o->interval / s->slices);
		s->slice = (s->slice + 1) % s->slices;
	}
	*window = !first && !s->slice;
	if (stopped)
		return 0;
	if (first || *window)
		count_own(s);
	going = s->o->program && top_source_goes_on(&s->program);
	ret = look_now(s, look, err);
	s->begun |= !ret && n_threads(look);
	if (!ret && *window)
		keep_names(s, look);
	return ret ? ret : n_threads(look) || going || (first && s->o->program);
}

int monitor_source_look(struct monitor_source *s, struct counts_look *look, bool *window, struct err *err)
{
	int ret = take_look(s, look, window, err);

	if (ret > 0)
		keep_look(s, look);
	return ret;
}

/* ---- all of it -------------------------------------------------------------------------------- */

static void source_add_thread(const struct monitor_source *s, const struct run_process *p,
			      const struct run_thread *t, const char *name, struct counts_look *look)
{
	struct live_lines sum = {.at_ns = 1};
	struct counts_thread is = {.pid = p->header->pid, .tid = t->raw->tid, .core = -1};

	snprintf(is.name, sizeof(is.name), "%s", source_name_of(s, &is));
	if (!*is.name)
		snprintf(is.name, sizeof(is.name), "%s", name);
	for (size_t i = 0; i < t->n_lines; i++) {
		sum.transfers += prs_line_moves(t->lines[i]);
		sum.from_modified += t->lines[i]->from_modified;
		sum.invalidated += t->lines[i]->invalidated;
	}
	counts_directory_take(counts_look_add(look, &is), &sum, 1);
}

bool monitor_source_totals(struct monitor_source *s, struct counts_look *look)
{
	struct err err = ERR_INIT;
	struct run run;

	if (!s->o->program || !s->recorded || top_source_goes_on(&s->program) ||
	    run_open(&run, s->program.dir, &err))
		return false;
	counts_look_clear(look, 1, DIRECTORY_EVENTS);
	for (size_t i = 0; i < run.n_processes; i++) {
		char **names = thread_names(&run, &run.processes[i], NULL);

		for (size_t k = 0; k < run.processes[i].n_threads; k++) {
			source_add_thread(s, &run.processes[i], &run.processes[i].threads[k], names[k], look);
			free(names[k]);
		}
		free(names);
	}
	run_close(&run);
	s->begun |= look->threads.n > 0;
	return true;
}

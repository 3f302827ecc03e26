/* SPDX-License-Identifier: MIT */
#include "recorder/train/train.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "lib/fs.h"
#include "lib/read/fields.h"
#include "lib/spawn/child.h"
#include "platform/events/on-time.h"
#include "recorder/train/counters.h"
#include "recorder/train/generate.h"

#define GRACE 20.0 /* a run that takes so many times as long as it should hangs */

/* A row that is there. */
struct train_key {
	char program[32];
	uint64_t cores;
	double mhz;
};

/* A row that is to be. */
struct train_point {
	uint32_t number; /* of the program */
	uint64_t cores;
	size_t step;
};

struct trainer {
	const struct train_options *o;
	struct meter *meter;
	struct train_counters counters;
	struct on_time on;
	struct VEC(struct train_key) had;
	char dir[PATH_MAX]; /* of programs */
	bool keeps;         /* it is the caller's */
	uint64_t begin_ns;
	double mhz; /* now; 0: not known */
	bool left_out[TRAIN_MOST_STEPS];
	struct strbuf names;
	int fd;
};

static double seconds_now(const struct trainer *t)
{
	return 1e-9 * (double)(child_clock_ns() - t->begin_ns);
}

/* ---- the table ---- */

static void make_names(struct trainer *t)
{
	strbuf_puts(&t->names, "program,family,cores,");
	if (t->mhz > 0)
		strbuf_puts(&t->names, "mhz,");
	strbuf_puts(&t->names, "seconds,watts,cpu-seconds,calls,page-faults,context-switches");
	for (size_t i = 0; i < t->on.n; i++)
		strbuf_printf(&t->names, ",core-%d-on", t->on.core[i]);
	for (size_t i = 0; i < t->counters.n; i++)
		strbuf_printf(&t->names, ",%s", t->counters.event[i].name);
	if (t->counters.n)
		strbuf_puts(&t->names, ",time_enabled,time_running");
}

static int take_row(struct trainer *t, char **field, int n, struct err *err)
{
	struct train_key key = {{0}, 0, 0};

	if (n < 3 || strlen(field[0]) >= sizeof(key.program))
		return err_set(err, -EINVAL, "'%s': a row of it is none of training", t->o->output);
	snprintf(key.program, sizeof(key.program), "%s", field[0]);
	key.cores = strtoull(field[2], NULL, 10);
	key.mhz = t->mhz > 0 && n > 3 ? strtod(field[3], NULL) : 0;
	vec_push(&t->had, key);
	return 0;
}

/* Names as they are now, or another machine, other events: such rows do not belong together. */
static int check_names(const struct trainer *t, char **field, int n, struct err *err)
{
	struct strbuf have = STRBUF_INIT;
	int ret = 0;

	for (int i = 0; i < n; i++)
		strbuf_printf(&have, "%s%s", i ? "," : "", field[i]);
	if (strcmp(have.s ? have.s : "", t->names.s))
		ret = err_set(err, -EINVAL,
			      "'%s' has other columns than would be written here:\n  %.150s\n  give another "
			      "name, or the "
			      "options of then",
			      t->o->output, t->names.s);
	strbuf_release(&have);
	return ret;
}

static int read_rows(struct trainer *t, struct err *err)
{
	char *field[FIELDS_MAX];
	struct fields *in;
	int ret = fields_open(&in, t->o->output, err), n;

	if (ret)
		return ret == -ENOENT ? 0 : ret;
	n = fields_names(in, field, err);
	ret = n < 0 ? n : n ? check_names(t, field, n, err) : 0;
	while (!ret && n && (n = fields_next(in, field, err)) != 0)
		ret = n < 0 ? n : take_row(t, field, n, err);
	fields_close(in);
	return ret;
}

static int train_write(const struct trainer *t, const char *text, struct err *err)
{
	size_t len = strlen(text);
	ssize_t n = write(t->fd, text, len);

	if (n == (ssize_t)len)
		return 0;
	return err_set(err, n < 0 ? -errno : -ENOSPC, "cannot write '%s': %s", t->o->output,
		       strerror(n < 0 ? errno : ENOSPC));
}

/* A row that was cut off by a kill goes, up to the end of the line before. */
static int open_table(struct trainer *t, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	struct err none = ERR_INIT;
	size_t whole = 0;
	int ret = 0;

	if (!fs_read(t->o->output, 0, &text, &none))
		for (whole = text.len; whole && text.s[whole - 1] != '\n';)
			whole--;
	t->fd = open(t->o->output, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	if (t->fd < 0)
		ret = err_set(err, -errno, "cannot write '%s': %s", t->o->output, strerror(errno));
	else if (ftruncate(t->fd, (off_t)whole) || lseek(t->fd, 0, SEEK_END) < 0)
		ret = err_set(err, -errno, "cannot write '%s': %s", t->o->output, strerror(errno));
	strbuf_release(&text);
	if (ret)
		return ret;
	ret = whole ? read_rows(t, err) : 0;
	if (!ret && !whole) {
		ret = train_write(t, t->names.s, err);
		ret = ret ? ret : train_write(t, "\n", err);
	}
	return ret;
}

static bool had_row(const struct trainer *t, const char *program, uint64_t cores, double mhz)
{
	for (size_t i = 0; i < t->had.n; i++)
		if (t->had.at[i].cores == cores && t->had.at[i].mhz == mhz &&
		    !strcmp(t->had.at[i].program, program))
			return true;
	return false;
}

/* ---- one program ---- */

static int train_compile(const struct trainer *t, const struct train_program *p, char *binary, size_t size,
			 struct err *err)
{
	char source[PATH_MAX + 64];
	const char *const argv[] = {t->o->compiler, "-O1",       "-w",  "-o", binary,
				    source,         "-lpthread", "-lm", NULL};
	struct child_spec spec = {.path = t->o->compiler,
				  .argv = (char *const *)(const void *)argv,
				  .in = -1,
				  .out = -1,
				  .error = -1};
	struct strbuf text = STRBUF_INIT;
	struct child_result result;
	int ret;

	snprintf(source, sizeof(source), "%s/%s.c", t->dir, p->name);
	snprintf(binary, size, "%s/%s", t->dir, p->name);
	if (!access(binary, X_OK))
		return 0;
	train_program_text(p, &text);
	ret = fs_write(source, text.s, text.len, err);
	strbuf_release(&text);
	if (!ret)
		ret = child_run(&spec, &result, err);
	if (!ret && result.status)
		ret = err_set(err, -EIO, "%s cannot compile '%s'", t->o->compiler, source);
	return ret;
}

/* What one run came to. */
struct outcome_row {
	double seconds, joules, cpu;
	uint64_t faults, switches, calls;
	struct train_counts counts;
	double on[ON_TIME_CORES];
};

static double cpu_of(const struct rusage *a, const struct rusage *b)
{
	return (double)(b->ru_utime.tv_sec - a->ru_utime.tv_sec + b->ru_stime.tv_sec - a->ru_stime.tv_sec) +
	       1e-6 * (double)(b->ru_utime.tv_usec - a->ru_utime.tv_usec + b->ru_stime.tv_usec -
			       a->ru_stime.tv_usec);
}

static int read_calls(int fd, uint64_t *calls)
{
	char text[64] = {0};
	unsigned long long n;

	if (pread(fd, text, sizeof(text) - 1, 0) <= 0 || sscanf(text, "calls %llu", &n) != 1)
		return -EIO;
	*calls = n;
	return 0;
}

/* Run @binary between two readings of the meter. */
static int run_metered(struct trainer *t, const char *binary, uint64_t cores, int out,
		       struct outcome_row *row, struct err *err)
{
	char n[32], seconds[32];
	const char *const argv[] = {binary, n, seconds, NULL};
	struct child_spec spec = {
		.path = binary, .argv = (char *const *)(const void *)argv, .in = -1, .out = out, .error = -1};
	struct child_result result;
	struct rusage before, after;
	double a, b, from;
	int ret;

	snprintf(n, sizeof(n), "%llu", (unsigned long long)cores);
	snprintf(seconds, sizeof(seconds), "%.3f", t->o->seconds);
	spec.limit_ns = (uint64_t)(1e9 * (GRACE * t->o->seconds + 10));
	getrusage(RUSAGE_CHILDREN, &before);
	from = seconds_now(t);
	ret = meter_read(t->meter, from, &a, err);
	if (!ret)
		ret = child_run(&spec, &result, err);
	row->seconds = seconds_now(t) - from;
	if (!ret)
		ret = meter_read(t->meter, from + row->seconds, &b, err);
	getrusage(RUSAGE_CHILDREN, &after);
	if (ret)
		return ret;
	if (result.status)
		return err_set(err, -EIO, "the training program '%s' ended with status %d", binary,
			       child_exit_status(result.status));
	row->joules = b - a;
	row->cpu = cpu_of(&before, &after);
	row->faults = (uint64_t)(after.ru_minflt - before.ru_minflt + after.ru_majflt - before.ru_majflt);
	row->switches = (uint64_t)(after.ru_nvcsw - before.ru_nvcsw + after.ru_nivcsw - before.ru_nivcsw);
	return read_calls(out, &row->calls) ? err_set(err, -EIO, "'%s' does not say its calls", binary) : 0;
}

static int run_once(struct trainer *t, const char *binary, uint64_t cores, struct outcome_row *row,
		    struct err *err)
{
	int out = memfd_create("calls", MFD_CLOEXEC), ret;

	if (out < 0)
		return err_set(err, -errno, "cannot make a file in memory: %s", strerror(errno));
	ret = train_counters_open(&t->counters);
	if (!ret)
		ret = on_time_open(&t->on);
	if (ret)
		err_set(err, ret, "cannot count events: %s", strerror(-ret));
	if (!ret) {
		ret = run_metered(t, binary, cores, out, row, err);
		if ((train_counters_close(&t->counters, &row->counts) | on_time_close(&t->on, row->on)) &&
		    !ret)
			ret = err_set(err, -EIO, "the counters cannot be read");
	}
	close(out);
	return ret;
}

static int write_row(const struct trainer *t, const struct train_program *p, uint64_t cores,
		     const struct outcome_row *r, struct err *err)
{
	struct strbuf sb = STRBUF_INIT;
	int ret;

	strbuf_printf(&sb, "%s,%s,%llu,", p->name, p->family, (unsigned long long)cores);
	if (t->mhz > 0)
		strbuf_printf(&sb, "%.0f,", t->mhz);
	strbuf_printf(&sb, "%.6f,%.9g,%.6f,%llu,%llu,%llu", r->seconds, r->joules / r->seconds, r->cpu,
		      (unsigned long long)r->calls, (unsigned long long)r->faults,
		      (unsigned long long)r->switches);
	for (size_t i = 0; i < t->on.n; i++)
		strbuf_printf(&sb, ",%.6f", r->on[i]);
	for (size_t i = 0; i < t->counters.n; i++)
		strbuf_printf(&sb, ",%.0f", r->counts.count[i]);
	if (t->counters.n)
		strbuf_printf(&sb, ",%.0f,%.0f", r->counts.enabled, fmax(r->counts.running, 1));
	strbuf_puts(&sb, "\n");
	ret = train_write(t, sb.s, err);
	strbuf_release(&sb);
	return ret;
}

/* ---- all of them ---- */

static uint64_t most_cores(const struct train_options *o)
{
	long there = sysconf(_SC_NPROCESSORS_ONLN);

	return o->most_cores ? o->most_cores : there > 0 ? (uint64_t)there : 1;
}

/* 1, 2, 4, ... and the most. */
static uint64_t next_cores(uint64_t cores, uint64_t most)
{
	return cores == most ? 0 : 2 * cores < most ? 2 * cores : most;
}

static uint64_t count_of_cores(uint64_t most)
{
	uint64_t n = 0;

	for (uint64_t c = 1; c; c = next_cores(c, most))
		n++;
	return n;
}

static void tell_progress(const struct trainer *t, struct train_progress *p, const char *program,
			  uint64_t cores, train_tell *tell, void *arg)
{
	double each;

	p->spent = seconds_now(t);
	each = p->done ? p->spent / (double)p->done : t->o->seconds + 0.5;
	p->left = fmax(0, fmin((double)(p->all - p->had - p->done) * each, t->o->budget - p->spent));
	p->program = program;
	p->cores = cores;
	p->mhz = t->mhz;
	if (tell)
		tell(arg, p);
}

/* With the time of each core: cores in turn, so that each is in use alone, too. */
static int take_cores(const struct trainer *t, uint32_t number, uint64_t cores, struct err *err)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	for (size_t i = 0; i < t->on.n && i < cores; i++)
		CPU_SET(t->on.core[(number + i) % t->on.n], &set);
	if (t->on.n && sched_setaffinity(0, sizeof(set), &set))
		return err_set(err, -errno, "cannot choose the cores of a training program: %s",
			       strerror(errno));
	return 0;
}

static void give_cores_back(const struct trainer *t)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	for (size_t i = 0; i < t->on.n; i++)
		CPU_SET(t->on.core[i], &set);
	if (t->on.n)
		sched_setaffinity(0, sizeof(set), &set);
}

/* Set the step of the point; 1: something else is in force, and the step is left out from now on. */
static int set_step(struct trainer *t, size_t step, struct train_progress *progress, struct err *err)
{
	const struct train_steps *s = &t->o->steps;
	int ret = s->n ? s->set(s->context, step, err) : 0;

	if (ret > 0) {
		t->left_out[step] = true;
		progress->not_held++;
	}
	return ret;
}

/* Run it, once more where the step did not last as long as the run. */
static int run_held(struct trainer *t, const char *binary, const struct train_point *at,
		    struct train_progress *progress, struct outcome_row *row, struct err *err)
{
	const struct train_steps *s = &t->o->steps;
	int ret;

	for (int attempt = 0; attempt < 2; attempt++) {
		ret = set_step(t, at->step, progress, err);
		if (!ret)
			ret = run_once(t, binary, at->cores, row, err);
		if (ret || !s->n || s->held(s->context))
			return ret;
	}
	return err_set(err, -EIO,
		       "the step of %.0f MHz was taken back in two runs: who else sets frequencies?", t->mhz);
}

static int train_one(struct trainer *t, const struct train_point *at, struct train_progress *progress,
		     train_tell *tell, void *arg, struct err *err)
{
	char binary[PATH_MAX + 64];
	struct train_program p;
	struct outcome_row row = {0};
	int ret;

	train_program_make(&p, t->o->seed, at->number);
	if (t->o->steps.n)
		t->mhz = t->o->steps.mhz[at->step];
	if (had_row(t, p.name, at->cores, t->mhz)) {
		progress->had++;
		return 0;
	}
	tell_progress(t, progress, p.name, at->cores, tell, arg);
	if (progress->spent >= t->o->budget)
		return 1;
	ret = train_compile(t, &p, binary, sizeof(binary), err);
	if (!ret)
		ret = take_cores(t, at->number, at->cores, err);
	if (!ret)
		ret = run_held(t, binary, at, progress, &row, err);
	if (ret > 0)
		return 0;
	/* A counter that did not move in a whole run shows nothing. */
	if (!ret && row.joules <= 0)
		ret = err_set(err, -EIO,
			      "%s did not move in %.2g s: runs of more --seconds, or another meter",
			      meter_name(t->meter), row.seconds);
	if (!ret)
		ret = write_row(t, &p, at->cores, &row, err);
	progress->done += !ret;
	return ret;
}

/* The @i-th program of @all: those of one kind of work and mixes in turn. */
static uint32_t number_at(uint64_t i, uint64_t all)
{
	uint64_t basis = train_n_basis() < all ? train_n_basis() : all, mixes = all - basis;
	uint64_t pairs = basis < mixes ? basis : mixes;

	if (i < 2 * pairs)
		return (uint32_t)(i % 2 ? train_n_basis() + i / 2 : i / 2);
	i -= pairs;
	return (uint32_t)(basis > mixes ? i : train_n_basis() + i);
}

static int train_all(struct trainer *t, struct train_progress *progress, train_tell *tell, void *arg,
		     struct err *err)
{
	uint64_t most = most_cores(t->o), rows = t->o->programs * count_of_cores(most);
	size_t steps = t->o->steps.n ? t->o->steps.n : 1;
	struct train_point at;
	int ret = 0;

	for (uint64_t i = 0; i < t->o->programs && !ret; i++)
		for (at.cores = 1; at.cores && !ret; at.cores = next_cores(at.cores, most))
			for (at.step = 0; at.step < steps && !ret; at.step++) {
				at.number = number_at(i, t->o->programs);
				progress->all = rows * (steps - progress->not_held);
				if (!t->left_out[at.step])
					ret = train_one(t, &at, progress, tell, arg, err);
			}
	progress->all = rows * (steps - progress->not_held);
	return ret > 0 ? 0 : ret;
}

static int make_folder(struct trainer *t, struct err *err)
{
	t->keeps = t->o->sources != NULL;
	if (t->keeps) {
		snprintf(t->dir, sizeof(t->dir), "%s", t->o->sources);
		return fs_mkdirs(t->dir, err);
	}
	return fs_make_temporary(t->dir, "perseus-train", err);
}

static void remove_folder(const struct trainer *t)
{
	struct train_program p;
	char path[PATH_MAX + 64];

	if (t->keeps || !*t->dir)
		return;
	for (uint64_t i = 0; i < t->o->programs; i++) {
		train_program_make(&p, t->o->seed, (uint32_t)i);
		snprintf(path, sizeof(path), "%s/%s", t->dir, p.name);
		unlink(path);
		snprintf(path, sizeof(path), "%s/%s.c", t->dir, p.name);
		unlink(path);
	}
	rmdir(t->dir);
}

/* The frequency that is set, if one is: MHz. */
static double set_mhz(const char *sysroot)
{
	char text[32];

	if (fs_read_small(sysroot, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_max_freq", text,
			  sizeof(text)))
		return 0;
	return round(strtod(text, NULL) / 1000);
}

int train_run(const struct train_options *o, train_tell *tell, void *arg, struct train_progress *progress,
	      struct err *err)
{
	struct trainer t = {.o = o, .fd = -1, .begin_ns = child_clock_ns()};
	int ret = meter_open(&t.meter, o->kind, o->sysroot, err);

	memset(progress, 0, sizeof(*progress));
	if (!ret && (ret = train_counters_choose(&t.counters, o->events, err)))
		err_prefix(err, "--events");
	if (!ret && o->on_time)
		ret = on_time_choose(&t.on, err);
	if (!ret) {
		t.mhz = o->steps.n ? o->steps.mhz[0] : set_mhz(o->sysroot);
		make_names(&t);
		ret = make_folder(&t, err);
	}
	if (!ret)
		ret = open_table(&t, err);
	if (!ret)
		ret = train_all(&t, progress, tell, arg, err);
	progress->spent = seconds_now(&t);
	if (t.fd >= 0)
		close(t.fd);
	remove_folder(&t);
	give_cores_back(&t);
	vec_release(&t.had);
	strbuf_release(&t.names);
	meter_close(t.meter);
	return ret;
}

/* SPDX-License-Identifier: MIT */
#include "recorder/energy.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "lib/fs.h"
#include "lib/mem.h"
#include "lib/spawn/child.h"
#include "lib/spawn/family.h"

#define PERIOD_NS   10000000
#define IDLE_NS     250000000 /* before the program */
#define STILL_WATTS 1e-3
#define READINGS    32768 /* that are kept; then every second one goes, and they come half as often */

/* At one moment, since the first one. */
struct reading {
	double t, joules, cpu;
};

struct energy_watch {
	pthread_t thread;
	pthread_mutex_t lock; /* of all below, while the thread runs */
	bool stop, begun, ended;
	struct meter *meter;
	const char *sysroot;
	int pid;
	struct family *family; /* of pid */
	uint64_t period_ns, start_ns;
	struct reading *at;
	size_t n;
	struct reading first, last; /* at the begin and the end of the program */
	double started, raw, idle_watts;
	double busy[2]; /* CPU seconds of the machine at the begin and the end, below 0: not known */
	struct rusage before, after;
	struct err failed; /* of reading the meter */
};

/* CPU seconds of all that ran since the machine was started; below 0: not known. */
static double machine_busy(const char *sysroot)
{
	double user, nice, system, idle, wait, irq, softirq;
	char text[16384];

	if (fs_read_small(sysroot, "/proc/stat", text, sizeof(text)) ||
	    sscanf(text, "cpu %lf %lf %lf %lf %lf %lf %lf", &user, &nice, &system, &idle, &wait, &irq,
		   &softirq) != 7)
		return -1;
	return (user + nice + system + irq + softirq) / (double)sysconf(_SC_CLK_TCK);
}

static struct reading read_now(struct energy_watch *w)
{
	struct reading r = w->n ? w->at[w->n - 1] : (struct reading){0};
	double cpu = family_cpu(w->family, __atomic_load_n(&w->pid, __ATOMIC_ACQUIRE)), joules;

	r.t = 1e-9 * (double)(child_clock_ns() - w->start_ns);
	if (w->meter && !w->failed.code && !meter_read(w->meter, r.t, &joules, &w->failed))
		r.joules = joules;
	r.cpu = cpu > r.cpu ? cpu : r.cpu;
	return r;
}

/* Half of them, and half as often from now on. */
static void thin_out(struct energy_watch *w)
{
	for (size_t i = 0; 2 * i < w->n; i++)
		w->at[i] = w->at[2 * i];
	w->n = (w->n + 1) / 2;
	w->period_ns *= 2;
}

static void keep(struct energy_watch *w, struct reading r)
{
	if (w->n == READINGS)
		thin_out(w);
	w->at[w->n++] = r;
}

static void *watch_main(void *arg)
{
	struct energy_watch *w = arg;
	bool stop = false;

	while (!stop) {
		struct timespec pause;

		pthread_mutex_lock(&w->lock);
		keep(w, read_now(w));
		pause = (struct timespec){(time_t)(w->period_ns / 1000000000),
					  (long)(w->period_ns % 1000000000)};
		stop = w->stop;
		pthread_mutex_unlock(&w->lock);
		if (!stop)
			clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
	}
	return NULL;
}

static int start_thread(struct energy_watch *w)
{
	sigset_t all, old;
	int ret;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	ret = pthread_create(&w->thread, NULL, watch_main, w);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return -ret;
}

static void energy_watch_free(struct energy_watch *w)
{
	pthread_mutex_destroy(&w->lock);
	meter_close(w->meter);
	family_free(w->family);
	free(w->at);
	free(w);
}

int energy_watch_start(struct energy_watch **out, struct meter *m, const char *sysroot, struct err *err)
{
	struct energy_watch *w = mem_new(1, sizeof(*w));
	int ret;

	*out = NULL;
	w->meter = m;
	w->sysroot = sysroot;
	w->family = family_new();
	w->period_ns = PERIOD_NS;
	w->start_ns = child_clock_ns();
	w->at = mem_new(READINGS, sizeof(*w->at));
	pthread_mutex_init(&w->lock, NULL);
	keep(w, read_now(w));
	ret = start_thread(w);
	if (ret) {
		energy_watch_free(w);
		return err_set(err, ret, "cannot start the thread that reads the meter: %s", strerror(-ret));
	}
	if (m)
		clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){0, IDLE_NS}, NULL);
	*out = w;
	return 0;
}

int *energy_watch_pid(struct energy_watch *w)
{
	return &w->pid;
}

void energy_watch_begin(struct energy_watch *w)
{
	struct timespec now;

	pthread_mutex_lock(&w->lock);
	w->first = read_now(w);
	if (w->meter && w->first.t > w->at[0].t)
		w->idle_watts = (w->first.joules - w->at[0].joules) / (w->first.t - w->at[0].t);
	w->n = 0;
	keep(w, w->first);
	w->begun = true;
	clock_gettime(CLOCK_REALTIME, &now);
	w->started = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	w->raw = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
	w->busy[0] = machine_busy(w->sysroot);
	getrusage(RUSAGE_CHILDREN, &w->before);
	pthread_mutex_unlock(&w->lock);
}

void energy_watch_end(struct energy_watch *w)
{
	pthread_mutex_lock(&w->lock);
	w->last = read_now(w);
	getrusage(RUSAGE_CHILDREN, &w->after);
	w->busy[1] = machine_busy(w->sysroot);
	w->stop = w->ended = true;
	pthread_mutex_unlock(&w->lock);
	pthread_join(w->thread, NULL);
}

static double seconds_between(struct timeval a, struct timeval b)
{
	return (double)(b.tv_sec - a.tv_sec) + 1e-6 * (double)(b.tv_usec - a.tv_usec);
}

/* Joules and CPU time at @t, straight between readings; *i: a guess, kept for the next call. */
static struct reading at_time(const struct energy_watch *w, double t, size_t *i)
{
	const struct reading *a, *b;
	double part;

	while (*i + 1 < w->n - 1 && w->at[*i + 1].t < t)
		++*i;
	a = &w->at[*i];
	b = &w->at[*i + 1];
	part = b->t > a->t ? fmin(1, fmax(0, (t - a->t) / (b->t - a->t))) : 1;
	return (struct reading){t, a->joules + part * (b->joules - a->joules),
				a->cpu + part * (b->cpu - a->cpu)};
}

static void make_windows(const struct energy_watch *w, struct joules *j)
{
	double begin = w->first.t, length = 1e-9 * (double)w->period_ns;
	struct reading before = w->first;
	size_t at = 0;

	while (length * JOULES_WINDOWS < j->seconds)
		length *= 2;
	j->window = length;
	j->n_busy = (size_t)ceil(j->seconds / length);
	j->n_power = j->source ? j->n_busy : 0;
	j->busy = mem_new(j->n_busy, sizeof(*j->busy));
	j->power = j->n_power ? mem_new(j->n_power, sizeof(*j->power)) : NULL;
	for (size_t i = 0; i < j->n_busy; i++) {
		double to = fmin(begin + (double)(i + 1) * length, w->last.t);
		struct reading now = at_time(w, to, &at);

		j->busy[i] = fmax(0, now.cpu - before.cpu);
		if (j->power && now.t > before.t)
			j->power[i] = fmax(0, (now.joules - before.joules) / (now.t - before.t));
		before = now;
	}
}

/* What was used up to the end is known by the process table alone; no more than all cores can. */
static void end_cpu(struct energy_watch *w, const struct joules *j)
{
	const struct reading *before = &w->at[w->n - 1];
	double most = (w->last.t - before->t) * (double)sysconf(_SC_NPROCESSORS_ONLN);

	w->last.cpu = fmin(fmax(j->cpu_seconds, before->cpu), before->cpu + most);
}

static void fill_measured(const struct energy_watch *w, struct joules *j)
{
	double step = meter_step(w->meter), interval = 1e-9 * (double)w->period_ns;

	j->source = mem_strdup(meter_name(w->meter));
	j->joules = fmax(0, w->last.joules - w->first.joules);
	j->step = step;
	j->interval = interval;
	j->readings = w->n;
	j->wraps = meter_wraps(w->meter);
	j->idle_watts = fmax(0, w->idle_watts);
	if (j->joules > 0)
		j->error = step / j->joules;
	j->error += 2 * meter_latency(w->meter) / j->seconds;
}

/* Nothing that runs draws less than STILL_WATTS: the counter stands still. */
static bool stands_still(const struct energy_watch *w, const struct joules *j)
{
	double step = meter_step(w->meter);

	return step > 0 && w->last.joules <= w->first.joules && step < STILL_WATTS * j->seconds;
}

void energy_watch_finish(struct energy_watch *w, struct joules *j)
{
	memset(j, 0, sizeof(*j));
	j->started = w->started;
	j->raw = w->raw;
	j->seconds = w->last.t - w->first.t;
	j->cpu_seconds = seconds_between(w->before.ru_utime, w->after.ru_utime) +
			 seconds_between(w->before.ru_stime, w->after.ru_stime);
	j->page_faults = (uint64_t)(w->after.ru_minflt - w->before.ru_minflt + w->after.ru_majflt -
				    w->before.ru_majflt);
	j->context_switches =
		(uint64_t)(w->after.ru_nvcsw - w->before.ru_nvcsw + w->after.ru_nivcsw - w->before.ru_nivcsw);
	if (w->busy[0] >= 0 && w->busy[1] >= w->busy[0])
		j->machine_seconds = fmax(w->busy[1] - w->busy[0], j->cpu_seconds);
	while (w->n > 1 && w->at[w->n - 1].t >= w->last.t)
		w->n--;
	end_cpu(w, j);
	keep(w, w->last);
	if (!w->meter)
		joules_absent(j, "no meter was read");
	else if (w->failed.code)
		joules_absent(j, w->failed.msg);
	else if (stands_still(w, j))
		joules_absent(j, "the meter did not move while the program ran: it stands still");
	else
		fill_measured(w, j);
	make_windows(w, j);
	energy_watch_free(w);
}

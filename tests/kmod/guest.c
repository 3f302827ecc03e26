/* SPDX-License-Identifier: MIT */
/* Process 1 of the guest: mounts, runs the scenarios, looks at the kernel's log, ends the machine. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/klog.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "tests/kmod/guest.h"

#define RESULTS "/dev/ttyS1"

const struct guest_policy guest_policies[GUEST_POLICIES] = {
	{0, 0, 800000, 1600000, 2400000},
	{1, 2, 800000, 1600000, 3200000},
	{3, 3, 800000, 1600000, 2400000},
};

static FILE *results;
static unsigned count, failures;

/* ---- results ---------------------------------------------------------------- */

bool it(bool good, const char *text, ...)
{
	va_list ap;

	va_start(ap, text);
	fprintf(results, "%s %u - ", good ? "ok" : "not ok", ++count);
	vfprintf(results, text, ap);
	fputc('\n', results);
	fflush(results);
	va_end(ap);
	failures += !good;
	return good;
}

void note(const char *text, ...)
{
	va_list ap;

	va_start(ap, text);
	fprintf(results, "# ");
	vfprintf(results, text, ap);
	fputc('\n', results);
	fflush(results);
	va_end(ap);
}

void skip(const char *text, const char *reason)
{
	fprintf(results, "ok %u - %s # SKIP %s\n", ++count, text, reason);
	fflush(results);
}

double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- machine ------------------------------------------------------------------ */

int load(const char *module, const char *arguments)
{
	char path[64];
	int fd, ret;

	snprintf(path, sizeof(path), "/%s.ko", module);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ret = syscall(SYS_finit_module, fd, arguments, 0) ? -errno : 0;
	close(fd);
	return ret;
}

int unload(const char *module)
{
	return syscall(SYS_delete_module, module, O_NONBLOCK) ? -errno : 0;
}

void sleep_ms(unsigned ms)
{
	struct timespec t = {ms / 1000, (long)(ms % 1000) * 1000000};

	nanosleep(&t, NULL);
}

const char *text_of(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, text, size - 1);

	if (fd >= 0)
		close(fd);
	n = n < 0 ? 0 : n;
	text[n] = '\0';
	if (n && text[n - 1] == '\n')
		text[n - 1] = '\0';
	return text;
}

long long number_of(const char *path, ...)
{
	char name[160], text[64], *rest;
	long long value;
	va_list ap;

	va_start(ap, path);
	vsnprintf(name, sizeof(name), path, ap);
	va_end(ap);
	text_of(name, text, sizeof(text));
	value = strtoll(text, &rest, 10);
	return rest == text ? -1 : value;
}

int put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), ret = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

unsigned rnd(unsigned *state, unsigned below)
{
	*state = *state * 1664525u + 1013904223u;
	return (unsigned)(((unsigned long long)*state * below) >> 32);
}

/* ---- frequencies ---------------------------------------------------------------- */

#define CPUFREQ "/sys/devices/system/cpu/cpufreq/policy%u/"

static const struct guest_policy *policy_of(unsigned cpu)
{
	unsigned i = 0;

	while (i + 1 < GUEST_POLICIES && cpu > guest_policies[i].last)
		i++;
	return &guest_policies[i];
}

prs_u32 policy_min(unsigned cpu)
{
	return (prs_u32)number_of(CPUFREQ "scaling_min_freq", policy_of(cpu)->cpu);
}

prs_u32 policy_max(unsigned cpu)
{
	return (prs_u32)number_of(CPUFREQ "scaling_max_freq", policy_of(cpu)->cpu);
}

prs_u32 policy_now(unsigned cpu)
{
	return (prs_u32)number_of(CPUFREQ "scaling_cur_freq", policy_of(cpu)->cpu);
}

bool restored(void)
{
	bool good = true;

	for (unsigned i = 0; i < GUEST_POLICIES; i++) {
		const struct guest_policy *p = &guest_policies[i];

		if (policy_min(p->cpu) == p->min_khz && policy_max(p->cpu) == p->max_khz)
			continue;
		note("policy %u: %u to %u kHz, expected %u to %u", p->cpu, policy_min(p->cpu),
		     policy_max(p->cpu), p->min_khz, p->max_khz);
		good = false;
	}
	if (number_of("/sys/module/perseus/parameters/holds") > 0) {
		note("holds: %lld", number_of("/sys/module/perseus/parameters/holds"));
		good = false;
	}
	return good;
}

void governor(const char *name)
{
	char path[96];

	for (unsigned i = 0; i < GUEST_POLICIES; i++) {
		snprintf(path, sizeof(path), CPUFREQ "scaling_governor", guest_policies[i].cpu);
		put(path, name);
	}
}

/* ---- /dev/perseus ------------------------------------------------------------------ */

int device(void)
{
	int fd = open(PRS_CTL_DEVICE, O_RDWR | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int hold(int fd, unsigned cpu, prs_u32 min_khz, prs_u32 max_khz, struct prs_ctl_hold *h)
{
	struct prs_ctl_hold own;

	h = h ? h : &own;
	*h = (struct prs_ctl_hold){
		.version = PRS_CTL_VERSION, .cpu = cpu, .min_khz = min_khz, .max_khz = max_khz};
	return ioctl(fd, PRS_CTL_IOC_HOLD, h) ? -errno : 0;
}

int release(int fd, unsigned cpu)
{
	struct prs_ctl_release r = {.version = PRS_CTL_VERSION, .cpu = cpu};

	return ioctl(fd, PRS_CTL_IOC_RELEASE, &r) ? -errno : 0;
}

int query(int fd, unsigned cpu, struct prs_ctl_query *q)
{
	*q = (struct prs_ctl_query){.version = PRS_CTL_VERSION, .cpu = cpu};
	return ioctl(fd, PRS_CTL_IOC_QUERY, q) ? -errno : 0;
}

int caps(int fd, struct prs_ctl_caps *c)
{
	*c = (struct prs_ctl_caps){.version = PRS_CTL_VERSION};
	return ioctl(fd, PRS_CTL_IOC_CAPS, c) ? -errno : 0;
}

/* ---- processes ------------------------------------------------------------------------ */

void ready_now(int ready)
{
	if (write(ready, "r", 1) != 1)
		_exit(9);
}

pid_t child(void (*work)(int ready, void *arg), void *arg)
{
	int pipe_fds[2];
	char byte;
	pid_t pid;

	if (pipe2(pipe_fds, O_CLOEXEC))
		return -1;
	fflush(results);
	pid = fork();
	if (!pid) {
		close(pipe_fds[0]);
		work(pipe_fds[1], arg);
		_exit(0);
	}
	close(pipe_fds[1]);
	if (read(pipe_fds[0], &byte, 1) != 1)
		note("a child ended before it was ready");
	close(pipe_fds[0]);
	return pid;
}

pid_t start(char *const argv[])
{
	pid_t pid;

	fflush(results);
	pid = fork();
	if (!pid) {
		execv(argv[0], argv);
		fprintf(stderr, "%s: %s\n", argv[0], strerror(errno));
		_exit(127);
	}
	return pid;
}

int end(pid_t pid, int signal)
{
	int status = -1;

	if (signal)
		kill(pid, signal);
	waitpid(pid, &status, 0);
	return status;
}

/* ---- the kernel's log --------------------------------------------------------------------- */

/* What a kernel that is well never says.  Both the guest and the host look. */
static bool is_alarm(const char *line)
{
	static const char *const words[] = {"WARNING",          "BUG",   "Oops",    "Call Trace",
					    "refcount",         "KASAN", "Corrupt", "corruption",
					    "overwritten",      "hung",  "stall",   "lockup",
					    "Objects remaining"};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strstr(line, words[i]))
			return true;
	return false;
}

static unsigned alarms_in(char *log, bool tell)
{
	unsigned alarms = 0;
	char *rest = NULL;

	for (char *line = strtok_r(log, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		if (is_alarm(line)) {
			alarms++;
			if (tell)
				note("kernel: %s", line);
		}
	return alarms;
}

static void kernel_log(void)
{
	int size = klogctl(10, NULL, 0); /* SYSLOG_ACTION_SIZE_BUFFER */
	char twin[] =
		"<4>[    1.0] ------------[ cut here ]------------\n<4>[    1.0] WARNING: CPU: 0 PID: 1\n";
	char *log = calloc(1, (size_t)size + 1);
	int n = log ? klogctl(3, log, size) : -1; /* SYSLOG_ACTION_READ_ALL */

	it(n > 1000 && strstr(log, "perseus"), "the kernel's log is there, and names the module");
	it(n > 0 && !alarms_in(log, true), "no warning, oops, refcount or slab error in it");
	it(alarms_in(twin, false) == 1, "in a log with a warning it is found");
	free(log);
}

/* ---- process 1 ------------------------------------------------------------------------------- */

static void mounts(void)
{
	mkdir("/proc", 0755);
	mkdir("/sys", 0755);
	mkdir("/tmp", 01777);
	mkdir("/run", 0755);
	mount("proc", "/proc", "proc", 0, NULL);
	mount("sys", "/sys", "sysfs", 0, NULL);
	mount("dev", "/dev", "devtmpfs", 0, NULL);
	mount("tmp", "/tmp", "tmpfs", 0, NULL);
	mount("run", "/run", "tmpfs", 0, NULL);
	mount("cgroup", "/sys/fs/cgroup", "cgroup2", 0, NULL);
}

static bool results_open(void)
{
	int fd = open(RESULTS, O_WRONLY | O_NOCTTY | O_CLOEXEC);
	struct termios t;

	results = fd < 0 ? NULL : fdopen(fd, "w");
	if (!results)
		return false;
	tcgetattr(fd, &t);
	cfmakeraw(&t);
	tcsetattr(fd, TCSANOW, &t);
	return true;
}

static void timed(const char *name, void (*scenarios)(void))
{
	double from = now();

	scenarios();
	note("%s: %.1f s in the guest", name, now() - from);
}

static void races(void)
{
	const char *seconds = getenv("fuzz_seconds"); /* from the kernel's command line, as is only_module */

	race_scenarios(seconds ? (unsigned)atoi(seconds) : 2);
}

static void run_all(void)
{
	note("kernel ready at %.1f s", now());
	timed("module", module_scenarios);
	if (!getenv("only_module")) {
		timed("races", races);
		timed("control", control_scenarios);
	}
	kernel_log();
	fprintf(results, "1..%u\nguest: end, %u failed\n", count, failures);
	fflush(results);
	tcdrain(fileno(results));
}

int main(void)
{
	pid_t runner;

	if (getpid() != 1) /* see execs() */
		return pause();
	mounts();
	if (!results_open())
		fprintf(stderr, "guest: no " RESULTS "\n");
	runner = results ? fork() : -1;
	if (!runner) {
		run_all();
		_exit(0);
	}
	/* Orphans end here, too. */
	for (pid_t pid = 0; runner > 0 && pid != runner;)
		pid = wait(NULL);
	reboot(RB_AUTOBOOT);
	return 1;
}

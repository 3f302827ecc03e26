/* SPDX-License-Identifier: MIT */
#include "lib/spawn/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const int forwarded[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
#define N_FORWARDED (sizeof(forwarded) / sizeof(forwarded[0]))
#define LOOK_NS     100000000u /* between two looks at what the child has left */

struct signals {
	sigset_t wait; /* blocked here and taken one by one */
	sigset_t old;  /* the mask the child gets back */
	struct sigaction old_child;
};

/*
 * The signals are blocked and fetched with sigtimedwait() instead of handled:
 * no handler, no race between the end of the child and the wait for it.
 */
static void signals_take(struct signals *s, int more)
{
	struct sigaction plain = {.sa_handler = SIG_DFL};

	sigemptyset(&s->wait);
	for (size_t i = 0; i < N_FORWARDED; i++)
		sigaddset(&s->wait, forwarded[i]);
	if (more)
		sigaddset(&s->wait, more);
	sigaddset(&s->wait, SIGCHLD);
	sigprocmask(SIG_BLOCK, &s->wait, &s->old);
	/* An inherited SIG_IGN would reap the child behind our back. */
	sigaction(SIGCHLD, &plain, &s->old_child);
}

static void signals_restore(const struct signals *s)
{
	sigaction(SIGCHLD, &s->old_child, NULL);
	sigprocmask(SIG_SETMASK, &s->old, NULL);
}

static bool use_descriptor(int fd, int as)
{
	return fd < 0 || fd == as || dup2(fd, as) == as;
}

/* In the child: never returns; a failure goes through @report as an errno. */
static void child_become(const struct child_spec *spec, const struct signals *signals, int report)
{
	bool placed = use_descriptor(spec->in, STDIN_FILENO) && use_descriptor(spec->out, STDOUT_FILENO) &&
		      use_descriptor(spec->error, STDERR_FILENO);
	int why = errno;

	for (char *const *e = spec->environment; e && *e; e++)
		putenv(*e);
	signals_restore(signals);
	if (spec->group)
		setpgid(0, 0);
	if (placed) {
		execvp(spec->path, spec->argv);
		why = errno;
	}
	if (write(report, &why, sizeof(why)) != sizeof(why))
		_exit(126);
	_exit(127);
}

static uint64_t timeval_ns(struct timeval tv)
{
	return (uint64_t)tv.tv_sec * 1000000000u + (uint64_t)tv.tv_usec * 1000u;
}

/* Wait for one signal, at most until @deadline (0: for ever); its number or 0. */
static int next_signal(const struct signals *s, uint64_t deadline, siginfo_t *info)
{
	uint64_t now = child_clock_ns();
	uint64_t left = deadline > now ? deadline - now : 0;
	struct timespec ts = {(time_t)(left / 1000000000u), (long)(left % 1000000000u)};
	int sig = sigtimedwait(&s->wait, info, deadline ? &ts : NULL);

	return sig > 0 ? sig : 0;
}

/* A Ctrl-C that ended the child must not end this process once it is unblocked. */
static void drain(const struct signals *s, struct child_result *r)
{
	struct timespec none = {0, 0};
	int sig;

	while ((sig = sigtimedwait(&s->wait, NULL, &none)) > 0)
		if (sig != SIGCHLD)
			r->received = sig;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return !a || (b && b < a) ? b : a;
}

/* Let the watch act if it is time to, or if @sig is its own; when it wants to act next. */
static uint64_t watched(const struct child_watch *w, int sig, uint64_t next)
{
	uint64_t now = child_clock_ns();
	bool mine = sig && sig == w->signal;

	return mine || (next && now >= next) ? w->wake(w->arg, mine ? sig : 0, now) : next;
}

/* What came in while the child or others that it left are there; false: it was a signal to wait no more. */
static bool deliver(pid_t to, bool ended, const siginfo_t *info, int sig, struct child_result *r)
{
	r->received = sig;
	/* The terminal signals the whole foreground group: a child of that group has it already. */
	if (!ended && (to < 0 || info->si_code <= 0))
		kill(to, sig);
	return !ended;
}

static void tell_pid(const struct child_spec *spec, pid_t pid)
{
	if (spec->watch.pid)
		__atomic_store_n(spec->watch.pid, pid, __ATOMIC_RELEASE);
}

/* Wait for the end of @pid, handing signals on; then for others, if somebody wants that. */
static void attend(pid_t pid, const struct child_spec *spec, const struct signals *s, uint64_t deadline,
		   struct child_result *r)
{
	const struct child_watch *w = &spec->watch;
	uint64_t next = w->wake ? w->wake(w->arg, 0, child_clock_ns()) : 0;
	pid_t to = spec->group ? -pid : pid;
	struct rusage ru = {0};
	bool ended = false;

	for (;;) {
		siginfo_t info = {0};
		int sig;

		ended = ended || wait4(pid, &r->status, WNOHANG, &ru) == pid;
		if (ended)
			tell_pid(spec, 0);
		if (ended && (!w->others || !w->others(w->arg)))
			break;
		sig = next_signal(s,
				  ended ? earlier(next, child_clock_ns() + LOOK_NS) : earlier(deadline, next),
				  &info);
		if (!ended && deadline && child_clock_ns() >= deadline) {
			kill(to, SIGKILL);
			deadline = 0;
		}
		if (w->wake)
			next = watched(w, sig, next);
		if (!sig || sig == SIGCHLD || (w->wake && sig == w->signal))
			continue;
		if (!deliver(to, ended, &info, sig, r))
			break;
	}
	drain(s, r);
	r->user_ns = timeval_ns(ru.ru_utime);
	r->system_ns = timeval_ns(ru.ru_stime);
	r->switches = (uint64_t)ru.ru_nivcsw;
	r->rss_kb = (uint64_t)ru.ru_maxrss;
}

/* The errno that exec() left in the pipe, 0 if it succeeded. */
static int exec_errno(int fd)
{
	int why = 0;
	ssize_t n;

	do
		n = read(fd, &why, sizeof(why));
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)sizeof(why) ? why : 0;
}

int child_run(const struct child_spec *spec, struct child_result *result, struct err *err)
{
	struct signals signals;
	int report[2], why;
	uint64_t start;
	pid_t pid;

	*result = (struct child_result){0};
	if (pipe2(report, O_CLOEXEC))
		return err_set(err, -errno, "cannot make a pipe: %s", strerror(errno));
	signals_take(&signals, spec->watch.wake ? spec->watch.signal : 0);
	start = child_clock_ns();
	pid = fork();
	if (pid == 0)
		child_become(spec, &signals, report[1]);
	why = pid < 0 ? errno : 0;
	close(report[1]);
	if (pid > 0) {
		why = exec_errno(report[0]);
		tell_pid(spec, pid);
		attend(pid, spec, &signals, spec->limit_ns ? start + spec->limit_ns : 0, result);
		result->wall_ns = child_clock_ns() - start;
	}
	close(report[0]);
	signals_restore(&signals);
	if (why)
		return err_set(err, -why, "cannot %s '%s': %s", pid < 0 ? "fork for" : "run", spec->path,
			       strerror(why));
	return 0;
}

int child_exit_status(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

uint64_t child_clock_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* SPDX-License-Identifier: MIT */
#include "cmd/child.h"

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

struct signals {
	sigset_t wait; /* blocked here and taken one by one */
	sigset_t old;  /* the mask the child gets back */
	struct sigaction old_child;
};

/*
 * The signals are blocked and fetched with sigtimedwait() instead of handled:
 * no handler, no race between the end of the child and the wait for it.
 */
static void signals_take(struct signals *s)
{
	struct sigaction plain = {.sa_handler = SIG_DFL};

	sigemptyset(&s->wait);
	for (size_t i = 0; i < N_FORWARDED; i++)
		sigaddset(&s->wait, forwarded[i]);
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

static void use_descriptor(int fd, int as)
{
	if (fd >= 0 && fd != as)
		dup2(fd, as);
}

/* In the child: never returns; a failure goes through @report as an errno. */
static void become(const struct child_spec *spec, const struct signals *signals, int report)
{
	int why;

	use_descriptor(spec->in, STDIN_FILENO);
	use_descriptor(spec->out, STDOUT_FILENO);
	use_descriptor(spec->error, STDERR_FILENO);
	for (char *const *e = spec->environment; e && *e; e++)
		putenv(*e);
	signals_restore(signals);
	execvp(spec->path, spec->argv);
	why = errno;
	if (write(report, &why, sizeof(why)) != sizeof(why))
		_exit(126);
	_exit(127);
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static uint64_t timeval_ns(struct timeval tv)
{
	return (uint64_t)tv.tv_sec * 1000000000u + (uint64_t)tv.tv_usec * 1000u;
}

/* Wait for one signal, at most until @deadline (0: for ever); its number or 0. */
static int next_signal(const struct signals *s, uint64_t deadline, siginfo_t *info)
{
	uint64_t now = now_ns();
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

/* Wait for the end of @pid, handing signals on. */
static void attend(pid_t pid, const struct signals *s, uint64_t deadline, struct child_result *r)
{
	struct rusage ru;

	while (wait4(pid, &r->status, WNOHANG, &ru) != pid) {
		siginfo_t info = {0};
		int sig = next_signal(s, deadline, &info);

		if (deadline && now_ns() >= deadline) {
			kill(pid, SIGKILL);
			deadline = 0;
		}
		if (!sig || sig == SIGCHLD)
			continue;
		r->received = sig;
		/* The terminal signals the whole foreground group: the child has it already. */
		if (info.si_code <= 0)
			kill(pid, sig);
	}
	drain(s, r);
	r->user_ns = timeval_ns(ru.ru_utime);
	r->system_ns = timeval_ns(ru.ru_stime);
	r->switches = (uint64_t)ru.ru_nivcsw;
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
	signals_take(&signals);
	start = now_ns();
	pid = fork();
	if (pid == 0)
		become(spec, &signals, report[1]);
	why = pid < 0 ? errno : 0;
	close(report[1]);
	if (pid > 0) {
		why = exec_errno(report[0]);
		attend(pid, &signals, spec->limit_ns ? start + spec->limit_ns : 0, result);
		result->wall_ns = now_ns() - start;
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

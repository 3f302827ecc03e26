/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/guard.h"
#include "daemon/machine/audit.h"
#include "daemon/machine/files.h"

#define TRIES       3
#define STOP_MS     10000
#define GUARD_FILES 16 /* beyond those that are open */

/* It ends when the daemon has ended, not when somebody asks it to. */
static void ignore_signals(void)
{
	static const int signals[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGPIPE, SIGUSR1, SIGUSR2};

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		signal(signals[i], SIG_IGN);
}

static void wait_for_end(int pipe)
{
	char byte;
	ssize_t n;

	do
		n = read(pipe, &byte, 1);
	while (n > 0 || (n < 0 && errno == EINTR));
}

static void __attribute__((noreturn))
guard_run(int pipe, const struct config *config, struct frequency *frequency, struct cores *cores,
	  struct needs needs)
{
	struct problem problem;

	needs.guard = true;
	audit_name("perseusd-guard");
	prctl(PR_SET_NAME, "perseusd-guard", 0, 0, 0);
	ignore_signals();
	/* The module drops its holds when the last copy of this is closed. */
	file_close(&frequency->device);
	if (drop_rights(config, needs, (unsigned int)dup(pipe) + GUARD_FILES, &problem) ||
	    drop_calls(needs, &problem)) {
		audit("%s", problem.text);
		_exit(EXIT_MACHINE);
	}
	wait_for_end(pipe);
	for (int i = 0; i < TRIES && frequency_restore(frequency, NULL, NULL) + cores_restore(cores); i++)
		poll(NULL, 0, 1000);
	_exit(0);
}

int guard_start(struct guard *guard, const struct config *config, struct frequency *frequency,
		struct cores *cores, struct needs needs, int listener, struct problem *problem)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return problem_set(problem, EXIT_MACHINE, "pipe to the guard: %s", strerror(errno));
	guard->pid = fork();
	if (!guard->pid) {
		close(ends[1]);
		close(listener);
		guard_run(ends[0], config, frequency, cores, needs);
	}
	close(ends[0]);
	guard->pipe = ends[1];
	guard->pidfd = guard->pid < 0 ? -1 : (int)syscall(SYS_pidfd_open, guard->pid, 0);
	if (guard->pidfd < 0)
		return problem_set(problem, EXIT_MACHINE, "the guard cannot be started: %s", strerror(errno));
	fcntl(guard->pidfd, F_SETFD, FD_CLOEXEC);
	return 0;
}

void guard_stop(struct guard *guard)
{
	struct pollfd p = {.fd = guard->pidfd, .events = POLLIN};

	file_close(&guard->pipe);
	if (poll(&p, 1, STOP_MS) == 1)
		waitpid(guard->pid, NULL, 0);
	else
		audit("change=left guard=%d reason=does-not-end", (int)guard->pid);
}

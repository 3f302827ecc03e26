/* SPDX-License-Identifier: MIT */
#include "cmd/base/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t pager;    /* 0: none runs */
static size_t columns; /* of the terminal that it stands on */

static size_t terminal_columns(void)
{
	struct winsize w;

	if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &w))
		return 0;
	return w.ws_col;
}

/* Is the first word of @name a program, here or in PATH? */
static bool pager_is_there(const char *name)
{
	const char *path = getenv("PATH");
	size_t len = strcspn(name, " \t;|&");
	char file[PATH_MAX];

	if (memchr(name, '/', len)) {
		snprintf(file, sizeof(file), "%.*s", (int)len, name);
		return !access(file, X_OK);
	}
	for (const char *p = path ? path : "/usr/bin:/bin"; *p; p += strcspn(p, ":") + !!p[strcspn(p, ":")]) {
		snprintf(file, sizeof(file), "%.*s/%.*s", (int)strcspn(p, ":"), p, (int)len, name);
		if (!access(file, X_OK))
			return true;
	}
	return false;
}

/* NULL: none is wanted, or it is not there. */
static const char *command(void)
{
	const char *name = getenv("PERSEUS_PAGER");

	if (!name)
		name = getenv("PAGER");
	if (!name)
		name = "less";
	return !*name || !strcmp(name, "cat") || !pager_is_there(name) ? NULL : name;
}

static void wait_for_it(void)
{
	while (waitpid(pager, NULL, 0) < 0 && errno == EINTR)
		;
	pager = 0;
}

/* The pager has the terminal until the user leaves it. */
static void interrupted(int number)
{
	if (pager) {
		close(STDOUT_FILENO);
		close(STDERR_FILENO);
		wait_for_it();
	}
	signal(number, SIG_DFL);
	raise(number);
}

static _Noreturn void pager_become(const char *name, const int ends[2])
{
	dup2(ends[0], STDIN_FILENO);
	close(ends[0]);
	close(ends[1]);
	/* F: what fits on a screen just stands there; R: colours; X: nothing is wiped at the end. */
	setenv("LESS", "FRX", 0);
	setenv("LV", "-c", 0);
	execl("/bin/sh", "sh", "-c", name, (char *)NULL);
	_exit(127);
}

static bool can_start(const char *name)
{
	static const char *const dumb = "dumb";
	const char *term = getenv("TERM");

	return name && isatty(STDOUT_FILENO) && term && strcmp(term, dumb);
}

void pager_start(void)
{
	static const int ends_by[] = {SIGINT, SIGHUP, SIGTERM, SIGQUIT, SIGPIPE};
	const char *name = command();
	int ends[2];

	if (!can_start(name) || pipe2(ends, O_CLOEXEC))
		return;
	columns = terminal_columns();
	fflush(NULL);
	pager = fork();
	if (!pager)
		pager_become(name, ends);
	if (pager > 0) {
		dup2(ends[1], STDOUT_FILENO);
		if (isatty(STDERR_FILENO))
			dup2(ends[1], STDERR_FILENO);
		for (size_t i = 0; i < sizeof(ends_by) / sizeof(ends_by[0]); i++)
			signal(ends_by[i], interrupted);
	} else {
		pager = 0;
	}
	close(ends[0]);
	close(ends[1]);
}

void pager_end(void)
{
	if (!pager)
		return;
	fflush(NULL);
	close(STDOUT_FILENO);
	close(STDERR_FILENO);
	wait_for_it();
}

bool pager_runs(void)
{
	return pager != 0;
}

size_t pager_columns(void)
{
	return pager ? columns : terminal_columns();
}

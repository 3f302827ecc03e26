/* SPDX-License-Identifier: MIT */
/* fork, vfork and exec, posix_spawn, popen, exit from a child, atexit. */
/* skips: returns-twice */
#define _GNU_SOURCE
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

__attribute__((noinline)) static int half(int x)
{
	return x / 2;
}
static void bye(void)
{
	printf("bye %d\n", half(9));
}
static int ended(pid_t pid)
{
	int st = 0;

	waitpid(pid, &st, 0);
	return WIFEXITED(st) ? WEXITSTATUS(st) : 1000 + WTERMSIG(st);
}
static int by_vfork(int code)
{
	char arg[24];
	char *argv[] = { "sh", "-c", arg, NULL };
	pid_t pid;

	snprintf(arg, sizeof(arg), "exit %d", code);
	pid = vfork();
	if (pid == 0) {
		execve(half(code) > 100 ? "/does/not/exist" : "/bin/sh", argv, environ);
		_exit(half(code));
	}
	return ended(pid);
}
static int by_fork(int n)
{
	pid_t pid = fork();

	if (pid == 0) {
		for (int i = 0; i < n; i++)
			n += half(i) & 1;
		_exit(half(n) & 63);
	}
	return ended(pid);
}
static int by_spawn(void)
{
	char *argv[] = { "sh", "-c", "exit 9", NULL };
	pid_t pid;

	if (posix_spawn(&pid, "/bin/sh", NULL, NULL, argv, environ))
		return -1;
	return ended(pid);
}
static int by_popen(void)
{
	char line[64] = "";
	FILE *f = popen("echo from a pipe", "r");

	if (!f || !fgets(line, sizeof(line), f))
		return -1;
	return (int)strlen(line) + half(pclose(f));
}

int main(void)
{
	atexit(bye);
	printf("%d %d %d\n", by_vfork(7), by_vfork(44), by_vfork(210));
	printf("%d %d\n", by_fork(10), by_fork(40));
	printf("%d %d %d\n", by_spawn(), by_popen(), WEXITSTATUS(system("exit 6")));
	fflush(stdout);
	exit(half(11));
}

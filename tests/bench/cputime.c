/* SPDX-License-Identifier: MIT */
/*
 * cputime ROUNDS PROGRAM... -- NAME ARGUMENT...: runs the programs in turns with the
 * same arguments, standard output thrown away, and prints the least CPU time
 * (user and system, seconds) of each on one line.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROGRAMS 16

static double seconds(const struct timeval *t)
{
	return (double)t->tv_sec + 1e-6 * (double)t->tv_usec;
}

/* CPU time of one run, negative: it failed; all must end with the same status. */
static double run(char **args)
{
	static int expected = -1;
	struct rusage ru;
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		dup2(open("/dev/null", O_WRONLY), 1);
		execv(args[0], args);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &ru) != pid || !WIFEXITED(status) || WEXITSTATUS(status) == 127)
		return -1;
	if (expected < 0)
		expected = status;
	if (status != expected)
		return -1;
	return seconds(&ru.ru_utime) + seconds(&ru.ru_stime);
}

int main(int argc, char **argv)
{
	double least[PROGRAMS];
	int rounds = argc > 1 ? atoi(argv[1]) : 0, n = 0, first;

	while (2 + n < argc && strcmp(argv[2 + n], "--"))
		n++;
	first = 3 + n; /* the place of argv[0] */
	if (rounds < 1 || n < 1 || n > PROGRAMS || first >= argc)
		return 2;
	for (int r = 0; r < rounds; r++) {
		for (int i = 0; i < n; i++) {
			double t;

			argv[first] = argv[2 + i];
			t = run(argv + first);
			if (t < 0) {
				fprintf(stderr, "cputime: '%s' failed\n", argv[2 + i]);
				return 1;
			}
			if (!r || t < least[i])
				least[i] = t;
		}
	}
	for (int i = 0; i < n; i++)
		printf("%.4f%c", least[i], i + 1 < n ? ' ' : '\n');
	return 0;
}

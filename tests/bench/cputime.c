/* SPDX-License-Identifier: MIT */
/*
 * cputime [-a] ROUNDS PROGRAM... -- NAME ARGUMENT...: runs the programs in turns with
 * the same arguments, standard output thrown away, and prints the least CPU time
 * (user and system, seconds) of each on one line.  -a: a line for each, with the least
 * CPU time, the least time by the clock, and the most memory it ever had (kB).
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PROGRAMS 16

/* One run, or the best of several. */
struct cost {
	double cpu, wall; /* seconds; cpu negative: it failed */
	long kb;
};

static double seconds(const struct timeval *t)
{
	return (double)t->tv_sec + 1e-6 * (double)t->tv_usec;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* All runs must end with the same status. */
static struct cost run(char **args)
{
	static const struct cost failed = {-1, -1, 0};
	static int expected = -1;
	double start = now();
	struct rusage ru;
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		dup2(open("/dev/null", O_WRONLY), 1);
		execv(args[0], args);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &ru) != pid || !WIFEXITED(status) || WEXITSTATUS(status) == 127)
		return failed;
	if (expected < 0)
		expected = status;
	if (status != expected)
		return failed;
	return (struct cost){seconds(&ru.ru_utime) + seconds(&ru.ru_stime), now() - start, ru.ru_maxrss};
}

static void keep_best(struct cost *best, const struct cost *c, int first)
{
	if (first || c->cpu < best->cpu)
		best->cpu = c->cpu;
	if (first || c->wall < best->wall)
		best->wall = c->wall;
	if (first || c->kb > best->kb)
		best->kb = c->kb;
}

int main(int argc, char **argv)
{
	int all = argc > 1 && !strcmp(argv[1], "-a"), rounds, n = 0, first;
	struct cost best[PROGRAMS];

	argv += all;
	argc -= all;
	rounds = argc > 1 ? atoi(argv[1]) : 0;
	while (2 + n < argc && strcmp(argv[2 + n], "--"))
		n++;
	first = 3 + n; /* the place of argv[0] */
	if (rounds < 1 || n < 1 || n > PROGRAMS || first >= argc)
		return 2;
	for (int r = 0; r < rounds; r++) {
		for (int i = 0; i < n; i++) {
			struct cost c;

			argv[first] = argv[2 + i];
			c = run(argv + first);
			if (c.cpu < 0) {
				fprintf(stderr, "cputime: '%s' failed\n", argv[2 + i]);
				return 1;
			}
			keep_best(&best[i], &c, !r);
		}
	}
	for (int i = 0; i < n; i++)
		if (all)
			printf("%.4f %.4f %ld\n", best[i].cpu, best[i].wall, best[i].kb);
		else
			printf("%.4f%c", best[i].cpu, i + 1 < n ? ' ' : '\n');
	return 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * daemon SOCKET ROUNDS: round trips to perseusd beside an empty one, which is
 * a process that sends each packet of the same size back.  Rounds of a hundred,
 * in turn; prints "echo NS", "lease NS" (LEASE and RELEASE, each a round trip:
 * half of the two), "set NS" and "query NS", the medians.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "daemon/client.h"

#define TRIPS 100
#define MOST  1000

enum what { ECHO, LEASE, SET, QUERY, KINDS };

static const char *const names[] = {"echo", "lease", "set", "query"};
static double rounds[KINDS][MOST];

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void fail(const char *what)
{
	fprintf(stderr, "daemon: %s\n", what);
	exit(3);
}

/* The other end of the empty round trip. */
static int start_echo(void)
{
	char packet[PRS_CTL_MESSAGE];
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends))
		fail("socketpair");
	if (!fork()) {
		close(ends[0]);
		while (recv(ends[1], packet, sizeof(packet), 0) > 0 &&
		       send(ends[1], packet, sizeof(packet), 0) > 0)
			;
		_exit(0);
	}
	close(ends[1]);
	return ends[0];
}

static void echo(int fd)
{
	char packet[PRS_CTL_MESSAGE] = {0};

	if (send(fd, packet, sizeof(packet), 0) < 0 || recv(fd, packet, sizeof(packet), 0) != sizeof(packet))
		fail("echo");
}

static void must(int status, const char *what)
{
	if (status)
		fail(what);
}

static prs_u32 lease(struct ctl_client *client)
{
	struct prs_ctl_request q = {.op = PRS_CTL_LEASE, .flags = PRS_CTL_FREQUENCY};
	struct prs_ctl_reply r;

	ctl_cpus_add(q.cpus, 0);
	must(ctl_request(client, &q, &r), "LEASE");
	return r.lease;
}

static void release(struct ctl_client *client, prs_u32 number)
{
	struct prs_ctl_request q = {.op = PRS_CTL_RELEASE, .lease = number};
	struct prs_ctl_reply r;

	must(ctl_request(client, &q, &r), "RELEASE");
}

/* kHz: the lower and the upper bound in turn, so that each one is a change. */
static void set(struct ctl_client *client, prs_u32 number, int turn)
{
	prs_u32 khz = turn % 2 ? client->hello.min_khz : client->hello.max_khz;
	struct prs_ctl_request q = {.op = PRS_CTL_SET, .lease = number, .min_khz = khz, .max_khz = khz};
	struct prs_ctl_reply r;

	must(ctl_request(client, &q, &r), "SET");
}

static void query(struct ctl_client *client)
{
	struct prs_ctl_request q = {.op = PRS_CTL_QUERY};
	struct prs_ctl_reply r;

	must(ctl_request(client, &q, &r), "QUERY");
}

static double one_round(enum what what, int fd, struct ctl_client *client)
{
	prs_u32 number = what == SET ? lease(client) : 0;
	double start = now_ns(), took;

	for (int i = 0; i < TRIPS; i++) {
		if (what == ECHO)
			echo(fd);
		else if (what == SET)
			set(client, number, i);
		else if (what == QUERY)
			query(client);
		else if (i % 2 == 0)
			release(client, lease(client));
	}
	took = (now_ns() - start) / TRIPS;
	if (number)
		release(client, number);
	return took;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	int n = argc > 2 ? atoi(argv[2]) : 0, fd;
	struct ctl_client client;

	if (n < 1 || n > MOST)
		fail("usage: daemon SOCKET ROUNDS");
	fd = start_echo();
	must(ctl_connect(&client, argv[1], 10000), "no perseusd answers");
	for (int i = 0; i < n; i++) {
		for (enum what what = ECHO; what < KINDS; what++)
			rounds[what][i] = one_round(what, fd, &client);
	}
	for (enum what what = ECHO; what < KINDS; what++) {
		qsort(rounds[what], (size_t)n, sizeof(double), ascending);
		printf("%s %.0f\n", names[what], rounds[what][n / 2]);
	}
	close(fd);
	wait(NULL);
	return 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * Many clients of perseusd: `crowd SOCKET sequence N`, one after another,
 * `crowd SOCKET once N`, N processes that hold their connections until all
 * have an answer.  Each says HELLO, leases cpu (number modulo 8), and counts as
 * served whatever the answer to the lease.  Prints "served=N refused=N hung=N".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/client.h"

enum outcome { SERVED, REFUSED, HUNG };

static enum outcome visit(struct ctl_client *client, const char *path, unsigned int i)
{
	struct prs_ctl_request q = {.op = PRS_CTL_LEASE, .flags = PRS_CTL_FREQUENCY, .min_khz = 1600000};
	struct prs_ctl_reply r;
	int status = ctl_connect(client, path, 60000);

	if (status)
		return status == PRS_CTL_LIMIT_STATUS ? REFUSED : HUNG;
	ctl_cpus_add(q.cpus, i % 8);
	status = ctl_request(client, &q, &r);
	return status == PRS_CTL_OK_STATUS || status == PRS_CTL_BUSY_STATUS ? SERVED : HUNG;
}

static void in_sequence(const char *path, unsigned int n, unsigned int *count)
{
	for (unsigned int i = 0; i < n; i++) {
		struct ctl_client client;

		count[visit(&client, path, i)]++;
		ctl_close(&client);
	}
}

/* A child tells its outcome, and stays until the parent closes the other pipe. */
static void at_once(const char *path, unsigned int n, unsigned int *count)
{
	int tell[2], stay[2];
	char byte;

	if (pipe(tell) || pipe(stay))
		exit(3);
	for (unsigned int i = 0; i < n; i++) {
		if (!fork()) {
			struct ctl_client client;

			close(stay[1]);
			byte = (char)visit(&client, path, i);
			if (write(tell[1], &byte, 1) != 1 || read(stay[0], &byte, 1) < 0)
				_exit(1);
			_exit(0);
		}
	}
	for (unsigned int i = 0; i < n && read(tell[0], &byte, 1) == 1; i++)
		count[(int)byte]++;
	close(stay[1]);
	while (wait(NULL) > 0)
		;
}

int main(int argc, char **argv)
{
	unsigned int count[3] = {0};

	if (argc != 4)
		return 2;
	(strcmp(argv[2], "once") ? in_sequence : at_once)(argv[1], (unsigned int)atoi(argv[3]), count);
	printf("served=%u refused=%u hung=%u\n", count[SERVED], count[REFUSED], count[HUNG]);
	return count[HUNG] > 0;
}

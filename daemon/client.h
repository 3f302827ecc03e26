/* SPDX-License-Identifier: MIT */
/*
 * The other end of perseusd's socket, for `perseus ctl` and the tests.  One
 * request is under way at a time.  What the messages mean is said in
 * perseus/ctl.h; a field that an operation does not use must be zero.
 *
 *   struct ctl_client client;
 *   struct prs_ctl_request request = {.op = PRS_CTL_LEASE, .flags = PRS_CTL_FREQUENCY, .min_khz = ...};
 *   struct prs_ctl_reply reply;
 *
 *   ctl_cpus_add(request.cpus, 2);
 *   status = ctl_connect(&client, NULL, 1000);
 *   status = ctl_request(&client, &request, &reply);
 *   ...
 *   ctl_close(&client);
 *
 * All leases of a connection end with it, and with the process that opened it,
 * also if a forked child keeps the descriptor.  The descriptor is closed by exec.
 */
#ifndef PERSEUS_DAEMON_CLIENT_H
#define PERSEUS_DAEMON_CLIENT_H

#include <stdbool.h>

#include "perseus/ctl.h"

struct ctl_client {
	int fd;
	int timeout_ms; /* for the reply to each request; -1 = for ever */
	prs_u32 tag;    /* of the last request */
	prs_u64 session;
	struct prs_ctl_reply hello; /* flags: what can be had; cpus, kHz and ttl: the limits */
};

/*
 * Both return
 *   0         done, the reply is there
 *   positive  the enum prs_ctl_status with which the daemon refused (the reply is there, too: holder, cpu,
 *             error).  After PRS_CTL_NOT_HELD_STATUS to LEASE the lease exists: reply->lease is not 0
 *   negative  no reply: -ENOENT or -ECONNREFUSED nobody listens, -EACCES not in the socket's group,
 *             -ETIMEDOUT, -ECONNRESET or -EPIPE the daemon closed the connection, -EPROTO it answered
 *             with something else than a reply, -ENAMETOOLONG the path
 */

/*
 * Connect to the socket at @path (NULL: PRS_CTL_SOCKET) and say HELLO; the reply is client->hello.  Unless
 * it returns 0 nothing is open, but a refusal is in client->hello.
 */
int ctl_connect(struct ctl_client *client, const char *path, int timeout_ms);

/* Send @request, whose magic, version, session and tag are filled in, and wait for its reply. */
int ctl_request(struct ctl_client *client, struct prs_ctl_request *request, struct prs_ctl_reply *reply);

/* Ends all leases of the connection.  Does nothing the second time. */
void ctl_close(struct ctl_client *client);

/* "BUSY", and what it means, from PRS_CTL_STATUSES; "?" for a number that this build does not know. */
const char *ctl_status_name(prs_u32 status);
const char *ctl_status_meaning(prs_u32 status);

static inline void ctl_cpus_add(prs_u8 *cpus, unsigned int cpu)
{
	if (cpu < PRS_CTL_CPUS)
		cpus[cpu / 8] |= (prs_u8)(1u << cpu % 8);
}

static inline bool ctl_cpus_has(const prs_u8 *cpus, unsigned int cpu)
{
	return cpu < PRS_CTL_CPUS && cpus[cpu / 8] >> cpu % 8 & 1;
}

#endif

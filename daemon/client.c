/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "daemon/client.h"

static const struct {
	const char *name, *meaning;
} statuses[] = {
#define STATUS(NUMBER, NAME, MEANING) [NUMBER] = {#NAME, MEANING},
	PRS_CTL_STATUSES(STATUS)
#undef STATUS
};

const char *ctl_status_name(prs_u32 status)
{
	return status < PRS_CTL_STATUS_COUNT ? statuses[status].name : "?";
}

const char *ctl_status_meaning(prs_u32 status)
{
	return status < PRS_CTL_STATUS_COUNT ? statuses[status].meaning : "?";
}

/* A full queue of a daemon that does not take from it: wait as long as for a reply, not for ever. */
static void limit_waiting(int fd, int timeout_ms)
{
	struct timeval limit = {timeout_ms / 1000, timeout_ms % 1000 * 1000};

	if (timeout_ms > 0)
		setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
}

static int connect_to(const char *path, int timeout_ms)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd;

	if (strlen(path) >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	strcpy(address.sun_path, path);
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	limit_waiting(fd, timeout_ms);
	while (connect(fd, (struct sockaddr *)&address, sizeof(address))) {
		int error = errno;

		if (error == EINTR)
			continue;
		close(fd);
		return error == EAGAIN ? -ETIMEDOUT : -error;
	}
	return fd;
}

static long long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

/* Wait until the descriptor can be read, but not beyond @until (negative: for ever). */
static int wait_for(int fd, long long until)
{
	for (;;) {
		struct pollfd p = {.fd = fd, .events = POLLIN};
		long long left = until < 0 ? -1 : until - now_ms();
		int n;

		if (until >= 0 && left < 0)
			left = 0;
		n = poll(&p, 1, (int)left);
		if (n > 0 && (until < 0 || now_ms() <= until))
			return 0;
		if (n > 0)
			return -ETIMEDOUT;
		if (!n)
			return -ETIMEDOUT;
		if (errno != EINTR)
			return -errno;
	}
}

/* One packet into @reply; -ECONNRESET if there is none and the daemon has gone. */
static int client_take(struct ctl_client *client, struct prs_ctl_reply *reply, long long until)
{
	bool was_reset = false;

	for (;;) {
		int error = wait_for(client->fd, until);
		ssize_t n;

		if (error)
			return error;
		n = recv(client->fd, reply, sizeof(*reply), MSG_TRUNC | MSG_DONTWAIT);
		if (n == (ssize_t)sizeof(*reply))
			return reply->magic == PRS_CTL_MAGIC && reply->status < PRS_CTL_STATUS_COUNT
				       ? 0
				       : -EPROTO;
		if (n > 0)
			return -EPROTO;
		if (!n)
			return -ECONNRESET;
		/* A connection that was refused before it was read from: the reply lies behind the reset. */
		if (errno == ECONNRESET && !was_reset)
			was_reset = true;
		else if (errno != EINTR && errno != EAGAIN)
			return -errno;
	}
}

static bool is_last_word(const struct prs_ctl_reply *reply)
{
	return !reply->op && !reply->tag && reply->status;
}

/*
 * In the name of process 1: the kernel lets nobody do that but root of the machine, and so perseusd knows him
 * from root of a container.
 */
static ssize_t send_as_root(int fd, const struct prs_ctl_request *request)
{
	union {
		char bytes[CMSG_SPACE(sizeof(struct ucred))];
		struct cmsghdr align;
	} control = {{0}};
	struct iovec part = {(void *)request, sizeof(*request)};
	struct msghdr m = {.msg_iov = &part,
			   .msg_iovlen = 1,
			   .msg_control = control.bytes,
			   .msg_controllen = sizeof(control.bytes)};
	struct ucred first = {.pid = 1};
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_CREDENTIALS;
	c->cmsg_len = CMSG_LEN(sizeof(first));
	memcpy(CMSG_DATA(c), &first, sizeof(first));
	return sendmsg(fd, &m, MSG_NOSIGNAL);
}

static ssize_t send_request(int fd, const struct prs_ctl_request *request)
{
	ssize_t n = -1;

	if (request->op == PRS_CTL_HELLO && !geteuid())
		n = send_as_root(fd, request);
	return n < 0 ? send(fd, request, sizeof(*request), MSG_NOSIGNAL) : n;
}

int ctl_request(struct ctl_client *client, struct prs_ctl_request *request, struct prs_ctl_reply *reply)
{
	long long until = client->timeout_ms < 0 ? -1 : now_ms() + client->timeout_ms;
	int error = 0;

	request->magic = PRS_CTL_MAGIC;
	request->version = PRS_CTL_VERSION;
	request->session = client->session;
	request->tag = ++client->tag;
	while (send_request(client->fd, request) < 0) {
		if (errno == EINTR)
			continue;
		error = errno == EAGAIN ? -ETIMEDOUT : -errno;
		break;
	}
	/* Whoever was refused when he connected finds the reason there, whether or not the request went through. */
	if (error && error != -EPIPE && error != -ECONNRESET)
		return error;
	do {
		int taken = client_take(client, reply, until);

		if (taken)
			return error ? error : taken;
		/* An older tag: the reply to a request that nobody waited for any more. */
	} while (reply->tag != request->tag && !is_last_word(reply));
	return reply->op == request->op || is_last_word(reply) ? (int)reply->status : -EPROTO;
}

int ctl_connect(struct ctl_client *client, const char *path, int timeout_ms)
{
	struct prs_ctl_request hello = {.op = PRS_CTL_HELLO};
	int status;

	memset(client, 0, sizeof(*client));
	client->timeout_ms = timeout_ms;
	client->fd = connect_to(path ? path : PRS_CTL_SOCKET, timeout_ms);
	if (client->fd < 0) {
		status = client->fd;
		client->fd = -1;
		return status;
	}
	status = ctl_request(client, &hello, &client->hello);
	if (status)
		ctl_close(client);
	else
		client->session = client->hello.session;
	return status;
}

void ctl_close(struct ctl_client *client)
{
	if (client->fd >= 0)
		close(client->fd);
	client->fd = -1;
}

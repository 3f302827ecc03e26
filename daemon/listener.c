/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "daemon/listener.h"

#define BACKLOG 128
#define DRAIN   16 /* packets of a refused connection that are thrown away: who sends more has a reset */

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77 /* Linux 6.5 */
#endif

/* ---- making it -------------------------------------------------------------- */

static bool listener_is_number(const char *name, long value)
{
	const char *text = getenv(name);

	return text && *text && atol(text) == value;
}

static int option(int fd, int name)
{
	int value = -1;
	socklen_t n = sizeof(value);

	return getsockopt(fd, SOL_SOCKET, name, &value, &n) ? -1 : value;
}

/* Descriptor 3, if it is what perseusd.socket describes. */
static int take_inherited(struct problem *problem)
{
	enum { FIRST = 3 };

	if (!listener_is_number("LISTEN_FDS", 1) || option(FIRST, SO_DOMAIN) != AF_UNIX ||
	    option(FIRST, SO_TYPE) != SOCK_SEQPACKET || option(FIRST, SO_ACCEPTCONN) != 1)
		return -problem_set(
			problem, EXIT_MACHINE,
			"the service manager hands over something else than one listening SEQPACKET socket");
	return FIRST;
}

static int bind_at(int fd, const struct sockaddr_un *address, const struct config *config)
{
	const char *path = address->sun_path;
	mode_t before;
	struct stat st;
	int error;

	/* What nobody listens at any more was left by somebody who was killed. */
	if (!lstat(path, &st) && S_ISSOCK(st.st_mode)) {
		if (!connect(fd, (const struct sockaddr *)address, sizeof(*address)) || errno == EAGAIN)
			return -EADDRINUSE;
		unlink(path);
	}
	before = umask(config->has_group ? 0117 : 0177);
	error = bind(fd, (const struct sockaddr *)address, sizeof(*address)) ? -errno : 0;
	umask(before);
	/* Who is not root can only serve his own group. */
	if (!error && config->has_group && !geteuid() && lchown(path, (uid_t)-1, config->socket_gid))
		error = -errno;
	return error;
}

static int listener_make(const struct config *config, const char *path, struct problem *problem)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd, error;

	if (strlen(path) >= sizeof(address.sun_path))
		return -problem_set(problem, EXIT_USAGE,
				    "socket '%s': the name has %zu bytes, at most %zu are possible", path,
				    strlen(path), sizeof(address.sun_path) - 1);
	strcpy(address.sun_path, path);
	if (trust_dir_of(path, problem))
		return -problem->status;
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	error = fd < 0 ? -errno : bind_at(fd, &address, config);
	if (!error && listen(fd, BACKLOG))
		error = -errno;
	if (!error)
		return fd;
	if (fd >= 0)
		close(fd);
	return -problem_set(problem, EXIT_MACHINE, "socket '%s': %s", path, strerror(-error));
}

int listener_open(const struct config *config, const char *path, struct problem *problem)
{
	int fd = listener_is_number("LISTEN_PID", getpid()) ? take_inherited(problem)
							    : listener_make(config, path, problem),
	    on = 1;

	if (fd < 0)
		return fd;
	/* Connections inherit it: each packet says which process sent it. */
	if (setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)) || fcntl(fd, F_SETFD, FD_CLOEXEC) ||
	    fcntl(fd, F_SETFL, O_NONBLOCK))
		return -problem_set(problem, EXIT_MACHINE, "socket: %s", strerror(errno));
	return fd;
}

/* ---- connections ------------------------------------------------------------ */

static int pidfd_of(int fd, pid_t pid)
{
	int pidfd = -1;
	socklen_t n = sizeof(pidfd);

	/* That of the process that connected; an older kernel can only say who has its number now. */
	if (!getsockopt(fd, SOL_SOCKET, SO_PEERPIDFD, &pidfd, &n))
		return pidfd;
	return (int)syscall(SYS_pidfd_open, pid, 0);
}

int listener_accept(int listener, struct caller *caller)
{
	struct ucred peer;
	socklen_t n = sizeof(peer);

	caller->fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (caller->fd < 0)
		return -errno;
	if (getsockopt(caller->fd, SOL_SOCKET, SO_PEERCRED, &peer, &n)) {
		close(caller->fd);
		return -ECONNABORTED;
	}
	caller->pid = peer.pid;
	caller->uid = peer.uid;
	caller->pidfd = -1;
	return 0;
}

bool listener_hold(struct caller *caller)
{
	caller->pidfd = pidfd_of(caller->fd, caller->pid);
	return caller->pidfd >= 0;
}

void listener_refuse(int fd, enum prs_ctl_status status)
{
	struct prs_ctl_reply reply;
	char byte;

	service_last_word(status, &reply);
	listener_send(fd, &reply);
	for (int i = 0; i < DRAIN && recv(fd, &byte, 1, MSG_DONTWAIT) > 0; i++)
		;
}

/* ---- packets ---------------------------------------------------------------- */

/* There is room for none: the kernel closes what comes.  Should one get through, it is closed here. */
static bool close_descriptors(struct msghdr *m)
{
	bool had_some = m->msg_flags & MSG_CTRUNC;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		had_some = true;
		for (size_t at = CMSG_LEN(0); at + sizeof(int) <= c->cmsg_len; at += sizeof(int)) {
			int fd;

			memcpy(&fd, (char *)c + at, sizeof(fd));
			close(fd);
		}
	}
	return had_some;
}

static pid_t sender_of(struct msghdr *m)
{
	struct ucred sender;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_CREDENTIALS ||
		    c->cmsg_len != CMSG_LEN(sizeof(sender)))
			continue;
		memcpy(&sender, CMSG_DATA(c), sizeof(sender));
		return sender.pid;
	}
	return -1;
}

int listener_receive(int fd, void *buffer, struct packet *packet)
{
	union {
		char bytes[CMSG_SPACE(sizeof(struct ucred))];
		struct cmsghdr align;
	} control;
	struct iovec part = {buffer, PRS_CTL_MESSAGE};
	struct msghdr m = {.msg_iov = &part,
			   .msg_iovlen = 1,
			   .msg_control = control.bytes,
			   .msg_controllen = sizeof(control.bytes)};
	ssize_t n = recvmsg(fd, &m, MSG_DONTWAIT | MSG_TRUNC | MSG_CMSG_CLOEXEC);

	if (n < 0)
		return errno == EINTR ? -EAGAIN : -errno;
	packet->bytes = buffer;
	packet->size = (size_t)n;
	packet->has_descriptors = close_descriptors(&m);
	packet->sender = sender_of(&m);
	/* An empty packet has a sender, the end of the stream has none. */
	return n || packet->sender >= 0 ? 1 : 0;
}

int listener_send(int fd, const struct prs_ctl_reply *reply)
{
	ssize_t n = send(fd, reply, sizeof(*reply), MSG_DONTWAIT | MSG_NOSIGNAL);

	if (n < 0)
		return -errno;
	return n == (ssize_t)sizeof(*reply) ? 0 : -EIO;
}

/* SPDX-License-Identifier: MIT */
/* The socket: making it, taking connections, packets in and out. */
#ifndef PERSEUS_DAEMON_LISTENER_H
#define PERSEUS_DAEMON_LISTENER_H

#include "daemon/config.h"
#include "daemon/service.h"

/*
 * Make the socket, for the group of the configuration, or take the one that systemd hands over.  Returns the
 * descriptor, or the negative of an exit status.
 */
int listener_open(const struct config *config, const char *path, struct problem *problem);

/* Who is at the other end of a new connection. */
struct caller {
	int fd;
	int pidfd; /* -1: not asked for, or it has gone already */
	pid_t pid;
	uid_t uid;
};

/* Take one connection; 0, or a negative errno: -EAGAIN there is none. */
int listener_accept(int listener, struct caller *caller);

/* Get hold of its process, which costs; false if it has gone, or there are no descriptors. */
bool listener_hold(struct caller *caller);

/* Call it before the connection is refused: the filling of its queue must not hide the last word. */
void listener_refuse(int fd, enum prs_ctl_status status);

/*
 * Take one packet.  Returns 1 with a packet in *packet, whose bytes are in @buffer (PRS_CTL_MESSAGE bytes), 0
 * when the other end has closed, or a negative errno: -EAGAIN there is none.
 */
int listener_receive(int fd, void *buffer, struct packet *packet);

/* 0, or a negative errno: -EAGAIN who is at the other end does not take replies. */
int listener_send(int fd, const struct prs_ctl_reply *reply);

#endif

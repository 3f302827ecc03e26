/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "daemon/lease.h"
#include "daemon/listener.h"
#include "daemon/loop.h"
#include "daemon/machine/audit.h"
#include "daemon/machine/clock.h"

#define EVENTS     64
#define RETRY_MS   1000
#define LAST_WORDS 64 /* requests of a connection that are answered at the end */

enum source { LISTENER, SIGNALS, TIMER, GUARD, SOCKET, PEER };

/* ---- descriptors ------------------------------------------------------------ */

static int loop_watch(struct loop *loop, int fd, enum source source, prs_u32 index)
{
	prs_u64 key = (prs_u64)loop->generation[index] << 32 | index << 4 | source;
	struct epoll_event event = {.events = EPOLLIN, .data.u64 = key};

	return epoll_ctl(loop->epoll, EPOLL_CTL_ADD, fd, &event) ? -errno : 0;
}

static int block_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

int loop_open(struct loop *loop, struct service *service, struct guard *guard, int listener,
	      struct problem *problem)
{
	memset(loop, 0, sizeof(*loop));
	loop->service = service;
	loop->guard = guard;
	loop->listener = listener;
	for (prs_u32 i = 0; i < PLACES; i++)
		loop->connection[i].fd = loop->connection[i].pidfd = -1;
	loop->signals = block_signals();
	loop->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	loop->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (loop->signals < 0 || loop->timer < 0 || loop->epoll < 0 ||
	    loop_watch(loop, listener, LISTENER, 0) || loop_watch(loop, loop->signals, SIGNALS, 0) ||
	    loop_watch(loop, loop->timer, TIMER, 0) || loop_watch(loop, guard->pidfd, GUARD, 0))
		return problem_set(problem, EXIT_MACHINE, "waiting for events is not possible: %s",
				   strerror(errno));
	return 0;
}

unsigned int loop_files(const struct loop *loop)
{
	/* One more connection than are admitted, to tell it so; and a list of processes. */
	return (unsigned int)loop->epoll + 4 + 2 * (loop->service->config->max_clients + ROOT_PLACES + 1);
}

/* ---- time ------------------------------------------------------------------- */

static void set_alarm(struct loop *loop, prs_u64 at)
{
	struct itimerspec when = {.it_value = {(time_t)(at / 1000), (long)(at % 1000) * 1000000}};

	if (!at || (loop->alarm_ms && loop->alarm_ms <= at))
		return;
	timerfd_settime(loop->timer, TFD_TIMER_ABSTIME, &when, NULL);
	loop->alarm_ms = at;
}

/* ---- connections ------------------------------------------------------------ */

static void close_connection(struct loop *loop, prs_u32 index, const char *reason)
{
	struct connection *c = &loop->connection[index];

	service_end(loop->service, c, reason);
	connection_end(c);
	loop->clients--;
	loop->generation[index]++;
	close(c->fd);
	close(c->pidfd);
	c->fd = c->pidfd = -1;
}

/*
 * Index of a free place, or PLACES if all together have as many as they may.  Of those that are kept for root
 * one that has not said yet who it is makes room: whoever is root says so at once.
 */
static prs_u32 free_place(struct loop *loop, uid_t uid)
{
	prs_u32 most = loop->service->config->max_clients, oldest = PLACES;

	for (prs_u32 i = 0; i < most + (uid ? 0 : ROOT_PLACES); i++) {
		const struct connection *c = &loop->connection[i];

		if (c->fd < 0)
			return i;
		if (i >= most && !c->is_greeted &&
		    (oldest == PLACES || c->since_ms < loop->connection[oldest].since_ms))
			oldest = i;
	}
	if (oldest < PLACES)
		close_connection(loop, oldest, "no-hello");
	return oldest;
}

static int admit(struct loop *loop, const struct caller *caller, prs_u32 place)
{
	struct connection *c = &loop->connection[place];
	prs_u64 session = 0;

	/* Not getrandom(): from glibc 2.41 on that maps memory and blocks signals, which the filter does not allow. */
	if (syscall(SYS_getrandom, &session, sizeof(session), 0) != sizeof(session) || !session)
		return -EAGAIN;
	if (loop_watch(loop, caller->fd, SOCKET, place) || loop_watch(loop, caller->pidfd, PEER, place))
		return -EMFILE;
	c->fd = caller->fd;
	c->pidfd = caller->pidfd;
	connection_init(loop->service, c, caller->pid, caller->uid, session);
	c->needs_root = place >= loop->service->config->max_clients;
	loop->clients++;
	set_alarm(loop, loop->service->now_ms + GREET_MS);
	return 0;
}

/* OK, or why this caller is sent away.  A connection is a request of its person, too. */
static enum prs_ctl_status loop_judge(struct loop *loop, struct caller *caller)
{
	const struct config *config = loop->service->config;
	uid_t person = persons_of(&config->persons, caller->uid);
	struct account *account;

	if (loop->service->is_stopping)
		return PRS_CTL_STOPPING_STATUS;
	/* A pid of 0 is a process of another pid namespace: who it is cannot be told from others there. */
	if (caller->pid <= 0)
		return PRS_CTL_NOT_PEER_STATUS;
	if (person == PERSON_NOBODY)
		return PRS_CTL_NOT_ALLOWED_STATUS;
	account = account_of(loop->service, person);
	if (!account || account->connections >= config->max_clients_per_uid)
		return PRS_CTL_LIMIT_STATUS;
	if (!account_take_request(account))
		return PRS_CTL_RATE_STATUS;
	return listener_hold(caller) ? PRS_CTL_OK_STATUS : PRS_CTL_LIMIT_STATUS;
}

/* Whoever waits to be connected is admitted or refused; false if nobody is. */
static bool take_caller(struct loop *loop)
{
	enum prs_ctl_status why;
	struct caller caller;
	prs_u32 place;

	if (listener_accept(loop->listener, &caller))
		return false;
	why = loop_judge(loop, &caller);
	place = why ? PLACES : free_place(loop, caller.uid);
	if (place < PLACES && !admit(loop, &caller, place))
		return true;
	listener_refuse(caller.fd, why ? why : PRS_CTL_LIMIT_STATUS);
	close(caller.fd);
	if (caller.pidfd >= 0)
		close(caller.pidfd);
	return true;
}

/* From now on it is closed if nothing comes. */
static void watch_idle(struct loop *loop, const struct connection *c)
{
	const char *reason;

	set_alarm(loop, connection_deadline(loop->service, c, &reason));
}

/* One packet of a connection; false if there was none, or the connection is closed. */
static bool serve(struct loop *loop, prs_u32 index)
{
	struct connection *c = &loop->connection[index];
	prs_u8 buffer[PRS_CTL_MESSAGE];
	struct prs_ctl_reply reply;
	struct packet packet;
	int n = listener_receive(c->fd, buffer, &packet);

	if (n == -EAGAIN)
		return false;
	if (n <= 0) {
		close_connection(loop, index, "closed");
		return false;
	}
	service_answer(loop->service, c, &packet, &reply);
	watch_idle(loop, c);
	if (listener_send(c->fd, &reply)) {
		close_connection(loop, index, "not-reading");
		return false;
	}
	return true;
}

static void close_silent(struct loop *loop)
{
	prs_u64 next = 0, now = loop->service->now_ms;

	for (prs_u32 i = 0; i < PLACES; i++) {
		struct connection *c = &loop->connection[i];
		const char *reason;
		prs_u64 at = c->fd < 0 ? 0 : connection_deadline(loop->service, c, &reason);

		if (at && at <= now)
			close_connection(loop, i, reason);
		else if (at && (!next || at < next))
			next = at;
	}
	set_alarm(loop, next);
}

/* ---- events ----------------------------------------------------------------- */

static void handle_timer(struct loop *loop)
{
	prs_u64 ticks;

	if (read(loop->timer, &ticks, sizeof(ticks)) < 0)
		return;
	loop->alarm_ms = 0;
	close_silent(loop);
	if (loop->service->has_leftovers)
		service_retry(loop->service);
}

static void handle(struct loop *loop, prs_u64 key)
{
	prs_u32 index = (prs_u32)key >> 4;

	switch (key & 15) {
	case LISTENER:
		take_caller(loop);
		return;
	case TIMER:
		handle_timer(loop);
		return;
	case SOCKET:
	case PEER:
		if (loop->generation[index] != key >> 32)
			return;
		/* Events are not in order: what it asked for is not begun when it has gone. */
		if ((key & 15) == PEER)
			close_connection(loop, index, "exited");
		else
			serve(loop, index);
		return;
	}
}

/* Whoever waits for an answer gets one. */
static void say_goodbye(struct loop *loop)
{
	for (prs_u32 i = 0; i < PLACES; i++) {
		for (int k = 0; k < LAST_WORDS && loop->connection[i].fd >= 0 && serve(loop, i); k++)
			;
		if (loop->connection[i].fd >= 0)
			close_connection(loop, i, "stopping");
	}
	for (prs_u32 i = 0; i < PLACES && take_caller(loop); i++)
		;
}

/* The source that ends it all, LISTENER if there is none. */
static enum source find_end(const struct epoll_event *events, int n)
{
	for (int i = 0; i < n; i++) {
		enum source source = events[i].data.u64 & 15;

		if (source == SIGNALS || source == GUARD)
			return source;
	}
	return LISTENER;
}

static int stop(struct loop *loop, enum source why)
{
	audit("change=stopping reason=%s clients=%u", why == GUARD ? "guard-ended" : "signal", loop->clients);
	loop->service->is_stopping = true;
	service_end(loop->service, NULL, "stopping");
	say_goodbye(loop);
	close(loop->listener);
	return why == GUARD ? EXIT_MACHINE : 0;
}

int loop_run(struct loop *loop)
{
	struct epoll_event events[EVENTS];

	for (;;) {
		int n = epoll_wait(loop->epoll, events, EVENTS, -1);
		enum source end = find_end(events, n);

		loop->service->now_ms = clock_us() / 1000;
		if (end != LISTENER)
			return stop(loop, end);
		service_expire(loop->service);
		for (int i = 0; i < n; i++)
			handle(loop, events[i].data.u64);
		set_alarm(loop, loop->service->next_ms);
		if (loop->service->has_leftovers)
			set_alarm(loop, loop->service->now_ms + RETRY_MS);
	}
}

/* SPDX-License-Identifier: MIT */
/*
 * Functions of libc that are passed on as they come, with a look at the clock
 * before and after: one for all of them, and a table of what each is.
 */
#include "arch/pass.h"
#include "runtime/wrap/wrap-wait.h"

/* What _FORTIFY_SOURCE makes of some of them; no header of libc declares these without it. */
ssize_t __read_chk(int fd, void *buf, size_t n, size_t room);
ssize_t __recv_chk(int fd, void *buf, size_t n, size_t room, int flags);
int __poll_chk(struct pollfd *fds, nfds_t n, int ms, size_t room);
int __ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *limit, const sigset_t *mask,
		size_t room);

enum pass_how {
	PASS_WAIT,  /* its time is a wait whatever it was */
	PASS_CHILD, /* one that has ended already, or is only asked for, keeps nobody waiting */
	PASS_IO,    /* argument 0 is the descriptor */
	PASS_POLL,  /* pollfds and their number */
	PASS_SELECT,
	PASS_EPOLL,
};

#define ASKS_NEVER 6 /* no argument says that it must not block */

/* name, how, kind, the argument that may say so: flags with MSG_DONTWAIT, or no milliseconds at all */
#define PASSES(X)                                                                                            \
	X(nanosleep, PASS_WAIT, PRS_EV_SLEEP, ASKS_NEVER)                                                    \
	X(clock_nanosleep, PASS_WAIT, PRS_EV_SLEEP, ASKS_NEVER)                                              \
	X(thrd_sleep, PASS_WAIT, PRS_EV_SLEEP, ASKS_NEVER)                                                   \
	X(usleep, PASS_WAIT, PRS_EV_SLEEP, ASKS_NEVER)                                                       \
	X(sleep, PASS_WAIT, PRS_EV_SLEEP, ASKS_NEVER)                                                        \
	X(pause, PASS_WAIT, PRS_EV_SIGWAIT, ASKS_NEVER)                                                      \
	X(sigsuspend, PASS_WAIT, PRS_EV_SIGWAIT, ASKS_NEVER)                                                 \
	X(sigwait, PASS_WAIT, PRS_EV_SIGWAIT, ASKS_NEVER)                                                    \
	X(sigwaitinfo, PASS_WAIT, PRS_EV_SIGWAIT, ASKS_NEVER)                                                \
	X(sigtimedwait, PASS_WAIT, PRS_EV_SIGWAIT, ASKS_NEVER)                                               \
	X(wait, PASS_CHILD, PRS_EV_WAITPID, ASKS_NEVER)                                                      \
	X(waitpid, PASS_CHILD, PRS_EV_WAITPID, ASKS_NEVER)                                                   \
	X(wait3, PASS_CHILD, PRS_EV_WAITPID, ASKS_NEVER)                                                     \
	X(wait4, PASS_CHILD, PRS_EV_WAITPID, ASKS_NEVER)                                                     \
	X(waitid, PASS_CHILD, PRS_EV_WAITPID, ASKS_NEVER)                                                    \
	X(read, PASS_IO, PRS_EV_READ, ASKS_NEVER)                                                            \
	X(readv, PASS_IO, PRS_EV_READ, ASKS_NEVER)                                                           \
	X(write, PASS_IO, PRS_EV_WRITE, ASKS_NEVER)                                                          \
	X(writev, PASS_IO, PRS_EV_WRITE, ASKS_NEVER)                                                         \
	X(recv, PASS_IO, PRS_EV_READ, 3)                                                                     \
	X(recvfrom, PASS_IO, PRS_EV_READ, 3)                                                                 \
	X(recvmsg, PASS_IO, PRS_EV_READ, 2)                                                                  \
	X(send, PASS_IO, PRS_EV_WRITE, 3)                                                                    \
	X(sendto, PASS_IO, PRS_EV_WRITE, 3)                                                                  \
	X(sendmsg, PASS_IO, PRS_EV_WRITE, 2)                                                                 \
	X(accept, PASS_IO, PRS_EV_ACCEPT, ASKS_NEVER)                                                        \
	X(accept4, PASS_IO, PRS_EV_ACCEPT, ASKS_NEVER)                                                       \
	X(connect, PASS_IO, PRS_EV_CONNECT, ASKS_NEVER)                                                      \
	X(__read_chk, PASS_IO, PRS_EV_READ, ASKS_NEVER)                                                      \
	X(__recv_chk, PASS_IO, PRS_EV_READ, 4)                                                               \
	X(poll, PASS_POLL, PRS_EV_POLL, 2)                                                                   \
	X(ppoll, PASS_POLL, PRS_EV_POLL, ASKS_NEVER)                                                         \
	X(__poll_chk, PASS_POLL, PRS_EV_POLL, 2)                                                             \
	X(__ppoll_chk, PASS_POLL, PRS_EV_POLL, ASKS_NEVER)                                                   \
	X(select, PASS_SELECT, PRS_EV_POLL, ASKS_NEVER)                                                      \
	X(pselect, PASS_SELECT, PRS_EV_POLL, ASKS_NEVER)                                                     \
	X(epoll_wait, PASS_EPOLL, PRS_EV_POLL, 3)                                                            \
	X(epoll_pwait, PASS_EPOLL, PRS_EV_POLL, 3)                                                           \
	X(epoll_pwait2, PASS_EPOLL, PRS_EV_POLL, ASKS_NEVER)

#define PASS_ASM(name, how, kind, asks) PASS_STUB(name)
__asm__(PASS_BEGIN PASSES(PASS_ASM));

typedef long pass_fn(long, long, long, long, long, long);

struct pass {
#ifdef PRS_STATIC
	void *real;
#else
	uint8_t real; /* in rt_real_table */
#endif
	uint8_t how, kind, asks;
};

#ifdef PRS_STATIC
#define PASS_REAL(name) (void *)&__real_##name
#else
#define PASS_REAL(name) offsetof(struct rt_real, name) / sizeof(void *)
_Static_assert(sizeof(struct rt_real) / sizeof(void *) <= 256, "a number of one byte");
#endif

#define PASS_ENTRY(name, how, kind, asks) {PASS_REAL(name), how, kind, asks},
static const struct pass passes[] = {PASSES(PASS_ENTRY)};

static pass_fn *real_of(const struct pass *p)
{
#ifdef PRS_STATIC
	return (pass_fn *)p->real;
#else
	return (pass_fn *)real_get(p->real);
#endif
}

/* It was asked not to block. */
static bool stays(const struct pass *p, const long *a)
{
	if (p->asks == ASKS_NEVER)
		return false;
	return p->how == PASS_IO ? a[p->asks] & MSG_DONTWAIT : !(int)a[p->asks];
}

static int ready_poll(const struct pollfd *fds, nfds_t n, int ret)
{
	for (nfds_t i = 0; ret > 0 && i < n; i++)
		if (fds[i].revents)
			return fds[i].fd;
	return n == 1 ? fds[0].fd : -1;
}

static int ready_select(int n, const fd_set *reads, int ret)
{
	for (int fd = 0; ret > 0 && reads && fd < n && fd < FD_SETSIZE; fd++)
		if (FD_ISSET(fd, reads))
			return fd;
	return -1;
}

/* The descriptor that the call was about, as far as that is known only now. */
static int about(const struct pass *p, const long *a, int ret)
{
	switch (p->how) {
	case PASS_POLL:
		return ready_poll((const struct pollfd *)a[0], (nfds_t)a[1], ret);
	case PASS_SELECT:
		return ready_select((int)a[0], (const fd_set *)a[1], ret);
	default:
		return (int)a[0];
	}
}

static void wrap_pass_begin(struct rt_seen *e, const struct pass *p, const long *a, const void *caller)
{
	if (p->how == PASS_WAIT)
		wrap_begin(e, p->kind, NULL, caller);
	else if (p->how == PASS_CHILD)
		wrap_begin_call(e, p->kind, caller);
	else
		wrap_io_begin(e, p->kind, p->how == PASS_IO ? (int)a[0] : -1, stays(p, a), caller);
}

static void wrap_pass_end(struct rt_seen *e, const struct pass *p, const long *a, long ret)
{
	int64_t value = p->kind == PRS_EV_READ || p->kind == PRS_EV_WRITE ? ret : (int)ret;

	if (p->how >= PASS_IO)
		wrap_io_end(e, about(p, a, (int)ret), value);
	else if (p->how == PASS_WAIT || wrap_long(e))
		wrap_end(e, value, PRS_NO_THREAD, NULL, -1);
}

/* The real one finds in the registers beyond its own arguments what ours held. */
long pass_on(const long *a, uint32_t number, const void *caller)
{
	const struct pass *p = &passes[number];
	struct rt_seen e;
	long ret;

	wrap_pass_begin(&e, p, a, caller);
	ret = real_of(p)(a[0], a[1], a[2], a[3], a[4], a[5]);
	wrap_pass_end(&e, p, a, ret);
	return ret;
}

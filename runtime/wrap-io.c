/* SPDX-License-Identifier: MIT */
/*
 * Calls on descriptors.  Most of them do not block, and nothing tells before
 * which will.  So the clock is read round each; one that took 10 us is looked
 * at: its descriptor must be of a kind that can block, and the kernel must
 * have counted that the thread gave up its core, else it was only put off.
 *
 * Who was at the other end of a pipe is found when the thread wakes: each
 * thread keeps its last few calls where others can read them.
 */
#include <errno.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "runtime/wrap-wait.h"

/* What _FORTIFY_SOURCE makes of some of them; no header of libc declares these without it. */
ssize_t __read_chk(int fd, void *buf, size_t n, size_t room);
ssize_t __recv_chk(int fd, void *buf, size_t n, size_t room, int flags);
ssize_t __recvfrom_chk(int fd, void *buf, size_t n, size_t room, int flags, struct sockaddr *from,
		       socklen_t *len);
int __poll_chk(struct pollfd *fds, nfds_t n, int ms, size_t room);
int __ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *limit, const sigset_t *mask,
		size_t room);

#define PEERS_MAX 256u /* threads that are asked whether they were at the other end */

/* Leave a note for the other end. */
static void leave_note(struct rt_waits *w, int fd, bool writes, uint64_t now)
{
	struct rt_io *io = &w->io[w->io_next++ % RT_IO_KEPT];

	rt_store(&io->begin, 0);
	rt_store(&io->fd, fd);
	rt_store(&io->writes, writes);
	rt_publish(&io->begin, now);
}

/* ---- what is behind a descriptor --------------------------------------------- */

static enum prs_fd_kind device_kind(dev_t dev)
{
	unsigned m = (unsigned)(dev >> 8) & 0xfff; /* libc's major() is a call */

	return m == 4 || m == 5 || (m >= 136 && m <= 143) || m == 188 ? PRS_FD_TERMINAL : PRS_FD_DEVICE;
}

/* The object of a descriptor; 0: of a kind that does not block (files, directories, disks). */
static uint64_t object_of(int fd, const struct stat *st)
{
	switch (st->st_mode & S_IFMT) {
	case S_IFIFO:
		return (uint64_t)PRS_FD_PIPE << PRS_FD_SHIFT | (st->st_ino & ((1ull << PRS_FD_SHIFT) - 1));
	case S_IFSOCK:
		return (uint64_t)PRS_FD_SOCKET << PRS_FD_SHIFT | (uint32_t)fd;
	case S_IFCHR:
		return (uint64_t)device_kind(st->st_rdev) << PRS_FD_SHIFT | (uint32_t)fd;
	case 0:
		return (uint64_t)PRS_FD_EVENT << PRS_FD_SHIFT | (uint32_t)fd;
	default:
		return 0;
	}
}

static bool may_block(int fd)
{
	long flags = rt_syscall3(SYS_fcntl, fd, F_GETFL, 0);

	return flags >= 0 && !(flags & O_NONBLOCK);
}

/* ---- the other end -------------------------------------------------------------- */

/* Things without a file all have one inode: those of one number are the same. */
static bool same_thing(const struct stat *a, const struct stat *b, bool one_fd)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && (S_ISFIFO(a->st_mode) || one_fd);
}

/* When @w began the newest call of the other direction on the same thing, before @to; 0: none. */
static uint64_t call_on(const struct rt_waits *w, const struct stat *st, int self_fd, bool writes,
			uint64_t to)
{
	uint64_t newest = 0;

	for (uint32_t i = 0; i < RT_IO_KEPT; i++) {
		const struct rt_io *io = &w->io[i];
		uint64_t begin = rt_acquire(&io->begin);
		int fd = rt_load(&io->fd);
		struct stat other;

		if (!begin || begin <= newest || begin > to || rt_load(&io->writes) != writes)
			continue;
		if (!sys_fstat(fd, &other) && same_thing(st, &other, fd == self_fd))
			newest = begin;
	}
	return newest;
}

/* The thread that last did the opposite on the object: who wrote what was read. */
static uint32_t other_end(const struct rt_thread *self, const struct stat *st, int fd, bool writes)
{
	uint32_t who = PRS_NO_THREAD, asked = 0;
	uint64_t newest = 0, to = rt_ticks();

	if (!S_ISFIFO(st->st_mode) && st->st_mode & S_IFMT)
		return who;
	for (struct rt_thread *t = rt_acquire(&rt.all); t && asked < PEERS_MAX; t = t->all_next) {
		struct rt_waits *w = rt_acquire(&t->waits);
		uint64_t begin;

		if (t == self || !w || !rt_acquire(&t->live))
			continue;
		asked++;
		begin = call_on(w, st, fd, writes, to);
		if (begin > newest) {
			newest = begin;
			who = t->index;
		}
	}
	return who;
}

/* ---- one call --------------------------------------------------------------------- */

#define NEVER 0x80000000u /* or'ed to the kind: it was asked not to block */

static WRAP_SHARED void io_begin(struct rt_seen *e, uint32_t kind, int fd, const void *caller)
{
	struct rt_waits *w;

	wrap_begin_call(e, kind & ~NEVER, caller);
	w = e->begin ? wait_state(rt_self) : NULL;
	if (!w)
		return;
	if (e->kind == PRS_EV_READ || e->kind == PRS_EV_WRITE)
		leave_note(w, fd, e->kind == PRS_EV_WRITE, e->begin);
	if (kind & NEVER) {
		e->begin = 0;
		wait_cancel(rt_self);
	}
}

/* It took long: was it a wait? */
static void io_blocked(struct rt_seen *e, int fd, int64_t value)
{
	struct rt_thread *t = rt_self;
	bool polls = e->kind == PRS_EV_POLL;
	uint32_t whom = PRS_NO_THREAD;
	struct stat st;

	if (!polls && !may_block(fd)) {
		wait_cancel(t);
		return;
	}
	if (fd >= 0 && !sys_fstat(fd, &st)) {
		e->object = object_of(fd, &st);
		whom = other_end(t, &st, fd, e->kind != PRS_EV_WRITE);
	}
	if (e->object || polls)
		wrap_end(e, value, whom, NULL, fd);
	else
		wait_cancel(t);
}

/* @fd: which it was about, as far as that is known only now. */
static WRAP_SHARED void io_end(struct rt_seen *e, int fd, int64_t value)
{
	int saved = errno;

	if (e->begin && wrap_long(e))
		io_blocked(e, fd, value);
	errno = saved;
}

#define IO(kind, fd, call)                                                                                   \
	do {                                                                                                 \
		struct rt_seen e_;                                                                           \
		__typeof__(call) ret_;                                                                       \
		io_begin(&e_, kind, fd, __builtin_return_address(0));                                        \
		ret_ = (call);                                                                               \
		io_end(&e_, fd, ret_);                                                                       \
		return ret_;                                                                                 \
	} while (0)

/* The kind of a call with the flags of recv() or send(). */
static uint32_t kind_of(uint32_t kind, int flags)
{
	return flags & MSG_DONTWAIT ? kind | NEVER : kind;
}

/* ---- reading and writing ------------------------------------------------------------ */

RT_EXPORT ssize_t read(int fd, void *buf, size_t n)
{
	IO(PRS_EV_READ, fd, REAL(read)(fd, buf, n));
}

RT_EXPORT ssize_t readv(int fd, const struct iovec *v, int n)
{
	IO(PRS_EV_READ, fd, REAL(readv)(fd, v, n));
}

RT_EXPORT ssize_t write(int fd, const void *buf, size_t n)
{
	IO(PRS_EV_WRITE, fd, REAL(write)(fd, buf, n));
}

RT_EXPORT ssize_t writev(int fd, const struct iovec *v, int n)
{
	IO(PRS_EV_WRITE, fd, REAL(writev)(fd, v, n));
}

RT_EXPORT ssize_t recv(int fd, void *buf, size_t n, int flags)
{
	IO(kind_of(PRS_EV_READ, flags), fd, REAL(recv)(fd, buf, n, flags));
}

RT_EXPORT ssize_t recvfrom(int fd, void *buf, size_t n, int flags, struct sockaddr *from, socklen_t *len)
{
	IO(kind_of(PRS_EV_READ, flags), fd, REAL(recvfrom)(fd, buf, n, flags, from, len));
}

RT_EXPORT ssize_t recvmsg(int fd, struct msghdr *msg, int flags)
{
	IO(kind_of(PRS_EV_READ, flags), fd, REAL(recvmsg)(fd, msg, flags));
}

RT_EXPORT ssize_t send(int fd, const void *buf, size_t n, int flags)
{
	IO(kind_of(PRS_EV_WRITE, flags), fd, REAL(send)(fd, buf, n, flags));
}

RT_EXPORT ssize_t sendto(int fd, const void *buf, size_t n, int flags, const struct sockaddr *to,
			 socklen_t len)
{
	IO(kind_of(PRS_EV_WRITE, flags), fd, REAL(sendto)(fd, buf, n, flags, to, len));
}

RT_EXPORT ssize_t sendmsg(int fd, const struct msghdr *msg, int flags)
{
	IO(kind_of(PRS_EV_WRITE, flags), fd, REAL(sendmsg)(fd, msg, flags));
}

RT_EXPORT int accept(int fd, struct sockaddr *from, socklen_t *len)
{
	IO(PRS_EV_ACCEPT, fd, REAL(accept)(fd, from, len));
}

RT_EXPORT int accept4(int fd, struct sockaddr *from, socklen_t *len, int flags)
{
	IO(PRS_EV_ACCEPT, fd, REAL(accept4)(fd, from, len, flags));
}

RT_EXPORT int connect(int fd, const struct sockaddr *to, socklen_t len)
{
	IO(PRS_EV_CONNECT, fd, REAL(connect)(fd, to, len));
}

RT_EXPORT ssize_t __read_chk(int fd, void *buf, size_t n, size_t room)
{
	IO(PRS_EV_READ, fd, REAL(__read_chk)(fd, buf, n, room));
}

RT_EXPORT ssize_t __recv_chk(int fd, void *buf, size_t n, size_t room, int flags)
{
	IO(kind_of(PRS_EV_READ, flags), fd, REAL(__recv_chk)(fd, buf, n, room, flags));
}

RT_EXPORT ssize_t __recvfrom_chk(int fd, void *buf, size_t n, size_t room, int flags, struct sockaddr *from,
				 socklen_t *len)
{
	IO(kind_of(PRS_EV_READ, flags), fd, REAL(__recvfrom_chk)(fd, buf, n, room, flags, from, len));
}

/* ---- waiting for one of many ----------------------------------------------------------- */

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

#define POLL(ms, call, ready)                                                                                \
	do {                                                                                                 \
		struct rt_seen e_;                                                                           \
		int ret_;                                                                                    \
		io_begin(&e_, (ms) ? PRS_EV_POLL : PRS_EV_POLL | NEVER, -1, __builtin_return_address(0));    \
		ret_ = (call);                                                                               \
		io_end(&e_, (ready), ret_);                                                                  \
		return ret_;                                                                                 \
	} while (0)

RT_EXPORT int poll(struct pollfd *fds, nfds_t n, int ms)
{
	POLL(ms, REAL(poll)(fds, n, ms), ready_poll(fds, n, ret_));
}

RT_EXPORT int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *limit, const sigset_t *mask)
{
	POLL(-1, REAL(ppoll)(fds, n, limit, mask), ready_poll(fds, n, ret_));
}

RT_EXPORT int __poll_chk(struct pollfd *fds, nfds_t n, int ms, size_t room)
{
	POLL(ms, REAL(__poll_chk)(fds, n, ms, room), ready_poll(fds, n, ret_));
}

RT_EXPORT int __ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *limit, const sigset_t *mask,
			  size_t room)
{
	POLL(-1, REAL(__ppoll_chk)(fds, n, limit, mask, room), ready_poll(fds, n, ret_));
}

RT_EXPORT int select(int n, fd_set *r, fd_set *w, fd_set *x, struct timeval *limit)
{
	POLL(-1, REAL(select)(n, r, w, x, limit), ready_select(n, r, ret_));
}

RT_EXPORT int pselect(int n, fd_set *r, fd_set *w, fd_set *x, const struct timespec *limit,
		      const sigset_t *mask)
{
	POLL(-1, REAL(pselect)(n, r, w, x, limit, mask), ready_select(n, r, ret_));
}

RT_EXPORT int epoll_wait(int ep, struct epoll_event *events, int n, int ms)
{
	POLL(ms, REAL(epoll_wait)(ep, events, n, ms), ep);
}

RT_EXPORT int epoll_pwait(int ep, struct epoll_event *events, int n, int ms, const sigset_t *mask)
{
	POLL(ms, REAL(epoll_pwait)(ep, events, n, ms, mask), ep);
}

RT_EXPORT int epoll_pwait2(int ep, struct epoll_event *events, int n, const struct timespec *limit,
			   const sigset_t *mask)
{
	POLL(-1, REAL(epoll_pwait2)(ep, events, n, limit, mask), ep);
}

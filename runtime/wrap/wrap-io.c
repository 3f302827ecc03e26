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
#include <sys/socket.h>

#include "runtime/wrap/wrap-wait.h"

/* What _FORTIFY_SOURCE makes of recvfrom(). */
ssize_t __recvfrom_chk(int fd, void *buf, size_t n, size_t room, int flags, struct sockaddr *from,
		       socklen_t *len);

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

WRAP_SHARED void wrap_io_begin(struct rt_seen *e, uint32_t kind, int fd, bool stays, const void *caller)
{
	struct rt_waits *w;

	wrap_begin_call(e, kind, caller);
	w = e->begin ? wait_state(rt_self) : NULL;
	if (!w)
		return;
	if (kind == PRS_EV_READ || kind == PRS_EV_WRITE)
		leave_note(w, fd, kind == PRS_EV_WRITE, e->begin);
	if (stays) {
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

WRAP_SHARED void wrap_io_end(struct rt_seen *e, int fd, int64_t value)
{
	int saved = errno;

	if (e->begin && wrap_long(e))
		io_blocked(e, fd, value);
	errno = saved;
}

/* It has one argument more than wrap-pass.c passes on. */
RT_EXPORT ssize_t __recvfrom_chk(int fd, void *buf, size_t n, size_t room, int flags, struct sockaddr *from,
				 socklen_t *len)
{
	struct rt_seen e;
	ssize_t ret;

	wrap_io_begin(&e, PRS_EV_READ, fd, flags & MSG_DONTWAIT, __builtin_return_address(0));
	ret = REAL(__recvfrom_chk)(fd, buf, n, room, flags, from, len);
	wrap_io_end(&e, fd, ret);
	return ret;
}

/* SPDX-License-Identifier: MIT */
/*
 * Mappings that several processes may have begin and end (memory/shared.c).
 * System calls are made directly: allocators map memory before libc is ready.
 */
#include <errno.h>
#include <sys/ipc.h>
#include <sys/shm.h>
#include <sys/statfs.h>

#include "runtime/memory/shared.h"
#include "runtime/wrap/real.h"

#define TMPFS 0x01021994 /* shm_open(), memfd_create() */

static bool may_be_written(int prot, int fd)
{
	struct statfs fs;

	return prot & PROT_WRITE ||
	       (!rt_syscall3(SYS_fstatfs, fd, (long)&fs, 0) && (unsigned long)fs.f_type == TMPFS);
}

static void mapped(uint64_t at, uint64_t bytes, int prot, int flags, int fd, uint64_t offset)
{
	struct prs_shared m = {.start = at, .bytes = bytes, .offset = offset};
	struct stat st;

	if (flags & MAP_ANONYMOUS) {
		m.dev = SHARED_ANONYMOUS;
		m.offset = 0;
	} else {
		/* Reading a device may change it, and its memory is in no cache. */
		if (sys_fstat(fd, &st) || st.st_rdev || !may_be_written(prot, fd))
			return;
		m.dev = st.st_dev;
		m.ino = st.st_ino;
	}
	shared_add(&m);
}

static long result(long r)
{
	if (r >= 0 || r <= -4096)
		return r;
	errno = (int)-r;
	return -1;
}

RT_EXPORT void *mmap(void *at, size_t bytes, int prot, int flags, int fd, off_t offset)
{
	long p = rt_syscall(SYS_mmap, (long)at, (long)bytes, prot, flags, fd, offset);
	int type = flags & 0xf;

	if ((type == MAP_SHARED || type == 3 /* MAP_SHARED_VALIDATE */) && (p >= 0 || p <= -4096) &&
	    shared_wanted())
		mapped((uint64_t)p, bytes, prot, flags, fd, (uint64_t)offset);
	return (void *)result(p);
}

RT_EXPORT void *mmap64(void *at, size_t bytes, int prot, int flags, int fd, off64_t offset)
	__attribute__((alias("mmap")));

RT_EXPORT int munmap(void *at, size_t bytes)
{
	long r = rt_syscall3(SYS_munmap, (long)at, (long)bytes, 0);

	if (!r)
		shared_end((uint64_t)at);
	return (int)result(r);
}

RT_EXPORT void *shmat(int id, const void *at, int flags)
{
	long p = rt_syscall3(SYS_shmat, id, (long)at, flags);
	struct shmid_ds ds;

	if ((p >= 0 || p <= -4096) && shared_wanted() && !rt_syscall3(SYS_shmctl, id, IPC_STAT, (long)&ds)) {
		struct prs_shared m = {.start = (uint64_t)p, .bytes = ds.shm_segsz};

		m.dev = SHARED_SYSTEM_V;
		m.ino = (uint64_t)id;
		shared_add(&m);
	}
	return (void *)result(p);
}

RT_EXPORT int shmdt(const void *at)
{
	long r = rt_syscall1(SYS_shmdt, (long)at);

	if (!r)
		shared_end((uint64_t)at);
	return (int)result(r);
}

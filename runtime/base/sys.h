/* SPDX-License-Identifier: MIT */
/* The system calls of the runtime, each a thin inline; failure is a negative errno. */
#ifndef RUNTIME_BASE_SYS_H
#define RUNTIME_BASE_SYS_H

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

#include "arch/syscall.h"

/* A mapping, or NULL. */
void *sys_mmap(size_t bytes, int prot, int flags, int fd);

/* Zero-filled private memory that costs nothing until touched, or NULL. */
void *sys_anon(size_t bytes);

static inline void sys_munmap(void *p, size_t bytes)
{
	rt_syscall3(SYS_munmap, (long)p, (long)bytes, 0);
}

static inline void sys_madvise(void *p, size_t bytes, int advice)
{
	rt_syscall3(SYS_madvise, (long)p, (long)bytes, advice);
}

/* A descriptor. */
int sys_open(const char *path, int flags, int mode);

static inline void sys_close(int fd)
{
	rt_syscall1(SYS_close, fd);
}

static inline int sys_unlink(const char *path)
{
	return (int)rt_syscall3(SYS_unlink, (long)path, 0, 0);
}

/* Move @fd out of the range that programs count on; the old one is closed. */
static inline int sys_raise_fd(int fd)
{
	for (int floor = 1000; floor > 10; floor /= 2) {
		int high = (int)rt_syscall3(SYS_fcntl, fd, F_DUPFD_CLOEXEC, floor);

		if (high >= 0) {
			sys_close(fd);
			return high;
		}
	}
	return fd;
}

static inline int sys_fstat(int fd, struct stat *st)
{
	return (int)rt_syscall3(SYS_fstat, fd, (long)st, 0);
}

static inline int sys_stat(const char *path, struct stat *st)
{
	return (int)rt_syscall4(SYS_newfstatat, AT_FDCWD, (long)path, (long)st, 0);
}

static inline int sys_fallocate(int fd, uint64_t at, uint64_t bytes)
{
	return (int)rt_syscall4(SYS_fallocate, fd, 0, (long)at, (long)bytes);
}

static inline long sys_pwrite(int fd, const void *data, size_t bytes, uint64_t at)
{
	return rt_syscall4(SYS_pwrite64, fd, (long)data, (long)bytes, (long)at);
}

static inline long sys_read(int fd, void *data, size_t bytes)
{
	return rt_syscall3(SYS_read, fd, (long)data, (long)bytes);
}

static inline long sys_readlink(const char *path, char *out, size_t bytes)
{
	return rt_syscall3(SYS_readlink, (long)path, (long)out, (long)bytes);
}

/* Bytes with the final 0, or a negative errno. */
static inline long sys_getcwd(char *out, size_t bytes)
{
	return rt_syscall3(SYS_getcwd, (long)out, (long)bytes, 0);
}

static inline struct rlimit sys_limit(int what)
{
	struct rlimit lim = {RLIM_INFINITY, RLIM_INFINITY};

	rt_syscall4(SYS_prlimit64, 0, what, 0, (long)&lim);
	return lim;
}

/* Bytes that a file may grow to by RLIMIT_FSIZE; growing beyond raises SIGXFSZ. */
static inline uint64_t sys_file_limit(void)
{
	return sys_limit(RLIMIT_FSIZE).rlim_cur;
}

static inline uint32_t sys_getpid(void)
{
	return (uint32_t)rt_syscall1(SYS_getpid, 0);
}

static inline uint32_t sys_getppid(void)
{
	return (uint32_t)rt_syscall1(SYS_getppid, 0);
}

static inline uint32_t sys_gettid(void)
{
	return (uint32_t)rt_syscall1(SYS_gettid, 0);
}

static inline void sys_sched_yield(void)
{
	rt_syscall1(SYS_sched_yield, 0);
}

static inline void sys_thread_name(char name[16])
{
	rt_syscall3(SYS_prctl, 16 /* PR_GET_NAME */, (long)name, 0);
}

/* Nanoseconds of clock @id; 0 if there is no such clock. */
uint64_t sys_clock(int id);

static inline uint64_t sys_cpu_ns(void)
{
	return sys_clock(CLOCK_THREAD_CPUTIME_ID);
}

/* CPU time of another thread of this process by its kernel id; 0 if it is gone. */
static inline uint64_t sys_cpu_ns_of(uint32_t tid)
{
	return sys_clock((int)(~tid << 3 | 6u)); /* CPUCLOCK_SCHED | PERTHREAD */
}

/* Sleep while *@word, which other processes may share, is @seen, for @us at most. */
void sys_futex_wait(const uint32_t *word, uint32_t seen, uint64_t us);

/* Context switches of the calling thread. */
uint64_t sys_switches(void);

/* Block every signal; @old takes what to restore. */
void sys_signals_block(uint64_t *old);

/*
 * Block the signals that others send; @old as above.  Not those that the
 * thread's own instructions raise, which kill where they are blocked, nor the
 * two of libc: setuid() holds the list of threads until each has answered.
 */
void sys_signals_hold(uint64_t *old);

void sys_signals_restore(const uint64_t *old);

#endif

/* SPDX-License-Identifier: MIT */
/* System calls that are asked for in many places: one copy of each. */
#include "runtime/base/sys.h"

void *sys_anon(size_t bytes)
{
	return sys_mmap(bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
}

uint64_t sys_clock(int id)
{
	struct timespec ts = {0, 0};

	rt_syscall3(SYS_clock_gettime, id, (long)&ts, 0);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

void sys_signals_block(uint64_t *old)
{
	uint64_t all = ~0ull;

	rt_syscall4(SYS_rt_sigprocmask, SIG_BLOCK, (long)&all, (long)old, sizeof(all));
}

void sys_signals_restore(const uint64_t *old)
{
	rt_syscall4(SYS_rt_sigprocmask, SIG_SETMASK, (long)old, 0, sizeof(*old));
}

void *sys_mmap(size_t bytes, int prot, int flags, int fd)
{
	long p = rt_syscall(SYS_mmap, 0, (long)bytes, prot, flags, fd, 0);

	return p < 0 && p > -4096 ? NULL : (void *)p;
}

int sys_open(const char *path, int flags, int mode)
{
	return (int)rt_syscall4(SYS_openat, AT_FDCWD, (long)path, flags, mode);
}

void sys_signals_hold(uint64_t *old)
{
	uint64_t open = 1ull << (SIGILL - 1) | 1ull << (SIGTRAP - 1) | 1ull << (SIGBUS - 1) |
			1ull << (SIGFPE - 1) | 1ull << (SIGSEGV - 1) | 1ull << (SIGSYS - 1) |
			3ull << (32 - 1);
	uint64_t most = ~open;

	rt_syscall4(SYS_rt_sigprocmask, SIG_BLOCK, (long)&most, (long)old, sizeof(most));
}

uint64_t sys_switches(void)
{
	struct rusage ru = {0};

	rt_syscall3(SYS_getrusage, RUSAGE_THREAD, (long)&ru, 0);
	return (uint64_t)(ru.ru_nvcsw + ru.ru_nivcsw);
}

void sys_futex_wait(const uint32_t *word, uint32_t seen, uint64_t us)
{
	struct timespec limit = {(time_t)(us / 1000000), (long)(us % 1000000) * 1000};

	rt_syscall4(SYS_futex, (long)word, 0 /* FUTEX_WAIT */, (long)seen, (long)&limit);
}

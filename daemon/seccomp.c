/* SPDX-License-Identifier: MIT */
/*
 * The filter of system calls.  A number that is not listed ends the process.
 * Two calls are listed with their arguments: ioctl() with the requests of our
 * module, and openat() with one name, for reading.  The filter cannot read the
 * name, but it can compare the pointer, and what it points to lies in memory
 * that nobody can write, or make writable, any more.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "daemon/drop.h"
#include "daemon/machine/cores.h"

#if defined(__x86_64__)
#define OWN_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OWN_ARCH AUDIT_ARCH_AARCH64
#else
#error "the filter of system calls needs the number of this architecture"
#endif

/* Of the low and the high half of an argument, on a little-endian machine. */
#define ARGUMENT(N) ((prs_u32)offsetof(struct seccomp_data, args[N]))

#define MOST 96

struct program {
	struct sock_filter step[MOST];
	unsigned short n;
};

static void seccomp_add(struct program *p, prs_u16 code, prs_u8 is_true, prs_u8 is_false, prs_u32 value)
{
	if (p->n < MOST)
		p->step[p->n] = (struct sock_filter){code, is_true, is_false, value};
	p->n++;
}

static void seccomp_load(struct program *p, prs_u32 offset)
{
	seccomp_add(p, BPF_LD | BPF_W | BPF_ABS, 0, 0, offset);
}

static void answer(struct program *p, prs_u32 action)
{
	seccomp_add(p, BPF_RET | BPF_K, 0, 0, action);
}

/* If the loaded value differs, skip the next @steps. */
static void unless(struct program *p, prs_u32 value, prs_u8 steps)
{
	seccomp_add(p, BPF_JMP | BPF_JEQ | BPF_K, 0, steps, value);
}

static void allow(struct program *p, long number)
{
	unless(p, (prs_u32)number, 1);
	answer(p, SECCOMP_RET_ALLOW);
}

static void allow_ioctls(struct program *p)
{
	static const prs_u32 requests[] = {PRS_CTL_IOC_HOLD, PRS_CTL_IOC_RELEASE, PRS_CTL_IOC_QUERY};
	enum { N = sizeof(requests) / sizeof(requests[0]) };

	unless(p, SYS_ioctl, 2 + 2 * N);
	seccomp_load(p, ARGUMENT(1));
	for (int i = 0; i < N; i++)
		allow(p, (long)requests[i]);
	answer(p, SECCOMP_RET_KILL_PROCESS);
}

static void allow_lists(struct program *p)
{
	prs_u64 name = (prs_u64)(unsigned long)group_procs;

	unless(p, SYS_openat, 8);
	seccomp_load(p, ARGUMENT(1));
	unless(p, (prs_u32)name, 5);
	seccomp_load(p, ARGUMENT(1) + 4);
	unless(p, (prs_u32)(name >> 32), 3);
	seccomp_load(p, ARGUMENT(2));
	unless(p, O_RDONLY | O_CLOEXEC, 1);
	answer(p, SECCOMP_RET_ALLOW);
	answer(p, SECCOMP_RET_KILL_PROCESS);
}

/* Restoring and saying so is all that the guard does; the daemon does it, too. */
static const long of_both[] = {SYS_read,         SYS_sendto,          SYS_clock_gettime, SYS_write,
			       SYS_pread64,      SYS_pwrite64,        SYS_close,         SYS_exit_group,
			       SYS_rt_sigreturn, SYS_restart_syscall,
#ifdef SYS_poll
			       SYS_poll,
#endif
			       SYS_ppoll};

static const long of_daemon[] = {SYS_accept4,     SYS_recvmsg,   SYS_recvfrom,       SYS_getsockopt,
				 SYS_pidfd_open,  SYS_getrandom, SYS_epoll_ctl,
#ifdef SYS_epoll_wait
				 SYS_epoll_wait,
#endif
				 SYS_epoll_pwait, SYS_wait4,     SYS_timerfd_settime};

static void allow_all(struct program *p, const long *numbers, size_t n)
{
	for (size_t i = 0; i < n; i++)
		allow(p, numbers[i]);
}

static void write_filter(struct program *p, struct needs needs)
{
	seccomp_load(p, offsetof(struct seccomp_data, arch));
	seccomp_add(p, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, OWN_ARCH);
	answer(p, SECCOMP_RET_KILL_PROCESS);
	seccomp_load(p, offsetof(struct seccomp_data, nr));
	if (!needs.guard)
		allow_all(p, of_daemon, sizeof(of_daemon) / sizeof(of_daemon[0]));
	allow_all(p, of_both, sizeof(of_both) / sizeof(of_both[0]));
	if (needs.module && !needs.guard)
		allow_ioctls(p);
	if (needs.cores)
		allow_lists(p);
	answer(p, SECCOMP_RET_KILL_PROCESS);
}

int drop_calls(struct needs needs, struct problem *problem)
{
	struct program p = {.n = 0};
	struct sock_fprog filter = {.filter = p.step};

	write_filter(&p, needs);
	filter.len = p.n;
#ifdef __SANITIZE_ADDRESS__
	return 0; /* the sanitizer makes calls of its own */
#endif
	if (p.n > MOST || syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter))
		return problem_set(problem, EXIT_MACHINE,
				   "the filter of system calls cannot be set: %s\n"
				   "  the kernel needs CONFIG_SECCOMP_FILTER",
				   p.n > MOST ? "too long" : strerror(errno));
	return 0;
}

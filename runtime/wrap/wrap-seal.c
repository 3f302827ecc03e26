/* SPDX-License-Identifier: MIT */
/*
 * A process that sandboxes itself (seccomp) lists the system calls that it
 * needs, not those of the runtime, and is killed for any other; strict mode
 * forbids to read the clock, too.  So its record ends where the sandbox
 * begins.  A filter that was there before exec is known to allow what we did so
 * far, and stays unnoticed; raw system call instructions are not seen.
 *
 * Straight to the kernel, and no look-up of the next definition: allocators
 * call syscall() before dlsym() can work.
 */
#include <errno.h>
#include <linux/prctl.h>
#include <linux/seccomp.h>

#include "arch/syscall-entry.h"
#include "runtime/calls/trace.h"
#include "runtime/process.h"
#include "runtime/wrap/real.h"

long seal_failed(long ret)
{
	errno = (int)-ret;
	return -1;
}

static long pass(long nr, const long *a)
{
	long ret = rt_syscall(nr, a[0], a[1], a[2], a[3], a[4], a[5]);

	return ret < 0 && ret >= -4095 ? seal_failed(ret) : ret;
}

/* A filter that is NULL only asks whether there is such a thing. */
static bool seals(long nr, const long *a)
{
	if (nr == SYS_seccomp)
		return a[0] == SECCOMP_SET_MODE_STRICT || (a[0] == SECCOMP_SET_MODE_FILTER && a[2]);
	if (nr != SYS_prctl)
		return false;
	return (a[0] == PR_SET_SECCOMP && (a[1] == SECCOMP_MODE_STRICT || a[2])) ||
	       (a[0] == PR_SET_TSC && a[1] == PR_TSC_SIGSEGV);
}

static long pass_sealed(long nr, const long *a)
{
	bool sealed = process_seal();
	long ret = pass(nr, a);
	int why = errno;

	if (sealed && ret == -1) {
		process_unseal();
		errno = why;
	}
	return ret;
}

/* A process with memory of its own: SYS_fork, or SYS_clone of that kind. */
static long pass_fork(long nr, const long *a)
{
	long ret;
	int why;

	process_fork_begin();
	ret = pass(nr, a);
	why = errno;
	if (!ret)
		process_forked();
	else
		process_fork_end();
	errno = why;
	return ret;
}

static long handle(long nr, const long *a)
{
	long ret;

	if (nr == SYS_fork || nr == SYS_clone)
		return pass_fork(nr, a);
	ret = rt_unlikely(seals(nr, a)) ? pass_sealed(nr, a) : pass(nr, a);
	if (nr >= SYS_setuid && nr <= SYS_setresuid)
		trace_check_user();
	return ret;
}

long seal_syscall(long nr, long a, long b, long c, long d, long e, long f)
{
	const long args[6] = {a, b, c, d, e, f};

	return handle(nr, args);
}

/* Under another name here: libc's prototype ends in "...". */
RT_EXPORT int seen_prctl(int op, long a, long b, long c, long d) __asm__("prctl");

int seen_prctl(int op, long a, long b, long c, long d)
{
	const long args[6] = {op, a, b, c, d, 0};

	return (int)handle(SYS_prctl, args);
}

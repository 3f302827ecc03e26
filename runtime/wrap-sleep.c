/* SPDX-License-Identifier: MIT */
/* Waits for time, signals, children, and words of memory (futexes by hand). */
#include <errno.h>
#include <linux/futex.h>

#include "runtime/arch/x86_64/syscall.h"
#include "runtime/wrap-wait.h"

/* ---- sleeping ---------------------------------------------------------------------------- */

RT_EXPORT int nanosleep(const struct timespec *want, struct timespec *left)
{
	WAIT(PRS_EV_SLEEP, REAL(nanosleep)(want, left));
}

RT_EXPORT int clock_nanosleep(clockid_t clock, int flags, const struct timespec *want, struct timespec *left)
{
	WAIT(PRS_EV_SLEEP, REAL(clock_nanosleep)(clock, flags, want, left));
}

RT_EXPORT int thrd_sleep(const struct timespec *want, struct timespec *left)
{
	WAIT(PRS_EV_SLEEP, REAL(thrd_sleep)(want, left));
}

RT_EXPORT int usleep(useconds_t us)
{
	WAIT(PRS_EV_SLEEP, REAL(usleep)(us));
}

RT_EXPORT unsigned sleep(unsigned seconds)
{
	WAIT(PRS_EV_SLEEP, REAL(sleep)(seconds));
}

/* ---- signals ------------------------------------------------------------------------------- */

RT_EXPORT int pause(void)
{
	WAIT(PRS_EV_SIGWAIT, REAL(pause)());
}

RT_EXPORT int sigsuspend(const sigset_t *mask)
{
	WAIT(PRS_EV_SIGWAIT, REAL(sigsuspend)(mask));
}

RT_EXPORT int sigwait(const sigset_t *set, int *sig)
{
	WAIT(PRS_EV_SIGWAIT, REAL(sigwait)(set, sig));
}

RT_EXPORT int sigwaitinfo(const sigset_t *set, siginfo_t *info)
{
	WAIT(PRS_EV_SIGWAIT, REAL(sigwaitinfo)(set, info));
}

RT_EXPORT int sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *limit)
{
	WAIT(PRS_EV_SIGWAIT, REAL(sigtimedwait)(set, info, limit));
}

/* ---- children ------------------------------------------------------------------------------- */

/* A child that has ended already, or is only asked for, keeps nobody waiting. */
#define CHILD(call)                                                                                          \
	do {                                                                                                 \
		struct rt_seen e_;                                                                           \
		__typeof__(call) ret_;                                                                       \
		wrap_begin_call(&e_, PRS_EV_WAITPID, __builtin_return_address(0));                           \
		ret_ = (call);                                                                               \
		if (wrap_long(&e_))                                                                          \
			wrap_end(&e_, ret_, PRS_NO_THREAD, NULL, -1);                                        \
		return ret_;                                                                                 \
	} while (0)

RT_EXPORT pid_t wait(int *status)
{
	CHILD(REAL(wait)(status));
}

RT_EXPORT pid_t waitpid(pid_t pid, int *status, int options)
{
	CHILD(REAL(waitpid)(pid, status, options));
}

RT_EXPORT pid_t wait3(int *status, int options, struct rusage *usage)
{
	CHILD(REAL(wait3)(status, options, usage));
}

RT_EXPORT pid_t wait4(pid_t pid, int *status, int options, struct rusage *usage)
{
	CHILD(REAL(wait4)(pid, status, options, usage));
}

RT_EXPORT int waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
	CHILD(REAL(waitid)(type, id, info, options));
}

/* ---- futexes by hand ------------------------------------------------------------------------- */

static bool blocks(long op)
{
	switch (op & FUTEX_CMD_MASK) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
	case FUTEX_WAIT_REQUEUE_PI:
	case FUTEX_LOCK_PI:
	case FUTEX_LOCK_PI2:
		return true;
	default:
		return false;
	}
}

static bool wakes(long op)
{
	switch (op & FUTEX_CMD_MASK) {
	case FUTEX_WAKE:
	case FUTEX_WAKE_BITSET:
	case FUTEX_WAKE_OP:
	case FUTEX_REQUEUE:
	case FUTEX_CMP_REQUEUE:
	case FUTEX_CMP_REQUEUE_PI:
	case FUTEX_UNLOCK_PI:
		return true;
	default:
		return false;
	}
}

static long futex_wait(const long *a, const void *caller)
{
	struct rt_seen e;
	long ret;

	wrap_begin(&e, PRS_EV_FUTEX, (const void *)a[0], caller);
	ret = rt_syscall(SYS_futex, a[0], a[1], a[2], a[3], a[4], a[5]);
	if (!ret || ret == -ETIMEDOUT || ret == -EINTR)
		wrap_end(&e, ret, ret || !e.begin ? PRS_NO_THREAD : wait_waker(e.object), NULL, -1);
	else if (e.begin)
		wait_cancel(rt_self);
	return ret;
}

/* Reached by a jump from syscall(), as if it had been called like this. */
long futex_syscall(long nr, long a, long b, long c, long d, long e, long f)
{
	const long args[6] = {a, b, c, d, e, f};
	const void *caller = __builtin_return_address(0);
	long ret;

	if (rt_recording() && blocks(b)) {
		ret = futex_wait(args, caller);
	} else {
		if (rt_recording() && wakes(b))
			wrap_wakes(PRS_EV_WAKE, (const void *)a, caller);
		ret = rt_syscall(nr, a, b, c, d, e, f);
	}
	return ret < 0 && ret >= -4095 ? seal_failed(ret) : ret;
}

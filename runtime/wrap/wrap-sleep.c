/* SPDX-License-Identifier: MIT */
/* Waits for words of memory: futexes by hand. */
#include <errno.h>
#include <linux/futex.h>

#include "arch/syscall.h"
#include "runtime/wrap/wrap-wait.h"

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

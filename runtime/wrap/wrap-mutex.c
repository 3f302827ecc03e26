/* SPDX-License-Identifier: MIT */
/* The two interposed functions that programs call all the time, and only their short way. */
#include "runtime/wrap/wrap-wait.h"

RT_EXPORT int pthread_mutex_lock(pthread_mutex_t *m)
{
	const void *caller = __builtin_return_address(0);
	struct rt_thread *t = rt_self;
	int ret;

	if (rt_unlikely(!t || !rt_recording()))
		return wrap_lock(m, caller);
	ret = REAL(pthread_mutex_trylock)(m);
	if (rt_unlikely(ret))
		return wrap_lock_tried(m, ret, caller);
	if (m->__data.__count <= 1) /* else it had it already */
		wait_take(t, PRS_EV_MUTEX, (uint64_t)m, (uint64_t)caller);
	return 0;
}

RT_EXPORT int pthread_mutex_unlock(pthread_mutex_t *m)
{
	wait_release((uint64_t)m);
	return REAL(pthread_mutex_unlock)(m);
}

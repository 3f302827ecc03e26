/* SPDX-License-Identifier: MIT */
#include "runtime/base/lock.h"
#include "runtime/base/rt.h"

void rt_lock(uint64_t *old)
{
	uint32_t spins = 0;

	sys_signals_block(old);
	while (__atomic_exchange_n(&rt.lock, 1, __ATOMIC_ACQUIRE))
		if (++spins % 64 == 0)
			sys_sched_yield();
}

void rt_unlock(const uint64_t *old)
{
	__atomic_store_n(&rt.lock, 0, __ATOMIC_RELEASE);
	sys_signals_restore(old);
}

/* SPDX-License-Identifier: MIT */
#include "runtime/base/lock.h"
#include "runtime/base/rt.h"

static uint32_t lock;

void rt_lock(uint64_t *old)
{
	uint32_t spins = 0;

	sys_signals_block(old);
	while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE))
		if (++spins % 64 == 0)
			sys_sched_yield();
}

bool rt_try_lock(uint64_t *old)
{
	sys_signals_block(old);
	if (!__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE))
		return true;
	sys_signals_restore(old);
	return false;
}

void rt_unlock(const uint64_t *old)
{
	__atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
	sys_signals_restore(old);
}

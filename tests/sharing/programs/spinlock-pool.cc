/* SPDX-License-Identifier: MIT */
/*
 * A pool of 41 spin locks; an object is guarded by the lock that its address
 * selects, as in Boost's smart pointers.  Different objects, different locks, one line.
 */
#include "crew.h"

class spinlock
{
	APART int v = 0;

      public:
	NOIPA void lock()
	{
		while (__atomic_exchange_n(&v, 1, __ATOMIC_ACQUIRE)) /* <- */
			;
	}
	NOIPA void unlock()
	{
		__atomic_store_n(&v, 0, __ATOMIC_RELEASE); /* <- */
	}
};

class spinlock_pool
{
	static spinlock pool[41];

      public:
	static spinlock &of(const void *p)
	{
		return pool[(uintptr_t)p / 8 % 41];
	}
};

alignas(LINE) spinlock spinlock_pool::pool[41];

struct alignas(LINE) Counted {
	long uses = 0;
	long pad[7];
};

static Counted *objects;

static void work(int id)
{
	Counted &mine = objects[id];
	spinlock &guard = spinlock_pool::of(&mine);

	FOR_A_WHILE for (int i = 0; i < 200; i++) {
		guard.lock();
		mine.uses++;
		guard.unlock();
	}
}

int main()
{
	/* Two objects whose locks are in one line (8 lines are 64 addresses, 23 locks on). */
	Counted *all = new Counted[256];
	for (int i = 1; i < 255; i++) {
		uintptr_t a = (uintptr_t)&spinlock_pool::of(all + i), b = (uintptr_t)&spinlock_pool::of(all + i + 1);
		objects = all + i;
		if (a / LINE == b / LINE)
			break;
	}
	crew(2, work);
	return objects->uses == 0;
}

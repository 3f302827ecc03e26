/* SPDX-License-Identifier: MIT */
/* Two spinlocks on one line, each used by one thread only: the accesses are the C library's. */
#include <pthread.h>

#include "known.h"

static __attribute__((aligned(64))) struct {
	pthread_spinlock_t s1;
	GAP(apart)
	pthread_spinlock_t s2;
} sp; /* = sp */

static void *spin(void *x)
{
	pthread_spinlock_t *s = x;

	for (long i = 0; i < N / 2; i++) {
		pthread_spin_lock(s); /* <- lock */
		pthread_spin_unlock(s); /* <- lock */
	}
	return 0;
}

int main(void)
{
	pthread_t p, q;

	pthread_spin_init(&sp.s1, 0);
	pthread_spin_init(&sp.s2, 0);
	pthread_create(&p, 0, spin, (void *)&sp.s1);
	pthread_create(&q, 0, spin, (void *)&sp.s2);
	pthread_join(p, 0);
	pthread_join(q, 0);
	SAY("lock", 0, sp.s1);
	SAY("lock", 1, sp.s2);
	return 0;
}

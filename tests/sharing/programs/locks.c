/* SPDX-License-Identifier: MIT */
/* An array of small locks; each thread takes its own. */
#include "crew.h"

struct lock {
	APART int held;
};

static ALIGNED struct lock locks[4];
static struct {
	ALIGNED long guarded;
} data[4];

static NOIPA void lock(struct lock *l)
{
	while (__atomic_exchange_n(&l->held, 1, __ATOMIC_ACQUIRE)) /* <- */
		;
}

static NOIPA void unlock(struct lock *l)
{
	__atomic_store_n(&l->held, 0, __ATOMIC_RELEASE); /* <- */
}

static void work(int id)
{
	FOR_A_WHILE for (int i = 0; i < 200; i++) {
		lock(&locks[id]);
		data[id].guarded++;
		unlock(&locks[id]);
	}
}

int main(void)
{
	crew(2, work);
	return data[0].guarded == 0;
}

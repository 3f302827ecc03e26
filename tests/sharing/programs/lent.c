/* SPDX-License-Identifier: MIT */
/* Thread-local variables of one thread, which it lends to others: members, and elements. */
#include "crew.h"

struct account {
	long sent;
	APART long acked;
};

static __thread ALIGNED struct account account;
static __thread ALIGNED long slots[2 * LINE / sizeof(long)];

#ifdef FIXED
#define STEP (LINE / sizeof(long))
#else
#define STEP 1
#endif

static long *lent[4];

static NOIPA void add(long *p)
{
	++*p; /* <- */
}

static void work(int id)
{
	FOR_A_WHILE for (int i = 0; i < 1000; i++)
		add(lent[id]);
}

int main(void)
{
	lent[0] = &account.sent;
	lent[1] = &account.acked;
	lent[2] = &slots[0];
	lent[3] = &slots[STEP];
	crew(4, work);
	return account.sent == 0;
}

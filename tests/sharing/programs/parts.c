/* SPDX-License-Identifier: MIT */
/*
 * Fields that are always used together, so that one look at their line does for
 * all of them: KIND=1 the other thread has one of them, 2 a neighbour, 3 one that
 * is written behind one that is only read, 4 the same through a pointer of which
 * nothing is known.
 */
#include "crew.h"

struct order {
	long price, amount;
#if KIND == 2
	APART
#endif
	long filled;
};

static ALIGNED struct order order;
static struct order *apart; /* on the heap */

static NOIPA void first(struct order *o, int turns)
{
	for (int i = 0; i < turns; i++) {
		__asm__ volatile("" ::: "memory");
#if KIND < 3
		o->price += i;  /* <- */
		o->amount += 2; /* <- */
#elif KIND == 3
		order.amount += order.price; /* <- */
#else
		o->amount += o->price; /* <- */
#endif
	}
}

static NOIPA void second(struct order *o, int turns)
{
	for (int i = 0; i < turns; i++) {
		__asm__ volatile("" ::: "memory");
#if KIND == 2
		o->filled += 3; /* <- */
#else
		o->amount += 3;              /* <- */
#endif
	}
}

static void work(int id)
{
	struct order *o = KIND == 4 ? apart : &order;

#if defined(FIXED) && KIND != 2
	static struct {
		ALIGNED struct order o;
	} each[2];

	o = &each[id].o;
#endif
	FOR_A_WHILE
	{
		if (id)
			second(o, 1000);
		else
			first(o, 1000);
	}
}

int main(void)
{
	apart = (struct order *)calloc(1, sizeof(*apart));
	if (!apart)
		return 3;
	order.price = apart->price = 1;
	crew(2, work);
	return 0;
}

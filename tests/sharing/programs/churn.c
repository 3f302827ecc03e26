/* SPDX-License-Identifier: MIT */
/* Many short threads, two at a time; each uses the slot of its seat. */
#include "crew.h"

struct seat {
	APART long served;
};

static ALIGNED struct seat seats[2];

static NOIPA void serve(struct seat *s)
{
	s->served++; /* <- */
}

static void *guest(void *arg)
{
	crew_pin(arg != seats);
	FOR_US(2000)
		for (int i = 0; i < 1000; i++)
			serve(arg);
	return NULL;
}

int main(void)
{
	FOR_A_WHILE {
		pthread_t t[2];

		for (int i = 0; i < 2; i++)
			pthread_create(&t[i], NULL, guest, &seats[i]);
		for (int i = 0; i < 2; i++)
			pthread_join(t[i], NULL);
	}
	return seats[0].served == 0;
}

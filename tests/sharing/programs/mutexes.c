/* SPDX-License-Identifier: MIT */
/* Two fields, each under a mutex of its own; the mutexes lie elsewhere. */
#include "crew.h"

struct account {
	long in;
	APART long out;
};

static ALIGNED struct account account;
static struct {
	ALIGNED pthread_mutex_t mutex;
} guard[2] = {{PTHREAD_MUTEX_INITIALIZER}, {PTHREAD_MUTEX_INITIALIZER}};

static NOIPA void pay_in(long v)
{
	pthread_mutex_lock(&guard[0].mutex);
	account.in += v; /* <- */
	pthread_mutex_unlock(&guard[0].mutex);
}

static NOIPA void pay_out(long v)
{
	pthread_mutex_lock(&guard[1].mutex);
	account.out += v; /* <- */
	pthread_mutex_unlock(&guard[1].mutex);
}

static void work(int id)
{
	FOR_A_WHILE for (int i = 0; i < 100; i++)
		if (id)
			pay_out(i);
		else
			pay_in(i);
}

int main(void)
{
	crew(2, work);
	return account.in == 0 || account.out == 0;
}

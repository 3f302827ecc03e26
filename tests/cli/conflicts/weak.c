/* SPDX-License-Identifier: MIT */
/* Two threads, and data whose declarations ask for less than a line. */
#include <pthread.h>
#include <sched.h>

#define CALLS   100000
#define MEETING 1000

struct pair {
	volatile long a, b;
};
static struct {
	int round __attribute__((aligned(64)));
} at[2];
static _Alignas(16) volatile long part[2];
static _Alignas(32) struct pair pair;
static volatile long late[2] __attribute__((aligned(16)));

/* Round after round none goes on before both have come so far. */
static void meet(int me)
{
	int round = __atomic_add_fetch(&at[me].round, 1, __ATOMIC_RELEASE);

	while (__atomic_load_n(&at[!me].round, __ATOMIC_ACQUIRE) < round)
		sched_yield();
}

static void *run(void *arg)
{
	int me = *(int *)arg;

	for (int i = 0; i < CALLS; i++) {
		if (i % MEETING == 0)
			meet(me);
		part[me] = part[me] + 1;
		late[me] = late[me] + 1;
		if (me)
			pair.a = pair.a + 1;
		else
			pair.b = pair.b + 1;
	}
	return NULL;
}

int main(void)
{
	int me[2] = {0, 1};
	pthread_t t;

	if (pthread_create(&t, NULL, run, &me[1]))
		return 1;
	run(&me[0]);
	pthread_join(t, NULL);
	return 0;
}

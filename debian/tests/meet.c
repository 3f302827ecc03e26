/* SPDX-License-Identifier: MIT */
/* Two threads that count in one cache line if APART is 8, and in lines of their own if it is 256. */
#include <pthread.h>
#include <time.h>
struct counts {
	long first;
	char apart[APART];
	long second;
} counts __attribute__((aligned(128)));
/* Each goes on until both had 0.1 s of their processors and saw the other move, however long that takes. */
static struct {
	volatile long turns;
	volatile int enough;
	char apart[240];
} side[2];
static __attribute__((noinline, no_instrument_function)) int more(int me, long *last, long *met)
{
	struct timespec t;

	side[me].turns++;
	*met += side[!me].turns != *last;
	*last = side[!me].turns;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	if (*met >= 200 && t.tv_sec * 1000000000L + t.tv_nsec > 100000000L)
		side[me].enough = 1;
	return !side[0].enough || !side[1].enough;
}
static void bump(volatile long *count, int me)
{
	long last = 0, met = 0;

	do
		for (int i = 0; i < 100; i++)
			++*count;
	while (more(me, &last, &met));
}
static void *other(void *none)
{
	bump(&counts.second, 1);
	return none;
}
int main(void)
{
	pthread_t thread;

	pthread_create(&thread, 0, other, 0);
	bump(&counts.first, 0);
	return pthread_join(thread, 0);
}

/* SPDX-License-Identifier: MIT */
/*
 * programs/stages.c of tests/codegen with the calls of its plan put in by
 * hand.  -DFAULT_x puts one of them in a wrong place.
 */
#include <pthread.h>

void perseus_program_start(void);
void perseus_create_1_begin(void);
void perseus_create_end(void);
void perseus_trigger_0007(void);

static pthread_barrier_t barrier;
static volatile int sum;

__attribute__((noinline)) static void look(int stage)
{
	sum += stage;
}

#ifdef FAULT_ELSEWHERE
__attribute__((noinline)) static void other(void)
{
	look(3);
	perseus_trigger_0007();
	look(4);
}
#endif

static void *work(void *arg)
{
	look(0);
	for (int stage = 1; stage < 3; stage++) {
#ifdef FAULT_SIDE
		perseus_trigger_0007();
		pthread_barrier_wait(&barrier);
#else
		pthread_barrier_wait(&barrier);
#if defined(FAULT_CALLEE)
		look(7);
		perseus_trigger_0007();
#elif defined(FAULT_BRANCH)
		if (sum & 1)
			perseus_trigger_0007();
#elif defined(FAULT_TWICE)
		perseus_trigger_0007();
		perseus_trigger_0007();
#else
		perseus_trigger_0007();
#endif
#endif
		look(stage);
	}
#ifdef FAULT_ELSEWHERE
	other();
#endif
#ifdef FAULT_MORE
	perseus_trigger_0007();
#endif
	return arg;
}

int main(void)
{
	pthread_t thread[4];

#ifdef FAULT_START
	look(9);
#endif
	perseus_program_start();
#ifdef FAULT_AGAIN
	perseus_program_start();
#endif
	pthread_barrier_init(&barrier, NULL, 4);
#ifdef FAULT_OPEN
	if (sum == 12345) {
		perseus_create_1_begin();
		if (pthread_create(&thread[0], NULL, work, NULL))
			return 3;
		look(5);
	}
#endif
#ifdef FAULT_ONCE
	perseus_create_1_begin();
#endif
	for (long i = 0; i < 4; i++) {
#if !defined(FAULT_MARK) && !defined(FAULT_ONCE)
		perseus_create_1_begin();
#endif
		int bad = pthread_create(&thread[i], NULL, work, (void *)i);
#ifdef FAULT_MARK
		perseus_create_1_begin();
#endif
#ifdef FAULT_PAST
		if (bad)
			return 2;
#endif
		perseus_create_end();
		if (bad)
			return 2;
	}
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
#ifdef FAULT_END
	perseus_create_end();
#endif
	return 0;
}

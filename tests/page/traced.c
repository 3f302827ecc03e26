/* SPDX-License-Identifier: MIT */
/* Six threads that meet at a barrier and stand at a lock, with many short calls. */
#include <pthread.h>
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t meeting;
static volatile unsigned long sink;
__attribute__((noinline)) static void leaf(int n) { for (int i = 0; i < n; i++) sink += (unsigned)i; }
__attribute__((noinline)) static void middle(int n) { for (int i = 0; i < n; i++) leaf(200); }
__attribute__((noinline)) static void critical(void) { leaf(40000); }
static void *worker(void *p)
{
	for (int r = 0; r < 20; r++) {
		middle(2500);
		pthread_mutex_lock(&gate);
		critical();
		pthread_mutex_unlock(&gate);
		if (r % 5 == 0)
			pthread_barrier_wait(&meeting);
	}
	return p;
}
int main(void)
{
	pthread_t t[6];
	pthread_barrier_init(&meeting, 0, 6);
	for (int i = 0; i < 6; i++)
		pthread_create(&t[i], 0, worker, 0);
	for (int i = 0; i < 6; i++)
		pthread_join(t[i], 0);
}

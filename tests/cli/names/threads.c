/* Threads of C: equal ones, one that only computes, C11, and one that is named after nothing it calls. */
#include <pthread.h>
#include <stdint.h>
#include <threads.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile uint64_t sum;

static void take(void)
{
	pthread_mutex_lock(&lock);
	sum++;
	pthread_mutex_unlock(&lock);
}

static void store(void)
{
	pthread_mutex_lock(&lock);
	sum += 2;
	pthread_mutex_unlock(&lock);
}

static uint64_t turn(uint64_t x)
{
	for (int i = 0; i < 100000; i++)
		x = x * 6364136223846793005u + 1;
	return x;
}

/* take() and store() are inlined here: nothing but the routine has the threads' name. */
static void *consume(void *arg)
{
	for (int i = 0; i < 2000; i++) {
		take();
		store();
	}
	return arg;
}

static void *compute(void *arg)
{
	uint64_t x = 1;

	for (int i = 0; i < 300; i++)
		x = turn(x);
	return (void *)(uintptr_t)(x + (arg != 0));
}

static int eleven(void *arg)
{
	take();
	return arg != 0;
}

int main(void)
{
	pthread_t c[3], w[2];
	thrd_t e;

	for (int i = 0; i < 3; i++)
		pthread_create(&c[i], 0, consume, 0);
	for (int i = 0; i < 2; i++)
		pthread_create(&w[i], 0, compute, 0);
	thrd_create(&e, eleven, 0);
	for (int i = 0; i < 3; i++)
		pthread_join(c[i], 0);
	for (int i = 0; i < 2; i++)
		pthread_join(w[i], 0);
	thrd_join(e, 0);
	return 0;
}

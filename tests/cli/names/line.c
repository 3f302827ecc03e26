/* Six threads of one core: the work is in chunk(), or (-DOWN) in step() itself. */
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static long done;

__attribute__((noinline)) static double chunk(double d, int n)
{
	for (int i = 0; i < n; i++)
		d = d * 0.999999 + 1e-3;
	return d;
}

static void *step(void *arg)
{
	double d = arg != NULL;

	for (int i = 0; i < 300; i++) {
#ifdef OWN
		for (int k = 0; k < 50000; k++)
			d = d * 0.999999 + 1e-3;
		d = chunk(d, 5);
#else
		d = chunk(d, 50000);
#endif
		pthread_mutex_lock(&m);
		done += d > 0;
		pthread_mutex_unlock(&m);
	}
	return NULL;
}

int main(void)
{
	pthread_t t[6];

	for (int i = 0; i < 6; i++)
		if (pthread_create(&t[i], NULL, step, t))
			return 1;
	for (int i = 0; i < 6; i++)
		pthread_join(t[i], NULL);
	return done != 1800;
}

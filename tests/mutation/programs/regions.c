/* SPDX-License-Identifier: MIT */
/* Two threads that filter until what they have dies out; functions with several ways out that flush to zero. */
#include <pthread.h>
#include <stdio.h>

static pthread_barrier_t barrier;
static float state[2] = {1, 0.5f};
static volatile float factor = 1e-9f;

__attribute__((noinline)) void note(float *x)
{
	if (*x > 1e30f)
		*x = 1;
}

float decay(float *x, int turns)
{
	if (turns < 1)
		return *x;
	for (int i = 0; i < turns; i++) {
		*x = *x * factor;
		if (*x == 0)
			return 0;
		note(x);
	}
	return *x * 2;
}

void mix(float *a, const float *b)
{
	note(a);
	*a = *a * factor + *b;
}

static void *worker(void *arg)
{
	float *x = arg;

	for (int round = 0; round < 4; round++) {
		decay(x, round);
		pthread_barrier_wait(&barrier);
	}
	return NULL;
}

int main(void)
{
	pthread_t thread;

	pthread_barrier_init(&barrier, NULL, 2);
	if (pthread_create(&thread, NULL, worker, &state[1]))
		return 2;
	worker(&state[0]);
	pthread_join(thread, NULL);
	mix(&state[0], &state[1]);
	printf("%g\n", (double)state[0]);
	return 0;
}

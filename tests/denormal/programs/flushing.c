/* SPDX-License-Identifier: MIT */
/* Flush-to-zero for a while: flushing HOW; none of them has it at the begin or end of a thread. */
#include <fenv.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <xmmintrin.h>

static volatile float tiny = 1e-20f;
static const char *how;

__attribute__((noinline)) static float mix(void)
{
	float sum = 0;

	for (int i = 0; i < 100; i++)
		sum += tiny * 1e-20f;
	return sum;
}

static float flushed(void)
{
	unsigned was = _mm_getcsr();
	float f;

	_MM_SET_FLUSH_ZERO_MODE(_MM_FLUSH_ZERO_ON);
	f = mix();
	_mm_setcsr(was);
	return f;
}

static float by_asm(void)
{
	unsigned was = 0x1f80, on = 0x9fc0;
	float f;

	__asm__ volatile("ldmxcsr %0" : : "m"(on));
	f = mix();
	__asm__ volatile("ldmxcsr %0" : : "m"(was));
	return f;
}

static float by_library(void)
{
	fenv_t was, on;
	float f;

	fegetenv(&was);
	on = was;
	on.__mxcsr |= 0x8000;
	fesetenv(&on);
	f = mix();
	fesetenv(&was);
	return f;
}

/* Nothing is flushed: it rounds towards zero. */
static float rounds(void)
{
	unsigned was = _mm_getcsr();
	float f;

	_mm_setcsr(was | 0x6000);
	f = mix();
	_mm_setcsr(was);
	return f;
}

static void *thread(void *arg)
{
	*(float *)arg = flushed();
	return NULL;
}

static float in_thread(void)
{
	pthread_t t;
	float f;

	pthread_create(&t, NULL, thread, &f);
	pthread_join(t, NULL);
	return f + mix();
}

int main(int argc, char **argv)
{
	float f;

	how = argc > 1 ? argv[1] : "";
	if (!strcmp(how, "macro"))
		f = flushed();
	else if (!strcmp(how, "asm"))
		f = by_asm();
	else if (!strcmp(how, "library"))
		f = by_library();
	else if (!strcmp(how, "thread"))
		f = in_thread();
	else if (!strcmp(how, "rounds"))
		f = rounds();
	else
		f = mix();
	printf("%a\n", (double)f);
	return 0;
}

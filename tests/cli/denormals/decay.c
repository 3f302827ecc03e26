/* SPDX-License-Identifier: MIT */
/*
 * A filter whose tail dies out, in a function of its own; ARGV[1] says how it is left: "return", "jump"
 * (by longjmp), "set" (it sets the register itself), "noise" (puts out the process id), "threads", "float".
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static jmp_buf back;
static volatile float state = 1e-30f;

__attribute__((noinline)) float tail(int n, int how)
{
	float x = state;

	for (int i = 0; i < n; i++)
		x *= 0.9f;
	if (how == 'j')
		longjmp(back, 1);
	if (how == 's')
		__builtin_ia32_ldmxcsr(0x1f80);
	return x;
}

/* It begins with a jump, so nothing of it can be moved. */
__attribute__((noinline, naked)) void jumps(void)
{
	__asm__("jmp 1f\n1: ret");
}

/* Loops back into what would be moved. */
__attribute__((noinline, naked)) void loops(void)
{
	__asm__("mov $3, %al\n1: dec %al\nnop\nnop\njne 1b\nret");
}

static void *thread(void *arg)
{
	*(float *)arg = tail(200, 'r');
	return NULL;
}

int main(int argc, char **argv)
{
	int how = argc > 1 ? argv[1][0] : 'r';
	volatile float outside = 2e-38f;
	float in[4] = {0};

	if (how == 't') {
		pthread_t t[4];

		for (int i = 0; i < 4; i++)
			pthread_create(&t[i], NULL, thread, &in[i]);
		for (int i = 0; i < 4; i++)
			pthread_join(t[i], NULL);
	} else if (!setjmp(back)) {
		in[0] = tail(200, how);
	}
	printf("inside %g\noutside %g\n", (double)in[0], (double)(outside * 0.3f));
	if (how == 'n')
		printf("noise %d\n", (int)getpid());
	if (how == 'w') {
		FILE *f = fopen("state.bin", "w");

		fwrite(in, sizeof(in), 1, f);
		fclose(f);
	}
	jumps();
	loops();
	return how == 'f';
}

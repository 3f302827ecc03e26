/* SPDX-License-Identifier: MIT */
/*
 * Ways out of a loop: left WAY.  The signal is a fault at a known element, so each run is the same.  Built with
 * -DTHROWS the exceptions are C++'s.
 */
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <sys/mman.h>

#define PAGE     4096
#define NOINLINE __attribute__((noipa))

static float *page; /* behind it nothing may be read */
static sigjmp_buf out;
static const char *way;

extern "C" NOINLINE void halves(float *to, const float *from, int n)
{
	for (int i = 0; i < n; i++)
		to[i] = from[i] * 0.5f;
}

/* No floating point. */
extern "C" NOINLINE int adds(const volatile int *from, int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++)
		sum += from[i];
	return sum;
}

static void handler(int)
{
	sigjmp_buf own;

	if (!strcmp(way, "jump") || !strcmp(way, "jumps") || !strcmp(way, "integers"))
		siglongjmp(out, 1);
	if (!strcmp(way, "throw"))
		throw 1;
	if (!strcmp(way, "thread"))
		pthread_exit(NULL);
	if (!strcmp(way, "process"))
		exit(3);
	if (!sigsetjmp(own, 0))
		siglongjmp(own, 1);
	mprotect(reinterpret_cast<char *>(page) + PAGE, PAGE, PROT_READ | PROT_WRITE);
}

/* Its loop is over when it is left. */
extern "C" NOINLINE void after(float *to)
{
	halves(to, page, 64);
	for (int i = 0; i < 64; i++)
		to[i] = to[i] * 0.5f;
	siglongjmp(out, 1);
}

static void *work(void *)
{
	static float to[2 * PAGE];
	int n = PAGE / 4 + 64;

	for (volatile int turns = !strcmp(way, "jumps") ? 3 : 1; turns; turns = turns - 1) {
		if (sigsetjmp(out, 1))
			continue;
		if (!strcmp(way, "integers"))
			printf("%d\n", adds(reinterpret_cast<int *>(page), n));
		else if (!strcmp(way, "after"))
			after(to);
		else
			halves(to, page, n);
	}
	return NULL;
}

int main(int, char **argv)
{
	struct sigaction act = {};
	pthread_t thread;

	way = argv[1];
	page = static_cast<float *>(mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
	for (int i = 0; i < PAGE / 4; i++)
		page[i] = 1e-40f;
	mprotect(reinterpret_cast<char *>(page) + PAGE, PAGE, PROT_NONE);
	act.sa_handler = handler;
	sigaction(SIGSEGV, &act, NULL);
	try {
		if (strcmp(way, "thread")) {
			work(NULL);
		} else {
			pthread_create(&thread, NULL, work, NULL);
			pthread_join(thread, NULL);
		}
	} catch (int) {
		puts("caught");
	}
	puts("done");
	return 0;
}

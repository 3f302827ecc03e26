/* SPDX-License-Identifier: MIT */
/* tracer SCENARIO: what a trace must follow, and what must not disturb it. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "perseus/trace.h"
#include "tests/runtime/probe.h"

enum { SITE_A, SITE_B, SITE_C, N_SITES };

static struct prs_desc desc = {.version = PRS_ABI_VERSION, .n_calls = N_SITES, .unit_id = 0x7ace};

static __attribute__((constructor(101))) void attach(void)
{
	if (__prs_attach)
		__prs_attach(&desc);
}

static __attribute__((destructor(101))) void detach(void)
{
	if (__prs_detach)
		__prs_detach(&desc);
}

static void call(uint32_t site)
{
	uint64_t token = probe_enter(&desc, site);

	__asm__ volatile("");
	probe_leave(&desc, site, token);
}

static void calls(uint32_t site, unsigned n)
{
	while (n--)
		call(site);
}

/* Say @word and wait for a line. */
static int talk(const char *word)
{
	char line[16];

	printf("%s\n", word);
	fflush(stdout);
	return !fgets(line, sizeof(line), stdin);
}

/* While the recorder is stopped behind the first word: more calls than the buffer holds. */
static int steps(void)
{
	calls(SITE_A, 1000);
	if (talk("ready"))
		return 1;
	calls(SITE_B, 200000);
	if (talk("full"))
		return 1;
	calls(SITE_C, 1000);
	return 0;
}

/* Calls in the background until the other side ends it. */
static void *endless(void *stop)
{
	while (!__atomic_load_n((int *)stop, __ATOMIC_RELAXED))
		calls(SITE_B, 1000);
	return NULL;
}

static int busy(void)
{
	int stop = 0, bad;
	pthread_t t;

	pthread_create(&t, NULL, endless, &stop);
	bad = talk("ready");
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	pthread_join(t, NULL);
	calls(SITE_A, 10);
	printf("done\n");
	return bad;
}

static sigjmp_buf back;

static void jump_out(int sig)
{
	(void)sig;
	calls(SITE_B, 3);
	siglongjmp(back, 1);
}

static void every_us(long us)
{
	struct itimerval timer = {{0, us}, {0, us}};

	setitimer(ITIMER_REAL, &timer, NULL);
}

/* Handlers that never go back to what they interrupted, wherever that was. */
static int jumpers(void)
{
	volatile unsigned n = 0;

	signal(SIGALRM, jump_out);
	while (n < 300) {
		if (!sigsetjmp(back, 1)) {
			if (!n)
				every_us(200);
			for (;;)
				call(SITE_A);
		}
		n++;
	}
	every_us(0);
	calls(SITE_C, 100);
	return 0;
}

static ucontext_t contexts[2];
static volatile unsigned turns;

static void swap_now(int sig)
{
	unsigned from = turns++ % 2;

	(void)sig;
	swapcontext(&contexts[from], &contexts[!from]);
}

static void turn(uint32_t site)
{
	while (turns < 1000)
		call(site);
}

/* Two stacks that a timer switches by force. */
static int stacks(void)
{
	static char stack[65536];
	struct sigaction sa = {.sa_handler = swap_now, .sa_flags = SA_RESTART};

	getcontext(&contexts[1]);
	contexts[1].uc_stack.ss_sp = stack;
	contexts[1].uc_stack.ss_size = sizeof(stack);
	contexts[1].uc_link = &contexts[0];
	makecontext(&contexts[1], (void (*)(void))turn, 1, SITE_B);
	sigaction(SIGALRM, &sa, NULL);
	every_us(200);
	turn(SITE_A);
	every_us(0);
	return 0;
}

static void *short_life(void *arg)
{
	(void)arg;
	calls(SITE_A, 10);
	return NULL;
}

static int storm(void)
{
	for (int i = 0; i < 600; i++) {
		pthread_t t;

		if (pthread_create(&t, NULL, short_life, NULL))
			return 1;
		pthread_join(t, NULL);
	}
	return 0;
}

static pthread_barrier_t barrier;

static void *crowd_member(void *arg)
{
	(void)arg;
	calls(SITE_A, 10);
	pthread_barrier_wait(&barrier);
	return NULL;
}

enum { CROWD = 300 };

static int crowd(void)
{
	static pthread_t t[CROWD];

	calls(SITE_B, 1);
	pthread_barrier_init(&barrier, NULL, CROWD + 1);
	for (int i = 0; i < CROWD; i++)
		if (pthread_create(&t[i], NULL, crowd_member, NULL))
			return 1;
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < CROWD; i++)
		pthread_join(t[i], NULL);
	return 0;
}

static int family(void)
{
	calls(SITE_A, 100);
	for (int i = 0; i < 20; i++) {
		pid_t child = fork();

		if (!child) {
			calls(SITE_B, 50);
			exit(0);
		}
		waitpid(child, NULL, 0);
		calls(SITE_C, 10);
	}
	return 0;
}

/* Without the descriptors that it was given, and then once more as another image. */
static int closer(char **argv)
{
	char *again[] = {argv[0], "last", NULL};

	calls(SITE_A, 100);
	closefrom(3);
	execv("/proc/self/exe", again);
	return 1;
}

static int last(void)
{
	calls(SITE_B, 200);
	return 0;
}

/* The mapping of the trace, *bytes long. */
static unsigned char *mapping(size_t *bytes)
{
	unsigned long begin, end;
	char line[512];
	FILE *f = fopen("/proc/self/maps", "r");

	while (f && fgets(line, sizeof(line), f))
		if (strstr(line, "perseus-trace") && sscanf(line, "%lx-%lx", &begin, &end) == 2) {
			fclose(f);
			*bytes = end - begin;
			return (unsigned char *)begin;
		}
	return NULL;
}

/* A program that writes all over what it shares with the recorder. */
static int vandal(void)
{
	size_t bytes;
	unsigned char *base;
	uint64_t x = 88172645463325252ull;

	calls(SITE_A, 100);
	base = mapping(&bytes);
	if (!base)
		return 1;
	for (int round = 0; round < 200; round++) {
		for (size_t i = 0; i < 65536; i += 8) {
			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
			if (x % 16 == 0)
				memcpy(base + i, &x, 8);
		}
		usleep(1000);
	}
	return 0;
}

static int killed(void)
{
	calls(SITE_A, 5000);
	calls(SITE_B, 3);
	return kill(getpid(), SIGKILL);
}

/* Calls that take long enough for each size of the length field. */
static int lengths(void)
{
	for (unsigned us = 1; us <= 200000; us *= 20) {
		uint64_t token = probe_enter(&desc, SITE_A);

		usleep(us);
		probe_leave(&desc, SITE_A, token);
	}
	return 0;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(void);
	} scenarios[] = {{"steps", steps},   {"busy", busy},       {"jumpers", jumpers}, {"stacks", stacks},
			 {"storm", storm},   {"crowd", crowd},     {"family", family},   {"last", last},
			 {"vandal", vandal}, {"lengths", lengths}, {"killed", killed}};

	if (argc == 2 && !strcmp(argv[1], "closer"))
		return closer(argv);
	for (unsigned i = 0; argc == 2 && i < sizeof(scenarios) / sizeof(scenarios[0]); i++)
		if (!strcmp(argv[1], scenarios[i].name))
			return scenarios[i].run();
	return 2;
}

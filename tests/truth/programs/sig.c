/* SPDX-License-Identifier: MIT */
/* TRUTH: two workers compute all the time; one service thread sits in sigwait() for its whole life. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
static sigset_t set;
static void *service(void *a) { int s; sigwait(&set, &s); return a; }
static uint64_t step(uint64_t x) { for (int i = 0; i < 100000; i++) x = x * 6364136223846793005u + 1; return x; }
static void *worker(void *a) { uint64_t x = 1; for (int i = 0; i < 400; i++) x = step(x); return (void *)(uintptr_t)x; }
int main(void) {
	pthread_t s, w[6]; void *r;
	sigemptyset(&set); sigaddset(&set, SIGUSR1); pthread_sigmask(SIG_BLOCK, &set, NULL);
	pthread_create(&s, NULL, service, NULL);
	for (int i = 0; i < 6; i++) pthread_create(&w[i], NULL, worker, NULL);
	for (int i = 0; i < 6; i++) pthread_join(w[i], &r);
	pthread_kill(s, SIGUSR1); pthread_join(s, NULL);
	puts("done"); return 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * Preloaded: the nth thread that a program makes is held on the nth core of
 * PIN_CORES ("0,1,0,1"; from the first again if there are more threads).
 * Main is not held.  A core that cannot be had ends the program.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int create_fn(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

static int core_of(const char *list, unsigned n)
{
	unsigned all = 1;

	for (const char *s = list; *s; s++)
		all += *s == ',';
	for (n %= all; n; n--)
		list = strchr(list, ',') + 1;
	return atoi(list);
}

static void hold(pthread_attr_t *attr, int core)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(core, &set);
	if (pthread_attr_setaffinity_np(attr, sizeof(set), &set)) {
		fprintf(stderr, "pin: no core %d\n", core);
		exit(3);
	}
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *arg)
{
	static atomic_uint made;
	create_fn *real = (create_fn *)dlsym(RTLD_NEXT, "pthread_create");
	const char *list = getenv("PIN_CORES");
	pthread_attr_t held;
	int ret;

	if (!list || attr)
		return real(thread, attr, start, arg);
	pthread_attr_init(&held);
	hold(&held, core_of(list, atomic_fetch_add(&made, 1)));
	ret = real(thread, &held, start, arg);
	pthread_attr_destroy(&held);
	return ret;
}

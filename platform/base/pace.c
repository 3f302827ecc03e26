/* SPDX-License-Identifier: MIT */
#include "platform/base/pace.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "lib/stats.h"
#include "platform/base/clock.h"
#include "platform/base/pin.h"

#define CHAINS 8 /* enough of them to want every unit that a second hardware thread would want */
#define STEPS  250000

struct runner {
	pthread_t thread;
	uint32_t core;
	int *ready, *go;
	double ns;
	int ret;
};

static uint64_t work(void)
{
	uint64_t x[CHAINS], sum = 0;

	for (unsigned i = 0; i < CHAINS; i++)
		x[i] = i + 1;
	for (unsigned s = 0; s < STEPS; s++)
		for (unsigned i = 0; i < CHAINS; i++)
			x[i] = (x[i] ^ (x[i] >> 7)) + s;
	for (unsigned i = 0; i < CHAINS; i++)
		sum += x[i];
	return sum;
}

static void *runner_main(void *arg)
{
	struct runner *r = arg;
	uint64_t t0;

	r->ret = pin_thread(r->core);
	__atomic_fetch_add(r->ready, 1, __ATOMIC_RELEASE);
	while (!__atomic_load_n(r->go, __ATOMIC_ACQUIRE))
		sched_yield();
	if (r->ret)
		return NULL;
	t0 = clock_cpu_ns();
	__asm__ volatile("" ::"r"(work()));
	r->ns = (double)(clock_cpu_ns() - t0);
	return NULL;
}

/* A number that is equal for cores which the system declares equal, 0 where it declares nothing. */
static uint64_t pace_declared(uint32_t core, const char *sysroot)
{
	static const char *const files[] = {"cpu_capacity", "cpufreq/cpuinfo_max_freq"};
	uint64_t value = 0;

	for (unsigned i = 0; i < 2 && !value; i++) {
		char path[512];
		FILE *f;

		snprintf(path, sizeof(path), "%s/sys/devices/system/cpu/cpu%" PRIu32 "/%s", sysroot, core,
			 files[i]);
		f = fopen(path, "re");
		if (f && fscanf(f, "%" SCNu64, &value) != 1)
			value = 0;
		if (f)
			fclose(f);
	}
	return value;
}

void pace_init(struct pace *p, uint32_t looks, const char *sysroot)
{
	enum { CORES = 4096 };
	size_t size = CPU_ALLOC_SIZE(CORES);
	cpu_set_t *set = CPU_ALLOC(CORES);

	*p = (struct pace){.room = looks};
	p->core = mem_new(CORES, sizeof(*p->core));
	if (set && !sched_getaffinity(0, size, set))
		for (uint32_t c = 0; c < CORES; c++)
			if (CPU_ISSET_S(c, size, set))
				p->core[p->n++] = c;
	if (set)
		CPU_FREE(set);
	if (p->n < 2)
		p->n = 0;
	p->class = mem_new(p->n, sizeof(*p->class));
	p->ns = mem_new((size_t)p->n * looks, sizeof(*p->ns));
	for (uint32_t i = 0; i < p->n; i++)
		p->class[i] = pace_declared(p->core[i], sysroot);
}

void pace_release(struct pace *p)
{
	free(p->core);
	free(p->class);
	free(p->ns);
}

int pace_look(struct pace *p, struct err *err)
{
	struct runner *r;
	int ready = 0, go = 0, started = 0, ret = 0;

	if (!p->n || p->looks == p->room)
		return 0;
	r = mem_new(p->n, sizeof(*r));
	for (; (uint32_t)started < p->n && !ret; started += !ret) {
		r[started] = (struct runner){.core = p->core[started], .ready = &ready, .go = &go};
		ret = -pthread_create(&r[started].thread, NULL, runner_main, &r[started]);
	}
	while (__atomic_load_n(&ready, __ATOMIC_ACQUIRE) < started)
		sched_yield();
	__atomic_store_n(&go, 1, __ATOMIC_RELEASE);
	for (int i = 0; i < started; i++)
		pthread_join(r[i].thread, NULL);
	if (ret)
		err_set(err, ret, "cannot start a thread: %s", strerror(-ret));
	for (uint32_t i = 0; i < p->n && !ret; i++) {
		if (r[i].ret)
			ret = err_set(err, r[i].ret, "cannot use core %u: %s", r[i].core,
				      strerror(-r[i].ret));
		p->ns[(size_t)i * p->room + p->looks] = r[i].ns;
	}
	free(r);
	p->looks += !ret;
	return ret;
}

struct pace_spread pace_spread(struct pace *p)
{
	struct pace_spread s = {.ratio = 1.0};
	double *median = mem_new(p->n, sizeof(*median));

	for (uint32_t i = 0; i < p->n; i++)
		median[i] = stats_median(&p->ns[(size_t)i * p->room], p->looks);
	for (uint32_t i = 0; i < p->n; i++)
		for (uint32_t k = 0; k < p->n; k++)
			if (p->class[i] == p->class[k] && median[k] > 0 && median[i] / median[k] > s.ratio)
				s = (struct pace_spread){median[i] / median[k], p->core[i], p->core[k]};
	free(median);
	return s;
}

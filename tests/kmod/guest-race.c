/* SPDX-License-Identifier: MIT */
/*
 * Everything at once: random requests on all cpus, while the frequency driver
 * and cpus come and go.  Any documented answer is right; at the end all ranges
 * must be full, nothing may be counted, and the kernel's log must be clean.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "tests/kmod/guest.h"

#define ENOUGH_REQUESTS 1000
#define ENOUGH_GRANTED  10

static atomic_bool stop;
static int shared_fd = -1;

struct worker {
	unsigned cpu, seed;
	bool all_known; /* only errors that are documented, and answers that agree with themselves */
	atomic_ulong requests, granted; /* read while it works */
	int odd_error;
	unsigned odd_number;
};

static bool documented(int error)
{
	return !error || error == EINVAL || error == ENODEV || error == EBUSY || error == ENOENT ||
	       error == ENOTTY || error == EFAULT;
}

/* Mostly right, sometimes odd. */
static prs_u32 random_khz(unsigned *seed)
{
	switch (rnd(seed, 8)) {
	case 0:
		return 0;
	case 1:
		return rnd(seed, 0xffffffff);
	case 2:
		return 0x7fffffffu + rnd(seed, 3);
	default:
		return 100000 * (7 + rnd(seed, 25));
	}
}

static void random_request(unsigned *seed, prs_u32 *request, unsigned words)
{
	memset(request, 0, words * sizeof(*request));
	request[0] = PRS_CTL_VERSION;
	request[1] = rnd(seed, 16) ? rnd(seed, GUEST_CPUS) : rnd(seed, 0xffffffff);
	if (words == 12) {
		request[2] = random_khz(seed);
		request[3] = random_khz(seed);
	}
	for (unsigned i = rnd(seed, 24); i < 2; i++)
		request[rnd(seed, words)] = 1u << rnd(seed, 32);
}

static unsigned long random_number(unsigned *seed, unsigned *words)
{
	static const unsigned long known[] = {PRS_CTL_IOC_HOLD, PRS_CTL_IOC_HOLD, PRS_CTL_IOC_RELEASE,
					      PRS_CTL_IOC_QUERY, PRS_CTL_IOC_CAPS};
	unsigned long number = known[rnd(seed, 5)];

	*words = _IOC_SIZE(number) / 4;
	return rnd(seed, 32) ? number : number ^ 1ul << rnd(seed, 32);
}

static void check_answer(struct worker *w, unsigned long number, const prs_u32 *request)
{
	const struct prs_ctl_hold *h = (const void *)request;

	if (number != PRS_CTL_IOC_HOLD)
		return;
	w->granted++;
	if (!h->granted_min_khz || h->granted_min_khz > h->granted_max_khz ||
	    h->policy_min_khz > h->policy_max_khz)
		w->all_known = false;
}

static void one_request(struct worker *w, int fd)
{
	prs_u32 request[12];
	unsigned words;
	unsigned long number = random_number(&w->seed, &words);
	void *argument = rnd(&w->seed, 64) ? (void *)request : (void *)(uintptr_t)rnd(&w->seed, 4096);
	int error;

	random_request(&w->seed, request, words);
	error = ioctl(fd, number, argument) ? errno : 0;
	w->requests++;
	if (!documented(error)) {
		w->all_known = false;
		w->odd_error = error;
		w->odd_number = (unsigned)number;
	}
	if (!error && argument == request)
		check_answer(w, number, request);
}

static void pin(unsigned cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static void *work(void *arg)
{
	struct worker *w = arg;
	int fd = device();

	pin(w->cpu);
	while (!stop) {
		one_request(w, rnd(&w->seed, 4) ? fd : shared_fd);
		if (!rnd(&w->seed, 64)) {
			close(fd);
			fd = device();
		}
	}
	close(fd);
	return NULL;
}

/* A second of a busy emulator may be none of the guest's: at most a minute until they did enough. */
static void wait_for_enough(const struct worker *w)
{
	unsigned long requests = 0, granted = 0;

	for (unsigned i = 0; i < 6000 && !(requests > ENOUGH_REQUESTS && granted > ENOUGH_GRANTED); i++) {
		sleep_ms(10);
		requests = granted = 0;
		for (unsigned cpu = 0; cpu < GUEST_CPUS; cpu++) {
			requests += w[cpu].requests;
			granted += w[cpu].granted;
		}
	}
}

/* Workers on every cpu until MEANWHILE returns, and they did enough. */
static void workers(const char *text, void (*meanwhile)(unsigned n), unsigned n)
{
	struct worker w[GUEST_CPUS];
	pthread_t thread[GUEST_CPUS];
	unsigned long requests = 0, granted = 0;
	bool known = true;

	stop = false;
	shared_fd = device();
	for (unsigned i = 0; i < GUEST_CPUS; i++) {
		w[i] = (struct worker){.cpu = i, .seed = 1000 * n + i, .all_known = true};
		pthread_create(&thread[i], NULL, work, &w[i]);
	}
	meanwhile(n);
	wait_for_enough(w);
	stop = true;
	for (unsigned i = 0; i < GUEST_CPUS; i++) {
		pthread_join(thread[i], NULL);
		requests += w[i].requests;
		granted += w[i].granted;
		known = known && w[i].all_known;
		if (w[i].odd_error)
			note("ioctl 0x%x: %s", w[i].odd_number, strerror(w[i].odd_error));
	}
	close(shared_fd);
	it(requests > ENOUGH_REQUESTS && granted > ENOUGH_GRANTED,
	   "%s: %lu random requests, %lu holds granted", text, requests, granted);
	it(known, "%s: no error and no answer but documented ones", text);
	it(restored() && number_of("/sys/module/perseus/parameters/files") == 0, "%s: restored", text);
}

static void wait_seconds(unsigned n)
{
	sleep_ms(n * 1000);
}

static void driver_comes_and_goes(unsigned n)
{
	unsigned good = 0;

	for (unsigned i = 0; i < n; i++) {
		good += unload("fake_cpufreq") == 0;
		good += load("fake-cpufreq", i % 2 ? "setpolicy=1" : "") == 0;
		sleep_ms(20);
	}
	it(good == 2 * n, "the driver went and came %u times while %d threads held", n, GUEST_CPUS);
}

static void cpus_come_and_go(unsigned n)
{
	unsigned good = 0;

	for (unsigned i = 0; i < n; i++) {
		good += put("/sys/devices/system/cpu/cpu3/online", "0") == 0;
		good += put("/sys/devices/system/cpu/cpu3/online", "1") == 0;
	}
	it(good == 2 * n, "cpu 3 went and came %u times meanwhile", n);
}

void race_scenarios(unsigned seconds)
{
	workers("requests", wait_seconds, seconds);
	workers("driver unloaded meanwhile", driver_comes_and_goes, 8);
	it(unload("fake_cpufreq") == 0 && load("fake-cpufreq", "") == 0, "the first driver again");
	workers("cpu unplugged meanwhile", cpus_come_and_go, 2);
	governor("performance");
	it(restored(), "at the end: restored");
}

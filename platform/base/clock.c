/* SPDX-License-Identifier: MIT */
#include "platform/base/clock.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "lib/fs.h"
#include "lib/stats.h"

#define ROUNDS  7
#define WARM_UP 60000u /* passes of the chain: milliseconds */
#define PASSES  12000u /* in a round */

#define QUICK_ROUNDS 60
#define QUICK_PASSES 4000 /* a quarter of a millisecond */
#define QUICK_LAST   4
#define QUICK_AGREE  1.01

#define LOCKED_ROUNDS 8
#define LOCKED_PASSES 20000u

/* Multiplications in one pass of chain(), and their latency on every x86-64 since 2006. */
#define CHAIN_LENGTH  64
#define CHAIN_LATENCY 3

static uint64_t read_clock(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

uint64_t clock_wall_ns(void)
{
	return read_clock(CLOCK_MONOTONIC_RAW);
}

uint64_t clock_cpu_ns(void)
{
	return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

#if defined(__x86_64__)
#include <cpuid.h>

static uint64_t ticks(void)
{
	return __builtin_ia32_rdtsc();
}

static void identify(struct clock_facts *f)
{
	unsigned a, b, c, d;

	f->tsc = __get_cpuid(1, &a, &b, &c, &d) && d & 1u << 4;
	f->invariant = __get_cpuid(0x80000007, &a, &b, &c, &d) && d & 1u << 8;
}

/* @passes times CHAIN_LENGTH multiplications, each waiting for the one before. */
static void chain(uint64_t passes)
{
	uint64_t x = 3;

	while (passes--)
		__asm__ volatile(".rept 64\n\timul %0, %0\n\t.endr" : "+r"(x));
}
#else
static uint64_t ticks(void)
{
	return clock_wall_ns();
}

static void identify(struct clock_facts *f)
{
	f->tsc = f->invariant = false;
}

static void chain(uint64_t passes)
{
	for (volatile uint64_t i = 0; i < passes * CHAIN_LENGTH; i++)
		;
}
#endif

static double measure_hz(void)
{
	uint64_t t0 = ticks(), w0 = clock_wall_ns(), w1;

	do {
		w1 = clock_wall_ns();
	} while (w1 - w0 < 10000000);
	return (double)(ticks() - t0) * 1e9 / (double)(w1 - w0);
}

static void measure_step(struct clock_facts *f)
{
	enum { READINGS = 20000 };
	uint64_t first = ticks(), last = first, least = UINT64_MAX;

	for (int i = 0; i < READINGS; i++) {
		uint64_t now = ticks();

		if (now != last && now - last < least)
			least = now - last;
		last = now;
	}
	f->step_ns = (double)least * 1e9 / f->tsc_hz;
	f->read_ns = (double)(last - first) * 1e9 / f->tsc_hz / READINGS;
}

void clock_facts(struct clock_facts *f, const char *sysroot)
{
	memset(f, 0, sizeof(*f));
	identify(f);
	fs_read_small(sysroot, "/sys/devices/system/clocksource/clocksource0/current_clocksource", f->source,
		      sizeof(f->source));
	if (*sysroot)
		return;
	f->tsc_hz = measure_hz();
	measure_step(f);
}

/* ---- core frequency ---- */

static int open_cycles(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* One round: kHz, 0 if the counter was not running all the time. */
static double khz_by_counter(int fd)
{
	uint64_t before[3], after[3], cpu = clock_cpu_ns();

	if (read(fd, before, sizeof(before)) != sizeof(before))
		return 0;
	chain(PASSES);
	if (read(fd, after, sizeof(after)) != sizeof(after))
		return 0;
	cpu = clock_cpu_ns() - cpu;
	if (after[1] - before[1] != after[2] - before[2] || !cpu)
		return 0;
	return (double)(after[0] - before[0]) * 1e6 / (double)cpu;
}

double clock_chain_khz(uint32_t passes)
{
	uint64_t cpu = clock_cpu_ns();

	chain(passes);
	cpu = clock_cpu_ns() - cpu;
	return cpu ? (double)passes * CHAIN_LENGTH * CHAIN_LATENCY * 1e6 / (double)cpu : 0;
}

uint64_t clock_core_khz(const char **how)
{
	double by_chain[ROUNDS], by_counter[ROUNDS], chained, counted;
	int fd = open_cycles();

	chain(WARM_UP); /* leaves idle states and low steps behind */
	for (int i = 0; i < ROUNDS; i++) {
		by_chain[i] = clock_chain_khz(PASSES);
		by_counter[i] = fd < 0 ? 0 : khz_by_counter(fd);
	}
	if (fd >= 0)
		close(fd);
	chained = stats_median(by_chain, ROUNDS);
	counted = stats_median(by_counter, ROUNDS);
#if !defined(__x86_64__)
	chained = 0;
#endif
	/* Some virtual counters stand still or count another clock: then the chain is right. */
	if (counted > 0 && (chained == 0 || (counted > 0.8 * chained && counted < 1.25 * chained))) {
		if (how)
			*how = "cycle counter";
		return (uint64_t)(counted + 0.5);
	}
	if (how)
		*how = "multiplication chain";
	return (uint64_t)(chained + 0.5);
}

/* The last rounds agree: a core that just woke becomes faster for a while. */
static bool steady(const double *khz)
{
	double low = khz[0], high = khz[0];

	for (int i = 1; i < QUICK_LAST; i++) {
		low = khz[i] < low ? khz[i] : low;
		high = khz[i] > high ? khz[i] : high;
	}
	return high <= QUICK_AGREE * low;
}

uint64_t clock_core_khz_quick(void)
{
#if defined(__x86_64__)
	double khz[QUICK_ROUNDS];
	int n = 0;

	do
		khz[n++] = clock_chain_khz(QUICK_PASSES);
	while (n < QUICK_ROUNDS && (n < ROUNDS || !steady(khz + n - QUICK_LAST)));
	if (n < QUICK_ROUNDS)
		return (uint64_t)(stats_median(khz + n - QUICK_LAST, QUICK_LAST) + 0.5);
	return (uint64_t)(stats_median(khz, QUICK_ROUNDS) + 0.5);
#else
	return 0;
#endif
}

uint64_t clock_locked_ps_quick(void)
{
	static _Alignas(64) uint64_t own[8];
	uint64_t least = 0;

	for (int round = 0; round < LOCKED_ROUNDS; round++) {
		uint64_t cpu = clock_cpu_ns();

		for (uint32_t i = 0; i < LOCKED_PASSES; i++)
			__atomic_fetch_add(&own[0], 1, __ATOMIC_RELAXED);
		cpu = clock_cpu_ns() - cpu;
		if (cpu && (!least || cpu < least))
			least = cpu;
	}
	return least * 1000 / LOCKED_PASSES;
}

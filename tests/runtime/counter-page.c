/* SPDX-License-Identifier: MIT */
/*
 * The way of reading a counter by rdpmc, with a page and an instruction that
 * are made up: no machine at hand needs to have the real ones.
 */
#include <stdio.h>
#include <string.h>

#include "runtime/calls/counter-page.h"

static struct perf_event_mmap_page page;
static uint64_t hardware; /* what the made-up instruction returns */
static uint32_t asked;    /* ... and what it was asked for */
static uint64_t now;
static int disturb;    /* the kernel rewrites the page during so many reads */
static uint64_t takes; /* ticks that the instruction takes */
static int failed, n, reads;

static uint64_t fake_pmc(uint32_t index)
{
	asked = index;
	reads++;
	now += takes;
	if (disturb > 0) {
		disturb--;
		page.lock += 2;
		page.offset = 7000;
	}
	return hardware;
}

static uint64_t fake_tsc(void)
{
	return now;
}

static const struct counter_hands hands = {fake_pmc, fake_tsc};

static void is(const char *what, uint64_t want, uint64_t got)
{
	n++;
	failed |= want != got;
	printf("%sok %d - %s", want == got ? "" : "not ", n, what);
	if (want != got)
		printf(": expected %llu, got %llu", (unsigned long long)want, (unsigned long long)got);
	printf("\n");
}

static void fresh(void)
{
	memset(&page, 0, sizeof(page));
	page.lock = 4;
	page.index = 3;
	page.pmc_width = 48;
	page.cap_user_rdpmc = 1;
	page.cap_user_time = 1;
	page.offset = 1000;
	page.time_enabled = 50000;
	page.time_running = 40000;
	page.time_mult = 1u << 10; /* ns = tsc * 1024 >> 11: 2 GHz */
	page.time_shift = 11;
	page.time_offset = 0;
	hardware = 234;
	now = 2048 * 100;
	disturb = 0;
	takes = 0;
	reads = 0;
}

static void plain(void)
{
	struct counter_reading r;

	fresh();
	is("a page that holds still is read", 1, counter_page_read(&page, &hands, &r));
	is("the value is the offset and what the hardware has", 1234, r.value);
	is("the counter asked for is one below the index", 2, asked);
	is("time goes on since the page was written", 50000 + 102400, r.enabled);
	is("... also that of counting", 40000 + 102400, r.running);
}

/* perf starts a counter below zero; it is 48 bits wide and must be extended with its sign. */
static void negative(void)
{
	struct counter_reading r;

	fresh();
	hardware = (1ull << 48) - 400;
	counter_page_read(&page, &hands, &r);
	is("a counter below zero is extended with its sign", 600, r.value);
	fresh();
	page.pmc_width = 64;
	hardware = (uint64_t)-1;
	counter_page_read(&page, &hands, &r);
	is("... of 64 bits as well", 999, r.value);
	fresh();
	hardware = 1ull << 60 | 5; /* bits beyond the width are nobody's */
	counter_page_read(&page, &hands, &r);
	is("bits beyond its width do not count", 1005, r.value);
}

static void switched_off(void)
{
	struct counter_reading r;

	fresh();
	page.index = 0;
	asked = 77;
	counter_page_read(&page, &hands, &r);
	is("a counter that is not on the hardware keeps its sum", 1000, r.value);
	is("... is not asked", 77, asked);
	is("... was wanted all the time", 50000 + 102400, r.enabled);
	is("... and counted no longer", 40000, r.running);
	fresh();
	page.cap_user_rdpmc = 0;
	asked = 77;
	counter_page_read(&page, &hands, &r);
	is("the instruction is not used without permission", 77, asked);
	fresh();
	page.cap_user_time = 0;
	counter_page_read(&page, &hands, &r);
	is("without a clock the times are those of the page", 50000, r.enabled);
}

static void moving(void)
{
	struct counter_reading r;

	fresh();
	disturb = 3;
	is("a page that changes is read again", 1, counter_page_read(&page, &hands, &r));
	is("... and as it was at last", 7234, r.value);
	fresh();
	disturb = 1 << 30;
	is("one that never holds still is given up", 0, counter_page_read(&page, &hands, &r));
	fresh();
	page.lock = 5;
	is("one that is being written is given up", 0, counter_page_read(&page, &hands, &r));
}

/* The ladder goes by what a read costs, not by what the kernel says is possible. */
static void cost(void)
{
	fresh();
	takes = 40;
	is("a cheap read is timed", 40, counter_page_cost(&page, &hands, 5000, 16));
	is("... more than once", 16, reads);
	fresh();
	takes = 5200;
	is("a read that traps is timed, too", 5200, counter_page_cost(&page, &hands, 5000, 16));
	is("... and never tried again", 1, reads);
	fresh();
	page.index = 0;
	is("a counter that is not on the hardware has no cost", COUNTER_NO_COST,
	   counter_page_cost(&page, &hands, 5000, 16));
	is("... and is not read", 0, reads);
	fresh();
	page.cap_user_rdpmc = 0;
	is("nor has one that may not be read", COUNTER_NO_COST, counter_page_cost(&page, &hands, 5000, 16));
	is("... which would be a fault", 0, reads);
	fresh();
	disturb = 1 << 30;
	is("nor one whose page never holds still", COUNTER_NO_COST,
	   counter_page_cost(&page, &hands, 5000, 16));
}

int main(void)
{
	plain();
	cost();
	negative();
	switched_off();
	moving();
	printf("1..%d\n", n);
	return failed;
}

/* SPDX-License-Identifier: MIT */
/*
 * spread: how long single triggers take; compiled by interference.sh with the
 * generated code.  Prints for a trigger whose thread is where it should be
 * (`kept`) and one that moves its thread (`moved`): calls, then least, median,
 * 99 %, 99.9 % and most, in ns by the clock; reading the clock is in them.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "perseus_triggers.h"

#define CALLS 100000u

static uint64_t took[CALLS];

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* @moves: each call but the first is to move the thread; where it does not, its time is that of something else. */
static void spread(const char *name, void (*trigger)(void), size_t calls, int moves)
{
	uint32_t pins = perseus_status.pins[0];

	for (size_t i = 0; i < calls; i++) {
		uint64_t begin = now();

		trigger();
		took[i] = now() - begin;
	}
	if (moves && perseus_status.pins[0] - pins < calls - 1) {
		printf("%s,not run: %u of %zu calls moved the thread,,,,,\n", name,
		       perseus_status.pins[0] - pins, calls);
		return;
	}
	qsort(took, calls, sizeof(*took), by_size);
	printf("%s,%zu,%lu,%lu,%lu,%lu,%lu\n", name, calls, (unsigned long)took[0],
	       (unsigned long)took[calls / 2], (unsigned long)took[calls - calls / 100],
	       (unsigned long)took[calls - calls / 1000], (unsigned long)took[calls - 1]);
}

int main(void)
{
	perseus_program_start();
	if (perseus_status.machine != PERSEUS_MACHINE_PLANNED)
		return 3;
	spread("kept", perseus_trigger_0001, CALLS, 0);
	spread("moved", perseus_trigger_0002, CALLS / 50, 1);
	return 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * Prices of generated triggers, one figure a line; compiled by trigger.sh with
 * the generated code.  `trigger MODE`:
 *
 *   kept | moved   call that trigger under a seccomp filter that ends the
 *                  process at any system call but write and exit: is one made?
 *   price A B      nanoseconds, least of interleaved rounds, of CPU time: a trigger
 *                  whose thread is where it should be; a read of the clock; one that
 *                  moves between cores A and B; the system calls of a move by hand
 */
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "perseus_triggers.h"

#define KEPT   perseus_trigger_0001
#define MOVED  perseus_trigger_0002
#define ROUNDS 200

static void close_door(void)
{
	struct sock_filter rules[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(rules) / sizeof(rules[0]), rules};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) {
		perror("seccomp");
		exit(3);
	}
}

static int under_filter(void (*trigger)(void), long times)
{
	static const char done[] = "no system call\n";

	close_door();
	for (long i = 0; i < times; i++)
		trigger();
	if (write(1, done, sizeof(done) - 1) < 0)
		_exit(3);
	_exit(0);
}

static uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void read_clock(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	__asm__ volatile("" : : "r"(t.tv_nsec));
}

static void bind(int core)
{
	cpu_set_t set, back;

	CPU_ZERO(&set);
	CPU_SET(core, &set);
	if (sched_setaffinity(0, sizeof(set), &set) || sched_getaffinity(0, sizeof(back), &back) ||
	    !CPU_EQUAL(&set, &back))
		exit(3);
}

static int core_a, core_b;
static void by_hand(void)
{
	static int there;

	bind(there ? core_a : core_b);
	there = !there;
}

/* One call of @fn, in ns, if it is better than @best. */
static double better(double best, void (*fn)(void), int times)
{
	uint64_t begin = cpu_ns();
	double each;

	for (int i = 0; i < times; i++)
		fn();
	each = (double)(cpu_ns() - begin) / times;
	return each < best ? each : best;
}

static int price(void)
{
	double kept = 1e9, clock = 1e9, moved = 1e9, hand = 1e9;

	for (int i = 0; i < ROUNDS; i++) {
		bind(core_a);
		perseus_recheck();
		KEPT();
		kept = better(kept, KEPT, 20000);
		clock = better(clock, read_clock, 20000);
		moved = better(moved, MOVED, 20);
		hand = better(hand, by_hand, 20);
	}
	printf("kept %.2f\nclock %.2f\nmoved %.0f\nhand %.0f\n", kept, clock, moved, hand);
	return perseus_status.pins[0] == 0 || perseus_status.pins[2] || perseus_status.pins[1];
}

int main(int argc, char **argv)
{
	perseus_program_start();
	if (perseus_status.machine != PERSEUS_MACHINE_PLANNED) {
		fprintf(stderr, "trigger: not the planned machine\n");
		return 3;
	}
	if (argc == 2 && !strcmp(argv[1], "kept"))
		return under_filter(KEPT, 1000000);
	if (argc == 2 && !strcmp(argv[1], "moved"))
		return under_filter(MOVED, 2);
	if (argc != 4 || strcmp(argv[1], "price"))
		return 2;
	core_a = atoi(argv[2]);
	core_b = atoi(argv[3]);
	return price();
}

/* SPDX-License-Identifier: MIT */
/*
 * Calls that a program makes, counted by itself: MADE(caller, callee) stands
 * right before each call, also of functions that are inlined into others.  The
 * table is shared memory, so that children and killed processes count too.
 * made_print() writes "caller callee count" lines.
 */
#ifndef MADE_H
#define MADE_H

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define MADE_PAIRS 128

struct made_pair {
	const char *caller, *callee;
	unsigned long n;
};
static struct made_pair *made;

__attribute__((perseus_no_probe, noinline, unused)) static void made_begin(void)
{
	made = (struct made_pair *)mmap(NULL, MADE_PAIRS * sizeof(*made), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}
/* The strings of one pair differ in address between copies of inlined code: compare the text. */
__attribute__((perseus_no_probe, noinline, unused)) static void made_slow(const char *caller, const char *callee)
{
	for (int i = 0; i < MADE_PAIRS; i++) {
		const char *none = NULL;

		if (!__atomic_load_n(&made[i].callee, __ATOMIC_ACQUIRE) &&
		    __atomic_compare_exchange_n(&made[i].caller, &none, caller, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			__atomic_store_n(&made[i].callee, callee, __ATOMIC_RELEASE);
		while (!__atomic_load_n(&made[i].callee, __ATOMIC_ACQUIRE))
			;
		if (!strcmp(made[i].caller, caller) && !strcmp(made[i].callee, callee)) {
			__atomic_fetch_add(&made[i].n, 1, __ATOMIC_RELAXED);
			return;
		}
	}
	__builtin_trap();
}
__attribute__((perseus_no_probe, noinline, unused)) static void made_print(FILE *f)
{
	for (int i = 0; i < MADE_PAIRS && made[i].callee; i++)
		fprintf(f, "%s %s %lu\n", made[i].caller, made[i].callee, made[i].n);
}
#define MADE(caller, callee) made_slow(#caller, #callee)

#endif

/* SPDX-License-Identifier: MIT */
/*
 * entries SCENARIO: functions with two bodies by hand, as the plugin writes them; the
 * plain body returns 1, the other one 2.
 *
 *   all      prints what each returns once the object is attached
 *   meet N   a thread calls one of them N times, and the object is attached meanwhile
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perseus/abi.h"

extern void __prs_attach(struct prs_desc *d) __attribute__((weak));

struct prs_desc desc __attribute__((visibility("hidden"), aligned(64))) = {
	.version = PRS_ABI_VERSION, .flags = PRS_DESC_TWINS, .n_calls = 1, .unit_id = 0x2b0d};

/* As PRS_ENTRY_MAGIC, for the assembler. */
#define MAGIC "0x6e17d2c9540fb83d"

/* The record's jump leads to @to, and it is of the descriptor @of. */
#define ENTRY(name, to, of)                                                                   \
	__asm__(".text\n\t.p2align 4\n" #name "_front:\n\t.byte 0xe9\n\t.long " #name "_twin-.-4\n"         \
		"\t.p2align 4\n\t.type " #name ",@function\n" #name ":\n"           \
		"\tmovl $1, %eax\n\tret\n" #name "_twin:\n\tmovl $2, %eax\n\tret\n\t.p2align 3\n" #name      \
		"_record:\n\t.quad " MAGIC "\n\t.long 0, " #of "-" #name "_record, " #name "-" #name           \
		"_record\n\t.byte 0xeb, " #to "-" #name "-2, 0xeb, " #to "-" #name "-2\n");                  \
	int name(void) __attribute__((visibility("hidden")))

ENTRY(good, good_front, desc);
ENTRY(nowhere, nowhere_twin, desc);
ENTRY(foreign, foreign_front, foreign_twin);
ENTRY(last, last_front, desc);

static long calls, wrong, before;
static volatile int begun;

static void *call(void *arg)
{
	(void)arg;
	for (long i = 0; i < calls; i++) {
		int got = good();

		wrong += got != 1 && got != 2;
		before += got == 1;
		begun = i > calls / 100;
	}
	return NULL;
}

static void meet(void)
{
	pthread_t t;

	pthread_create(&t, NULL, call, NULL);
	while (!begun)
		;
	if (__prs_attach)
		__prs_attach(&desc);
	pthread_join(t, NULL);
	printf("wrong=%ld before=%d after=%d\n", wrong, before > calls / 100, good());
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "meet")) {
		calls = atol(argv[2]);
		meet();
		return 0;
	}
	if (__prs_attach)
		__prs_attach(&desc);
	printf("%d %d %d %d\n", good(), nowhere(), foreign(), last());
	return 0;
}

/*
 * Says where its objects lie: modulo 4096 what starts on a page, modulo 128 what
 * does not.  main's stack starts anywhere, and is left out.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef PLANT
#define PLANT 0
#endif

int first_int = 1;
char first_char = 2;
#if PLANT == 1 /* what a descriptor in .data did */
char planted[40] = "moves what is behind it";
#endif
long first_zero;
static long hidden_zero;
static int hidden_int = 5;
char first_text[100];
struct {
	long a, b, c;
} first_struct;
_Alignas(64) int first_aligned = 9;
__thread int first_tls = 3;
__thread long first_tls_zero;

extern int second_int, *second_hidden_int, second_work(int);
extern long second_zero, *second_hidden_zero;
extern char second_text[];
extern __thread int second_tls;
extern struct {
	char c;
	long l[5];
} second_struct;
#ifdef LIB
extern int lib_int;
extern char lib_text[];
extern void *lib_block;
extern long *lib_where(int);
#endif

static void say(const char *what, const void *p, unsigned modulo)
{
	printf("%s %lu\n", what, (unsigned long)((uintptr_t)p % modulo));
}

static void globals(void)
{
	say("first_int", &first_int, 128);
	say("first_char", &first_char, 128);
	say("first_zero", &first_zero, 128);
	say("hidden_zero", &hidden_zero, 128);
	say("hidden_int", &hidden_int, 128);
	say("first_text", first_text, 128);
	say("first_struct", &first_struct, 128);
	say("first_aligned", &first_aligned, 128);
	say("second_int", &second_int, 128);
	say("second_zero", &second_zero, 128);
	say("second_text", second_text, 128);
	say("second_struct", &second_struct, 128);
	say("second_hidden_zero", second_hidden_zero, 128);
	say("second_hidden_int", second_hidden_int, 128);
#ifdef LIB
	say("lib_int", &lib_int, 128);
	say("lib_text", lib_text, 128);
#endif
}

/* Blocks in sequence, some given back between. */
static void heap(const char *when)
{
	static const unsigned sizes[] = {1, 24, 25, 40, 56, 64, 100, 120, 200, 472, 1000, 1040, 4096, 20000};
	void *p[14], *aligned = NULL;

	printf("%s\n", when);
	for (unsigned i = 0; i < 14; i++)
		say("malloc", p[i] = malloc(sizes[i]), 4096);
	for (unsigned i = 0; i < 14; i += 3)
		free(p[i]);
	say("calloc", calloc(3, 40), 4096);
	say("posix_memalign", posix_memalign(&aligned, 64, 24) ? NULL : aligned, 4096);
	say("realloc", realloc(p[1], 400), 4096);
	say("strdup", strdup("where am I"), 4096);
	for (unsigned i = 0; i < 14; i++)
		say("malloc", malloc(sizes[13 - i]), 4096);
}

static int below(int n)
{
	volatile long local[3] = {n};

	first_zero += n;
	return (int)local[0] + second_work(n);
}

static void tls(unsigned modulo)
{
	say("first_tls", &first_tls, modulo);
	say("first_tls_zero", &first_tls_zero, modulo);
	say("second_tls", &second_tls, modulo);
#ifdef LIB
	say("lib_initial", lib_where(0), modulo);
	say("lib_dynamic", lib_where(1), 16);
#endif
}

/* The caller's stack pointer, whatever this function keeps below it. */
static void *thread(void *arg)
{
	say("stack", __builtin_dwarf_cfa(), 4096);
	first_struct.b += below((int)(intptr_t)arg);
	tls(4096);
	for (unsigned size = 16; size < 2000; size += size / 2)
		say("block of a thread", malloc(size), 4096);
	return malloc(50);
}

static void in_thread(int n, const pthread_attr_t *attr)
{
	pthread_t id;
	void *p;

	if (pthread_create(&id, attr, thread, (void *)(intptr_t)n))
		exit(1);
	pthread_join(id, &p);
	say("its last block", p, 4096);
}

int main(void)
{
	pthread_attr_t attr;

	setvbuf(stdout, NULL, _IOFBF, 65536);
#if PLANT == 2 /* what a runtime that allocates did */
	void *volatile kept = NULL;

	if (getenv("PERSEUS_RUN_DIR"))
		kept = malloc(8);
	if (kept)
		second_zero++;
#endif
#ifdef LIB
	say("lib_block", lib_block, 4096);
#endif
	heap("before");
	globals();
	tls(64);
	for (int i = 0; i < 3; i++)
		in_thread(i, NULL);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 256 << 10);
	in_thread(4, &attr);
	heap("after");
	return second_work(first_int) + hidden_int + (int)hidden_zero++ + first_char + first_text[3] +
		       first_aligned ==
	       0;
}

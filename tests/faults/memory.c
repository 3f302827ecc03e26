/* SPDX-License-Identifier: MIT */
/*
 * For LD_PRELOAD: memory that is refused once.
 *
 *	FAULT_AT=N     the Nth request of the process fails, no other
 *	FAULT_LOG=FILE instead, write which requests are the first from their place in the
 *	               program, one number a line
 *
 * What the process starts is left alone.
 */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);

enum { DEPTH = 24, PLACES = 1 << 16 };

static atomic_ulong requests;
static unsigned long fail_at;
static int log_to = -1;
static _Thread_local bool inside;
static uint64_t places[PLACES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* True if no request came by this way before. */
static bool is_new(uint64_t way)
{
	for (unsigned i = 0; i < PLACES; i++) {
		uint64_t *slot = &places[(way + i) % PLACES];

		if (*slot == way)
			return false;
		if (!*slot) {
			*slot = way;
			return true;
		}
	}
	return false;
}

static void note(unsigned long n)
{
	void *frame[DEPTH];
	uint64_t way = 1469598103934665603u;
	char line[32];
	int depth, len;

	inside = true;
	depth = backtrace(frame, DEPTH);
	for (int i = 2; i < depth; i++)
		way = (way ^ (uintptr_t)frame[i]) * 1099511628211u;
	pthread_mutex_lock(&lock);
	if (is_new(way | 1)) {
		len = snprintf(line, sizeof(line), "%lu\n", n);
		if (write(log_to, line, (size_t)len) != len)
			abort();
	}
	pthread_mutex_unlock(&lock);
	inside = false;
}

static bool refused(void)
{
	unsigned long n;

	if (inside || (!fail_at && log_to < 0))
		return false;
	n = atomic_fetch_add(&requests, 1) + 1;
	if (log_to >= 0)
		note(n);
	if (n != fail_at)
		return false;
	errno = ENOMEM;
	return true;
}

void *malloc(size_t n) { return refused() ? NULL : __libc_malloc(n); }
void *calloc(size_t n, size_t size) { return refused() ? NULL : __libc_calloc(n, size); }
void *realloc(void *p, size_t n) { return refused() ? NULL : __libc_realloc(p, n); }

static void __attribute__((constructor)) begin(void)
{
	const char *at = getenv("FAULT_AT"), *log = getenv("FAULT_LOG");
	void *first[1];

	backtrace(first, 1); /* loads what it needs */
	if (log) {
		FILE *f = fopen(log, "we");

		log_to = f ? fileno(f) : -1;
	}
	fail_at = at ? strtoul(at, NULL, 10) : 0;
	unsetenv("LD_PRELOAD");
}

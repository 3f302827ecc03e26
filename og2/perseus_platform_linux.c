/* SPDX-License-Identifier: MIT */
/*
 * Library of the triggers, written by perseus codegen.  It holds nothing of a plan:
 * all plans that need the same parts have these bytes, which are reviewed once.
 * Parts: cpu settles
 */
/*
 * Linux under the triggers: affinity, frequency steps, creation of threads.
 *
 * The program needs no library for this: pthread_create() is defined here,
 * in the executable, so that calls from libstdc++, libgomp and others bind
 * to it as well.  A static executable has no dynamic symbols: compile this
 * file with -DPERSEUS_STATIC and link with -Wl,--wrap=pthread_create.
 * Threads made by thrd_create() or clone() are not seen.
 *
 * Deviations from MISRA C:2012, each marked where it occurs:
 *   D1  Rule 1.2   __thread and __atomic are extensions of the compiler: C11
 *                  _Thread_local and _Atomic would deviate from Rule 1.4
 *   D2  Rule 19.2  dlsym() gives the address of a function as void *; the
 *                  union is the conversion that POSIX leaves
 *   D3  Rule 11.5  the argument of a thread is void * by POSIX
 *   D4  Rule 21.1, 2.5  _GNU_SOURCE asks the C library for the affinity functions
 *   D5  Rule 21.2, 8.6  names that the linker's --wrap option prescribes
 *   D6  Rule 8.4   <pthread.h> declares it; a checker without the system's headers does not see that
 */
/* cppcheck-suppress [misra-c2012-21.1, misra-c2012-2.5] ; D4 */
#define _GNU_SOURCE
#include "perseus_platform.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perseus_machine.h"

/* Further answers, as numbered in perseus_triggers.h. */
#define PERSEUS_NOT_HELD    (1u)
#define PERSEUS_OUTSIDE     (3u)
#define PERSEUS_NOWHERE     (0xFFFFFFFFu) /* the thread is on no core of the plan */

#define PERSEUS_CPUINFO "/proc/cpuinfo"
#define CPUINFO_BYTES (4096u)

typedef void *(*perseus_routine)(void *argument);
typedef int (*perseus_creator)(pthread_t *thread, const pthread_attr_t *attributes, perseus_routine start,
			       void *argument);

/* One place per planned thread: it is created once, so its place is free. */
struct perseus_slot {
	perseus_routine start;
	void *argument;
	uint32_t instance;
};

/* cppcheck-suppress misra-c2012-19.2 ; D2 */
union perseus_symbol {
	void *object;
	perseus_creator function;
};

static cpu_set_t perseus_allowed; /* the mask the program started with */
static __thread uint32_t perseus_instance = PERSEUS_NO_THREAD; /* D1 */
static __thread uint32_t perseus_pinned = PERSEUS_NOWHERE; /* D1: core of this thread's last pin */

/* From half of its range a counter stays: threads that have looked just before are far too few to make it wrap. */
void perseus_platform_count(uint32_t *counter)
{
	/* D1 */
	if (__atomic_load_n(counter, __ATOMIC_RELAXED) < 0x80000000u) {
		(void)__atomic_fetch_add(counter, 1u, __ATOMIC_RELAXED);
	}
}

void perseus_platform_store(uint32_t *place, uint32_t value)
{
	__atomic_store_n(place, value, __ATOMIC_RELAXED); /* D1 */
}

uint32_t perseus_platform_in_main(void)
{
	uint32_t in_main = PERSEUS_NO;

	if (gettid() == getpid()) {
		in_main = PERSEUS_YES;
	}
	return in_main;
}

uint32_t perseus_platform_self(void)
{
	return perseus_instance;
}

uint32_t perseus_platform_become(uint32_t instance)
{
	uint32_t result = PERSEUS_REFUSED;

	if (instance < PERSEUS_THREADS) {
		perseus_instance = instance;
		result = PERSEUS_SET;
	}
	return result;
}

/* ---- files of the kernel: short, and read or written in one call ---------- */

/* Bytes read into @text, 0 if the file cannot be read. */
static size_t perseus_read(const char *path, char *text, size_t bytes)
{
	size_t count = 0u;
	int file = open(path, O_RDONLY | O_CLOEXEC);

	if (file >= 0) {
		ssize_t got = read(file, text, bytes);

		if (got > 0) {
			count = (size_t)got;
		}
		(void)close(file);
	}
	return count;
}

/* ---- affinity ------------------------------------------------------------- */

/* 1 if the calling thread may run on @core and nowhere else. */
static uint32_t perseus_is_on(uint32_t core)
{
	cpu_set_t mask;
	uint32_t on = 0u;

	if (sched_getaffinity(0, sizeof(mask), &mask) == 0) {
		if (CPU_COUNT(&mask) == 1) {
			if (CPU_ISSET(core, &mask) != 0) {
				on = 1u;
			}
		}
	}
	return on;
}

/* The core is one of the start mask. */
static uint32_t perseus_set_mask(uint32_t core, uint32_t *error)
{
	cpu_set_t mask;
	uint32_t result;

	CPU_ZERO(&mask);
	CPU_SET(core, &mask);
	if (sched_setaffinity(0, sizeof(mask), &mask) != 0) {
		*error = (uint32_t)errno;
		result = PERSEUS_REFUSED;
	} else if (perseus_is_on(core) == 1u) {
		perseus_pinned = core;
		result = PERSEUS_SET;
	} else {
		result = PERSEUS_NOT_HELD;
	}
	return result;
}

uint32_t perseus_platform_pin(uint32_t core, uint32_t *error)
{
	uint32_t result = PERSEUS_OUTSIDE;
	int saved = errno;

	*error = 0u;
	if (core < (uint32_t)CPU_SETSIZE) {
		if (CPU_ISSET(core, &perseus_allowed) != 0) {
			result = perseus_set_mask(core, error);
		}
	}
	errno = saved;
	return result;
}

/* ---- the machine ---------------------------------------------------------- */

/* 1 if the text at @at of @info goes on with @name of @bytes and ends there. */
static uint32_t perseus_value_is(const char *info, size_t length, size_t at, const char *name, size_t bytes)
{
	uint32_t same = 0u;

	if ((at + bytes) < length) {
		if (memcmp(&info[at], name, bytes) == 0) {
			if (info[at + bytes] == '\n') {
				same = 1u;
			}
		}
	}
	return same;
}

/* 1 if /proc/cpuinfo names the processor @cpu. */
static uint32_t perseus_cpu_is(const char *cpu, size_t bytes)
{
	static const char key[] = "model name\t: ";
	char info[CPUINFO_BYTES];
	size_t key_bytes = sizeof(key) - 1u;
	size_t length;
	uint32_t same = 0u;
	size_t i;

	(void)memset(info, 0, CPUINFO_BYTES);
	length = perseus_read(PERSEUS_CPUINFO, info, CPUINFO_BYTES);
	for (i = 0u; i < CPUINFO_BYTES; i++) {
		if ((i + key_bytes) < length) {
			if (memcmp(&info[i], key, key_bytes) == 0) {
				same |= perseus_value_is(info, length, i + key_bytes, cpu, bytes);
			}
		}
	}
	return same;
}

/* Both generated files are of one plan, the mask can be read, and the machine is the planned one. */
uint32_t perseus_platform_start(void)
{
	uint32_t result;

	if (strcmp(perseus_plan_sha256, PERSEUS_PLAN) != 0) {
		result = PERSEUS_NOT_HELD;
	} else if (sched_getaffinity(0, sizeof(perseus_allowed), &perseus_allowed) != 0) {
		result = PERSEUS_REFUSED;
	} else if (perseus_cpu_is(PERSEUS_CPU, sizeof(PERSEUS_CPU) - 1u) == 0u) {
		result = PERSEUS_NOT_HELD;
	} else if (sysconf(_SC_NPROCESSORS_ONLN) != (long)PERSEUS_CORES) {
		result = PERSEUS_NOT_HELD;
	} else {
		result = PERSEUS_SET;
	}
	return result;
}

/* ---- creation of threads -------------------------------------------------- */

#ifdef PERSEUS_STATIC
/* cppcheck-suppress [misra-c2012-21.2, misra-c2012-8.4, misra-c2012-8.6] ; D5, D6 */
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, perseus_routine start, void *argument);
/* cppcheck-suppress [misra-c2012-21.2, misra-c2012-8.4] ; D5, D6 */
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, perseus_routine start, void *argument);

static perseus_creator perseus_system_creator(void)
{
	return __real_pthread_create;
}
#else
static perseus_creator perseus_system_creator(void)
{
	/* cppcheck-suppress misra-c2012-19.2 ; D2 */
	union perseus_symbol symbol;

	symbol.object = dlsym(RTLD_NEXT, "pthread_create");
	return symbol.function;
}
#endif

static int perseus_system_create(pthread_t *thread, const pthread_attr_t *attributes, perseus_routine start,
				 void *argument)
{
	perseus_creator creator = perseus_system_creator();
	int error = EAGAIN;

	if (creator != NULL) {
		error = creator(thread, attributes, start, argument);
	}
	return error;
}

/* First in every planned thread. */
static void *perseus_thread_main(void *argument)
{
	/* cppcheck-suppress misra-c2012-11.5 ; D3 */
	const struct perseus_slot *slot = argument;

	perseus_thread_enter(slot->instance);
	return slot->start(slot->argument);
}

/* @child is the instance of the new thread, or none. */
static int perseus_create_as(uint32_t child, pthread_t *thread, const pthread_attr_t *attributes,
			     perseus_routine start, void *argument)
{
	static struct perseus_slot slots[PERSEUS_THREADS];
	int error;

	if (child < PERSEUS_THREADS) {
		slots[child].start = start;
		slots[child].argument = argument;
		slots[child].instance = child;
		error = perseus_system_create(thread, attributes, perseus_thread_main, &slots[child]);
	} else {
		error = perseus_system_create(thread, attributes, start, argument);
	}
	return error;
}

/*
 * A new thread inherits its creator's mask.  A creator that the plan holds on
 * one core lends the start mask meanwhile, so that the new one is not held
 * there too, and does not wait there for its creator to pause.  Returns the
 * core to go back to, or none.
 */
static uint32_t perseus_lend_mask(void)
{
	uint32_t core = perseus_pinned;

	if (core != PERSEUS_NOWHERE) {
		if (perseus_is_on(core) == 0u) {
			core = PERSEUS_NOWHERE; /* the program has moved itself: its choice counts */
		} else if (sched_setaffinity(0, sizeof(perseus_allowed), &perseus_allowed) != 0) {
			core = PERSEUS_NOWHERE;
		} else {
			core = perseus_pinned;
		}
	}
	return core;
}

/* Back to @core after that; if it is refused, that is counted. */
static void perseus_take_back(uint32_t core)
{
	uint32_t error = 0u;

	if (core != PERSEUS_NOWHERE) {
		if (perseus_platform_pin(core, &error) != PERSEUS_SET) {
			perseus_platform_count(&perseus_status.pins_lost);
		}
	}
}

static int perseus_make(pthread_t *thread, const pthread_attr_t *attributes, perseus_routine start, void *argument)
{
	int saved = errno;
	uint32_t child = perseus_creation_take();
	uint32_t home = perseus_lend_mask();
	int error = perseus_create_as(child, thread, attributes, start, argument);

	if (error != 0) {
		perseus_creation_undo();
	}
	perseus_take_back(home);
	errno = saved;
	return error;
}

#ifdef PERSEUS_STATIC
/* cppcheck-suppress misra-c2012-21.2 ; D5 */
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, perseus_routine start, void *argument)
{
	return perseus_make(thread, attributes, start, argument);
}
#else
/* Visible to the libraries of the program, whatever visibility it is compiled with. */
/* cppcheck-suppress misra-c2012-8.4 ; D6 */
__attribute__((visibility("default"))) int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
							  perseus_routine start, void *argument)
{
	return perseus_make(thread, attributes, start, argument);
}
#endif

#ifndef PERSEUS_SYSTEM_CPU_SETTLES
#error "perseus_platform_linux.c has other parts than the plan needs: generate all files again"
#endif

/* SPDX-License-Identifier: MIT */
#include <dlfcn.h>

#include "runtime/real.h"

struct rt_real rt_real_table;

#define RT_REAL_NAME(name, result, params, version) .name = version,
const struct rt_real_version real_version = {RT_REALS(RT_REAL_NAME)};

/*
 * dlsym() may allocate, and an allocator may lock a mutex: that lock comes
 * back here, on the same thread.  Only then the names it needs are bound
 * directly; otherwise the next definition may be a tool's, which has a right
 * to see the call.
 */
extern int direct_lock(pthread_mutex_t *m);
extern int direct_trylock(pthread_mutex_t *m);
__asm__(".symver direct_lock, __pthread_mutex_lock@GLIBC_2.2.5");
__asm__(".symver direct_trylock, __pthread_mutex_trylock@GLIBC_2.2.5");

static __thread int finding __attribute__((tls_model("initial-exec")));

static bool same(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

static const void *object_of(const void *address)
{
	Dl_info info;

	return dladdr(address, &info) ? info.dli_fbase : NULL;
}

/* The version wanted, if the next definition is libc's; another library's has no versions. */
static void *pick(const char *name, const char *version)
{
	void *next = dlsym(RTLD_NEXT, name), *versioned;

	if (!next || !version)
		return next;
	versioned = dlvsym(RTLD_NEXT, name, version);
	return versioned && object_of(versioned) == object_of(next) ? versioned : next;
}

void *real_find(void **slot, const char *name, const char *version)
{
	void *found;

	if (finding)
		return same(name, "pthread_mutex_trylock") ? (void *)direct_trylock : (void *)direct_lock;
	finding++;
	found = pick(name, version);
	finding--;
	rt_publish(slot, found);
	return found;
}

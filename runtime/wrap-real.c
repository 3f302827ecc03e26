/* SPDX-License-Identifier: MIT */
/* Finding the functions behind; a static program has them by name. */
#ifndef PRS_STATIC

#include <dlfcn.h>

#include "runtime/real.h"

struct rt_real rt_real_table;

#define RT_REAL_NAME(name, result, params, version) {#name, version},
static const struct {
	const char *name, *version;
} wanted[] = {RT_REALS(RT_REAL_NAME) RT_TEAM_REALS(RT_REAL_NAME)};

/*
 * dlsym() may allocate, and an allocator may lock a mutex: that lock comes
 * back here, on the same thread.  Only then the names it needs are bound
 * directly; otherwise the next definition may be a tool's, which has a right
 * to see the call.
 */
extern int direct_lock(pthread_mutex_t *m);
extern int direct_trylock(pthread_mutex_t *m);
extern int direct_unlock(pthread_mutex_t *m);
__asm__(".symver direct_lock, __pthread_mutex_lock@GLIBC_2.2.5");
__asm__(".symver direct_trylock, __pthread_mutex_trylock@GLIBC_2.2.5");
__asm__(".symver direct_unlock, __pthread_mutex_unlock@GLIBC_2.2.5");

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

static void *direct(const char *name)
{
	if (same(name, "pthread_mutex_trylock"))
		return (void *)direct_trylock;
	if (same(name, "pthread_mutex_unlock"))
		return (void *)direct_unlock;
	return same(name, "pthread_mutex_lock") ? (void *)direct_lock : NULL;
}

void *real_find(uint32_t i)
{
	void *found;

	if (finding)
		return direct(wanted[i].name);
	finding++;
	found = pick(wanted[i].name, wanted[i].version);
	finding--;
	rt_publish((void **)&rt_real_table + i, found);
	return found;
}

/* All that there are, before any handler or forked child needs one of them: looking up takes locks. */
static __attribute__((constructor)) void find_all(void)
{
	for (uint32_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		real_get(i);
}
#else
typedef int nothing_to_find;
#endif

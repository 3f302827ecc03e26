/* SPDX-License-Identifier: MIT */
/*
 * The functions behind the interposed ones.  Looked up by version where libc
 * keeps an old one under the same name: the condition variables of before
 * 2.3.2 have another layout.
 */
#ifndef RUNTIME_REAL_H
#define RUNTIME_REAL_H

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "runtime/append.h"
#include "runtime/thread.h"

#define RT_EXPORT __attribute__((visibility("default")))

/* name, result, parameters, version or NULL */
#define RT_REALS(X)                                                                                          \
	X(pthread_create, int, (pthread_t *, const pthread_attr_t *, void *(*)(void *), void *), NULL)       \
	X(pthread_attr_getsigmask_np, int, (const pthread_attr_t *, sigset_t *), NULL)                       \
	X(pthread_join, int, (pthread_t, void **), NULL)                                                     \
	X(pthread_timedjoin_np, int, (pthread_t, void **, const struct timespec *), NULL)                    \
	X(pthread_clockjoin_np, int, (pthread_t, void **, clockid_t, const struct timespec *), NULL)         \
	X(thrd_create, int, (thrd_t *, thrd_start_t, void *), NULL)                                          \
	X(thrd_join, int, (thrd_t, int *), NULL)                                                             \
	X(pthread_mutex_lock, int, (pthread_mutex_t *), NULL)                                                \
	X(pthread_mutex_trylock, int, (pthread_mutex_t *), NULL)                                             \
	X(pthread_mutex_timedlock, int, (pthread_mutex_t *, const struct timespec *), NULL)                  \
	X(pthread_mutex_clocklock, int, (pthread_mutex_t *, clockid_t, const struct timespec *), NULL)       \
	X(pthread_cond_wait, int, (pthread_cond_t *, pthread_mutex_t *), "GLIBC_2.3.2")                      \
	X(pthread_cond_timedwait, int, (pthread_cond_t *, pthread_mutex_t *, const struct timespec *),       \
	  "GLIBC_2.3.2")                                                                                     \
	X(pthread_cond_clockwait, int,                                                                       \
	  (pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *), NULL)                   \
	X(pthread_cond_signal, int, (pthread_cond_t *), "GLIBC_2.3.2")                                       \
	X(pthread_cond_broadcast, int, (pthread_cond_t *), "GLIBC_2.3.2")                                    \
	X(pthread_barrier_init, int, (pthread_barrier_t *, const pthread_barrierattr_t *, unsigned), NULL)   \
	X(pthread_barrier_wait, int, (pthread_barrier_t *), NULL)                                            \
	X(pthread_rwlock_rdlock, int, (pthread_rwlock_t *), NULL)                                            \
	X(pthread_rwlock_wrlock, int, (pthread_rwlock_t *), NULL)                                            \
	X(pthread_rwlock_tryrdlock, int, (pthread_rwlock_t *), NULL)                                         \
	X(pthread_rwlock_trywrlock, int, (pthread_rwlock_t *), NULL)                                         \
	X(sem_wait, int, (sem_t *), NULL)                                                                    \
	X(sem_trywait, int, (sem_t *), NULL)                                                                 \
	X(sem_timedwait, int, (sem_t *, const struct timespec *), NULL)                                      \
	X(sem_clockwait, int, (sem_t *, clockid_t, const struct timespec *), NULL)                           \
	X(sem_post, int, (sem_t *), NULL)                                                                    \
	X(nanosleep, int, (const struct timespec *, struct timespec *), NULL)                                \
	X(clock_nanosleep, int, (clockid_t, int, const struct timespec *, struct timespec *), NULL)          \
	X(usleep, int, (useconds_t), NULL)                                                                   \
	X(sleep, unsigned, (unsigned), NULL)                                                                 \
	X(fork, pid_t, (void), NULL)                                                                         \
	X(_Fork, pid_t, (void), NULL)                                                                        \
	X(execve, int, (const char *, char *const *, char *const *), NULL)                                   \
	X(execvpe, int, (const char *, char *const *, char *const *), NULL)                                  \
	X(fexecve, int, (int, char *const *, char *const *), NULL)

#define RT_REAL_FIELD(name, result, params, version) result(*name) params;
struct rt_real {
	RT_REALS(RT_REAL_FIELD)
};
#undef RT_REAL_FIELD

extern struct rt_real rt_real_table __attribute__((visibility("hidden")));

/* Look one up and keep it in @slot; NULL if libc does not have it. */
void *real_find(void **slot, const char *name, const char *version);

/* The real function, looked up when first needed: another constructor may be the first to call. */
#define REAL(name)                                                                                           \
	({                                                                                                   \
		void *real_ = rt_acquire((void **)&rt_real_table.name);                                      \
		if (rt_unlikely(!real_))                                                                     \
			real_ = real_find((void **)&rt_real_table.name, #name, real_version.name);           \
		(__typeof__(rt_real_table.name))real_;                                                       \
	})

#define RT_REAL_VERSION(name, result, params, version) const char *name;
struct rt_real_version {
	RT_REALS(RT_REAL_VERSION)
};
#undef RT_REAL_VERSION
extern const struct rt_real_version real_version __attribute__((visibility("hidden")));

/* The calling thread if it is recorded, else NULL: then only pass on. */
static inline struct rt_thread *real_thread(void)
{
	return rt_recording() ? thread_self() : NULL;
}

/* An event of the calling function's caller, beginning now. */
#define RT_SEEN(k, obj)                                                                                      \
	{                                                                                                    \
		.kind = (k), .other = PRS_NO_THREAD, .begin = rt_recording() ? rt_ticks() : 0,               \
		.object = (uint64_t)(obj), .caller = (uint64_t)__builtin_return_address(0)                   \
	}

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The functions behind the interposed ones.  Looked up by version where libc
 * keeps an old one under the same name: the condition variables of before
 * 2.3.2 have another layout.
 */
#ifndef RUNTIME_WRAP_REAL_H
#define RUNTIME_WRAP_REAL_H

#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "runtime/calls/append.h"
#include "runtime/thread.h"

#define RT_EXPORT __attribute__((visibility("default")))

#define RT_TEAM_LOOP    (void (*)(void *), void *, unsigned, long, long, long, long, unsigned)
#define RT_TEAM_RUNTIME (void (*)(void *), void *, unsigned, long, long, long, unsigned)
#define RT_TASK         void (*)(void *), void *, void (*)(void *, void *), long, long

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
	X(pthread_mutex_unlock, int, (pthread_mutex_t *), NULL)                                              \
	X(pthread_rwlock_timedrdlock, int, (pthread_rwlock_t *, const struct timespec *), NULL)              \
	X(pthread_rwlock_timedwrlock, int, (pthread_rwlock_t *, const struct timespec *), NULL)              \
	X(pthread_rwlock_clockrdlock, int, (pthread_rwlock_t *, clockid_t, const struct timespec *), NULL)   \
	X(pthread_rwlock_clockwrlock, int, (pthread_rwlock_t *, clockid_t, const struct timespec *), NULL)   \
	X(pthread_spin_lock, int, (pthread_spinlock_t *), NULL)                                              \
	X(pthread_spin_trylock, int, (pthread_spinlock_t *), NULL)                                           \
	X(mtx_lock, int, (mtx_t *), NULL)                                                                    \
	X(mtx_trylock, int, (mtx_t *), NULL)                                                                 \
	X(mtx_timedlock, int, (mtx_t *, const struct timespec *), NULL)                                      \
	X(mtx_unlock, int, (mtx_t *), NULL)                                                                  \
	X(cnd_wait, int, (cnd_t *, mtx_t *), NULL)                                                           \
	X(cnd_timedwait, int, (cnd_t *, mtx_t *, const struct timespec *), NULL)                             \
	X(cnd_signal, int, (cnd_t *), NULL)                                                                  \
	X(cnd_broadcast, int, (cnd_t *), NULL)                                                               \
	X(sem_wait, int, (sem_t *), NULL)                                                                    \
	X(sem_trywait, int, (sem_t *), NULL)                                                                 \
	X(sem_timedwait, int, (sem_t *, const struct timespec *), NULL)                                      \
	X(sem_clockwait, int, (sem_t *, clockid_t, const struct timespec *), NULL)                           \
	X(sem_post, int, (sem_t *), NULL)                                                                    \
	X(nanosleep, int, (const struct timespec *, struct timespec *), NULL)                                \
	X(clock_nanosleep, int, (clockid_t, int, const struct timespec *, struct timespec *), NULL)          \
	X(usleep, int, (useconds_t), NULL)                                                                   \
	X(sleep, unsigned, (unsigned), NULL)                                                                 \
	X(thrd_sleep, int, (const struct timespec *, struct timespec *), NULL)                               \
	X(pause, int, (void), NULL)                                                                          \
	X(sigsuspend, int, (const sigset_t *), NULL)                                                         \
	X(sigwait, int, (const sigset_t *, int *), NULL)                                                     \
	X(sigwaitinfo, int, (const sigset_t *, siginfo_t *), NULL)                                           \
	X(sigtimedwait, int, (const sigset_t *, siginfo_t *, const struct timespec *), NULL)                 \
	X(wait, pid_t, (int *), NULL)                                                                        \
	X(waitpid, pid_t, (pid_t, int *, int), NULL)                                                         \
	X(wait3, pid_t, (int *, int, struct rusage *), NULL)                                                 \
	X(wait4, pid_t, (pid_t, int *, int, struct rusage *), NULL)                                          \
	X(waitid, int, (idtype_t, id_t, siginfo_t *, int), NULL)                                             \
	X(read, ssize_t, (int, void *, size_t), NULL)                                                        \
	X(readv, ssize_t, (int, const struct iovec *, int), NULL)                                            \
	X(write, ssize_t, (int, const void *, size_t), NULL)                                                 \
	X(writev, ssize_t, (int, const struct iovec *, int), NULL)                                           \
	X(recv, ssize_t, (int, void *, size_t, int), NULL)                                                   \
	X(recvfrom, ssize_t, (int, void *, size_t, int, struct sockaddr *, socklen_t *), NULL)               \
	X(recvmsg, ssize_t, (int, struct msghdr *, int), NULL)                                               \
	X(send, ssize_t, (int, const void *, size_t, int), NULL)                                             \
	X(sendto, ssize_t, (int, const void *, size_t, int, const struct sockaddr *, socklen_t), NULL)       \
	X(sendmsg, ssize_t, (int, const struct msghdr *, int), NULL)                                         \
	X(accept, int, (int, struct sockaddr *, socklen_t *), NULL)                                          \
	X(accept4, int, (int, struct sockaddr *, socklen_t *, int), NULL)                                    \
	X(connect, int, (int, const struct sockaddr *, socklen_t), NULL)                                     \
	X(__read_chk, ssize_t, (int, void *, size_t, size_t), NULL)                                          \
	X(__recv_chk, ssize_t, (int, void *, size_t, size_t, int), NULL)                                     \
	X(__recvfrom_chk, ssize_t, (int, void *, size_t, size_t, int, struct sockaddr *, socklen_t *), NULL) \
	X(poll, int, (struct pollfd *, nfds_t, int), NULL)                                                   \
	X(ppoll, int, (struct pollfd *, nfds_t, const struct timespec *, const sigset_t *), NULL)            \
	X(__poll_chk, int, (struct pollfd *, nfds_t, int, size_t), NULL)                                     \
	X(__ppoll_chk, int, (struct pollfd *, nfds_t, const struct timespec *, const sigset_t *, size_t),    \
	  NULL)                                                                                              \
	X(select, int, (int, fd_set *, fd_set *, fd_set *, struct timeval *), NULL)                          \
	X(pselect, int, (int, fd_set *, fd_set *, fd_set *, const struct timespec *, const sigset_t *),      \
	  NULL)                                                                                              \
	X(epoll_wait, int, (int, struct epoll_event *, int, int), NULL)                                      \
	X(epoll_pwait, int, (int, struct epoll_event *, int, int, const sigset_t *), NULL)                   \
	X(epoll_pwait2, int, (int, struct epoll_event *, int, const struct timespec *, const sigset_t *),    \
	  NULL)                                                                                              \
	X(fork, pid_t, (void), NULL)                                                                         \
	X(clone, int, (int (*)(void *), void *, int, void *, ...), NULL)                                     \
	X(_Fork, pid_t, (void), NULL)                                                                        \
	X(setuid, int, (uid_t), NULL)                                                                        \
	X(setreuid, int, (uid_t, uid_t), NULL)                                                               \
	X(setresuid, int, (uid_t, uid_t, uid_t), NULL)                                                       \
	X(execve, int, (const char *, char *const *, char *const *), NULL)                                   \
	X(execvpe, int, (const char *, char *const *, char *const *), NULL)                                  \
	X(fexecve, int, (int, char *const *, char *const *), NULL)

/* OpenMP; not in static programs, which would have to be linked with it. */
#define RT_TEAM_REALS(X)                                                                                     \
	X(GOMP_parallel, void, (void (*)(void *), void *, unsigned, unsigned), NULL)                         \
	X(GOMP_parallel_sections, void, (void (*)(void *), void *, unsigned, unsigned, unsigned), NULL)      \
	X(GOMP_parallel_reductions, unsigned, (void (*)(void *), void *, unsigned, unsigned), NULL)          \
	X(GOMP_parallel_loop_static, void, RT_TEAM_LOOP, NULL)                                               \
	X(GOMP_parallel_loop_dynamic, void, RT_TEAM_LOOP, NULL)                                              \
	X(GOMP_parallel_loop_guided, void, RT_TEAM_LOOP, NULL)                                               \
	X(GOMP_parallel_loop_nonmonotonic_dynamic, void, RT_TEAM_LOOP, NULL)                                 \
	X(GOMP_parallel_loop_nonmonotonic_guided, void, RT_TEAM_LOOP, NULL)                                  \
	X(GOMP_parallel_loop_runtime, void, RT_TEAM_RUNTIME, NULL)                                           \
	X(GOMP_parallel_loop_nonmonotonic_runtime, void, RT_TEAM_RUNTIME, NULL)                              \
	X(GOMP_parallel_loop_maybe_nonmonotonic_runtime, void, RT_TEAM_RUNTIME, NULL)                        \
	X(GOMP_barrier, void, (void), NULL)                                                                  \
	X(GOMP_loop_end, void, (void), NULL)                                                                 \
	X(GOMP_sections_end, void, (void), NULL)                                                             \
	X(GOMP_critical_start, void, (void), NULL)                                                           \
	X(GOMP_critical_name_start, void, (void **), NULL)                                                   \
	X(omp_set_lock, void, (void *), NULL)                                                                \
	X(GOMP_task, void, (RT_TASK, bool, unsigned, void **, int, void *), NULL)                            \
	X(GOMP_taskloop, void, (RT_TASK, unsigned, unsigned long, int, long, long, long), NULL)

#ifdef PRS_STATIC

/* The linker's other name of what --wrap diverts to us: strong, so that libc's member is there. */
#define RT_REAL_OTHER(name, result, params, version) extern result __real_##name params;
RT_REALS(RT_REAL_OTHER)
#undef RT_REAL_OTHER
#define REAL(name) (&__real_##name)

#else

#define RT_REAL_FIELD(name, result, params, version) result(*name) params;
struct rt_real {
	RT_REALS(RT_REAL_FIELD)
	RT_TEAM_REALS(RT_REAL_FIELD)
};
#undef RT_REAL_FIELD

extern struct rt_real rt_real_table __attribute__((visibility("hidden")));

/* Look number @i of the table up and keep it there; NULL if nobody has it. */
void *real_find(uint32_t i);

static inline void *real_get(uint32_t i)
{
	void *real = rt_acquire((void **)&rt_real_table + i);

	return rt_unlikely(!real) ? real_find(i) : real;
}

/* The real function, looked up when first needed: another constructor may be the first to call. */
#define REAL(name) ((__typeof__(rt_real_table.name))real_get(offsetof(struct rt_real, name) / sizeof(void *)))
#endif

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

/* SPDX-License-Identifier: MIT */
/*
 * Waits.  A lock that is free leaves no event and costs one try; only a
 * thread that had to wait is worth a line.  libc's own inner waits do not
 * pass here, so nothing is counted twice.
 */
#include <errno.h>

#include "runtime/real.h"

static void waited(struct rt_seen *e, int64_t value)
{
	struct rt_thread *t = real_thread();

	e->value = value;
	if (t)
		append_event(t, e);
}

#define WAIT(kind, object, call)                                                                             \
	do {                                                                                                 \
		struct rt_seen e_ = RT_SEEN(kind, object);                                                   \
		int ret_ = (call), errno_ = errno;                                                           \
		waited(&e_, ret_);                                                                           \
		errno = errno_;                                                                              \
		return ret_;                                                                                 \
	} while (0)

/* ---- mutexes ------------------------------------------------------------------ */

/* A try that fails for another reason than a holder says nothing: the real call decides. */
static bool lock_free(pthread_mutex_t *m, int *ret)
{
	*ret = REAL(pthread_mutex_trylock)(m);
	return *ret == 0 || *ret == EOWNERDEAD;
}

RT_EXPORT int pthread_mutex_lock(pthread_mutex_t *m)
{
	int ret;

	if (!rt_recording())
		return REAL(pthread_mutex_lock)(m);
	if (lock_free(m, &ret))
		return ret;
	if (ret != EBUSY)
		return REAL(pthread_mutex_lock)(m);
	WAIT(PRS_EV_MUTEX, m, REAL(pthread_mutex_lock)(m));
}

RT_EXPORT int pthread_mutex_timedlock(pthread_mutex_t *m, const struct timespec *until)
{
	int ret;

	if (!rt_recording())
		return REAL(pthread_mutex_timedlock)(m, until);
	if (lock_free(m, &ret))
		return ret;
	WAIT(PRS_EV_MUTEX, m, REAL(pthread_mutex_timedlock)(m, until));
}

RT_EXPORT int pthread_mutex_clocklock(pthread_mutex_t *m, clockid_t clock, const struct timespec *until)
{
	int ret;

	if (!rt_recording())
		return REAL(pthread_mutex_clocklock)(m, clock, until);
	if (lock_free(m, &ret))
		return ret;
	WAIT(PRS_EV_MUTEX, m, REAL(pthread_mutex_clocklock)(m, clock, until));
}

/* ---- condition variables -------------------------------------------------------- */

RT_EXPORT int pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m)
{
	WAIT(PRS_EV_COND, c, REAL(pthread_cond_wait)(c, m));
}

RT_EXPORT int pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *until)
{
	WAIT(PRS_EV_COND, c, REAL(pthread_cond_timedwait)(c, m, until));
}

RT_EXPORT int pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock,
				     const struct timespec *until)
{
	WAIT(PRS_EV_COND, c, REAL(pthread_cond_clockwait)(c, m, clock, until));
}

RT_EXPORT int pthread_cond_signal(pthread_cond_t *c)
{
	WAIT(PRS_EV_SIGNAL_COND, c, REAL(pthread_cond_signal)(c));
}

RT_EXPORT int pthread_cond_broadcast(pthread_cond_t *c)
{
	WAIT(PRS_EV_SIGNAL_COND, c, REAL(pthread_cond_broadcast)(c));
}

/* ---- barriers --------------------------------------------------------------------- */

/*
 * Generations are counted on arrival: all threads of one round arrive before
 * the first of the next can, so arrival number / count is the round.
 */
static struct rt_barrier_note *barrier_note(uint64_t object, bool make)
{
	uint64_t h = object * 0x9e3779b97f4a7c15ull >> 48;

	for (uint32_t i = 0; i < 16; i++) {
		struct rt_barrier_note *b = &rt.barrier[(h + i) % RT_BARRIERS];
		uint64_t key = rt_acquire(&b->object);

		if (!key && make &&
		    __atomic_compare_exchange_n(&b->object, &key, object, false, __ATOMIC_ACQ_REL,
						__ATOMIC_ACQUIRE))
			return b;
		if (key == object)
			return b;
	}
	return NULL;
}

RT_EXPORT int pthread_barrier_init(pthread_barrier_t *b, const pthread_barrierattr_t *attr, unsigned count)
{
	int ret = REAL(pthread_barrier_init)(b, attr, count);
	struct rt_barrier_note *note = ret || !real_thread() ? NULL : barrier_note((uint64_t)b, true);

	if (!note)
		return ret;
	if (note->count)
		note->base += (note->arrivals + note->count - 1) / note->count;
	note->arrivals = 0;
	rt_publish(&note->count, count);
	return ret;
}

RT_EXPORT int pthread_barrier_wait(pthread_barrier_t *b)
{
	struct rt_barrier_note *note = rt_recording() ? barrier_note((uint64_t)b, false) : NULL;
	uint64_t count = note ? rt_acquire(&note->count) : 0;
	int64_t generation = count ? (int64_t)(note->base + rt_add(&note->arrivals, 1) / count) : -1;
	struct rt_seen e = RT_SEEN(PRS_EV_BARRIER, b);
	int ret = REAL(pthread_barrier_wait)(b);
	struct rt_thread *t = real_thread();

	if (t && ret == PTHREAD_BARRIER_SERIAL_THREAD)
		e.other = t->index;
	waited(&e, generation);
	return ret;
}

/* ---- readers and writers ------------------------------------------------------------ */

RT_EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t *l)
{
	int ret = rt_recording() ? REAL(pthread_rwlock_tryrdlock)(l) : EAGAIN;

	if (!ret)
		return ret;
	if (ret != EBUSY)
		return REAL(pthread_rwlock_rdlock)(l);
	WAIT(PRS_EV_RWLOCK, l, REAL(pthread_rwlock_rdlock)(l));
}

RT_EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t *l)
{
	int ret = rt_recording() ? REAL(pthread_rwlock_trywrlock)(l) : EAGAIN;

	if (!ret)
		return ret;
	if (ret != EBUSY)
		return REAL(pthread_rwlock_wrlock)(l);
	WAIT(PRS_EV_RWLOCK, l, REAL(pthread_rwlock_wrlock)(l));
}

/* ---- semaphores ------------------------------------------------------------------------ */

static bool sem_free(sem_t *s)
{
	int saved = errno;

	if (rt_recording() && !REAL(sem_trywait)(s))
		return true;
	errno = saved;
	return false;
}

RT_EXPORT int sem_wait(sem_t *s)
{
	if (sem_free(s))
		return 0;
	WAIT(PRS_EV_SEM, s, REAL(sem_wait)(s));
}

RT_EXPORT int sem_timedwait(sem_t *s, const struct timespec *until)
{
	if (sem_free(s))
		return 0;
	WAIT(PRS_EV_SEM, s, REAL(sem_timedwait)(s, until));
}

RT_EXPORT int sem_clockwait(sem_t *s, clockid_t clock, const struct timespec *until)
{
	if (sem_free(s))
		return 0;
	WAIT(PRS_EV_SEM, s, REAL(sem_clockwait)(s, clock, until));
}

RT_EXPORT int sem_post(sem_t *s)
{
	WAIT(PRS_EV_POST, s, REAL(sem_post)(s));
}

/* ---- sleeping ---------------------------------------------------------------------------- */

RT_EXPORT int nanosleep(const struct timespec *want, struct timespec *left)
{
	WAIT(PRS_EV_SLEEP, 0, REAL(nanosleep)(want, left));
}

RT_EXPORT int clock_nanosleep(clockid_t clock, int flags, const struct timespec *want, struct timespec *left)
{
	WAIT(PRS_EV_SLEEP, 0, REAL(clock_nanosleep)(clock, flags, want, left));
}

RT_EXPORT int usleep(useconds_t us)
{
	WAIT(PRS_EV_SLEEP, 0, REAL(usleep)(us));
}

RT_EXPORT unsigned sleep(unsigned seconds)
{
	struct rt_seen e = RT_SEEN(PRS_EV_SLEEP, 0);
	unsigned left = REAL(sleep)(seconds);

	waited(&e, left);
	return left;
}

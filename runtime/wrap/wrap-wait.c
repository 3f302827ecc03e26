/* SPDX-License-Identifier: MIT */
/*
 * Locks and signals.  A lock that is free costs one try and one count; only a
 * thread that had to wait is worth a look at the clock.  libc's own inner
 * waits do not pass here, so nothing is counted twice.
 */
#include <errno.h>

#include "runtime/wrap/wrap-wait.h"

/* For wait.c: that these functions are in this program. */
extern const uint32_t wait_seen;
const uint32_t wait_seen = PRS_SEEN_WAITS | PRS_SEEN_IO;

WRAP_SHARED void wrap_begin(struct rt_seen *e, uint32_t kind, const volatile void *object, const void *caller)
{
	struct rt_thread *t = real_thread();

	/* One by one: cleared as a whole it takes as long as the clock. */
	e->kind = kind;
	e->other = PRS_NO_THREAD;
	e->object = (uint64_t)object;
	e->caller = (uint64_t)caller;
	e->value = 0;
	e->begin = t ? rt_ticks() : 0;
	if (t)
		wait_open(t, e);
}

WRAP_SHARED void wrap_end(struct rt_seen *e, int64_t value, uint32_t whom, const void *pair, int fd)
{
	const struct rt_wait_end end = {whom, fd, (uint64_t)pair};
	struct rt_thread *t = e->begin ? real_thread() : NULL;

	/* A vfork child runs in our memory, but what it waits for is its own. */
	if (!t || sys_getpid() != rt.pid)
		return;
	e->value = value;
	if (e->kind != PRS_EV_BARRIER)
		e->other = whom;
	wait_close(t, e, &end);
}

WRAP_SHARED void wrap_begin_call(struct rt_seen *e, uint32_t kind, const void *caller)
{
	struct rt_waits *w;

	wrap_begin(e, kind, NULL, caller);
	w = e->begin ? wait_state(rt_self) : NULL;
	if (!w || w->looks)
		return;
	w->looks = RT_LOOKS;
	w->slept = wait_sleeps();
}

/* True unless the thread was on a core since its last wait, or only pushed off it. */
static bool has_slept(struct rt_waits *w)
{
	int64_t sleeps = wait_sleeps();
	bool slept = sleeps != w->slept;

	w->slept = sleeps;
	w->looks = RT_LOOKED;
	return slept;
}

WRAP_SHARED bool wrap_long(const struct rt_seen *e)
{
	struct rt_thread *t = e->begin ? real_thread() : NULL;

	if (!t || !t->waits)
		return false;
	if (rt_ticks() - e->begin > t->waits->io_ticks && has_slept(t->waits))
		return true;
	wait_cancel(t);
	return false;
}

WRAP_SHARED void wrap_taken(uint32_t kind, const volatile void *object, const void *caller)
{
	struct rt_thread *t = real_thread();

	if (t)
		wait_take(t, kind, (uint64_t)object, (uint64_t)caller);
}

WRAP_SHARED void wrap_wakes(uint32_t kind, const volatile void *object, const void *caller)
{
	struct rt_thread *t = real_thread();
	struct rt_seen e = {
		.kind = kind, .other = PRS_NO_THREAD, .object = (uint64_t)object, .caller = (uint64_t)caller};

	if (!t)
		return;
	wait_note_waker((uint64_t)object, t->index);
	wrap_taken(kind, object, caller);
	if (t->waits && t->event.spent < t->waits->event_mark && !t->waits->event_ticks) {
		e.begin = rt_ticks();
		append_event(t, &e);
	}
}

/* ---- mutexes ------------------------------------------------------------------ */

enum lock_how { LOCK, LOCK_TIMED, LOCK_CLOCK, LOCK_MTX, LOCK_MTX_TIMED };

static WRAP_SHARED int lock_now(enum lock_how how, void *m, const struct wrap_until *until)
{
	switch (how) {
	case LOCK_TIMED:
		return REAL(pthread_mutex_timedlock)(m, until->time);
	case LOCK_CLOCK:
		return REAL(pthread_mutex_clocklock)(m, until->clock, until->time);
	case LOCK_MTX:
		return REAL(mtx_lock)(m);
	case LOCK_MTX_TIMED:
		return REAL(mtx_timedlock)(m, until->time);
	default:
		return REAL(pthread_mutex_lock)(m);
	}
}

/* The thread that holds a mutex; 0 in the word for a moment while it changes hands. */
static uint32_t holder(const pthread_mutex_t *m)
{
	return wait_thread((uint32_t)rt_load(&m->__data.__owner));
}

/* Got, unless it is a recursive one that the thread had already. */
static void lock_taken(const pthread_mutex_t *m, const void *caller)
{
	if (m->__data.__count <= 1)
		wrap_taken(PRS_EV_MUTEX, m, caller);
}

static WRAP_SHARED int lock_held(enum lock_how how, void *m, const struct wrap_until *until,
				 const void *caller)
{
	uint32_t whom = holder(m);
	struct rt_seen e;
	int ret;

	wrap_begin(&e, PRS_EV_MUTEX, m, caller);
	if (e.begin)
		wait_open_for(rt_self, whom);
	ret = lock_now(how, m, until);
	wrap_end(&e, ret, whom, NULL, -1);
	if (!ret || ret == EOWNERDEAD)
		lock_taken(m, caller);
	return ret;
}

/* The results of C11 in the words of pthreads. */
static int tried(int ret)
{
	return ret == thrd_success ? 0 : ret == thrd_busy ? EBUSY : EINVAL;
}

/* What became of the try. */
static WRAP_SHARED int lock_tried(enum lock_how how, void *m, const struct wrap_until *until, int ret,
				  const void *caller)
{
	if (ret == 0 || ret == EOWNERDEAD) {
		lock_taken(m, caller);
		return ret;
	}
	/* A try that fails for another reason than a holder says nothing: the real call decides. */
	return ret == EBUSY ? lock_held(how, m, until, caller) : lock_now(how, m, until);
}

static WRAP_SHARED int lock_until(enum lock_how how, void *m, clockid_t clock, const struct timespec *time,
				  const void *caller)
{
	const struct wrap_until until = {clock, time};
	int ret;

	if (!rt_recording())
		return lock_now(how, m, &until);
	ret = how < LOCK_MTX ? REAL(pthread_mutex_trylock)(m) : tried(REAL(mtx_trylock)(m));
	return lock_tried(how, m, &until, ret, caller);
}

int wrap_lock(pthread_mutex_t *m, const void *caller)
{
	return lock_until(LOCK, m, 0, NULL, caller);
}

int wrap_lock_tried(pthread_mutex_t *m, int ret, const void *caller)
{
	return lock_tried(LOCK, m, NULL, ret, caller);
}

RT_EXPORT int pthread_mutex_timedlock(pthread_mutex_t *m, const struct timespec *until)
{
	return lock_until(LOCK_TIMED, m, 0, until, __builtin_return_address(0));
}

RT_EXPORT int pthread_mutex_clocklock(pthread_mutex_t *m, clockid_t clock, const struct timespec *until)
{
	return lock_until(LOCK_CLOCK, m, clock, until, __builtin_return_address(0));
}

/* C11: the same objects under other names. */
RT_EXPORT int mtx_lock(mtx_t *m)
{
	return lock_until(LOCK_MTX, m, 0, NULL, __builtin_return_address(0));
}

RT_EXPORT int mtx_timedlock(mtx_t *m, const struct timespec *until)
{
	return lock_until(LOCK_MTX_TIMED, m, 0, until, __builtin_return_address(0));
}

RT_EXPORT int mtx_unlock(mtx_t *m)
{
	wait_release((uint64_t)m);
	return REAL(mtx_unlock)(m);
}

/* ---- condition variables -------------------------------------------------------- */

enum cond_how { COND, COND_TIMED, COND_CLOCK, COND_CND, COND_CND_TIMED };

static WRAP_SHARED int cond_now(enum cond_how how, void *c, void *m, const struct wrap_until *until)
{
	switch (how) {
	case COND_TIMED:
		return REAL(pthread_cond_timedwait)(c, m, until->time);
	case COND_CLOCK:
		return REAL(pthread_cond_clockwait)(c, m, until->clock, until->time);
	case COND_CND:
		return REAL(cnd_wait)(c, m);
	case COND_CND_TIMED:
		return REAL(cnd_timedwait)(c, m, until->time);
	default:
		return REAL(pthread_cond_wait)(c, m);
	}
}

/* Whoever signalled last has woken it, unless its time was up. */
static WRAP_SHARED int cond(enum cond_how how, void *c, void *m, const struct wrap_until *until,
			    const void *caller)
{
	uint32_t whom = PRS_NO_THREAD;
	struct rt_paused held;
	struct rt_seen e;
	int ret;

	wait_pause((uint64_t)m, &held);
	wrap_begin(&e, PRS_EV_COND, c, caller);
	ret = cond_now(how, c, m, until);
	if (!ret && e.begin)
		whom = wait_waker((uint64_t)c);
	wrap_end(&e, ret, whom, m, -1);
	wait_resume((uint64_t)m, &held);
	return ret;
}

RT_EXPORT int pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m)
{
	return cond(COND, c, m, NULL, __builtin_return_address(0));
}

RT_EXPORT int pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *until)
{
	const struct wrap_until u = {0, until};

	return cond(COND_TIMED, c, m, &u, __builtin_return_address(0));
}

RT_EXPORT int pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock,
				     const struct timespec *until)
{
	const struct wrap_until u = {clock, until};

	return cond(COND_CLOCK, c, m, &u, __builtin_return_address(0));
}

RT_EXPORT int cnd_wait(cnd_t *c, mtx_t *m)
{
	return cond(COND_CND, c, m, NULL, __builtin_return_address(0));
}

RT_EXPORT int cnd_timedwait(cnd_t *c, mtx_t *m, const struct timespec *until)
{
	const struct wrap_until u = {0, until};

	return cond(COND_CND_TIMED, c, m, &u, __builtin_return_address(0));
}

RT_EXPORT int pthread_cond_signal(pthread_cond_t *c)
{
	wrap_wakes(PRS_EV_SIGNAL_COND, c, __builtin_return_address(0));
	return REAL(pthread_cond_signal)(c);
}

RT_EXPORT int pthread_cond_broadcast(pthread_cond_t *c)
{
	wrap_wakes(PRS_EV_SIGNAL_COND, c, __builtin_return_address(0));
	return REAL(pthread_cond_broadcast)(c);
}

RT_EXPORT int cnd_signal(cnd_t *c)
{
	wrap_wakes(PRS_EV_SIGNAL_COND, c, __builtin_return_address(0));
	return REAL(cnd_signal)(c);
}

RT_EXPORT int cnd_broadcast(cnd_t *c)
{
	wrap_wakes(PRS_EV_SIGNAL_COND, c, __builtin_return_address(0));
	return REAL(cnd_broadcast)(c);
}

/* ---- barriers --------------------------------------------------------------------- */

#define BARRIERS 1024u /* whose generation is counted */

static struct barrier_note {
	uint64_t object; /* address, 0: free */
	uint64_t count;
	uint64_t arrivals;
	uint64_t base; /* generations of earlier barriers at this address */
} barriers[BARRIERS] __attribute__((aligned(64)));

/*
 * Generations are counted on arrival: all threads of one round arrive before
 * the first of the next can, so arrival number / count is the round.
 */
static struct barrier_note *barrier_note(uint64_t object, bool make)
{
	uint64_t h = object * 0x9e3779b97f4a7c15ull >> 48;

	for (uint32_t i = 0; i < 16; i++) {
		struct barrier_note *b = &barriers[(h + i) % BARRIERS];
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
	struct barrier_note *note = ret || !real_thread() ? NULL : barrier_note((uint64_t)b, true);

	if (!note)
		return ret;
	if (note->count)
		note->base += (note->arrivals + note->count - 1) / note->count;
	note->arrivals = 0;
	rt_publish(&note->count, count);
	return ret;
}

/* The round that the caller comes to; the one who completes it leaves his name, for two rounds. */
static int64_t arrive(const pthread_barrier_t *b, uint64_t *door)
{
	struct barrier_note *note = barrier_note((uint64_t)b, false);
	uint64_t count = note ? rt_acquire(&note->count) : 0, n;
	struct rt_thread *t = real_thread();
	int64_t round;

	*door = 0;
	if (!count || !t)
		return -1;
	n = rt_add(&note->arrivals, 1);
	round = (int64_t)(note->base + n / count);
	*door = (uint64_t)b + 1 + (round & 1);
	if (n % count == count - 1)
		wait_note_waker(*door, t->index);
	return round;
}

RT_EXPORT int pthread_barrier_wait(pthread_barrier_t *b)
{
	uint32_t whom = PRS_NO_THREAD;
	struct rt_thread *t;
	struct rt_seen e;
	int64_t round = -1;
	uint64_t door = 0;
	int ret;

	wrap_begin(&e, PRS_EV_BARRIER, b, __builtin_return_address(0));
	if (e.begin)
		round = arrive(b, &door);
	ret = REAL(pthread_barrier_wait)(b);
	t = real_thread();
	if (t && ret == PTHREAD_BARRIER_SERIAL_THREAD)
		e.other = t->index;
	if (door)
		whom = wait_waker(door);
	wrap_end(&e, round, whom, NULL, -1);
	return ret;
}

/* ---- readers and writers ------------------------------------------------------------ */

enum rw_how { RW_READ, RW_WRITE, RW_READ_TIMED, RW_WRITE_TIMED, RW_READ_CLOCK, RW_WRITE_CLOCK };

static WRAP_SHARED int rw_now(enum rw_how how, pthread_rwlock_t *l, clockid_t clock,
			      const struct timespec *until)
{
	switch (how) {
	case RW_WRITE:
		return REAL(pthread_rwlock_wrlock)(l);
	case RW_READ_TIMED:
		return REAL(pthread_rwlock_timedrdlock)(l, until);
	case RW_WRITE_TIMED:
		return REAL(pthread_rwlock_timedwrlock)(l, until);
	case RW_READ_CLOCK:
		return REAL(pthread_rwlock_clockrdlock)(l, clock, until);
	case RW_WRITE_CLOCK:
		return REAL(pthread_rwlock_clockwrlock)(l, clock, until);
	default:
		return REAL(pthread_rwlock_rdlock)(l);
	}
}

/* A writer that holds it is known; readers are not. */
static WRAP_SHARED int rw_held(enum rw_how how, pthread_rwlock_t *l, clockid_t clock,
			       const struct timespec *until, const void *caller)
{
	uint32_t whom = wait_thread((uint32_t)rt_load(&l->__data.__cur_writer));
	struct rt_seen e;
	int ret;

	wrap_begin(&e, PRS_EV_RWLOCK, l, caller);
	if (e.begin)
		wait_open_for(rt_self, whom);
	ret = rw_now(how, l, clock, until);
	wrap_end(&e, ret, whom, NULL, -1);
	if (!ret)
		wrap_taken(PRS_EV_RWLOCK, l, caller);
	return ret;
}

static WRAP_SHARED int rw(enum rw_how how, pthread_rwlock_t *l, clockid_t clock, const struct timespec *until,
			  const void *caller)
{
	int ret;

	if (!rt_recording())
		return rw_now(how, l, clock, until);
	ret = how & 1 ? REAL(pthread_rwlock_trywrlock)(l) : REAL(pthread_rwlock_tryrdlock)(l);
	if (ret)
		return ret == EBUSY ? rw_held(how, l, clock, until, caller) : rw_now(how, l, clock, until);
	wrap_taken(PRS_EV_RWLOCK, l, caller);
	return 0;
}

RT_EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t *l)
{
	return rw(RW_READ, l, 0, NULL, __builtin_return_address(0));
}

RT_EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t *l)
{
	return rw(RW_WRITE, l, 0, NULL, __builtin_return_address(0));
}

RT_EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t *l, const struct timespec *until)
{
	return rw(RW_READ_TIMED, l, 0, until, __builtin_return_address(0));
}

RT_EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t *l, const struct timespec *until)
{
	return rw(RW_WRITE_TIMED, l, 0, until, __builtin_return_address(0));
}

RT_EXPORT int pthread_rwlock_clockrdlock(pthread_rwlock_t *l, clockid_t clock, const struct timespec *until)
{
	return rw(RW_READ_CLOCK, l, clock, until, __builtin_return_address(0));
}

RT_EXPORT int pthread_rwlock_clockwrlock(pthread_rwlock_t *l, clockid_t clock, const struct timespec *until)
{
	return rw(RW_WRITE_CLOCK, l, clock, until, __builtin_return_address(0));
}

/* ---- spin locks ------------------------------------------------------------------------ */

/* A spin lock holds no name. */
RT_EXPORT int pthread_spin_lock(pthread_spinlock_t *l)
{
	const void *caller = __builtin_return_address(0);
	struct rt_seen e;
	int ret;

	if (!rt_recording())
		return REAL(pthread_spin_lock)(l);
	ret = REAL(pthread_spin_trylock)(l);
	if (ret) {
		wrap_begin(&e, PRS_EV_SPIN, l, caller);
		ret = REAL(pthread_spin_lock)(l);
		wrap_end(&e, ret, PRS_NO_THREAD, NULL, -1);
	}
	wrap_taken(PRS_EV_SPIN, l, caller);
	return ret;
}

/* ---- semaphores ------------------------------------------------------------------------ */

enum sem_how { SEM, SEM_TIMED, SEM_CLOCK };

static int sem_now(enum sem_how how, sem_t *s, clockid_t clock, const struct timespec *until)
{
	switch (how) {
	case SEM_TIMED:
		return REAL(sem_timedwait)(s, until);
	case SEM_CLOCK:
		return REAL(sem_clockwait)(s, clock, until);
	default:
		return REAL(sem_wait)(s);
	}
}

static WRAP_SHARED int sem(enum sem_how how, sem_t *s, clockid_t clock, const struct timespec *until,
			   const void *caller)
{
	int ret, saved = errno;
	struct rt_seen e;

	if (rt_recording() && !REAL(sem_trywait)(s)) {
		wrap_taken(PRS_EV_SEM, s, caller);
		return 0;
	}
	errno = saved;
	wrap_begin(&e, PRS_EV_SEM, s, caller);
	ret = sem_now(how, s, clock, until);
	wrap_end(&e, ret, !ret && e.begin ? wait_waker((uint64_t)s) : PRS_NO_THREAD, NULL, -1);
	if (!ret)
		wrap_taken(PRS_EV_SEM, s, caller);
	return ret;
}

RT_EXPORT int sem_wait(sem_t *s)
{
	return sem(SEM, s, 0, NULL, __builtin_return_address(0));
}

RT_EXPORT int sem_timedwait(sem_t *s, const struct timespec *until)
{
	return sem(SEM_TIMED, s, 0, until, __builtin_return_address(0));
}

RT_EXPORT int sem_clockwait(sem_t *s, clockid_t clock, const struct timespec *until)
{
	return sem(SEM_CLOCK, s, clock, until, __builtin_return_address(0));
}

RT_EXPORT int sem_post(sem_t *s)
{
	wrap_wakes(PRS_EV_POST, s, __builtin_return_address(0));
	return REAL(sem_post)(s);
}

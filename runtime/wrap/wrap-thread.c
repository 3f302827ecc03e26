/* SPDX-License-Identifier: MIT */
/*
 * Threads begin and end.
 *
 * The creator numbers the new thread before it exists, so that its identity
 * (creator, site, ordinal) does not depend on who runs first.  The site is
 * the creator's innermost timed call.  That is the creating call itself: the
 * first call of a site is always timed, a call that made a thread pins its
 * site to be timed for ever, and no site that makes threads is fast enough to
 * be sampled before.
 *
 * A signal handler with probes that runs in the new thread before the
 * trampoline has adopted it would make a second thread of it.  So it is
 * created with signals held; the trampoline lets them in.
 */
#include <errno.h>

#include "runtime/calls/wait.h"
#include "runtime/wrap/real.h"

static void thread_started(struct rt_thread *t)
{
	struct rt_seen e = {.kind = PRS_EV_START, .other = t->entry->creator};

	thread_note_stack(t);
	thread_remember(t->entry->pthread_id, t->index);
	e.object = t->entry->pthread_id;
	e.begin = rt_ticks();
	append_event(t, &e);
}

/* First thing in the new thread; the state may be another's afterwards. */
static void wrap_thread_begin(struct rt_thread *t)
{
	uint64_t mask = t->start_mask;
	bool masks = t->start_masks;

	if (thread_adopt(t))
		thread_started(t);
	if (masks)
		sys_signals_restore(&mask);
}

static void *run_pthread(void *arg)
{
	struct rt_thread *t = arg;
	void *(*start)(void *) = t->start_pthread;
	void *user = t->start_arg;

	wrap_thread_begin(t);
	return start(user);
}

static int run_thrd(void *arg)
{
	struct rt_thread *t = arg;
	int (*start)(void *) = t->start_thrd;
	void *user = t->start_arg;

	wrap_thread_begin(t);
	return start(user);
}

/*
 * A joiner may be here before the new thread has run: the creator, too, notes
 * whose id this is, unless it may by now be somebody else's.
 */
static void created(struct rt_thread *self, struct rt_seen *e, uint32_t index, uint64_t pthread_id,
		    bool detached)
{
	if (!detached)
		thread_remember(pthread_id, index);
	if (!self)
		return;
	e->other = index;
	e->object = pthread_id;
	append_pin(self);
	append_event(self, e);
}

/* A libc without the question has no such attribute. */
static bool has_mask(const pthread_attr_t *attr)
{
	int (*get)(const pthread_attr_t *, sigset_t *);
	sigset_t mask;

	if (!attr)
		return false;
	get = REAL(pthread_attr_getsigmask_np);
	return get && !get(attr, &mask);
}

/* The new thread reads the mask from @t, of which nothing is ours once it runs. */
static void hold_signals(struct rt_thread *t, bool masks, uint64_t *old)
{
	t->start_masks = masks;
	sys_signals_hold(old);
	t->start_mask = *old;
}

RT_EXPORT int pthread_create(pthread_t *id, const pthread_attr_t *attr, void *(*start)(void *), void *arg)
{
	struct rt_thread *self = real_thread(), *t;
	struct rt_seen e = RT_SEEN(PRS_EV_CREATE, 0);
	int detached = PTHREAD_CREATE_JOINABLE, ret;
	uint32_t index;
	uint64_t old;

	if (attr)
		pthread_attr_getdetachstate(attr, &detached);
	t = rt_recording() ? thread_prepare(self, (uint64_t)start, detached == PTHREAD_CREATE_DETACHED)
			   : NULL;
	if (!t)
		return REAL(pthread_create)(id, attr, start, arg);
	index = t->index; /* the state is the new thread's from here on */
	t->start_pthread = start;
	t->start_arg = arg;
	hold_signals(t, !has_mask(attr), &old);
	ret = REAL(pthread_create)(id, attr, run_pthread, t);
	sys_signals_restore(&old);
	if (ret) {
		thread_abandon(t);
		return ret;
	}
	created(self, &e, index, (uint64_t)*id, detached == PTHREAD_CREATE_DETACHED);
	return ret;
}

RT_EXPORT int thrd_create(thrd_t *id, thrd_start_t start, void *arg)
{
	struct rt_thread *self = real_thread(), *t;
	struct rt_seen e = RT_SEEN(PRS_EV_CREATE, 0);
	uint32_t index;
	uint64_t old;
	int ret;

	t = rt_recording() ? thread_prepare(self, (uint64_t)start, false) : NULL;
	if (!t)
		return REAL(thrd_create)(id, start, arg);
	index = t->index;
	t->start_thrd = start;
	t->start_arg = arg;
	hold_signals(t, true, &old);
	ret = REAL(thrd_create)(id, run_thrd, t);
	sys_signals_restore(&old);
	if (ret != thrd_success) {
		thread_abandon(t);
		return ret;
	}
	created(self, &e, index, (uint64_t)*id, false);
	return ret;
}

struct join {
	struct rt_seen e;
	uint32_t who;
	bool seen;
};

/* Whose pthread_t it is must be asked before: once joined, the next thread may get it. */
static __attribute__((noinline)) void join_begin(struct join *j, uint64_t id, const void *caller)
{
	struct rt_thread *self = real_thread();

	j->seen = self;
	if (!self)
		return;
	j->e = (struct rt_seen){.kind = PRS_EV_JOIN,
				.other = PRS_NO_THREAD,
				.begin = rt_ticks(),
				.object = id,
				.caller = (uint64_t)caller};
	j->who = j->e.other = thread_lookup(id);
	wait_open(self, &j->e);
}

static __attribute__((noinline)) int join_end(struct join *j, int ret)
{
	struct rt_thread *self = j->seen ? real_thread() : NULL;

	if (!self)
		return ret;
	j->e.other = ret ? PRS_NO_THREAD : j->who;
	j->e.value = ret;
	append_pin(self);
	wait_joined(self, &j->e);
	return ret;
}

#define JOIN(name, id, call)                                                                                 \
	do {                                                                                                 \
		struct join j_;                                                                              \
		join_begin(&j_, (uint64_t)(id), __builtin_return_address(0));                                \
		return join_end(&j_, REAL(name) call);                                                       \
	} while (0)

RT_EXPORT int pthread_join(pthread_t id, void **result)
{
	JOIN(pthread_join, id, (id, result));
}

RT_EXPORT int pthread_timedjoin_np(pthread_t id, void **result, const struct timespec *until)
{
	JOIN(pthread_timedjoin_np, id, (id, result, until));
}

RT_EXPORT int pthread_clockjoin_np(pthread_t id, void **result, clockid_t clock, const struct timespec *until)
{
	JOIN(pthread_clockjoin_np, id, (id, result, clock, until));
}

RT_EXPORT int thrd_join(thrd_t id, int *result)
{
	JOIN(thrd_join, id, (id, result));
}

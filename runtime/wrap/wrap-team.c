/* SPDX-License-Identifier: MIT */
/*
 * OpenMP as GCC's library does it.  Its threads wait inside the library, by
 * spinning and by system calls of its own, where nothing can be put in
 * between.  But the program calls the library to open a region, and the
 * library calls the program's function in each thread: what lies between two
 * such calls in one thread is a thread without work, and what lies between
 * the end of the opener's own part and the end of the region is the opener
 * waiting for the others.
 *
 * A thread that waits at a barrier may be given tasks to execute.  Once a
 * program has made one, only the time without a core counts there: spinning
 * and tasks cannot be distinguished.
 */
#ifndef PRS_STATIC

#include "arch/like.h"
#include "runtime/wrap/wrap-wait.h"

/* The compiler calls these; no header declares them. */
#define RT_TEAM_DECLARE(name, result, params, version) result name params;
RT_TEAM_REALS(RT_TEAM_DECLARE)

struct team_call {
	void *reductions; /* GOMP_parallel_reductions() looks for them in the first word of its data */
	void (*fn)(void *);
	void *data;
	uint32_t opener; /* thread index or PRS_NO_THREAD */
	uint64_t caller;
	uint64_t opener_done; /* when its own part of the region had ended, 0 */
	uint64_t opener_cpu;  /* its CPU time then, 0: there are no tasks */
	uint64_t shift;       /* how much lower the opener's stack is than without us */
};

#define TEAM(name) REAL(name)

static uint32_t tasks; /* 1: some were made */

/* ---- regions --------------------------------------------------------------------- */

static void team_seen(struct rt_seen *e, const struct team_call *c, uint64_t begin)
{
	*e = (struct rt_seen){.kind = PRS_EV_TEAM,
			      .other = PRS_NO_THREAD,
			      .begin = begin,
			      .object = (uint64_t)c->fn,
			      .caller = c->caller};
}

/* CPU time of the thread if it matters, else 0. */
static uint64_t team_cpu(void)
{
	return rt_unlikely(rt_load(&tasks)) ? sys_cpu_ns() : 0;
}

/* Take off what has been used since the thread had @cpu. */
static void without_tasks(struct rt_seen *e, uint64_t cpu)
{
	uint64_t now = rt_ticks(), used = cpu ? sys_cpu_ns() - cpu : 0;

	e->begin += used * (rt.tick_hz / 1000) / 1000000;
	if (e->begin > now)
		e->begin = now;
}

static void idle_end(struct rt_thread *t, const struct team_call *c)
{
	struct rt_waits *w = wait_state(t);
	struct rt_seen e;

	team_seen(&e, c, w ? w->idle_begin : 0);
	if (!e.begin)
		return;
	w->idle_begin = 0;
	without_tasks(&e, w->idle_cpu);
	wrap_end(&e, 0, c->opener, NULL, -1);
}

static void idle_begin(struct rt_thread *t, const struct team_call *c)
{
	struct rt_waits *w = wait_state(t);
	struct rt_seen e;

	team_seen(&e, c, rt_ticks());
	wait_note_waker(e.object, t->index);
	if (!w)
		return;
	w->idle_begin = e.begin;
	w->idle_cpu = team_cpu();
	wait_open(t, &e);
}

static void opener_waits(struct team_call *c)
{
	c->opener_done = rt_ticks();
	c->opener_cpu = team_cpu();
}

/* The program's function in one thread of the team.  @arg is gone when the opener goes on. */
static void wrap_team_run(void *arg)
{
	struct team_call *c = arg;
	struct rt_thread *t = real_thread();
	bool opens = t && t->index == c->opener;

	if (t && !opens)
		idle_end(t, c);
	arch_call_like(c->fn, c->data, ARCH_ENTRY_SP() + (opens ? c->shift : 0));
	t = real_thread();
	if (t && !opens)
		idle_begin(t, c);
	else if (t)
		opener_waits(c);
}

/* False: nothing is recorded. */
static WRAP_SHARED bool region_begin(struct team_call *c, void (*fn)(void *), void *data, const void *caller)
{
	struct rt_thread *t = real_thread();

	*c = (struct team_call){
		.fn = fn, .data = data, .opener = t ? t->index : PRS_NO_THREAD, .caller = (uint64_t)caller};
	return t;
}

static WRAP_SHARED void region_end(const struct team_call *c)
{
	struct rt_seen e;
	uint32_t whom;

	if (!c->opener_done)
		return;
	team_seen(&e, c, c->opener_done);
	without_tasks(&e, c->opener_cpu);
	whom = wait_waker(e.object);
	wrap_end(&e, 0, whom == c->opener ? PRS_NO_THREAD : whom, NULL, -1);
}

#define REGION(result, call, first)                                                                          \
	do {                                                                                                 \
		struct team_call c_;                                                                         \
		bool seen_ = region_begin(&c_, fn, data, __builtin_return_address(0));                       \
		c_.reductions = first;                                                                       \
		c_.shift = ARCH_ENTRY_SP() - arch_callee_sp(0);                                              \
		result call((seen_ ? wrap_team_run : fn), (seen_ ? &c_ : data));                             \
		region_end(&c_);                                                                             \
	} while (0)

#define CALL(f, d) TEAM(GOMP_parallel)(f, d, threads, flags)
RT_EXPORT void GOMP_parallel(void (*fn)(void *), void *data, unsigned threads, unsigned flags)
{
	REGION(, CALL, NULL);
}
#undef CALL

#define CALL(f, d) TEAM(GOMP_parallel_sections)(f, d, threads, count, flags)
RT_EXPORT void GOMP_parallel_sections(void (*fn)(void *), void *data, unsigned threads, unsigned count,
				      unsigned flags)
{
	REGION(, CALL, NULL);
}
#undef CALL

#define CALL(f, d) TEAM(GOMP_parallel_reductions)(f, d, threads, flags)
RT_EXPORT unsigned GOMP_parallel_reductions(void (*fn)(void *), void *data, unsigned threads, unsigned flags)
{
	unsigned ret;

	REGION(ret =, CALL, *(void **)data);
	return ret;
}
#undef CALL

/* Regions that are one loop differ in how it is dealt out, which is the name of the function alone. */
struct loop {
	void (*fn)(void *);
	void *data;
	unsigned threads, flags;
	long start, end, step, chunk;
	uint64_t entry; /* stack pointer */
};
#define LOOP_STACKED 16 /* bytes of arguments */

static WRAP_SHARED void loop(uint32_t i, const struct loop *l, const void *caller)
{
	void(*real) RT_TEAM_LOOP = (void(*) RT_TEAM_LOOP)real_get(i);
	struct team_call c;
	bool seen = region_begin(&c, l->fn, l->data, caller);

	c.shift = l->entry - arch_callee_sp(LOOP_STACKED);
	real(seen ? wrap_team_run : l->fn, seen ? &c : l->data, l->threads, l->start, l->end, l->step,
	     l->chunk, l->flags);
	region_end(&c);
}

static WRAP_SHARED void loop_runtime(uint32_t i, const struct loop *l, const void *caller)
{
	void(*real) RT_TEAM_RUNTIME = (void(*) RT_TEAM_RUNTIME)real_get(i);
	struct team_call c;
	bool seen = region_begin(&c, l->fn, l->data, caller);

	c.shift = l->entry - arch_callee_sp(LOOP_STACKED);
	real(seen ? wrap_team_run : l->fn, seen ? &c : l->data, l->threads, l->start, l->end, l->step,
	     l->flags);
	region_end(&c);
}

#define LOOP(name)                                                                                           \
	RT_EXPORT void name(void (*fn)(void *), void *data, unsigned threads, long start, long end,          \
			    long step, long chunk, unsigned flags)                                           \
	{                                                                                                    \
		loop(offsetof(struct rt_real, name) / sizeof(void *),                                        \
		     &(const struct loop){fn, data, threads, flags, start, end, step, chunk,                 \
					  ARCH_ENTRY_SP()},                                                  \
		     __builtin_return_address(0));                                                           \
	}

#define RUNTIME(name)                                                                                        \
	RT_EXPORT void name(void (*fn)(void *), void *data, unsigned threads, long start, long end,          \
			    long step, unsigned flags)                                                       \
	{                                                                                                    \
		loop_runtime(offsetof(struct rt_real, name) / sizeof(void *),                                \
			     &(const struct loop){fn, data, threads, flags, start, end, step, 0,             \
						  ARCH_ENTRY_SP()},                                          \
			     __builtin_return_address(0));                                                   \
	}

LOOP(GOMP_parallel_loop_static)
LOOP(GOMP_parallel_loop_dynamic)
LOOP(GOMP_parallel_loop_guided)
LOOP(GOMP_parallel_loop_nonmonotonic_dynamic)
LOOP(GOMP_parallel_loop_nonmonotonic_guided)
RUNTIME(GOMP_parallel_loop_runtime)
RUNTIME(GOMP_parallel_loop_nonmonotonic_runtime)
RUNTIME(GOMP_parallel_loop_maybe_nonmonotonic_runtime)

/* ---- inside a region ------------------------------------------------------------------ */

static WRAP_SHARED void inside_begin(struct rt_seen *e, uint32_t kind, const void *object, const void *caller)
{
	wrap_begin(e, kind, object, caller);
	e->value = kind == PRS_EV_TEAM ? (int64_t)team_cpu() : 0;
}

/* Longer than a pass through that finds nobody in the way. */
static WRAP_SHARED void inside_end(struct rt_seen *e)
{
	struct rt_thread *t = e->begin ? real_thread() : NULL;

	if (e->value)
		without_tasks(e, (uint64_t)e->value);
	if (t && rt_ticks() - e->begin > rt.backoff_ticks)
		wrap_end(e, 0, PRS_NO_THREAD, NULL, -1);
	else if (t)
		wait_cancel(t);
}

#define INSIDE(kind, object, call)                                                                           \
	do {                                                                                                 \
		struct rt_seen e_;                                                                           \
		inside_begin(&e_, kind, object, __builtin_return_address(0));                                \
		call;                                                                                        \
		inside_end(&e_);                                                                             \
	} while (0)

RT_EXPORT void GOMP_barrier(void)
{
	INSIDE(PRS_EV_TEAM, NULL, TEAM(GOMP_barrier)());
}

RT_EXPORT void GOMP_loop_end(void)
{
	INSIDE(PRS_EV_TEAM, NULL, TEAM(GOMP_loop_end)());
}

RT_EXPORT void GOMP_sections_end(void)
{
	INSIDE(PRS_EV_TEAM, NULL, TEAM(GOMP_sections_end)());
}

RT_EXPORT void GOMP_critical_start(void)
{
	INSIDE(PRS_EV_MUTEX, NULL, TEAM(GOMP_critical_start)());
}

RT_EXPORT void GOMP_critical_name_start(void **lock)
{
	INSIDE(PRS_EV_MUTEX, lock, TEAM(GOMP_critical_name_start)(lock));
}

RT_EXPORT void omp_set_lock(void *lock)
{
	INSIDE(PRS_EV_MUTEX, lock, TEAM(omp_set_lock)(lock));
}

/* Only to know that there are tasks.  Older callers pass fewer arguments; theirs are passed on. */
RT_EXPORT void GOMP_task(void (*fn)(void *), void *data, void (*copy)(void *, void *), long size, long align,
			 bool now, unsigned flags, void **depend, int priority, void *detach)
{
	rt_store(&tasks, 1);
	TEAM(GOMP_task)(fn, data, copy, size, align, now, flags, depend, priority, detach);
}

RT_EXPORT void GOMP_taskloop(void (*fn)(void *), void *data, void (*copy)(void *, void *), long size,
			     long align, unsigned flags, unsigned long n, int priority, long start, long end,
			     long step)
{
	rt_store(&tasks, 1);
	TEAM(GOMP_taskloop)(fn, data, copy, size, align, flags, n, priority, start, end, step);
}

#else
typedef int no_teams; /* in a static program the library's names cannot be told from the program's */
#endif

/* SPDX-License-Identifier: MIT */
/*
 * Waits, summed up.  Each thread keeps one entry for each thing that it
 * waits at, from where, and for whom; so that an hour of waiting takes no
 * more room than a second.  Events tell when, as long as there is room for
 * them: of what waits briefly the later ones are left out first.
 *
 * Who is waited for is read from what is there anyway (the owner in a mutex)
 * or noted by the one who wakes: one word per object, written only when it
 * changes, on a cache line that only users of that object touch.
 */
#ifndef RUNTIME_CALLS_WAIT_H
#define RUNTIME_CALLS_WAIT_H

#include "runtime/base/file.h"
#include "runtime/calls/append.h"

#define RT_WAIT_HEADS  128u  /* hash chains of a thread's entries */
#define RT_WAIT_CACHE  64u   /* entries of what was taken last */
#define RT_WAIT_MAX    1024u /* entries a thread may make; beyond it kinds are summed up */
#define RT_HOLD_FIRST  8u    /* the first acquisitions at a place are timed until their release */
#define RT_HOLD_SHIFT  27u   /* ... and of the others one in 2^(32 - this) */
#define RT_IO_KEPT     4u    /* calls on descriptors that others may look at */
#define RT_WHO_OBJECTS 4096u
#define RT_WHO_THREADS 65536u
#define RT_WHO_SPACING 8u /* words from note to note: a cache line */

/* A read or write that began at @begin, for the thread at the other end to find. */
struct rt_io {
	uint64_t begin; /* ticks; 0: none */
	int32_t fd;
	uint32_t writes;
};

/* Does the thread make calls of which its context switches tell whether they blocked? */
enum rt_looks {
	RT_LOOKS_NOT,
	RT_LOOKS,
	RT_LOOKED, /* and did so at the end of the wait that is being closed */
};

/* What was taken and is timed until its release. */
struct rt_hold {
	uint64_t object; /* 0: nothing is */
	uint64_t begin;
	struct prs_wait *entry;
};
#define RT_HOLDS 2 /* one inside another: who holds one lock all the time takes others, too */

struct rt_waits {
	struct rt_hold hold[RT_HOLDS];
	struct prs_wait *open; /* the wait that is going on: PRS_WAIT_OPEN */
	struct rt_stream stream;
	uint64_t event_ticks; /* shorter waits have no event of their own */
	uint64_t event_mark;  /* bytes of events at which that doubles */
	uint64_t io_ticks;    /* a call on a descriptor that took less did not block */
	uint64_t idle_begin;  /* OpenMP: the end of this thread's last region, 0 */
	uint64_t idle_cpu;    /* ... and its CPU time then, 0 */
	int64_t slept;        /* voluntary context switches at the last look */
	uint32_t looks;       /* enum rt_looks */
	uint32_t made;
	uint32_t io_next;
	struct rt_io io[RT_IO_KEPT];
	struct prs_wait *cache[RT_WAIT_CACHE];
	uint32_t head[RT_WAIT_HEADS]; /* file offset / 64 of the newest entry, 0 */
};

/* What one entry is about. */
struct rt_wait_key {
	uint64_t object, caller;
	uint32_t kind, flags, site, other;
};

/* Once per process and in fork children; false: no memory. */
bool wait_setup(void);

/* Make the waits of @t; NULL: no memory. */
struct rt_waits *wait_begin(struct rt_thread *t);

static inline struct rt_waits *wait_state(struct rt_thread *t)
{
	return rt_unlikely(!t->waits) ? wait_begin(t) : t->waits;
}

/* The entry for @key, made if there is none; NULL: no room at all. */
struct prs_wait *wait_entry(struct rt_thread *t, const struct rt_wait_key *key);

/*
 * A wait that begins, so that one that never ends is known: fills what a
 * reader needs.  @seen as for append_event().
 */
void wait_open(struct rt_thread *t, const struct rt_seen *seen);

/* What goes on waits for thread @whom. */
static inline void wait_open_for(struct rt_thread *t, uint32_t whom)
{
	if (t->waits && t->waits->open)
		t->waits->open->other = whom;
}

/*
 * A wait that has ended: closes it, sums it up, and appends an event if there
 * is room.  @whom: a thread index or PRS_NO_THREAD; @pair: the mutex of a
 * condition, 0; @fd: the descriptor, -1.
 */
struct rt_wait_end {
	uint32_t whom;
	int32_t fd;
	uint64_t pair;
};
void wait_close(struct rt_thread *t, const struct rt_seen *seen, const struct rt_wait_end *end);

/* The same without a wait: @seen began and turned out not to block. */
void wait_cancel(struct rt_thread *t);

/* How often the calling thread gave up its core by itself. */
int64_t wait_sleeps(void);

/* The calling thread has joined: sums up what the event says, too. */
void wait_joined(struct rt_thread *t, const struct rt_seen *seen);

/* The first acquisition of a kind at a place, and now and then one whose hold is timed. */
void wait_take_slow(struct rt_thread *t, uint32_t kind, uint64_t object, uint64_t caller);
void wait_hold(struct rt_thread *t, struct prs_wait *e);
void wait_held(struct rt_waits *w, uint64_t object);

/* The hold that is being timed, while its thread waits at a condition. */
struct rt_paused {
	struct rt_hold *hold; /* NULL: none is */
	struct prs_wait *entry;
	uint64_t ticks; /* so far */
};
void wait_pause(uint64_t object, struct rt_paused *p);
void wait_resume(uint64_t object, const struct rt_paused *p);

/*
 * Is the acquisition that @e has just counted to be timed?  Multiples of the golden
 * ratio fall evenly, but never in step with the program's own period, nor with a
 * lock that is taken each time inside this one.
 */
static inline bool wait_hold_due(const struct prs_wait *e)
{
	uint32_t turn = (uint32_t)e->count * 0x9e3779b1u + (uint32_t)e->object * 0x85ebca6bu;

	return e->count <= RT_HOLD_FIRST || !(turn >> RT_HOLD_SHIFT);
}

static inline uint32_t wait_cache_of(uint64_t object, uint64_t caller)
{
	return (uint32_t)((object ^ caller * 5) * 0x9e3779b97f4a7c15ull >> 58);
}

/* @object was taken, signalled or posted at @caller, without a wait or after one. */
static inline void wait_take(struct rt_thread *t, uint32_t kind, uint64_t object, uint64_t caller)
{
	struct rt_waits *w = t->waits;
	struct prs_wait *e = w ? w->cache[wait_cache_of(object, caller)] : NULL;

	if (rt_unlikely(!e || e->object != object || e->caller != caller || e->kind != kind)) {
		wait_take_slow(t, kind, object, caller);
		return;
	}
	local_add64(&e->count, 1);
	if (rt_unlikely(wait_hold_due(e)))
		wait_hold(t, e);
}

/* The calling thread releases @object. */
static inline void wait_release(uint64_t object)
{
	struct rt_waits *w = rt_self ? rt_self->waits : NULL;

	if (w && rt_unlikely(w->hold[0].object == object || w->hold[1].object == object))
		wait_held(w, object);
}

/* ---- who is who ---------------------------------------------------------------- */

/* The calling thread has the kernel id @tid and the number @index. */
void wait_note_tid(uint32_t tid, uint32_t index);

/* The thread with a kernel id, PRS_NO_THREAD if it is not known. */
uint32_t wait_thread(uint32_t tid);

/* Thread @index wakes those who wait at @object; the last one who did, or PRS_NO_THREAD. */
void wait_note_waker(uint64_t object, uint32_t index);
uint32_t wait_waker(uint64_t object);

#endif

/* SPDX-License-Identifier: MIT */
/* Threads: their blocks, entries and ends. */
#ifndef RUNTIME_THREAD_H
#define RUNTIME_THREAD_H

#include "runtime/base/rt.h"
#include "runtime/base/self.h"

/* Once per process, at activation and in fork children: the block for threads that get none. */
bool thread_setup(void);

/*
 * Recording begins late, on another thread's behalf: the first thread of the
 * process is thread 0, recorded from now on, whenever it comes.  Under rt_lock().
 */
void thread_keep_main(void);

/*
 * Creation in two halves.  thread_prepare(), in the creator: a state and an
 * entry that say who creates it and where; NULL: no room, counted.
 * thread_adopt(), first thing in the new thread, makes its block.
 * thread_abandon(): the creation failed.
 */
struct rt_thread *thread_prepare(struct rt_thread *creator, uint64_t routine, bool detached);
bool thread_adopt(struct rt_thread *t);
void thread_abandon(struct rt_thread *t);

/* Bounds of the calling thread's stack, for its entry; calls libc. */
void thread_note_stack(struct rt_thread *t);

/* End the calling thread's record; its state goes back to the pool. */
void thread_end(struct rt_thread *t);

/* The thread-exit destructor of rt.key. */
void thread_key_end(void *state);

/* Fill in what is known of all live threads at the end of the process. */
void thread_snapshot(void);

/*
 * In a fork child: all states but the caller's go to the pool, the caller
 * becomes thread 0 of the new file.  False: no room.
 */
bool thread_forked(void);

/* Remember which thread a pthread_t names, and look it up: an index or PRS_NO_THREAD. */
void thread_remember(uint64_t pthread_id, uint32_t index);
uint32_t thread_lookup(uint64_t pthread_id);

/* Space in every live block up to @end bytes; under rt_lock().  False: no room in one of them. */
bool thread_extend(uint64_t end);

/* Take back the call slots [base, base + bytes) of every live block; under rt_lock(). */
void thread_forget(uint64_t base, uint64_t bytes);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The state of the runtime: one struct rt per process, one struct rt_thread
 * per thread.
 *
 * Every thread writes only its own memory.  Where a signal handler may come
 * between, a single instruction of arch/local.h does the step; what needs
 * more than one instruction and is rare (a new chunk, a new thread, an
 * attach) happens under rt_lock(), which also blocks signals.
 */
#ifndef RUNTIME_RT_H
#define RUNTIME_RT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perseus/abi.h"
#include "perseus/record.h"
#include "runtime/arch/x86_64/clock.h"
#include "runtime/arch/x86_64/local.h"
#include "runtime/sys.h"

#define RT_OPEN_MAX   1024u        /* timed calls open at once; deeper ones are only counted */
#define RT_BLOCK_MIN  (1u << 20)   /* file range of a thread's block, sparse */
#define RT_BLOCK_MAX  (16u << 20)  /* ... of thread 0: libraries may follow */
#define RT_LOG_MAX    (1u << 20)   /* bytes of block log a thread may write */
#define RT_EVENT_MAX  (4u << 20)   /* ... of events */
#define RT_NOTE_MAX   (4u << 20)   /* ... of heap notes */
#define RT_CALL_MAX   (1ull << 32) /* ... of call records: bounded by the number of sites */
#define RT_GROUPS     64u          /* (site) groups of thread creations a thread keeps apart */
#define RT_TOKEN_BITS 48           /* clock bits in a token, depth above */
#define RT_TOKEN_MASK ((1ull << RT_TOKEN_BITS) - 1)
#define RT_BARRIERS   1024u      /* barriers whose generation is counted */
#define RT_JOINABLE   (1u << 16) /* pthread_t values that can be told apart at join */

#define rt_unlikely(x)   __builtin_expect(!!(x), 0)
#define rt_load(p)       __atomic_load_n(p, __ATOMIC_RELAXED)
#define rt_store(p, v)   __atomic_store_n(p, v, __ATOMIC_RELAXED)
#define rt_acquire(p)    __atomic_load_n(p, __ATOMIC_ACQUIRE)
#define rt_publish(p, v) __atomic_store_n(p, v, __ATOMIC_RELEASE)
#define rt_add(p, v)     __atomic_fetch_add(p, v, __ATOMIC_RELAXED)
#define rt_barrier()     __asm__ volatile("" ::: "memory")

/* A chain of chunks that one thread appends entries to. */
struct rt_stream {
	struct prs_chunk *chunk; /* pad[0]: entries handed out, pad[1]: room */
	uint64_t spent;          /* bytes of file taken so far */
};

/* A timed call that has not returned. */
struct rt_open {
	struct prs_call *record; /* NULL: entered before a fork */
	struct prs_slot *slot;
	uint64_t start; /* ticks */
	uint64_t child; /* ticks inside timed calls made by it */
	uint32_t site;  /* process-wide number */
};

/* Thread creations at one site, to number them. */
struct rt_group {
	uint32_t site;
	uint32_t made;
};

struct rt_lines; /* lines.h */

struct rt_thread {
	struct rt_thread *all_next;  /* every state there ever was; never freed */
	struct rt_thread *free_next; /* pool, under rt_lock() */
	uint32_t live;               /* its block belongs to a thread */
	uint32_t index;
	struct prs_block *block;
	struct prs_chunk *block_chunk;
	uint64_t block_bytes;  /* usable from `block` on */
	uint64_t block_backed; /* ... of which have space on the disk */
	struct prs_thread *entry;
	uint32_t depth; /* open[] in use */
	uint32_t random;
	uint64_t block_ticks; /* the same for this thread: it doubles as the log fills */
	uint64_t log_mark;    /* bytes of log at which the threshold doubles */
	struct rt_stream call, log, event, note;
	uint64_t stack_low, stack_high;
	uint32_t exit_rounds; /* of the thread-exit destructor */
	uint32_t n_groups;
	struct rt_group group[RT_GROUPS];

	/* What the creator hands to the trampoline. */
	void *(*start_pthread)(void *);
	int (*start_thrd)(void *);
	void *start_arg;
	uint64_t start_mask;  /* signals that its start routine begins with */
	uint32_t start_masks; /* 0: libc has set its mask already, from its attributes */

	/* Sharing runs. */
	uint32_t slot;               /* bit in directory words */
	uintptr_t mem_frame;         /* stack address of a mem() in progress, 0: none */
	uint32_t mem_skips;          /* calls of mem() that found another in progress */
	uint64_t collisions;         /* directory words taken over from other lines */
	struct rt_lines *lines;      /* NULL until the first transfer */
	struct rt_notes *notes;      /* recent allocations, NULL until the first */
	struct rt_lines *lines_kept; /* memory of the two, over all users of this state */
	struct rt_notes *notes_kept;

	struct rt_open open[RT_OPEN_MAX];
};

/* One attached object, and a shadow of its UNIT entry for fork children. */
struct rt_unit {
	struct rt_unit *next; /* in order of attach */
	struct prs_desc *desc;
	struct prs_unit *entry;
	struct prs_unit shadow;
	uint32_t range_bytes; /* of the block, from shadow.base on; 0: none */
	uint32_t main_program;
};

enum rt_code_state {
	RT_CODE_ASLEEP = 0,  /* a timing run, or not looked at yet */
	RT_CODE_AWAKE = 1,   /* memory probes are jumps */
	RT_CODE_REFUSED = 2, /* they could not be made so */
};

struct rt_module {
	struct rt_module *next;
	struct prs_module shadow;
	uint32_t index;
	uint32_t live; /* attached units */
	uint32_t main_program;
	uint32_t code; /* enum rt_code_state */
};

/* A freed piece of the block, for the next unit of this size. */
struct rt_range {
	struct rt_range *next;
	uint32_t base;
	uint32_t bytes;
};

/* A recycled BLOCK chunk. */
struct rt_spare {
	struct prs_chunk *chunk;
	uint64_t bytes;
	uint64_t backed;
};
#define RT_SPARES 4096u

struct rt_barrier_note {
	uint64_t object; /* address, 0: free */
	uint64_t count;
	uint64_t arrivals;
	uint64_t base; /* generations of earlier barriers at this address */
};

enum rt_state {
	RT_UNKNOWN = 0, /* the environment was not looked at yet */
	RT_DORMANT = 1,
	RT_ACTIVE = 2,
};

struct rt {
	uint32_t state; /* enum rt_state */
	uint32_t lock;
	uint32_t exiting; /* exit() runs: nothing is recycled any more */
	uint32_t full;    /* a chunk was refused: ask no more */
	uint32_t purpose;
	uint32_t have_key;
	uint32_t key; /* pthread key whose destructor ends a thread */
	uint32_t pid;
	uint64_t limit;
	uint64_t block_us;
	uint32_t period; /* fixed reload of all sites; 0: automatic */
	char dir[448];

	/* file.c */
	int fd;
	uint64_t dev, ino;
	char path[512];
	unsigned char *base;
	uint64_t map_bytes;
	struct prs_rec_header *header;
	uint64_t allocated; /* bytes of disk */
	uint64_t beat;      /* ticks of the last heartbeat */
	uint64_t slab_next; /* small chunks are cut from a slab, under slab_lock */
	uint64_t slab_end;
	uint64_t slab_bytes; /* of the next slab */
	uint32_t slab_lock;

	/* clock.c */
	uint32_t tsc; /* 1: the counter is used, 0: clock_gettime */
	uint64_t tick_hz;
	uint64_t block_ticks;   /* threshold of the block log */
	uint64_t backoff_ticks; /* mean below which a site is sampled */

	/* attach.c, under rt_lock() */
	struct rt_unit *units, **units_end;
	struct rt_module *modules, **modules_end;
	struct rt_range *ranges;
	struct prs_chunk *module_chunk, *unit_chunk;
	uint32_t slots_end; /* bytes of the block handed out */
	uint32_t n_calls, n_mems;
	unsigned char *arena; /* bump allocator of the two lists */
	uint64_t arena_left;

	/* thread.c */
	struct rt_thread *all;  /* push only */
	struct rt_thread *pool; /* under rt_lock() */
	struct prs_block *dead; /* where threads without a block count */
	struct prs_chunk *thread_chunk;
	uint32_t n_threads;
	uint32_t n_spares;
	struct rt_spare spare[RT_SPARES];
	struct prs_chunk *exited; /* sharing: sums of recycled blocks */
	uint64_t kept_bytes;      /* sharing: blocks of exited threads */
	uint64_t *joinable;       /* RT_JOINABLE pairs: pthread_t, index + 1 */
	struct rt_barrier_note *barrier;

	/* mem.c */
	uint64_t *dir_words;
	struct rt_hot *hot;
	uint32_t slot_users[PRS_DIR_SHARERS];
	uint32_t slot_dirty[PRS_DIR_SHARERS];
	uint32_t slot_owner[PRS_DIR_SHARERS]; /* thread index, the last one */
};

extern struct rt rt __attribute__((visibility("hidden")));

/* The probes read rt_block through desc.tls; NULL until the first touch. */
extern __thread struct prs_block *rt_block __attribute__((visibility("hidden"), tls_model("initial-exec")));
extern __thread struct rt_thread *rt_self __attribute__((visibility("hidden"), tls_model("initial-exec")));

static inline bool rt_recording(void)
{
	return rt_acquire(&rt.state) == RT_ACTIVE;
}

static inline uint64_t rt_ticks(void)
{
	return __builtin_expect(rt.tsc, 1) ? arch_tsc() : sys_clock(CLOCK_MONOTONIC);
}

/* Take the lock with all signals blocked; @old goes to rt_unlock(). */
void rt_lock(uint64_t *old);
void rt_unlock(const uint64_t *old);

/* Number of call slot @site of @d over all objects of the process. */
static inline uint32_t rt_call_number(const struct prs_desc *d, uint32_t site)
{
	return ((const struct rt_unit *)d->runtime)->shadow.first_call + site;
}

static inline uint32_t rt_mem_number(const struct prs_desc *d, uint32_t site)
{
	return ((const struct rt_unit *)d->runtime)->shadow.first_mem + site;
}

/* Innermost timed call of @t, or NULL. */
static inline struct rt_open *rt_innermost(struct rt_thread *t)
{
	return t->depth ? &t->open[t->depth - 1] : NULL;
}

/* clock.c */

/* Choose the clock and measure its rate; sets rt.tsc, rt.tick_hz, rt.backoff_ticks. */
void clock_choose(void);

/* Ticks that one clock read costs, back to back: the smallest mean of several rounds. */
uint64_t clock_cost(void);

/* Enter start or end of the run into the header. */
void clock_mark_start(struct prs_rec_header *h);
void clock_mark_end(struct prs_rec_header *h);

/* call.c: behind desc.enter and desc.leave, see abi.h. */
uint64_t rt_enter(const struct prs_desc *d, uint32_t site, const void *target);
void rt_leave(const struct prs_desc *d, uint32_t site, uint64_t token);

/* mem.c: behind desc.mem, see abi.h. */
void rt_mem(const struct prs_desc *d, uint32_t site, const void *addr, uint32_t access);

/* note.c: behind desc.note, see abi.h. */
void rt_note(const struct prs_desc *d, uint32_t site, void *ptr, uint64_t bytes, uint32_t op);

/* process.c */

/* Start recording if the environment asks for it; later calls return at once.  True: recording. */
bool process_activate(void);

/* Write what is known at the end; recording goes on, the process may call again. */
void process_close(void);

/* What process_close() announced did not happen. */
void process_reopen(void);

/*
 * The process is about to forbid itself system calls or the clock, and what
 * the probes do behind the scenes might get it killed: the record is closed
 * and every probe goes dormant, before.  False: nothing was recorded.
 */
bool process_seal(void);

/* What process_seal() announced did not happen: recording goes on. */
void process_unseal(void);

/*
 * Round a fork: hold everything still before it, go on in the parent; the
 * child gets a record of its own, or is dormant.
 */
void process_fork_begin(void);
void process_fork_end(void);
void process_forked(void);

#endif

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
#ifndef RUNTIME_BASE_RT_H
#define RUNTIME_BASE_RT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perseus/abi.h"
#include "perseus/record.h"
#include "arch/clock.h"
#include "arch/local.h"
#include "arch/own.h"
#include "runtime/base/sys.h"

#define RT_OPEN_MAX   1024u                 /* timed calls open at once; deeper ones are only counted */
#define RT_OPEN_PAGE  127u                  /* ... that the last page of a block has room for */
#define RT_OPEN_BYTES (9u * PRS_PAGE_BYTES) /* ... their room at the end of the block */
#define RT_BLOCK_MIN  (1u << 20)            /* file range of a thread's block, sparse */
#define RT_BLOCK_MAX  (16u << 20)           /* ... of thread 0: libraries may follow */
#define RT_MAP_MAX    (64ull << 30)         /* of the record, where the address space is not limited */
#define RT_LOG_MAX    (1u << 20)            /* bytes of block log a thread may write */
#define RT_EVENT_MAX  (4u << 20)            /* ... of events */
#define RT_NOTE_MAX   (40u << 20)           /* ... of heap notes: 1.3 million blocks that live at once */
#define RT_CALL_MAX   (1ull << 32)          /* ... of call records: bounded by the number of sites */
#define RT_GROUPS     64u                   /* (site) groups of thread creations a thread keeps apart */
#define RT_TOKEN_BITS 48                    /* clock bits in a token, depth above */
#define RT_TOKEN_MASK ((1ull << RT_TOKEN_BITS) - 1)
#define RT_PATHS      4096u /* records a thread makes beyond the first of each (slot, callee) */
#define RT_CACHE      8192u /* words of its cache of records */

#define rt_unlikely(x)   __builtin_expect(!!(x), 0)
#define rt_load(p)       __atomic_load_n(p, __ATOMIC_RELAXED)
#define rt_store(p, v)   __atomic_store_n(p, v, __ATOMIC_RELAXED)
#define rt_acquire(p)    __atomic_load_n(p, __ATOMIC_ACQUIRE)
#define rt_publish(p, v) __atomic_store_n(p, v, __ATOMIC_RELEASE)
#define rt_add(p, v)     __atomic_fetch_add(p, v, __ATOMIC_RELAXED)
#define rt_barrier()     __asm__ volatile("" ::: "memory")

/* Out of line, so that the way that is usually taken stays short. */
#define RT_COLD __attribute__((noinline, cold))

/* A chain of chunks that one thread appends entries to. */
struct rt_stream {
	struct prs_chunk *chunk; /* pad[0]: entries handed out, pad[1]: room */
	uint64_t spent;          /* bytes of file taken so far */
};

/* Thread creations at one site, to number them. */
struct rt_group {
	uint32_t site;
	uint32_t made;
};

/* What a thread has and owes under a budget; see budget.c. */
struct rt_budget {
	uint64_t threshold;   /* ticks: calls that last as long on average are all timed */
	uint64_t timed;       /* since the last look: spent on times, */
	uint64_t counted;     /* ... on counts, */
	uint64_t spent;       /* ... on other things */
	uint64_t looked;      /* ticks of that look */
	uint64_t cpu_ns;      /* at the last look */
	uint64_t from_ns;     /* ... at the first */
	uint64_t round_ns;    /* ... when the last round of refreshing began */
	uint32_t refreshed;   /* slots that this round has seen */
	int64_t saved, total; /* saved: negative: owed; total: spent up to the last look */
	int64_t cold;         /* price as it was seen: of the first pair of a burst, */
	int64_t costly;       /* ... of a call timed every time */
};

struct rt_waits;    /* wait.h */
struct rt_lines;    /* lines.h */
struct rt_places;   /* burst.c */
struct rt_counters; /* counters.c */
struct rt_record;   /* trace.h */

/* The leave that is in progress: a signal handler in the middle of it finds this set. */
union rt_busy {
	uint64_t both;
	struct {
		uint32_t depth; /* of its call, 0: none */
		uint16_t skips; /* leaves that met it since */
		uint16_t odd;   /* always set where calls need more than the usual: a trace */
	};
};

/* A thread's end of its ring, see trace.h: its own memory, while `shared` is the recorder's, too. */
struct rt_ring {
	uint64_t busy; /* a record is being written: 1, or `head` before it and 1 */
	uint64_t n_aside;
	uint64_t head;  /* bytes written, only grows */
	uint64_t limit; /* at this head look at the recorder first */
	uint64_t last;  /* ticks of the last record */
	uint64_t mask;  /* bytes of the ring - 1 */
	unsigned char *data;
	struct prs_ring *shared; /* NULL: no slot yet */

	uint64_t top;       /* no less than any head but those of the usual pairs: an older head is wrong */
	uint64_t taken;     /* a record in progress was given up, which may come back all the same */
	uint64_t gap;       /* since when nothing is traced; 0: it is */
	uint64_t gap_calls; /* lost since then */
	uint64_t gap_others;
	struct rt_record *aside; /* RT_ASIDE of them, NULL until the first use */
};

/* When a thread came to a line last, inside one watch window; see mem.c. */
struct rt_gap {
	uint64_t line;
	uint64_t window; /* its end, and while probes sleep between bursts the number of its burst */
	uint64_t left;   /* ticks */
	uint64_t spent;  /* gap_spent then */
	uint64_t waited; /* rt_thread.waited then, */
	uint32_t waits;  /* ... and waits_made */
	bool own;        /* the line had not been elsewhere when it left */
};
#define RT_GAPS 4u

/* A range, or rows, that left no trace; they lie in front of a thread's sharer, in its first page. */
struct rt_memo {
	struct prs_rows what;
	uint32_t lost; /* the sharer's */
	bool write;
};
#define RT_MEMOS 32u

struct rt_thread {
	/* What every timed call needs: one line of the cache. */
	struct prs_block *block;
	struct prs_open *opens; /* depth 0; that of depth d lies d in front of it */
	uint64_t path;  /* file offset of the innermost open record of those timed every time, 0: none */
	uint32_t paths; /* records made beyond the first of their (slot, callee) */
	union rt_busy busy;
	uint64_t *mark;       /* cleared by the kernel when the thread does not run through */
	uint64_t marked_at;   /* ticks when that was seen last */
	struct rt_ring *ring; /* own_ring, or NULL: this thread is not traced */

	struct rt_ring own_ring; /* what every traced call needs: the next line */

	struct rt_thread *all_next;  /* every state there ever was; never freed */
	struct rt_thread *free_next; /* pool, under rt_lock() */
	uint32_t live;               /* its block belongs to a thread */
	uint32_t index;
	struct prs_chunk *block_chunk;
	uint64_t block_bytes;  /* usable from `block` on */
	uint64_t block_backed; /* ... of which have space on the disk */
	struct prs_thread *entry;
	uint32_t random;
	uint32_t cached;   /* the cache was used */
	uint64_t no_mark;  /* what `mark` shows where the kernel tells nothing */
	uint64_t growth;   /* ticks spent on growing the record */
	uint32_t log_step; /* its threshold of the log is rt.block_ticks << log_step */
	struct rt_stream call, log, event, note;
	struct rt_counters *counters; /* counters.c; NULL: none for this thread */
	struct rt_counters *counters_kept;
	uint64_t counters_due;   /* ticks from which the next reading is due */
	uint64_t counters_early; /* ... how much earlier it may be at a phase */
	uint64_t stack_low, stack_high;
	uint64_t pointer;     /* its thread pointer */
	uint32_t exit_rounds; /* of the thread-exit destructor */
	uint32_t n_groups;
	struct rt_group group[RT_GROUPS];

	/* What the creator hands to the trampoline. */
	void *(*start_pthread)(void *);
	int (*start_thrd)(void *);
	void *start_arg;
	uint64_t start_mask;  /* signals that its start routine begins with */
	uint32_t start_masks; /* 0: libc has set its mask already, from its attributes */

	struct rt_budget budget;

	/* Sharing runs. */
	uint32_t slot;               /* bit in directory words */
	uint32_t shared_left;        /* accesses to memory of several processes that are still looked at */
	uint32_t shared_window;      /* ... in this window of shared-windows.c, 0: never yet */
	uint32_t weight;             /* transfers that one recorded stands for */
	uint32_t moves;              /* transfers since then: */
	uint64_t moves_from;         /* ns of its CPU time */
	uintptr_t mem_frame;         /* stack address of a mem() in progress, 0: none */
	uint32_t mem_skips;          /* calls of mem() that found another in progress */
	uint64_t collisions;         /* directory words taken over from other lines */
	struct prs_sharer *sharer;   /* its tags, which rt_sharer shows; NULL: it has none */
	struct rt_gap gaps[RT_GAPS]; /* by line */
	struct rt_gap *gap_open;     /* left at the end of the access in progress */
	uint64_t gap_spent;          /* ticks in memory probes, while they are timed */
	uint32_t gap_steps;          /* calls that are timed yet */
	uint64_t waited;             /* ticks in all waits that are summed up */
	uint32_t waits_made;         /* ... and how many they are */
	uint64_t look_due;           /* ticks from which on a transfer opens a window */
	struct prs_line *hammer;     /* the last range that stays on one line for long */
	struct rt_lines *lines;      /* NULL until the first transfer */
	struct rt_notes *notes;      /* recent allocations, NULL until the first */
	struct rt_lines *lines_kept; /* memory of the two, over all users of this state */
	struct rt_notes *notes_kept;

	struct rt_waits *waits;      /* wait.h; NULL until the first */
	struct rt_waits *waits_kept; /* its memory, over all users of this state */

	uint64_t cache[RT_CACHE];              /* path << 32 | record, 0: none */
	uint64_t full_sp;                      /* stack pointer when the list of open calls grew last */
	struct prs_open kept[RT_OPEN_MAX + 1]; /* over a fork; depth 0 is the last */
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
	RT_CODE_DISABLED = 0, /* a timing run, or not looked at yet */
	RT_CODE_ENABLED = 1,  /* memory probes are jumps */
	RT_CODE_REFUSED = 2,  /* they could not be made so */
};

#define WAKE_SEGMENTS 8u

/* The executable segments of a module. */
struct rt_code {
	uint32_t n;
	struct {
		uint64_t start, end;
		int prot; /* PROT_* that it has */
	} segment[WAKE_SEGMENTS];
	uint32_t n_data;
	struct {
		uint64_t start, end;
	} data[WAKE_SEGMENTS]; /* where it may be written */
	bool waits;            /* places are written again and again: the segments stay writable */
};

struct rt_module {
	struct rt_module *next;
	struct prs_module shadow;
	struct rt_code segments;
	uint32_t index;
	uint32_t live; /* attached units */
	uint32_t main_program;
	uint32_t code;            /* enum rt_code_state */
	uint32_t twins;           /* functions with two bodies run in the probed one */
	struct rt_places *places; /* burst.c; NULL: none wait for bursts */
};

enum rt_state {
	RT_UNKNOWN = 0, /* the environment was not looked at yet */
	RT_DORMANT = 1,
	RT_ACTIVE = 2,
	RT_WAITING = 3, /* everything is ready, the recorder has not said the word (control.c) */
};

struct rt {
	uint32_t state;     /* enum rt_state */
	uint32_t exiting;   /* exit() runs: nothing is recycled any more */
	uint32_t helpers;   /* threads of helper.c */
	uint64_t map_max;   /* bytes that may be mapped of the record */
	uint32_t block_max; /* ... and of a thread's block, at most RT_BLOCK_MAX */
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
	char path[512];
	unsigned char *base;
	uint64_t map_bytes;
	struct prs_rec_header *header;

	/* clock.c */
	uint32_t tsc __attribute__((aligned(64))); /* 1: the counter is used, 0: clock_gettime */
	uint64_t tick_hz;
	uint32_t review_mask;   /* timed calls between two looks at a record's period, less 1 */
	uint64_t pair_ticks;    /* what a timed call costs; 0: not measured yet */
	uint64_t own_ticks;     /* ... inside its own time */
	uint64_t block_ticks;   /* threshold of the block log */
	uint64_t backoff_ticks; /* mean below which a site is sampled */

	/* attach.c, under rt_lock() */
	struct rt_unit *units;
	struct rt_module *modules;
	uint32_t slots_end; /* bytes of the block handed out */

	/* thread.c */
	struct rt_thread *all;  /* push only */
	struct prs_block *dead; /* where threads without a block count */
	uint32_t n_threads;

	/* budget.c */
	uint32_t budget_ppm; /* promised share of CPU time, 0: none */

	uint32_t thin; /* a sharing run: calls are timed seldom */

	/* Not in sharing.h: there mem.c would be compiled to longer code. */
	struct prs_sharer *sharers[PRS_DIR_SHARERS]; /* all there ever were of a bit: push only */
};

extern struct rt rt __attribute__((visibility("hidden")));

/* The calling thread's; the probes read rt_block through desc.tls; NULL until the first touch. */
#define rt_block (RT_OWN->block)
#define rt_self  (RT_OWN->self)

static inline bool rt_recording(void)
{
	return rt_acquire(&rt.state) == RT_ACTIVE;
}

/* The same, or about to. */
static inline bool rt_attached(void)
{
	uint32_t state = rt_acquire(&rt.state);

	return state == RT_ACTIVE || state == RT_WAITING;
}

/* clock.c: the time where the counter is of no use. */
uint64_t rt_clock_ticks(void);

/* clock.c: rt_ticks(), once for all that is compiled for size and does not run in probes. */
uint64_t rt_clock_now(void);

static inline __attribute__((always_inline)) uint64_t rt_ticks(void)
{
#if defined(__OPTIMIZE_SIZE__) && !defined(RT_CLOCK_INLINE)
	return rt_clock_now();
#else
	return __builtin_expect(rt.tsc, 1) ? arch_tsc() : rt_clock_ticks();
#endif
}

/* The same, not before what stands before it is done, and nothing behind it begins earlier. */
static inline __attribute__((always_inline)) uint64_t rt_ticks_ordered(void)
{
	uint64_t now;

	arch_fence();
	now = rt_ticks();
	arch_fence();
	return now;
}

/* Number of call slot @site of @d over all objects of the process. */
static inline uint32_t rt_call_number(const struct prs_desc *d, uint32_t site)
{
	return ((const struct rt_unit *)d->runtime)->shadow.first_call + site;
}

static inline uint32_t rt_mem_number(const struct prs_desc *d, uint32_t site)
{
	return ((const struct rt_unit *)d->runtime)->shadow.first_mem + site;
}

/* Record @number: its file offset / 64. */
static inline struct prs_call *rt_call_record(uint32_t number)
{
	return (struct prs_call *)(rt.base + (uint64_t)number * 64);
}

/*
 * Innermost timed call of @t, or NULL; a call that is just being entered is
 * not in yet.  Its record is 0 if it was entered before a fork.
 */
static inline struct prs_open *rt_innermost(struct rt_thread *t)
{
	uint32_t depth = t->block ? t->block->depth : 0;

	while (depth && !(t->opens - depth)->start)
		depth--;
	return depth ? t->opens - depth : NULL;
}

#endif

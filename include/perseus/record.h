/* SPDX-License-Identifier: MIT */
/*
 * A record file, <run>/<pid>.<epoch>.prec: what one process left behind.
 * perseus-record(5) is the specification; this header is its C form.
 *
 * The runtime maps the file shared and writes in place, so that SIGKILL
 * loses nothing that was published.  Little-endian, fixed widths, no
 * pointers that a reader must follow except file offsets.  The file is a
 * 4096-byte header and then chunks, each starting on a multiple of 4096.  A
 * reader walks from chunk to chunk by `bytes`; a page without the chunk magic
 * is a chunk that was never published and is skipped page by page.  A reader
 * accepts a larger minor and skips chunk types it does not know.
 *
 * Times are raw time-stamp counter ticks unless the name says _ns.
 */
#ifndef PERSEUS_RECORD_H
#define PERSEUS_RECORD_H

#include <stddef.h>
#include <stdint.h>

#define PRS_REC_MAGIC  "PERSEUS\x1a"
#define PRS_REC_MAJOR  1
#define PRS_REC_MINOR  4
#define PRS_PAGE_BYTES 4096

/* The environment that `perseus record` gives the program. */
#define PRS_ENV_DIR     "PERSEUS_RUN_DIR"  /* absolute path of the run directory */
#define PRS_ENV_PURPOSE "PERSEUS_PURPOSE"  /* timing | sharing */
#define PRS_ENV_BLOCK   "PERSEUS_BLOCK_US" /* threshold of the block log, default 20 */
#define PRS_ENV_LIMIT   "PERSEUS_LIMIT_MB" /* cap of one record file on the disk, default 1024 */
#define PRS_ENV_BUDGET  "PERSEUS_BUDGET" /* millionths of CPU time that probes may take; default: no promise */
#define PRS_ENV_PERIOD  "PERSEUS_PERIOD"   /* time one call in N at every site; default: automatic */
#define PRS_ENV_CLOCK   "PERSEUS_CLOCK"    /* "gettime": clock_gettime even where the counter would do */
#define PRS_ENV_SHARING "PERSEUS_SHARING"  /* precise | rate | adaptive; default precise */
#define PRS_ENV_AWAKE   "PERSEUS_AWAKE"    /* 1: memory probes are enabled in a process of one thread, too */
#define PRS_ENV_BURST   "PERSEUS_BURST_US" /* length of a burst, default 1000 */
#define PRS_ENV_BURSTS  "PERSEUS_BURST_PERIOD_US" /* from one to the next, default 20000 */
#define PRS_ENV_FIRST   "PERSEUS_FIRST_US" /* adaptive: everything is looked at for so long, default 100000 */

enum prs_purpose { PRS_PURPOSE_TIMING = 0, PRS_PURPOSE_SHARING = 1 };

enum prs_rec_state {
	PRS_REC_RUNNING = 0, /* the process was killed or is still running */
	PRS_REC_CLOSED = 1,  /* exit() ran */
	PRS_REC_OFF = 2,     /* the runtime turned itself off: off_reason */
};

enum prs_off_reason {
	PRS_OFF_NONE = 0,
	PRS_OFF_DISK = 1,    /* no space for the next chunk */
	PRS_OFF_LIMIT = 2,   /* PERSEUS_LIMIT_MB reached */
	PRS_OFF_MAP = 3,     /* mapping refused */
	PRS_OFF_VERSION = 4, /* an object of another ABI version was left dormant */
	PRS_OFF_SLOTS = 5,   /* more sites than slots: an object was left dormant */
	PRS_OFF_CODE = 6,    /* sharing: code could not be written, memory probes were left dormant */
	PRS_OFF_SEALED = 7,  /* the process forbade itself system calls (seccomp) or the clock */
	PRS_OFF_START = 8,   /* it could not be told when to begin or to stop: no thread to wait */
	PRS_OFF_TABLE = 9,  /* sharing: code is not as its table says, some memory probes were left dormant */
	PRS_OFF_BURST = 10, /* sharing: no thread to time bursts; what is seen in bursts only was not seen */
	PRS_OFF_SPACE = 11, /* the address space is limited: a record would take what the program needs */
};

enum prs_sharing_mode {
	PRS_SHARING_PRECISE = 0,  /* every access but those of loops that a range covers */
	PRS_SHARING_RATE = 1,     /* while a burst is on */
	PRS_SHARING_ADAPTIVE = 2, /* as if precise at first, then while a burst is on */
};

enum prs_checksum { PRS_SUM_NONE = 0, PRS_SUM_START = 0x33, PRS_SUM_SEALED = 0xcc };

/* Bytes [begin, end) of the header that stay as they are once the clock was started: what PRS_SUM_START covers. */
#define PRS_SUM_START_RANGES                                                                                 \
	{                                                                                                    \
		{0, 32}, {48, 64}, {80, 96}, {104, 112},                                                     \
		{                                                                                            \
			180, 696                                                                             \
		}                                                                                            \
	}

/* What the record knows of calls that did not run through. */
enum prs_switch_kind {
	PRS_SWITCH_UNKNOWN = 0, /* nothing: `switched` of the calls is 0 */
	PRS_SWITCH_RSEQ = 1,    /* the kernel marks each switch, move and signal (rseq) */
};

#define PRS_FEW_MISSES 2 /* of an entry of a line: so many do not matter */

struct prs_rec_header {
	char magic[8];
	uint16_t major;
	uint16_t minor;
	uint32_t header_bytes; /* 4096 */
	uint32_t pid;
	uint32_t ppid;
	uint32_t epoch;      /* 0; +1 for each exec of the same pid */
	uint32_t purpose;    /* enum prs_purpose */
	uint32_t state;      /* enum prs_rec_state */
	uint32_t off_reason; /* enum prs_off_reason; may be set in any state */
	uint64_t tsc_hz;     /* 0: unknown until closed; see tsc_end/mono_end_ns */
	uint64_t tsc_start;
	uint64_t mono_start_ns; /* CLOCK_MONOTONIC_RAW at tsc_start */
	uint64_t tsc_end;       /* 0 unless closed */
	uint64_t mono_end_ns;
	uint64_t clock_ticks; /* cost of one clock read, back to back */
	uint64_t block_ticks; /* threshold of the block log */
	uint64_t next;        /* offset of the next free chunk */
	uint64_t limit;       /* bytes the file may grow to */
	uint32_t n_threads;   /* registered so far */
	uint32_t n_units;
	uint32_t n_calls; /* call slots handed out */
	uint32_t n_mems;
	uint64_t lost_blocks; /* block log entries that found no room */
	uint64_t lost_events;
	uint64_t lost_lines; /* sharing: line entries that found no room */
	uint64_t lost_notes;
	uint64_t lost_threads; /* threads without a block */
	uint64_t heartbeat_ns; /* CLOCK_MONOTONIC_RAW, last chunk or event */
	uint32_t dir_collisions;
	uint32_t clock_kind; /* 0 invariant TSC, 1 clock_gettime (ticks are ns) */
	char exe[512];       /* /proc/self/exe, NUL-terminated */
	uint64_t lost_calls; /* (thread, site, callee) that found no room for their counts */

	/* From minor 1 on. */
	uint64_t lost_paths;          /* records of calls whose path was one too many: PRS_CALL_OVERFLOW */
	uint64_t pair_ticks;          /* what one timed call costs the calls round it, all in all */
	uint64_t own_ticks;           /* ... of which this much lies in its own time */
	uint32_t quantum_ticks;       /* step of the clock: shorter times mean nothing */
	uint32_t tsc_error_ppb;       /* how far tsc_hz may be off, 1e-9; 0: not known */
	uint32_t clock_offset_ticks;  /* largest step back seen from core to core, 0: none */
	uint32_t checksum_kind;       /* enum prs_checksum */
	uint32_t header_crc;          /* crc32c */
	uint32_t n_chunks;            /* of a sealed file */
	uint32_t budget_ppm;          /* overhead promised, 0: none was asked for */
	uint32_t budget_measured_ppm; /* ... and measured by the runtime */
	uint32_t n_off;               /* these four are kept for later: 0; see prs_call.period */
	uint32_t n_counted;
	uint32_t n_sampled;
	uint32_t n_timed;
	uint64_t lost_trace;   /* calls that are not in the trace */
	uint32_t counter_rung; /* 0 no counters, 1 clock only, 2 read(), 3 rdpmc */
	uint32_t n_counters;
	uint32_t seen;        /* PRS_SEEN_*: what the runtime could see of waits */
	uint32_t switch_kind; /* enum prs_switch_kind */

	/* From minor 2 on; sharing runs. */
	uint32_t sharing_mode;    /* enum prs_sharing_mode */
	uint32_t n_bursts;        /* that were on */
	uint64_t burst_ticks;     /* how long, all together */
	uint64_t flip_ticks;      /* spent on switching them on and off */
	uint64_t burst_period_ns; /* from the start of one to the next, as asked for; they stretch */
	uint32_t places;          /* probes that bursts switch */
	uint32_t places_hot;      /* ... that each burst does; the others take turns */
	uint32_t mem_ticks;       /* what a gap of struct prs_line has more than the program needed */
	uint32_t spare_sharing;   /* 0 */
	uint64_t enabled_ticks;   /* burst_ticks, each burst by the share of the places that it enabled */
	uint64_t passed_lines;    /* line entries with PRS_FEW_MISSES at most that gave way to others */
	uint64_t first_tsc;       /* adaptive: from here on everything was looked at, 0: never */
	uint64_t settled_tsc;     /* ... up to here, 0: to the end */
};
_Static_assert(sizeof(struct prs_rec_header) <= PRS_PAGE_BYTES, "header page");

#define PRS_CHUNK_MAGIC 0x4b4e4843u /* "CHNK" */
#define PRS_NO_THREAD   0xffffffffu
#define PRS_NO_SITE     0xffffffffu

enum prs_chunk_type {
	PRS_CHUNK_MODULE = 1, /* struct prs_module */
	PRS_CHUNK_UNIT = 2,   /* struct prs_unit */
	PRS_CHUNK_THREAD = 3, /* struct prs_thread */
	PRS_CHUNK_BLOCK = 4,  /* one thread's struct prs_block and slots; raw */
	PRS_CHUNK_CALL = 5,   /* struct prs_call */
	PRS_CHUNK_LOG = 6,    /* struct prs_log: the coarse block log, in order of end */
	PRS_CHUNK_EVENT = 7,  /* struct prs_event */
	PRS_CHUNK_LINE = 8,   /* struct prs_line; empty entries have line 0 */
	PRS_CHUNK_NOTE = 9,   /* struct prs_note */
	PRS_CHUNK_COUNTER = 10,
	PRS_CHUNK_TEXT = 11,   /* raw: lines "key value" */
	PRS_CHUNK_WAIT = 12,   /* struct prs_wait */
	PRS_CHUNK_SHARED = 13, /* struct prs_shared */
};

struct prs_chunk {
	uint32_t magic; /* written last, release */
	uint16_t type;
	uint16_t entry_bytes; /* 0 for raw */
	uint32_t thread;      /* owner, or PRS_NO_THREAD */
	uint32_t crc;         /* crc32c, 0: none */
	uint64_t bytes;       /* whole chunk, multiple of 4096 */
	uint64_t used;        /* entries published (release); LINE: capacity */
	uint64_t pad[4];
};
_Static_assert(sizeof(struct prs_chunk) == 64, "format");

struct prs_module {
	uint64_t start; /* lowest mapped address */
	uint64_t end;
	uint64_t bias; /* link-time address + bias = run-time address */
	uint8_t build_id[20];
	uint32_t build_id_bytes; /* 0: none */
	uint32_t epoch;          /* +1 each time the path is loaded again */
	uint32_t spare;
	char path[456];
};
_Static_assert(sizeof(struct prs_module) == 512, "format");

struct prs_unit {
	uint64_t unit_id;
	uint32_t module;     /* index over all MODULE entries of the file */
	uint32_t first_call; /* process-wide number of its call slot 0 */
	uint32_t n_calls;
	uint32_t first_mem;
	uint32_t n_mems;
	uint32_t flags; /* 1: detached; 2: left dormant */
	uint64_t attach_tsc;
	uint64_t detach_tsc; /* 0: still there */
	uint64_t base;       /* desc.base: bytes into the block */
	uint64_t mem_base;   /* before minor 2: of the memory counters; else 0 */
};
_Static_assert(sizeof(struct prs_unit) == 64, "format");

/* Thread states. */
#define PRS_THREAD_LIVE    0u
#define PRS_THREAD_EXITED  1u
#define PRS_THREAD_FOREIGN 2u /* flag: its creation was not seen */

struct prs_thread {
	uint32_t index;       /* 0 is the thread that ran the first constructor */
	uint32_t tid;         /* kernel id */
	uint32_t creator;     /* index, or PRS_NO_THREAD */
	uint32_t create_site; /* process-wide call number active in the creator,
				 or PRS_NO_SITE: created by library code */
	uint32_t ordinal;     /* among creations by (creator, create_site), from 0 */
	uint32_t state;
	uint32_t detached;
	uint32_t traced; /* 1: times of its calls are in the sums beside the record, perseus/sums.h */
	uint64_t create_tsc;
	uint64_t start_tsc;
	uint64_t end_tsc;       /* 0: alive at the end */
	uint64_t cpu_start_ns;  /* CLOCK_THREAD_CPUTIME_ID */
	uint64_t cpu_end_ns;    /* last value seen */
	uint64_t start_routine; /* address, 0 unknown */
	uint64_t block;         /* file offset of its BLOCK chunk, 0: none */
	uint64_t pthread_id;
	uint64_t switches;  /* context switches (voluntary + involuntary), at end */
	uint64_t stack_low; /* bounds of its stack, 0 unknown */
	uint64_t stack_high;
	char name[16];
	uint64_t own_ticks; /* spent by the runtime on growing the record: in no call's own time */
};
_Static_assert(sizeof(struct prs_thread) == 144, "format");

/*
 * Log-linear histogram: below 2^PRS_HIST_OCTAVE0 ticks bucket 0, then
 * PRS_HIST_SUB buckets for each power of two; the last one takes the rest.
 */
#define PRS_HIST_OCTAVE0 5
#define PRS_HIST_SUB     4
#define PRS_HIST_BUCKETS 128

/* Bucket of a time. */
static inline uint32_t prs_hist_index(uint64_t ticks)
{
	uint64_t v = ticks < 1u << PRS_HIST_OCTAVE0 ? 1u << PRS_HIST_OCTAVE0 : ticks;
	uint32_t octave = 63 - (uint32_t)__builtin_clzll(v);
	uint32_t index = (octave - PRS_HIST_OCTAVE0 - 1) * PRS_HIST_SUB + (uint32_t)(v >> (octave - 2));

	return index < PRS_HIST_BUCKETS ? index : PRS_HIST_BUCKETS - 1;
}

/* Least time of bucket @index, which is the end of the one before. */
static inline uint64_t prs_hist_low(uint32_t index)
{
	return index ? (uint64_t)(PRS_HIST_SUB + index % PRS_HIST_SUB)
			       << (index / PRS_HIST_SUB + PRS_HIST_OCTAVE0 - 2)
		     : 0;
}

/* Flags of a call record. */
#define PRS_CALL_OVERFLOW 1u /* stands for all paths to this (site, callee) that found no room of their own */
#define PRS_CALL_PINNED   2u /* timed for ever: it makes threads */
#define PRS_CALL_NOTES    4u /* sharing runs: memory was allocated while it was the innermost one open */

/* Under a budget, from this period on: calls are as good as only counted. */
#define PRS_PERIOD_COUNT 4096u
#define PRS_PARENT_MANY  1u /* parent_record of a record with PRS_CALL_OVERFLOW */

/*
 * One (call site, callee, path) of one thread.  A path is a chain of records;
 * only calls that are timed every time are in it, so that a sampled call is a
 * leaf, and what it calls belongs to the nearest fully timed call round it.
 * A call inside a call of the same site and callee is charged to the record
 * of that one.  Wall times in ticks, of the timed calls only.
 */
struct prs_call {
	uint32_t site;   /* process-wide call number */
	uint32_t parent; /* site of the innermost timed call round the first one, or PRS_NO_SITE */
	uint64_t callee; /* run-time address, indirect calls only */
	uint64_t next;   /* file offset of the next record of this slot, 0 */
	uint64_t count;  /* calls paid for by reloads: sum of period */
	uint64_t timed;
	uint64_t sum;
	uint64_t min; /* ~0 while timed is 0 */
	uint64_t max;
	uint64_t child;         /* ticks inside timed calls made by these calls */
	uint32_t period;        /* one call in about this many is timed */
	uint32_t flags;         /* PRS_CALL_* */
	uint64_t parent_record; /* file offset of the record one up the path, 0: none; PRS_PARENT_MANY */
	uint64_t switched; /* timed calls during which the thread was moved, switched out or met a signal */
	uint64_t switched_ticks; /* ... and their sum */
	uint64_t seen_sum;       /* the runtime's own */
	uint16_t seen_timed;
	uint16_t seen_untimed;  /* under a budget: calls for which untimed_ticks stands, modulo 2^16 */
	uint32_t mean;          /* ... of the calls timed of late */
	uint64_t untimed_ticks; /* ... what calls that were not timed took, by those timed around them */
	uint32_t hist[PRS_HIST_BUCKETS];
};
_Static_assert(sizeof(struct prs_call) == 640, "format");

/* ... as minor 0 had it. */
#define PRS_HIST_BUCKETS_0 48
struct prs_call_0 {
	uint32_t site, parent;
	uint64_t callee, next, count, timed, sum, min, max, child;
	uint32_t period;
	uint32_t open;                     /* entered and timed, not left (yet) */
	uint32_t hist[PRS_HIST_BUCKETS_0]; /* bucket b: 2^b <= ticks < 2^(b+1); 0 in bucket 0 */
	uint64_t pad[6];
};
_Static_assert(sizeof(struct prs_call_0) == 320, "format");

/*
 * A timed call that has not returned.  That of depth d lies 32 * d bytes in
 * front of block + prs_block.open, for d from 1 (the outermost) to depth.
 */
struct prs_open {
	uint32_t record; /* file offset / 64 of its record, 0: entered before a fork */
	uint32_t parent; /* ... of the record round it, 0 */
	uint64_t start;  /* 0: it is just being entered, nothing else is valid */
	uint64_t child;  /* ticks inside timed calls made by it so far */
	uint32_t site;   /* process-wide call number */
	uint32_t slot;   /* bytes from the block to its slot */
};
_Static_assert(sizeof(struct prs_open) == 32, "format");

/*
 * The call that a thread left last is not in its record yet: the block has it
 * in pend_record, pend_ticks.
 */

/* Calls made = sum of count over the slot's records - slot.left (left > 0). */

struct prs_log {
	uint64_t end;    /* when the call returned */
	uint64_t ticks;  /* how long it took */
	uint64_t cpu_ns; /* thread CPU time at its end */
	uint32_t site;
	uint16_t depth; /* timed calls open round it */
	uint16_t flags;
};
_Static_assert(sizeof(struct prs_log) == 32, "format");

enum prs_event_kind {
	PRS_EV_CREATE = 1, /* other = child thread index */
	PRS_EV_START = 2,  /* first thing in the new thread */
	PRS_EV_EXIT = 3,
	PRS_EV_JOIN = 4,        /* other = joined thread index; object = pthread_t */
	PRS_EV_MUTEX = 5,       /* waited for a held mutex; object = address */
	PRS_EV_COND = 6,        /* waited on a condition variable */
	PRS_EV_BARRIER = 7,     /* object = barrier; other = itself: the serial thread */
	PRS_EV_FORK = 8,        /* value = child pid */
	PRS_EV_SIGNAL_COND = 9, /* signalled or broadcast */
	PRS_EV_SLEEP = 10,
	PRS_EV_POST = 11,
	PRS_EV_SEM = 12,
	PRS_EV_RWLOCK = 13,
	PRS_EV_POLL = 14,    /* poll, select, epoll_wait; object as for READ, of the first ready one */
	PRS_EV_READ = 15,    /* read, recv, ... that blocked; object: enum prs_fd_kind */
	PRS_EV_WRITE = 16,   /* write, send, ... that blocked */
	PRS_EV_SPIN = 17,    /* spin lock */
	PRS_EV_WAITPID = 18, /* for a child process */
	PRS_EV_WAKE = 19,    /* futex by hand: woke others; never a wait */
	PRS_EV_FUTEX = 20,   /* futex by hand: waited at the word */
	PRS_EV_TEAM = 21,    /* OpenMP: had no work; object: the region's function, 0 */
	PRS_EV_ACCEPT = 22,
	PRS_EV_CONNECT = 23,
	PRS_EV_SIGWAIT = 24, /* for a signal */
};

/* What a descriptor is: the upper byte of the object of POLL, READ, WRITE, ACCEPT, CONNECT. */
enum prs_fd_kind {
	PRS_FD_PIPE = 1,     /* below: inode, the same at both ends */
	PRS_FD_SOCKET = 2,   /* below: descriptor, as in all that follow */
	PRS_FD_TERMINAL = 3, /* consoles, serial lines, pseudo terminals */
	PRS_FD_DEVICE = 4,
	PRS_FD_EVENT = 5, /* eventfd, timerfd, epoll and other things without a file */
};
#define PRS_FD_SHIFT 56

struct prs_event {
	uint64_t begin;  /* when the thread came */
	uint64_t end;    /* when it went on; = begin if it did not wait */
	uint64_t cpu_ns; /* thread CPU time at the end; 0: not read (SIGNAL_COND, POST) */
	uint64_t object;
	uint32_t kind;
	uint32_t other;  /* thread index or PRS_NO_THREAD */
	uint32_t site;   /* innermost timed call, or PRS_NO_SITE */
	uint32_t visit;  /* how often this thread has called `site` so far, from 1 */
	int64_t value;   /* BARRIER: generation, -1 unknown; else result */
	uint64_t caller; /* return address of the call that waited, 0 unknown */
};
_Static_assert(sizeof(struct prs_event) == 64, "format");

#define PRS_WAIT_TAKEN 1u /* counts what was got, or whom was signalled, whether or not there was a wait */
#define PRS_WAIT_OPEN  2u /* the wait that is going on, since `first`; 0: none */

/* Bits of header.seen: whose waits the runtime could see. */
#define PRS_SEEN_WAITS 1u /* waits have PRS_CHUNK_WAIT entries */
#define PRS_SEEN_IO    2u /* ... and so have calls on descriptors */

/*
 * All waits of one thread of one kind at one object from one place for one
 * other thread; or with PRS_WAIT_TAKEN, all acquisitions.  Of those, `ticks`
 * is how long it was held, of `timed` ones.  Threads that need too many
 * entries sum up by kind: object, caller 0.
 */
struct prs_wait {
	uint64_t object; /* address, or as the kind says */
	uint64_t caller; /* return address of the call that waited */
	uint64_t next;   /* the runtime's own */
	uint64_t pair;   /* COND: the mutex; else 0 */
	uint64_t count;
	uint64_t ticks; /* all of them together */
	uint64_t max;   /* the longest */
	uint64_t timed; /* TAKEN: releases that were timed; else 0 */
	uint64_t first; /* when the first began */
	uint64_t last;  /* when the last ended */
	uint32_t kind;  /* enum prs_event_kind */
	uint32_t flags; /* PRS_WAIT_* */
	uint32_t site;  /* innermost timed call (TAKEN: of the first), or PRS_NO_SITE */
	uint32_t other; /* the thread that held it, signalled it, came last; or PRS_NO_THREAD */
	int32_t fd;     /* descriptor, -1 */
	uint32_t
		path; /* file offset / 64 of the record of the innermost timed call of the first, 0: not known */
	uint64_t pad[3];
};
_Static_assert(sizeof(struct prs_wait) == 128, "format");

/*
 * What one thread did to one cache line from one memory site.  Seen on the
 * slow path only: an access that hits leaves no trace, unless a watch window
 * is open.
 */
struct prs_line {
	uint64_t line;          /* address / 64; 0: empty entry */
	uint32_t site;          /* process-wide memory site number */
	uint32_t generation;    /* which allocation the line belonged to, 0: none that came later */
	uint64_t misses;        /* slow paths taken by this thread, line, site */
	uint64_t from_modified; /* ... that found the line modified by another */
	uint64_t invalidated;   /* ... that took other sharers' copies away */
	uint64_t watched;       /* accesses seen inside watch windows */
	uint64_t read_mask;     /* bytes of the line read, as seen inside windows, or announced */
	uint64_t write_mask;    /* ... written */
	uint64_t first;         /* ticks */
	uint64_t last;
	uint32_t kind; /* PRS_KIND_* of the site */
	uint32_t bytes;
	uint64_t peers;   /* sharer slots the line was taken from */
	uint32_t peer[4]; /* thread indices it was taken from most */
	uint32_t peer_count[4];

	/* From minor 2 on. */
	uint64_t burst_misses;   /* of `misses`, those while a burst was on */
	uint64_t burst_accesses; /* of `misses` and `watched`, those while a burst was on */
	uint64_t gap_ticks; /* inside one window: from the end of this thread's last access to the line, */
	uint64_t gaps;  /* ... at whatever site, to this one; less waits, and what the runtime took between */
	uint64_t trips; /* accesses that ranges announced for this line */
	uint64_t times; /* ranges that did */
	uint64_t path;  /* file offset of the call record open at the first miss, 0: none */
	uint32_t extent;  /* bytes of the longest range, from its first byte on; 0: no range began here */
	uint32_t gap_own; /* 1/16 ticks, smoothed: of the gaps in which nobody else came; 0: none */

	/* From minor 4 on. */
	uint64_t recorded;   /* of `misses`, those that were recorded: one may stand for several */
	uint64_t away_ticks; /* as gap_ticks, of gaps too long for it in which the thread ran all the time */
	uint32_t away;       /* how many were added up */
	uint32_t waits;      /* between the accesses that gaps are between, added up or not */
	uint32_t begun;      /* of `watched`, those that no access of the thread came before in the window */
	uint32_t spare;
};
_Static_assert(sizeof(struct prs_line) == 224, "format");

#define PRS_LINE_BYTES_0 128 /* ... before minor 2 */

/* How often the thread's misses moved the line between caches. */
static inline uint64_t prs_line_moves(const struct prs_line *l)
{
	uint64_t n = l->from_modified + l->invalidated;

	return n < l->misses ? n : l->misses;
}

/*
 * Memory that other processes may have, too.  Two mappings are the same memory
 * where dev, ino and the offset are; dev ~0 is anonymous memory, which children
 * inherit, dev ~1 a System V segment, ino its number.
 */
struct prs_shared {
	uint64_t start, bytes;
	uint64_t dev, ino;
	uint64_t offset; /* of the first byte in the object */
	uint64_t from;   /* ticks */
	uint64_t to;     /* ... 0: it is there at the end */
	uint32_t site;   /* the call that mapped it, PRS_NO_SITE: not known */
	uint32_t spare;
};
_Static_assert(sizeof(struct prs_shared) == 64, "format");

struct prs_note {
	uint64_t tsc;
	uint64_t address;
	uint64_t bytes; /* 0: free */
	uint32_t site;  /* process-wide call number */
	uint32_t path;  /* from minor 2 on: file offset / 64 of the call record open round it, 0: none */
};
_Static_assert(sizeof(struct prs_note) == 32, "format");

#endif

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
#define PRS_REC_MINOR  0
#define PRS_PAGE_BYTES 4096

/* The environment that `perseus record` gives the program. */
#define PRS_ENV_DIR     "PERSEUS_RUN_DIR"  /* absolute path of the run directory */
#define PRS_ENV_PURPOSE "PERSEUS_PURPOSE"  /* timing | sharing */
#define PRS_ENV_BLOCK   "PERSEUS_BLOCK_US" /* threshold of the block log, default 20 */
#define PRS_ENV_LIMIT   "PERSEUS_LIMIT_MB" /* cap of one record file on the disk, default 1024 */
#define PRS_ENV_PERIOD  "PERSEUS_PERIOD"   /* time one call in N at every site; default: automatic */

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
};

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
	uint64_t lost_lines; /* sharing: lines that found no room */
	uint64_t lost_notes;
	uint64_t lost_threads; /* threads without a block */
	uint64_t heartbeat_ns; /* CLOCK_MONOTONIC_RAW, last chunk or event */
	uint32_t dir_collisions;
	uint32_t clock_kind; /* 0 invariant TSC, 1 clock_gettime (ticks are ns) */
	char exe[512];       /* /proc/self/exe, NUL-terminated */
	uint64_t lost_calls; /* (thread, site, callee) that found no room for their counts */
};
_Static_assert(sizeof(struct prs_rec_header) <= PRS_PAGE_BYTES, "header page");

#define PRS_CHUNK_MAGIC 0x4b4e4843u /* "CHNK" */
#define PRS_NO_THREAD   0xffffffffu
#define PRS_NO_SITE     0xffffffffu

enum prs_chunk_type {
	PRS_CHUNK_MODULE = 1, /* struct prs_module */
	PRS_CHUNK_UNIT = 2,   /* struct prs_unit */
	PRS_CHUNK_THREAD = 3, /* struct prs_thread */
	PRS_CHUNK_BLOCK = 4,  /* one thread's struct prs_block, slots, counters; raw */
	PRS_CHUNK_CALL = 5,   /* struct prs_call */
	PRS_CHUNK_LOG = 6,    /* struct prs_log: the coarse block log, in order of end */
	PRS_CHUNK_EVENT = 7,  /* struct prs_event */
	PRS_CHUNK_LINE = 8,   /* struct prs_line; empty entries have line 0 */
	PRS_CHUNK_NOTE = 9,   /* struct prs_note */
};

struct prs_chunk {
	uint32_t magic; /* written last, release */
	uint16_t type;
	uint16_t entry_bytes; /* 0 for raw */
	uint32_t thread;      /* owner, or PRS_NO_THREAD */
	uint32_t spare;
	uint64_t bytes; /* whole chunk, multiple of 4096 */
	uint64_t used;  /* entries published (release); LINE: capacity */
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
	uint64_t base;       /* desc.base, desc.mem_base: bytes into the block */
	uint64_t mem_base;
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
	uint32_t spare;
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
	uint64_t pad[1];
};
_Static_assert(sizeof(struct prs_thread) == 144, "format");

/*
 * One call site (and callee, if indirect) of one thread.  Wall times in
 * ticks, of the timed calls only; the number of all calls is `count`, which
 * at the end must still be lowered by left+1 .. see prs_call_total().
 */
#define PRS_HIST_BUCKETS 48
struct prs_call {
	uint32_t site;   /* process-wide call number */
	uint32_t parent; /* innermost timed call round the first one, or PRS_NO_SITE */
	uint64_t callee; /* run-time address, indirect calls only */
	uint64_t next;   /* file offset of the next record of this slot, 0 */
	uint64_t count;  /* calls paid for by reloads: sum of period */
	uint64_t timed;
	uint64_t sum;
	uint64_t min;
	uint64_t max;
	uint64_t child;                  /* ticks inside timed calls made by these calls */
	uint32_t period;                 /* current reload + 1 */
	uint32_t open;                   /* entered and timed, not left (yet) */
	uint32_t hist[PRS_HIST_BUCKETS]; /* bucket b: 2^b <= ticks < 2^(b+1); 0 in bucket 0 */
	uint64_t pad[6];
};
_Static_assert(sizeof(struct prs_call) == 320, "format");

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
};

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

/*
 * What one thread did to one cache line from one memory site.  Counted on
 * the slow path only; all accesses of the site are in its memory counter.
 */
struct prs_line {
	uint64_t line;          /* address / 64; 0: empty entry */
	uint32_t site;          /* process-wide memory site number */
	uint32_t generation;    /* heap generation of the line, 0 */
	uint64_t misses;        /* slow paths taken by this thread, line, site */
	uint64_t from_modified; /* ... that found the line modified by another */
	uint64_t invalidated;   /* ... that took other sharers' copies away */
	uint64_t watched;       /* accesses seen inside watch windows */
	uint64_t read_mask;     /* bytes of the line read, as seen inside windows */
	uint64_t write_mask;    /* ... written */
	uint64_t first;         /* ticks */
	uint64_t last;
	uint32_t kind; /* PRS_KIND_* of the site */
	uint32_t bytes;
	uint64_t peers;   /* sharer slots the line was taken from */
	uint32_t peer[4]; /* thread indices it was taken from most */
	uint32_t peer_count[4];
};
_Static_assert(sizeof(struct prs_line) == 128, "format");

struct prs_note {
	uint64_t tsc;
	uint64_t address;
	uint64_t bytes; /* 0: free */
	uint32_t site;  /* process-wide call number */
	uint32_t spare;
};
_Static_assert(sizeof(struct prs_note) == 32, "format");

#endif

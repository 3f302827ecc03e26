/* SPDX-License-Identifier: MIT */
/*
 * Trace mode: what the runtime and `perseus record` share while the program
 * runs, and the records that end up in the trace.
 *
 * The recorder makes one memory file, sealed against a change of its size:
 *
 *   struct prs_trace         the first page
 *   struct prs_ring[slots]   from byte 4096 on
 *   rings                    from `rings` on, ring_bytes each
 *
 * Each thread takes a slot by writing its process id into `owner`, which must
 * be 0, and appends records to its ring.  The recorder copies them out and
 * gives the slot back when the thread has ended.  `head` and `tail` count
 * bytes and only grow:
 *
 *   thread:    write the record, then publish head    (release)
 *   recorder:  read head (acquire), copy, then publish tail (release)
 *
 * What lies between tail and head are whole records, in order of time, and,
 * but for calls that the recorder has to account for (PRS_TRACE_DONE), exactly
 * the contents of a Common Trace Format packet: the recorder puts a struct
 * prs_packet in front and copies.
 */
#ifndef PERSEUS_TRACE_H
#define PERSEUS_TRACE_H

#include <stddef.h>
#include <stdint.h>

/*
 * FD:POLICY:INODE:PID in decimal: the memory file is descriptor FD of the
 * recorder, process PID, if it has this inode number and begins with the magic;
 * POLICY is one of enum prs_trace_policy.
 * Nobody inherits it: processes of the recorder's user open it below /proc.
 */
#define PRS_ENV_TRACE "PERSEUS_TRACE"

#define PRS_TRACE_MAGIC     "PRSTRACE"
#define PRS_TRACE_VERSION   2u
#define PRS_TRACE_SLOTS_MAX 1024u
#define PRS_TRACE_RING_MIN  65536u
#define PRS_TRACE_RING_MAX  (1u << 30)

/* What a thread does that finds its ring full. */
enum prs_trace_policy {
	PRS_TRACE_DEGRADE = 0, /* goes without a trace until three quarters of the ring are free */
	PRS_TRACE_DROP = 1,    /* goes without until there is room again */
	PRS_TRACE_BLOCK = 2,   /* waits, as long as the recorder is alive */
};

enum prs_trace_state {
	PRS_TRACE_RUNNING = 0,
	PRS_TRACE_ENDED = 1, /* nothing is copied out any more */
};

struct prs_trace {
	char magic[8]; /* without a NUL */
	uint32_t version;
	uint32_t slots;
	uint64_t ring_bytes; /* a power of two */
	uint64_t rings;      /* offset of ring 0 */
	uint64_t bytes;      /* of the file */
	uint64_t beat_ns;    /* CLOCK_MONOTONIC: when the recorder last looked at the rings */
	uint32_t state;      /* enum prs_trace_state */
	uint32_t bell;       /* futex: 1 while the recorder sleeps; 0: get up */
	uint32_t refused;    /* threads that found no free slot, and did not later either */
	uint32_t clock_kind; /* 1 + that of struct prs_rec_header; 0: no process has come yet */
	uint32_t spare[2];
	uint64_t tick_hz; /* as the first process found it */
};
_Static_assert(sizeof(struct prs_trace) == 80, "shared");

enum prs_ring_stage {
	PRS_RING_FILLING = 0,
	PRS_RING_LIVE = 1,
	PRS_RING_ENDED = 2, /* the thread writes no more */
};

/* Three lines of the cache: the thread's, the recorder's, and what changes with the owner. */
struct prs_ring {
	uint64_t head;          /* published last */
	uint64_t lost_calls;    /* timed calls of this owner that are not in the trace */
	uint64_t lost_mems;     /* ... memory accesses and heap notes */
	uint64_t gaps;          /* how often this owner found the ring full */
	uint64_t blocked_ticks; /* ... and how long it waited */
	uint64_t writer_pad[3];

	uint64_t tail;    /* the low half is a futex for a thread that waits for room */
	uint32_t waiting; /* 1: somebody waits there */
	uint32_t reader_pad[13];

	uint32_t owner; /* process id, 0: free */
	uint32_t stage; /* enum prs_ring_stage */
	uint32_t epoch; /* with pid, thread: struct prs_rec_header, struct prs_thread */
	uint32_t thread;
	uint32_t tid;
	uint32_t uses;   /* owners so far */
	uint64_t pid_ns; /* inode of the name space that `owner` is of, 0 unknown */
	uint32_t owner_pad[8];
};
_Static_assert(sizeof(struct prs_ring) == 192, "shared");
_Static_assert(offsetof(struct prs_ring, tail) == 64 && offsetof(struct prs_ring, owner) == 128, "shared");

/*
 * Records are made of units of 16 bytes.  The first word of a unit has 62
 * bits of a value and, above, its class: what record begins here, or that one
 * goes on.  So a reader that stands at the end finds the last record.
 *
 *   CALL    0: end, ticks           1: length, site, flags
 *   MEMORY  0: when, ticks          1: site | access << 32 as in PRS_ACCESS()
 *           2: address              3: 0
 *   NOTE    0: when, ticks          1: site | kind << 32
 *           2: address; GAP: begin  3: bytes; GAP: calls lost, and in the upper
 *                                      half accesses and notes, each at most ~0u
 *
 * The length of a call is 27 bits, to be shifted by the 5 bits above them.
 */
#define PRS_UNIT_BYTES   16u
#define PRS_CLASS_SHIFT  62
#define PRS_CLASS_CALL   0u
#define PRS_CLASS_MEMORY 1u
#define PRS_CLASS_NOTE   2u
#define PRS_CLASS_MORE   3u /* the second unit of a record */
#define PRS_VALUE_MASK   ((1ull << PRS_CLASS_SHIFT) - 1)

/*
 * In a ring only, in word 0 of a CALL: the thread has added it to its call
 * record.  Without this bit word 1 has in its upper half not the site but the
 * number of that record (file offset / 64), and as length the ticks; the
 * recorder adds it to the sums of that record (perseus/sums.h), and puts the
 * site there.
 */
#define PRS_TRACE_DONE      (1ull << 61)
#define PRS_TRACE_TIME_MASK (PRS_TRACE_DONE - 1) /* of word 0 in a ring */

#define PRS_LENGTH_BITS   27
#define PRS_LENGTH_SHIFTS 31u
#define PRS_TRACE_SITES   (1u << 30) /* calls of sites from here on are not traced */
#define PRS_TRACE_MOVED   (1u << 30) /* the thread was moved or switched out meanwhile */
#define PRS_TRACE_LATE    (1u << 31) /* it ended before the record in front of it: `end` is that one's */

enum prs_trace_note {
	PRS_TRACE_GAP = 1, /* from `begin` to now nothing was traced */
	PRS_TRACE_ALLOC = 2,
	PRS_TRACE_FREE = 3,
};

/* In front of the records of a packet of the trace; little-endian. */
#define PRS_CTF_MAGIC 0xc1fc1fc1u
struct prs_packet {
	uint32_t magic;
	uint8_t uuid[16];    /* of the trace */
	uint32_t stream_id;  /* one for each process, in the order of their coming */
	uint64_t bits;       /* of content, from the magic on */
	uint64_t all_bits;   /* the same: there is no padding */
	uint64_t begin;      /* ticks of the first record */
	uint64_t end;        /* ... of the last */
	uint64_t discarded;  /* records of this thread lost so far */
	uint32_t pid, epoch; /* of the record file */
	uint32_t thread;     /* index */
	uint32_t tid;
};
_Static_assert(sizeof(struct prs_packet) == 80, "format");

#endif

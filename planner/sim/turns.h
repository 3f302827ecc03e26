/* SPDX-License-Identifier: MIT */
/*
 * One occurrence of a phase, event by event: threads take turns on the units
 * in slices, wait for each other at barriers and locks, and slow each other
 * down while they use one cache line at the same time.  Who is given a lock
 * has its core at once, before its neighbours.
 *
 * Who neither waits for nor fights with anybody needs no events: in whichever
 * order such threads take turns, their unit is busy for the sum of their work.
 */
#ifndef PERSEUS_PLANNER_SIM_TURNS_H
#define PERSEUS_PLANNER_SIM_TURNS_H

#include "planner/problem/problem.h"
#include "record/blocks/blocks.h"

#define TURN_NONE 0xffffffffu

/* One unit of slowness: a thread that is slow by TURN_ONE needs twice its time. */
#define TURN_ONE (1ull << 20)

/*
 * How weights of blocks become ns: all weight of a thread in a phase, over all
 * its occurrences, is its work there.
 */
struct turn_share {
	uint64_t total_ns; /* in all occurrences together */
	uint64_t each_ns;  /* in one */
	uint64_t weight;   /* that stands for total_ns; 0: nothing is recorded, each_ns an occurrence */
	uint64_t factor;   /* ns of a weight x 2^shift */
	uint32_t shift;
	uint64_t done;  /* weight so far */
	uint64_t spent; /* ns so far */
};

/* Set up a share of @weight. */
void turn_share_init(struct turn_share *s, uint64_t total_ns, uint64_t each_ns, uint64_t weight);

/* A row of blocks of one thread, and the row that follows it. */
struct turn_body {
	struct block_cursor c;
	uint32_t next; /* index in turns.bodies, TURN_NONE */
};

/* A fight for a line as one side has it. */
struct turn_clash {
	uint32_t other; /* index in turns.threads; TURN_NONE: somebody is always there */
	uint64_t slow;  /* while both run */
};

struct turn_thread {
	struct turn_share *share;
	struct block_cursor c;
	uint32_t body;      /* that follows, TURN_NONE */
	uint32_t last_body; /* where another one is put */
	uint32_t next;      /* in the queue of a unit or an object */
	uint16_t unit;
	bool there;   /* takes part in the occurrence */
	bool running; /* is on its unit right now */
	bool acts;    /* does @op when @ahead is over; else it is through */
	struct block op;
	uint64_t ahead; /* ns of its own work up to then */
	uint64_t since; /* when it began to wait */
	uint64_t slow;
};

struct turn_unit {
	uint32_t now;        /* thread that runs, TURN_NONE */
	uint32_t head, tail; /* threads that wait for their turn */
	uint32_t place;      /* in the heap, TURN_NONE */
	uint64_t since;      /* when `now` was settled last */
	uint64_t ends;       /* when it will have done its work */
	uint64_t slice_end;
	uint64_t next;    /* event */
	uint64_t ran;     /* ns so far */
	uint64_t stalled; /* ... of them for conflicts */
	bool eventful;
};

struct turn_package {
	uint64_t quiet; /* until then a unit without events is busy */
	uint64_t since; /* a unit with events is busy */
	uint64_t awake; /* ns in which any unit is busy */
	uint32_t busy;  /* units with events that are */
};

/* A barrier or a lock. */
struct turn_object {
	uint64_t occurrence; /* that the rest is of */
	uint64_t arrived;
	uint32_t head, tail; /* who waits */
	uint32_t holder;
};

struct turns {
	const struct problem *pb;
	struct turn_thread *threads; /* by member of the phase */
	uint32_t n;
	struct turn_unit *units;
	struct turn_package *packages;
	struct turn_object *objects;
	struct turn_body *bodies;
	uint32_t n_bodies;
	uint32_t *heap; /* units by next event, ties by index */
	uint32_t n_heap;
	const struct turn_clash *clashes; /* of thread i: [clash_at[i], clash_at[i + 1]); NULL: none at all */
	const uint32_t *clash_at;
	uint64_t slice; /* ns, mean */
	bool always;    /* make events of everything: for tests */
	uint32_t left;  /* threads that are not through */
	uint64_t draws;
	uint64_t occurrence;
	uint64_t time;       /* of the occurrence, ns */
	uint64_t barrier_ns; /* that threads waited in all occurrences, summed */
	uint64_t lock_ns;
	uint64_t events;
	const char *wrong;
};

/* Space for any phase of @pb with up to @n_bodies rows of blocks and @n_objects barriers and locks. */
void turns_init(struct turns *t, const struct problem *pb, size_t n_bodies, size_t n_objects);
void turns_release(struct turns *t);

/* Begin an occurrence of a phase with @n members, none of which is there yet. */
void turns_begin(struct turns *t, uint32_t n);

/* Member @i takes part on @unit; its work is that of @share. */
void turns_add(struct turns *t, uint32_t i, uint16_t unit, struct turn_share *share);

/* ... and has these blocks, behind those it has. */
void turns_add_body(struct turns *t, uint32_t i, struct block_cursor body);

/*
 * Run the occurrence.  Afterwards @t has its time, what each unit ran, and how
 * long each package was awake.  -EINVAL if threads wait for each other in a
 * circle or give back what they do not have.
 */
int turns_run(struct turns *t, struct err *err);

#endif

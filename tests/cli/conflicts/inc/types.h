/* SPDX-License-Identifier: MIT */
/* Declarations in many forms: what `perseus conflicts --patch` has to read. */
#ifndef TYPES_H
#define TYPES_H

#define SLOTS 4

/* Several in one declaration, with comments between. */
typedef struct {
	volatile long hits, /* of the reader */
		cold,
		misses; /* of the writer */
} stats_t;

struct inner {
	volatile int a, b;
};

struct outer {
	struct inner in;
	volatile long v[2];
	struct {
		volatile int x, y;
	} deep;
	volatile long *self;
};

struct worker { volatile long done; char name[SLOTS]; };

struct plain {
	volatile long x;
#ifdef MORE
	long more; /* stands in the way of nothing */
#endif
	volatile long y;
};

/* Conflicts inside of members. */
struct seat { int id; volatile long served; };
struct room {
	int open;
	struct seat seats[2];
};
struct deep {
	int depth;
	struct {
		volatile long up;
		int level; /* nobody's */
		volatile long down;
	} way;
};

/* A name by typedef alone, in allocated memory. */
typedef struct {
	volatile long sent;
	long lost;
} port_t;

/* The ends of neighbouring elements meet. */
struct wide {
	volatile long first;
	char between[96];
	volatile long last;
};

/* Members of two threads in turns: in another order they would need less room. */
struct gauge {
	volatile int in;
	volatile int out;
	volatile int in_errors;
	volatile int out_errors;
};

/* Not to be changed by a machine: conditions, macros. */
struct maybe {
	volatile long a;
#ifdef WIDE
	volatile long long b;
#else
	volatile long b;
#endif
};
struct partly {
	volatile long a;
#ifdef WIDE
	__attribute__((aligned(64)))
#endif
	volatile long b;
};
#define PAIR(T) T left; T right
struct made {
	PAIR(volatile long);
};

#endif

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
		volatile long down;
	} way;
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
#define PAIR(T) T left; T right
struct made {
	PAIR(volatile long);
};

#endif

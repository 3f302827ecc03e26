/* SPDX-License-Identifier: MIT */
/* For the programs that ranges.py writes; with -DLOG each access says itself what it touches. */
#ifndef RANGES_H
#define RANGES_H

#define ARRAYS     6
#define ARRAY_SIZE (1 << 16)

extern unsigned char mem[ARRAYS][ARRAY_SIZE];

/* Note that @n bytes at @p are read (@write 0) or written; returns @p. */
void *touch(int write, void *p, int n);

/* Print all lines touched, and how often. */
void tell(void);

#ifdef LOG
#define RD(x) (*(__typeof__(&(x)))touch(0, (void *)&(x), sizeof(x)))
#define WR(x) (*(__typeof__(&(x)))touch(1, (void *)&(x), sizeof(x)))
#else
#define RD(x) (x)
#define WR(x) (x)
#endif

struct small {
	double x;
	int y;
	short z[4];
};
struct large {
	long a[3];
	char pad[96];
	int b;
};

#endif

/* SPDX-License-Identifier: MIT */
/* machine ROUNDS: an interpreter: each instruction is a function that is called through a table. */
#include <stdio.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline))
#define CELLS    4096
#define COUNT    100000

struct state {
	long reg[8], cell[CELLS];
	int at;
	long left;
};

NOINLINE static void add(struct state *s, int a, int b)
{
	s->reg[a] += s->reg[b];
}

NOINLINE static void step(struct state *s, int a, int b)
{
	s->reg[a] = s->reg[a] * 1103515245 + 12345 + b;
}

NOINLINE static void load(struct state *s, int a, int b)
{
	s->reg[a] = s->cell[(unsigned long)s->reg[b] % CELLS];
}

NOINLINE static void store(struct state *s, int a, int b)
{
	s->cell[(unsigned long)s->reg[b] >> 3 & (CELLS - 1)] = s->reg[a];
}

NOINLINE static void back(struct state *s, int a, int b)
{
	(void)b;
	if (--s->left > 0)
		s->at = a;
}

static const struct {
	void (*run)(struct state *s, int a, int b);
	int a, b;
} program[] = {{step, 1, 3}, {load, 2, 1}, {add, 2, 1}, {store, 2, 1},
	       {step, 1, 5}, {load, 3, 1}, {add, 4, 3}, {back, 0, 0}};

static long run(struct state *s)
{
	s->left = COUNT;
	for (s->at = 0; s->at < (int)(sizeof(program) / sizeof(program[0]));) {
		int i = s->at++;

		program[i].run(s, program[i].a, program[i].b);
	}
	return s->reg[4];
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 150;
	static struct state s;
	long all = 0;

	while (rounds--)
		all += run(&s);
	printf("%ld\n", all);
	return 0;
}

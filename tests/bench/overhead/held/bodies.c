/* SPDX-License-Identifier: MIT */
/* bodies STEPS: 40 bodies attract each other; a call for each pair. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline))
#define BODIES   40

struct body {
	double at[3], speed[3], mass;
};
static struct body all[BODIES];

NOINLINE static void attract(struct body *a, const struct body *b)
{
	double d[3], r = 1e-3;

	for (int k = 0; k < 3; k++) {
		d[k] = b->at[k] - a->at[k];
		r += d[k] * d[k];
	}
	r = b->mass / (r * sqrt(r));
	for (int k = 0; k < 3; k++)
		a->speed[k] += d[k] * r * 1e-5;
}

NOINLINE static void move(struct body *a)
{
	for (int k = 0; k < 3; k++)
		a->at[k] += a->speed[k] * 1e-3;
}

int main(int argc, char **argv)
{
	int steps = argc > 1 ? atoi(argv[1]) : 8000;

	for (int i = 0; i < BODIES; i++)
		all[i] = (struct body){{sin(i), cos(i * 2), sin(i * 3)}, {0}, 1 + i % 3};
	while (steps--) {
		for (int i = 0; i < BODIES; i++)
			for (int j = 0; j < BODIES; j++)
				if (i != j)
					attract(&all[i], &all[j]);
		for (int i = 0; i < BODIES; i++)
			move(&all[i]);
	}
	printf("%f\n", all[0].at[0]);
	return 0;
}

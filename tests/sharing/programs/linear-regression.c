/* SPDX-License-Identifier: MIT */
/*
 * Sums of a linear regression over points of two bytes, kept in the argument
 * struct of each thread, as Phoenix has it.  Below -O2 the loop adds in memory, so
 * that neighbours in the array fight; from -O2 on the sums live in registers.
 */
#include "crew.h"

#define THREADS 4
#define POINTS 16384

struct point {
	char x, y;
};

struct lreg_args {
	pthread_t tid;
	struct point *points;
	int num_elems;
	long long SX, SY, SXX, SYY, SXY;
};

static struct lreg_args *tid_args;
static ALIGNED struct point points[THREADS][POINTS];

static NOIPA void linear_regression(struct lreg_args *args)
{
	for (int i = 0; i < args->num_elems; i++) { /* <- */
		args->SX += args->points[i].x; /* <- */
		args->SXX += args->points[i].x * args->points[i].x; /* <- */
		args->SY += args->points[i].y; /* <- */
		args->SYY += args->points[i].y * args->points[i].y; /* <- */
		args->SXY += args->points[i].x * args->points[i].y; /* <- */
	}
}

static void work(int id)
{
	FOR_A_WHILE linear_regression(&tid_args[id]);
}

static struct lreg_args *get(void)
{
	struct lreg_args *p = malloc(THREADS * sizeof(struct lreg_args));

	for (int i = 0; i < 100 && (uintptr_t)p % LINE != OFFSET; i++)
		p = malloc(THREADS * sizeof(struct lreg_args));
	if ((uintptr_t)p % LINE != OFFSET)
		exit(3);
	return p;
}

int main(void)
{
	uint32_t r = 3;

	for (int t = 0; t < THREADS; t++)
		for (int i = 0; i < POINTS; i++)
			points[t][i] = (struct point){(char)crew_random(&r), (char)crew_random(&r)};
	tid_args = get();
	for (int t = 0; t < THREADS; t++)
		tid_args[t] = (struct lreg_args){.points = points[t], .num_elems = POINTS};
	crew(THREADS, work);
	return 0;
}

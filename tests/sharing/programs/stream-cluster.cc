/* SPDX-License-Identifier: MIT */
/*
 * Costs of opening centres, gathered per thread in one block with a stride made for
 * lines of 32 bytes, as the stream clustering of PARSEC has it.
 */
#include "crew.h"

#include <cmath>
#include <vector>

#define THREADS 2
#define DIM 8
#ifdef FIXED
#define CACHE_LINE 64
#else
#define CACHE_LINE 32
#endif

struct Point {
	float coord[DIM];
	long assign;
};

static std::vector<Point> points(512);
static double *work_mem;
static int stride;

NOIPA static void gain(double *mem, const Point &a, const Point &b)
{
	float d = 0;

	for (int i = 0; i < DIM; i++)
		d += (a.coord[i] - b.coord[i]) * (a.coord[i] - b.coord[i]);
	mem[0] += d; /* <- */
	if (d < 0.5f)
		mem[1] -= d; /* <- */
}

static void work(int id)
{
	double *mem = work_mem + id * stride;
	size_t half = points.size() / THREADS;

	FOR_A_WHILE for (size_t i = 0; i < half; i++)
		gain(mem, points[id * half + i], points[(i * 7 + 1) % points.size()]);
}

int main()
{
	uint32_t r = 9;

	for (auto &p : points)
		for (float &c : p.coord)
			c = (float)(crew_random(&r) % 1000) / 1000;
	stride = CACHE_LINE / sizeof(double);
	work_mem = (double *)aligned_alloc(LINE, THREADS * CACHE_LINE + LINE);
	for (int i = 0; i < THREADS * stride; i++)
		work_mem[i] = 0;
	crew(THREADS, work);
	return work_mem[0] == 0;
}

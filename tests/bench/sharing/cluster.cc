/* SPDX-License-Identifier: MIT */
/* Stream clustering: what opening a centre at a point would save, gathered per thread. */
#include <cmath>
#include <vector>

#include "two.h"

namespace
{
const int dim = 32, count = 4096;

struct Point {
	float weight;
	float *coord;
	long assign;
	float cost;
};

struct Points {
	std::vector<Point> p;
	std::vector<float> block;
};

Points points;
double *work_mem;
std::vector<int> centre_table(count);
std::vector<char> is_centre(count), switch_membership(count);
int stride;
long candidate;

float dist(const Point &a, const Point &b)
{
	float d = 0;

	for (int i = 0; i < dim; i++)
		d += (a.coord[i] - b.coord[i]) * (a.coord[i] - b.coord[i]);
	return d;
}

void gain(int id)
{
	double *lower = work_mem + id * stride;
	int from = id * count / 2, to = (id + 1) * count / 2;
	double cost = 0;

	for (int i = 0; i < stride; i++)
		lower[i] = 0;
	for (int i = from; i < to; i++) {
		Point &p = points.p[i];
		float x = dist(p, points.p[candidate]) * p.weight;

		if (x < p.cost) {
			switch_membership[i] = 1;
			cost += x - p.cost;
		} else {
			lower[centre_table[p.assign]] += p.cost - x;
		}
	}
	lower[stride - 1] = cost;
}
} // namespace

int main()
{
	uint32_t r = 23;
	double total = 0;

	points.block.resize(count * dim);
	points.p.resize(count);
	for (int i = 0; i < count; i++) {
		points.p[i] = Point{1, &points.block[i * dim], i % 8, 0};
		for (int k = 0; k < dim; k++)
			points.p[i].coord[k] = (float)(two_random(&r) % 1000) / 1000;
	}
	for (auto &p : points.p)
		p.cost = dist(p, points.p[p.assign]);
	for (int i = 0; i < 8; i++)
		centre_table[i] = i;
	stride = 12;
	work_mem = static_cast<double *>(two_memory(4096));
	for (candidate = 8; candidate < 1400; candidate++) {
		two(gain);
		total += work_mem[stride - 1] + work_mem[2 * stride - 1];
	}
	printf("%.3f\n", total);
}

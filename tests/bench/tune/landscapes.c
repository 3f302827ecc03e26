/* SPDX-License-Identifier: MIT */
#include "tests/bench/tune/landscape.h"

#include <math.h>

#include "tuner/space/order.h"

#define HEAD                 "perseus: tunables\nversion: 1\ntunables:\n"
#define RANGE(n, lo, hi, at) "  - {name: " n ", kind: integer, low: " lo ", high: " hi ", default: " at "}\n"
#define POWER(n, lo, hi, at) "  - {name: " n ", kind: power, low: " lo ", high: " hi ", default: " at "}\n"

static double square(double x)
{
	return x * x;
}

/* Threads of a producer and a consumer: 100 settings, a valley along a / b = 4. */
static double balance(const struct space *s, const double *v)
{
	double total = v[0] + v[1];

	(void)s;
	return fmax(8 / v[0], 2 / v[1]) + 0.12 * fmax(0, total - 5) + 0.05;
}

/* A tile, an unrolling and a distance of prefetching: only powers count, and most steps change nothing. */
static double plateaus(const struct space *s, const double *v)
{
	double tile = floor(log2(v[0]) / 2), unroll = floor(log2(v[1])), ahead = floor(v[2] / 8);

	(void)s;
	return 1 + 0.3 * fabs(tile - 3) + 0.15 * fabs(unroll - 2) + 0.1 * fabs(ahead - 3) +
	       (tile > 4 ? 0.5 : 0);
}

/* One setting of 1,024 takes half of the time, and nothing leads to it. */
static double needle(const struct space *s, const double *v)
{
	(void)s;
	return (v[0] == 21 && v[1] == 9 ? 0.5 : 1) + 0.01 * square((v[0] - 16) / 16);
}

/* Four numbers whose products count: no tunable is good alone. */
static double interaction(const struct space *s, const double *v)
{
	(void)s;
	return 1 + 2 * square(log2(v[0] * v[1] / 512)) / 25 + 2 * square(log2(v[2] * v[3] / 128)) / 25 +
	       0.3 * square(log2(v[0] / v[2])) / 25 + 0.05 * fabs(log2(v[1]) - 4);
}

/* Blocking, with a tile and an order of its own, or streaming with a distance; threads for both. */
static double conditional(const struct space *s, const double *v)
{
	double t = 4 / v[0] + 0.1 * v[0];

	(void)s;
	if (v[1])
		return t * (0.8 + 0.04 * square(log2(v[2]) - 6) + 0.15 * (v[3] != 1));
	return t * (1 + 0.01 * square(v[4] - 20) / 4);
}

/* Ten choices of four, 1,048,576 settings: sums, and products of neighbours. */
static double many(const struct space *s, const double *v)
{
	double y = 0;

	for (size_t j = 0; j < s->n_tunables; j++)
		y += 0.08 * square(v[j] - (double)((j * 7 + 2) % 4)) +
		     (j ? 0.03 * fabs(v[j] - v[j - 1] - (double)((j * 7 + 2) % 4) +
				      (double)((j * 7 + 1 - 6) % 4))
			: 0);
	return 1 + y;
}

/* Blocks of a kernel: a valley across, cliffs where the registers are used up, a wave of alignment. */
static double cliffs(const struct space *s, const double *v)
{
	double work = v[0] * v[1],
	       y = 1 + 0.1 * square(log2(work / 256)) + 0.05 * square(log2(v[0] / 32)) + 0.4 / v[2];

	(void)s;
	if (v[2] * v[3] > 24)
		y *= 1.8;
	return y * (1 + 0.06 * sin(v[3] * 2.1) + 0.1 * (fmod(v[0], 16) != 0));
}

/* The order of four loops, two tiles, and whether it is vectorised. */
static double loops(const struct space *s, const double *v)
{
	double apart = order_apart((uint32_t)v[0], 9, 4);

	(void)s;
	return 1 + 1.5 * apart + (v[3] ? -0.2 + 0.8 * (apart > 0.2) : 0) + 0.06 * square(log2(v[1]) - 5) +
	       0.05 * square(log2(v[2]) - 4 - (v[3] ? 2 : 0));
}

const struct landscape landscapes[] = {
	{"balance", HEAD RANGE("a", "1", "10", "5") RANGE("b", "1", "10", "5"), balance, 0.03, 50},
	{"plateaus",
	 HEAD POWER("tile", "4", "4096", "4096") POWER("unroll", "1", "32", "1")
		 RANGE("ahead", "0", "63", "0"),
	 plateaus, 0.05, 100},
	{"needle", HEAD RANGE("a", "0", "31", "16") RANGE("b", "0", "31", "16"), needle, 0.01, 100},
	{"interaction",
	 HEAD POWER("a", "1", "1024", "1") POWER("b", "1", "1024", "1") POWER("c", "1", "1024", "1")
		 POWER("d", "1", "1024", "1"),
	 interaction, 0.05, 120},
	{"conditional",
	 HEAD RANGE("threads", "1", "16",
		    "1") "  - {name: blocked, kind: list, values: [0, 1]}\n"
			 "  - {name: tile, kind: power, low: 4, high: 1024, default: 4, when: blocked == 1}\n"
			 "  - {name: way, kind: list, values: [a, b, c, d], when: blocked == 1}\n"
			 "  - {name: ahead, kind: integer, low: 0, high: 63, when: blocked == 0}\n",
	 conditional, 0.1, 120},
	{"many",
	 HEAD RANGE("a", "0", "3", "0") RANGE("b", "0", "3", "0") RANGE("c", "0", "3", "0")
		 RANGE("d", "0", "3", "0") RANGE("e", "0", "3", "0") RANGE("f", "0", "3", "0")
			 RANGE("g", "0", "3", "0") RANGE("h", "0", "3", "0") RANGE("i", "0", "3", "0")
				 RANGE("j", "0", "3", "0"),
	 many, 0.05, 150},
	{"cliffs",
	 HEAD
	 "  - {name: x, kind: integer, low: 8, high: 256, step: 8, default: 8}\n" POWER("y", "1", "64", "1")
		 RANGE("per", "1", "8", "1") RANGE("unroll", "1", "16", "1") "constraints: [x * y <= 1024]\n",
	 cliffs, 0.02, 150},
	{"loops",
	 HEAD "  - {name: loops, kind: order, values: [i, j, k, l]}\n" POWER("ti", "1", "512", "1")
		 POWER("tj", "1", "512", "1") "  - {name: vector, kind: list, values: [0, 1]}\n",
	 loops, 0.05, 120},
};
const unsigned n_landscapes = sizeof(landscapes) / sizeof(landscapes[0]);

double oracle_truth(const struct oracle *o, const struct setting *x)
{
	double v[SPACE_MAX];

	for (size_t j = 0; j < o->s->n_tunables; j++)
		v[j] = o->s->tunables[j].words ? x->at[j] : space_number(o->s, x, j);
	return o->l->value(o->s, v);
}

static double normal(struct rng *rng)
{
	return sqrt(-2 * log(1 - rng_unit(rng))) * cos(2 * M_PI * rng_unit(rng));
}

double oracle_run(struct oracle *o, const struct setting *x)
{
	double y = log(oracle_truth(o, x)) + o->l->noise * normal(&o->rng);

	o->runs++;
	o->level = 0.97 * o->level + o->drift * normal(&o->rng);
	y += o->level;
	if (o->tail > 0 && rng_unit(&o->rng) < 0.05)
		y += o->tail * rng_unit(&o->rng);
	return exp(y);
}

double oracle_least(const struct oracle *o)
{
	double least = HUGE_VAL;

	for (uint64_t k = 0; k < (uint64_t)space_size(o->s); k++) {
		struct setting x = space_at(o->s, k);
		double y = space_allowed(o->s, &x) ? oracle_truth(o, &x) : HUGE_VAL;

		least = y < least ? y : least;
	}
	return least;
}

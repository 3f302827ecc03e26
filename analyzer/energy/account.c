/* SPDX-License-Identifier: MIT */
#include "analyzer/energy/account.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "lib/mem.h"

const char *const energy_rules[] = {"activity", "time", "equal", NULL};

/* Weights to shares of 1; false: there are none. */
static bool normalise(double *w, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += w[i];
	for (size_t i = 0; i < n && sum > 0; i++)
		w[i] /= sum;
	return sum > 0;
}

static bool by_activity(double *w, const struct energy_part *part, size_t n)
{
	for (size_t i = 0; i < n; i++)
		w[i] = fmax(part[i].activity, 0);
	return normalise(w, n);
}

static bool by_time(double *w, const struct energy_part *part, size_t n, size_t n_threads)
{
	for (size_t i = 0; i < n; i++)
		w[i] = part[i].thread < n_threads ? fmax(part[i].time, 0) : 0;
	return normalise(w, n);
}

/* Each thread that was there at all has the same. */
static bool equally(double *w, const struct energy_part *part, size_t n, size_t n_threads)
{
	double *sum = mem_new(n_threads + 1, sizeof(*sum));

	for (size_t i = 0; i < n; i++)
		sum[part[i].thread < n_threads ? part[i].thread : n_threads] += fmax(part[i].time, 0);
	for (size_t i = 0; i < n; i++)
		w[i] = part[i].thread < n_threads && sum[part[i].thread] > 0
			       ? fmax(part[i].time, 0) / sum[part[i].thread]
			       : 0;
	free(sum);
	return normalise(w, n);
}

static void all_the_same(double *w, size_t n)
{
	for (size_t i = 0; i < n; i++)
		w[i] = 1.0 / (double)n;
}

void energy_account(struct energy_part *part, size_t n, size_t n_threads, double total, double idle,
		    enum energy_rule rule)
{
	double *active = mem_new(n, sizeof(*active)), *share = mem_new(n, sizeof(*share));
	bool known;

	total = fmax(total, 0);
	idle = fmin(fmax(idle, 0), total);
	if (!by_activity(active, part, n) && !by_time(active, part, n, n_threads))
		all_the_same(active, n);
	known = rule == ENERGY_RULE_TIME    ? by_time(share, part, n, n_threads)
		: rule == ENERGY_RULE_EQUAL ? equally(share, part, n, n_threads)
					    : false;
	for (size_t i = 0; i < n; i++) {
		part[i].idle = idle * (known ? share[i] : active[i]);
		part[i].joules = part[i].idle + (total - idle) * active[i];
	}
	free(active);
	free(share);
}

/* SPDX-License-Identifier: MIT */
#include "analyzer/energy/certificate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/rng.h"
#include "lib/strbuf.h"

#define SEED 20101 /* of the resampling */

/* The program that is called by @len bytes of @name, or the number of programs. */
static uint32_t program_called(const struct energy_table *t, const char *name, size_t len)
{
	uint32_t i = 0;

	while (i < t->programs.n &&
	       !(strlen(t->programs.at[i]) == len && !memcmp(t->programs.at[i], name, len)))
		i++;
	return i;
}

/* The two programs that @program runs one after the other. */
static bool parts_of(const struct energy_table *t, uint32_t program, uint32_t part[2])
{
	const char *name = t->programs.at[program], *plus = strchr(name, '+');

	if (!plus)
		return false;
	part[0] = program_called(t, name, (size_t)(plus - name));
	part[1] = program_called(t, plus + 1, strlen(plus + 1));
	return part[0] < t->programs.n && part[1] < t->programs.n;
}

static bool is_sequence(const struct energy_table *t, uint32_t program)
{
	uint32_t part[2];

	return parts_of(t, program, part);
}

/* Mean count of @event in a run of @program at @mhz, or -1. */
static double per_run(const struct energy_cells *c, uint32_t program, double mhz, size_t event)
{
	double sum = 0, runs = 0;

	for (size_t i = 0; i < c->cell.n; i++) {
		const struct energy_cell *cell = &c->cell.at[i];

		if (cell->program != program || cell->mhz != mhz)
			continue;
		sum += cell->count[event];
		runs += (double)cell->runs;
	}
	return runs > 0 ? sum / runs : -1;
}

/* The largest relative error of a sum, 0 where no sequence was run. */
static double additivity_of(const struct energy_cells *c, const struct energy_table *t, size_t event)
{
	double worst = 0;

	for (size_t i = 0; i < c->cell.n; i++) {
		const struct energy_cell *cell = &c->cell.at[i];
		uint32_t part[2];
		double a, b, both;

		if (!parts_of(t, cell->program, part))
			continue;
		a = per_run(c, part[0], cell->mhz, event);
		b = per_run(c, part[1], cell->mhz, event);
		both = per_run(c, cell->program, cell->mhz, event);
		if (a >= 0 && b >= 0 && a + b > 0)
			worst = fmax(worst, fabs(both - a - b) / (a + b));
	}
	return worst;
}

/* Zero or constant at each frequency; the name of what it is a multiple of in *of. */
static enum energy_state spread_of(const struct energy_cells *c, const struct energy_normal *normal,
				   size_t event)
{
	bool zero = true, constant = true;

	for (size_t f = 0; f < c->frequency.n; f++) {
		const struct energy_frequency *at = &c->frequency.at[f];

		zero &= at->high[event] == 0;
		constant &= at->low[event] == at->high[event] || normal[f].sd[event] == 0;
	}
	return zero ? ENERGY_ZERO : constant ? ENERGY_CONSTANT : ENERGY_GOOD;
}

static size_t duplicate_of(const struct energy_cells *c, const struct energy_normal *normal,
			   const struct energy_event *event, size_t i)
{
	for (size_t j = 0; j < i; j++) {
		bool same = event[j].state == ENERGY_GOOD;

		for (size_t f = 0; f < c->frequency.n && same; f++)
			same = fabs(normal[f].r[i][j]) > 1 - 1e-10;
		if (same)
			return j;
	}
	return i;
}

/* How often each weight is above 0 when programs are drawn with replacement. */
static void resample(const struct energy_cells *c, const struct energy_table *t, double mhz, uint64_t use,
		     double *positive)
{
	const struct energy_scaling *s = &c->frequency.at[energy_frequency_find(c, mhz)].scaling;
	uint64_t *times = mem_new(t->programs.n, sizeof(*times));
	struct energy_normal *normal = mem_new(1, sizeof(*normal));

	for (uint64_t draw = 0; draw < ENERGY_RESAMPLINGS; draw++) {
		struct rng rng = rng_keyed(SEED, draw, (uint64_t)mhz, 0);
		struct energy_gram sum = energy_gram_new(c->events);
		struct energy_weights w;

		memset(times, 0, t->programs.n * sizeof(*times));
		for (size_t i = 0; i < t->programs.n; i++)
			times[rng_below(&rng, t->programs.n)]++;
		for (size_t i = 0; i < c->cell.n; i++)
			if (c->cell.at[i].mhz == mhz && !c->cell.at[i].aside && times[c->cell.at[i].program])
				energy_gram_sum(&sum, &c->cell.at[i].plain,
						(double)times[c->cell.at[i].program]);
		energy_gram_normal(&sum, s, normal);
		if (sum.rows > 0 && !energy_fit(normal, ENERGY_OLS, use, &w, NULL))
			for (size_t i = 0; i < c->events; i++)
				positive[i] += (double)(w.w[i] > 0) / ENERGY_RESAMPLINGS;
		energy_gram_release(&sum);
	}
	free(normal);
	free(times);
}

/* What is known of the events that are left: inflation and signs, over all frequencies. */
static void judge_weights(const struct energy_cells *c, const struct energy_table *t,
			  const struct energy_normal *normal, struct energy_event *event, uint64_t use)
{
	double vif[ENERGY_MAX_EVENTS], positive[ENERGY_MAX_EVENTS] = {0};

	for (size_t f = 0; f < c->frequency.n; f++) {
		energy_inflation(&normal[f], use, vif);
		resample(c, t, c->frequency.at[f].mhz, use, positive);
		for (size_t i = 0; i < c->events; i++)
			event[i].vif = fmax(event[i].vif, isinf(vif[i]) ? 1e12 : vif[i]);
	}
	for (size_t i = 0; i < c->events; i++) {
		if (!(use >> i & 1))
			continue;
		event[i].positive = fmin(positive[i] / (double)c->frequency.n, 1);
		if (fmax(event[i].positive, 1 - event[i].positive) < ENERGY_LEAST_AGREEMENT)
			event[i].state = ENERGY_UNSTABLE;
		else if (event[i].vif > ENERGY_MOST_INFLATION)
			event[i].state = ENERGY_COLLINEAR;
	}
}

/* Did the counters take turns?  Then no count is one, but a part that was scaled. */
static bool took_turns(const struct energy_cells *c)
{
	double enabled = 0, running = 0;

	for (size_t i = 0; i < c->cell.n; i++) {
		enabled += c->cell.at[i].enabled;
		running += c->cell.at[i].running;
	}
	return running < ENERGY_LEAST_COUNTED * enabled;
}

void energy_certify(struct energy_cells *c, const struct energy_table *t, struct energy_event *event)
{
	struct energy_normal *normal = mem_new(c->frequency.n, sizeof(*normal));
	uint64_t use = 0;

	for (size_t i = 0; i < c->cell.n; i++)
		c->cell.at[i].aside = is_sequence(t, c->cell.at[i].program);
	for (size_t f = 0; f < c->frequency.n; f++) {
		struct energy_slice slice = {ENERGY_PLAIN, c->frequency.at[f].mhz};

		energy_slice_normal(c, &slice, NULL, 0, &normal[f]);
	}
	for (size_t i = 0; i < c->events; i++) {
		size_t of;

		event[i].name = mem_strdup(t->events.at[i]);
		event[i].state = spread_of(c, normal, i);
		of = duplicate_of(c, normal, event, i);
		if (event[i].state == ENERGY_GOOD && of < i) {
			event[i].state = ENERGY_DUPLICATE;
			event[i].of = mem_strdup(t->events.at[of]);
		}
		event[i].additivity = event[i].state == ENERGY_GOOD ? additivity_of(c, t, i) : 0;
		if (event[i].additivity > ENERGY_MOST_ADDITIVITY)
			event[i].state = ENERGY_NOT_ADDITIVE;
		event[i].used = event[i].state == ENERGY_GOOD;
		use |= (uint64_t)event[i].used << i;
	}
	judge_weights(c, t, normal, event, use);
	for (size_t i = 0; i < c->events && took_turns(c); i++)
		if (event[i].state == ENERGY_GOOD)
			event[i].state = ENERGY_MULTIPLEXED;
	free(normal);
}

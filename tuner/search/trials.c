/* SPDX-License-Identifier: MIT */
#include "tuner/search/trials.h"

#include <math.h>
#include <stdlib.h>

#include "lib/mem.h"

#define SWEEPS 30
#define EXACT  1e-9 /* sigma of values that do not differ at all */

const char *const trial_ends[TRIAL_ENDS + 1] = {"ok",      "slow",  "crash", "failed",
						"timeout", "wrong", "unmet", NULL};

void trials_init(struct trials *t, const struct space *space)
{
	*t = (struct trials){.space = space};
}

void trials_release(struct trials *t)
{
	vec_release(&t->settings);
	vec_release(&t->runs);
}

size_t trials_find(const struct trials *t, const struct setting *x)
{
	for (size_t i = 0; i < t->settings.n; i++)
		if (space_equal(t->space, &t->settings.at[i].x, x))
			return i;
	return SIZE_MAX;
}

size_t trials_index(struct trials *t, const struct setting *x)
{
	size_t i = trials_find(t, x);

	if (i != SIZE_MAX)
		return i;
	vec_add(&t->settings)->x = *x;
	return t->settings.n - 1;
}

void trials_add(struct trials *t, size_t i, uint32_t round, enum trial_end end, double value)
{
	struct tried *s = &t->settings.at[i];

	if (round >= t->rounds)
		t->rounds = round + 1;
	if (end != TRIAL_OK)
		s->end = end;
	if (end != TRIAL_OK && end != TRIAL_SLOW)
		return;
	s->n++;
	s->mean += (log(value) - s->mean) / s->n;
	vec_push(&t->runs, ((struct trial_run){(uint32_t)i, round, log(value)}));
}

void trials_other(struct trials *t, size_t i, double other)
{
	struct tried *s = &t->settings.at[i];
	double before = other - s->other;

	s->others++;
	s->other += before / s->others;
	s->other_m2 += before * (other - s->other);
}

double trials_other_sigma(const struct trials *t)
{
	double sum = 0, df = 0;

	for (size_t i = 0; i < t->settings.n; i++) {
		const struct tried *s = &t->settings.at[i];

		if (s->others < 2)
			continue;
		sum += s->other_m2 / (s->other * s->other);
		df += s->others - 1;
	}
	return df > 0 ? sqrt(sum / df) : 0;
}

bool trials_failed(const struct trials *t, size_t i)
{
	enum trial_end end = t->settings.at[i].end;

	return end != TRIAL_OK && end != TRIAL_SLOW;
}

bool trials_good(const struct trials *t, size_t i)
{
	const struct tried *s = &t->settings.at[i];

	return s->n && s->end == TRIAL_OK && !s->dropped;
}

/* Effects of rounds, as far as settings that ran more than once show them. */
struct effects {
	double *b, *sum; /* by round */
	uint32_t *n;
};

static bool repeated(const struct trials *t, const struct trial_run *r)
{
	return t->settings.at[r->setting].n > 1 && t->settings.at[r->setting].end == TRIAL_OK;
}

static void settle_means(struct trials *t, const struct effects *e)
{
	double *sum = mem_new(t->settings.n + 1, sizeof(*sum));

	for (size_t k = 0; k < t->runs.n; k++)
		sum[t->runs.at[k].setting] += t->runs.at[k].y - e->b[t->runs.at[k].round];
	for (size_t i = 0; i < t->settings.n; i++)
		if (t->settings.at[i].n)
			t->settings.at[i].mean = sum[i] / t->settings.at[i].n;
	free(sum);
}

/* One step of expectation and maximisation: effects of the rounds, then both deviations. */
static void settle_rounds(struct trials *t, struct effects *e)
{
	double tau2 = t->tau * t->tau, sigma2 = t->sigma * t->sigma, b2 = 0, rest = 0, df = 0;
	uint32_t rounds = 0;

	for (uint32_t r = 0; r < t->rounds; r++)
		e->sum[r] = e->n[r] = 0;
	for (size_t k = 0; k < t->runs.n; k++) {
		const struct trial_run *run = &t->runs.at[k];

		if (!repeated(t, run))
			continue;
		e->sum[run->round] += run->y - t->settings.at[run->setting].mean;
		e->n[run->round]++;
	}
	for (uint32_t r = 0; r < t->rounds; r++) {
		double part = e->n[r] && tau2 > 0 ? tau2 / (tau2 + sigma2 / e->n[r]) : 0;

		if (!e->n[r])
			continue;
		e->b[r] = part * e->sum[r] / e->n[r];
		b2 += e->b[r] * e->b[r] + tau2 * (1 - part);
		df -= part;
		rounds++;
	}
	for (size_t i = 0; i < t->settings.n; i++)
		df += t->settings.at[i].n > 1 && t->settings.at[i].end == TRIAL_OK ? t->settings.at[i].n - 1
										   : 0;
	for (size_t k = 0; k < t->runs.n; k++) {
		const struct trial_run *run = &t->runs.at[k];
		double d = run->y - t->settings.at[run->setting].mean - e->b[run->round];

		rest += repeated(t, run) ? d * d : 0;
	}
	t->df = df;
	if (df >= 1)
		t->sigma = fmax(sqrt(rest / df), EXACT);
	t->tau = rounds ? sqrt(b2 / rounds) : 0;
}

void trials_settle(struct trials *t)
{
	struct effects e = {
		mem_new(t->rounds + 1, sizeof(double)),
		mem_new(t->rounds + 1, sizeof(double)),
		mem_new(t->rounds + 1, sizeof(uint32_t)),
	};

	t->tau = 0;
	t->df = 0;
	settle_means(t, &e);
	settle_rounds(t, &e); /* sigma of a steady machine */
	t->tau = t->sigma / 2;
	for (int i = 0; i < SWEEPS && t->sigma > 0; i++) {
		settle_means(t, &e);
		settle_rounds(t, &e);
	}
	settle_means(t, &e);
	free(e.b);
	free(e.sum);
	free(e.n);
}

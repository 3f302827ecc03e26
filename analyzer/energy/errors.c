/* SPDX-License-Identifier: MIT */
#include "analyzer/energy/errors.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of the bins, in powers of ten. */
#define FIRST (-6.0)
#define SPAN  9.0

void energy_histogram_add(struct energy_histogram *h, double x)
{
	double place = x > 0 ? (log10(x) - FIRST) / SPAN * ENERGY_BINS : 0;

	h->n++;
	h->bin[place <= 0 ? 0 : place >= ENERGY_BINS - 1 ? ENERGY_BINS - 1 : (size_t)place]++;
}

double energy_histogram_quantile(const struct energy_histogram *h, double q)
{
	uint64_t seen = 0;

	for (size_t i = 0; i < ENERGY_BINS; i++) {
		seen += h->bin[i];
		if (seen && (double)seen >= q * (double)h->n)
			return i ? pow(10, FIRST + SPAN * ((double)i + 1) / ENERGY_BINS) : 0;
	}
	return 0;
}

/* The run of @row, NULL where there is no more room. */
static struct energy_run *run_of(struct energy_errors *e, const struct energy_row *row)
{
	uint64_t key = ((uint64_t)row->program << 32 | row->run) * UINT64_C(0x9e3779b97f4a7c15);
	size_t at = (size_t)((key ^ (uint64_t)(row->mhz * 1000)) >> 20) % ENERGY_RUN_SLOTS;

	if (!e->run)
		e->run = mem_new(ENERGY_RUN_SLOTS, sizeof(*e->run));
	for (;; at = (at + 1) % ENERGY_RUN_SLOTS) {
		struct energy_run *r = &e->run[at];

		if (r->joules > 0 && r->program == row->program && r->run == row->run && r->mhz == row->mhz)
			return r;
		if (r->joules > 0)
			continue;
		if (e->runs >= ENERGY_RUN_SLOTS / 2)
			return NULL;
		e->runs++;
		*r = (struct energy_run){.program = row->program, .run = row->run, .mhz = row->mhz};
		return r;
	}
}

void energy_errors_add(struct energy_errors *e, const struct energy_row *row, double estimate)
{
	double off = estimate / row->watts - 1;
	struct energy_program_error *p;
	struct energy_run *r;

	while (e->program.n <= row->program)
		(void)vec_add(&e->program);
	p = &e->program.at[row->program];
	r = run_of(e, row);
	if (r) {
		r->joules += row->watts * row->seconds;
		r->estimated += estimate * row->seconds;
	}
	e->rows++;
	e->sum += fabs(off);
	e->signed_sum += off;
	p->rows++;
	p->sum += fabs(off);
	p->signed_sum += off;
	energy_histogram_add(&e->off, fabs(off));
}

/* The program of the largest mean error; the number of programs in *n. */
static const struct energy_program_error *worst_program(const struct energy_errors *e, size_t *n)
{
	const struct energy_program_error *worst = NULL;

	*n = 0;
	for (size_t i = 0; i < e->program.n; i++) {
		const struct energy_program_error *p = &e->program.at[i];

		if (!p->rows)
			continue;
		(*n)++;
		if (!worst || p->sum / (double)p->rows > worst->sum / (double)worst->rows)
			worst = p;
	}
	return worst;
}

struct energy_error energy_errors_result(struct energy_errors *e, const char *by, uint64_t groups,
					 const struct energy_names *programs)
{
	double rows = e->rows ? (double)e->rows : 1, run_sum = 0, run_worst = 0;
	const struct energy_program_error *worst;
	size_t n;

	for (size_t i = 0; e->run && i < ENERGY_RUN_SLOTS; i++) {
		double off = e->run[i].joules > 0 ? fabs(e->run[i].estimated / e->run[i].joules - 1) : 0;

		run_sum += off;
		run_worst = fmax(run_worst, off);
	}
	worst = worst_program(e, &n);
	return (struct energy_error){
		.by = mem_strdup(by),
		.rows = e->rows,
		.groups = groups,
		.mean = e->sum / rows,
		.median = energy_histogram_quantile(&e->off, 0.5),
		.p95 = energy_histogram_quantile(&e->off, 0.95),
		.bias = e->signed_sum / rows,
		.worst = worst ? worst->sum / (double)worst->rows : 0,
		.worst_program = mem_strdup(worst ? programs->at[worst - e->program.at] : ""),
		.run = e->runs ? run_sum / (double)e->runs : 0,
		.run_worst = run_worst,
	};
}

double energy_errors_interval(const struct energy_errors *e)
{
	double sum = 0, squares = 0, spread, reach;
	const struct energy_program_error *worst;
	size_t n;

	worst = worst_program(e, &n);
	if (n < 3)
		return 0;
	for (size_t i = 0; i < e->program.n; i++) {
		const struct energy_program_error *p = &e->program.at[i];
		double mean = p->rows ? p->signed_sum / (double)p->rows : 0;

		sum += mean;
		squares += mean * mean;
	}
	spread = sqrt(fmax(squares - sum * sum / (double)n, 0) / (double)(n - 1));
	reach = gsl_cdf_tdist_Qinv(0.025, (double)(n - 1)) * spread * sqrt(1 + 1 / (double)n) +
		fabs(sum / (double)n);
	return fmax(fmax(reach, worst->sum / (double)worst->rows), energy_histogram_quantile(&e->off, 0.95));
}

void energy_errors_release(struct energy_errors *e)
{
	vec_release(&e->program);
	free(e->run);
	memset(e, 0, sizeof(*e));
}

/* SPDX-License-Identifier: MIT */
/* How much of a run bursts have seen, and how surely they see a line that matters. */
#include <math.h>

#include "record/blocks/bursts.h"

static double seconds(const struct run_process *p, uint64_t ticks)
{
	return (double)run_span_ns(p, ticks) / 1e9;
}

/* Seconds before an adaptive run settled; what never did was seen as a precise one is. */
static double before_settled(const struct run_process *p)
{
	const struct prs_rec_header *h = p->header;

	return h->settled_tsc > h->first_tsc ? seconds(p, h->settled_tsc - h->first_tsc) : 0;
}

void run_bursts(struct run_bursts *b, const struct run *run)
{
	double on = 0, all = 0;

	*b = (struct run_bursts){0};
	for (size_t i = 0; i < run->n_processes; i++) {
		const struct run_process *p = &run->processes[i];
		const struct prs_rec_header *h = p->header;

		if (h->minor < 2 || h->purpose != PRS_PURPOSE_SHARING)
			continue;
		if (h->sharing_mode == PRS_SHARING_ADAPTIVE)
			b->first += before_settled(p);
		b->rate |= h->sharing_mode == PRS_SHARING_RATE || b->first > 0;
		b->n += h->n_bursts;
		b->places += h->places;
		b->hot += h->places_hot;
		b->seconds += seconds(p, h->enabled_ticks);
		on += seconds(p, h->burst_ticks);
		if (p->end > h->tsc_start)
			all += seconds(p, p->end - h->tsc_start);
	}
	b->seconds += b->first;
	if (b->n)
		b->length = on / b->n;
	if (all > 0)
		b->share = on < all ? on / all : 1;
}

double run_bursts_miss(const struct run_bursts *b, double rate, uint32_t need)
{
	double mean = rate * b->seconds, sum = 0;

	if (mean <= 0)
		return need ? 1 : 0;
	for (uint32_t i = 0; i < need; i++)
		sum += exp(i * log(mean) - mean - lgamma(i + 1.0));
	return sum < 1 ? sum : 1;
}

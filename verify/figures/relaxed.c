/* SPDX-License-Identifier: MIT */
/* What no placement and no steps can take a phase below; planner/cost/relax.h states the formula in words. */
#include "verify/figures/recompute.h"

struct bound {
	const struct vplatform *f;
	const struct span *s;
	uint64_t waking, halted, spread, of; /* mW; spread / of: least waking power a unit */
};

static void find_watts(struct bound *b)
{
	b->waking = UINT64_MAX;
	for (uint32_t k = 0; k < b->f->n_packages; k++) {
		const struct vplatform_package *g = &b->f->package[k];
		uint64_t waking = g->n_units * b->f->floor_mw - g->rest_mw;

		b->halted += g->rest_mw;
		b->waking = g->n_units && waking < b->waking ? waking : b->waking;
		if (g->n_units && (!b->of || waking * b->of < b->spread * g->n_units)) {
			b->spread = waking;
			b->of = g->n_units;
		}
	}
}

/* The least of (busy power above the floor * @times + @more) * work over the steps no longer than @limit. */
static wide least(const struct bound *b, size_t i, uint64_t limit, wide times, wide more)
{
	wide best = ~(wide)0;

	for (size_t s = 0; s < b->f->n_steps; s++) {
		uint64_t ns = work_ns(b->f, &b->s->member[i], s);
		wide e = ((b->f->step[s].busy_mw - b->f->floor_mw) * times + more) * ns;

		best = ns <= limit && e < best ? e : best;
	}
	return best;
}

/* E(T) */
static wide by_length(const struct bound *b, uint64_t time)
{
	wide packed = 0, alone = 0;

	for (size_t i = 0; i < b->s->n_heavy; i++) {
		packed += least(b, i, time, b->of, b->spread);
		alone += least(b, i, time, 1, i ? 0 : b->waking);
	}
	return (wide)b->halted * time + (packed / b->of > alone ? packed / b->of : alone);
}

/* T0: all units full, the longest member, or the users of a lock one after the other. */
static uint64_t least_time(const struct vplatform *f, const struct span *s)
{
	uint64_t held = 0, most = s->n_heavy ? s->member[0].top_ns : 0;
	wide sum = f->n_units - 1;

	for (size_t i = 0; i < s->n_heavy; i++)
		sum += s->member[i].top_ns;
	most = sum / f->n_units > most ? (uint64_t)(sum / f->n_units) : most;
	for (size_t i = s->n; i < s->n_all; i++) {
		held = i > s->n && s->member[i - 1].entry->lock == s->member[i].entry->lock ? held : 0;
		held += span_find(s, s->member[i].entry->thread) < s->n_heavy ? s->member[i].top_ns : 0;
		most = held > most ? held : most;
	}
	return most;
}

struct vcost relaxed_cost(const struct vplatform *f, const struct span *s)
{
	struct bound b = {.f = f, .s = s};
	struct vcost c = {.time = least_time(f, s)};
	wide best, room = 0;

	if (!f->energy_known || !s->n_heavy)
		return c;
	find_watts(&b);
	best = by_length(&b, c.time);
	for (size_t i = 0; i < s->n_heavy; i++) {
		room += least(&b, i, UINT64_MAX, (wide)b.of * f->n_units,
			      (wide)b.spread * f->n_units + (wide)b.halted * b.of);
		for (size_t k = 1; k < f->n_steps; k++) {
			uint64_t time = work_ns(f, &s->member[i], k);
			wide e = time > c.time ? by_length(&b, time) : best;

			best = e < best ? e : best;
		}
	}
	room /= (wide)f->n_units * b.of;
	c.energy = (uint64_t)(best > room ? best : room);
	return c;
}

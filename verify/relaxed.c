/* SPDX-License-Identifier: MIT */
/* What no placement and no steps can take a phase below; planner/relax.h states the formula in words. */
#include "verify/recompute.h"

struct watts {
	uint64_t floor, waking, halted, spread, of; /* mW; spread / of: least waking power a unit */
};

static struct watts watts_of(const struct vplatform *f)
{
	struct watts w = {.floor = UINT64_MAX, .waking = UINT64_MAX};

	for (size_t s = 0; s < f->n_steps; s++)
		w.floor = f->step[s].idle_mw < w.floor ? f->step[s].idle_mw : w.floor;
	for (uint32_t k = 0; k < f->n_packages; k++) {
		uint64_t units, halt, waking;

		package_halts(f, k, &units, &halt);
		waking = units * w.floor - halt;
		w.halted += halt;
		if (units && waking < w.waking)
			w.waking = waking;
		if (units && (!w.of || waking * w.of < w.spread * units)) {
			w.spread = waking;
			w.of = units;
		}
	}
	return w;
}

/* The least that @m draws above what is halted, over the steps that take it no longer than @limit. */
static wide least(const struct vplatform *f, const struct member *m, uint64_t limit, wide times, wide more)
{
	wide best = 0, floor = UINT64_MAX;
	bool any = false;

	for (size_t s = 0; s < f->n_steps; s++)
		floor = f->step[s].idle_mw < floor ? f->step[s].idle_mw : floor;
	for (size_t s = 0; s < f->n_steps; s++) {
		uint64_t ns = work_ns(f, m, s);
		wide e = ((f->step[s].busy_mw - floor) * times + more) * ns;

		if (ns > limit || (any && e >= best))
			continue;
		best = e;
		any = true;
	}
	return best;
}

/* E(T) */
static wide by_length(const struct vplatform *f, const struct span *s, const struct watts *w, uint64_t time)
{
	wide packed = 0, alone = 0;

	for (size_t i = 0; i < s->n_heavy; i++) {
		packed += least(f, &s->member[i], time, w->of, w->spread);
		alone += least(f, &s->member[i], time, 1, i ? 0 : w->waking);
	}
	packed /= w->of;
	return (wide)w->halted * time + (packed > alone ? packed : alone);
}

struct vcost relaxed_cost(const struct vplatform *f, const struct span *s)
{
	struct watts w = watts_of(f);
	struct vcost c = {0};
	wide sum = 0, best, room = 0;

	for (size_t i = 0; i < s->n_heavy; i++)
		sum += s->member[i].top_ns;
	c.time = (uint64_t)((sum + f->n_units - 1) / f->n_units);
	c.time = s->n_heavy && s->member[0].top_ns > c.time ? s->member[0].top_ns : c.time;
	if (!f->energy_known || !s->n_heavy)
		return c;
	best = by_length(f, s, &w, c.time);
	for (size_t i = 0; i < s->n_heavy; i++) {
		room += least(f, &s->member[i], UINT64_MAX, (wide)w.of * f->n_units,
			      (wide)w.spread * f->n_units + (wide)w.halted * w.of);
		for (size_t k = 1; k < f->n_steps; k++) {
			uint64_t time = work_ns(f, &s->member[i], k);
			wide e = time > c.time ? by_length(f, s, &w, time) : best;

			best = e < best ? e : best;
		}
	}
	room /= (wide)f->n_units * w.of;
	c.energy = (uint64_t)(best > room ? best : room);
	return c;
}

/* SPDX-License-Identifier: MIT */
#include "analyzer/lines/rounds.h"

#include <string.h>

/* A use that is seen less often than this part of the most frequent one says nothing of the loop. */
#define RARE 0.1

/*
 * Latencies of one instruction differ by so much between the processors of ten years
 * (integer multiplication 3 and 4 cycles, floating-point 3 to 5), and a frequency that the
 * core has for a while from the one that it has as a rule.
 */
#define PROCESSORS 1.35

/* The two times of a turn differ by so much: its values go through the frame. */
#define FRAME 1.5

/* The core's cycle where its clock is not known, ns. */
#define CYCLE_NS 0.33

static double seen(const struct line_use *u)
{
	return (double)u->raw->misses + (double)u->raw->watched;
}

static bool same_round(const struct run_mem_site *a, const struct run_mem_site *b)
{
	return a->round_least == b->round_least && a->round_most == b->round_most &&
	       a->round_accesses == b->round_accesses && a->round_open == b->round_open &&
	       !strcmp(a->function, b->function);
}

struct round_time rounds_of(const struct line_use *u, size_t n, const struct line_pace *pace)
{
	double cycle = pace->cycle_ns > 0 ? pace->cycle_ns : CYCLE_NS, most = 0;
	const struct run_mem_site *s = NULL;
	struct round_time r = {0};
	bool one = true;

	for (size_t i = 0; i < n; i++)
		most = seen(&u[i]) > most ? seen(&u[i]) : most;
	for (size_t i = 0; i < n; i++) {
		if (seen(&u[i]) < RARE * most)
			continue;
		if (!u[i].site || !u[i].site->round_accesses)
			return (struct round_time){0};
		s = s ? s : u[i].site;
		one &= same_round(s, u[i].site);
		r.accesses++;
		if (r.accesses == 1 || u[i].site->round_least * cycle < r.least)
			r.least = u[i].site->round_least * cycle;
	}
	r.frame = s && s->round_most >= FRAME * s->round_least && s->round_most > s->round_least + 1;
	if (!s || !one || s->round_open)
		return r;
	r.ns = (s->round_least + s->round_most) / 2.0 * cycle;
	r.low = r.least / PROCESSORS;
	r.high = s->round_most * cycle * PROCESSORS;
	return r;
}

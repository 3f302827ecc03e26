/* SPDX-License-Identifier: MIT */
/*
 * What a timed call costs here and now.  A pair that is inside another call
 * adds to its time, so reports take that off again; and a part of it lies in
 * its own time.  Measured with the probes' own code on a thread that does not
 * exist, before anything is recorded.
 */
#define RT_CLOCK_INLINE /* what calls cost is measured here */
#include "runtime/calls/call.h"

#define ROUNDS 8
#define PAIRS  64u

/* The spare end of the header page lends the room: a record lies in the file. */
#define RECORD_AT 2048u
_Static_assert(sizeof(struct prs_rec_header) <= RECORD_AT, "room in the header page");
_Static_assert(RECORD_AT + sizeof(struct prs_call) <= PRS_PAGE_BYTES, "room in the header page");

struct scene {
	struct rt_thread thread;
	struct rt_unit unit;
	struct prs_desc desc;
	struct prs_block block;
	struct prs_slot slot;
	struct prs_open open[4];
};

static void calibrate_set(struct scene *s)
{
	struct prs_call *r = rt_call_record(RECORD_AT / 64);

	r->period = 1;
	r->min = ~0ull;
	s->slot = (struct prs_slot){.left = -1, .record = RECORD_AT / 64};
	s->block.open_max = 2;
	s->thread.block = &s->block;
	s->thread.opens = &s->open[3];
	s->thread.no_mark = 1;
	s->thread.mark = &s->thread.no_mark;
	s->desc.base = (uint64_t)((unsigned char *)&s->slot - (unsigned char *)&s->block);
	s->desc.runtime = (uint64_t)&s->unit;
}

static void calibrate_run(struct scene *s)
{
	const struct prs_call *r = rt_call_record(RECORD_AT / 64);

	rt.pair_ticks = rt.own_ticks = ~0ull;
	for (int round = 0; round < ROUNDS; round++) {
		uint64_t begin = rt_ticks(), sum = r->sum, all;

		for (uint32_t i = 0; i < PAIRS; i++) {
			local_add32((uint32_t *)&s->slot.left, (uint32_t)-1);
			rt_leave(&s->desc, 0, rt_enter(&s->desc, 0, NULL));
		}
		all = (rt_ticks() - begin) / PAIRS;
		sum = (r->sum - sum) / PAIRS;
		if (all < rt.pair_ticks)
			rt.pair_ticks = all;
		if (sum < rt.own_ticks)
			rt.own_ticks = sum;
	}
}

void call_calibrate(void)
{
	uint64_t block_ticks = rt.block_ticks;
	uint32_t mask = rt.review_mask;
	struct rt_thread *self = rt_self;
	struct scene *s = sys_anon(sizeof(*s));
	unsigned char *page = rt.base + RECORD_AT;

	if (!s)
		return;
	rt.block_ticks = ~0ull; /* an interruption is no event, and the period no question */
	rt.review_mask = ~0u;
	calibrate_set(s);
	rt_self = &s->thread;
	calibrate_run(s);
	rt_self = self;
	rt.block_ticks = block_ticks;
	rt.review_mask = mask;
	for (uint32_t i = 0; i < sizeof(struct prs_call); i++)
		page[i] = 0;
	sys_munmap(s, sizeof(*s));
}

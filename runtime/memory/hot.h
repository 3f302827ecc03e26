/* SPDX-License-Identifier: MIT */
/*
 * Lines that change hands often, process-wide: when to watch one, and when to
 * leave one alone for a while.
 */
#ifndef RUNTIME_MEMORY_HOT_H
#define RUNTIME_MEMORY_HOT_H

#include "runtime/base/rt.h"

/* One cache line each: two fought-for lines must not meet here again. */
struct rt_hot {
	uint64_t line;       /* 0: free */
	uint64_t shadow;     /* the directory word of a line that is watched, see RT_HOT_OVER */
	uint64_t window_end; /* ticks; 0: no window */
	uint64_t rest_until; /* ticks; 0: not resting */
	union {
		uint64_t burst_from; /* ticks */
		uint64_t turn;       /* while a window is open: whose turn it is, and until when */
	};
	uint32_t transfers; /* seen, unweighted */
	uint32_t next_window;
	uint32_t left;   /* accesses until the window closes */
	uint32_t turns;  /* transfers inside the window */
	uint32_t burst;  /* transfers since burst_from */
	uint16_t weight; /* transfers that a seen one stands for */
	uint8_t thrashes;
	uint8_t credit; /* protects the entry from lines that want its place */
};
_Static_assert(sizeof(struct rt_hot) == 64, "a line of its own");

/*
 * In the shadow: the window is over, the rest is what the word is to say.  No line's
 * number has this bit, so nobody goes on in a shadow that has it.
 */
#define RT_HOT_OVER (1ull << 63)

#define RT_HOT_BITS   14
#define RT_HOT_GROUPS (1u << RT_HOT_BITS >> 3)

extern struct rt_hot *hot_table __attribute__((visibility("hidden")));
extern uint8_t hot_rests[RT_HOT_GROUPS]
	__attribute__((visibility("hidden"))); /* 1: one of these entries rested */

/* Make the table, or empty it (a fork child); false: no memory. */
bool hot_setup(void);

static inline struct rt_hot *hot_of(uint64_t line)
{
	return &hot_table[line * 0x9e3779b97f4a7c15ull >> (64 - RT_HOT_BITS)];
}

/*
 * A transfer of @line happened: claim an entry for it.  NULL: its place is
 * taken by a line that moves more.
 */
struct rt_hot *hot_claim(uint64_t line);

/* One of a few entries rested at some time: of others the line does not rest. */
static inline bool hot_rested(const struct rt_hot *h)
{
	return rt_load(&hot_rests[(uint64_t)(h - hot_table) / 8]);
}

/*
 * Count @n transfers; returns how many each of them stands for.  *window: the
 * caller should open a watch window now.
 */
uint32_t hot_transfer(struct rt_hot *h, uint32_t n, bool *window);

/*
 * A thread, a site or an object that was not at this line before: what it does
 * there is to be seen, too, so the next watch window comes soon.
 */
void hot_look_again(struct rt_hot *h);

/* True while the line rests: @now is past the end of the rest if not. */
bool hot_resting(struct rt_hot *h);

#endif

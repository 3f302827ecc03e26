/* SPDX-License-Identifier: MIT */
/*
 * Lines that other processes may have are looked at in windows: a thread's first
 * FIRST accesses, and EACH in every window; then they get tags like others, until a
 * helper begins the next window and takes the tags back.  To look at all of them
 * would slow a program down that works in shared memory a hundred times.
 *
 * Who puts such a line into its tags writes it down in a list before, and looks at the
 * list again after; the helper takes it from the list before it clears the tags.
 * Lines for which the list has no room keep their tags until all are emptied.
 */
#include "runtime/base/helper.h"
#include "runtime/memory/shared.h"
#include "runtime/memory/sharing.h"

#define FIRST     4096u
#define EACH      512u
#define SPARSE    16384u
#define LINES     1024u /* a power of two */
#define WINDOW_US 2000u
#define IDLE_US   10000u
#define EMPTY_US  50000u /* from one emptying of all tags to the next */

static struct {
	uint32_t word; /* the helper sleeps on it */
	uint32_t tid;  /* of the helper, 0: there is none */
	uint32_t stop;
	uint32_t crowded; /* some line had no room */
	uint32_t number;  /* of the window, from 1 on */
	uint64_t line[LINES];
} w;

static uint64_t *shared_windows_place(uint64_t line)
{
	return &w.line[(line ^ line >> 10) % LINES];
}

bool shared_look(struct rt_thread *t)
{
	uint32_t window = rt_load(&w.number);

	if (!rt_load(&w.tid)) /* the system allowed no helper: by number, and without tags */
		return t->shared_window++ % SPARSE < EACH;
	if (t->shared_window != window) {
		t->shared_left = t->shared_window ? EACH : FIRST;
		t->shared_window = window;
		/* What was not looked at is in none of the gaps. */
		for (uint32_t i = 0; i < RT_GAPS; i++)
			t->gaps[i].line = 0;
	}
	if (!t->shared_left)
		return false;
	t->shared_left--;
	return true;
}

bool shared_may_fill(const struct rt_thread *t, uint64_t line)
{
	uint64_t *p = shared_windows_place(line), have = rt_load(p);

	if (t->shared_left || t->shared_window != rt_load(&w.number) || !rt_load(&w.tid))
		return false;
	if (have && have != line)
		rt_store(&w.crowded, 1);
	else if (!have)
		__atomic_compare_exchange_n(p, &have, line, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
	return true;
}

bool shared_filled(uint64_t line)
{
	return rt_load(shared_windows_place(line)) != 0;
}

/* ---- the helper ------------------------------------------------------------------- */

static void clear(uint64_t line)
{
	uint32_t i = line % PRS_TAGS, tag = (uint32_t)line;

	for (uint32_t b = 0; b < PRS_DIR_SHARERS; b++)
		for (struct prs_sharer *f = rt_acquire(&rt.sharers[b]); f; f = f->next) {
			if (rt_load(&f->store_tag[i]) == tag)
				rt_store(&f->store_tag[i], ~tag);
			if (rt_load(&f->load_tag[i]) == tag)
				rt_store(&f->load_tag[i], ~tag);
		}
}

/* True: some lines were in use. */
static bool next_window(uint64_t *emptied)
{
	uint64_t now = rt_ticks(), line;
	bool any = false;

	rt_add(&w.number, 1);
	for (uint32_t i = 0; i < LINES; i++) {
		if (!rt_load(&w.line[i]))
			continue;
		line = __atomic_exchange_n(&w.line[i], 0, __ATOMIC_SEQ_CST);
		clear(line);
		any = true;
	}
	if (rt_load(&w.crowded) && now - *emptied > rt.tick_hz / 1000000 * EMPTY_US) {
		rt_store(&w.crowded, 0);
		sharing_forget();
		*emptied = now;
	}
	return any;
}

static void helper_run(void)
{
	uint64_t looked = rt_ticks(), emptied = looked;
	bool busy = true;

	helper_begin("perseus-shared", &w.tid);
	while (!rt_acquire(&w.stop) && rt_recording() && !helper_left(&looked)) {
		sys_futex_wait(&w.word, rt_acquire(&w.word), busy ? WINDOW_US : IDLE_US);
		busy = next_window(&emptied);
	}
	helper_end();
}

void shared_windows_start(void)
{
	if (rt_load(&w.tid))
		return;
	w.stop = 0;
	w.crowded = 0;
	rt_store(&w.number, rt_load(&w.number) + 1);
	rt_store(&w.tid, 1);
	if (!helper_start(helper_run))
		rt_store(&w.tid, 0); /* then all is looked at */
}

void shared_windows_stop(void)
{
	if (!rt_load(&w.tid))
		return;
	rt_publish(&w.stop, 1);
	helper_join(&w.tid, &w.word);
}

void shared_windows_forked(void)
{
	w.tid = 0;
	for (uint32_t i = 0; i < LINES; i++)
		w.line[i] = 0;
}

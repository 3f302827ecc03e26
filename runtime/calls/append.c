/* SPDX-License-Identifier: MIT */
#include "runtime/base/file.h"
#include "runtime/calls/append.h"
#include "runtime/calls/budget.h"
#include "runtime/calls/call.h"
#include "runtime/calls/counters.h"

/*
 * The log covers a run of any length: half of its room is free for all, and
 * then there is as much for each doubling of the time as for the one before.
 */
#define LOG_FREE      (RT_LOG_MAX / 2)
#define LOG_PER_TWICE (24u << 10) /* bytes: enough for twenty doublings */
#define LOG_FIRST     16u         /* of a second, the time that is doubled first */
#define LOG_STEP_MAX  40u

/* Bytes of log that @t may have written at @now. */
static uint64_t log_allowed(const struct rt_thread *t, uint64_t now)
{
	uint64_t since = now > t->entry->start_tsc ? now - t->entry->start_tsc : 0;
	uint64_t times = since / (rt.tick_hz / LOG_FIRST) + 1;
	uint32_t twice = 63 - (uint32_t)__builtin_clzll(times);
	uint64_t rest = (times << 10 >> twice) - 1024; /* of 1024: to the next doubling */

	return LOG_FREE + twice * (uint64_t)LOG_PER_TWICE + rest * LOG_PER_TWICE / 1024;
}

static uint64_t log_written(const struct rt_thread *t)
{
	const struct prs_chunk *c = t->log.chunk;

	return c ? t->log.spent - (rt_load(&c->pad[1]) - rt_load(&c->pad[0])) * sizeof(struct prs_log) : 0;
}

/* Ahead of the time only ever longer calls are logged, behind it shorter ones again. */
static bool worth_logging(struct rt_thread *t, uint64_t ticks, uint64_t now)
{
	uint64_t written = log_written(t), allowed = log_allowed(t, now);

	if (t->log_step && written < allowed)
		t->log_step--;
	if (ticks >> t->log_step < rt.block_ticks)
		return false;
	if (written < allowed)
		return true;
	t->log_step += t->log_step < LOG_STEP_MAX;
	return false;
}

void append_log(struct rt_thread *t, uint32_t site, uint32_t depth, uint64_t end, uint64_t ticks)
{
	struct prs_chunk *at;
	struct prs_log *e = NULL;

	counters_tick(t, end, PRS_COUNTER_BLOCK);
	if (worth_logging(t, ticks, end))
		e = stream_take(&t->log, PRS_CHUNK_LOG, sizeof(*e), t->index, RT_LOG_MAX, &at);
	if (!e) {
		rt_add(&rt.header->lost_blocks, 1);
		return;
	}
	e->end = end;
	e->ticks = ticks;
	e->cpu_ns = sys_cpu_ns();
	e->site = site;
	e->depth = (uint16_t)depth;
	stream_publish(at);
	budget_log(t);
	file_beat(end);
}

static bool makes_phases(uint32_t kind)
{
	switch (kind) {
	case PRS_EV_CREATE:
	case PRS_EV_START:
	case PRS_EV_EXIT:
	case PRS_EV_JOIN:
	case PRS_EV_BARRIER:
	case PRS_EV_FORK:
		return true;
	default:
		return false;
	}
}

static void fill_site(struct rt_thread *t, struct prs_event *e)
{
	struct prs_open *open = rt_innermost(t);

	e->site = PRS_NO_SITE;
	if (!open || !open->record)
		return;
	e->site = open->site;
	e->visit = (uint32_t)call_total(call_slot(t, open));
}

void append_event(struct rt_thread *t, const struct rt_seen *seen)
{
	uint64_t max = makes_phases(seen->kind) ? RT_EVENT_MAX : RT_EVENT_MAX / 4 * 3;
	struct prs_chunk *at;
	struct prs_event *e;

	e = stream_take(&t->event, PRS_CHUNK_EVENT, sizeof(*e), t->index, max, &at);
	if (!e) {
		rt_add(&rt.header->lost_events, 1);
		return;
	}
	/* One that began while nothing was recorded counts from when it was. */
	e->begin = seen->begin ? seen->begin : rt.header->tsc_start;
	e->end = rt_ticks();
	if (seen->kind != PRS_EV_SIGNAL_COND && seen->kind != PRS_EV_POST) {
		e->cpu_ns = sys_cpu_ns();
		t->entry->cpu_end_ns = e->cpu_ns;
	}
	e->object = seen->object;
	e->kind = seen->kind;
	e->other = seen->other;
	e->value = seen->value;
	e->caller = seen->caller;
	fill_site(t, e);
	stream_publish(at);
	if (rt.thin && e->kind == PRS_EV_BARRIER)
		append_pin(t); /* the calls after this one know their site, too */
	if (makes_phases(e->kind))
		counters_phase(t, e->end);
	else
		counters_tick(t, e->end, PRS_COUNTER_TICK);
	file_beat(e->end);
}

void append_pin(struct rt_thread *t)
{
	struct prs_open *open = rt_innermost(t);

	if (!open || !open->record)
		return;
	call_pin(call_slot(t, open));
}

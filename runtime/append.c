/* SPDX-License-Identifier: MIT */
#include "runtime/append.h"
#include "runtime/call.h"
#include "runtime/file.h"

/* Each time half of the room left is gone, only calls twice as long are logged from there on. */
static bool worth_logging(struct rt_thread *t, uint64_t ticks)
{
	if (t->log.spent > t->log_mark) {
		t->block_ticks *= 2;
		t->log_mark += (RT_LOG_MAX - t->log_mark) / 2;
	}
	return ticks >= t->block_ticks;
}

void append_log(struct rt_thread *t, uint32_t site, uint32_t depth, uint64_t end, uint64_t ticks)
{
	struct prs_chunk *at;
	struct prs_log *e = NULL;

	if (worth_logging(t, ticks))
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
	struct rt_open *open = rt_innermost(t);

	e->site = PRS_NO_SITE;
	if (!open || !open->record)
		return;
	e->site = open->site;
	e->visit = (uint32_t)call_total(open->slot);
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
	e->begin = seen->begin;
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
	file_beat(e->end);
}

void append_pin(struct rt_thread *t)
{
	struct rt_open *open = rt_innermost(t);

	if (!open || !open->record)
		return;
	call_pin(open->record);
}

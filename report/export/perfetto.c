/* SPDX-License-Identifier: MIT */
/*
 * Perfetto's trace format: TrackEvents in protocol buffers, by hand.  Each
 * thread is a packet sequence with a clock that counts from event to event and
 * with its track as the default, so that an event needs a dozen bytes.  Numbers
 * are those of protos/perfetto/trace/ in its sources; tests/cli/export/perfetto.proto
 * has the part that is used here.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "report/export/slices.h"

enum field {
	TRACE_PACKET = 1,
	PACKET_CLOCK_SNAPSHOT = 6,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10, /* trusted_packet_sequence_id */
	PACKET_EVENT = 11,
	PACKET_INTERNED = 12,
	PACKET_FLAGS = 13,
	PACKET_CLOCK_ID = 58,
	PACKET_DEFAULTS = 59,
	PACKET_TRACK = 60,
	SNAPSHOT_CLOCK = 1,
	SNAPSHOT_PRIMARY = 2,
	CLOCK_ID = 1,
	CLOCK_TIME = 2,
	CLOCK_INCREMENTAL = 3,
	DEFAULTS_EVENT = 11,
	EVENT_CATEGORY = 3,
	EVENT_TYPE = 9,
	EVENT_NAME = 10,
	EVENT_TRACK = 11,
	EVENT_LOCATION = 34, /* source_location_iid */
	INTERNED_CATEGORY = 1,
	INTERNED_NAME = 2,
	INTERNED_LOCATION = 4,
	INTERNED_ID = 1,
	INTERNED_TEXT = 2,
	LOCATION_FUNCTION = 3,
	LOCATION_LINE = 4,
	TRACK_UUID = 1,
	TRACK_PROCESS = 3,
	TRACK_THREAD = 4,
	TRACK_PARENT = 5,
	THREAD_PID = 1,
	THREAD_TID = 2,
	THREAD_NAME = 5,
	PROCESS_PID = 1,
	PROCESS_NAME = 6,
};

enum { CLEARED = 1, NEEDS_STATE = 2 };           /* PACKET_FLAGS */
enum { SLICE_BEGIN = 1, SLICE_END = 2 };         /* EVENT_TYPE */
enum { CLOCK_MONOTONIC_ID = 3, CLOCK_OWN = 64 }; /* built in; the first of a sequence's own */
enum { CATEGORY_WAIT = 1 };
enum { NAMED = 1, LOCATED = 2 };             /* what is interned */
#define UUID_PROCESSES 0x70726f6300000000ull /* + number; threads: below them */
#define UUID_THREADS   0x7468726400000000ull

struct perfetto {
	struct export *e;
	const struct run_process *process;
	uint32_t sequence, n_processes;
	uint64_t zero, last;     /* ns: when the run began; the last event */
	unsigned char *interned; /* by call site: in this sequence */
	unsigned char waits[256];
	struct strbuf packet, part, name;
};

/* ---- protocol buffers ---- */

static void varint(struct strbuf *out, uint64_t v)
{
	unsigned char bytes[10];
	size_t n = 0;

	for (; v >= 0x80; v >>= 7)
		bytes[n++] = (unsigned char)(v | 0x80);
	bytes[n++] = (unsigned char)v;
	strbuf_add(out, bytes, n);
}

static void perfetto_number(struct strbuf *out, enum field field, uint64_t v)
{
	varint(out, (uint64_t)field << 3);
	varint(out, v);
}

static void bytes(struct strbuf *out, enum field field, const void *data, size_t len)
{
	varint(out, (uint64_t)field << 3 | 2);
	varint(out, len);
	strbuf_add(out, data, len);
}

/* @part is emptied. */
static void message(struct strbuf *out, enum field field, struct strbuf *part)
{
	bytes(out, field, part->s ? part->s : "", part->len);
	part->len = 0;
}

static void perfetto_text(struct strbuf *out, enum field field, const char *name)
{
	struct strbuf clean = STRBUF_INIT;

	export_name(&clean, name, "");
	bytes(out, field, clean.s ? clean.s : "", clean.len);
	strbuf_release(&clean);
}

/* Every packet names its sequence. */
static void perfetto_finish(struct perfetto *p, unsigned flags)
{
	perfetto_number(&p->packet, PACKET_SEQUENCE, p->sequence);
	if (flags)
		perfetto_number(&p->packet, PACKET_FLAGS, flags);
	message(&p->e->out, TRACE_PACKET, &p->packet);
	export_ready(p->e);
}

/* ---- packets ---- */

static void put_clock(struct perfetto *p, uint64_t id, uint64_t ns)
{
	struct strbuf clock = STRBUF_INIT;

	perfetto_number(&clock, CLOCK_ID, id);
	perfetto_number(&clock, CLOCK_TIME, ns);
	if (id == CLOCK_OWN)
		perfetto_number(&clock, CLOCK_INCREMENTAL, 1);
	message(&p->part, SNAPSHOT_CLOCK, &clock);
	strbuf_release(&clock);
}

/* The sequence of a thread: where its clock stands, and its defaults. */
static void put_start(struct perfetto *p, uint64_t track)
{
	struct strbuf event = STRBUF_INIT;

	p->last = p->zero;
	put_clock(p, CLOCK_MONOTONIC_ID, p->last);
	put_clock(p, CLOCK_OWN, p->last);
	perfetto_number(&p->part, SNAPSHOT_PRIMARY, CLOCK_MONOTONIC_ID);
	message(&p->packet, PACKET_CLOCK_SNAPSHOT, &p->part);
	perfetto_number(&event, EVENT_TRACK, track);
	message(&p->part, DEFAULTS_EVENT, &event);
	perfetto_number(&p->part, PACKET_CLOCK_ID, CLOCK_OWN);
	message(&p->packet, PACKET_DEFAULTS, &p->part);
	perfetto_finish(p, CLEARED);
	strbuf_release(&event);
}

static void put_process(struct perfetto *p)
{
	struct strbuf process = STRBUF_INIT;

	perfetto_number(&process, PROCESS_PID, p->process->header->pid);
	perfetto_text(&process, PROCESS_NAME, p->e->run->manifest.program);
	perfetto_number(&p->part, TRACK_UUID, UUID_PROCESSES + p->n_processes);
	message(&p->part, TRACK_PROCESS, &process);
	message(&p->packet, PACKET_TRACK, &p->part);
	perfetto_finish(p, 0);
	strbuf_release(&process);
}

static void put_thread(struct perfetto *p, const struct slice_thread *t, uint64_t track)
{
	struct strbuf thread = STRBUF_INIT;

	perfetto_number(&thread, THREAD_PID, p->process->header->pid);
	perfetto_number(&thread, THREAD_TID, t->tid);
	perfetto_text(&thread, THREAD_NAME, t->name);
	perfetto_number(&p->part, TRACK_UUID, track);
	perfetto_number(&p->part, TRACK_PARENT, UUID_PROCESSES + p->n_processes);
	message(&p->part, TRACK_THREAD, &thread);
	message(&p->packet, PACKET_TRACK, &p->part);
	perfetto_finish(p, 0);
	strbuf_release(&thread);
}

static void thread_begins(void *to, const struct slice_thread *t)
{
	struct perfetto *p = to;
	uint64_t track = UUID_THREADS + t->number;

	p->sequence = t->number + 1;
	free(p->interned);
	p->interned = mem_new(t->process->header->n_calls + 1u, sizeof(*p->interned));
	memset(p->waits, 0, sizeof(p->waits));
	put_start(p, track);
	if (p->process != t->process) {
		p->process = t->process;
		p->n_processes++;
		put_process(p);
	}
	put_thread(p, t, track);
}

/* ---- events ---- */

/* What is interned of @what. */
static unsigned char *interned(struct perfetto *p, uint32_t what)
{
	return what < SLICE_LIFE ? &p->interned[what] : &p->waits[(what - SLICE_LIFE) % sizeof(p->waits)];
}

/* Interning ids are not 0. */
static uint64_t id_of(uint32_t what)
{
	return (uint64_t)what + 1;
}

static void put_names(struct perfetto *p, uint32_t what)
{
	struct strbuf entry = STRBUF_INIT, all = STRBUF_INIT;
	const struct run_function *home = slice_function(p->e, p->process, what);

	p->name.len = 0;
	slice_name(p->e, p->process, what, &p->name);
	perfetto_number(&entry, INTERNED_ID, id_of(what));
	perfetto_text(&entry, INTERNED_TEXT, p->name.s);
	message(&all, INTERNED_NAME, &entry);
	if (what >= SLICE_LIFE) {
		perfetto_number(&entry, INTERNED_ID, CATEGORY_WAIT);
		perfetto_text(&entry, INTERNED_TEXT, "wait");
		message(&all, INTERNED_CATEGORY, &entry);
	}
	if (home) {
		perfetto_number(&entry, INTERNED_ID, id_of(what));
		perfetto_text(&entry, INTERNED_TEXT, home->file);
		perfetto_text(&entry, LOCATION_FUNCTION, home->pretty);
		perfetto_number(&entry, LOCATION_LINE, home->line);
		message(&all, INTERNED_LOCATION, &entry);
	}
	*interned(p, what) = home ? NAMED | LOCATED : NAMED;
	message(&p->packet, PACKET_INTERNED, &all);
	strbuf_release(&entry);
	strbuf_release(&all);
}

static void put_time(struct perfetto *p, uint64_t ns)
{
	uint64_t now = p->zero + ns;

	perfetto_number(&p->packet, PACKET_TIMESTAMP, now - p->last);
	p->last = now;
}

static void perfetto_begin(void *to, uint64_t ns, uint32_t what)
{
	struct perfetto *p = to;

	put_time(p, ns);
	if (!*interned(p, what))
		put_names(p, what);
	perfetto_number(&p->part, EVENT_TYPE, SLICE_BEGIN);
	perfetto_number(&p->part, EVENT_NAME, id_of(what));
	if (what >= SLICE_LIFE)
		perfetto_number(&p->part, EVENT_CATEGORY, CATEGORY_WAIT);
	else if (*interned(p, what) & LOCATED)
		perfetto_number(&p->part, EVENT_LOCATION, id_of(what));
	message(&p->packet, PACKET_EVENT, &p->part);
	perfetto_finish(p, NEEDS_STATE);
}

static void perfetto_end(void *to, uint64_t ns, uint32_t what)
{
	struct perfetto *p = to;

	(void)what;
	put_time(p, ns);
	perfetto_number(&p->part, EVENT_TYPE, SLICE_END);
	message(&p->packet, PACKET_EVENT, &p->part);
	perfetto_finish(p, NEEDS_STATE);
}

static void done(void *to)
{
	(void)to;
}

int export_perfetto(struct export *e, struct err *err)
{
	struct perfetto p = {.e = e, .zero = slices_start(e->run)};
	const struct slice_writer w = {&p, thread_begins, perfetto_begin, perfetto_end, done};
	int ret = slices_write(e, &w, err);

	free(p.interned);
	strbuf_release(&p.packet);
	strbuf_release(&p.part);
	strbuf_release(&p.name);
	return ret;
}

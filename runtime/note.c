/* SPDX-License-Identifier: MIT */
/*
 * Heap notes.  What matters is who allocated the memory that threads later
 * fight for; most blocks are freed again by their thread at once and never
 * matter.  So after the first NOTES_ALL bytes the note of a block that lived
 * shorter than SHORT_US, freed by the thread that made it, is overwritten by
 * the next one.
 */
#include "runtime/file.h"
#include "runtime/thread.h"
#include "runtime/trace.h"

#define NOTES_ALL 65536u
#define SHORT_US  1000u
#define RECENT    256u

/* The thread's latest allocations by address, and one note to be used again. */
struct rt_notes {
	struct prs_note *recent[RECENT];
	struct prs_note *again;
};

static struct prs_note **recent_of(struct rt_notes *n, uint64_t address)
{
	return &n->recent[address * 0x9e3779b97f4a7c15ull >> 56];
}

static RT_COLD struct rt_notes *notes_make(struct rt_thread *t)
{
	uint64_t old;

	rt_lock(&old);
	if (!t->notes_kept)
		t->notes_kept = sys_anon(sizeof(*t->notes_kept));
	if (t->notes_kept)
		*t->notes_kept = (struct rt_notes){0};
	t->notes = t->notes_kept;
	rt_unlock(&old);
	return t->notes;
}

static void write_note(struct rt_thread *t, struct rt_notes *n, const struct prs_note *what)
{
	struct prs_note *e = n->again;
	struct prs_chunk *at = NULL;

	if (e)
		n->again = NULL;
	else
		e = stream_take(&t->note, PRS_CHUNK_NOTE, sizeof(*e), t->index, RT_NOTE_MAX, &at);
	if (!e) {
		rt_add(&rt.header->lost_notes, 1);
		return;
	}
	rt_store(&e->tsc, 0); /* a reader skips a note without a time */
	e->bytes = what->bytes;
	e->address = what->address;
	e->site = what->site;
	e->path = what->path;
	rt_publish(&e->tsc, what->tsc);
	if (at)
		stream_publish(at);
	if (what->bytes)
		*recent_of(n, what->address) = e;
}

/* True: the block was the thread's own and short-lived, and nothing needs to be said. */
static bool forget(struct rt_thread *t, struct rt_notes *n, uint64_t address, uint64_t now)
{
	struct prs_note **slot = recent_of(n, address), *e = *slot;

	if (!e || e->address != address || !e->bytes)
		return false;
	*slot = NULL;
	if (t->note.spent < NOTES_ALL || n->again || now - e->tsc > rt.tick_hz / 1000000 * SHORT_US)
		return false;
	rt_store(&e->tsc, 0);
	n->again = e;
	return true;
}

void rt_note(const struct prs_desc *d, uint32_t site, void *ptr, uint64_t bytes, uint32_t op)
{
	struct rt_thread *t = rt_acquire(&d->tls) && ptr ? thread_self() : NULL;
	struct prs_note what = {.address = (uint64_t)ptr};
	const struct prs_open *open;
	struct rt_notes *n;

	if (!t)
		return;
	what.site = rt_call_number(d, site);
	if (t->ring)
		trace_note(t, what.site, what.address, bytes,
			   op == PRS_NOTE_FREE ? PRS_TRACE_FREE : PRS_TRACE_ALLOC);
	n = t->notes ? t->notes : notes_make(t);
	if (!n)
		return;
	what.tsc = rt_ticks();
	if (op == PRS_NOTE_FREE && forget(t, n, what.address, what.tsc))
		return;
	open = rt_innermost(t);
	what.path = open ? open->record : 0;
	what.bytes = op == PRS_NOTE_ALLOC ? (bytes ? bytes : 1) : 0;
	write_note(t, n, &what);
}

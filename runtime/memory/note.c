/* SPDX-License-Identifier: MIT */
/*
 * Heap notes.  What matters is who allocated the memory that threads fight
 * for; most blocks are freed again without having been anybody else's.  So
 * after the first NOTES_ALL bytes the note of a block is withdrawn when its
 * thread frees it, unless one of its lines changed hands meanwhile, and its
 * place is used again: notes grow with the blocks that live, not with the
 * calls of the allocator.
 *
 * A thread finds its notes by address in a table of buckets.  A note that
 * finds no place there stays in the record, and its block's release is noted
 * like that of another thread's block.
 *
 * Which lines changed hands is kept by bits, for lines and for pages, that
 * several share: a bit set by another line keeps a note for nothing.
 */
#include "runtime/base/file.h"
#include "runtime/base/lock.h"
#include "runtime/calls/trace.h"
#include "runtime/memory/note.h"
#include "runtime/base/self.h"

#define NOTES_ALL  65536u
#define BUCKET     4u /* words of the table that an address may lie in */
#define BITS_FIRST 10u
#define BITS_LAST  21u
#define SKIPS_MAX  64u
#define PAGES_MAX  1024u /* longer blocks are not looked through */
#define PAGE_SHIFT 12
#define MIX        0x9e3779b97f4a7c15ull

/* Where a note lies: its file offset / sizeof(struct prs_note), 0: nowhere. */
typedef uint32_t place_t;

/* The thread's blocks that are not freed yet, by address, and notes to be used again. */
struct rt_notes {
	place_t *live;
	uint32_t bits; /* log2 of its words */
	uint32_t n;
	place_t again; /* each says in `bytes` which is next */
	uint32_t skips;
	uint64_t busy; /* a note is being made: signal handlers leave the table alone */
	place_t *old;  /* the table before, half as long: one on another stack may be in the middle of us */
};

/* ---- lines that changed hands ------------------------------------------------------- */

#define MOVED_BITS 65536u
#define OWNERS     32768u

static uint8_t moved_lines[MOVED_BITS / 8]; /* bits of lines that changed hands, */
static uint8_t moved_pages[MOVED_BITS / 8]; /* ... of their pages, */
static uint8_t moved_sites[MOVED_BITS / 8]; /* ... and of sites that were recorded for that */
static uint32_t owners[OWNERS];             /* which allocation such lines belong to */

void note_setup(void)
{
	for (uint32_t i = 0; i < sizeof(moved_lines); i++)
		moved_lines[i] = moved_pages[i] = moved_sites[i] = 0;
	for (uint32_t i = 0; i < OWNERS; i++)
		rt_store(&owners[i], 0);
}

static inline uint8_t *bit_of(uint8_t *bits, uint64_t number, uint8_t *bit)
{
	uint64_t h = (number * MIX >> 40) % MOVED_BITS;

	*bit = (uint8_t)(1u << h % 8);
	return &bits[h / 8];
}

static void note_set(uint8_t *bits, uint64_t number)
{
	uint8_t bit, *at = bit_of(bits, number, &bit);

	if (!(rt_load(at) & bit))
		__atomic_fetch_or(at, bit, __ATOMIC_RELAXED);
}

static inline bool is_set(uint8_t *bits, uint64_t number)
{
	uint8_t bit, *at = bit_of(bits, number, &bit);

	return rt_load(at) & bit;
}

void note_moved(uint64_t line)
{
	note_set(moved_lines, line);
	note_set(moved_pages, line >> (PAGE_SHIFT - PRS_LINE_SHIFT));
}

bool note_first(uint32_t site)
{
	bool first = !is_set(moved_sites, site);

	note_set(moved_sites, site);
	return first;
}

bool note_has_moved(uint64_t line)
{
	return is_set(moved_lines, line);
}

static RT_COLD bool line_moved(uint64_t page, uint64_t first, uint64_t last)
{
	uint64_t line = page << (PAGE_SHIFT - PRS_LINE_SHIFT), end = line + PRS_PAGE_BYTES / 64 - 1;

	for (line = line < first ? first : line; line <= end && line <= last; line++)
		if (is_set(moved_lines, line))
			return true;
	return false;
}

/* Some line of the block changed hands, for all that is known. */
static inline bool moved(uint64_t address, uint64_t bytes)
{
	uint64_t last = address + bytes - 1, page = address >> PAGE_SHIFT;

	if (bytes > (uint64_t)PAGES_MAX << PAGE_SHIFT)
		return true;
	for (; page <= last >> PAGE_SHIFT; page++)
		if (is_set(moved_pages, page) &&
		    line_moved(page, address >> PRS_LINE_SHIFT, last >> PRS_LINE_SHIFT))
			return true;
	return false;
}

/* ---- whose a line is ---------------------------------------------------------------- */

static inline uint32_t *owner_of(uint64_t line)
{
	return &owners[line * MIX >> 40 & (OWNERS - 1)];
}

uint32_t note_owner(uint64_t line)
{
	return rt_load(owner_of(line));
}

static RT_COLD void own_page(uint64_t page, uint64_t first, uint64_t last, uint32_t owner)
{
	uint64_t line = page << (PAGE_SHIFT - PRS_LINE_SHIFT), end = line + PRS_PAGE_BYTES / 64 - 1;

	for (line = line < first ? first : line; line <= end && line <= last; line++)
		if (is_set(moved_lines, line) && rt_load(owner_of(line)) != owner)
			rt_store(owner_of(line), owner);
}

/*
 * A block is a new object: what threads do to its lines from here on is not
 * booked on what lay there before.  Blocks of one allocation in the source are
 * one object, so short-lived ones do not part what belongs together.
 */
static inline void own(uint64_t address, uint64_t bytes, uint32_t owner)
{
	uint64_t last = address + bytes - 1, page = address >> PAGE_SHIFT, end = last >> PAGE_SHIFT;

	if (end - page > PAGES_MAX)
		end = page + PAGES_MAX;
	for (; page <= end; page++)
		if (is_set(moved_pages, page))
			own_page(page, address >> PRS_LINE_SHIFT, last >> PRS_LINE_SHIFT, owner);
}

/* ---- the table ------------------------------------------------------------------------ */

static struct prs_note *note_at(place_t at)
{
	return (struct prs_note *)rt.base + at;
}

static place_t *bucket_of(const struct rt_notes *n, uint64_t address)
{
	return &n->live[(address * MIX >> (64 - n->bits)) & ~(uint64_t)(BUCKET - 1)];
}

/* Where the address is or, if not, may be put; NULL: its bucket is full. */
static inline place_t *note_find(const struct rt_notes *n, uint64_t address)
{
	place_t *b = bucket_of(n, address), *room = NULL;

	for (place_t *p = b + BUCKET; p-- > b;) {
		if (!*p)
			room = p;
		else if (note_at(*p)->address == address)
			return p;
	}
	return room;
}

static bool table_make(struct rt_notes *n, uint32_t bits)
{
	place_t *live = sys_anon(sizeof(*live) << bits);

	if (!live)
		return false;
	n->live = live;
	n->bits = bits;
	n->n = 0;
	return true;
}

static RT_COLD bool note_grow(struct rt_notes *n)
{
	struct rt_notes old = *n;

	if (n->bits == BITS_LAST || n->n < 1u << n->bits >> 3 || !table_make(n, n->bits + 1))
		return false;
	for (uint32_t i = 0; i < 1u << old.bits; i++) {
		place_t *p = old.live[i] ? note_find(n, note_at(old.live[i])->address) : NULL;

		if (p)
			*p = old.live[i];
	}
	n->n = old.n;
	if (n->old)
		sys_munmap(n->old, sizeof(*old.live) << old.bits >> 1);
	n->old = old.live;
	return true;
}

static RT_COLD struct rt_notes *notes_make(struct rt_thread *t)
{
	struct rt_notes *n;
	uint64_t old;

	rt_lock(&old);
	n = t->notes_kept ? t->notes_kept : sys_anon(sizeof(*n));
	t->notes_kept = n;
	if (n && n->live)
		sys_munmap(n->live, sizeof(*n->live) << n->bits);
	if (n && n->old)
		sys_munmap(n->old, sizeof(*n->old) << n->bits >> 1);
	if (n) {
		*n = (struct rt_notes){0};
		t->notes = table_make(n, BITS_FIRST) ? n : NULL;
	}
	rt_unlock(&old);
	return t->notes;
}

/* ---- notes ------------------------------------------------------------------------------ */

/* What a note says; `bytes` 0: the block is freed. */
struct what {
	uint64_t address, bytes;
	uint32_t site, path;
};

static inline void note_fill(struct prs_note *e, const struct what *w)
{
	rt_store(&e->tsc, 0); /* a reader skips a note without a time */
	rt_barrier();
	e->bytes = w->bytes;
	e->address = w->address;
	e->site = w->site;
	e->path = w->path;
	rt_publish(&e->tsc, rt_ticks());
}

/* A note at the end of the thread's others; 0: there is no room. */
static RT_COLD place_t note_append(struct rt_thread *t, const struct what *w)
{
	struct prs_chunk *at;
	struct prs_note *e = stream_take(&t->note, PRS_CHUNK_NOTE, sizeof(*e), t->index, RT_NOTE_MAX, &at);

	if (!e) {
		rt_add(&rt.header->lost_notes, 1);
		return 0;
	}
	note_fill(e, w);
	stream_publish(at);
	return (place_t)(file_offset(e) / sizeof(*e));
}

static inline place_t write_note(struct rt_thread *t, struct rt_notes *n, const struct what *w)
{
	place_t at = n->again;

	if (!at)
		return note_append(t, w);
	n->again = (place_t)note_at(at)->bytes;
	note_fill(note_at(at), w);
	return at;
}

/* Somebody else has freed the block: what comes next at an address ends what was there. */
static RT_COLD bool write_over(place_t at, const struct what *w)
{
	if (moved(w->address, note_at(at)->bytes))
		return false;
	note_fill(note_at(at), w);
	return true;
}

static inline void note_alloc(struct rt_thread *t, struct rt_notes *n, const struct what *w)
{
	place_t *place, at;

	while (!(place = note_find(n, w->address)) && note_grow(n))
		;
	if (!place) {
		note_append(t, w);
		return;
	}
	if (rt_unlikely(*place) && write_over(*place, w))
		return;
	n->n += !*place;
	at = write_note(t, n, w);
	*place = at;
}

static inline void note_free(struct rt_thread *t, struct rt_notes *n, const struct what *w)
{
	place_t *place = note_find(n, w->address), at = place ? *place : 0;

	if (at) {
		*place = 0;
		n->n--;
	}
	if (t->note.spent < NOTES_ALL || moved(w->address, at ? note_at(at)->bytes : 1)) {
		write_note(t, n, w);
		return;
	}
	if (!at)
		return;
	rt_store(&note_at(at)->tsc, 0);
	rt_barrier();
	note_at(at)->address = 0; /* no longer found */
	note_at(at)->bytes = n->again;
	n->again = at;
}

/* A signal handler in the middle of us; one that jumped out some time ago left its mark in vain. */
static bool note_inside(struct rt_notes *n, uintptr_t frame)
{
	return frame < n->busy && ++n->skips < SKIPS_MAX;
}

static inline void note_entry(struct rt_thread *t, struct rt_notes *n, const struct what *w, uintptr_t frame)
{
	if (rt_unlikely(n->busy) && note_inside(n, frame)) {
		note_append(t, w);
		return;
	}
	n->busy = frame;
	n->skips = 0;
	rt_barrier();
	if (w->bytes)
		note_alloc(t, n, w);
	else
		note_free(t, n, w);
	rt_barrier();
	n->busy = 0;
}

/* The record of the call that the block is allocated in, 0: none is known. */
static inline uint32_t chain_of(struct rt_thread *t)
{
	const struct prs_open *open = rt_innermost(t);
	struct prs_call *r;

	if (!open || !open->record)
		return 0;
	r = rt_call_record(open->record);
	if (!(r->flags & PRS_CALL_NOTES))
		r->flags |= PRS_CALL_NOTES;
	return open->record;
}

/* A mapping that failed is at -1; and fewer than no bytes are those of a variable of a frame. */
static inline bool of_frame(uint64_t *bytes)
{
	bool frame = (int64_t)*bytes < 0;

	*bytes = frame ? -*bytes : *bytes;
	return frame;
}

void rt_note(const struct prs_desc *d, uint32_t site, void *ptr, uint64_t bytes, uint32_t op)
{
	struct rt_thread *t = rt_acquire(&d->tls) && ptr && ~(uint64_t)ptr ? thread_self() : NULL;
	bool frame = op == PRS_NOTE_ALLOC && of_frame(&bytes);
	struct rt_notes *n;
	struct what w;

	if (!t)
		return;
	w.address = (uint64_t)ptr;
	w.site = rt_call_number(d, site);
	w.bytes = w.path = 0;
	if (rt_unlikely(t->ring) && !frame)
		trace_note(t, w.site, w.address, bytes,
			   op == PRS_NOTE_FREE ? PRS_TRACE_FREE : PRS_TRACE_ALLOC);
	w.bytes = frame ? bytes : 0;
	if (op == PRS_NOTE_ALLOC && !frame) {
		const struct prs_open *open = rt_innermost(t);

		w.bytes = bytes ? bytes : 1;
		w.path = chain_of(t);
		/* Where a function hands blocks on, its caller distinguishes them. */
		own(w.address, w.bytes, 1 + w.site + (open ? (open->site + 1) << 16 : 0));
	}
	n = t->notes ? t->notes : notes_make(t);
	if (n)
		note_entry(t, n, &w, (uintptr_t)__builtin_frame_address(0));
}

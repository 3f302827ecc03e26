/* SPDX-License-Identifier: MIT */
/*
 * RANGE probes: a loop says in front what it will access.  Each line of it
 * does one step of the protocol, as if it were accessed once; most hold
 * already and cost a look at their word.  How often the loop comes to a line
 * goes into the line's entry, for lines that changed hands at some time and for
 * those where the loop stays for long.  A loop that walks over private data
 * leaves nothing but the words.
 *
 * Where a range begins and ends is where slices of an array meet: of very long
 * ranges only these lines are looked at.
 */
#include "runtime/hot.h"
#include "runtime/lines.h"
#include "runtime/mem.h"
#include "runtime/trace.h"

#define LINES_READ  16384u /* longer ranges are looked at where they begin and end only */
#define LINES_WRITE 1024u
#define LINES_EDGE  8u
#define LINES_NOTED 3u    /* ranges of that many lines note them all, others the first and the last */
#define HAMMER      4096u /* accesses to one line that are worth an entry by themselves */
#define ADDRESS_END (1ull << 47)

/* A range as its lines see it. */
struct range {
	uint64_t first, end; /* bytes */
	uint64_t low, high;  /* lines, both inside */
	uint64_t count;
	uint64_t now; /* ticks */
	bool exact;   /* no byte is left out */
};

/* Bytes of the line that the range covers. */
static uint64_t covers(const struct range *r, uint64_t line)
{
	uint64_t from = line << PRS_LINE_SHIFT, to = from + 64;

	if (from < r->first)
		from = r->first;
	if (to > r->end)
		to = r->end;
	return to - from;
}

/* The bytes of the line that are accessed, 0: not known.  Most ranges leave some out. */
static RT_COLD uint64_t mask_of(const struct range *r, uint64_t line)
{
	uint64_t bytes = covers(r, line), start = line << PRS_LINE_SHIFT;

	if (!r->exact)
		return 0;
	return (bytes >= 64 ? ~0ull : (1ull << bytes) - 1) << (r->first > start ? r->first - start : 0);
}

static __attribute__((noinline)) void walk(struct rt_thread *t, struct rt_step *s, const struct range *r,
					   uint64_t low, uint64_t high)
{
	for (s->line = low; s->line <= high; s->line++) {
		uint64_t *word = mem_word(s->line), old = rt_load(word), next = mem_next(s, old);

		if (old == next)
			continue;
		if (old >> PRS_DIR_TAG == s->line) {
			s->mask = mask_of(r, s->line);
			mem_step(t, s);
			continue;
		}
		/* Nobody holds it.  If two threads come at once one of them is forgotten, and misses again. */
		rt_store(word, next);
		if (!old)
			mem_touch(word);
		t->collisions += old != 0;
	}
}

/* The share of one line in the accesses of a range; 0: nobody knows how many there are. */
static RT_COLD uint64_t share(const struct range *r, uint64_t line)
{
	uint64_t bytes = r->end - r->first;

	if (r->low == r->high)
		return r->count;
	return r->count * covers(r, line) / bytes;
}

static __attribute__((noinline)) void note(struct rt_thread *t, const struct rt_step *s,
					   const struct range *r, uint64_t line)
{
	bool hot = rt_load(&hot_of(line)->line) == line;
	uint64_t trips = share(r, line);
	struct prs_line *e;

	if (!hot && trips < HAMMER)
		return;
	e = lines_get(t, line, s->site, s->access, hot ? RT_LINE_TABLES : LINE_TABLES_COLD);
	if (!e)
		return;
	e->trips += trips;
	e->times++;
	lines_mark(e, s->access, mask_of(r, line));
	e->last = r->now;
	if (line == r->low && r->end - r->first > e->extent)
		e->extent = r->end - r->first < ~0u ? (uint32_t)(r->end - r->first) : ~0u;
	if (trips >= HAMMER)
		t->hammer = e;
}

static RT_COLD void note_all(struct rt_thread *t, const struct rt_step *s, const struct range *r)
{
	if (r->high - r->low >= LINES_NOTED) {
		note(t, s, r, r->low);
		note(t, s, r, r->high);
		return;
	}
	for (uint64_t line = r->low; line <= r->high; line++)
		note(t, s, r, line);
}

static void walk_all(struct rt_thread *t, struct rt_step *s, const struct range *r)
{
	uint64_t max = s->write ? LINES_WRITE : LINES_READ;

	if (r->high - r->low < max) {
		walk(t, s, r, r->low, r->high);
		return;
	}
	walk(t, s, r, r->low, r->low + LINES_EDGE - 1);
	walk(t, s, r, r->high - LINES_EDGE + 1, r->high);
}

void rt_range(const struct prs_desc *d, uint32_t site, const void *first, uint64_t bytes, uint64_t count,
	      uint32_t access)
{
	uint64_t at = (uint64_t)first & ((1ull << 48) - 1);
	struct rt_thread *t = mem_thread(d);
	struct range r = {.first = at, .end = at + bytes, .count = count < ADDRESS_END ? count : ADDRESS_END};
	struct rt_step s;

	if (!t || at < 4096 || at >= ADDRESS_END || !bytes || bytes > ADDRESS_END - at)
		return;
	if (!mem_begin(t, &s, rt_mem_number(d, site), access, (uintptr_t)__builtin_frame_address(0)))
		return;
	r.low = at >> PRS_LINE_SHIFT;
	r.high = (r.end - 1) >> PRS_LINE_SHIFT;
	r.now = rt_ticks();
	if (t->hammer)
		t->hammer->last = r.now; /* that loop has ended, at the latest */
	s.range = true;
	r.exact = access & PRS_RANGE_DENSE || bytes <= PRS_ACCESS_BYTES(access);
	walk_all(t, &s, &r);
	note_all(t, &s, &r);
	mem_end(t, &s);
}

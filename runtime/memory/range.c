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
 *
 * A loop over rows comes as one call.  Whether whole lines lie between the rows is
 * as a rule known only here (row length and width of a matrix are two variables):
 * if not, they are one range.
 */
#include "runtime/calls/trace.h"
#include "runtime/memory/hot.h"
#include "runtime/memory/lines.h"
#include "runtime/memory/mem.h"
#include "runtime/memory/note.h"
#include "runtime/memory/shared.h"
#include "runtime/memory/sharing.h"

#define LINES_READ  16384u /* longer ranges are looked at where they begin and end only */
#define LINES_WRITE 1024u
#define LINES_EDGE  8u
#define LINES_FILL  3u /* ranges of that many lines are looked at in place, by tags (hit.c of the plugin) */
#define LINES_NOTED 3u /* ranges of that many lines note them all, others the first and the last */
#define ROWS_EDGE   64u
#define RARER       4u    /* than transfers, where one in so many is recorded: it finds many lines */
#define MOVES       3u    /* a line that moved so often was not merely handed over */
#define HAMMER      4096u /* accesses to one line that are worth an entry by themselves */
#define ADDRESS_END (1ull << 47)

/* A range as its lines see it. */
struct range {
	uint64_t first, end; /* bytes */
	uint64_t low, high;  /* lines, both inside */
	uint64_t count;
	uint32_t weight; /* ranges that this one stands for in notes, 0: none */
	bool exact;      /* no byte is left out */
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

/* The first line from @line on that the thread does not hold; @high + 1 if there is none. */
static uint64_t skip_held(const struct rt_step *s, uint64_t line, uint64_t high)
{
	const uint64_t *words = sharing.dir_words;
	uint64_t bits = s->write ? PRS_DIR_MODIFIED | s->bit : s->bit;
	uint64_t mask = s->write ? ~0ull : ~(uint64_t)((1u << PRS_DIR_TAG) - 1) | s->bit;

	while (line <= high &&
	       (rt_load(&words[line & (PRS_DIR_WORDS - 1)]) & mask) == (line << PRS_DIR_TAG | bits))
		line++;
	return line;
}

static void take_line(struct rt_thread *t, struct rt_step *s, const struct range *r)
{
	uint64_t *word = mem_word(s->line), old = rt_load(word), next = mem_next(s, old);

	if (old == next)
		return;
	if (old >> PRS_DIR_TAG == s->line ||
	    !__atomic_compare_exchange_n(word, &old, next, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
		s->mask = mask_of(r, s->line);
		mem_step(t, s);
		return;
	}
	mem_pushed_out(t, old);
}

/*
 * The rest is looked at by the probe itself each time: as fast as a fence for every line.
 * Ranges of few accesses whose lines all hit are not told here, so where somebody may ask
 * for them, as the line moves again and again, it does not hit.
 */
static void range_fill(struct rt_thread *t, const struct rt_step *s, const struct range *r, uint64_t line)
{
	const struct rt_hot *h = hot_of(line);
	bool tagged = mem_tagged(t, line, s->write);

	if (r->count - 1 < PRS_RANGE_FEW && rt_load(&h->line) == line && rt_load(&h->transfers) >= MOVES) {
		mem_ask(line);
		if (tagged)
			mem_invalidate_tags(s->bit, line, s->write);
	} else if (!tagged && mem_holds(t, rt_load(mem_word(line)), line, s->write)) {
		mem_fill(t, mem_word(line), line, s->write);
	}
}

/* True if there was nothing to do: the thread holds all lines. */
static __attribute__((noinline)) bool range_walk(struct rt_thread *t, struct rt_step *s,
						 const struct range *r, uint64_t low, uint64_t high)
{
	uint64_t line = skip_held(s, low, high);
	bool held = line > high;

	for (; line <= high; line = skip_held(s, line + 1, high)) {
		s->line = line;
		take_line(t, s, r);
	}
	for (line = low; line <= high && r->high - r->low < LINES_FILL; line++)
		range_fill(t, s, r, line);
	return held;
}

/* The share of one line in the accesses of a range; 0: nobody knows how many there are. */
static RT_COLD uint64_t range_share(const struct range *r, uint64_t line)
{
	uint64_t bytes = r->end - r->first;

	if (r->low == r->high)
		return r->count;
	return r->count * covers(r, line) / bytes;
}

/* True: it is a line of which ranges leave a note. */
static __attribute__((noinline)) bool range_note(struct rt_thread *t, const struct rt_step *s,
						 const struct range *r, uint64_t line)
{
	bool hot = (note_has_moved(line) && rt_load(&hot_of(line)->line) == line) ||
		   (rt_unlikely(rt_load(&sharing.n_shared)) && shared_line(line));
	struct prs_line *e;
	uint64_t trips;

	if (!hot && r->count < HAMMER)
		return false;
	trips = range_share(r, line);
	if (!hot && trips < HAMMER)
		return false;
	e = lines_get(t, line, s->site, s->access, hot ? RT_LINE_TABLES : LINE_TABLES_COLD);
	if (!e)
		return true;
	e->trips += trips * r->weight;
	e->times += r->weight;
	lines_mark(e, s->access, mask_of(r, line));
	e->last = rt_ticks();
	if (line == r->low && r->end - r->first > e->extent)
		e->extent = r->end - r->first < ~0u ? (uint32_t)(r->end - r->first) : ~0u;
	if (trips >= HAMMER)
		t->hammer = e;
	return true;
}

static RT_COLD bool note_all(struct rt_thread *t, const struct rt_step *s, const struct range *r)
{
	bool any = !r->weight;

	if (any)
		return true;
	if (r->high - r->low >= LINES_NOTED) {
		bool noted = range_note(t, s, r, r->low);

		return range_note(t, s, r, r->high) || noted;
	}
	for (uint64_t line = r->low; line <= r->high; line++)
		any |= range_note(t, s, r, line);
	return any;
}

static bool walk_all(struct rt_thread *t, struct rt_step *s, const struct range *r)
{
	uint64_t max = s->write ? LINES_WRITE : LINES_READ;

	bool held;

	if (r->high - r->low < max)
		return range_walk(t, s, r, r->low, r->high);
	held = range_walk(t, s, r, r->low, r->low + LINES_EDGE - 1);
	return range_walk(t, s, r, r->high - LINES_EDGE + 1, r->high) && held;
}

/* One range, between mem_begin() and mem_end().  True: nothing happened, and would not the next time. */
static bool go_over(struct rt_thread *t, struct rt_step *s, struct range *r)
{
	bool held;

	r->low = r->first >> PRS_LINE_SHIFT;
	r->high = (r->end - 1) >> PRS_LINE_SHIFT;
	held = walk_all(t, s, r);
	return !note_all(t, s, r) && held;
}

/* Many rows: those where slices of a matrix meet come first, the others as far as the lines go. */
static __attribute__((noinline)) bool go_over_rows(struct rt_thread *t, struct rt_step *s, struct range *r,
						   const struct prs_rows *p)
{
	uint64_t max = (s->write ? LINES_WRITE : LINES_READ) / ((p->bytes >> PRS_LINE_SHIFT) + 2);
	bool quiet = true;

	if (max < 2 * ROWS_EDGE)
		max = 2 * ROWS_EDGE;
	for (uint64_t i = 0; i < p->rows; i++) {
		if (i == max / 2 && p->rows > max)
			i = p->rows - max / 2;
		r->first = p->first + i * (uint64_t)p->pitch;
		r->end = r->first + p->bytes;
		quiet &= go_over(t, s, r);
	}
	return quiet;
}

/* ---- ranges that come again ------------------------------------------------------------ */

/*
 * Whatever @t holds of what it went over without any trace it still holds while
 * nobody took anything from it.  So the same range, as often or less, leaves none
 * either.
 */
static struct rt_memo *memo_of(const struct rt_thread *t, const struct prs_rows *p)
{
	uint64_t hash = (p->first ^ p->bytes << 20 ^ p->rows << 40) * 0x9e3779b97f4a7c15ull;

	return (struct rt_memo *)t->sharer - 1 - (hash >> 32) % RT_MEMOS;
}

static bool known(const struct rt_thread *t, const struct prs_rows *p, uint32_t access)
{
	const struct rt_memo *m = memo_of(t, p);

	return m->lost == rt_load(&t->sharer->lost) && m->what.first == p->first &&
	       m->what.bytes == p->bytes && m->what.rows == p->rows && m->what.pitch == p->pitch &&
	       m->what.count >= p->count && (m->write || PRS_ACCESS_KIND(access) == PRS_KIND_LOAD);
}

/* A signal handler finds it empty or whole. */
static void learn(const struct rt_thread *t, const struct prs_rows *p, bool write, uint32_t lost)
{
	struct rt_memo *m = memo_of(t, p);

	rt_store(&m->what.rows, 0);
	rt_barrier();
	m->what.first = p->first;
	m->what.bytes = p->bytes;
	m->what.count = p->count;
	m->what.pitch = p->pitch;
	m->write = write;
	m->lost = lost;
	rt_barrier();
	rt_store(&m->what.rows, p->rows);
}

/* Rows that leave out no line between them are one; those that lie downwards are turned round. */
static void join_rows(struct prs_rows *p, bool *exact)
{
	if (p->pitch < 0) {
		p->first -= (p->rows - 1) * -(uint64_t)p->pitch;
		p->pitch = -p->pitch;
	}
	if ((uint64_t)p->pitch >= p->bytes + (1 << PRS_LINE_SHIFT))
		return;
	*exact &= (uint64_t)p->pitch <= p->bytes;
	p->bytes += (p->rows - 1) * (uint64_t)p->pitch;
	if (__builtin_mul_overflow(p->count, p->rows, &p->count))
		p->count = ADDRESS_END;
	p->rows = 1;
}

/* Are these addresses of a program? */
static bool are_addresses(struct prs_rows *p)
{
	uint64_t pitch = p->pitch < 0 ? -(uint64_t)p->pitch : (uint64_t)p->pitch, way;

	p->first &= (1ull << 48) - 1;
	if (p->first < 4096 || p->first >= ADDRESS_END || !p->bytes || !p->rows || p->rows > ADDRESS_END ||
	    __builtin_mul_overflow(pitch, p->rows - 1, &way) || way > ADDRESS_END)
		return false;
	if (p->pitch < 0)
		return way <= p->first - 4096 && p->bytes <= ADDRESS_END - p->first;
	return p->bytes <= ADDRESS_END && p->first + way + p->bytes <= ADDRESS_END;
}

/* That loop has ended, at the latest.  A signal handler may do it, too. */
static RT_COLD void end_hammer(struct rt_thread *t)
{
	struct prs_line *e = rt_load(&t->hammer);

	rt_store(&t->hammer, NULL);
	if (e)
		e->last = rt_ticks();
}

static void announce(const struct prs_desc *d, uint32_t site, struct prs_rows *p, uint32_t access,
		     uintptr_t frame)
{
	struct rt_thread *t = mem_thread(d);
	struct range r = {.exact = access & PRS_RANGE_DENSE || p->bytes <= PRS_ACCESS_BYTES(access)};
	struct rt_step s;
	uint32_t lost;
	bool quiet;

	if (!t || !are_addresses(p))
		return;
	if (p->rows > 1)
		join_rows(p, &r.exact);
	if (rt_unlikely(t->hammer))
		end_hammer(t);
	if (t->sharer && known(t, p, access))
		return;
	if (!mem_begin(t, &s, rt_mem_number(d, site), access, frame))
		return;
	lost = t->sharer ? rt_load(&t->sharer->lost) : 0;
	rt_barrier();
	r.first = p->first;
	r.end = p->first + p->bytes;
	r.count = p->count < ADDRESS_END ? p->count : ADDRESS_END;
	r.weight = 1;
	if (t->weight > 1 && r.count < HAMMER)
		r.weight = mem_draw(t, t->weight * RARER) ? t->weight * RARER : 0;
	s.range = true;
	quiet = p->rows > 1 ? go_over_rows(t, &s, &r, p) : go_over(t, &s, &r);
	if (t->sharer && quiet)
		learn(t, p, s.write, lost);
	mem_end(t, &s);
}

/*
 * What a library function does to as many bytes as its call says.  A few lines are
 * accessed as by the program itself; of more the call is a loop that runs once.
 */
static void span(const struct prs_desc *d, uint32_t site, struct prs_rows *p, uint32_t access,
		 uintptr_t frame)
{
	uint64_t at = p->first & ((1ull << 48) - 1), lines;
	struct rt_thread *t;

	if (!p->bytes || p->bytes >= ADDRESS_END || at < 4096)
		return;
	lines = ((at + p->bytes - 1) >> PRS_LINE_SHIFT) - (at >> PRS_LINE_SHIFT) + 1;
	if (lines > LINES_FILL) {
		p->count = lines;
		announce(d, site, p, access, frame);
		return;
	}
	t = mem_thread(d);
	if (t)
		mem_access(t, rt_mem_number(d, site), at,
			   PRS_ACCESS(PRS_ACCESS_KIND(access), (uint32_t)p->bytes), frame);
}

void rt_range(const struct prs_desc *d, uint32_t site, const void *first, uint64_t bytes, uint64_t count,
	      uint32_t access)
{
	struct prs_rows p = {(uint64_t)first, bytes, count, 0, 1};

	if (PRS_ACCESS_BYTES(access))
		announce(d, site, &p, access, (uintptr_t)__builtin_frame_address(0));
	else
		span(d, site, &p, access, (uintptr_t)__builtin_frame_address(0));
}

void rt_rows(const struct prs_desc *d, uint32_t site, const struct prs_rows *rows, uint32_t access)
{
	struct prs_rows p = *rows;

	announce(d, site, &p, access, (uintptr_t)__builtin_frame_address(0));
}

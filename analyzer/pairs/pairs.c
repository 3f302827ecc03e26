/* SPDX-License-Identifier: MIT */
#include "analyzer/pairs/pairs.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/objects/heap.h"
#include "analyzer/pairs/sides.h"
#include "lib/mem.h"
#include "lib/search.h"
#include "lib/vec.h"
#include "perseus/abi.h"

/* True sharing: at least this part of the rarer side's accesses needs bytes that the other needs. */
#define TRUE_SHARE 0.1

/*
 * A line has both kinds if what does not meet is at least such a part of both
 * sides' accesses, or MOST_SHARE of one's, and what meets such a part of the
 * rarer side's.
 */
#define REST_SHARE 0.1
#define MOST_SHARE 0.6
#define MEET_SHARE 0.03

/* A thread that fills a block, or takes it, comes no more often to it. */
#define HANDED_ACCESSES 16

/* More than any run has; a damaged record may say so. */
#define MAX_TRANSFERS 1e18

struct vec_side VEC(struct side);

struct edge {
	uint32_t a, b; /* sides */
	uint64_t transfers;
};
struct vec_edge VEC(struct edge);

static void pairs_add_use(struct side *s, const struct line_use *u)
{
	s->n++;
	s->read |= u->read;
	s->needed |= u->read & ~u->beside;
	s->written |= u->written;
	s->accesses += u->accesses;
	s->low += u->low;
	s->high += u->high;
	s->writes |= line_use_writes(u);
	s->transfers += prs_line_moves(u->raw);
	s->scaled += (double)prs_line_moves(u->raw) * u->scale;
	if (!(u->read | u->written))
		s->unseen += u->accesses;
}

static void split_sides(struct vec_side *sides, const struct line_use *at, size_t n)
{
	struct side *s = NULL;

	sides->n = 0;
	for (size_t i = 0; i < n; i++) {
		const struct line_use *u = &at[i];

		if (!s || s->thread != u->thread) {
			s = vec_add(sides);
			s->at = u;
			s->thread = u->thread;
		}
		pairs_add_use(s, u);
	}
}

static void add_edge(struct vec_edge *edges, uint32_t a, uint32_t b, uint64_t transfers)
{
	uint32_t lo = a < b ? a : b, hi = a < b ? b : a;

	for (size_t i = 0; i < edges->n; i++)
		if (edges->at[i].a == lo && edges->at[i].b == hi) {
			edges->at[i].transfers += transfers;
			return;
		}
	vec_push(edges, ((struct edge){lo, hi, transfers}));
}

static uint32_t side_of(const struct vec_side *sides, uint32_t thread)
{
	size_t lo = search_first(sides->n, i, sides->at[i].thread < thread);

	return lo < sides->n && sides->at[lo].thread == thread ? (uint32_t)lo : UINT32_MAX;
}

/*
 * Who took the line from whom.  Each use names the four threads it was taken
 * from most; what they do not cover is dealt to them in proportion.
 */
static void find_edges(struct vec_edge *edges, const struct vec_side *sides)
{
	bool named = false;

	edges->n = 0;
	for (uint32_t s = 0; s < sides->n; s++)
		for (size_t i = 0; i < sides->at[s].n; i++) {
			const struct prs_line *l = sides->at[s].at[i].raw;
			uint64_t sum = 0, all = prs_line_moves(l);

			for (int k = 0; k < 4; k++)
				sum += l->peer_count[k];
			for (int k = 0; k < 4; k++) {
				uint32_t other = side_of(sides, l->peer[k]);
				double scale = all > sum ? (double)all / (double)sum : 1;

				if (!l->peer_count[k] || other == UINT32_MAX || other == s)
					continue;
				add_edge(edges, s, other, (uint64_t)((double)l->peer_count[k] * scale));
				named = true;
			}
		}
	if (!named && sides->n == 2)
		add_edge(edges, 0, 1, sides->at[0].transfers + sides->at[1].transfers);
}

/*
 * A site that never misses comes after another one in the same visit, and only the windows saw
 * it: it came in as many of the visits as of the windows' accesses.
 */
static double in_visits(const struct side *s, const struct line_use *u)
{
	double all = 0;

	if (u->raw->misses || u->how != EVIDENCE_SEEN)
		return u->accesses;
	for (size_t i = 0; i < s->n; i++)
		all += (double)s->at[i].raw->watched;
	all = all > 0 ? s->accesses * (double)u->raw->watched / all : 0;
	return all > u->accesses ? all : u->accesses;
}

/* Accesses of a side to each byte of the line; one to many bytes counts in part; @visits: as in_visits() says. */
static void by_byte(const struct side *s, double count[64], bool visits)
{
	for (int b = 0; b < 64; b++)
		count[b] = 0;
	for (size_t i = 0; i < s->n; i++) {
		const struct line_use *u = &s->at[i];
		uint64_t own = u->read | u->written;
		double n = visits ? in_visits(s, u) : u->accesses;

		for (uint64_t left = own; left; left &= left - 1)
			count[__builtin_ctzll(left)] += n / __builtin_popcountll(own);
	}
}

/*
 * How often both sides need the same bytes: no more often than the rarer one
 * comes to them, however often the other does.
 */
static double meetings(const struct side *a, const struct side *b, uint64_t common, bool visits)
{
	double x[64], y[64], sum = 0;

	by_byte(a, x, visits);
	by_byte(b, y, visits);
	for (; common; common &= common - 1) {
		int at = __builtin_ctzll(common);

		sum += x[at] < y[at] ? x[at] : y[at];
	}
	return sum;
}

/* No watch window saw the bytes, but the site table says that the fields differ. */
static bool fields_apart(const struct side *a, const struct side *b)
{
	for (size_t i = 0; i < a->n; i++)
		for (size_t k = 0; k < b->n; k++)
			if (!sides_other_fields(&a->at[i], &b->at[k]))
				return false;
	return true;
}

/* How the line moved that blocks of the heap had a part of, one after the other. */
enum handing {
	HANDED_NOT, /* to and fro while a block was there, or none was */
	HANDED_ALIVE, /* no more often than each takes to be handed over, but both threads had much to do there */
	HANDED_OVER /* ... and little */
};

static enum handing handed(const struct side *a, const struct side *b, uint64_t transfers,
			   const struct objects *os)
{
	uint64_t lives = heap_lives(os->blocks, os->n_blocks, a->at->raw->line * 64);
	double rarer = a->accesses < b->accesses ? a->accesses : b->accesses;

	if (transfers > LINE_HANDOVER * lives)
		return HANDED_NOT;
	return rarer <= HANDED_ACCESSES * (double)lives ? HANDED_OVER : HANDED_ALIVE;
}

/* The bytes that both need, @sure for certain, few as the accesses are that were seen to them. */
static enum sharing_verdict judge_rare(const struct side *a, const struct side *b, uint64_t sure,
				       enum handing h)
{
	double rarer = a->accesses < b->accesses ? a->accesses : b->accesses;

	if (h == HANDED_OVER)
		return SHARING_TRUE;
	/* Had both run side by side, they might have met more often. */
	return h == HANDED_ALIVE || meetings(a, b, sure, true) >= TRUE_SHARE * rarer ? SHARING_UNCLEAR
										     : SHARING_FALSE;
}

static enum sharing_verdict pairs_judge(const struct side *a, const struct side *b, enum handing h)
{
	uint64_t common = sides_common(a, b), sure;
	double rarer = a->accesses < b->accesses ? a->accesses : b->accesses;

	sure = common & ((a->written & (b->needed | b->written)) | (b->written & a->needed));
	if (sure && meetings(a, b, sure, false) >= TRUE_SHARE * rarer)
		return SHARING_TRUE;
	if (common != sure && meetings(a, b, common, false) >= TRUE_SHARE * rarer)
		return SHARING_UNCLEAR;
	if (2 * a->unseen > a->accesses || 2 * b->unseen > b->accesses)
		return fields_apart(a, b) ? SHARING_FALSE : SHARING_UNCLEAR;
	return sure ? judge_rare(a, b, sure, h) : SHARING_FALSE;
}

/* How many transfers of a line the synchronisation of two threads explains. */
static uint64_t handover_limit(const struct run_process *p, uint32_t a, uint32_t b)
{
	uint64_t limit = LINE_HANDOVER;
	uint32_t threads[2] = {a, b};

	for (int t = 0; t < 2; t++) {
		const struct run_thread *th = &p->threads[threads[t]];

		for (size_t i = 0; i < th->n_events && limit < LINE_HANDOVER_MAX; i++)
			if (th->events[i].kind != PRS_EV_START && th->events[i].kind != PRS_EV_EXIT &&
			    th->events[i].kind != PRS_EV_SLEEP)
				limit += 2;
	}
	return limit < LINE_HANDOVER_MAX ? limit : LINE_HANDOVER_MAX;
}

/* Two sides, or parts of them, that meet in one way; @share of their accesses goes to this pair. */
struct meeting {
	const struct side *a, *b;
	double share_a, share_b;
	uint64_t transfers;
	enum sharing_verdict verdict;
	bool alone; /* nobody else uses the line */
};

static void pairs_deal(struct pair_side *out, double share)
{
	out->accesses *= share;
	out->low *= share;
	out->high *= share;
	out->visits *= share;
}

/* From when to when a side came to the line. */
static void side_times(const struct side *s, struct use_spans *spans)
{
	for (size_t i = 0; i < s->n; i++)
		spans_add(spans, s->at[i].raw, s->at[i].scale);
}

/*
 * A transfer is an access of one of the two, and between two that have the line alone each takes it back
 * before the other can again.  What a weight or a burst makes of the transfers may be more than what it
 * makes of the accesses.
 */
static void no_more_than_accesses(struct pair_record *r, const struct meeting *m)
{
	double a = m->a->high * m->share_a, b = m->b->high * m->share_b;
	double most = m->alone ? 2 * (a < b ? a : b) + 1 : a + b;

	if (r->a.how != EVIDENCE_SEEN && r->b.how != EVIDENCE_SEEN)
		most = most < r->a.accesses + r->b.accesses ? most : r->a.accesses + r->b.accesses;
	if (most < (double)r->transfers)
		r->transfers = (uint64_t)most;
}

static bool add_record(struct pair_records *out, const struct meeting *m, struct objects *os)
{
	const struct side *a = m->a, *b = m->b;
	struct pair_record r = {.lines = 1, .part = 1, .verdict = m->verdict, .transfers = m->transfers};
	uint64_t moves = a->transfers + b->transfers;
	double scaled;

	if (!sides_fill(&r, a, b, os))
		return false;
	if (moves) {
		scaled = (double)m->transfers * (a->scaled + b->scaled) / (double)moves;
		r.transfers = scaled < MAX_TRANSFERS ? (uint64_t)(scaled + 0.5) : (uint64_t)MAX_TRANSFERS;
	}
	r.line = a->at->raw->line;
	side_times(a, &r.spans[0]);
	side_times(b, &r.spans[1]);
	pairs_deal(&r.a, m->share_a);
	pairs_deal(&r.b, m->share_b);
	no_more_than_accesses(&r, m);
	if ((a->read | a->written) && (b->read | b->written))
		r.distance = (uint32_t)abs((int)r.a.offset - (int)r.b.offset);
	if (r.distance && r.a.element && r.a.element == r.b.element)
		r.inside = r.transfers;
	if (r.a.element && r.b.element && r.a.element != r.b.element &&
	    pair_side_main(&r.a)->object == pair_side_main(&r.b)->object)
		r.between = r.transfers;
	vec_push(out, r);
	return true;
}

/* ---- lines that have both: a lock that two threads need, and beside it what each has alone ---- */

/* A side in two: what meets the other one, and the rest. */
struct halves {
	struct side meets, rest;
	struct line_use *uses;
};

/*
 * Of a truly shared line the rest are the uses that need no byte of the other
 * side; of a falsely shared one what meets are those that need little else.
 */
static bool is_rest(const struct line_use *u, uint64_t common, enum sharing_verdict v)
{
	uint64_t own = u->read | u->written;

	if (v == SHARING_TRUE)
		return own && !(own & common);
	return 2 * __builtin_popcountll(own & common) <= __builtin_popcountll(own);
}

static void half_fill(struct side *half, struct line_use *at, const struct side *s, uint64_t common,
		      enum sharing_verdict v, bool rest)
{
	*half = (struct side){.at = at, .thread = s->thread};
	for (size_t i = 0; i < s->n; i++) {
		if (is_rest(&s->at[i], common, v) != rest)
			continue;
		at[half->n] = s->at[i];
		pairs_add_use(half, &s->at[i]);
	}
	for (size_t i = 0; i < half->n && s->accesses > 0; i++)
		at[i].visits *= half->accesses / s->accesses;
}

static void halve(struct halves *h, const struct side *s, uint64_t common, enum sharing_verdict v)
{
	h->uses = mem_new(s->n + 1, sizeof(*h->uses));
	half_fill(&h->meets, h->uses, s, common, v, false);
	half_fill(&h->rest, h->uses + h->meets.n, s, common, v, true);
}

static double rest_share(const struct halves *h)
{
	double all = h->meets.accesses + h->rest.accesses;

	return all > 0 ? h->rest.accesses / all : 0;
}

/* Both are there to matter. */
static bool worth_two(const struct halves *a, const struct halves *b, const struct meeting *m,
		      uint64_t common)
{
	double rarer = m->a->accesses < m->b->accesses ? m->a->accesses : m->b->accesses;
	double x = rest_share(a), y = rest_share(b);

	if (!a->meets.n || !b->meets.n || !(a->meets.writes || b->meets.writes))
		return false;
	if ((x < REST_SHARE || y < REST_SHARE) && x < MOST_SHARE && y < MOST_SHARE)
		return false;
	return meetings(&a->meets, &b->meets, common, false) >= MEET_SHARE * rarer;
}

/*
 * What one side has alone, or if that is little all it does there, as often as the
 * other is no meeting.  *@moves: of its transfers, those of what meets.
 */
static const struct side *false_side(const struct halves *h, const struct halves *other, double *share,
				     double *moves)
{
	*moves += (double)h->meets.transfers;
	if (rest_share(h) >= REST_SHARE)
		return &h->rest;
	*share *= rest_share(other);
	*moves -= (double)h->meets.transfers * rest_share(other);
	return &h->meets;
}

/* Add a record for what meets and one for the rest; false: one is enough. */
static bool add_both(struct pair_records *out, const struct meeting *m, struct objects *os)
{
	uint64_t common = sides_common(m->a, m->b), all = m->a->transfers + m->b->transfers;
	struct halves a, b;
	struct meeting t = *m, f = *m;
	double moves = 0;
	bool both;

	halve(&a, m->a, common, m->verdict);
	halve(&b, m->b, common, m->verdict);
	t.verdict = SHARING_TRUE;
	t.a = &a.meets;
	t.b = &b.meets;
	f.verdict = SHARING_FALSE;
	f.a = false_side(&a, &b, &f.share_a, &moves);
	f.b = false_side(&b, &a, &f.share_b, &moves);
	if (all)
		t.transfers = (uint64_t)((double)m->transfers * moves / (double)all);
	f.transfers = m->transfers - t.transfers;
	both = worth_two(&a, &b, m, common) && (f.a->writes || f.b->writes) && t.transfers && f.transfers;
	if (both && add_record(out, &t, os) && add_record(out, &f, os)) {
		struct pair_record *r = &out->at[out->n - 1];

		r->part = (double)f.transfers / (double)m->transfers;
		r->has_also = true;
		r->also[0] = r[-1].a;
		r->also[1] = r[-1].b;
	}
	free(a.uses);
	free(b.uses);
	return both;
}

static void judge_edge(struct pair_records *out, const struct vec_side *sides, const struct edge *e,
		       struct objects *os)
{
	const struct side *a = &sides->at[e->a], *b = &sides->at[e->b];
	struct meeting m = {.a = a, .b = b, .transfers = e->transfers, .alone = sides->n == 2};
	enum handing h;

	if (!a->writes && !b->writes)
		return;
	if (e->transfers <= handover_limit(os->p, a->thread, b->thread)) {
		out->handovers++;
		return;
	}
	/* A thread's accesses are dealt to its partners as the transfers are. */
	m.share_a = (double)e->transfers / (double)a->edges;
	m.share_b = (double)e->transfers / (double)b->edges;
	h = handed(a, b, e->transfers, os);
	m.verdict = pairs_judge(a, b, h);
	/* What comes along with a block that is handed over is no other way to share it. */
	if (m.verdict != SHARING_UNCLEAR && h != HANDED_OVER && sides_common(a, b) && add_both(out, &m, os))
		return;
	add_record(out, &m, os);
}

/* By thread and what it fights with; what else it uses is no other way to share a line. */
static int compare_side(const struct pair_side *x, const struct pair_side *y)
{
	const struct side_part *p = pair_side_main(x), *q = pair_side_main(y);

	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	if (p->object != q->object)
		return p->object < q->object ? -1 : 1;
	return p->field < q->field ? -1 : p->field > q->field;
}

static int pairs_compare(const void *p, const void *q)
{
	const struct pair_record *x = p, *y = q;
	int c;

	if (x->verdict != y->verdict)
		return x->verdict < y->verdict ? -1 : 1;
	c = compare_side(&x->a, &y->a);
	return c ? c : compare_side(&x->b, &y->b);
}

static void merge_side(struct pair_side *x, const struct pair_side *y)
{
	if (x->accesses + y->accesses > 0)
		x->counts = (x->counts * x->accesses + y->counts * y->accesses) / (x->accesses + y->accesses);
	x->accesses += y->accesses;
	x->low += y->low;
	x->high += y->high;
	x->named += y->named;
	x->visits += y->visits;
	x->active_ns += y->active_ns;
	x->disputed_ns += y->disputed_ns;
	x->disputed_least_ns += y->disputed_least_ns;
	x->kind = y->kind > x->kind ? y->kind : x->kind;
	x->off_line |= y->off_line;
	x->extent = y->extent > x->extent ? y->extent : x->extent;
	sides_add_parts(x, y);
	if (y->site_accesses > x->site_accesses) {
		x->site_accesses = y->site_accesses;
		x->how = y->how;
		x->by_count = y->by_count;
		x->gap_waits = y->gap_waits;
		x->active_waits = y->active_waits;
		x->frame = y->frame;
		x->wide = y->wide;
		x->wide_short = y->wide_short;
		x->dispute_ns = y->dispute_ns;
		x->bytes_seen = y->bytes_seen;
	}
}

static void merge_record(struct pair_record *x, const struct pair_record *y)
{
	merge_side(&x->a, &y->a);
	merge_side(&x->b, &y->b);
	if (x->transfers + y->transfers)
		x->part = (x->part * (double)x->transfers + y->part * (double)y->transfers) /
			  (double)(x->transfers + y->transfers);
	x->transfers += y->transfers;
	spans_join(&x->spans[0], &y->spans[0]);
	spans_join(&x->spans[1], &y->spans[1]);
	x->inside += y->inside;
	x->between += y->between;
	x->lines++;
	x->line = y->line < x->line ? y->line : x->line;
	if (y->distance && (!x->distance || y->distance < x->distance))
		x->distance = y->distance;
	if (!x->has_also && y->has_also)
		memcpy(x->also, y->also, sizeof(x->also));
	x->has_also |= y->has_also;
}

/* Those that are to be merged lie beside each other; the lines decide on the rest of the order. */
static int compare_lines(const void *p, const void *q)
{
	const struct pair_record *x = p, *y = q;
	int c = pairs_compare(x, y);

	return c ? c : x->line < y->line ? -1 : x->line > y->line;
}

static void merge_records(struct pair_records *out)
{
	struct pair_record first;
	size_t n = 0, to;

	if (out->n)
		qsort(out->at, out->n, sizeof(*out->at), compare_lines);
	for (size_t from = 0; from < out->n; from = to) {
		first = out->at[from];
		for (to = from + 1; to < out->n && !pairs_compare(&out->at[from], &out->at[to]); to++)
			merge_record(&first, &out->at[to]);
		out->at[n++] = first;
	}
	out->n = n;
}

void pairs_make(struct pair_records *out, const struct line_uses *uses, struct objects *os)
{
	struct vec_side sides = VEC_INIT;
	struct vec_edge edges = VEC_INIT;
	size_t to;

	*out = (struct pair_records){.handovers = uses->handovers};
	for (size_t from = 0; from < uses->n; from = to) {
		for (to = from + 1; to < uses->n && uses->at[to].raw->line == uses->at[from].raw->line &&
				    uses->at[to].raw->generation == uses->at[from].raw->generation;)
			to++;
		split_sides(&sides, &uses->at[from], to - from);
		find_edges(&edges, &sides);
		for (size_t i = 0; i < edges.n; i++) {
			sides.at[edges.at[i].a].edges += edges.at[i].transfers;
			sides.at[edges.at[i].b].edges += edges.at[i].transfers;
		}
		for (size_t i = 0; i < edges.n; i++)
			judge_edge(out, &sides, &edges.at[i], os);
	}
	vec_release(&sides);
	vec_release(&edges);
	merge_records(out);
}

void pairs_release(struct pair_records *out)
{
	vec_release(out);
}

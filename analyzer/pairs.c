/* SPDX-License-Identifier: MIT */
#include "analyzer/pairs.h"

#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "lib/vec.h"
#include "perseus/abi.h"

/* Sites with less than this share of a side's accesses do not name its fields. */
#define FIELD_SHARE 0.1

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

/* More than any run has; a damaged record may say so. */
#define MAX_TRANSFERS 1e18

/* The uses of one thread on one line. */
struct side {
	const struct line_use *at;
	size_t n;
	uint32_t thread;
	uint64_t read, written;  /* union of the masks */
	double accesses, unseen; /* all, and those of sites whose bytes are not known */
	bool writes;
	uint64_t transfers; /* this thread's misses that moved the line, as recorded */
	double scaled;      /* ... in the whole run */
	uint64_t edges;     /* transfers over all pairs it is in */
};
struct vec_side VEC(struct side);

struct edge {
	uint32_t a, b; /* sides */
	uint64_t transfers;
};
struct vec_edge VEC(struct edge);

static void add_use(struct side *s, const struct line_use *u)
{
	s->n++;
	s->read |= u->read;
	s->written |= u->written;
	s->accesses += u->accesses;
	s->writes |= line_use_writes(u);
	s->transfers += line_moves(u->raw);
	s->scaled += (double)line_moves(u->raw) * u->scale;
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
		add_use(s, u);
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
	size_t lo = 0, hi = sides->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (sides->at[mid].thread < thread)
			lo = mid + 1;
		else
			hi = mid;
	}
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
			uint64_t sum = 0, all = line_moves(l);

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

/* Accesses of a side to each byte of the line; one to many bytes counts in part. */
static void by_byte(const struct side *s, double count[64])
{
	for (int b = 0; b < 64; b++)
		count[b] = 0;
	for (size_t i = 0; i < s->n; i++) {
		uint64_t own = s->at[i].read | s->at[i].written;

		for (uint64_t left = own; left; left &= left - 1)
			count[__builtin_ctzll(left)] += s->at[i].accesses / __builtin_popcountll(own);
	}
}

/*
 * How often both sides need the same bytes: no more often than the rarer one
 * comes to them, however often the other does.
 */
static double meetings(const struct side *a, const struct side *b, uint64_t common)
{
	double x[64], y[64], sum = 0;

	by_byte(a, x);
	by_byte(b, y);
	for (; common; common &= common - 1) {
		int at = __builtin_ctzll(common);

		sum += x[at] < y[at] ? x[at] : y[at];
	}
	return sum;
}

static uint64_t common_bytes(const struct side *a, const struct side *b)
{
	return (a->written & (b->read | b->written)) | (b->written & a->read);
}

static bool known_field(const struct run_mem_site *s)
{
	return s && strcmp(s->type, "-") && strcmp(s->field, "-");
}

/* Two uses that cannot meet in a byte, whichever elements they are of. */
static bool other_fields(const struct line_use *u, const struct line_use *v)
{
	if (!line_use_writes(u) && !line_use_writes(v))
		return true;
	if (!known_field(u->site) || !known_field(v->site) || strcmp(u->site->type, v->site->type))
		return false;
	return u->site->offset + u->site->bytes <= v->site->offset ||
	       v->site->offset + v->site->bytes <= u->site->offset;
}

/* No watch window saw the bytes, but the site table says that the fields differ. */
static bool fields_apart(const struct side *a, const struct side *b)
{
	for (size_t i = 0; i < a->n; i++)
		for (size_t k = 0; k < b->n; k++)
			if (!other_fields(&a->at[i], &b->at[k]))
				return false;
	return true;
}

static enum sharing_verdict judge(const struct side *a, const struct side *b)
{
	uint64_t common = common_bytes(a, b);
	double rarer = a->accesses < b->accesses ? a->accesses : b->accesses;

	if (common && meetings(a, b, common) >= TRUE_SHARE * rarer)
		return SHARING_TRUE;
	if (2 * a->unseen > a->accesses || 2 * b->unseen > b->accesses)
		return fields_apart(a, b) ? SHARING_FALSE : SHARING_UNCLEAR;
	return SHARING_FALSE;
}

/* Does this use take part in the conflict with @other? */
static bool takes_part(const struct line_use *u, const struct side *other, enum sharing_verdict v,
		       uint64_t common)
{
	if (v == SHARING_TRUE)
		return (u->read | u->written) & common;
	return line_use_writes(u) || other->writes;
}

static void insert_field(struct pair_side *out, uint32_t object, uint32_t field)
{
	uint32_t i = out->n_fields;

	for (uint32_t k = 0; k < out->n_fields; k++)
		if (out->object[k] == object && out->field[k] == field)
			return;
	if (i == PAIR_FIELDS)
		return;
	for (; i &&
	       (out->object[i - 1] > object || (out->object[i - 1] == object && out->field[i - 1] > field));
	     i--) {
		out->object[i] = out->object[i - 1];
		out->field[i] = out->field[i - 1];
	}
	out->object[i] = object;
	out->field[i] = field;
	out->n_fields++;
}

static enum model_access access_kind(uint32_t kind)
{
	return kind <= PRS_KIND_ATOMIC ? (enum model_access)kind : MODEL_RMW;
}

/* Where the struct, or the row, begins that holds @address, of several in the object the one; 0 unknown. */
static uint64_t element_at(const struct objects *os, const struct place *place, uint64_t address)
{
	const struct object *o = &os->at[place->object];
	uint64_t bytes = o->layout ? o->layout->bytes : o->row_bytes;

	if (!bytes || o->guessed || !place->base || address < place->base)
		return 0;
	return address - (address - place->base) % bytes;
}

/* Name what one use touches and put it into the side. */
static void describe(struct pair_side *out, const struct line_use *u, uint64_t bytes, struct objects *os)
{
	uint64_t mask = u->read | u->written;
	uint32_t offset;
	uint64_t address;
	struct place place;
	uint32_t field;

	if (mask & bytes)
		mask &= bytes;
	offset = mask ? (uint32_t)__builtin_ctzll(mask) : 0;
	address = (u->raw->line << PRS_LINE_SHIFT) + offset;
	place = mask ? objects_find(os, address, u->raw->last, u->site)
		     : objects_find_in_line(os, u->raw->line, u->raw->last, u->site);
	field = objects_field(os, &place, address, u->site);
	if (mask)
		objects_elements(os, &place, address, address + 64 - (uint32_t)__builtin_clzll(mask) - offset,
				 u->site);
	insert_field(out, place.object, field);
	if (u->accesses > out->site_accesses || !out->site) {
		out->main_object = place.object;
		out->main_field = field;
		out->site = u->site;
		out->site_accesses = u->accesses;
		out->offset = offset;
		out->element = mask ? element_at(os, &place, address) : 0;
		out->off_line = !out->element || out->element % (1u << PRS_LINE_SHIFT);
		out->wide = u->wide;
		out->how = u->how;
		out->bytes_seen = u->raw->read_mask | u->raw->write_mask;
	}
}

/*
 * Loads and stores of the same bytes, about as many, are read-modify-writes
 * that the compiler left in two: counted once.
 */
static void merge_load_store(struct pair_side *out, const struct side *s)
{
	double loads = 0, stores = 0;
	uint64_t read = 0, written = 0;

	for (size_t i = 0; i < s->n; i++) {
		const struct line_use *u = &s->at[i];

		loads += u->raw->kind == PRS_KIND_LOAD ? u->accesses : 0;
		stores += u->raw->kind == PRS_KIND_STORE ? u->accesses : 0;
		read |= u->raw->kind == PRS_KIND_LOAD ? u->read : 0;
		written |= u->raw->kind == PRS_KIND_STORE ? u->written : 0;
	}
	if (out->kind != MODEL_STORE || !(read & written) || loads < 0.5 * stores)
		return;
	out->kind = MODEL_RMW;
	out->pairs = loads < stores ? loads : stores;
}

/* The uses of one side that count for a pair: those that take part and are not far rarer than the others. */
struct choice {
	const struct side *other;
	enum sharing_verdict verdict;
	uint64_t common;
	bool writes_only;
	double least; /* accesses */
};

static bool chosen(const struct choice *c, const struct line_use *u)
{
	return takes_part(u, c->other, c->verdict, c->common) && u->accesses >= c->least &&
	       (!c->writes_only || line_use_writes(u));
}

static void choose(struct choice *c, const struct side *s, const struct side *other, enum sharing_verdict v,
		   bool writes_only)
{
	double largest = 0;

	*c = (struct choice){other, v, common_bytes(s, other), writes_only, 0};
	for (size_t i = 0; i < s->n; i++)
		if (chosen(c, &s->at[i]) && s->at[i].accesses > largest)
			largest = s->at[i].accesses;
	c->least = FIELD_SHARE * largest;
}

/* True if a use that counts writes. */
static bool chooses_write(const struct choice *c, const struct side *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (chosen(c, &s->at[i]) && line_use_writes(&s->at[i]))
			return true;
	return false;
}

static void fill_side(struct pair_side *out, const struct side *s, const struct choice *c, struct objects *os)
{
	uint64_t bytes = c->verdict == SHARING_TRUE ? c->common : UINT64_MAX;
	double writes = 0;

	*out = (struct pair_side){.thread = s->thread};
	for (size_t i = 0; i < s->n; i++) {
		const struct line_use *u = &s->at[i];
		enum model_access kind = access_kind(u->raw->kind);

		if (!chosen(c, u))
			continue;
		writes += u->accesses;
		out->kind = kind > out->kind ? kind : out->kind;
		describe(out, u, bytes, os);
	}
	merge_load_store(out, s);
	out->accesses = c->writes_only ? writes : s->accesses - out->pairs;
	out->active_ns = s->at->active_ns;
	out->visits = s->at->visits;
	out->gap_waits = s->at->gap_waits;
	out->active_waits = s->at->active_waits;
	if (c->writes_only && s->accesses > 0)
		out->visits *= writes / s->accesses;
}

/*
 * Loads do not take a line from a load.  Where both sides load so often that
 * their writes fall behind, the writes are what they fight with: these count,
 * and give the names.  Returns false if none takes part.
 */
static bool fill_sides(struct pair_record *r, const struct side *a, const struct side *b, struct objects *os)
{
	struct choice x, y;

	choose(&x, a, b, r->verdict, false);
	choose(&y, b, a, r->verdict, false);
	if (!chooses_write(&x, a) && !chooses_write(&y, b)) {
		struct choice p, q;

		choose(&p, a, b, r->verdict, true);
		choose(&q, b, a, r->verdict, true);
		x = chooses_write(&p, a) ? p : x;
		y = chooses_write(&q, b) ? q : y;
		if (!x.writes_only && !y.writes_only)
			return false;
	}
	fill_side(&r->a, a, &x, os);
	fill_side(&r->b, b, &y, os);
	return true;
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
};

static void deal(struct pair_side *out, double share)
{
	out->accesses *= share;
	out->visits *= share;
}

static bool add_record(struct pair_records *out, const struct meeting *m, struct objects *os)
{
	const struct side *a = m->a, *b = m->b;
	struct pair_record r = {.lines = 1, .verdict = m->verdict, .transfers = m->transfers};
	uint64_t moves = a->transfers + b->transfers;
	double scaled = 0;

	if (!fill_sides(&r, a, b, os))
		return false;
	if (moves)
		scaled = (double)m->transfers * (a->scaled + b->scaled) / (double)moves;
	if (scaled > (double)r.transfers)
		r.transfers = scaled < MAX_TRANSFERS ? (uint64_t)scaled : (uint64_t)MAX_TRANSFERS;
	deal(&r.a, m->share_a);
	deal(&r.b, m->share_b);
	if ((a->read | a->written) && (b->read | b->written))
		r.distance = (uint32_t)abs((int)r.a.offset - (int)r.b.offset);
	if (r.distance && r.a.element && r.a.element == r.b.element)
		r.inside = r.transfers;
	if (r.a.element && r.b.element && r.a.element != r.b.element && r.a.main_object == r.b.main_object)
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
		add_use(half, &s->at[i]);
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
	return meetings(&a->meets, &b->meets, common) >= MEET_SHARE * rarer;
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
	uint64_t common = common_bytes(m->a, m->b), all = m->a->transfers + m->b->transfers;
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
	struct meeting m = {.a = a, .b = b, .transfers = e->transfers};

	if (!a->writes && !b->writes)
		return;
	if (e->transfers <= handover_limit(os->p, a->thread, b->thread)) {
		out->handovers++;
		return;
	}
	/* A thread's accesses are dealt to its mates as the transfers are. */
	m.share_a = (double)e->transfers / (double)a->edges;
	m.share_b = (double)e->transfers / (double)b->edges;
	m.verdict = judge(a, b);
	if (m.verdict != SHARING_UNCLEAR && common_bytes(a, b) && add_both(out, &m, os))
		return;
	add_record(out, &m, os);
}

static int compare_side(const struct pair_side *x, const struct pair_side *y)
{
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	if (x->n_fields != y->n_fields)
		return x->n_fields < y->n_fields ? -1 : 1;
	for (uint32_t i = 0; i < x->n_fields; i++) {
		if (x->object[i] != y->object[i])
			return x->object[i] < y->object[i] ? -1 : 1;
		if (x->field[i] != y->field[i])
			return x->field[i] < y->field[i] ? -1 : 1;
	}
	return 0;
}

static int compare(const void *p, const void *q)
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
	x->accesses += y->accesses;
	x->visits += y->visits;
	x->active_ns += y->active_ns;
	x->kind = y->kind > x->kind ? y->kind : x->kind;
	x->off_line |= y->off_line;
	if (y->site_accesses > x->site_accesses) {
		x->site = y->site;
		x->site_accesses = y->site_accesses;
		x->how = y->how;
		x->gap_waits = y->gap_waits;
		x->active_waits = y->active_waits;
		x->wide = y->wide;
		x->bytes_seen = y->bytes_seen;
		x->main_object = y->main_object;
		x->main_field = y->main_field;
	}
}

static void merge_records(struct pair_records *out)
{
	size_t n = 0;

	if (out->n)
		qsort(out->at, out->n, sizeof(*out->at), compare);
	for (size_t i = 0; i < out->n; i++) {
		struct pair_record *last = n ? &out->at[n - 1] : NULL, *cur = &out->at[i];

		if (!last || compare(last, cur)) {
			out->at[n++] = *cur;
			continue;
		}
		merge_side(&last->a, &cur->a);
		merge_side(&last->b, &cur->b);
		last->transfers += cur->transfers;
		last->inside += cur->inside;
		last->between += cur->between;
		last->lines++;
		if (cur->distance && (!last->distance || cur->distance < last->distance))
			last->distance = cur->distance;
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

/* SPDX-License-Identifier: MIT */
#include "analyzer/pairs/sides.h"

#include <string.h>

#include "analyzer/objects/heap.h"
#include "perseus/abi.h"

/* Uses with less than this share of a side's are not what it uses the line for. */
#define FIELD_SHARE 0.1

/* ... of what it fights with most: such fields are not named. They meet, too, once the others are apart. */
#define NAMED_SHARE 0.01

uint64_t sides_common(const struct side *a, const struct side *b)
{
	return (a->written & (b->read | b->written)) | (b->written & a->read);
}

static bool known_field(const struct run_mem_site *s)
{
	return s && strcmp(s->type, "-") && strcmp(s->field, "-");
}

bool sides_other_fields(const struct line_use *u, const struct line_use *v)
{
	if (!line_use_writes(u) && !line_use_writes(v))
		return true;
	if (!known_field(u->site) || !known_field(v->site) || strcmp(u->site->type, v->site->type))
		return false;
	return u->site->offset + u->site->bytes <= v->site->offset ||
	       v->site->offset + v->site->bytes <= u->site->offset;
}

/* Does this use take part in the conflict with @other? */
static bool takes_part(const struct line_use *u, const struct side *other, enum sharing_verdict v,
		       uint64_t common)
{
	if (v == SHARING_TRUE)
		return (u->read | u->written) & common;
	return line_use_writes(u) || other->writes;
}

/* Where the struct, or the row, begins that holds @address, of several in the object the one; 0 unknown. */
static uint64_t element_at(const struct objects *os, const struct place *place, uint64_t address)
{
	const struct object *o = &os->at[place->object];
	uint64_t bytes = o->open ? o->bytes : o->layout ? o->layout->bytes : o->row_bytes;

	if (!bytes || o->guessed || !place->base || address < place->base)
		return 0;
	return address - (address - place->base) % bytes;
}

/* ---- parts ---- */

/* More uses of one line by one thread than this are not distinguished. */
#define USES_MAX 32u

/* A use that may give a side one of its names. */
struct named {
	const struct line_use *use;
	const struct run_mem_site *site;
	uint64_t read, written; /* bytes of the line; 0 and 0: not known */
	double accesses;
	double weight; /* of its best clash with a use of the other side */
	bool main;     /* it is one of the two in the best clash of all */
};

struct named_uses {
	struct named at[USES_MAX];
	size_t n;
};

static bool writes(const struct named *x)
{
	return line_use_writes(x->use);
}

/* Can these two be what the line is fought for with? */
static bool clash(const struct named *x, const struct named *y, enum sharing_verdict v)
{
	uint64_t both = (x->written & (y->read | y->written)) | (y->written & x->read);
	bool seen = (x->read | x->written) && (y->read | y->written);

	if (!writes(x) && !writes(y))
		return false;
	if (v == SHARING_TRUE)
		return seen ? both : !sides_other_fields(x->use, y->use);
	if (v == SHARING_FALSE && seen)
		return !both;
	/* One word, used from one place of the source, is no two. */
	return v != SHARING_FALSE || x->site != y->site || !x->site || strstr(x->site->base, "[]") ||
	       strstr(x->site->base, "->") || strchr(x->site->base, '*');
}

/* The uses of @s, of many the heaviest. */
static void list_uses(struct named_uses *out, const struct side *s)
{
	out->n = 0;
	for (size_t i = 0; i < s->n; i++) {
		const struct line_use *u = &s->at[i];
		struct named x = {u, u->site, u->read, u->written, u->accesses, 0, false};
		size_t least = 0;

		if (out->n < USES_MAX) {
			out->at[out->n++] = x;
			continue;
		}
		for (size_t k = 1; k < out->n; k++)
			if (out->at[k].accesses < out->at[least].accesses)
				least = k;
		if (x.accesses > out->at[least].accesses)
			out->at[least] = x;
	}
}

/*
 * Two uses take the line from each other no more often than the rarer one comes.
 * The best two are what the sides fight with.
 */
static double weigh_uses(struct named_uses *a, struct named_uses *b, enum sharing_verdict v)
{
	struct named *main_a = NULL, *main_b = NULL;
	double best = 0;

	for (size_t i = 0; i < a->n; i++)
		for (size_t k = 0; k < b->n; k++) {
			struct named *x = &a->at[i], *y = &b->at[k];
			double w = x->accesses < y->accesses ? x->accesses : y->accesses;

			if (!clash(x, y, v))
				continue;
			x->weight = w > x->weight ? w : x->weight;
			y->weight = w > y->weight ? w : y->weight;
			if (w <= best)
				continue;
			best = w;
			main_a = x;
			main_b = y;
		}
	if (main_a)
		main_a->main = main_b->main = true;
	return best;
}

/* One place of the source: what is read and written there is added to. */
static bool same_statement(const struct run_mem_site *a, const struct run_mem_site *b)
{
	return a == b || (a && b && a->line == b->line && !strcmp(a->function, b->function) &&
			  !strcmp(a->file, b->file));
}

/* Does @y say rather than @x where the part is used?  Of reads and writes elsewhere, who writes. */
static bool names_better(const struct side_part *x, const struct side_part *y)
{
	if ((x->kind == PRS_KIND_LOAD) != (y->kind == PRS_KIND_LOAD) && !same_statement(x->site, y->site))
		return x->kind == PRS_KIND_LOAD;
	return y->accesses > x->accesses;
}

static void part_add(struct side_part *x, const struct side_part *y)
{
	/* A read and a write of one field are how a compiler adds to it. */
	bool adds = x->site && x->kind + y->kind == PRS_KIND_LOAD + PRS_KIND_STORE && x->kind != y->kind &&
		    same_statement(x->site, y->site);

	if (!x->site || names_better(x, y)) {
		x->site = y->site;
		x->round = y->round;
	}
	x->accesses += y->accesses;
	x->weight += y->weight;
	x->kind = adds ? PRS_KIND_RMW : y->kind > x->kind ? y->kind : x->kind;
	x->offset = x->offset < y->offset ? x->offset : y->offset; /* SPOT_UNKNOWN is above all */
	if (!x->n_index || !y->n_index) {
		const struct side_part *known = x->n_index ? x : y;

		x->n_index = known->n_index;
		x->n_outer = x->n_outer > y->n_outer ? x->n_outer : y->n_outer;
		memmove(x->first, known->first, sizeof(x->first));
		memmove(x->last, known->last, sizeof(x->last));
		return;
	}
	x->n_index = x->n_index < y->n_index ? x->n_index : y->n_index;
	for (unsigned i = 0; i < x->n_index; i++) {
		x->first[i] = x->first[i] < y->first[i] ? x->first[i] : y->first[i];
		x->last[i] = x->last[i] > y->last[i] ? x->last[i] : y->last[i];
	}
}

/* Where the part of that object and field stands, or would; of too many the last. */
static struct side_part *part_of(struct pair_side *out, const struct side_part *p)
{
	uint32_t i = 0;

	while (i < out->n_parts && (out->part[i].object < p->object ||
				    (out->part[i].object == p->object && out->part[i].field < p->field)))
		i++;
	if (i < out->n_parts && out->part[i].object == p->object && out->part[i].field == p->field)
		return &out->part[i];
	if (out->n_parts == PAIR_PARTS)
		return NULL;
	memmove(&out->part[i + 1], &out->part[i], (out->n_parts - i) * sizeof(*out->part));
	out->n_parts++;
	out->part[i] = (struct side_part){
		.object = p->object, .field = p->field, .offset = SPOT_UNKNOWN, .n_outer = p->n_outer};
	return &out->part[i];
}

void sides_add_parts(struct pair_side *x, const struct pair_side *y)
{
	for (uint32_t i = 0; i < y->n_parts; i++) {
		struct side_part *to = part_of(x, &y->part[i]);

		if (to)
			part_add(to, &y->part[i]);
	}
}

/* The use that the side fights with says where in the line it is. */
static void set_place_in_line(struct pair_side *out, const struct named *x, const struct place *place,
			      uint64_t address, uint64_t mask, struct objects *os)
{
	if (out->n_parts && !x->main)
		return;
	out->site_accesses = x->accesses;
	out->offset = (uint32_t)(address % (1u << PRS_LINE_SHIFT));
	out->element = mask ? element_at(os, place, address) : 0;
	out->off_line = !out->element || out->element % (1u << PRS_LINE_SHIFT);
	out->wide = x->use->wide;
	out->wide_short = x->use->wide_short;
	out->dispute_ns = x->use->dispute_ns;
	out->how = x->use->how;
	out->by_count = x->use->by_count;
	out->bytes_seen = x->use->raw->read_mask | x->use->raw->write_mask;
}

/* Bytes of an access whose bytes of the line are @mask: no more than the site has. */
static uint64_t access_bytes(uint64_t mask, const struct run_mem_site *site)
{
	uint64_t from = mask >> __builtin_ctzll(mask);
	uint64_t run = ~from ? (uint64_t)__builtin_ctzll(~from) : 64;

	return site && site->bytes && site->bytes < run ? site->bytes : run;
}

/* The call that a use was seen in, if all of the use is of one place: one function may have several callers. */
static const struct rec_call *call_round(const struct named *x, const struct objects *os)
{
	uint64_t mask = x->read | x->written;

	if (!x->site || (uint32_t)__builtin_popcountll(mask) != x->site->bytes)
		return NULL;
	return heap_record(&os->p->threads[x->use->thread], x->use->raw->path);
}

/*
 * The place at @address (the first of the use: @first), of up to @bytes (0: not known),
 * into the side; how many they are.  @all: those of the use.
 */
static uint64_t describe_at(struct pair_side *out, const struct named *x, uint64_t address, uint64_t bytes,
			    unsigned all, bool first, struct objects *os)
{
	struct side_part p = {.site = x->site, .kind = (enum prs_kind)x->use->raw->kind};
	struct side_part *to;
	struct place place;
	struct spot spot;
	double share = 1;

	place = bytes ? objects_find(os, address, x->use->raw->last, x->site)
		      : objects_find_in_line(os, x->use->raw->line, x->use->raw->last, x->site);
	objects_spot(os, &place, address, bytes, bytes, x->site, &spot);
	bytes = spot.bytes && spot.bytes < bytes ? spot.bytes : bytes;
	if (bytes) {
		objects_elements(os, &place, address, address + bytes, x->site);
		share = (double)bytes / all;
	}
	if (first)
		set_place_in_line(out, x, &place, address, bytes, os);
	p.accesses = x->accesses * share;
	p.weight = x->main ? x->weight * share : 0;
	p.round = call_round(x, os);
	p.object = place.object;
	p.field = spot.field;
	p.offset = spot.offset;
	p.n_outer = spot.n_outer;
	p.n_index = spot.n_index;
	memcpy(p.first, spot.index, sizeof(p.first));
	memcpy(p.last, spot.index, sizeof(p.last));
	to = part_of(out, &p);
	if (to)
		part_add(to, &p);
	return bytes;
}

/*
 * Name what one use touches and put it into the side: each place of it that was
 * seen, as one site may come to several fields, and to several elements.
 */
static void sides_describe(struct pair_side *out, const struct named *x, uint64_t bytes, struct objects *os)
{
	uint64_t mask = x->read | x->written, line = x->use->raw->line << PRS_LINE_SHIFT, done;
	unsigned all, at;
	bool first = true;

	if (mask & bytes)
		mask &= bytes;
	all = (unsigned)__builtin_popcountll(mask);
	if (!mask)
		describe_at(out, x, line, 0, 0, true, os);
	for (; mask; mask &= done < 64 ? ~0ull << done : 0) {
		at = (unsigned)__builtin_ctzll(mask);
		done = at + describe_at(out, x, line + at, access_bytes(mask, x->site), all, first, os);
		first = false;
	}
}

/* The parts of a side: what clashes not far more seldom than the best; the main one first, it must have room. */
static void name_side(struct pair_side *out, const struct named_uses *uses, double best, uint64_t bytes,
		      struct objects *os)
{
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < uses->n; i++) {
			const struct named *x = &uses->at[i];

			if (x->main == !pass &&
			    (x->main || (x->weight > 0 && x->weight >= NAMED_SHARE * best)))
				sides_describe(out, x, bytes, os);
		}
}

const struct side_part *pair_side_main(const struct pair_side *s)
{
	const struct side_part *best = s->n_parts ? &s->part[0] : NULL;

	for (uint32_t i = 1; i < s->n_parts; i++)
		if (s->part[i].weight > best->weight ||
		    (s->part[i].weight == best->weight && s->part[i].accesses > best->accesses))
			best = &s->part[i];
	return best;
}

/* ---- how often ---- */

/*
 * Loads and stores of the same bytes from one place of the source, about as many, are
 * read-modify-writes that the compiler left in two: counted once.
 */
#define LOADED 0.3 /* as often at the least */

/* Is it the half of a read-modify-write, or may it be, for all that is known? */
static bool has_other_half(const struct side *s, const struct line_use *u)
{
	enum prs_kind other = u->raw->kind == PRS_KIND_LOAD ? PRS_KIND_STORE : PRS_KIND_LOAD;

	for (size_t i = 0; i < s->n; i++)
		if (s->at[i].raw->kind == other &&
		    (!u->site || !s->at[i].site || same_statement(u->site, s->at[i].site)))
			return true;
	return false;
}

static void merge_load_store(struct pair_side *out, const struct side *s)
{
	double loads = 0, stores = 0;
	uint64_t read = 0, written = 0;

	for (size_t i = 0; i < s->n; i++) {
		const struct line_use *u = &s->at[i];

		if (u->raw->kind > PRS_KIND_STORE || !has_other_half(s, u))
			continue;
		loads += u->raw->kind == PRS_KIND_LOAD ? u->accesses : 0;
		stores += u->raw->kind == PRS_KIND_STORE ? u->accesses : 0;
		read |= u->raw->kind == PRS_KIND_LOAD ? u->read : 0;
		written |= u->raw->kind == PRS_KIND_STORE ? u->written : 0;
	}
	if (out->kind != PRS_KIND_STORE || !(read & written) || loads < LOADED * stores)
		return;
	out->kind = PRS_KIND_RMW;
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

static void sides_choose(struct choice *c, const struct side *s, const struct side *other,
			 enum sharing_verdict v, bool writes_only)
{
	double largest = 0;

	*c = (struct choice){other, v, sides_common(s, other), writes_only, 0};
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

static void fill_side(struct pair_side *out, const struct side *s, const struct choice *c)
{
	double writes = 0;

	out->thread = s->thread;
	for (size_t i = 0; i < s->n; i++) {
		const struct line_use *u = &s->at[i];
		enum prs_kind kind = (enum prs_kind)u->raw->kind;

		out->extent = u->raw->extent > out->extent ? u->raw->extent : out->extent;
		if (!chosen(c, u))
			continue;
		writes += u->accesses;
		out->kind = kind > out->kind ? kind : out->kind;
	}
	merge_load_store(out, s);
	out->accesses = s->accesses - out->pairs;
	out->low = s->accesses > 0 ? s->low * (out->accesses / s->accesses) : 0;
	out->high = s->accesses > 0 ? s->high * (out->accesses / s->accesses) : 0;
	out->named = s->accesses;
	out->counts = c->writes_only && writes < out->accesses ? writes / out->accesses : 1;
	out->active_ns = s->at->active_ns;
	out->disputed_ns = s->at->disputed_ns;
	out->disputed_least_ns = s->at->disputed_least_ns;
	out->visits = s->at->visits;
	out->gap_waits = s->at->gap_waits;
	out->active_waits = s->at->active_waits;
	out->frame = s->at->frame;
	out->visits *= out->counts;
}

/* Names for both sides.  Where nothing is known to clash, whatever takes part gives them. */
static void name_sides(struct pair_record *r, const struct side *a, const struct side *b,
		       const struct choice *x, const struct choice *y, struct objects *os)
{
	uint64_t bytes = r->verdict == SHARING_TRUE ? x->common : UINT64_MAX;
	struct named_uses p, q;
	double best;

	list_uses(&p, a);
	list_uses(&q, b);
	best = weigh_uses(&p, &q, r->verdict);
	for (size_t i = 0; best <= 0 && i < p.n; i++)
		p.at[i].weight = chosen(x, p.at[i].use) ? p.at[i].accesses : 0;
	for (size_t i = 0; best <= 0 && i < q.n; i++)
		q.at[i].weight = chosen(y, q.at[i].use) ? q.at[i].accesses : 0;
	name_side(&r->a, &p, best, bytes, os);
	name_side(&r->b, &q, best, bytes, os);
}

/*
 * Loads do not take a line from a load.  Where both sides load so often that
 * their writes fall behind, the writes are what they fight with: these count.
 * Returns false if none takes part.
 */
bool sides_fill(struct pair_record *r, const struct side *a, const struct side *b, struct objects *os)
{
	struct choice x, y;

	sides_choose(&x, a, b, r->verdict, false);
	sides_choose(&y, b, a, r->verdict, false);
	if (!chooses_write(&x, a) && !chooses_write(&y, b)) {
		struct choice p, q;

		sides_choose(&p, a, b, r->verdict, true);
		sides_choose(&q, b, a, r->verdict, true);
		x = chooses_write(&p, a) ? p : x;
		y = chooses_write(&q, b) ? q : y;
		if (!x.writes_only && !y.writes_only)
			return false;
	}
	fill_side(&r->a, a, &x);
	fill_side(&r->b, b, &y);
	name_sides(r, a, b, &x, &y, os);
	return r->a.n_parts && r->b.n_parts;
}

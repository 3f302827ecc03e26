// SPDX-License-Identifier: MIT
/*
 * Behind a loop: which of the elements it stored are denormal, and the tag of
 * each: that of its first leaf with one, else of the birth.  Done for chunks
 * of elements, in loops that the vectoriser takes; this file may use vector
 * registers, since the program calls it as a function.
 */
#include "runtime/denormal/origin/origin.h"

#define PAGE 4096

static const uint32_t type_bytes[PRS_DEN_TYPES] = {2, 4, 8, 10, 16};

/* Behind the first n elements there is none that is denormal, so loops over these arrays have a fixed length. */
struct chunk {
	uint32_t n;
	uint32_t denormal;         /* how many are */
	uint16_t is[ORIGIN_CHUNK]; /* all ones: element i is denormal */
	uint16_t tag[ORIGIN_CHUNK], leaf[ORIGIN_CHUNK];
	bool any; /* a tag is set */
};

/* ---- looking at values ---- */

static inline __attribute__((always_inline)) void look_floats(const unsigned char *at, int64_t step,
							      uint32_t n, uint16_t *is)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t x;

		__builtin_memcpy(&x, at + (int64_t)i * step, 4);
		is[i] = (x << 1) - 1 < 0xffffffu ? 0xffff : 0;
	}
}

static inline __attribute__((always_inline)) void look_doubles(const unsigned char *at, int64_t step,
							       uint32_t n, uint16_t *is)
{
	for (uint32_t i = 0; i < n; i++) {
		uint64_t x;

		__builtin_memcpy(&x, at + (int64_t)i * step, 8);
		is[i] = (x << 1) - 1 < 0x1fffffffffffffu ? 0xffff : 0;
	}
}

static void look_wide(const unsigned char *at, int64_t step, uint32_t n, uint16_t *is, uint32_t type)
{
	uint64_t fraction = type == PRS_DEN_FLOAT128 ? 0xffffffffffffull : ~0ull;

	for (uint32_t i = 0; i < n; i++) {
		uint64_t low, high;
		bool zero;

		__builtin_memcpy(&low, at + (int64_t)i * step, 8);
		__builtin_memcpy(&high, at + (int64_t)i * step + 8, type == PRS_DEN_FLOAT128 ? 8 : 2);
		if (type != PRS_DEN_FLOAT128)
			high &= 0xffff;
		zero = type == PRS_DEN_FLOAT128 ? !(high >> 48 & 0x7fff) : !(high & 0x7fff);
		if (type == PRS_DEN_FLOAT128)
			low |= high & fraction;
		is[i] = zero && low ? 0xffff : 0;
	}
}

/*
 * May elements up to a whole chunk be read, though there are but @n?  What lies behind them is not used, but
 * loops of a fixed length are shorter than those of any.
 */
static inline __attribute__((always_inline)) bool whole_there(uint64_t address, int64_t step, uint32_t n)
{
	return n == ORIGIN_CHUNK || (address & (PAGE - 1)) + ORIGIN_CHUNK * (uint64_t)step <= PAGE;
}

static inline __attribute__((always_inline)) void forget_from(uint16_t *is, uint32_t n)
{
	for (uint32_t i = 0; i < ORIGIN_CHUNK; i++)
		is[i] = i < n ? is[i] : 0;
}

static inline __attribute__((always_inline)) void look_all(uint32_t type, uint64_t address, int64_t step,
							   uint32_t n, uint16_t *is)
{
	const unsigned char *at = (const unsigned char *)address;

	if (type == PRS_DEN_FLOAT && step == 4 && whole_there(address, 4, n))
		look_floats(at, 4, ORIGIN_CHUNK, is);
	else if (type == PRS_DEN_DOUBLE && step == 8 && whole_there(address, 8, n))
		look_doubles(at, 8, ORIGIN_CHUNK, is);
	else if (type == PRS_DEN_FLOAT)
		look_floats(at, step, n, is);
	else if (type == PRS_DEN_DOUBLE)
		look_doubles(at, step, n, is);
	else if (type != PRS_DEN_FLOAT16)
		look_wide(at, step, n, is, type);
	else
		n = 0;
	if (n < ORIGIN_CHUNK)
		forget_from(is, n);
}

static inline __attribute__((always_inline)) uint32_t count_set(const uint16_t *is)
{
	uint16_t sum = 0;

	for (uint32_t i = 0; i < ORIGIN_CHUNK; i++)
		sum = (uint16_t)(sum - is[i]);
	return sum;
}

/* Is the one at @address denormal? */
static uint16_t look_one(uint32_t type, uint64_t address)
{
	uint16_t is[ORIGIN_CHUNK];

	look_all(type, address, 0, 1, is);
	return is[0];
}

/* ---- tags ---- */

/* How many of @n elements from @address on have their tags in its block. */
static inline __attribute__((always_inline)) uint32_t up_to(uint64_t address, int64_t step, uint32_t n)
{
	uint64_t each = (uint64_t)(step > 0 ? step : -step), left = address & (SHADOW_BYTES - 1), fits;

	left = step > 0 ? SHADOW_BYTES - 1 - left : left;
	if (each < SHADOW_BYTES && each * (n - 1) <= left)
		return n;
	fits = left / each + 1;
	return fits < n ? (uint32_t)fits : n;
}

/* One tag for each @apart of them; up to a whole chunk, if so many lie there. */
static inline __attribute__((always_inline)) void take_tags(const uint16_t *from, int64_t apart, uint32_t n,
							    uint16_t *to)
{
	if (apart == 1)
		for (uint32_t i = 0; i < n; i++)
			to[i] = from[i];
	else if (apart == 2)
		for (uint32_t i = 0; i < n; i++)
			to[i] = from[2 * i];
	else
		for (uint32_t i = 0; i < n; i++)
			to[i] = from[(int64_t)i * apart];
}

static inline __attribute__((always_inline)) uint16_t give_tags(uint16_t *to, int64_t apart, uint32_t n,
								const uint16_t *from)
{
	if (apart == 1)
		for (uint32_t i = 0; i < n; i++)
			to[i] = from[i];
	else if (apart == 2)
		for (uint32_t i = 0; i < n; i++)
			to[2 * i] = from[i];
	else
		for (uint32_t i = 0; i < n; i++)
			to[(int64_t)i * apart] = from[i];
	return 0;
}

/* Elements of which some are kept in @old and others lie where they were. */
static void look_apart(const struct origin_old *old, uint32_t type, uint64_t address, int64_t step,
		       uint32_t n, uint16_t *is)
{
	unsigned char all[ORIGIN_CHUNK][16];
	uint32_t size = type_bytes[type];

	for (uint32_t i = 0; i < n; i++) {
		uint64_t at = address + i * (uint64_t)step, within = at - old->address;
		const void *from = (const void *)(within < old->bytes ? old->copy + within : at);

		for (uint32_t b = 0; b < size; b++)
			all[i][b] = ((const unsigned char *)from)[b];
	}
	look_all(type, (uint64_t)all, sizeof(*all), n, is);
}

/* What leaf @l saw from @address on, before the loop stored over it. */
static inline __attribute__((always_inline)) void look_before(const struct origin_leaf *l, uint64_t address,
							      uint32_t n, uint16_t *is)
{
	const struct origin_old *old = l->old;
	uint64_t within = address - old->address, bytes = n * (uint64_t)l->step;

	if (l->step > 0 && within < old->bytes && bytes <= old->bytes - within)
		look_all(l->site->type, old->copy + within, l->step, n, is);
	else
		look_apart(old, l->site->type, address, l->step, n, is);
}

/* Leaf @l of the chunk from element @first on. */
static inline __attribute__((always_inline)) void one_leaf(struct chunk *c, struct origin_leaf *l,
							   uint64_t first)
{
	uint64_t address = l->address + first * (uint64_t)l->step;
	const uint16_t *tags = shadow_look(address);
	uint16_t is[ORIGIN_CHUNK], sum = 0;
	uint32_t n = up_to(address, l->step, ORIGIN_CHUNK);

	if (!tags)
		return;
	if (l->old)
		look_before(l, address, c->n, is);
	else if (l->step && !l->lost)
		look_all(l->site->type, address, l->step, c->n, is);
	if (n == ORIGIN_CHUNK && l->step == 4)
		take_tags(tags, 1, ORIGIN_CHUNK, c->leaf);
	else if (n == ORIGIN_CHUNK && l->step == 8)
		take_tags(tags, 2, ORIGIN_CHUNK, c->leaf);
	else
		take_tags(tags, l->step / 4, c->n, c->leaf);
	if (l->step && !l->lost)
		for (uint32_t i = 0; i < ORIGIN_CHUNK; i++)
			c->leaf[i] = (c->leaf[i] ? c->leaf[i] : (uint16_t)PRS_DEN_TAG_BROUGHT) & is[i];
	for (uint32_t i = 0; i < ORIGIN_CHUNK; i++) {
		uint16_t t = c->leaf[i] & c->is[i];

		sum = (uint16_t)(sum + (t != 0));
		c->tag[i] = c->tag[i] > t ? c->tag[i] : t;
	}
	l->found += sum;
}

/* What lies in a register, or is loaded from one place: the same for all elements. */
static void same_leaf(struct chunk *c, struct origin_leaf *l)
{
	uint16_t tag = (uint16_t)l->tag;

	if (!l->known)
		return;
	if (!l->kept) {
		uint16_t is = 0;

		if (l->known == ORIGIN_LOOK && l->site)
			is = look_one(l->site->type, l->address);
		else
			is = 1;
		if (!is)
			return;
		tag = shadow_get(l->address);
		tag = tag ? tag : PRS_DEN_TAG_BROUGHT;
	} else if (!tag) {
		tag = PRS_DEN_TAG_LOST;
	}
	l->found += c->denormal;
	for (uint32_t i = 0; i < ORIGIN_CHUNK; i++) {
		uint16_t t = tag & c->is[i];

		c->tag[i] = c->tag[i] > t ? c->tag[i] : t;
	}
}

/* Denormals of no tagged leaf: born, or brought. */
static inline __attribute__((always_inline)) void births(struct chunk *c, struct origin_store *s)
{
	uint16_t tag = s->born ? (uint16_t)s->tag : PRS_DEN_TAG_BROUGHT;
	uint16_t sum = 0;

	for (uint32_t i = 0; i < ORIGIN_CHUNK; i++) {
		sum = (uint16_t)(sum + (c->is[i] && !c->tag[i]));
		c->tag[i] = c->tag[i] ? c->tag[i] : tag & c->is[i];
	}
	if (s->born)
		s->untold += sum;
}

/* Is all that element @i of the loop was computed of, where that is denormal, a small integer that was brought? */
static bool small_leaves(const struct den_origin *o, uint64_t i)
{
	bool any = false;

	for (uint32_t k = 0; k < o->n_leaves; k++) {
		const struct origin_leaf *l = &o->leaf[k];
		uint64_t address = l->address + i * (uint64_t)l->step, bits;

		if (l->kept || l->lost || l->old || !l->site)
			return false;
		if (!look_one(l->site->type, address))
			continue;
		bits = origin_bits(l->site->type, address);
		if (shadow_get(address) > PRS_DEN_TAG_INTEGERS || !bits || bits > ORIGIN_SMALL)
			return false;
		any = true;
	}
	return any;
}

/* Denormals that were brought and look like small integers. */
static void integers(const struct den_origin *o, struct chunk *c, uint64_t first)
{
	for (uint32_t i = 0; i < c->n; i++)
		if (c->tag[i] == PRS_DEN_TAG_BROUGHT && small_leaves(o, first + i))
			c->tag[i] = PRS_DEN_TAG_INTEGERS;
}

/* @tag is not 0. */
static inline __attribute__((always_inline)) uint32_t equal_to(const struct chunk *c, uint16_t tag)
{
	uint16_t sum = 0;

	for (uint32_t i = 0; i < ORIGIN_CHUNK; i++)
		sum = (uint16_t)(sum + (c->tag[i] == tag));
	return sum;
}

static void count_tags(struct den_origin *o, const struct chunk *c, struct origin_store *s)
{
	uint32_t left = c->denormal;

	for (uint32_t i = 0; i < c->n && left; i++) {
		uint16_t tag = c->tag[i];
		uint32_t n = 0;

		if (!tag)
			continue;
		/* Most chunks have few tags: of each all at once. */
		if (i == 0 || c->tag[i - 1] != tag) {
			bool before = false;

			for (uint32_t k = 0; k < i && !before; k++)
				before = c->tag[k] == tag;
			n = before ? 0 : equal_to(c, tag);
		}
		if (s->same && s->last != tag) {
			origin_add(o, PRS_DEN_FLOW_BORN, origin_site(s->last), DEN_NONE, s->object, s->same);
			s->same = 0;
		}
		if (n)
			origin_add(o, PRS_DEN_FLOW_BORN, origin_site(tag), DEN_NONE, s->object, n);
		left -= n;
		s->last = tag;
	}
}

/* May any of @n tags that are @apart be set?  Those between two of them do no harm. */
static inline __attribute__((always_inline)) bool any_set(const uint16_t *t, uint32_t n, int64_t apart)
{
	uint16_t all = 0;

	if (apart == 1 && n == ORIGIN_CHUNK)
		for (uint32_t i = 0; i < ORIGIN_CHUNK; i++)
			all |= t[i];
	else if (apart == 1 || apart == 2)
		for (uint32_t i = 0; i < (n - 1) * (uint32_t)apart + 1; i++)
			all |= t[i];
	else
		for (uint32_t i = 0; i < n; i++)
			all |= t[(int64_t)i * apart];
	return all;
}

/* Elements @first to @first + c->n - 1. */
static inline __attribute__((always_inline)) void one_chunk(struct den_origin *o, struct origin_store *s,
							    struct chunk *c, uint64_t first)
{
	uint64_t address = s->address + first * (uint64_t)s->step;
	uint16_t *to;

	look_all(s->site->type, address, s->step, c->n, c->is);
	c->denormal = count_set(c->is);
	__builtin_memset(c->tag, 0, sizeof(c->tag));
	if (!c->denormal) {
		to = shadow_there(address) ? shadow_make(address) : NULL;
		if (to && any_set(to, c->n, s->step / 4))
			give_tags(to, s->step / 4, c->n, c->tag);
		return;
	}
	for (uint32_t i = 0; i < o->n_leaves; i++)
		if (!o->leaf[i].kept && o->leaf[i].step)
			one_leaf(c, &o->leaf[i], first);
		else
			same_leaf(c, &o->leaf[i]);
	births(c, s);
	if (equal_to(c, PRS_DEN_TAG_BROUGHT))
		integers(o, c, first);
	to = shadow_make(address);
	if (to)
		give_tags(to, s->step / 4, c->n, c->tag);
	if (s->last && equal_to(c, s->last) == c->denormal)
		s->same += c->denormal;
	else
		count_tags(o, c, s);
	map_add(o, s->object, address, s->step, c->is, c->n);
}

static inline __attribute__((always_inline)) void all_chunks(struct den_origin *o, struct origin_store *s,
							     uint32_t most)
{
	struct chunk c;
	uint32_t n;

	for (uint64_t first = 0; first < s->count; first += n) {
		n = s->count - first < most ? (uint32_t)(s->count - first) : most;
		n = up_to(s->address + first * (uint64_t)s->step, s->step, n);
		for (uint32_t i = 0; i < o->n_leaves; i++)
			if (!o->leaf[i].kept)
				n = up_to(o->leaf[i].address + first * (uint64_t)o->leaf[i].step,
					  o->leaf[i].step, n);
		c.n = n;
		one_chunk(o, s, &c, first);
	}
}

#define VARIANT(name, what)                                                                                  \
	__attribute__((target(what), noinline)) static void name(struct den_origin *o,                       \
								 struct origin_store *s, uint32_t most)      \
	{                                                                                                    \
		all_chunks(o, s, most);                                                                      \
	}
VARIANT(chunks_sse, "sse2")
VARIANT(chunks_avx2, "avx2")
VARIANT(chunks_avx512, "avx512f,avx512bw,avx512vl,avx512dq,prefer-vector-width=512")

static void run_chunks(struct den_origin *o, struct origin_store *s, uint32_t most)
{
	static void (*variant)(struct den_origin *, struct origin_store *, uint32_t);

	if (!variant) {
		__builtin_cpu_init();
		variant = __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
					  __builtin_cpu_supports("avx512dq")
				  ? chunks_avx512
			  : __builtin_cpu_supports("avx2") ? chunks_avx2
							   : chunks_sse;
	}
	variant(o, s, most);
}

static uint32_t bytes_of(const struct prs_den_site *site)
{
	return type_bytes[site ? site->type : PRS_DEN_FLOAT128];
}

/* The first byte that is touched, and behind the last. */
static void extent(uint64_t address, int64_t step, uint64_t n, uint32_t bytes, uint64_t *low, uint64_t *high)
{
	uint64_t last = address + (n - 1) * (uint64_t)step;

	*low = step < 0 ? last : address;
	*high = (step < 0 ? address : last) + bytes;
}

/* What was stored over at @address; NULL: nothing, or it is not known. */
static const struct origin_old *kept_of(const struct den_origin *o, uint64_t address)
{
	for (uint32_t i = 0; i < o->n_old; i++)
		if (address - o->old[i].address < o->old[i].bytes)
			return &o->old[i];
	return NULL;
}

/*
 * Where the loop stored over what it loaded, values tell nothing unless they are kept, but the tags are
 * still those of before; and elements that it stored and loaded later must have
 * theirs by then, so chunks end before.
 */
static uint32_t judge_leaf(const struct den_origin *o, struct origin_leaf *l, const struct origin_store *s)
{
	uint64_t a, b, c, d, behind;

	if (l->kept)
		return ORIGIN_CHUNK;
	extent(l->address, l->step, s->count, bytes_of(l->site), &a, &b);
	extent(s->address, s->step, s->count, bytes_of(s->site), &c, &d);
	if (a >= d || c >= b)
		return ORIGIN_CHUNK;
	behind = s->step > 0 ? s->address - l->address : l->address - s->address;
	if (l->step != s->step || (int64_t)behind <= 0) {
		l->old = l->step == s->step ? kept_of(o, s->address) : NULL;
		l->lost = !l->old;
		return l->step == s->step ? ORIGIN_CHUNK : 1;
	}
	behind /= (uint64_t)(s->step > 0 ? s->step : -s->step);
	return !behind ? 1 : behind < ORIGIN_CHUNK ? (uint32_t)behind : ORIGIN_CHUNK;
}

void origin_replay(struct den_origin *o, struct origin_store *s)
{
	struct origin_near *n = &o->near[den_near_of(s->site, s->address, ORIGIN_PLACES)];
	uint32_t most = ORIGIN_CHUNK;

	s->last = n->site == s->site ? n->last : 0;
	map_line(s->object, n->start, n->end, s->line, s->step, s->all);
	for (uint32_t i = 0; i < o->n_leaves; i++) {
		uint32_t limit = judge_leaf(o, &o->leaf[i], s);

		most = limit < most ? limit : most;
	}
	run_chunks(o, s, most);
	if (s->same)
		origin_add(o, PRS_DEN_FLOW_BORN, origin_site(s->last), DEN_NONE, s->object, s->same);
	if (n->site == s->site)
		n->last = s->last;
	for (uint32_t i = 0; i < o->n_leaves; i++) {
		struct origin_leaf *l = &o->leaf[i];

		if (l->found && l->address)
			origin_add(o, PRS_DEN_FLOW_EDGE, 0, origin_object(o, l->site, l->address), s->object,
				   l->found);
	}
	if (s->untold && (s->several || s->untold > s->born))
		origin_add(o, PRS_DEN_FLOW_GUESSED, (uint64_t)s->tag ? origin_site((uint16_t)s->tag) : 0,
			   DEN_NONE, s->object, s->several ? s->untold : s->untold - s->born);
}

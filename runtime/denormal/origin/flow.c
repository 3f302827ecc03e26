// SPDX-License-Identifier: MIT
/* prs_den_flow() and prs_den_told(): an expression's leaves and births, then what is stored. */
#include <string.h>

#include "runtime/denormal/origin/origin.h"

#define CLOCK 128 /* parts that are told between two looks at it */

static __thread struct den_origin *here; /* of the thread, as long as it has not ended */

static struct den_origin *origin_begin(void)
{
	struct den_self *s = den_self();
	struct den_origin *o;
	sigset_t old;

	if (!s)
		return NULL;
	den_lock(&old);
	den.freed = shadow_clear;
	den.forked = map_fork;
	o = s->origin ? s->origin : den_alloc(&den.arena, sizeof(*o));
	den_unlock(&old);
	if (!o) {
		den.head->lost++;
		return NULL;
	}
	o->self = s;
	o->busy = false;
	s->origin = o;
	s->here = &here;
	here = o;
	return o;
}

/* NULL: nothing is recorded, or a handler interrupted this very function. */
static inline struct den_origin *mine(void)
{
	struct den_origin *o = here;

	if (!o)
		o = origin_begin();
	return o && !o->busy ? o : NULL;
}

uint32_t origin_object(struct den_origin *o, const struct prs_den_site *site, uint64_t address)
{
	struct origin_near *n = &o->near[den_near_of(site, address, ORIGIN_PLACES)];
	uint64_t generation = den.generation;
	struct den_place p;

	if (n->site == site && n->generation == generation && address - n->low < n->high - n->low)
		return n->object;
	den_locate(address, o->self, &p);
	*n = (struct origin_near){site, p.start, p.end, p.low, p.high, generation, p.object, 0};
	return p.object;
}

static void add_birth(struct den_origin *o, const struct prs_den_site *site, uint64_t count)
{
	if (!count)
		return;
	if (o->n_births < ORIGIN_BIRTHS)
		o->birth[o->n_births++] = (struct origin_birth){site, count};
	else
		den.head->lost++;
}

/* Field by field: what is written in parts and copied as a whole waits in the processor. */
static inline struct origin_leaf *add_leaf(struct den_origin *o, const struct prs_den_site *site,
					   uint64_t address, int64_t step, uint64_t known)
{
	struct origin_leaf *l;

	if (o->n_leaves == ORIGIN_LEAVES) {
		den.head->lost++;
		return NULL;
	}
	l = &o->leaf[o->n_leaves++];
	l->site = site;
	l->address = address;
	l->known = known;
	l->tag = l->found = 0;
	l->step = step;
	l->kept = l->lost = false;
	l->old = NULL;
	return l;
}

static inline void add_kept(struct den_origin *o, const struct prs_den_site *site, uint64_t address,
			    uint64_t known, uint64_t tag)
{
	struct origin_leaf *l = add_leaf(o, site, address, 0, known);

	if (!l)
		return;
	l->tag = tag;
	l->kept = true;
}

/* What the leaf @l, loaded from where nothing was stored, looks like. */
static uint16_t brought(const struct origin_leaf *l)
{
	uint64_t bits = l->site ? origin_bits(l->site->type, l->address) : 0;

	return bits && bits <= ORIGIN_SMALL ? PRS_DEN_TAG_INTEGERS : PRS_DEN_TAG_BROUGHT;
}

/* Of one value: the greatest of its leaves', so that their order does not matter and a birth wins; else the birth. */
static uint16_t tag_of_one(struct den_origin *o, uint32_t to, const struct prs_den_site *born)
{
	uint16_t tag = 0;

	for (uint32_t i = 0; i < o->n_leaves; i++) {
		struct origin_leaf *l = &o->leaf[i];
		uint64_t t = l->kept ? l->tag : shadow_get(l->address);

		if (!t)
			t = l->kept ? PRS_DEN_TAG_LOST : brought(l);
		tag = tag > t ? tag : (uint16_t)t;
		if (l->address && to != DEN_NONE)
			origin_add(o, PRS_DEN_FLOW_EDGE, 0, origin_object(o, l->site, l->address), to, 1);
	}
	if (tag)
		return tag;
	return born ? origin_tag(born) : PRS_DEN_TAG_LOST;
}

static uint64_t store_one(struct den_origin *o, const struct prs_den_site *site, uint64_t address,
			  uint64_t bits, const struct prs_den_site *born)
{
	uint32_t object = origin_object(o, site, address);
	const struct origin_near n = o->near[den_near_of(site, address, ORIGIN_PLACES)];
	uint16_t tag = tag_of_one(o, object, born);

	shadow_set(address, tag);
	origin_add(o, PRS_DEN_FLOW_BORN, origin_site(tag), DEN_NONE, object, 1);
	map_one(o, object, n.start, n.end, address);
	origin_state(o, site, address, bits);
	return tag;
}

/* Where exactly it lies is not known, so it has no tag there and no tile. */
static uint64_t store_gone(struct den_origin *o, const struct prs_den_site *site, uint64_t address,
			   const struct prs_den_site *born)
{
	uint32_t object = address ? origin_object(o, site, address) : DEN_NONE;
	uint16_t tag = tag_of_one(o, object, born);

	origin_add(o, PRS_DEN_FLOW_BORN, origin_site(tag), DEN_NONE, object, 1);
	map_outside(object, address);
	return tag;
}

static void store_all(struct den_origin *o, const struct prs_den_site *site, uint64_t address, int64_t step,
		      uint64_t count)
{
	struct origin_store s = {.site = site, .address = address, .step = step, .count = count};
	uint64_t most = 0;

	for (uint32_t i = 0; i < o->n_births; i++) {
		s.born += o->birth[i].count;
		if (o->birth[i].count <= most)
			continue;
		most = o->birth[i].count;
		s.tag = origin_tag(o->birth[i].site);
	}
	s.several = o->n_births > 1;
	s.object = origin_object(o, site, address);
	if (!step)
		s.count = 1;
	s.line = address - (o->turns - o->left) * (uint64_t)step;
	s.all = o->turns ? o->turns : s.count;
	if (s.count)
		origin_replay(o, &s);
}

static uint64_t keep(struct den_origin *o, const struct prs_den_site *site, uint64_t bits,
		     const struct prs_den_site *born)
{
	uint64_t tag = tag_of_one(o, DEN_NONE, born);

	if (bits)
		origin_state(o, site, 0, bits);
	return tag;
}

static void pass_time(struct den_origin *o, uint32_t parts)
{
	if (o->ticks >= parts) {
		o->ticks -= parts;
		return;
	}
	o->now = den_now();
	o->ticks = CLOCK;
}

static uint64_t told_word(const uint64_t *words, uint32_t i)
{
	return i ? words[i - 1] : 0;
}

static void tell(struct den_origin *o, const struct prs_den_told *p, const struct prs_den_site *site,
		 const uint64_t *words)
{
	uint64_t address = told_word(words, p->address), count = told_word(words, p->count);
	int64_t step = p->what & PRS_DEN_TOLD_STEP ? (int64_t)told_word(words, (uint32_t)p->step) : p->step;

	switch (p->what & ~PRS_DEN_TOLD_STEP) {
	case PRS_DEN_TOLD_ROUND:
		o->turns = count;
		o->left = address;
		break;
	case PRS_DEN_TOLD_OLD:
		if (o->n_old < ORIGIN_OLD)
			o->old[o->n_old++] = (struct origin_old){address, count, (uint64_t)step};
		break;
	case PRS_DEN_TOLD_BIRTH:
		add_birth(o, site, count);
		break;
	case PRS_DEN_TOLD_LOAD:
		if (count || !p->count)
			add_leaf(o, site, address, step, p->count ? count : ORIGIN_LOOK);
		break;
	case PRS_DEN_TOLD_TAG:
		if (count)
			add_kept(o, site, told_word(words, (uint32_t)p->step), count, address);
		break;
	default:
		store_all(o, site, address, step, count);
		o->n_leaves = o->n_births = 0;
	}
}

DEN_EXPORT void prs_den_told(const uint32_t *told, const uint64_t *words, const struct prs_den_desc *desc)
{
	const struct prs_den_told *p = (const struct prs_den_told *)(told + 1), *end = p + *told;
	struct den_origin *o = desc->mode == PRS_DEN_ORIGIN ? mine() : NULL;
	struct den_self *s = o ? o->self : den_self();

	if (!s)
		return;
	if (o) {
		o->busy = true;
		pass_time(o, *told);
		o->turns = o->left = o->n_old = 0;
	}
	for (; p < end; p++) {
		const struct prs_den_site *site = p->slot == ~0u ? NULL : desc->slots[p->slot].site;

		if (p->what != PRS_DEN_TOLD_ARRAY) {
			if (o)
				tell(o, p, site, words);
		} else if (told_word(words, p->count)) {
			den_array(s, site, told_word(words, p->address), told_word(words, p->count));
		}
	}
	if (o)
		o->busy = false;
}

DEN_EXPORT uint64_t prs_den_flow(uint64_t what, const struct prs_den_site *site, const void *address,
				 int64_t step, uint64_t count, uint64_t bits)
{
	const struct prs_den_site *born = (const struct prs_den_site *)step;
	struct den_origin *o;
	uint64_t tag = 0;

	/* What is not denormal, mostly. */
	if ((!count && (what <= PRS_DEN_FLOW_TAG || what == PRS_DEN_FLOW_SET)) || what >= PRS_DEN_FLOW_ROUND)
		return 0;
	o = mine();
	if (!o)
		return 0;
	o->busy = true;
	pass_time(o, 1);
	switch (what) {
	case PRS_DEN_FLOW_TAG:
		add_kept(o, site, bits, count, (uint64_t)address);
		break;
	case PRS_DEN_FLOW_LOAD:
		add_leaf(o, site, (uint64_t)address, 0, count);
		break;
	case PRS_DEN_FLOW_ONE:
		if (count)
			tag = store_one(o, site, (uint64_t)address, bits, born);
		else
			shadow_set((uint64_t)address, 0);
		break;
	case PRS_DEN_FLOW_GONE:
		if (count)
			tag = store_gone(o, site, (uint64_t)address, born);
		break;
	case PRS_DEN_FLOW_SET:
		shadow_set((uint64_t)address, (uint16_t)bits);
		break;
	case PRS_DEN_FLOW_COPY:
		shadow_copy((uint64_t)address, bits, count);
		break;
	default:
		tag = keep(o, site, bits, born);
	}
	if (what > PRS_DEN_FLOW_TAG && what != PRS_DEN_FLOW_COPY)
		o->n_leaves = o->n_births = 0;
	o->busy = false;
	return tag;
}

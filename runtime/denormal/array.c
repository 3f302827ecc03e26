// SPDX-License-Identifier: MIT
/* Which object denormals lie in: prs_den_array(). */
#include <string.h>
#include <sys/mman.h>

#include "runtime/denormal/den.h"

#define CHAINS 4096
#define LOOK   64 /* accesses of a thread, of which one looks at MXCSR */

struct object {
	struct object *next;
	struct prs_den_object *item;
	uint64_t start, end;
};

/* Objects made by one chain of calls. */
struct maker {
	struct maker *next;
	uint64_t hash;
	uint32_t n;
	struct object *last;
};

static struct object *statics, *all[CHAINS];
static struct maker *makers[CHAINS];
static uint64_t pages_low = UINT64_MAX, pages_high; /* objects that are pages lie between them */

static struct object *new_object(enum prs_den_where where, uint64_t start, uint64_t end, uint32_t thread)
{
	struct object *o = den_alloc(&den.arena, sizeof(*o));
	struct prs_den_object *item = o ? den_take(PRS_DEN_ITEM_OBJECT, sizeof(*item)) : NULL;

	if (!item)
		return NULL;
	item->start = start;
	item->bytes = end - start;
	item->where = where;
	item->thread = thread;
	item->begin_ns = den_now();
	item->blocks = 1;
	o->item = item;
	o->start = start;
	o->end = end;
	o->next = all[item->item.number % CHAINS];
	all[item->item.number % CHAINS] = o;
	return o;
}

void den_object_end(uint32_t number)
{
	sigset_t old;

	den_lock(&old);
	__atomic_fetch_add(&den.generation, 1, __ATOMIC_RELEASE);
	for (struct object *o = all[number % CHAINS]; o; o = o->next)
		if (o->item->item.number == number)
			o->item->end_ns = den_now();
	den_unlock(&old);
}

/* Threads that count in a page read the generation before they look for blocks in it. */
void den_block_begins(uint64_t start, uint64_t end)
{
	if (start < __atomic_load_n(&pages_high, __ATOMIC_ACQUIRE) &&
	    end > __atomic_load_n(&pages_low, __ATOMIC_ACQUIRE))
		__atomic_fetch_add(&den.generation, 1, __ATOMIC_RELEASE);
}

static struct maker *maker_of(const struct den_block *b)
{
	uint64_t hash = b->end - b->start;
	struct maker *m;

	for (int i = 0; i < DEN_CHAIN; i++)
		hash = (hash ^ b->caller[i]) * 0x100000001b3ull;
	for (m = makers[hash % CHAINS]; m; m = m->next)
		if (m->hash == hash)
			return m;
	m = den_alloc(&den.arena, sizeof(*m));
	if (!m)
		return NULL;
	m->hash = hash;
	m->next = makers[hash % CHAINS];
	makers[hash % CHAINS] = m;
	return m;
}

/* Blocks of one allocation beyond DEN_ALIKE are one object. */
static uint32_t heap_object(const struct den_block *b, uint32_t thread)
{
	struct maker *m = maker_of(b);
	struct object *o;

	if (m && m->n >= DEN_ALIKE) {
		m->last->item->blocks++;
		m->last->item->end_ns = 0;
		return m->last->item->item.number;
	}
	o = m ? new_object(PRS_DEN_HEAP, b->start, b->end, thread) : NULL;
	if (!o)
		return DEN_NONE;
	memcpy(o->item->caller, b->caller, sizeof(b->caller));
	o->item->begin_ns = b->begin_ns;
	den_publish(o->item);
	m->n++;
	m->last = o;
	return o->item->item.number;
}

/* Threads may meet a new block at the same time: the first makes the object. */
static uint32_t of_block(struct den_block *b, struct den_self *s)
{
	struct den_block now;
	sigset_t old;

	if (b->object != DEN_NONE)
		return b->object;
	for (int i = 0; i < DEN_CHAIN && b->caller[i]; i++)
		den_module(b->caller[i]);
	den_lock(&old);
	if (den_heap_find(b->start, &now) && now.start == b->start && now.begin_ns == b->begin_ns)
		b->object = now.object;
	if (b->object == DEN_NONE) {
		b->object = heap_object(b, s->number);
		if (b->object != DEN_NONE)
			den_heap_name(b->start, b->object);
	}
	den_unlock(&old);
	return b->object;
}

static struct den_place place_at(uint64_t start, uint64_t end, uint32_t object)
{
	return (struct den_place){start, end, start, end, object};
}

static struct object *known_static(uint64_t address)
{
	struct object *o = statics;

	while (o && (address < o->start || address >= o->end))
		o = o->next;
	return o;
}

static bool on_stack(uint64_t address, struct den_place *p)
{
	for (struct den_self *s = den.threads; s; s = s->next) {
		if (s->ended || address < s->stack_low || address >= s->stack_top)
			continue;
		if (s->stack_object == DEN_NONE) {
			struct object *o = new_object(PRS_DEN_STACK, s->stack_low, s->stack_top, s->number);

			if (o) {
				den_publish(o->item);
				s->stack_object = o->item->item.number;
			}
		}
		*p = place_at(s->stack_low, s->stack_top, s->stack_object);
		return true;
	}
	return false;
}

/* Under the lock: blocks that begin in [@start, @end) from now on end what is remembered of places there. */
static void watch(uint64_t start, uint64_t end)
{
	if (start < pages_low)
		__atomic_store_n(&pages_low, start, __ATOMIC_RELEASE);
	if (end > pages_high)
		__atomic_store_n(&pages_high, end, __ATOMIC_RELEASE);
}

/* A variable of a module; what is in none, by its page.  NULL: no room. */
static struct object *elsewhere(uint64_t address, const struct den_self *s)
{
	uint64_t start = address & ~4095ull, end = start + 4096;
	uint32_t module = den_module(address);
	struct object *o, *listed = NULL;
	sigset_t old;

	if (module != DEN_NONE)
		den_variable(module, address, &start, &end);
	den_lock(&old);
	o = known_static(address);
	if (!o) {
		o = new_object(module != DEN_NONE ? PRS_DEN_STATIC : PRS_DEN_ELSEWHERE, start, end,
			       s->number);
		listed = o ? den_alloc(&den.arena, sizeof(*listed)) : NULL;
		if (o)
			den_publish(o->item);
		if (o && module == DEN_NONE)
			watch(start, end);
	}
	if (listed) {
		*listed = *o;
		listed->next = statics;
		statics = listed;
	}
	den_unlock(&old);
	return o;
}

/* Small blocks are told by their page, in which others may lie that are known. */
void den_locate(uint64_t address, struct den_self *s, struct den_place *p)
{
	struct den_block b;
	struct object *o = NULL;
	bool found;
	sigset_t old;

	if (den_heap_find(address, &b)) {
		*p = place_at(b.start, b.end, of_block(&b, s));
		return;
	}
	den_lock(&old);
	found = on_stack(address, p);
	if (!found)
		o = known_static(address);
	den_unlock(&old);
	if (found)
		return;
	if (!o)
		o = elsewhere(address, s);
	*p = o ? place_at(o->start, o->end, o->item->item.number) : place_at(address, address, DEN_NONE);
	if (o && o->item->where == PRS_DEN_ELSEWHERE)
		den_heap_gap(address, &p->low, &p->high);
}

static uint32_t slot(const struct den_self *s, uint64_t site, uint32_t object)
{
	uint64_t h = (site >> 3) * 0x9e3779b97f4a7c15ull + object * 0xc2b2ae3d27d4eb4full;

	return (uint32_t)(h >> 32) & (s->hash_size - 1);
}

static bool room(struct den_self *s)
{
	uint32_t size = s->hash_size ? s->hash_size * 2 : 256, n = s->hash_size;
	struct prs_den_array_row **old = s->hash, **to;

	if (s->n_hash * 2 < s->hash_size)
		return true;
	to = den_alloc(&den.arena, size * sizeof(*to));
	if (!to)
		return false;
	s->hash = to;
	s->hash_size = size;
	for (uint32_t i = 0; i < n; i++)
		if (old[i]) {
			uint32_t at = slot(s, old[i]->site, old[i]->object);

			while (to[at])
				at = (at + 1) & (size - 1);
			to[at] = old[i];
		}
	return true;
}

/* Under the lock. */
static struct prs_den_array_row *row_of(struct den_self *s, uint64_t site, uint64_t address, uint32_t object,
					uint32_t module)
{
	struct prs_den_array_row *row;
	uint32_t at;

	if (!room(s)) {
		den.head->lost++;
		return NULL;
	}
	for (at = slot(s, site, object); s->hash[at]; at = (at + 1) & (s->hash_size - 1))
		if (s->hash[at]->site == site && s->hash[at]->object == object &&
		    s->hash[at]->module == module)
			return s->hash[at];
	if (!s->arrays || s->arrays->n == DEN_ROWS) {
		struct prs_den_arrays *a =
			den_take(PRS_DEN_ITEM_ARRAYS, sizeof(*a) + DEN_ROWS * sizeof(*row));

		if (!a)
			return NULL;
		a->thread = s->number;
		den_publish(a);
		s->arrays = a;
	}
	row = (struct prs_den_array_row *)(s->arrays + 1) + s->arrays->n;
	*row = (struct prs_den_array_row){site, address, 0, object, module};
	__atomic_store_n(&s->arrays->n, s->arrays->n + 1, __ATOMIC_RELEASE);
	s->n_hash++;
	return s->hash[at] = row;
}

void den_array(struct den_self *s, const struct prs_den_site *site, uint64_t at, uint64_t count)
{
	uint64_t generation = den.generation;
	struct den_near *n;
	struct den_place p;
	uint32_t module;
	sigset_t old;

	if (!(s->accesses++ % LOOK))
		den_look(s, 0);
	n = &s->near[den_near_of(site, at, DEN_NEAR)];
	if (n->site == site && at - n->low < n->high - n->low && n->generation == generation) {
		n->row->count += count;
		return;
	}
	den_locate(at, s, &p);
	module = den_module((uint64_t)site);
	den_lock(&old);
	struct prs_den_array_row *row = row_of(s, (uint64_t)site, at, p.object, module);

	if (row) {
		row->count += count;
		*n = (struct den_near){site, p.low, p.high, generation, row};
	}
	den_unlock(&old);
}

DEN_EXPORT void prs_den_array(const struct prs_den_site *site, const void *address, uint64_t count)
{
	struct den_self *s = den_self();

	if (s)
		den_array(s, site, (uint64_t)address, count);
}

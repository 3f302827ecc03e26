// SPDX-License-Identifier: MIT
/* Units and their tables: prs_den_open(). */
#include <string.h>
#include <sys/mman.h>
#include <unwind.h>

#include "runtime/denormal/den.h"

#define NOBODY_SLOTS 32768
#define CALM         64 /* loops that counted, of which one clears the flag */

static struct den_unit *units;

/* What nobody reads: one for all, larger if one asks for more. */
static uint64_t *nobody(uint32_t slots)
{
	static uint64_t few[NOBODY_SLOTS];
	void *p;

	if (slots <= NOBODY_SLOTS)
		return few;
	p = mmap(NULL, (size_t)slots * 8, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
		 -1, 0);
	if (p == MAP_FAILED)
		__builtin_trap();
	return p;
}

/* The descriptor may be of another module that took the place of one that is gone. */
static bool same(const struct den_unit *u, const struct prs_den_desc *d)
{
	uint32_t step = d->n_slots / 64 + 1;

	if (u->desc != d || u->slots != d->slots || u->n_slots != d->n_slots || u->mode != d->mode)
		return false;
	for (uint32_t i = 0; i < d->n_slots; i += step)
		if (u->rows[i].site != (uint64_t)d->slots[i].site || u->rows[i].id != d->slots[i].site->id ||
		    u->rows[i].role != d->slots[i].role)
			return false;
	return true;
}

static size_t text_bytes(const struct prs_den_site *s)
{
	return strlen(s->file) + strlen(s->function) + strlen(s->name) + 3;
}

static uint32_t put(char *text, uint32_t *at, const char *s)
{
	uint32_t begin = *at;

	strcpy(text + begin, s);
	*at += (uint32_t)strlen(s) + 1;
	return begin;
}

/* Slots of one site stand side by side, and so share its text. */
static void fill(struct prs_den_unit *item, struct prs_den_row *row, char *text, const struct prs_den_desc *d)
{
	uint32_t at = 0;

	if (d->unit)
		item->name = 1 + put(text, &at, d->unit);

	for (uint32_t i = 0; i < d->n_slots; i++) {
		const struct prs_den_slot *slot = &d->slots[i];
		const struct prs_den_site *s = slot->site;
		bool again = i && d->slots[i - 1].site == s;

		row[i] = (struct prs_den_row){
			.site = (uint64_t)s,
			.id = s->id,
			.role = slot->role,
			.operand = slot->operand,
			.kind = s->kind,
			.type = s->type,
			.line = s->line,
			.column = s->column,
			.flags = s->flags,
			.operands = s->operands,
			.file = again ? row[i - 1].file : put(text, &at, s->file),
			.function = again ? row[i - 1].function : put(text, &at, s->function),
			.name = again ? row[i - 1].name : put(text, &at, s->name),
		};
	}
}

/* The module may go, and its descriptor with it. */
static uint64_t *copy_loops(const struct prs_den_desc *d)
{
	uint64_t *to = d->n_loops ? den_alloc(&den.arena, d->n_loops * sizeof(*to)) : NULL;

	if (to)
		memcpy(to, d->loops, d->n_loops * sizeof(*to));
	return to;
}

static struct den_unit *add_unit(const struct prs_den_desc *d, uint32_t module)
{
	struct den_unit *u = den_alloc(&den.arena, sizeof(*u));
	size_t text = d->unit ? strlen(d->unit) + 1 : 0;
	struct prs_den_unit *item;

	for (uint32_t i = 0; i < d->n_slots; i++)
		if (!i || d->slots[i].site != d->slots[i - 1].site)
			text += text_bytes(d->slots[i].site);
	if (!u || text > UINT32_MAX)
		return NULL;
	item = den_take(PRS_DEN_ITEM_UNIT,
			sizeof(*item) + (size_t)d->n_slots * sizeof(struct prs_den_row) + text);
	if (!item)
		return NULL;
	item->desc = (uint64_t)d;
	item->module = module;
	item->mode = d->mode;
	item->flags = d->flags;
	item->n_slots = d->n_slots;
	item->text_bytes = (uint32_t)text;
	u->rows = (struct prs_den_row *)(item + 1);
	fill(item, (struct prs_den_row *)(item + 1), (char *)(u->rows + d->n_slots), d);
	den_publish(item);
	*u = (struct den_unit){units,      d,       d->slots, u->rows,       item->item.number,
			       d->n_slots, d->mode, module,   copy_loops(d), 0};
	u->n_loops = u->loops ? d->n_loops : 0;
	__atomic_store_n(&units, u, __ATOMIC_RELEASE);
	return u;
}

bool den_has_loops(void)
{
	for (struct den_unit *u = __atomic_load_n(&units, __ATOMIC_ACQUIRE); u; u = u->next)
		if (u->n_loops)
			return true;
	return false;
}

bool den_counts_at(uint64_t address)
{
	for (struct den_unit *u = __atomic_load_n(&units, __ATOMIC_ACQUIRE); u; u = u->next)
		if (den_module_holds(u->module, address))
			return true;
	return false;
}

bool den_loops_at(uint64_t address)
{
	uint64_t function = (uint64_t)_Unwind_FindEnclosingFunction((void *)(address + 1));

	for (struct den_unit *u = __atomic_load_n(&units, __ATOMIC_ACQUIRE); u; u = u->next) {
		if (!function && u->n_loops && den_module_holds(u->module, address))
			return true;
		for (uint64_t i = 0; function && i < u->n_loops; i++)
			if (u->loops[i] == function)
				return true;
	}
	return false;
}

static struct den_unit *unit_of(const struct prs_den_desc *d, uint32_t module)
{
	for (struct den_unit *u = units; u; u = u->next)
		if (same(u, d))
			return u;
	return add_unit(d, module);
}

static struct den_table *table_of(struct den_self *s, const struct den_unit *u)
{
	struct prs_den_table *item;
	struct den_table *t;

	for (t = s->tables; t; t = t->next)
		if (t->unit == u)
			return t;
	t = den_alloc(&den.arena, sizeof(*t));
	item = t ? den_take(PRS_DEN_ITEM_TABLE, sizeof(*item) + (size_t)u->n_slots * 8) : NULL;
	if (!item)
		return NULL;
	item->unit = u->number;
	item->thread = s->number;
	den_publish(item);
	*t = (struct den_table){s->tables, u, item->count, NULL};
	s->tables = t;
	return t;
}

DEN_EXPORT uint64_t *prs_den_open(const struct prs_den_desc *desc, uint64_t **pointer)
{
	struct den_self *s;
	struct den_table *t = NULL;
	uint32_t module;
	sigset_t old;

	/* A library that the program needs may be begun before this one is. */
	den_begin();
	s = desc->version == PRS_DEN_VERSION ? den_self() : NULL;
	if (!s)
		return *pointer = nobody(desc->n_slots);
	module = den_module((uint64_t)desc);
	den_look(s, 0);
	den_lock(&old);
	struct den_unit *u = unit_of(desc, module);

	if (u)
		t = table_of(s, u);
	if (t)
		t->pointer = pointer;
	den_unlock(&old);
	den_left_begin();
	*pointer = t ? t->count : nobody(desc->n_slots);
	return *pointer;
}

DEN_EXPORT void prs_den_calm(void)
{
	struct den_self *s = den_self();

	if (s && !(++s->loops % CALM))
		den_calm(s);
}

DEN_EXPORT void prs_den_clear(void)
{
	struct den_self *s = den_self();

	if (s)
		den_calm(s);
}

DEN_EXPORT void prs_den_look(void)
{
	uint64_t address = (uint64_t)__builtin_return_address(0);
	bool is_new = den_thread_is_new();
	struct den_self *s;

	den_begin();
	s = den_self_at(address);
	if (!s)
		return;
	if (is_new || den_flush_is_new(s))
		den_module(address);
	den_look(s, address);
}

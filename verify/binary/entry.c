/* SPDX-License-Identifier: MIT */
#include "verify/binary/entry.h"

#include <stdlib.h>
#include <string.h>

#include "verify/elf/flow.h"
#include "verify/elf/loader.h"

struct entries {
	struct binary *b;
	struct findings *list;
	const struct image_symbol **call; /* functions that hold calls of generated ones */
	size_t n_calls;
	bool *is_used;                     /* by call: somebody refers to its begin */
	uint64_t identity, identity_bytes; /* the thread's instance, from the thread pointer on; 0: none */
};

static void add_callers(struct entries *x)
{
	for (size_t i = 0; i < x->b->n_copies; i++) {
		const struct image_symbol *f = x->b->copy[i].where;
		size_t k = 0;

		while (k < x->n_calls && x->call[k] != f)
			k++;
		if (!f || k < x->n_calls)
			continue;
		x->call = need_more(x->call, x->n_calls, sizeof(*x->call));
		x->call[x->n_calls++] = f;
	}
	x->is_used = need(x->n_calls + 1, sizeof(*x->is_used));
}

static bool entry_is_inside(const struct image_symbol *f, uint64_t address)
{
	return address > f->address && address - f->address < f->size;
}

/* The function whose middle is @address and that may be entered at its begin only, or NULL. */
static const struct image_symbol *middle_of(const struct entries *x, uint64_t address)
{
	const struct image_symbol *f;

	for (size_t i = 0; i < x->n_calls; i++)
		if (entry_is_inside(x->call[i], address))
			return x->call[i];
	f = symbols_function_at(&x->b->symbols, address);
	return f && symbols_ours(f) && entry_is_inside(f, address) ? f : NULL;
}

/* Somebody refers to @address. */
static void use(struct entries *x, uint64_t address)
{
	for (size_t i = 0; i < x->n_calls; i++)
		x->is_used[i] |= x->call[i]->address == address;
}

/* Does @f have another name by which it is a part of @whole? */
static bool is_part(const struct entries *x, const struct image_symbol *f, const struct image_symbol *whole)
{
	const struct symbols *s = &x->b->symbols;

	for (size_t i = symbols_at(s, f->address); i < s->n_places && s->place[i].address == f->address; i++)
		if (s->place[i].type == STT_FUNC && flow_is_part(s->place[i].name, whole->name))
			return true;
	return false;
}

static void check_target(struct entries *x, const struct image_symbol *f, const struct insn *insn)
{
	const struct image_symbol *whole;

	if (insn->flow != FLOW_CALL && insn->flow != FLOW_JUMP && insn->flow != FLOW_BRANCH)
		return;
	if (f->address != insn->target)
		use(x, insn->target);
	whole = middle_of(x, insn->target);
	if (whole && whole->address != f->address && !is_part(x, f, whole))
		findings_add(x->list, "`%s` at 0x%llx goes into the middle of `%s`, not by its begin",
			     f->name, (unsigned long long)(insn->target), whole->name);
}

/* Does it use the thread's instance? */
static void check_identity(struct entries *x, const struct image_symbol *f, const uint8_t *code, size_t size)
{
	int32_t distance;

	if (x->identity_bytes && insn_by_thread(code, size, &distance) &&
	    (uint64_t)(int64_t)distance - x->identity < x->identity_bytes)
		findings_add(x->list, "`%s` uses the variable by which the generated code knows a thread",
			     f->name);
}

static void check_function(struct entries *x, const struct image_symbol *f)
{
	const uint8_t *code = image_at(&x->b->image, f->address, (size_t)f->size);
	bool fixed = x->b->image.head.e_type == ET_EXEC;
	struct insn insn;

	for (uint64_t at = 0; code && at < f->size; at += insn.size) {
		if (!insn_decode(code + at, (size_t)(f->size - at), f->address + at, &insn))
			return;
		check_target(x, f, &insn);
		use(x, insn.data);
		if (fixed)
			use(x, insn.constant);
		if (!symbols_inside(f))
			check_identity(x, f, code + at, insn.size);
	}
}

static bool is_entry(const struct entries *x, const struct image_symbol *f, uint64_t place)
{
	struct body b;
	bool found;

	body_read(&b, &x->b->image, &x->b->symbols, f);
	found = body_has_entry(&b, place);
	body_release(&b);
	return found;
}

static void check_pointer(struct entries *x, uint64_t place, uint64_t value)
{
	const struct image_symbol *whole = middle_of(x, value);

	use(x, value);
	if (whole && !is_entry(x, whole, place))
		findings_add(&x->b->notes,
			     "that nobody goes by the pointer at 0x%llx, into the middle of `%s`",
			     (unsigned long long)place, whole->name);
}

/* Pointers in a file with fixed addresses. */
static void check_words(struct entries *x, size_t section)
{
	const Elf64_Shdr *h = &x->b->image.section[section];
	size_t size;
	const uint8_t *data = image_bytes(&x->b->image, section, &size);

	if (x->b->image.head.e_type != ET_EXEC || !(h->sh_flags & SHF_ALLOC) || h->sh_flags & SHF_EXECINSTR ||
	    !data)
		return;
	for (size_t at = 0; at + sizeof(uint64_t) <= size; at += sizeof(uint64_t)) {
		uint64_t value;

		memcpy(&value, data + at, sizeof(value));
		if (value && !(value >> 32) && !loader_at(&x->b->image, h->sh_addr + at))
			check_pointer(x, h->sh_addr + at, value);
	}
}

/* Libraries and the loader come by these. */
static void use_exported(struct entries *x)
{
	size_t table = image_only(&x->b->image, SHT_DYNSYM);
	struct image_symbol s;

	for (size_t i = 1; table < x->b->image.n_sections && image_symbol(&x->b->image, table, i, &s); i++)
		if (s.section != SHN_UNDEF)
			use(x, s.address);
	use(x, x->b->image.head.e_entry);
}

static bool is_called(const struct entries *x, const struct generated_symbol *g, const char **name)
{
	for (size_t i = 0; i < x->b->n_copies; i++) {
		const struct copy *c = &x->b->copy[i];
		size_t k = 0;

		if (c->to != g)
			continue;
		while (k < x->n_calls && x->call[k] != c->where)
			k++;
		if (k == x->n_calls || x->is_used[k])
			return true;
		*name = c->where->name;
	}
	return false;
}

/* Of each trigger one call at least is in a function that somebody refers to. */
static void check_dead(struct entries *x)
{
	for (size_t i = 0; i < x->b->symbols.n_generated; i++) {
		const struct generated_symbol *g = &x->b->symbols.generated[i];
		const char *name = NULL;

		if ((g->kind == GEN_TRIGGER || g->kind == GEN_FLUSH_BEGIN) && g->calls &&
		    !is_called(x, g, &name) && name)
			findings_add(&x->b->notes, "that %s is ever executed: nothing refers to `%s`",
				     g->s.name, name);
	}
}

static void find_identity(struct entries *x)
{
	const struct symbols *s = &x->b->symbols;
	uint64_t bytes = 0, align = 1;
	Elf64_Phdr p;

	for (size_t i = 0; image_segment(&x->b->image, i, &p); i++)
		if (p.p_type == PT_TLS) {
			align = p.p_align ? p.p_align : 1;
			bytes = p.p_memsz;
		}
	for (size_t i = symbols_named(s, "perseus_instance");
	     i < s->n_places && !strcmp(s->by_name[i]->name, "perseus_instance"); i++)
		if (s->by_name[i]->type == STT_TLS && bytes) {
			x->identity = s->by_name[i]->address - (bytes + align - 1) / align * align;
			x->identity_bytes = s->by_name[i]->size;
		}
}

void entry_check(struct binary *b, struct findings *list)
{
	struct entries x = {.b = b, .list = list};
	const struct symbols *s = &b->symbols;

	add_callers(&x);
	find_identity(&x);
	for (size_t i = 0; i < s->n_functions; i++)
		if (!i || s->function[i].address != s->function[i - 1].address)
			check_function(&x, &s->function[i]);
	for (size_t i = 0; i < b->image.n_stores; i++)
		if (!b->image.store[i].import && b->image.store[i].type != RELOC_COPY)
			check_pointer(&x, b->image.store[i].place, b->image.store[i].value);
	for (size_t i = 0; i < b->image.n_sections; i++)
		check_words(&x, i);
	use_exported(&x);
	check_dead(&x);
	free(x.call);
	free(x.is_used);
}

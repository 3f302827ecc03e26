/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "verify/arch/reloc.h"
#include "verify/elf/loader.h"
#include "verify/objects/arch/x86_64/rewrite.h"

static uint64_t value_at(const struct place *p, int64_t from)
{
	int32_t n = 0;
	uint64_t k = p->k + (uint64_t)from;

	if (k <= p->at->size && p->at->size - k >= sizeof(n))
		memcpy(&n, p->theirs + k, sizeof(n));
	return (uint64_t)(int64_t)n;
}

static struct target direct(const struct place *p, int64_t from)
{
	uint64_t here = p->at->address + p->k + (uint64_t)from;

	return (struct target){.known = true, .address = value_at(p, from) + here - (uint64_t)p->r.r_addend};
}

/* An access by the GOT, which the linker may have turned into a direct one. */
static bool by_got(struct compare *c, const struct place *p)
{
	struct target t = direct(p, 0);

	switch (rewrite_of_got(p)) {
	case REWRITE_NONE:
		t = target_in_slot(&c->b->image, t.address);
		break;
	case REWRITE_NEAR:
		break;
	case REWRITE_EARLIER:
		t = direct(p, -1);
		break;
	case REWRITE_NUMBER:
		t = (struct target){.known = true, .address = value_at(p, 0)};
		break;
	default:
		return false;
	}
	return reference_leads(c, &p->s, &t, p->r.r_addend);
}

/* Is the variable of @s so far from the thread pointer? */
static bool is_distance(struct compare *c, const struct image_symbol *s, uint64_t distance)
{
	uint64_t offset = distance + c->tls;
	const struct symbols *all = &c->b->symbols;

	if (reference_is_anonymous(s))
		return s->section < c->e->n_sections && reference_learn(c, s->section, offset - s->address);
	/* As if a variable that nobody defines began where addresses begin, or the block ends. */
	if (reference_is_nothing(c, s))
		return offset == c->tls || !(offset + c->first);
	for (size_t i = symbols_named(all, s->name);
	     i < all->n_places && !strcmp(all->by_name[i]->name, s->name); i++)
		if (all->by_name[i]->type == STT_TLS && all->by_name[i]->address == offset)
			return true;
	return false;
}

/* Is the number @from bytes behind the place the distance of the variable from the thread pointer? */
static bool by_thread(struct compare *c, const struct place *p, int64_t from, int64_t addend)
{
	return is_distance(c, &p->s, value_at(p, from) - (uint64_t)addend);
}

/* All of a unit is counted from one base, and that was used before, if any. */
static bool set_base(struct compare *c, enum thread_base base)
{
	bool right = c->base_of_unit == THREAD_UNKNOWN || c->base_of_unit == base;

	c->base_of_unit = base;
	return right;
}

/* @distance from the thread pointer is that of a base. */
static bool is_base(struct compare *c, uint64_t distance)
{
	return (!distance && set_base(c, THREAD_END)) || (distance == -c->tls && set_base(c, THREAD_BEGIN));
}

/* A variable, from the base of its unit. */
static bool by_base(struct compare *c, const struct place *p)
{
	uint64_t begin = c->base_of_unit == THREAD_BEGIN ? c->tls : 0;

	return by_thread(c, p, 0, (int64_t)((uint64_t)p->r.r_addend + begin));
}

static bool is_store_of(const struct compare *c, uint64_t place, enum reloc type, const char *name)
{
	const struct store *s = loader_at(&c->b->image, place);

	return s && s->type == type && s->import && !s->addend && reference_is_called(s->import, name);
}

/* Does the slot that four bytes behind @from lead to hold the variable's distance, by the loader or from the start? */
static bool by_thread_slot(struct compare *c, const struct place *p, int64_t from)
{
	uint64_t slot = p->at->address + p->k + (uint64_t)from + 4 + value_at(p, from), distance;
	const uint8_t *data = image_at(&c->b->image, slot, sizeof(distance));
	size_t at = 0;

	if (p->r.r_addend != -4)
		return false;
	if (!data || loader_next(&c->b->image, slot, sizeof(distance), &at))
		return is_store_of(c, slot, RELOC_FROM_THREAD, p->s.name);
	memcpy(&distance, data, sizeof(distance));
	return is_distance(c, &p->s, distance);
}

/* The access as the object has it: lea slots(%rip), %rdi; call __tls_get_addr */
static bool by_get_addr(const struct compare *c, const struct place *p)
{
	uint64_t slot = p->at->address + p->k + 4 + value_at(p, 0), k = p->k + 4;
	struct insn call;
	struct target t;

	if (!insn_decode(p->theirs + k, 8, p->at->address + k, &call) || call.size != 8 ||
	    (call.flow != FLOW_CALL && call.flow != FLOW_CALL_BY))
		return false;
	t = target_of(&c->b->image, &c->b->symbols, &call);
	return t.known && t.import && reference_is_called(t.import, "__tls_get_addr") &&
	       p->r.r_addend == -4 && is_store_of(c, slot, RELOC_MODULE, p->s.name) &&
	       is_store_of(c, slot + 8, RELOC_IN_MODULE, p->s.name);
}

/* The addend of a distance that counts from behind the four bytes; a damaged file may have any. */
static int64_t behind(const struct place *p)
{
	return (int64_t)((uint64_t)p->r.r_addend + 4);
}

/* What the pointer at the place is when the program runs, without the addend of the reference. */
static struct target pointer(const struct compare *c, const struct place *p)
{
	uint64_t place = p->at->address + p->k;
	const struct store *s = loader_at(&c->b->image, place);
	struct target t = target_in_slot(&c->b->image, place);

	if (s && s->import)
		return (struct target){.known = s->known && s->addend == p->r.r_addend, .import = s->import};
	t.address -= (uint64_t)p->r.r_addend;
	return t;
}

/* A thread-local variable of one unit: as the object has it, or what the linker makes of it. */
static bool by_thread_access(struct compare *c, const struct place *p)
{
	switch (rewrite_of_thread(p)) {
	case REWRITE_NONE:
		if (ELF64_R_TYPE(p->r.r_info) == R_X86_64_TLSGD)
			return by_get_addr(c, p);
		return ELF64_R_TYPE(p->r.r_info) == R_X86_64_GOTTPOFF && by_thread_slot(c, p, 0);
	case REWRITE_NUMBER: /* mov $distance, %reg and the like */
		if (!strcmp(p->s.name, "_TLS_MODULE_BASE_"))
			return is_base(c, value_at(p, 0) - (uint64_t)behind(p));
		return by_thread(c, p, 0, behind(p));
	case REWRITE_BASE: /* the thread pointer, to which others add */
		return is_base(c, 0);
	case REWRITE_BEGIN: /* the same less a number */
		return is_base(c, -value_at(p, 5));
	case REWRITE_BEGIN_LATER:
		return is_base(c, -value_at(p, 6));
	case REWRITE_LATER: /* behind mov %fs:0, %rax: lea distance(%rax), %rax */
		return by_thread(c, p, 8, behind(p));
	case REWRITE_LATER_SLOT: /* the same: add slot(%rip), %rax */
		return by_thread_slot(c, p, 8);
	case REWRITE_SLOT: /* mov slot(%rip), %reg */
		return by_thread_slot(c, p, 0);
	default:
		return false;
	}
}

bool reference_is_right(struct compare *c, const struct place *p)
{
	struct target t;

	/* The call belongs to the access in front, which is looked at as a whole. */
	if (p->is_covered && !strcmp(p->s.name, "__tls_get_addr"))
		return true;
	switch (ELF64_R_TYPE(p->r.r_info)) {
	case R_X86_64_PC32:
	case R_X86_64_PLT32:
		t = direct(p, 0);
		return reference_leads(c, &p->s, &t, behind(p));
	case R_X86_64_32:
	case R_X86_64_32S:
		t = (struct target){.known = true, .address = value_at(p, 0) - (uint64_t)p->r.r_addend};
		return reference_leads(c, &p->s, &t, p->r.r_addend);
	case R_X86_64_64:
		t = pointer(c, p);
		return reference_leads(c, &p->s, &t, p->r.r_addend);
	case R_X86_64_GOTPCREL:
	case R_X86_64_GOTPCRELX:
	case R_X86_64_REX_GOTPCRELX:
		return by_got(c, p);
	case R_X86_64_TPOFF32: /* an executable's block has a fixed place */
		return by_thread(c, p, 0, p->r.r_addend);
	case R_X86_64_DTPOFF32:
		return by_base(c, p);
	case R_X86_64_GOTTPOFF:
	case R_X86_64_TLSGD:
	case R_X86_64_TLSLD:
	case R_X86_64_GOTPC32_TLSDESC:
		return by_thread_access(c, p);
	case R_X86_64_TLSDESC_CALL:
		return rewrite_of_thread(p) == REWRITE_BASE;
	default:
		return false;
	}
}

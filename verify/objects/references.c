/* SPDX-License-Identifier: MIT */
#include "verify/objects/references.h"

#include <string.h>

#include "verify/elf/loader.h"
#include "verify/objects/rewrite.h"

/* The linker's --wrap is used for this one name; what else it leads elsewhere is led elsewhere. */
static bool is_wrapped(const char *theirs, const char *ours)
{
	if (!strcmp(ours, "pthread_create"))
		return !strcmp(theirs, "__wrap_pthread_create");
	return !strcmp(ours, "__real_pthread_create") && !strcmp(theirs, "pthread_create");
}

/* The same name, or what the linker's --wrap makes of it. */
static bool is_called(const char *theirs, const char *ours)
{
	size_t n = strlen(ours);

	/* A variable of a library that the executable has a copy of carries its version. */
	if (!strncmp(theirs, ours, n) && (!theirs[n] || theirs[n] == '@'))
		return true;
	return is_wrapped(theirs, ours);
}

static bool has_name_at(const struct symbols *s, uint64_t address, const char *name)
{
	for (size_t i = symbols_at(s, address); i < s->n_places && s->place[i].address == address; i++)
		if (is_called(s->place[i].name, name))
			return true;
	return false;
}

/* Names that the assembler keeps to itself, and sections. */
static bool is_anonymous(const struct image_symbol *s)
{
	return s->type == STT_SECTION || !s->name[0] || !strncmp(s->name, ".L", 2);
}

bool reference_is_sized(const struct image_symbol *s)
{
	return (s->type == STT_FUNC || s->type == STT_OBJECT || s->type == STT_TLS) && s->size &&
	       !is_anonymous(s);
}

#define CONSTANT_MAX 64u

/*
 * The addresses in the constant of @n bytes at @s, which the binary has at @address: they lead where the
 * object's relocations say, and then stand in @theirs as in the object.
 */
static bool same_addresses(struct compare *c, const struct image_symbol *s, uint64_t address, uint8_t *theirs,
			   const uint8_t *ours, size_t n)
{
	for (size_t i = image_find(c->e, SHT_RELA, 0); i < c->e->n_sections;
	     i = image_find(c->e, SHT_RELA, i + 1)) {
		struct image_symbol to;
		Elf64_Rela r;

		for (size_t k = 0; c->e->section[i].sh_info == s->section && image_relocation(c->e, i, k, &r);
		     k++) {
			uint64_t at = r.r_offset - s->address;
			struct target t = target_in_slot(&c->b->image, address + at);

			if (r.r_offset < s->address || at >= n)
				continue;
			t.address -= (uint64_t)r.r_addend;
			if (ELF64_R_TYPE(r.r_info) != R_X86_64_64 || n - at < 8 ||
			    !image_symbol(c->e, c->table, ELF64_R_SYM(r.r_info), &to) ||
			    !reference_leads(c, &to, &t, r.r_addend))
				return false;
			memcpy(theirs + at, ours + at, 8);
		}
	}
	return true;
}

/* Bytes of constants and texts that the linker joined with equal ones. */
static bool same_constant(struct compare *c, const struct image_symbol *s, uint64_t address)
{
	uint8_t with[CONSTANT_MAX];
	const Elf64_Shdr *h = &c->e->section[s->section];
	size_t size, n = (size_t)h->sh_entsize;
	const uint8_t *ours = image_bytes(c->e, s->section, &size), *theirs;

	if (!ours || s->address >= size)
		return false;
	size -= (size_t)s->address;
	if (h->sh_flags & SHF_STRINGS && n == 1)
		n = strnlen((const char *)ours + s->address, size) + 1;
	theirs = image_at(&c->b->image, address, n);
	if (!theirs || !n || n > size)
		return false;
	ours += s->address;
	if (h->sh_flags & SHF_STRINGS || n > sizeof(with))
		return !memcmp(theirs, ours, n);
	memcpy(with, theirs, n);
	return same_addresses(c, s, address, with, ours, n) && !memcmp(with, ours, n);
}

bool reference_learn(struct compare *c, size_t section, uint64_t base)
{
	struct image_symbol s;

	if (c->base[section] != NOWHERE)
		return c->base[section] == base;
	for (size_t i = 1; image_symbol(c->e, c->table, i, &s); i++)
		if (s.section == section && reference_is_sized(&s) && s.type != STT_TLS &&
		    !has_name_at(&c->b->symbols, base + s.address, s.name))
			return false;
	c->base[section] = base;
	return true;
}

/* A variable of a library, of which the executable has a copy. */
static bool is_copied(const struct compare *c, uint64_t address)
{
	const struct store *s = loader_at(&c->b->image, address);

	return s && s->type == R_X86_64_COPY;
}

/* What need not be defined, and is not, is at 0. */
static bool is_nothing(const struct compare *c, const struct image_symbol *s)
{
	return s->bind == STB_WEAK && s->section == SHN_UNDEF &&
	       symbols_named(&c->b->symbols, s->name) == c->b->symbols.n_places;
}

/* Names of numbers have no place in the program. */
static bool is_absolute(const struct compare *c, const struct image_symbol *s, uint64_t value)
{
	size_t table = image_find(&c->b->image, SHT_SYMTAB, 0);
	struct image_symbol d;

	if (s->section != SHN_UNDEF || is_anonymous(s) ||
	    symbols_named(&c->b->symbols, s->name) < c->b->symbols.n_places)
		return false;
	for (size_t i = 1; image_symbol(&c->b->image, table, i, &d); i++)
		if (d.section == SHN_ABS && d.bind != STB_LOCAL && d.address == value &&
		    !strcmp(d.name, s->name))
			return true;
	return false;
}

bool reference_leads(struct compare *c, const struct image_symbol *s, const struct target *t, int64_t addend)
{
	if (!t->known)
		return false;
	if (!t->import && ((!t->address && is_nothing(c, s)) || is_absolute(c, s, t->address)))
		return true;
	if (t->import)
		return is_called(t->import, s->name);
	if (!is_anonymous(s)) {
		struct insn jump = {.flow = FLOW_JUMP, .target = t->address};
		struct target through = target_of(&c->b->image, &c->b->symbols, &jump);

		if (has_name_at(&c->b->symbols, t->address, s->name)) {
			if (s->section == SHN_UNDEF && !is_copied(c, t->address))
				closure_want(c->closure, s->name);
			return true;
		}
		return (through.known && through.address != t->address &&
			reference_leads(c, s, &through, addend));
	}
	if (s->section >= c->e->n_sections)
		return false;
	if (c->e->section[s->section].sh_flags & SHF_MERGE) {
		struct image_symbol part = *s;

		part.address += s->type == STT_SECTION ? (uint64_t)addend : 0;
		return same_constant(c, &part, t->address + part.address - s->address);
	}
	return reference_learn(c, s->section, t->address - s->address);
}

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

	if (is_anonymous(s))
		return s->section < c->e->n_sections && reference_learn(c, s->section, offset - s->address);
	/* As if a variable that nobody defines began where addresses begin, or the block ends. */
	if (is_nothing(c, s))
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

static bool is_store_of(const struct compare *c, uint64_t place, uint32_t type, const char *name)
{
	const struct store *s = loader_at(&c->b->image, place);

	return s && s->type == type && s->import && !s->addend && is_called(s->import, name);
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
		return is_store_of(c, slot, R_X86_64_TPOFF64, p->s.name);
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
	return t.known && t.import && is_called(t.import, "__tls_get_addr") && p->r.r_addend == -4 &&
	       is_store_of(c, slot, R_X86_64_DTPMOD64, p->s.name) &&
	       is_store_of(c, slot + 8, R_X86_64_DTPOFF64, p->s.name);
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

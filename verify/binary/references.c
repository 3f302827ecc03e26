/* SPDX-License-Identifier: MIT */
#include "verify/binary/references.h"

#include <string.h>

#include "verify/loader.h"

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

/* Bytes of constants and texts that the linker joined with equal ones. */
static bool same_constant(const struct compare *c, const struct image_symbol *s, uint64_t address)
{
	const Elf64_Shdr *h = &c->e->section[s->section];
	size_t size, n = (size_t)h->sh_entsize;
	const uint8_t *ours = image_bytes(c->e, s->section, &size), *theirs;

	if (!ours || s->address >= size)
		return false;
	size -= (size_t)s->address;
	if (h->sh_flags & SHF_STRINGS && n == 1)
		n = strnlen((const char *)ours + s->address, size) + 1;
	theirs = image_at(&c->b->image, address, n);
	return theirs && n && n <= size && !memcmp(theirs, ours + s->address, n);
}

/* What has no name must be where its whole section is: all names of it say so, or the first reference did. */
static bool section_is_at(struct compare *c, size_t section, uint64_t base)
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

bool reference_leads(struct compare *c, const struct image_symbol *s, const struct target *t, int64_t addend)
{
	if (!t->known)
		return false;
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
	return section_is_at(c, s->section, t->address - s->address);
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

static uint8_t byte_before(const struct place *p, uint64_t n)
{
	return p->k >= n ? p->theirs[p->k - n] : 0;
}

/* An access by the GOT, which the linker may have turned into a direct one. */
static bool by_got(struct compare *c, const struct place *p)
{
	struct target t = direct(p, 0);
	uint8_t opcode = byte_before(p, 2), modrm = byte_before(p, 1);

	if (opcode == 0x8d || (opcode == 0x67 && modrm == 0xe8))
		return reference_leads(c, &p->s, &t, p->r.r_addend);
	if (opcode == 0xe9 || opcode == 0xc7) { /* jmp f; nop -- mov $f, %reg */
		t = opcode == 0xe9 ? direct(p, -1)
				   : (struct target){.known = true, .address = value_at(p, 0)};
		return reference_leads(c, &p->s, &t, p->r.r_addend);
	}
	t = target_in_slot(&c->b->image, t.address);
	return reference_leads(c, &p->s, &t, p->r.r_addend);
}

/* Is the number @from bytes behind the place the distance of the variable from the thread pointer? */
static bool by_thread(struct compare *c, const struct place *p, int64_t from, int64_t addend)
{
	uint64_t offset = value_at(p, from) - (uint64_t)addend + c->tls;
	const struct symbols *s = &c->b->symbols;

	if (is_anonymous(&p->s))
		return p->s.section < c->e->n_sections &&
		       section_is_at(c, p->s.section, offset - p->s.address);
	for (size_t i = symbols_named(s, p->s.name);
	     i < s->n_places && !strcmp(s->by_name[i]->name, p->s.name); i++)
		if (s->by_name[i]->type == STT_TLS && s->by_name[i]->address == offset)
			return true;
	return false;
}

static bool is_store_of(const struct compare *c, uint64_t place, uint32_t type, const char *name)
{
	const struct store *s = loader_at(&c->b->image, place);

	return s && s->type == type && s->import && !s->addend && is_called(s->import, name);
}

/* Does the loader write the distance of the library's variable into the slot that four bytes behind @from lead to? */
static bool by_thread_slot(const struct compare *c, const struct place *p, int64_t from)
{
	uint64_t slot = p->at->address + p->k + (uint64_t)from + 4 + value_at(p, from);

	return p->r.r_addend == -4 && is_store_of(c, slot, R_X86_64_TPOFF64, p->s.name);
}

/* The access as the object has it: lea slots(%rip), %rdi; call __tls_get_addr */
static bool by_get_addr(const struct compare *c, const struct place *p)
{
	uint64_t slot = p->at->address + p->k + 4 + value_at(p, 0), k = p->k + 4;
	struct insn call;
	struct target t;

	if (p->k < 4 || memcmp(p->theirs + p->k - 4, "\x66\x48\x8d\x3d", 4) || p->at->size - p->k < 12 ||
	    !insn_decode(p->theirs + k, 8, p->at->address + k, &call) || call.size != 8 ||
	    (call.flow != FLOW_CALL && call.flow != FLOW_CALL_BY))
		return false;
	t = target_of(&c->b->image, &c->b->symbols, &call);
	return t.known && t.import && is_called(t.import, "__tls_get_addr") && p->r.r_addend == -4 &&
	       is_store_of(c, slot, R_X86_64_DTPMOD64, p->s.name) &&
	       is_store_of(c, slot + 8, R_X86_64_DTPOFF64, p->s.name);
}

/* mov or add slot(%rip), %reg */
static bool is_by_slot(const struct place *p)
{
	uint8_t opcode = byte_before(p, 2);

	return (opcode == 0x8b || opcode == 0x03) && (byte_before(p, 1) & 0xc7) == 0x05;
}

/* Behind `mov %fs:0, %rax`: add slot(%rip), %rax */
static bool is_added(const struct place *p)
{
	uint64_t k = p->k + 5;

	return k < p->at->size && p->at->size - k >= 3 && !memcmp(p->theirs + k, "\x48\x03\x05", 3);
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

bool reference_is_right(struct compare *c, const struct place *p)
{
	struct target t;

	/* The call belongs to the access in front, which is looked at as a whole. */
	if (!strcmp(p->s.name, "__tls_get_addr"))
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
	case R_X86_64_TPOFF32:
	case R_X86_64_DTPOFF32: /* an executable's block has a fixed place */
		return by_thread(c, p, 0, p->r.r_addend);
	case R_X86_64_GOTTPOFF: /* mov $distance, %reg */
		return is_by_slot(p) ? by_thread_slot(c, p, 0) : by_thread(c, p, 0, behind(p));
	case R_X86_64_TLSGD: /* mov %fs:0, %rax; lea distance(%rax), %rax */
		if (byte_before(p, 4) == 0x66)
			return by_get_addr(c, p);
		return byte_before(p, 4) == 0x64 &&
		       (is_added(p) ? by_thread_slot(c, p, 8) : by_thread(c, p, 8, behind(p)));
	case R_X86_64_TLSLD: /* mov %fs:0, %rax */
		return byte_before(p, 3) == 0x66 || byte_before(p, 3) == 0x64;
	default:
		return false;
	}
}

/* Bytes before and from the place that the linker may write. */
static void reach(uint32_t type, uint64_t *before, uint64_t *from)
{
	*before = 0;
	*from = type == R_X86_64_64 ? 8 : 4;
	if (type == R_X86_64_GOTPCRELX || type == R_X86_64_REX_GOTPCRELX || type == R_X86_64_GOTTPOFF)
		*before = 3;
	if (type == R_X86_64_TLSGD || type == R_X86_64_TLSLD) {
		*before = type == R_X86_64_TLSGD ? 4 : 3;
		*from = type == R_X86_64_TLSGD ? 12 : 9;
	}
}

void reference_mark(uint8_t *mask, const struct stretch *at, const Elf64_Rela *r)
{
	uint64_t before, from;

	reach(ELF64_R_TYPE(r->r_info), &before, &from);
	for (uint64_t k = r->r_offset - before; k != r->r_offset + from; k++)
		if (k >= at->offset && k - at->offset < at->size)
			mask[k - at->offset] = 1;
}

/* SPDX-License-Identifier: MIT */
#include "verify/placed.h"

#include <stdlib.h>
#include <string.h>

#include "verify/loader.h"
#include "verify/target.h"

#define NOWHERE UINT64_MAX

/* One object against one executable. */
struct compare {
	struct closure *closure;
	const struct image *e;
	const struct binary *b;
	size_t table;        /* the object's symbols */
	uint64_t *base;      /* by section: where its first byte is in the executable, as references say */
	uint64_t *learnt;    /* a copy of it */
	uint64_t first, tls; /* where first values of thread-local variables are, size of their block */
	uint32_t relocations;
};

/* A stretch of a section: a function, a variable, or a whole section without names. */
struct stretch {
	size_t section;
	uint64_t offset, size;
	uint64_t address; /* in the executable */
};

/* What a relocation's place holds, and the bytes round it. */
struct place {
	const struct stretch *at;
	const uint8_t *theirs; /* of the stretch */
	uint64_t k;            /* offset of the place in it */
	Elf64_Rela r;
	struct image_symbol s;
};

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

static bool is_sized(const struct image_symbol *s)
{
	return (s->type == STT_FUNC || s->type == STT_OBJECT || s->type == STT_TLS) && s->size &&
	       !is_anonymous(s);
}

/* First values of the thread-local block, which ends *@end bytes on, where the thread pointer is. */
static uint64_t tls_begin(const struct image *e, uint64_t *end)
{
	uint64_t low = UINT64_MAX, high = 0, align = 1;

	for (size_t i = 0; i < e->n_sections; i++) {
		const Elf64_Shdr *h = &e->section[i];

		if (!(h->sh_flags & SHF_TLS))
			continue;
		low = h->sh_addr < low ? h->sh_addr : low;
		high = h->sh_addr + h->sh_size > high ? h->sh_addr + h->sh_size : high;
		align = h->sh_addralign > align ? h->sh_addralign : align;
	}
	*end = high > low ? (high - low + align - 1) / align * align : 0;
	return low;
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
		if (s.section == section && is_sized(&s) && s.type != STT_TLS &&
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

/* Does code or data at @t have what the object calls @s?  @addend is where in a section without names. */
static bool leads_to(struct compare *c, const struct image_symbol *s, const struct target *t, int64_t addend)
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
		return (through.known && through.address != t->address && leads_to(c, s, &through, addend));
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
		return leads_to(c, &p->s, &t, p->r.r_addend);
	if (opcode == 0xe9 || opcode == 0xc7) { /* jmp f; nop -- mov $f, %reg */
		t = opcode == 0xe9 ? direct(p, -1)
				   : (struct target){.known = true, .address = value_at(p, 0)};
		return leads_to(c, &p->s, &t, p->r.r_addend);
	}
	t = target_in_slot(&c->b->image, t.address);
	return leads_to(c, &p->s, &t, p->r.r_addend);
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

static bool is_right(struct compare *c, const struct place *p)
{
	struct target t;

	/* The call belongs to the access in front, which is looked at as a whole. */
	if (!strcmp(p->s.name, "__tls_get_addr"))
		return true;
	switch (ELF64_R_TYPE(p->r.r_info)) {
	case R_X86_64_PC32:
	case R_X86_64_PLT32:
		t = direct(p, 0);
		return leads_to(c, &p->s, &t, behind(p));
	case R_X86_64_32:
	case R_X86_64_32S:
		t = (struct target){.known = true, .address = value_at(p, 0) - (uint64_t)p->r.r_addend};
		return leads_to(c, &p->s, &t, p->r.r_addend);
	case R_X86_64_64:
		t = pointer(c, p);
		return leads_to(c, &p->s, &t, p->r.r_addend);
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

static void mark(uint8_t *mask, const struct stretch *at, const Elf64_Rela *r)
{
	uint64_t before, from;

	reach(ELF64_R_TYPE(r->r_info), &before, &from);
	for (uint64_t k = r->r_offset - before; k != r->r_offset + from; k++)
		if (k >= at->offset && k - at->offset < at->size)
			mask[k - at->offset] = 1;
}

/* Go through the relocations of @at's section; false if one leads elsewhere. */
static bool check_relocations(struct compare *c, const struct stretch *at, const uint8_t *theirs,
			      uint8_t *mask)
{
	struct place p = {.at = at, .theirs = theirs};
	bool right = true;

	for (size_t i = image_find(c->e, SHT_RELA, 0); i < c->e->n_sections;
	     i = image_find(c->e, SHT_RELA, i + 1)) {
		if (c->e->section[i].sh_info != at->section)
			continue;
		for (size_t k = 0; image_relocation(c->e, i, k, &p.r); k++) {
			if (p.r.r_offset < at->offset || p.r.r_offset - at->offset >= at->size)
				continue;
			p.k = p.r.r_offset - at->offset;
			mark(mask, at, &p.r);
			c->relocations++;
			right &= image_symbol(c->e, c->table, ELF64_R_SYM(p.r.r_info), &p.s) &&
				 is_right(c, &p);
		}
	}
	return right;
}

/* Does the loader write into the stretch only where the object has a reference?  @mask NULL: it has none. */
static bool is_left_alone(const struct compare *c, const struct stretch *at, const uint8_t *mask)
{
	const struct store *s;

	for (size_t i = 0; (s = loader_next(&c->b->image, at->address, at->size, &i));) {
		if (!mask || s->place < at->address || at->size - (s->place - at->address) < s->size)
			return false;
		for (uint64_t k = 0; k < s->size; k++)
			if (!mask[s->place - at->address + k])
				return false;
	}
	return true;
}

/* Does the executable begin with zero there?  First values of thread-local variables share addresses with others. */
static bool is_zero(const struct image *e, const struct stretch *at, bool thread_local)
{
	for (size_t i = 0; i < e->n_sections; i++) {
		const Elf64_Shdr *h = &e->section[i];
		size_t size;
		const uint8_t *data = image_bytes(e, i, &size);

		if (!(h->sh_flags & SHF_ALLOC) || !(h->sh_flags & SHF_TLS) == thread_local ||
		    h->sh_addr > at->address || at->address - h->sh_addr >= h->sh_size)
			continue;
		if (at->size > h->sh_size - (at->address - h->sh_addr))
			return false;
		for (uint64_t k = 0; data && k < at->size; k++)
			if (data[at->address - h->sh_addr + k])
				return false;
		return true;
	}
	return false;
}

/* Is the stretch at its address of the executable? */
static bool equal(struct compare *c, const struct stretch *at)
{
	size_t size;
	const uint8_t *ours = image_bytes(c->e, at->section, &size);
	const uint8_t *theirs = image_at(&c->b->image, at->address, (size_t)at->size);
	bool same = true;
	uint8_t *mask;

	if (c->e->section[at->section].sh_type == SHT_NOBITS) {
		bool thread_local = c->e->section[at->section].sh_flags & SHF_TLS;

		return is_zero(&c->b->image, at, thread_local) &&
		       (thread_local || is_left_alone(c, at, NULL));
	}
	if (!ours || !theirs || at->offset > size || at->size > size - at->offset)
		return false;
	mask = need((size_t)at->size, 1);
	same = check_relocations(c, at, theirs, mask) && is_left_alone(c, at, mask);
	for (uint64_t i = 0; same && i < at->size; i++)
		same = mask[i] || ours[at->offset + i] == theirs[i];
	free(mask);
	return same;
}

static void keep(struct placed *out, const struct image_symbol *found)
{
	out->found = need_more(out->found, out->n_found, sizeof(*out->found));
	out->found[out->n_found++] = found;
}

static void keep_name(struct placed *out, const char *name)
{
	size_t n = strlen(name) + 1;

	out->other = need_more(out->other, out->n_other, sizeof(*out->other));
	out->other[out->n_other] = need(n, 1);
	memcpy(out->other[out->n_other++], name, n);
}

/* Compare with the executable's symbol @there; what a failed try learnt about sections is forgotten. */
static bool is_same(struct compare *c, const struct image_symbol *s, const struct image_symbol *there)
{
	struct stretch at = {s->section, s->address, s->size, there->address};
	size_t bytes = c->e->n_sections * sizeof(*c->base);

	if (there->size != s->size || there->type != s->type)
		return false;
	at.address += s->type == STT_TLS ? c->first : 0;
	memcpy(c->learnt, c->base, bytes);
	if (equal(c, &at))
		return true;
	memcpy(c->base, c->learnt, bytes);
	return false;
}

static void check_symbol(struct placed *out, struct compare *c, const struct image_symbol *s,
			 struct findings *list)
{
	const struct symbols *theirs = &c->b->symbols;
	size_t i = symbols_named(theirs, s->name);

	if (i == theirs->n_places) {
		out->absent++;
		return;
	}
	for (; i < theirs->n_places && !strcmp(theirs->by_name[i]->name, s->name); i++) {
		if (!is_same(c, s, theirs->by_name[i]))
			continue;
		*(s->type == STT_FUNC ? &out->functions : &out->variables) += 1;
		keep(out, theirs->by_name[i]);
		return;
	}
	if (s->bind != STB_LOCAL && s->bind != STB_GLOBAL)
		keep_name(out, s->name);
	else
		findings_add(list, "%s in the binary is not the %s of %s", s->name,
			     s->type == STT_FUNC ? "code" : "data", c->e->path);
}

/* Tables and texts without a name, where the references lead. */
static void check_nameless(struct compare *c, struct findings *list)
{
	for (size_t i = 0; i < c->e->n_sections; i++) {
		struct stretch at = {i, 0, c->e->section[i].sh_size, c->base[i]};

		if (at.address != NOWHERE && !(c->e->section[i].sh_flags & (SHF_MERGE | SHF_TLS)) &&
		    !equal(c, &at))
			findings_add(list, "section %s of %s is not what the binary has in its place",
				     image_section_name(c->e, i), c->e->path);
	}
}

void placed_check(struct placed *out, const struct image *e, const struct binary *b, struct findings *list)
{
	struct compare c = {.closure = &out->closure, .e = e, .b = b, .table = image_find(e, SHT_SYMTAB, 0)};
	struct image_symbol s;

	if (c.table == e->n_sections)
		return;
	c.first = tls_begin(&b->image, &c.tls);
	closure_read(&out->closure, e);
	c.base = need(e->n_sections, sizeof(*c.base));
	c.learnt = need(e->n_sections, sizeof(*c.learnt));
	memset(c.base, 0xff, e->n_sections * sizeof(*c.base));
	for (size_t i = 1; image_symbol(e, c.table, i, &s); i++)
		if (s.section < e->n_sections && s.section != SHN_UNDEF && is_sized(&s))
			check_symbol(out, &c, &s, list);
	check_nameless(&c, list);
	out->relocations += c.relocations;
	free(c.base);
	free(c.learnt);
}

void placed_check_others(const struct placed *out, struct findings *list)
{
	for (size_t i = 0; i < out->n_other; i++) {
		size_t k = 0;

		while (k < out->n_found && strcmp(out->found[k]->name, out->other[i]))
			k++;
		if (k == out->n_found)
			findings_add(list, "%s in the binary is not the code of any of the objects",
				     out->other[i]);
	}
}

void placed_check_all(const struct placed *out, const struct binary *b, struct findings *list)
{
	for (size_t i = 0; i < b->symbols.n_places; i++) {
		const struct image_symbol *s = &b->symbols.place[i];
		size_t k = 0;

		if (s->type != STT_FUNC || !symbols_ours(s))
			continue;
		while (k < out->n_found && out->found[k] != s)
			k++;
		if (k == out->n_found)
			findings_add(list, "%s of the binary is in none of the rebuilt objects", s->name);
	}
}

void placed_release(struct placed *p)
{
	free(p->found);
	closure_release(&p->closure);
	for (size_t i = 0; i < p->n_other; i++)
		free(p->other[i]);
	free(p->other);
	*p = (struct placed){0};
}

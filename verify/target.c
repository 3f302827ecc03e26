/* SPDX-License-Identifier: MIT */
#include "verify/target.h"

#include <string.h>

#define STUB_BYTES 16 /* of an entry of the PLT */

/* What relocation @r of section @section writes into its place. */
static struct target relocated(const struct image *e, size_t section, const Elf64_Rela *r)
{
	size_t table = e->section[section].sh_link;
	struct image_symbol s;

	if (ELF64_R_TYPE(r->r_info) == R_X86_64_IRELATIVE || ELF64_R_TYPE(r->r_info) == R_X86_64_RELATIVE)
		return (struct target){.known = true, .address = (uint64_t)r->r_addend};
	if (table >= e->n_sections || !image_symbol(e, table, ELF64_R_SYM(r->r_info), &s))
		return (struct target){0};
	if (s.section != SHN_UNDEF)
		return (struct target){.known = true, .address = s.address};
	return (struct target){.known = true, .import = s.name};
}

struct target target_in_slot(const struct image *e, uint64_t slot)
{
	const uint8_t *data;
	uint64_t address;

	for (size_t i = image_find(e, SHT_RELA, 0); i < e->n_sections; i = image_find(e, SHT_RELA, i + 1)) {
		size_t size;
		Elf64_Rela r;

		if (!(e->section[i].sh_flags & SHF_ALLOC))
			continue;
		data = image_bytes(e, i, &size);
		for (size_t at = 0; data && at + sizeof(r) <= size; at += sizeof(r)) {
			memcpy(&r, data + at, sizeof(r));
			if (r.r_offset == slot)
				return relocated(e, i, &r);
		}
	}
	data = image_at(e, slot, sizeof(address));
	if (!data || e->head.e_type != ET_EXEC)
		return (struct target){0};
	memcpy(&address, data, sizeof(address));
	return (struct target){.known = true, .address = address};
}

/* An entry of the PLT is nothing but a jump by a fixed slot, perhaps behind endbr64. */
static bool is_stub(const struct image *e, uint64_t address, uint64_t *slot)
{
	const uint8_t *code = image_at(e, address, STUB_BYTES);
	struct insn insn;

	for (size_t at = 0; code && at < STUB_BYTES; at += insn.size) {
		if (!insn_decode(code + at, STUB_BYTES - at, address + at, &insn))
			return false;
		if (insn.flow == FLOW_JUMP_BY && insn.slot) {
			*slot = insn.slot;
			return true;
		}
		if (insn.flow != FLOW_NEXT || memcmp(code, "\xf3\x0f\x1e\xfa", 4))
			return false;
	}
	return false;
}

struct target target_of(const struct image *e, const struct symbols *s, const struct insn *insn)
{
	struct target t = {.known = true, .address = insn->target};
	uint64_t slot;

	if (insn->flow == FLOW_CALL_BY || insn->flow == FLOW_JUMP_BY)
		return insn->slot ? target_in_slot(e, insn->slot) : (struct target){0};
	/* The PLT has no symbols. */
	if (symbols_at(s, t.address) < s->n_places || !is_stub(e, t.address, &slot))
		return t;
	return target_in_slot(e, slot);
}

static bool is_name(const char *symbol, const char *name)
{
	if (!strncmp(symbol, "__wrap_", 7))
		symbol += 7;
	else if (symbols_same(symbol, "perseus_thread_create"))
		symbol = "pthread_create"; /* as the program names it in its source */
	return symbols_same(symbol, name);
}

bool target_named(const struct symbols *s, const struct target *t, const char *name)
{
	if (t->import)
		return is_name(t->import, name);
	for (size_t i = symbols_at(s, t->address); i < s->n_places && s->place[i].address == t->address; i++)
		if (is_name(s->place[i].name, name))
			return true;
	return false;
}

const char *target_name(const struct symbols *s, const struct target *t)
{
	size_t i = symbols_at(s, t->address);

	if (!t->known)
		return "a pointer";
	if (t->import)
		return t->import;
	return i < s->n_places ? s->place[i].name : "code without a name";
}

bool target_exists(const struct image *e, const char *name)
{
	struct image_symbol s;

	for (size_t i = 0; i < e->n_sections; i++) {
		size_t n;

		if (e->section[i].sh_type != SHT_SYMTAB && e->section[i].sh_type != SHT_DYNSYM)
			continue;
		n = image_symbols(e, i);
		for (size_t k = 1; k < n; k++)
			if (image_symbol(e, i, k, &s) && is_name(s.name, name))
				return true;
	}
	return false;
}

/* SPDX-License-Identifier: MIT */
#include "verify/start/target.h"

#include <string.h>

#include "verify/elf/loader.h"

#define STUB_BYTES 16 /* of an entry of the PLT */

struct target target_in_slot(const struct image *e, uint64_t slot)
{
	const struct store *s = loader_at(e, slot);
	const uint8_t *data;
	uint64_t address;

	if (s)
		return (struct target){.known = s->known && !s->addend,
				       .import = s->import,
				       .address = s->import ? 0 : s->value};
	data = image_at(e, slot, sizeof(address));
	if (!data || e->head.e_type != ET_EXEC)
		return (struct target){0};
	memcpy(&address, data, sizeof(address));
	return (struct target){.known = true, .address = address};
}

#define NUMBER_BYTES 6 /* of the instruction that loads the number of an entry into %r11 */

static bool target_is_number(const uint8_t *code)
{
	return !memcmp(code, "\x41\xbb", 2);
}

/* Before the jump of an entry of the PLT: endbr64, or its number. */
static bool is_lead(const uint8_t *code, const struct insn *insn)
{
	return (insn->size == 4 && !memcmp(code, "\xf3\x0f\x1e\xfa", 4)) ||
	       (insn->size == NUMBER_BYTES && target_is_number(code));
}

/* Whoever comes to the jump at @address behind its number binds whatever is in %r11. */
static bool lacks_number(const struct image *e, uint64_t address)
{
	const uint8_t *before = image_at(e, address - NUMBER_BYTES, NUMBER_BYTES);

	return before && target_is_number(before);
}

/* An entry of the PLT is nothing but a jump by a fixed slot. */
static bool is_stub(const struct image *e, uint64_t address, uint64_t *slot)
{
	size_t size;
	const uint8_t *code = image_some(e, address, STUB_BYTES, &size);
	bool number = false;
	struct insn insn;

	for (size_t at = 0; at < size; at += insn.size) {
		if (!insn_decode(code + at, size - at, address + at, &insn))
			return false;
		if (insn.flow == FLOW_JUMP_BY && insn.slot && insn.size <= 7 &&
		    (code[at] == 0xff || (code[at] == 0xf2 && code[at + 1] == 0xff))) {
			*slot = insn.slot;
			return number || !lacks_number(e, address + at);
		}
		if (insn.flow != FLOW_NEXT || !is_lead(code + at, &insn))
			return false;
		number |= insn.size == NUMBER_BYTES;
	}
	return false;
}

/* The PLT has no symbols, but those of one linker. */
static bool has_symbols(const struct symbols *s, uint64_t address)
{
	for (size_t i = symbols_at(s, address); i < s->n_places && s->place[i].address == address; i++) {
		const char *kind = strrchr(s->place[i].name, '$');

		if (!kind || (strcmp(kind, "$plt") && strcmp(kind, "$pltgot")))
			return true;
	}
	return false;
}

struct target target_of(const struct image *e, const struct symbols *s, const struct insn *insn)
{
	struct target t = {.known = true, .address = insn->target};
	uint64_t slot;

	if (insn->flow == FLOW_CALL_BY || insn->flow == FLOW_JUMP_BY)
		return insn->slot ? target_in_slot(e, insn->slot) : (struct target){0};
	if (has_symbols(s, t.address) || !is_stub(e, t.address, &slot))
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

static bool defines(const struct symbols *s, const char *name)
{
	for (size_t i = 0; i < s->n_places; i++)
		if (symbols_same(s->place[i].name, name))
			return true;
	return false;
}

/* Variables that each trigger uses: unlike functions, they are there whatever was inlined. */
enum backend target_backend(const struct symbols *s)
{
	if (defines(s, "perseus_key") || defines(s, "perseus_thread_create"))
		return BACKEND_POSIX;
	if (defines(s, "perseus_instance") || s->creates || s->wraps)
		return BACKEND_LINUX;
	return s->places ? BACKEND_STUB : BACKEND_NONE;
}

/* SPDX-License-Identifier: MIT */
#include "verify/start/target.h"

#include <string.h>

#include "verify/arch/plt.h"
#include "verify/elf/loader.h"

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

/* An entry of the PLT.  Whoever comes to its jump behind the number of it binds whatever that is then. */
static bool is_stub(const struct image *e, uint64_t address, uint64_t *slot)
{
	size_t size, loose;
	const uint8_t *code = image_some(e, address, PLT_ENTRY_BYTES, &size), *before;

	if (!plt_entry(code, size, address, slot, &loose))
		return false;
	before =
		loose == PLT_BOUND ? NULL : image_at(e, address + loose - PLT_NUMBER_BYTES, PLT_NUMBER_BYTES);
	return !before || !plt_is_number(before);
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

/* SPDX-License-Identifier: MIT */
#include "verify/start/arrays.h"

#include <stdlib.h>
#include <string.h>

#include "verify/start/startup.h"
#include "verify/start/target.h"

static bool is_array(uint32_t type)
{
	return type == SHT_INIT_ARRAY || type == SHT_FINI_ARRAY || type == SHT_PREINIT_ARRAY;
}

/* The function that a reference leads to: by its name, or by its place in a section. */
static const char *function_of(const struct image *e, size_t table, const struct image_symbol *s,
			       int64_t addend)
{
	struct image_symbol f;

	if (s->type != STT_SECTION)
		return s->name;
	for (size_t i = 1; image_symbol(e, table, i, &f); i++)
		if (f.type == STT_FUNC && f.section == s->section &&
		    f.address == s->address + (uint64_t)addend)
			return f.name;
	return "";
}

static void arrays_add(struct arrays *a, uint32_t type, const char *function)
{
	size_t size = strlen(function) + 1;
	struct array_entry *out;

	a->entry = need_more(a->entry, a->n, sizeof(*a->entry));
	out = &a->entry[a->n++];
	*out = (struct array_entry){.type = type, .function = need(size, 1)};
	memcpy(out->function, function, size);
}

void arrays_read(struct arrays *a, const struct image *e)
{
	size_t table = image_find(e, SHT_SYMTAB, 0);
	struct image_symbol s;
	Elf64_Rela r;

	for (size_t i = image_find(e, SHT_RELA, 0); table < e->n_sections && i < e->n_sections;
	     i = image_find(e, SHT_RELA, i + 1)) {
		size_t to = e->section[i].sh_info;

		for (size_t k = 0;
		     to < e->n_sections && is_array(e->section[to].sh_type) && image_relocation(e, i, k, &r);
		     k++)
			if (image_symbol(e, table, ELF64_R_SYM(r.r_info), &s))
				arrays_add(a, e->section[to].sh_type, function_of(e, table, &s, r.r_addend));
	}
}

/* Is the function at @address one that an object has in such an array, and that was not met yet? */
static bool arrays_take(struct arrays *a, uint32_t type, const struct symbols *s, uint64_t address)
{
	for (size_t i = symbols_at(s, address); i < s->n_places && s->place[i].address == address; i++) {
		if (startup_has(s->place[i].name))
			return true;
		for (size_t k = 0; k < a->n; k++)
			if (!a->entry[k].found && a->entry[k].type == type &&
			    !strcmp(a->entry[k].function, s->place[i].name)) {
				a->entry[k].found = true;
				return true;
			}
	}
	return false;
}

void arrays_check(struct arrays *a, const struct image *e, const struct symbols *s, struct findings *list,
		  struct findings *notes)
{
	for (size_t i = 0; i < e->n_sections; i++) {
		const Elf64_Shdr *h = &e->section[i];

		for (uint64_t at = 0;
		     is_array(h->sh_type) && h->sh_size < UINT64_C(1) << 20 && at + 8 <= h->sh_size;
		     at += 8) {
			struct target t = target_in_slot(e, h->sh_addr + at);

			if (!t.known || t.import || !arrays_take(a, h->sh_type, s, t.address))
				findings_add(notes, "why %s is in %s: in none of the objects it is",
					     target_name(s, &t), image_section_name(e, i));
		}
	}
	for (size_t k = 0; k < a->n; k++)
		if (!a->entry[k].found)
			findings_add(
				list,
				"%s runs before main() or behind it by its object, but not in the binary",
				a->entry[k].function);
}

void arrays_release(struct arrays *a)
{
	for (size_t i = 0; i < a->n; i++)
		free(a->entry[i].function);
	free(a->entry);
	*a = (struct arrays){0};
}

/* SPDX-License-Identifier: MIT */
#include "verify/objects.h"

#include <stdlib.h>
#include <string.h>

#define NUMBERS 10000u

/* What checking one object needs. */
struct job {
	struct objects *o;
	const struct image *e;
	size_t table; /* its symbol table */
	const struct binary *b;
	struct findings *list;
};

static void count_reference(struct job *j, const struct image_symbol *s, uint32_t type)
{
	uint32_t number;
	enum generated kind = generated_kind(s->name, &number);

	if (kind >= GEN_HASH || s->section != SHN_UNDEF)
		return;
	j->o->references[kind]++;
	if (kind == GEN_TRIGGER)
		j->o->of_trigger[number]++;
	if (kind == GEN_CREATE_BEGIN && number <= j->o->n_creates)
		j->o->of_create[number]++;
	if (type != R_X86_64_PC32 && type != R_X86_64_PLT32)
		findings_add(j->list, "%s takes the address of %s: it could be called from there", j->e->path,
			     s->name);
}

/* Visit the relocations of section @i. */
static void read_relocations(struct job *j, size_t i)
{
	size_t size, target = j->e->section[i].sh_info;
	const uint8_t *data = image_bytes(j->e, i, &size);
	struct image_symbol s;
	Elf64_Rela r;

	if (target >= j->e->n_sections || !(j->e->section[target].sh_flags & SHF_ALLOC))
		return;
	for (size_t at = 0; data && at + sizeof(r) <= size; at += sizeof(r)) {
		memcpy(&r, data + at, sizeof(r));
		if (image_symbol(j->e, j->table, ELF64_R_SYM(r.r_info), &s))
			count_reference(j, &s, ELF64_R_TYPE(r.r_info));
	}
}

/* Mark what the linker writes into the bytes [from, from + size) of section @section. */
static void mask_relocations(const struct image *e, size_t section, uint64_t from, size_t size, uint8_t *mask)
{
	for (size_t i = image_find(e, SHT_RELA, 0); i < e->n_sections; i = image_find(e, SHT_RELA, i + 1)) {
		size_t bytes;
		const uint8_t *data = image_bytes(e, i, &bytes);
		Elf64_Rela r;

		if (e->section[i].sh_info != section)
			continue;
		for (size_t at = 0; data && at + sizeof(r) <= bytes; at += sizeof(r)) {
			uint32_t type;
			uint64_t lead;

			memcpy(&r, data + at, sizeof(r));
			type = ELF64_R_TYPE(r.r_info);
			/* These let the linker rewrite the instruction in front as well. */
			lead = type == R_X86_64_GOTTPOFF || type == R_X86_64_GOTPCRELX ||
					       type == R_X86_64_REX_GOTPCRELX
				       ? 3
				       : 0;
			for (uint64_t k = r.r_offset - lead; k < r.r_offset + (type == R_X86_64_64 ? 8 : 4);
			     k++)
				if (k >= from && k - from < size)
					mask[k - from] = 1;
		}
	}
}

static bool equal_but(const uint8_t *a, const uint8_t *b, const uint8_t *mask, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (!mask[i] && a[i] != b[i])
			return false;
	return true;
}

static const struct image_symbol *function_named(const struct symbols *s, const char *name)
{
	for (size_t i = 0; i < s->n_functions; i++)
		if (!strcmp(s->function[i].name, name))
			return &s->function[i];
	return NULL;
}

/* A generated function: the binary must hold the same code. */
static void compare_function(struct job *j, const struct image_symbol *s)
{
	const struct image_symbol *there = function_named(&j->b->symbols, s->name);
	const uint8_t *theirs = there ? image_at(&j->b->image, there->address, there->size) : NULL;
	const uint8_t *ours = NULL;
	size_t size = 0;
	uint8_t *mask;

	if (s->section < j->e->n_sections)
		ours = image_bytes(j->e, s->section, &size);
	if (!theirs || !ours || s->address > size || s->size > size - s->address)
		return;
	mask = need((size_t)s->size, 1);
	mask_relocations(j->e, s->section, s->address, (size_t)s->size, mask);
	if (there->size == s->size && equal_but(theirs, ours + s->address, mask, (size_t)s->size))
		j->o->compiled++;
	else
		findings_add(j->list, "%s in the binary is not the code of %s", s->name, j->e->path);
	free(mask);
}

static bool is_lto(const struct image *e)
{
	for (size_t i = 0; i < e->n_sections; i++)
		if (!strncmp(image_section_name(e, i), ".gnu.lto_.symtab", 16))
			return true;
	return false;
}

static void check_one(struct job *j)
{
	struct image_symbol s;

	for (size_t i = image_find(j->e, SHT_RELA, 0); i < j->e->n_sections;
	     i = image_find(j->e, SHT_RELA, i + 1))
		read_relocations(j, i);
	for (size_t i = 1; i < image_symbols(j->e, j->table); i++)
		if (image_symbol(j->e, j->table, i, &s) && s.type == STT_FUNC && s.section != SHN_UNDEF &&
		    !strncmp(s.name, "perseus_", 8))
			compare_function(j, &s);
}

static int read_one(struct objects *o, const char *path, const struct binary *b, struct findings *list,
		    struct fault *f)
{
	struct image e;
	struct symbols symbols = {0};
	int ret = image_open(&e, path, f);

	if (!ret && e.head.e_type != ET_REL)
		ret = fault_set(f, "'%s' is not an object file", path);
	if (!ret)
		ret = symbols_read(&symbols, &e, f);
	if (!ret) {
		struct job j = {o, &e, image_find(&e, SHT_SYMTAB, 0), b, list};

		o->n++;
		o->lto += is_lto(&e);
		check_one(&j);
		binary_check_probes(&e, &symbols, list);
	}
	symbols_release(&symbols);
	image_release(&e);
	return ret;
}

/* What the objects refer to, against the plan and the binary. */
static void compare_counts(const struct objects *o, const struct vplan *p, const struct binary *b,
			   struct findings *list)
{
	for (size_t i = 0; i < p->n_triggers; i++) {
		const struct vplan_trigger *t = &p->trigger[i];

		if (t->at == VPLAN_CALL && t->point == t->number && !o->of_trigger[t->number])
			findings_add(list, "no object calls trigger %04u: was %s compiled with the plan?",
				     t->number, p->site[t->site].unit);
	}
	if (b->n_calls > o->references[GEN_TRIGGER])
		findings_add(list, "the binary has %u trigger calls, the objects only %u", b->n_calls,
			     o->references[GEN_TRIGGER]);
	if (!o->references[GEN_PROGRAM_START])
		findings_add(list, "no object calls perseus_program_start");
	for (uint32_t k = 1; k <= o->n_creates; k++)
		if (!o->of_create[k])
			findings_add(list, "no object marks creating site %u", k);
}

int objects_check(struct objects *o, char *const *paths, int n, const struct vplan *p, const struct binary *b,
		  struct findings *list, struct fault *f)
{
	*o = (struct objects){.of_trigger = need(NUMBERS, sizeof(*o->of_trigger)),
			      .of_create = need((size_t)p->n_creates + 1, sizeof(*o->of_create)),
			      .n_creates = p->n_creates};
	for (int i = 0; i < n; i++)
		if (read_one(o, paths[i], b, list, f))
			return -1;
	if (!o->lto)
		compare_counts(o, p, b, list);
	return 0;
}

void objects_release(struct objects *o)
{
	free(o->of_trigger);
	free(o->of_create);
	*o = (struct objects){0};
}

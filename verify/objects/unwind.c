/* SPDX-License-Identifier: MIT */
#include "verify/objects/unwind.h"

#include <stdlib.h>
#include <string.h>

#include "verify/arch/reloc.h"
#include "verify/elf/frame-index.h"
#include "verify/elf/loader.h"
#include "verify/objects/references.h"
#include "verify/start/startup.h"

#define PCREL 0x10

/* The entries of one object, and where they lead. */
struct entries {
	struct compare *c;
	struct frames ours;
	const struct frames *theirs;
	Elf64_Rela *r; /* of the section, by place */
	size_t n;
};

static int unwind_by_place(const void *a, const void *b)
{
	const Elf64_Rela *x = a, *y = b;

	return x->r_offset < y->r_offset ? -1 : x->r_offset > y->r_offset;
}

static void read_references(struct entries *u, size_t section)
{
	const struct image *e = u->c->e;
	Elf64_Rela r;

	for (size_t i = image_find(e, SHT_RELA, 0); i < e->n_sections; i = image_find(e, SHT_RELA, i + 1))
		for (size_t k = 0; e->section[i].sh_info == section && image_relocation(e, i, k, &r); k++) {
			u->r = need_more(u->r, u->n, sizeof(r));
			u->r[u->n++] = r;
		}
	if (u->n)
		qsort(u->r, u->n, sizeof(*u->r), unwind_by_place);
}

/* The reference at @place and its symbol; NULL if there is none, or more than one. */
static const Elf64_Rela *reference_at(const struct entries *u, size_t place, struct image_symbol *s)
{
	size_t low = 0, high = u->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (u->r[mid].r_offset < place)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == u->n || u->r[low].r_offset != place ||
	    (low + 1 < u->n && u->r[low + 1].r_offset == place) ||
	    !image_symbol(u->c->e, u->c->table, ELF64_R_SYM(u->r[low].r_info), s))
		return NULL;
	return &u->r[low];
}

static bool is_of_encoding(enum reloc type, uint8_t encoding)
{
	if ((encoding & 0x70) == PCREL)
		return type == RELOC_DISTANCE || type == RELOC_DISTANCE8;
	return type == RELOC_ADDRESS4 || type == RELOC_ADDRESS;
}

/* Does the executable's pointer at @there lead where the object's at @here asks for? */
static bool same_pointer(struct entries *u, size_t here, size_t there, uint8_t encoding)
{
	struct image_symbol s;
	const Elf64_Rela *r = reference_at(u, here, &s);
	struct target t = {.known = true};

	if (!r)
		return !frames_value(&u->ours, here, encoding) && !frames_value(u->theirs, there, encoding);
	if (!is_of_encoding(reloc_of(ELF64_R_TYPE(r->r_info)), encoding) ||
	    !frames_value(u->theirs, there, encoding))
		return false;
	t.address = frames_pointer(u->theirs, there, encoding) - (uint64_t)r->r_addend;
	return reference_leads(u->c, &s, &t, r->r_addend);
}

static bool same_kind(struct entries *u, const struct frame_kind *a, const struct frame_kind *b)
{
	return a->version == b->version && !strcmp(a->augmentation, b->augmentation) &&
	       a->align_code == b->align_code && a->align_data == b->align_data &&
	       a->return_register == b->return_register && a->pc_encoding == b->pc_encoding &&
	       a->lsda_encoding == b->lsda_encoding && a->personality_encoding == b->personality_encoding &&
	       frames_same_code(&a->code, &b->code) &&
	       (!a->has_personality ||
		same_pointer(u, a->personality, b->personality, a->personality_encoding));
}

static bool same_frame(struct entries *u, const struct frame *a, const struct frame *b)
{
	size_t bytes = u->c->e->n_sections * sizeof(*u->c->base);

	memcpy(u->c->learnt, u->c->base, bytes);
	if (a->size == b->size && frames_same_code(&a->code, &b->code) && same_kind(u, &a->kind, &b->kind) &&
	    (!a->kind.has_lsda || same_pointer(u, a->lsda, b->lsda, a->kind.lsda_encoding)))
		return true;
	memcpy(u->c->base, u->c->learnt, bytes);
	return false;
}

/* The function of the object that has @offset of @section and was found in the executable, or NULL. */
static const struct code *code_round(const struct compare *c, size_t section, uint64_t offset)
{
	for (size_t i = 0; i < c->n_code; i++) {
		const struct code *k = &c->code[i];

		if (k->at.section == section && offset >= k->at.offset && offset - k->at.offset < k->at.size)
			return k;
	}
	return NULL;
}

/* Where the code of @f is in the executable: with its function, or, without a name, with its section.  *code: the
 * function or NULL.  False: it was not found. */
static bool code_of(const struct entries *u, const struct frame *f, uint64_t *address,
		    const struct code **code)
{
	struct image_symbol s;
	const Elf64_Rela *r = reference_at(u, f->pc, &s);
	uint64_t offset;

	*code = NULL;
	if (!r || s.section >= u->c->e->n_sections ||
	    !is_of_encoding(reloc_of(ELF64_R_TYPE(r->r_info)), f->kind.pc_encoding))
		return false;
	offset = s.address + (uint64_t)r->r_addend;
	*code = code_round(u->c, s.section, offset);
	if (*code)
		*address = (*code)->at.address + (offset - (*code)->at.offset);
	else
		*address = u->c->base[s.section] + offset;
	return *code || u->c->base[s.section] != NOWHERE;
}

static void compare_frame(struct entries *u, const struct frame *f, struct placed *out, struct findings *list)
{
	uint64_t address;
	const struct code *k;
	bool is_there = code_of(u, f, &address, &k), right = false, missing = true;

	for (size_t i = is_there ? frames_from(u->theirs, address) : u->theirs->n;
	     i < u->theirs->n && u->theirs->by_code[i]->from == address; i++) {
		missing = false;
		if (!same_frame(u, f, u->theirs->by_code[i]))
			continue;
		out->unwound[u->theirs->by_code[i] - u->theirs->frame] = true;
		right = true;
	}
	/* Of a function that several objects may define, the others' entries may be other ones; so may those of
	 * functions with one name and the same code: see unwind_check(). */
	if (k && missing && k->bind != STB_GLOBAL && k->bind != STB_LOCAL)
		out->unframed++;
	else if (k && !right && (missing || k->bind == STB_GLOBAL))
		findings_add(list, "%s is unwound otherwise than %s says (.eh_frame)", k->name,
			     u->c->e->path);
	out->frames += right;
}

void unwind_compare(struct compare *c, struct placed *out, struct findings *list)
{
	if (!c->b->has_frames)
		return;
	if (!out->unwound)
		out->unwound = need(c->b->frames.n + 1, sizeof(*out->unwound));
	for (size_t i = 0; i < c->e->n_sections; i++) {
		struct entries u = {.c = c, .theirs = &c->b->frames};

		if (strcmp(image_section_name(c->e, i), ".eh_frame") != 0)
			continue;
		read_references(&u, i);
		if (frames_read(&u.ours, c->e, i))
			for (size_t k = 0; k < u.ours.n; k++)
				compare_frame(&u, &u.ours.frame[k], out, list);
		frames_release(&u.ours);
		free(u.r);
	}
}

/* ---- the executable as a whole ------------------------------------------------------------ */

static bool is_found(const struct placed *p, const struct frame *f)
{
	for (size_t i = 0; i < p->n_found; i++)
		if (p->found[i]->type == STT_FUNC && f->from < p->found[i]->address + p->found[i]->size &&
		    p->found[i]->address < f->from + f->size)
			return true;
	return false;
}

static bool unwind_is_inside(const struct frame *f, uint64_t address, uint64_t size)
{
	return f->from >= address && f->from - address < size && f->size <= size - (f->from - address);
}

static bool is_toolchains(const struct binary *b, const struct frame *f)
{
	for (size_t i = 0; i < b->image.n_sections; i++) {
		const Elf64_Shdr *h = &b->image.section[i];
		const char *name = image_section_name(&b->image, i);

		if (h->sh_flags & SHF_EXECINSTR && (!strncmp(name, ".plt", 4) || !strcmp(name, ".iplt")) &&
		    unwind_is_inside(f, h->sh_addr, h->sh_size))
			return unwind_is_plain(f);
	}
	for (size_t i = symbols_at(&b->symbols, f->from);
	     i < b->symbols.n_places && b->symbols.place[i].address == f->from; i++)
		if (unwind_is_inside(f, f->from, startup_size(&b->image, &b->symbols, &b->symbols.place[i])))
			return unwind_is_plain(f);
	return false;
}

static void check_table(const struct binary *b, struct findings *list, struct findings *notes)
{
	const char *fault = NULL;
	size_t at = 0;

	if (frame_index_exists(&b->image))
		fault = frame_index_fault(&b->image, &b->frames);
	if (fault)
		findings_add(list, "the table of entries of .eh_frame (.eh_frame_hdr) %s", fault);
	if (loader_next(&b->image, b->frames.address, b->frames.size, &at))
		findings_add(notes, "how functions are unwound: the loader writes into .eh_frame");
}

static const char *unwind_name_of(const struct binary *b, const struct frame *f)
{
	const struct image_symbol *s = symbols_function_at(&b->symbols, f->from);

	return s ? s->name : "code without a name";
}

void unwind_check(const struct binary *b, const struct placed *objects, const struct placed *rebuilt,
		  bool all, struct findings *list, struct findings *notes)
{
	const char *first = NULL;
	size_t n = 0;

	if (!b->has_frames) {
		findings_add(notes, "how functions are unwound: .eh_frame cannot be read");
		return;
	}
	check_table(b, list, notes);
	for (size_t i = 0; i < b->frames.n; i++) {
		const struct frame *f = &b->frames.frame[i];

		if (!f->size || (objects->unwound && objects->unwound[i]) ||
		    (rebuilt->unwound && rebuilt->unwound[i]))
			continue;
		if (is_found(objects, f) || is_found(rebuilt, f))
			findings_add(list, "%s is unwound otherwise than its object says (.eh_frame)",
				     unwind_name_of(b, f));
		else if (all && !is_toolchains(b, f) && !n++)
			first = unwind_name_of(b, f);
	}
	if (objects->unframed)
		findings_add(notes, "how %u functions are unwound, for which .eh_frame has no entry",
			     objects->unframed);
	if (n)
		findings_add(notes, "how functions are unwound that are in none of the objects: %s%s", first,
			     n > 1 ? " and others" : "");
}

/* SPDX-License-Identifier: MIT */
#include "verify/objects/objects.h"

#include <stdlib.h>
#include <string.h>

#include "verify/arch/reloc.h"
#include "verify/elf/archive.h"
#include "verify/objects/cover.h"

#define NUMBERS 10000u

/* What checking one object needs. */
struct job {
	struct objects *o;
	const struct image *e;
	size_t table; /* its symbol table */
	const struct binary *b;
	struct findings *list;
};

/* The function of the object that holds @offset of section @section, "" if none does. */
static const char *function_round(const struct job *j, size_t section, uint64_t offset)
{
	struct image_symbol s;

	for (size_t i = 1; image_symbol(j->e, j->table, i, &s); i++)
		if (s.section == section && s.type == STT_FUNC && offset >= s.address &&
		    offset - s.address < s.size)
			return s.name;
	return "";
}

/* One more call of a generated function inside @function. */
static void count_use(struct job *j, const char *function, enum generated kind, uint32_t number)
{
	struct objects *o = j->o;
	struct use *u;

	for (size_t i = 0; i < o->n_uses; i++) {
		u = &o->use[i];
		if (u->object == o->n && u->kind == kind && u->number == number &&
		    !strcmp(u->function, function)) {
			u->calls++;
			return;
		}
	}
	o->use = need_more(o->use, o->n_uses, sizeof(*o->use));
	u = &o->use[o->n_uses++];
	*u = (struct use){.object = o->n, .kind = kind, .number = number, .calls = 1};
	u->function = need(strlen(function) + 1, 1);
	memcpy(u->function, function, strlen(function) + 1);
}

static void count_reference(struct job *j, const struct image_symbol *s, size_t section, const Elf64_Rela *r)
{
	enum reloc type = reloc_of(ELF64_R_TYPE(r->r_info));
	uint32_t number;
	enum generated kind = generated_kind(s->name, &number);

	if (kind >= GEN_HASH || s->section != SHN_UNDEF)
		return;
	j->o->references[kind]++;
	if (kind == GEN_TRIGGER)
		j->o->of_trigger[number]++;
	if (kind == GEN_CREATE_BEGIN && number <= j->o->n_creates)
		j->o->of_create[number]++;
	count_use(j, function_round(j, section, r->r_offset), kind, number);
	/* A direct call, or one by the GOT that the linker makes direct. */
	if ((type != RELOC_DISTANCE && type != RELOC_CALL && type != RELOC_SLOT_CALL) ||
	    !(j->e->section[section].sh_flags & SHF_EXECINSTR))
		findings_add(j->list, "%s takes the address of %s: it could be called from there", j->e->path,
			     s->name);
}

/* Visit the relocations of section @i. */
static void read_relocations(struct job *j, size_t i)
{
	size_t target = j->e->section[i].sh_info;
	struct image_symbol s;
	Elf64_Rela r;

	if (target >= j->e->n_sections || !(j->e->section[target].sh_flags & SHF_ALLOC))
		return;
	for (size_t k = 0; image_relocation(j->e, i, k, &r); k++)
		if (image_symbol(j->e, j->table, ELF64_R_SYM(r.r_info), &s))
			count_reference(j, &s, target, &r);
}

static bool is_lto(const struct image *e)
{
	for (size_t i = 0; i < e->n_sections; i++)
		if (!strncmp(image_section_name(e, i), ".gnu.lto_.symtab", 16))
			return true;
	return false;
}

/* What the object refers to, and where its code and data are; @is_sure: it was linked, so all has to be there. */
static bool check_one(struct job *j, bool is_sure)
{
	if (is_sure)
		placed_check(&j->o->placed, j->e, j->b, j->list);
	else if (!placed_try(&j->o->placed, j->e, j->b))
		return false;
	for (size_t i = image_find(j->e, SHT_RELA, 0); i < j->e->n_sections;
	     i = image_find(j->e, SHT_RELA, i + 1))
		read_relocations(j, i);
	arrays_read(&j->o->arrays, j->e);
	return true;
}

/* An object file; with -flto the link has made others of it, unless it holds code that was taken. */
static int take_object(struct objects *o, const struct image *e, const struct binary *b,
		       struct findings *list, struct fault *f)
{
	struct symbols symbols = {0};
	int ret = symbols_read(&symbols, e, f);

	if (!ret) {
		struct job j = {o, e, image_find(e, SHT_SYMTAB, 0), b, list};
		bool sure = !is_lto(e);

		o->n++;
		o->lto += !check_one(&j, sure) && !sure;
		binary_check_probes(e, &symbols, list);
	}
	symbols_release(&symbols);
	return ret;
}

/* Does the executable have a name that only this member may define? */
static bool is_candidate(const struct image *e, const struct binary *b)
{
	size_t table = image_find(e, SHT_SYMTAB, 0);
	struct image_symbol s;

	if (table == e->n_sections)
		return false;
	for (size_t i = 1; image_symbol(e, table, i, &s); i++)
		if (s.section != SHN_UNDEF && s.bind != STB_LOCAL &&
		    symbols_named(&b->symbols, s.name) < b->symbols.n_places)
			return true;
	return false;
}

/* Libraries of the toolchain, which are believed by their names. */
static bool is_toolchain(const char *path)
{
	static const char *const known[] = {"libc.a",      "libpthread.a", "libdl.a",     "librt.a",
					    "libm.a",      "libm-2.36.a",  "libmvec.a",   "libgcc.a",
					    "libgcc_eh.a", "libstdc++.a",  "libsupc++.a", "libgomp.a",
					    "libatomic.a"};
	const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (!strcmp(name, known[i]))
			return true;
	return false;
}

/* A member that was linked is there as a whole; of the others nothing is. */
static void take_member(struct objects *o, const struct image *e, const struct binary *b, bool is_library,
			struct findings *list)
{
	struct job j = {o, e, image_find(e, SHT_SYMTAB, 0), b, list};
	size_t before = o->placed.n_found;

	if (e->head.e_type != ET_REL || !is_candidate(e, b) || !check_one(&j, false))
		return;
	o->n++;
	for (size_t i = before; is_library && i < o->placed.n_found; i++) {
		o->library = need_more(o->library, o->n_library, sizeof(*o->library));
		o->library[o->n_library++] = o->placed.found[i]->address;
	}
}

static int read_archive(struct objects *o, const char *path, const struct binary *b, struct findings *list,
			struct fault *f)
{
	struct archive a;
	struct image e = {0};
	int ret = archive_open(&a, path, f);

	while (!ret && (ret = archive_next(&a, &e, f)) > 0) {
		take_member(o, &e, b, is_toolchain(path), list);
		image_release(&e);
		ret = 0;
		if (a.at >= a.in.size)
			break;
	}
	image_release(&e);
	archive_release(&a);
	return ret;
}

static int read_one(struct objects *o, const char *path, const struct binary *b, struct findings *list,
		    struct fault *f)
{
	struct image e;
	int ret;

	if (archive_is(path))
		return read_archive(o, path, b, list, f);
	ret = image_open(&e, path, f);
	if (!ret && e.head.e_type != ET_REL)
		ret = fault_set(f, "'%s' is not an object file", path);
	if (!ret)
		ret = take_object(o, &e, b, list, f);
	image_release(&e);
	return ret;
}

/* Is @function a name of the place @where? */
static bool is_name_of(const struct symbols *s, const struct image_symbol *where, const char *function)
{
	for (size_t i = symbols_at(s, where->address);
	     i < s->n_places && s->place[i].address == where->address; i++)
		if (!strcmp(s->place[i].name, function))
			return true;
	return false;
}

/* Each function of the binary must have the calls that an object's function of its name has. */
static void explain_copy(const struct objects *o, const struct binary *b, const struct copy *c,
			 struct findings *list)
{
	uint32_t calls = 0;

	for (size_t i = 0; c->where && i < o->n_uses; i++) {
		const struct use *u = &o->use[i];

		if (u->kind != c->to->kind || u->number != c->to->number ||
		    !is_name_of(&b->symbols, c->where, u->function))
			continue;
		if (u->calls == c->calls)
			return;
		calls = u->calls;
	}
	findings_add(list, "%s is called %u times in `%s` of the binary, %u times in that of the objects",
		     c->to->s.name, c->calls, c->where ? c->where->name : "code without a name", calls);
}

/* The other way round: what the linker kept must be called as often as the object says. */
static void look_for(const struct use *u, const struct binary *b, struct findings *list)
{
	size_t i = symbols_named(&b->symbols, u->function);

	if (i == b->symbols.n_places)
		return;
	for (size_t k = 0; k < b->n_copies; k++)
		if (b->copy[k].to->kind == u->kind && b->copy[k].to->number == u->number &&
		    b->copy[k].where && is_name_of(&b->symbols, b->copy[k].where, u->function))
			return;
	findings_add(list, "`%s` of the binary lacks %u calls of a generated function that its object has",
		     u->function, u->calls);
}

static void compare_uses(const struct objects *o, const struct binary *b, struct findings *list)
{
	for (size_t i = 0; i < b->n_copies; i++)
		explain_copy(o, b, &b->copy[i], list);
	for (size_t i = 0; i < o->n_uses; i++)
		look_for(&o->use[i], b, list);
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
	if (!o->references[GEN_PROGRAM_START] && vplan_calls_code(p))
		findings_add(list, "no object calls perseus_program_start");
	for (uint32_t k = 1; k <= o->n_creates; k++)
		if (!o->of_create[k])
			findings_add(list, "no object marks creating site %u", k);
	compare_uses(o, b, list);
}

/* What a static program has of libraries is named elsewhere. */
static bool is_static(const struct image *e)
{
	return image_find(e, SHT_DYNAMIC, 0) == e->n_sections;
}

int objects_check(struct objects *o, char *const *paths, int n, const struct vplan *p, const struct binary *b,
		  struct findings *list, struct findings *notes, struct fault *f)
{
	*o = (struct objects){.of_trigger = need(NUMBERS, sizeof(*o->of_trigger)),
			      .of_create = need((size_t)p->n_creates + 1, sizeof(*o->of_create)),
			      .n_creates = p->n_creates};
	for (int i = 0; i < n; i++)
		if (read_one(o, paths[i], b, list, f))
			return -1;
	placed_check_others(&o->placed, list);
	o->whole = !o->lto || cover_is_whole(b, &o->placed);
	if (o->whole && (!is_static(&b->image) || o->n_library)) {
		closure_check(&o->placed.closure, notes);
		arrays_check(&o->arrays, &b->image, &b->symbols, list, notes);
	}
	if (o->whole)
		compare_counts(o, p, b, list);
	return 0;
}

int objects_rebuilt(struct placed *out, char *const *paths, int n, const struct binary *b,
		    struct findings *list, struct fault *f)
{
	int ret = 0;

	for (int i = 0; i < n && !ret; i++) {
		struct image e;

		ret = image_open(&e, paths[i], f);
		if (!ret && (e.head.e_type != ET_REL || is_lto(&e)))
			ret = fault_set(f, "'%s' is no object file with machine code (built with -flto?)",
					paths[i]);
		if (!ret && image_find(&e, SHT_SYMTAB, 0) == e.n_sections)
			ret = fault_set(f, "'%s' has no symbol table", paths[i]);
		e.path = strrchr(paths[i], '/') ? strrchr(paths[i], '/') + 1 : paths[i];
		if (!ret)
			placed_check(out, &e, b, list);
		image_release(&e);
	}
	placed_check_others(out, list);
	if (!ret)
		placed_check_all(out, b, list);
	return ret;
}

void objects_release(struct objects *o)
{
	free(o->of_trigger);
	free(o->of_create);
	for (size_t i = 0; i < o->n_uses; i++)
		free(o->use[i].function);
	free(o->use);
	free(o->library);
	placed_release(&o->placed);
	arrays_release(&o->arrays);
	*o = (struct objects){0};
}

/* SPDX-License-Identifier: MIT */
#include "verify/binary/creation.h"

#include <stdlib.h>
#include <string.h>

#include "verify/elf/flow.h"
#include "verify/start/dynamic.h"
#include "verify/start/target.h"

#define DIRECT "perseus_thread_create"
#define WRAP   "__wrap_pthread_create"

static bool is_dynamic(const struct image *e)
{
	for (size_t i = 0; i < e->n_sections; i++)
		if (!strcmp(image_section_name(e, i), ".interp"))
			return true;
	return false;
}

/* Libraries reach the executable's pthread_create through its dynamic symbols only. */
static void check_linux(const struct binary *b, struct findings *list)
{
	bool dynamic = is_dynamic(&b->image);

	if (!b->symbols.creates && !b->symbols.wraps)
		findings_add(list,
			     "threads are not placed: perseus_platform_linux.o has lost pthread_create");
	else if (!dynamic && !b->symbols.wraps)
		findings_add(
			list,
			"a static program needs perseus_platform_linux.c compiled with -DPERSEUS_STATIC and "
			"-Wl,--wrap=pthread_create: its threads cannot be created");
	else if (dynamic && !b->symbols.creates)
		findings_add(list,
			     "perseus_platform_linux.c was compiled with -DPERSEUS_STATIC, which is for "
			     "static programs: threads that libraries create would not be placed");
	else if (dynamic && !dynamic_finds(&b->image, "pthread_create"))
		findings_add(
			list,
			"pthread_create is not exported: threads that libraries create would not be placed");
}

/* Where creations of the program come to the posix file: one of its two functions, or NULL. */
static const struct image_symbol *entry_of(const struct symbols *s)
{
	for (size_t i = 0; i < s->n_functions; i++)
		if (!strcmp(s->function[i].name, WRAP) || !strcmp(s->function[i].name, DIRECT))
			return &s->function[i];
	return NULL;
}

static bool leads_to(const struct binary *b, const struct insn *insn, uint64_t address)
{
	struct target t;

	if (insn->data == address)
		return insn->access == ACCESS_ADDRESS;
	if (insn->flow == FLOW_NEXT || insn->flow == FLOW_STOP)
		return false;
	if (insn->target == address)
		return true;
	if ((insn->flow != FLOW_CALL_BY && insn->flow != FLOW_JUMP_BY) || !insn->slot)
		return false;
	t = target_of(&b->image, &b->symbols, insn);
	return t.known && !t.import && t.address == address;
}

/* Does @f call, or pass on, the function at @address? */
static bool reaches(const struct binary *b, const struct image_symbol *f, uint64_t address)
{
	const uint8_t *code = image_at(&b->image, f->address, (size_t)f->size);
	struct insn insn;

	for (uint64_t at = 0; code && at < f->size; at += insn.size) {
		if (!insn_decode(code + at, (size_t)(f->size - at), f->address + at, &insn))
			return false;
		if (leads_to(b, &insn, address))
			return true;
	}
	return false;
}

static bool is_reached(const struct binary *b, const struct image_symbol *entry)
{
	for (size_t i = 0; i < b->symbols.n_functions; i++) {
		const struct image_symbol *f = &b->symbols.function[i];

		if (f->address != entry->address && reaches(b, f, entry->address))
			return true;
	}
	return false;
}

/* The system's own, not what the platform file puts in its place. */
static bool is_system(const struct binary *b, const struct insn *insn)
{
	struct target t;

	if (insn->flow == FLOW_NEXT || insn->flow == FLOW_STOP)
		return false;
	t = target_of(&b->image, &b->symbols, insn);
	if (!t.known)
		return false;
	if (t.import)
		return symbols_same(t.import, "pthread_create");
	for (size_t i = symbols_at(&b->symbols, t.address);
	     i < b->symbols.n_places && b->symbols.place[i].address == t.address; i++)
		if (symbols_same(b->symbols.place[i].name, "pthread_create"))
			return true;
	return false;
}

/* Functions with a marked creation that make it by the system, past the platform file. */
static void check_past(const struct binary *b, struct findings *list)
{
	for (size_t i = 0; i < b->n_copies; i++) {
		const struct copy *c = &b->copy[i];
		bool past = false;
		struct body body;

		if (c->to->kind != GEN_CREATE_BEGIN || !c->where)
			continue;
		body_read(&body, &b->image, &b->symbols, c->where);
		for (size_t k = 0; k < body.n && !past; k++)
			past = is_system(b, &body.step[k].insn);
		body_release(&body);
		if (past)
			findings_add(list,
				     "`%s` creates threads past perseus_platform_posix.o: compile it with "
				     "-Dpthread_create=" DIRECT ", as the file was, or link with "
				     "-Wl,--wrap=pthread_create",
				     c->where->name);
	}
}

/* A creating function that a shared library brings, and the creation in it. */
static bool is_imported(const struct image *e, const char *name)
{
	size_t table = image_find(e, SHT_SYMTAB, 0);
	struct image_symbol s;

	for (size_t i = 1; image_symbol(e, table, i, &s); i++)
		if (s.section == SHN_UNDEF && symbols_same(s.name, name))
			return true;
	return false;
}

static void check_libraries(const struct binary *b, const struct vplan *p, struct findings *list)
{
	for (size_t i = 0; i < p->n_threads; i++) {
		const char *callee;
		size_t k = 0;

		if (!p->thread[i].create)
			continue;
		callee = p->site[p->thread[i].site].callee;
		while (k < i && (!p->thread[k].create || p->thread[k].site != p->thread[i].site))
			k++;
		if (k < i || !strcmp(callee, "pthread_create") || !is_imported(&b->image, callee))
			continue;
		findings_add(list,
			     "threads that `%s` creates in a shared library do not come to "
			     "perseus_platform_posix.o: link that library statically (-static-libstdc++ for "
			     "std::thread)",
			     callee);
	}
}

static void check_posix(const struct binary *b, const struct vplan *p, struct findings *list)
{
	const struct image_symbol *entry = entry_of(&b->symbols);

	if (!entry || !is_reached(b, entry))
		findings_add(list,
			     "threads are not distinguished: nothing in the program calls %s of "
			     "perseus_platform_posix.o",
			     entry ? entry->name : WRAP);
	check_past(b, list);
	check_libraries(b, p, list);
}

void creation_check(struct binary *b, const struct vplan *p, struct findings *list)
{
	if (p->n_threads < 2)
		return;
	switch (target_backend(&b->symbols)) {
	case BACKEND_LINUX:
		check_linux(b, list);
		break;
	case BACKEND_POSIX:
		check_posix(b, p, list);
		break;
	case BACKEND_STUB:
		findings_add(&b->notes,
			     "that new threads come to the triggers: perseus_platform_stub.o leaves "
			     "that to the system of its integrator");
		break;
	default:
		findings_add(list, "threads are not placed: no platform file is linked in "
				   "(perseus_platform_linux.o or that of another back end)");
		break;
	}
}

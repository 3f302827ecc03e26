/* SPDX-License-Identifier: MIT */
#include "verify/start/reach.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verify/elf/loader.h"
#include "verify/start/startup.h"
#include "verify/start/target.h"

#define SHOWN 4 /* names in one line */

struct reach {
	const struct image *e;
	const struct symbols *s;
	struct names *imports;
	struct reached *own;
	struct findings *list, *notes;
	bool dynamic;
};

bool names_have(const struct names *n, const char *name)
{
	for (size_t i = 0; i < n->n; i++)
		if (!strcmp(n->name[i], name))
			return true;
	return false;
}

void names_add(struct names *n, const char *name)
{
	if (names_have(n, name))
		return;
	n->name = need_more(n->name, n->n, sizeof(*n->name));
	n->name[n->n++] = name;
}

void names_release(struct names *n)
{
	free(n->name);
	*n = (struct names){0};
}

/* Generated code, what the platform file takes over, and small functions of the library that are always linked in. */
static bool reach_is_inside(const struct reach *r, uint64_t address)
{
	for (size_t i = symbols_at(r->s, address); i < r->s->n_places && r->s->place[i].address == address;
	     i++)
		if (symbols_inside(&r->s->place[i]) || startup_size(r->e, r->s, &r->s->place[i]))
			return true;
	return false;
}

static void add_own(struct reached *own, uint64_t address, const char *name)
{
	for (size_t i = 0; i < own->n; i++)
		if (own->at[i].address == address)
			return;
	own->at = need_more(own->at, own->n, sizeof(*own->at));
	own->at[own->n++] = (struct reached_function){address, name};
}

static void reach_meet(struct reach *r, const struct image_symbol *f, const struct target *t)
{
	const char *name = target_name(r->s, t);

	if (!t->known)
		return;
	if (t->import) {
		names_add(r->imports, t->import);
		return;
	}
	if ((t->address >= f->address && t->address - f->address < f->size) || reach_is_inside(r, t->address))
		return;
	if (symbols_at(r->s, t->address) < r->s->n_places && (r->own->stub || !r->dynamic))
		add_own(r->own, t->address, name);
	else
		findings_add(r->list, "%s calls %s, which is the program's own: expected that of a library",
			     f->name, name);
}

static void check_function(struct reach *r, const struct image_symbol *f)
{
	const uint8_t *code = image_at(r->e, f->address, (size_t)f->size);
	struct insn insn;

	for (uint64_t at = 0; code && at < f->size; at += insn.size) {
		const struct store *s;
		struct target t;

		if (!insn_decode(code + at, (size_t)(f->size - at), f->address + at, &insn))
			return;
		s = insn.data ? loader_at(r->e, insn.data) : NULL;
		if (s && s->import)
			names_add(r->imports, s->import); /* a pointer that is loaded, to be called or not */
		if (insn.flow == FLOW_NEXT || insn.flow == FLOW_STOP)
			continue;
		t = target_of(r->e, r->s, &insn);
		reach_meet(r, f, &t);
	}
}

static void check_wraps(const struct reach *r)
{
	for (size_t i = 0; i < r->s->n_places; i++) {
		const char *name = r->s->place[i].name;

		if ((strncmp(name, "__wrap_", 7) && strncmp(name, "__real_", 7)) ||
		    !strcmp(name + 7, "pthread_create"))
			continue;
		if (!strncmp(name + 7, "perseus_", 8))
			findings_add(r->list, "%s: the linker led %s elsewhere (--wrap)", name, name + 7);
		else
			findings_add(r->notes, "what %s does in the place of %s (--wrap)", name, name + 7);
	}
}

void reach_check(const struct image *e, const struct symbols *s, struct names *imports, struct reached *own,
		 struct findings *list, struct findings *notes)
{
	struct reach r = {.e = e, .s = s, .imports = imports, .own = own, .list = list, .notes = notes};

	r.dynamic =
		image_find(e, SHT_DYNAMIC, 0) < e->n_sections && image_named(e, ".interp") < e->n_sections;
	own->stub = target_backend(s) == BACKEND_STUB;
	for (size_t i = 0; i < s->n_functions; i++)
		if (symbols_inside(&s->function[i]))
			check_function(&r, &s->function[i]);
	check_wraps(&r);
}

static bool reach_is_known(const uint64_t *known, size_t n, uint64_t address)
{
	for (size_t i = 0; i < n; i++)
		if (known[i] == address)
			return true;
	return false;
}

void reach_name(const struct reached *own, const uint64_t *known, size_t n_known, struct findings *notes)
{
	char text[512] = "";
	size_t n = 0, length = 0;

	for (size_t i = 0; i < own->n; i++) {
		if (reach_is_known(known, n_known, own->at[i].address))
			continue;
		if (n < SHOWN)
			length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%.80s",
						   n ? ", " : "", own->at[i].name);
		n++;
	}
	if (!n)
		return;
	if (n > SHOWN)
		snprintf(text + length, sizeof(text) - length, " and %zu more", n - SHOWN);
	findings_add(notes,
		     own->stub ? "what functions of the integrator do that the platform file calls: %s"
			       : "that functions which the generated code calls are the C library's (static "
				 "program): %s",
		     text);
}

void reach_release(struct reached *own)
{
	free(own->at);
	*own = (struct reached){0};
}

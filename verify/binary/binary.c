/* SPDX-License-Identifier: MIT */
#include "verify/binary/binary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perseus/sites.h"
#include "verify/binary/choice.h"
#include "verify/binary/creation.h"
#include "verify/binary/entry.h"
#include "verify/binary/places.h"
#include "verify/binary/regions.h"
#include "verify/elf/loader.h"
#include "verify/elf/loading.h"
#include "verify/start/outside.h"
#include "verify/start/startup.h"
#include "verify/start/target.h"
#include "verify/start/versions.h"

#define ROW_WORDS 4 /* of perseus_thread_table: creator, creating site, ordinal, core */

static void check_hash(const struct binary *b, const struct vplan *p, struct findings *list)
{
	const struct generated_symbol *g = symbols_generated(&b->symbols, GEN_HASH, 0);
	const uint8_t *text = g ? image_at(&b->image, g->s.address, 65) : NULL;

	/* Where all of it is the compiler's, nothing that is linked need carry it. */
	if (!g && !vplan_calls_code(p))
		return;
	if (!text)
		findings_add(list, "it carries no plan (perseus_plan_sha256 is missing)");
	else if (memcmp(text, p->sha256, 65))
		findings_add(list, "it was made from another plan: %.64s, this one is %s",
			     text[64] ? "damaged" : (const char *)text, p->sha256);
}

static void check_row(const uint8_t *data, const struct vplan *p, size_t i, struct findings *list)
{
	static const char *const what[ROW_WORDS] = {"creator", "creating site", "ordinal", "core"};
	const struct vplan_thread *t = &p->thread[i];
	const uint32_t want[ROW_WORDS] = {t->creator, t->create, t->ordinal, t->core};
	uint32_t row[ROW_WORDS];

	memcpy(row, data + i * sizeof(row), sizeof(row));
	for (int k = 0; k < ROW_WORDS; k++)
		if (row[k] != want[k])
			findings_add(list, "thread %zu (%s): %s %d, planned %d", i, t->name, what[k],
				     (int)row[k], (int)want[k]);
}

static void check_table(const struct binary *b, const struct vplan *p, struct findings *list)
{
	const struct generated_symbol *g = symbols_generated(&b->symbols, GEN_TABLE, 0);
	uint64_t bytes = ROW_WORDS * sizeof(uint32_t) * p->n_threads;
	const uint8_t *data = g ? image_at(&b->image, g->s.address, bytes) : NULL;

	if (!g && !vplan_calls_code(p))
		return;
	if (!data) {
		findings_add(list, "it carries no table of threads (perseus_thread_table is missing)");
		return;
	}
	if (g->s.size != bytes) {
		findings_add(list, "its table of threads has %llu rows, planned %zu",
			     (unsigned long long)g->s.size / (ROW_WORDS * sizeof(uint32_t)), p->n_threads);
		return;
	}
	for (size_t i = 0; i < p->n_threads; i++)
		check_row(data, p, i, list);
}

/* Under LTO a record tells no unit. */
static const char *binary_unit_of(const struct vplan_site *s)
{
	return strcmp(s->unit, "-") ? s->unit : s->file;
}

/* A call that the plan has as inlined in one way is not there if the program has it inlined in another. */
static void say_missing(struct binary *b, struct findings *list, const char *what, const char *side,
			const struct vplan_site *s)
{
	bool all = !strcmp(s->instance, "*"), own = !strcmp(s->instance, "00000000");

	b->missing |= !all;
	findings_add(list, "%s %s the call of `%s` in `%s` (%s)%s%.8s", what, side, s->callee, s->function,
		     binary_unit_of(s),
		     all   ? ""
		     : own ? ", not inlined"
			   : ", inlined copy ",
		     all || own ? "" : s->instance);
}

static void check_point(struct binary *b, const struct vplan *p, const struct vplan_trigger *t,
			struct findings *list)
{
	const struct vplan_site *site = &p->site[t->site];
	const struct generated_symbol *g = symbols_generated(&b->symbols, GEN_TRIGGER, t->number);
	char what[64];

	if (!g) {
		findings_add(list, "trigger %04u is missing: no function perseus_trigger_%04u", t->number,
			     t->number);
	} else if (!g->calls) {
		snprintf(what, sizeof(what), "trigger %04u is never called: expected", t->number);
		say_missing(b, list, what, t->after ? "after" : "before", site);
	} else {
		b->n_calls += g->calls;
		b->moved += places_check(b, site, g, t->after, list);
	}
}

/* A call trigger is there if the function of its point is called. */
static void count_trigger(struct binary *b, const struct vplan_trigger *t)
{
	const struct generated_symbol *g = symbols_generated(&b->symbols, GEN_TRIGGER, t->point);

	b->planned++;
	b->found += g && g->calls;
}

static bool is_planned(const struct vplan *p, enum generated kind, uint32_t number)
{
	if (kind == GEN_CREATE_BEGIN)
		return number >= 1 && number <= p->n_creates;
	if (kind == GEN_FLUSH_BEGIN || kind == GEN_FLUSH_END)
		return regions_planned(p, number);
	if (kind != GEN_TRIGGER)
		return true;
	for (size_t i = 0; i < p->n_triggers; i++)
		if (p->trigger[i].at == VPLAN_CALL && p->trigger[i].number == number &&
		    p->trigger[i].point == number)
			return true;
	return false;
}

static void check_triggers(struct binary *b, const struct vplan *p, struct findings *list)
{
	const struct symbols *s = &b->symbols;

	for (size_t i = 0; i < p->n_triggers; i++) {
		if (p->trigger[i].at != VPLAN_CALL)
			continue;
		count_trigger(b, &p->trigger[i]);
		if (p->trigger[i].point == p->trigger[i].number)
			check_point(b, p, &p->trigger[i], list);
	}
	for (size_t i = 0; i < s->n_generated; i++) {
		const struct generated_symbol *g = &s->generated[i];

		if (!is_planned(p, g->kind, g->number))
			findings_add(list, "%s is not in the plan (%u calls)", g->s.name, g->calls);
		if (g->s.bind == STB_WEAK)
			findings_add(list, "%s is weak: another object could have replaced it", g->s.name);
		if (g->taken)
			findings_add(list,
				     "the address of %s is taken at %u places: it could be called from there",
				     g->s.name, g->taken);
	}
	for (size_t i = 0; i < s->n_generated; i++)
		if (symbols_generated(s, s->generated[i].kind, s->generated[i].number) != &s->generated[i])
			findings_add(list, "%s is defined twice", s->generated[i].s.name);
	if (s->undefined)
		findings_add(list, "%s is used but defined elsewhere", s->undefined);
}

static const struct vplan_site *creating_site(const struct vplan *p, uint32_t number)
{
	for (size_t i = 0; i < p->n_threads; i++)
		if (p->thread[i].create == number)
			return &p->site[p->thread[i].site];
	return NULL;
}

static uint32_t calls_of(const struct binary *b, enum generated kind, uint32_t number)
{
	const struct generated_symbol *g = symbols_generated(&b->symbols, kind, number);

	return g ? g->calls : 0;
}

static void check_creation(struct binary *b, const struct vplan *p, struct findings *list)
{
	if (calls_of(b, GEN_PROGRAM_START, 0))
		places_check_start(b, list);
	else if (vplan_calls_code(p))
		findings_add(list, "perseus_program_start is never called: was the file that holds main() "
				   "compiled with the plan?");
	for (uint32_t k = 1; k <= p->n_creates; k++) {
		const struct vplan_site *s = creating_site(p, k);
		const struct generated_symbol *g = symbols_generated(&b->symbols, GEN_CREATE_BEGIN, k);

		char what[96];

		snprintf(what, sizeof(what),
			 "creating site %u is not marked: expected perseus_create_%u_begin()", k, k);
		if (s && g && g->calls)
			places_check(b, s, g, false, list);
		else if (s)
			say_missing(b, list, what, "before", s);
	}
	if (p->n_creates && !calls_of(b, GEN_CREATE_END, 0))
		findings_add(list, "perseus_create_end is never called");
	places_check_end(b, p, list);
}

/* A line of .perseus.sites that stands for a probe. */
static bool holds_probes(const uint8_t *data, size_t size)
{
	for (size_t i = 0; i + 1 < size; i++)
		if ((i == 0 || data[i - 1] == '\n') && (data[i] == 'C' || data[i] == 'M') &&
		    data[i + 1] == '\t')
			return true;
	return false;
}

void binary_check_probes(const struct image *e, const struct symbols *s, struct findings *list)
{
	for (size_t i = 0; i < e->n_sections; i++) {
		size_t size;
		const uint8_t *data = image_bytes(e, i, &size);

		if (!strcmp(image_section_name(e, i), PRS_SITES_SECTION) && data && holds_probes(data, size))
			findings_add(list,
				     "section " PRS_SITES_SECTION " describes probes: a measurement build");
	}
	if (s->n_probes)
		findings_add(list, "%zu symbols of probes, for instance %s: a measurement build", s->n_probes,
			     s->probe);
}

/* A program without such a section is never unwound. */
static void read_frames(struct binary *b)
{
	size_t i = image_named(&b->image, ".eh_frame");

	b->has_frames = i == b->image.n_sections || frames_read(&b->frames, &b->image, i);
}

int binary_open(struct binary *b, const char *path, struct fault *f)
{
	*b = (struct binary){0};
	if (image_open(&b->image, path, f))
		return -1;
	if (b->image.head.e_type != ET_EXEC && b->image.head.e_type != ET_DYN)
		return fault_set(f, "'%s' is not an executable", path);
	if (symbols_read(&b->symbols, &b->image, f))
		return -1;
	loader_read(&b->image);
	calls_find(&b->calls, &b->image, &b->symbols);
	read_frames(b);
	return 0;
}

void binary_check(struct binary *b, const struct vplan *p, struct findings *list)
{
	b->plan = p;
	loading_check(&b->image, &b->symbols, list, &b->notes);
	dynamic_check(&b->image, &b->symbols, &b->needed, list, &b->notes);
	versions_check(&b->image, &b->symbols, &b->needed, list);
	startup_check(&b->image, &b->symbols, b->needed.now, list, &b->notes);
	check_hash(b, p, list);
	check_table(b, p, list);
	check_triggers(b, p, list);
	check_creation(b, p, list);
	regions_check(b, p, list);
	choice_check(b, list);
	reach_check(&b->image, &b->symbols, &b->imports, &b->own, list, &b->notes);
	versions_check_used(&b->image, &b->needed, &b->imports, list, &b->notes);
	entry_check(b, list);
	outside_check(&b->image, &b->symbols, list, &b->notes);
	creation_check(b, p, list);
	binary_check_probes(&b->image, &b->symbols, list);
}

void binary_release(struct binary *b)
{
	choice_release(b);
	free(b->copy);
	dynamic_release(&b->needed);
	names_release(&b->imports);
	reach_release(&b->own);
	findings_release(&b->notes);
	calls_release(&b->calls);
	frames_release(&b->frames);
	symbols_release(&b->symbols);
	image_release(&b->image);
}

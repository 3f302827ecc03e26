/* SPDX-License-Identifier: MIT */
/*
 * Derived requirements: what the generated code shall do beyond what anybody
 * asked for.  Those of the code as such have fixed numbers; those of a thread's
 * start and of a trigger carry its index and number, so that a changed plan
 * renames no other.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evidence/pack/parts.h"

struct fixed {
	const char *id;
	bool always; /* else only if a function realises it */
	const char *text, *why, *how;
	const char *roots[12]; /* functions; a `*` at the end stands for any rest */
};

static const struct fixed fixed[] = {
	{"DR-01",
	 false,
	 "When the program starts, the number of cores online and the name of the processor shall be "
	 "compared "
	 "with those of the plan; if they differ, no trigger shall set anything, and perseus_status shall "
	 "show it.",
	 "A plan is made for one machine; on another its core numbers mean other caches.",
	 "generated unit test; review of perseus_platform_start()",
	 {"perseus_program_start", "perseus_platform_start", "perseus_start"}},
	{"DR-02",
	 false,
	 "Each thread that the plan names shall be told by its creator, the creating call site and the "
	 "number of creations there; a thread that the plan does not name shall be left alone.",
	 "Numbers that the system gives to threads change from run to run.",
	 "generated unit test; perseus-verify compares the table of threads in the binary with the plan",
	 {"perseus_create_*", "perseus_creation_*", "perseus_thread_enter", "perseus_thread_create",
	  "pthread_create", "__wrap_pthread_create", "perseus_platform_self", "perseus_platform_become",
	  "perseus_platform_in_main", "perseus_self"}},
	{"DR-03",
	 false,
	 "A core that is set shall be read back; a core that was not taken, or is not in the mask the "
	 "program "
	 "started with, shall be counted, and the program shall go on.",
	 "Means against an inadvertent change of a critical setting (AMC 20-193, Resource Usage 2).",
	 "generated unit test with each outcome of the platform; review of perseus_platform_pin()",
	 {"perseus_pin", "perseus_platform_pin", "perseus_platform_holds", "perseus_recheck",
	  "perseus_forget"}},
	{"DR-04",
	 false,
	 "A frequency step that is set shall be read back; one that was not taken, or for which there is no "
	 "control, shall be counted, and the program shall go on.",
	 "As DR-03, for frequency domains.",
	 "generated unit test with each outcome of the platform; review of perseus_platform_step()",
	 {"perseus_step", "perseus_platform_step"}},
	{"DR-05",
	 true,
	 "No outcome of a setting shall stop the program: each is counted in perseus_status, with the last "
	 "error and value, and execution continues. What a setting may take is bounded: a core two system "
	 "calls; a frequency step, behind the steps of other threads that were begun before, the files of "
	 "one policy and eight looks a millisecond apart (cpufreq) or, once in a process, the second after "
	 "which perseusd is given up (perseusd).",
	 "A placement serves speed or energy; its loss must not become the loss of a function.",
	 "generated unit test with each outcome of the platform",
	 {"perseus_note", "perseus_platform_count", "perseus_platform_store"}},
	{"DR-06",
	 false,
	 "A trigger at a call shall count the visits of each planned thread by itself, and act on those that "
	 "the plan names only.",
	 "The same call serves several phases and threads.",
	 "generated unit test",
	 {"perseus_visit", "perseus_due"}},
	{"DR-07",
	 false,
	 "While a thread that the plan holds on a core creates another, it shall lend the mask the program "
	 "started with, and go back afterwards.",
	 "A new thread inherits its creator's mask and would be held on the creator's core.",
	 "review of the platform file",
	 {"perseus_lend_mask", "perseus_take_back"}},
	{"DR-08",
	 false,
	 "When the program ends normally, each frequency domain shall be put back as it was found.",
	 "A step outlives the process that set it.",
	 "review of the platform file",
	 {"perseus_restore"}},
	{"DR-09",
	 true,
	 "The program shall carry the SHA-256 of its plan (perseus_plan_sha256), and triggers of one plan "
	 "shall "
	 "not act with the platform file of another.",
	 "Stale object files.",
	 "perseus-verify compares it with the plan",
	 {NULL}},
	{"DR-10",
	 true,
	 "The generated code shall hold no loop without literal bound, no recursion, no allocation, no "
	 "floating "
	 "point and no compound condition.",
	 "Bounded time and stack; decision coverage is then condition coverage, too.",
	 "stack.csv (branches and stack with all callees); MISRA C:2012 checker",
	 {NULL}},
	{"DR-11",
	 false,
	 "All that depends on the operating system shall stand in the platform file.",
	 "A port to another system reviews one file.",
	 "review of the platform file",
	 {"perseus_platform_*"}},
	{"DR-12",
	 false,
	 "Outside of the functions that the plan names the bits of the flush shall be as they were on entry: "
	 "they shall be set if the register of floating-point control is the reviewed one, and taken back on "
	 "every way out, and no other bit of it shall be changed; what is not as reviewed shall be counted.",
	 "Results that are flushed differ; where they may is decided by review, with the largest change that "
	 "an "
	 "experiment saw.",
	 "generated unit test; perseus-source-check runs it with each bit of the register; perseus-verify "
	 "shows "
	 "every way out",
	 {"perseus_flush_*", "perseus_region_*", "perseus_platform_control", "perseus_platform_flush",
	  "perseus_platform_unflush", "perseus_platform_level", "perseus_platform_set_level", "perseus_mxcsr",
	  "perseus_set_mxcsr"}},
};
#define FIXED (sizeof(fixed) / sizeof(fixed[0]))

void derived_name(const struct evidence_item *it, char *out, size_t size)
{
	if (it->kind == ITEM_LAYOUT)
		snprintf(out, size, "DR-L%03u", it->index);
	else if (it->kind == ITEM_FLUSH)
		snprintf(out, size, "DR-F%03u", it->number);
	else if (it->kind == ITEM_TRIGGER)
		snprintf(out, size, "DR-T%04u", it->number);
	else
		snprintf(out, size, "DR-S%03u", it->index);
}

uint32_t derived_find(const struct evidence *p, const char *id)
{
	for (uint32_t i = 0; i < p->derived.n; i++)
		if (!strcmp(p->derived.at[i].id, id))
			return i;
	return PLAN_NONE;
}

static bool matches(const char *pattern, const char *name)
{
	size_t n = strlen(pattern);

	return pattern[n - 1] == '*' ? !strncmp(pattern, name, n - 1) : !strcmp(pattern, name);
}

/* The fixed requirement whose roots name the function; whole names go before beginnings of names. */
static uint32_t fixed_of(const char *name)
{
	for (int beginnings = 0; beginnings < 2; beginnings++)
		for (uint32_t i = 0; i < FIXED; i++)
			for (const char *const *root = fixed[i].roots; *root; root++)
				if ((strchr(*root, '*') != NULL) == beginnings && matches(*root, name))
					return i;
	return PLAN_NONE;
}

static uint32_t derived_add(struct evidence *p, const char *id, uint32_t item, const char *why,
			    const char *how)
{
	struct evidence_derived *d = vec_add(&p->derived);

	d->id = mem_strdup(id);
	d->item = item;
	d->why = mem_strdup(why && *why ? why : "the plan gives no reason");
	d->how = mem_strdup(how);
	return (uint32_t)p->derived.n - 1;
}

static void site_text(struct strbuf *out, const struct plan *plan, uint32_t site)
{
	const struct plan_site *s = &plan->sites[site];

	strbuf_printf(out, "%s in %s (%s:%u)", s->callee, s->function,
		      s->file && *s->file ? s->file : s->unit, s->line);
}

/* "When THREAD has been started, it shall be set: core 2." */
static void item_text(struct strbuf *out, const struct plan *plan, const struct evidence_item *it)
{
	const struct plan_trigger *t = it->kind == ITEM_TRIGGER ? &plan->triggers[it->index] : NULL;

	if (it->kind == ITEM_LAYOUT) {
		const struct plan_layout *l = &plan->layouts[it->index];

		strbuf_printf(out, "In each unit that has it (%s:%u), the following shall be so: %s.",
			      l->file, l->line, it->settings);
		return;
	}
	if (it->kind == ITEM_FLUSH) {
		const struct plan_flush *u = &plan->flushes[it->index];

		strbuf_printf(out, "While %s (%s) runs", u->function, u->unit);
	} else if (t && t->at == PLAN_AT_CALL) {
		strbuf_printf(out, "%s the call of ", t->after ? "After" : "Before");
		site_text(out, plan, t->site);
		strbuf_printf(out, ", on visit %u of thread %s", t->first, it->thread);
		if (t->every)
			strbuf_printf(out, " and every %u after it", t->every);
	} else {
		strbuf_printf(out, "When thread %s has started", it->thread);
	}
	strbuf_printf(out, ", the following shall be set: %s.", it->settings);
}

static void of_items(struct evidence *p)
{
	for (uint32_t i = 0; i < p->items.n; i++) {
		const struct evidence_item *it = &p->items.at[i];
		struct strbuf text = STRBUF_INIT;
		char id[32];
		uint32_t d;

		if (!it->sets)
			continue;
		derived_name(it, id, sizeof(id));
		d = derived_add(p, id, i, it->reason,
				it->kind == ITEM_LAYOUT
					? "assertions of " LAYOUTS_HEADER "; perseus-verify; checklist row "
					  "of the item"
					: "generated unit test; perseus-verify; checklist row of the item");
		item_text(&text, p->in->plan, it);
		p->derived.at[d].text = strbuf_detach(&text);
		if (it->kind != ITEM_LAYOUT)
			vec_push(&p->derived.at[d].functions, mem_strdup(it->function));
	}
}

/* A requirement of each function: its own, of its trigger, or else of somebody who uses it. */
static void own_functions(struct evidence *p, uint32_t *of_fixed)
{
	const struct outline_functions *f = &p->outline.functions;

	for (size_t i = 0; i < f->n; i++) {
		uint32_t k = fixed_of(f->at[i].name);

		p->owner[i] = k == PLAN_NONE ? PLAN_NONE : of_fixed[k];
	}
	for (uint32_t d = 0; d < p->derived.n; d++) {
		const struct evidence_derived *r = &p->derived.at[d];
		const struct outline_function *at = r->item == PLAN_NONE || !r->functions.n
							    ? NULL
							    : outline_find(&p->outline, r->functions.at[0]);

		if (at && p->owner[at - f->at] == PLAN_NONE)
			p->owner[at - f->at] = d;
	}
}

/* @from gets what @to has, if it has nothing yet; true if something changed. */
static bool pass_on(uint32_t to, uint32_t *from)
{
	bool change = to != PLAN_NONE && *from == PLAN_NONE;

	if (change)
		*from = to;
	return change;
}

static void inherit(struct evidence *p)
{
	const struct outline_functions *f = &p->outline.functions;

	for (bool more = true; more;) {
		more = false;
		for (size_t i = 0; i < f->n; i++) {
			/* Under #if a function may stand there twice: it is one. */
			const struct outline_function *twin = outline_find(&p->outline, f->at[i].name);

			more |= pass_on(p->owner[twin - f->at], &p->owner[i]);
			for (size_t k = 0; k < f->at[i].uses.n; k++)
				more |= pass_on(p->owner[i], &p->owner[f->at[i].uses.at[k].function]);
		}
	}
}

static void list_functions(struct evidence *p)
{
	for (size_t i = 0; i < p->outline.functions.n; i++)
		if (p->owner[i] != PLAN_NONE && p->derived.at[p->owner[i]].item == PLAN_NONE &&
		    outline_find(&p->outline, p->outline.functions.at[i].name) == &p->outline.functions.at[i])
			vec_push(&p->derived.at[p->owner[i]].functions,
				 mem_strdup(p->outline.functions.at[i].name));
}

/* A requirement that nothing realises in this plan's code is not one of it. */
static void drop_unused(struct evidence *p)
{
	uint32_t *now = mem_new(p->derived.n + 1, sizeof(*now)), n = 0;

	for (uint32_t i = 0; i < p->derived.n; i++) {
		struct evidence_derived *d = &p->derived.at[i];
		bool keep = d->item != PLAN_NONE || d->functions.n || (i < FIXED && fixed[i].always);

		now[i] = n;
		if (keep) {
			p->derived.at[n++] = *d;
		} else {
			free(d->id);
			free(d->text);
			free(d->why);
			free(d->how);
		}
	}
	p->derived.n = n;
	for (size_t i = 0; i < p->outline.functions.n; i++)
		if (p->owner[i] != PLAN_NONE)
			p->owner[i] = now[p->owner[i]];
	free(now);
}

void derived_make(struct evidence *p)
{
	uint32_t of_fixed[FIXED];

	p->owner = mem_new(p->outline.functions.n + 1, sizeof(*p->owner));
	for (size_t i = 0; i < FIXED; i++) {
		of_fixed[i] = derived_add(p, fixed[i].id, PLAN_NONE, fixed[i].why, fixed[i].how);
		p->derived.at[of_fixed[i]].text = mem_strdup(fixed[i].text);
	}
	of_items(p);
	own_functions(p, of_fixed);
	inherit(p);
	list_functions(p);
	drop_unused(p);
}

/* ---- the list ---- */

static void functions(struct strbuf *out, const struct evidence_derived *d)
{
	for (size_t i = 0; i < d->functions.n; i++)
		strbuf_printf(out, "%s%s", i ? " " : "", d->functions.at[i]);
}

void derived_csv(const struct evidence *p, struct strbuf *out)
{
	strbuf_puts(out, "derived requirement,plan item,text,rationale,functions,verified by\n");
	for (size_t i = 0; i < p->derived.n; i++) {
		const struct evidence_derived *d = &p->derived.at[i];
		struct strbuf list = STRBUF_INIT;

		functions(&list, d);
		csv_put(out, d->id);
		csv_put(out, d->item == PLAN_NONE ? "" : p->items.at[d->item].id);
		csv_put(out, d->text);
		csv_put(out, d->why);
		csv_put(out, list.s);
		csv_end(out, d->how);
		strbuf_release(&list);
	}
}

void derived_md(const struct evidence *p, struct strbuf *out)
{
	strbuf_puts(
		out,
		"# Derived requirements\n\n"
		"Requirements of the generated code that come from no requirement of the system. Each\n"
		"goes to the safety assessment (DO-178C 5.2.1b). `DR-S` belongs to the start of a thread,\n"
		"`DR-T` to a trigger, `DR-F` to a flush, `DR-L` to a layout of the plan.\n");
	for (size_t i = 0; i < p->derived.n; i++) {
		const struct evidence_derived *d = &p->derived.at[i];
		struct strbuf list = STRBUF_INIT;

		functions(&list, d);
		strbuf_printf(out, "\n## %s\n\n", d->id);
		md_put(out, d->text);
		strbuf_puts(out, "\n\n- rationale: ");
		md_put(out, d->why);
		if (d->item != PLAN_NONE)
			strbuf_printf(out, "\n- plan item: %s", p->items.at[d->item].id);
		/* Names in C: nothing to escape. */
		strbuf_printf(out, "\n- functions: %s%s%s", list.len ? "`" : "",
			      list.len               ? list.s
			      : d->item == PLAN_NONE ? "all"
						     : "none",
			      list.len ? "`" : "");
		strbuf_puts(out, "\n- verified by: ");
		md_put(out, d->how);
		strbuf_puts(out, "\n");
		strbuf_release(&list);
	}
}

/* SPDX-License-Identifier: MIT */
#include "report/page/findings.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyzer/sharing/remedy.h"
#include "lib/inspect/demangle.h"
#include "lib/mem.h"
#include "lib/num.h"
#include "lib/vec.h"
#include "report/text.h"
#include "report/time/words.h"
#include "report/waits/waits.h"

#define PLACES_SHOWN      4u
#define DENORMAL_HARMLESS 0.5 /* percent of the run */

struct finding_list VEC(struct page_finding);

static char *__attribute__((format(printf, 1, 2))) words(const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = mem_vprintf(fmt, ap);
	va_end(ap);
	return text;
}

static char *side_place(const struct sharing_side *s)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_printf(&sb, "%s %s by %s", s->what, s->uses == PRS_KIND_LOAD ? "read" : "written",
		      s->function ? s->function : s->name);
	if (s->file) {
		strbuf_puts(&sb, ", ");
		text_place(s->file, s->line, &sb);
	}
	return strbuf_detach(&sb);
}

/* "both in phase-000031 (opened by the barrier at a.c:5)"; NULL: wherever both run, or not known. */
static char *pair_phases(const struct sharing_pair *p)
{
	struct strbuf sb = STRBUF_INIT;

	if (!p->when.n)
		return NULL;
	strbuf_puts(&sb, "both in ");
	when_text(&sb, &p->when);
	return strbuf_detach(&sb);
}

static void add_places(struct page_finding *f, const struct sharing_finding *s)
{
	size_t n = s->n_pairs < PLACES_SHOWN / 2 ? s->n_pairs : PLACES_SHOWN / 2;

	f->places = mem_new(3 * n + 1, sizeof(*f->places));
	for (size_t i = 0; i < n; i++) {
		char *phases = pair_phases(&s->pairs[i]);

		f->places[f->n_places++] = side_place(&s->pairs[i].a);
		f->places[f->n_places++] = side_place(&s->pairs[i].b);
		if (phases)
			f->places[f->n_places++] = phases;
	}
}

static char *sharing_cost(const struct sharing_finding *s)
{
	char n[32];

	if (!s->priced)
		return words(
			"%s transfers a second; not priced: perseus calibrate measures what one costs here",
			num_si(n, sizeof(n), s->transfers_per_s));
	return words("costs %.*f %% of run time (%.*f to %.*f %%, confidence %s)", s->cost < 10, s->cost,
		     s->cost < 10, s->cost_low, s->cost < 10, s->cost_high,
		     sharing_confidence_name(s->confidence));
}

/* @sources say whether the compiler can do it. */
static void sharing_advice(struct page_finding *f, const struct sharing_finding *s, struct patch *sources)
{
	struct patch_result plan;
	const struct sharing_remedy *r = s->n_remedies ? &s->remedies[0] : NULL;

	if (r && r->kind == REMEDY_PAD) {
		bool any = patch_by_plan(&plan, sources, s);

		f->advice = words(
			"%s: put the fields of different threads on cache lines of their own (+%llu "
			"bytes)%s%s%s",
			s->subject, (unsigned long long)r->bytes,
			any ? ", in the source or by the compiler: perseus conflicts --plan=plan.yaml " : "",
			any ? s->evidence : "", any ? ", the sources as they are" : "");
		patch_result_release(&plan);
		f->command = words("perseus conflicts --patch %s", s->evidence);
		return;
	}
	f->advice = r ? words("%s: %s", s->subject, r->text)
		      : words("%s: the threads need the same bytes: use them less often", s->subject);
	f->command = words("perseus conflicts %s", s->evidence);
}

static void add_sharing(struct finding_list *list, const struct sharing_report *rep, struct patch *sources)
{
	for (size_t i = 0; i < rep->n; i++) {
		const struct sharing_finding *s = &rep->findings[i];
		struct page_finding f = {.gain = s->priced ? s->cost : -1};

		if (!s->significant && !s->perhaps)
			continue;
		f.id = mem_strdup(s->evidence);
		f.title = words("%s of %s", sharing_verdict_name(s->verdict), s->subject);
		f.cost = sharing_cost(s);
		add_places(&f, s);
		sharing_advice(&f, s, sources);
		vec_push(list, f);
	}
}

/* What shortens a wait at @thing: whoever holds it, comes last, or ends it. */
static char *wait_advice(const struct report_wait *w, const char *thing)
{
	if (run_is_lock(w->kind))
		return w->whom ? words("%s: %s holds it; hold it shorter, or take it less often", thing,
				       w->whom)
			       : words("%s: find out who holds it, and for how long", thing);
	if (w->kind == PRS_EV_BARRIER)
		return w->whom ? words("%s: %s comes last; give it less to do before, or deal the work anew",
				       thing, w->whom)
			       : words("%s: find out who comes last, and why", thing);
	return w->whom ? words("%s: it is %s that ends the wait; let it do its part sooner", thing, w->whom)
		       : words("%s: find out who ends the wait, and when", thing);
}

static void add_wait(struct finding_list *list, const struct report_summary *s, const struct report_wait *w)
{
	struct page_finding f = {.gain = text_percent(w->ns, s->thread_ns)};
	struct strbuf place = STRBUF_INIT;
	char *thing =
		words("%s%s%s", report_wait_kind(w->kind), w->object ? " " : "", w->object ? w->object : "");

	text_place(w->file, w->line, &place);
	f.id = mem_strdup(w->id);
	f.title = words("%s waits at %s", w->who, thing);
	f.cost = words("%.1f %% of thread time, %llu waits", f.gain, (unsigned long long)w->count);
	f.places = mem_new(2, sizeof(*f.places));
	if (place.len)
		f.places[f.n_places++] =
			words("in %s, %s", w->function ? w->function : "unknown code", place.s);
	f.advice = wait_advice(w, thing);
	free(thing);
	f.command = words("perseus explain %s", w->id);
	strbuf_release(&place);
	vec_push(list, f);
}

static char *denormal_place(const struct denormal_line *l)
{
	char *people = demangle_short(l->function);
	struct strbuf sb = STRBUF_INIT;
	char n[32];

	strbuf_printf(&sb, "%s born in %s(), ", num_group(n, sizeof(n), l->n.births),
		      people ? people : l->function);
	text_place(l->file, l->line, &sb);
	free(people);
	return strbuf_detach(&sb);
}

static char *denormal_cost(const struct denormal_report *r, double percent)
{
	char n[32];

	if (!r->priced)
		return words(
			"%s denormal results; not priced: perseus calibrate measures what they cost here",
			num_group(n, sizeof(n), r->all.results));
	return words("costs at most %.1f %% of the run that counted them", percent);
}

/* Half a percent of the run at most is harmless, as perseus denormals has it. */
static void add_denormals(struct finding_list *list, const struct denormal_report *r)
{
	double wall_ps = (double)r->run->manifest.wall_ns * 1e3;
	double percent = wall_ps > 0 ? 100 * r->all.high_ps / wall_ps : 0;
	struct page_finding f = {.gain = r->priced ? percent : -1};

	if (!denormal_report_any(r) || (r->priced && percent <= DENORMAL_HARMLESS))
		return;
	f.id = mem_strdup("denormals");
	f.title = mem_strdup("denormal numbers");
	f.cost = denormal_cost(r, percent);
	f.places = mem_new(PLACES_SHOWN, sizeof(*f.places));
	for (size_t i = 0; i < r->births.n && i < PLACES_SHOWN; i++)
		f.places[f.n_places++] = denormal_place(&r->births.at[i]);
	f.advice =
		mem_strdup("denormal numbers: a threshold where they are born, or flush to zero where they "
			   "are used");
	f.command = words("perseus denormals %s", r->run->path);
	vec_push(list, f);
}

static int by_gain(const void *a, const void *b)
{
	const struct page_finding *x = a, *y = b;

	return (x->gain < y->gain) - (x->gain > y->gain);
}

void page_findings_make(struct page_findings *f, const struct page_parts *p)
{
	struct finding_list list = VEC_INIT;
	const struct report_summary *s = p->times;

	if (p->sharing)
		add_sharing(&list, &p->sharing->rep, p->sources);
	for (size_t i = 0; i < s->n_waits; i++)
		if (waits_significant(s, &s->waits[i]))
			add_wait(&list, s, &s->waits[i]);
	if (p->denormal)
		add_denormals(&list, &p->denormal->rep);
	if (list.n)
		qsort(list.at, list.n, sizeof(*list.at), by_gain);
	*f = (struct page_findings){list.at, list.n};
}

void page_findings_release(struct page_findings *f)
{
	for (size_t i = 0; i < f->n; i++) {
		struct page_finding *x = &f->at[i];

		for (size_t k = 0; k < x->n_places; k++)
			free(x->places[k]);
		free(x->places);
		free(x->id);
		free(x->title);
		free(x->cost);
		free(x->advice);
		free(x->command);
	}
	free(f->at);
}

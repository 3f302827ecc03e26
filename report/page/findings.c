/* SPDX-License-Identifier: MIT */
#include "report/page/findings.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyzer/sharing/remedy.h"
#include "lib/mem.h"
#include "lib/num.h"
#include "lib/vec.h"
#include "report/text.h"
#include "report/time/words.h"
#include "report/waits/waits.h"

#define PLACES_SHOWN 4u

struct finding_list VEC(struct page_finding);

static char *__attribute__((format(printf, 1, 2))) words(const char *fmt, ...)
{
	char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	return text ? text : mem_strdup("");
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

static void add_places(struct page_finding *f, const struct sharing_finding *s)
{
	size_t n = s->n_pairs < PLACES_SHOWN / 2 ? s->n_pairs : PLACES_SHOWN / 2;

	f->places = mem_new(2 * n + 1, sizeof(*f->places));
	for (size_t i = 0; i < n; i++) {
		f->places[f->n_places++] = side_place(&s->pairs[i].a);
		f->places[f->n_places++] = side_place(&s->pairs[i].b);
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

static void sharing_advice(struct page_finding *f, const struct sharing_finding *s)
{
	const struct sharing_remedy *r = s->n_remedies ? &s->remedies[0] : NULL;

	if (r && r->kind == REMEDY_PAD) {
		f->advice = words(
			"%s: put the fields of different threads on cache lines of their own (+%llu bytes)",
			s->subject, (unsigned long long)r->bytes);
		f->command = words("perseus conflicts --patch %s", s->evidence);
		return;
	}
	f->advice = r ? words("%s: %s", s->subject, r->text)
		      : words("%s: the threads need the same bytes: use them less often", s->subject);
	f->command = words("perseus conflicts %s", s->evidence);
}

static void add_sharing(struct finding_list *list, const struct sharing_report *rep)
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
		sharing_advice(&f, s);
		vec_push(list, f);
	}
}

static void add_wait(struct finding_list *list, const struct report_summary *s, const struct report_wait *w)
{
	struct page_finding f = {.gain = text_percent(w->ns, s->thread_ns)};
	struct strbuf place = STRBUF_INIT;
	const char *thing = w->object ? w->object : report_wait_kind(w->kind);

	text_place(w->file, w->line, &place);
	f.id = mem_strdup(w->id);
	f.title = words("%s waits at %s %s", w->who, report_wait_kind(w->kind), w->object ? w->object : "");
	f.cost = words("%.1f %% of thread time, %llu waits", f.gain, (unsigned long long)w->count);
	f.places = mem_new(2, sizeof(*f.places));
	if (place.len)
		f.places[f.n_places++] =
			words("in %s, %s", w->function ? w->function : "unknown code", place.s);
	f.advice = w->whom ? words("%s: it waits for %s; let that hold it shorter, or do its part sooner",
				   thing, w->whom)
			   : words("%s: find out who holds it, and for how long", thing);
	f.command = words("perseus explain %s", w->id);
	strbuf_release(&place);
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
		add_sharing(&list, &p->sharing->rep);
	for (size_t i = 0; i < s->n_waits; i++)
		if (waits_significant(s, &s->waits[i]))
			add_wait(&list, s, &s->waits[i]);
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

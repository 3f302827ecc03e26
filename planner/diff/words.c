/* SPDX-License-Identifier: MIT */
/* How the comparison of plans speaks of threads and places. */
#include <stdlib.h>
#include <string.h>

#include "lib/inspect/demangle.h"
#include "lib/shown.h"
#include "planner/diff/pair.h"

bool pair_differs(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "") != 0;
}

void pair_safe(struct strbuf *out, const char *s)
{
	size_t at = out->len;

	strbuf_puts(out, s && *s ? s : "-");
	shown_make(&out->s[at], "");
}

void pair_thread_name(struct strbuf *out, const struct pair *p, int side, uint32_t thread)
{
	pair_safe(out, p->plan[side]->threads[thread].name);
	if (p->rank[side][thread] != PAIR_ALONE)
		strbuf_printf(out, " %u", p->rank[side][thread]);
}

static void add_name(struct strbuf *out, const char *symbol)
{
	char *plain = demangle_short(symbol);

	pair_safe(out, plain ? plain : symbol);
	free(plain);
}

static void add_site(struct strbuf *out, const struct plan_site *s)
{
	add_name(out, s->callee);
	strbuf_puts(out, " in ");
	add_name(out, s->function);
	strbuf_puts(out, " (");
	pair_safe(out, s->file && *s->file ? s->file : s->unit);
	strbuf_printf(out, ":%u)", s->line);
}

void pair_place(struct strbuf *out, const struct plan *plan, const struct pair_setting *s)
{
	if (!s->call) {
		strbuf_puts(out, "at its start");
		return;
	}
	strbuf_puts(out, s->after ? "after " : "before ");
	add_site(out, &plan->sites[plan->triggers[s->trigger].site]);
	strbuf_puts(out, ", ");
	pair_visit(out, s);
}

void pair_visit(struct strbuf *out, const struct pair_setting *s)
{
	strbuf_printf(out, "visit %u", s->first);
	if (s->every == 1)
		strbuf_puts(out, " and all after");
	else if (s->every)
		strbuf_printf(out, " and every %u after", s->every);
}

struct diff_change *pair_add(struct pair *p, enum diff_kind kind, struct strbuf *subject, const char *what,
			     const char *before, const char *after, struct strbuf *text)
{
	struct diff_change *c = vec_add(&p->diff->changes);

	*c = (struct diff_change){kind,
				  strbuf_detach(subject),
				  mem_strdup(what),
				  mem_strdup(before),
				  mem_strdup(after),
				  strbuf_detach(text),
				  PLAN_NONE,
				  PLAN_NONE,
				  PLAN_NONE,
				  PLAN_NONE};
	p->diff->n_differences += kind != DIFF_NOTE;
	return c;
}

/* "worker 3, created by pthread_create in main (a.c:10)" */
static void creation(struct strbuf *out, const struct pair *p, int side, uint32_t i)
{
	const struct plan *plan = p->plan[side];
	const struct plan_thread *t = &plan->threads[i];

	if (t->create_site < plan->n_sites) {
		strbuf_puts(out, "by ");
		add_site(out, &plan->sites[t->create_site]);
		strbuf_printf(out, ", number %u there", t->ordinal);
	} else if (t->creator < plan->n_threads) {
		strbuf_puts(out, "for ");
		pair_thread_name(out, p, side, t->creator);
		strbuf_printf(out, " by a library, number %u", t->ordinal);
	} else {
		strbuf_puts(out, "where nobody saw it");
	}
}

static void one_thread(struct pair *p, int side, uint32_t i)
{
	struct strbuf subject = STRBUF_INIT, text = STRBUF_INIT, where = STRBUF_INIT;

	pair_thread_name(&subject, p, side, i);
	creation(&where, p, side, i);
	strbuf_printf(&text, "%s is %s, created %s", subject.s,
		      side == PAIR_NEW ? "new" : "not in the plan any more", where.s);
	pair_add(p, DIFF_THREAD, &subject, "creation", side == PAIR_OLD ? where.s : NULL,
		 side == PAIR_NEW ? where.s : NULL, &text);
	strbuf_release(&where);
}

/* Creator (by common number), site and ordinal of a matched thread: were they the same? */
static bool same_creation(const struct pair *p, uint32_t old, uint32_t new)
{
	const struct plan_thread *a = &p->plan[PAIR_OLD]->threads[old], *b = &p->plan[PAIR_NEW]->threads[new];
	uint32_t site_a = a->create_site < p->plan[PAIR_OLD]->n_sites ? p->site[PAIR_OLD][a->create_site] : 0;
	uint32_t site_b = b->create_site < p->plan[PAIR_NEW]->n_sites ? p->site[PAIR_NEW][b->create_site] : 0;

	return site_a == site_b && a->ordinal == b->ordinal;
}

static void other_creation(struct pair *p, uint32_t old, uint32_t new)
{
	struct strbuf subject = STRBUF_INIT, text = STRBUF_INIT, before = STRBUF_INIT, after = STRBUF_INIT;

	pair_thread_name(&subject, p, PAIR_NEW, new);
	creation(&before, p, PAIR_OLD, old);
	creation(&after, p, PAIR_NEW, new);
	strbuf_printf(&text, "%s is created %s instead of %s", subject.s, after.s, before.s);
	pair_add(p, DIFF_THREAD, &subject, "creation", before.s, after.s, &text);
	strbuf_release(&before);
	strbuf_release(&after);
}

void pair_threads(struct pair *p)
{
	for (int side = PAIR_SIDES - 1; side >= 0; side--)
		for (uint32_t i = 0; i < p->plan[side]->n_threads; i++)
			if (!p->matched[side][i])
				one_thread(p, side, i);
	for (uint32_t i = 0; i < p->plan[PAIR_OLD]->n_threads; i++)
		if (p->matched[PAIR_OLD][i] && !same_creation(p, i, p->thread[PAIR_OLD][i]))
			other_creation(p, i, p->thread[PAIR_OLD][i]);
}

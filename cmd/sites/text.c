/* SPDX-License-Identifier: MIT */
#include "cmd/sites/list.h"

#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "perseus/access.h"
#include "perseus/sites.h"

const char *sites_known(const char *s)
{
	return strcmp(s, "-") ? s : NULL;
}

static void text_units(const struct sites *s, struct strbuf *out)
{
	for (size_t i = 0; i < s->n_units; i++) {
		const struct sites_unit *u = &s->units[i];

		strbuf_printf(out, "unit %016llx %s  %u call and %u memory sites  %s\n",
			      (unsigned long long)u->unit_id, u->source, u->n_calls, u->n_mems, u->producer);
		for (uint32_t k = 0; k < u->n_calls; k++) {
			const struct run_call_site *c = &u->calls[k];

			strbuf_printf(out, "call %s %s %s:%u %s -> %s%s%s%s%s\n", c->id, c->instance, c->file,
				      c->line, c->pretty, c->callee, sites_known(c->flags) ? "  " : "",
				      sites_known(c->flags) ? c->flags : "",
				      sites_known(c->chain) ? "  inlined " : "",
				      sites_known(c->chain) ? c->chain : "");
		}
		for (uint32_t k = 0; k < u->n_mems; k++) {
			const struct run_mem_site *m = &u->mems[k];

			strbuf_printf(out, "mem  %s %s %s:%u %s  %s %u %s%s%s%s\n", m->id, m->instance,
				      m->file, m->line, m->pretty, prs_kind_word(m->kind), m->bytes, m->base,
				      sites_known(m->type) ? "  " : "", sites_known(m->type) ? m->type : "",
				      m->near ? "  near" : "");
		}
	}
}

static int by_reason(const void *a, const void *b)
{
	const struct run_skipped *x = *(const struct run_skipped *const *)a;
	const struct run_skipped *y = *(const struct run_skipped *const *)b;
	int order = strcmp(x->kind, y->kind);

	if (!order)
		order = strcmp(x->reason, y->reason);
	return order ? order : (x > y) - (x < y);
}

static const char *kind_of_skipped(const char *kind, size_t n)
{
	if (!strcmp(kind, "mem"))
		return n == 1 ? "access" : "accesses";
	if (!strcmp(kind, PRS_SK_FUNCTION))
		return n == 1 ? "function" : "functions";
	return n == 1 ? "call" : "calls";
}

/* What carries no probe, by kind and reason, with a count in front of each group. */
static void text_skipped(const struct sites *s, struct strbuf *out)
{
	const struct run_skipped **order = mem_new(s->n_skipped + 1, sizeof(*order));

	for (size_t i = 0; order && i < s->n_skipped; i++)
		order[i] = &s->skipped[i];
	if (order)
		qsort(order, s->n_skipped, sizeof(*order), by_reason);
	for (size_t i = 0, end = 0; order && i < s->n_skipped; i++) {
		if (i == end) {
			while (end < s->n_skipped && !strcmp(order[end]->kind, order[i]->kind) &&
			       !strcmp(order[end]->reason, order[i]->reason))
				end++;
			strbuf_printf(out, "skipped %zu %s: %s\n", end - i,
				      kind_of_skipped(order[i]->kind, end - i), order[i]->reason);
		}
		strbuf_printf(out, "  %s:%u %s%s%s\n", order[i]->file, order[i]->line, order[i]->function,
			      sites_known(order[i]->callee) ? " -> " : "",
			      sites_known(order[i]->callee) ? order[i]->callee : "");
	}
	free(order);
}

/* Calls that carry a probe, and are not as they were without it. */
static void text_tails(const struct sites *s, struct strbuf *out)
{
	struct strbuf lines = STRBUF_INIT;
	size_t n = 0;

	for (size_t i = 0; i < s->n_units; i++)
		for (uint32_t k = 0; k < s->units[i].n_calls; k++) {
			const struct run_call_site *c = &s->units[i].calls[k];

			if (!run_has_flag(c->flags, PRS_CF_TAIL))
				continue;
			strbuf_printf(&lines, "  %s:%u %s -> %s\n", c->file, c->line, c->pretty, c->callee);
			n++;
		}
	if (n)
		strbuf_printf(out, "changed %zu call%s: tail\n%s", n, n == 1 ? "" : "s", lines.s);
	strbuf_release(&lines);
}

static void text_unlinked(const struct sites *s, struct strbuf *out)
{
	for (size_t i = 0; i < s->n_unlinked; i++)
		strbuf_printf(out, "unlinked %s  %llu calls\n", s->unlinked[i].source,
			      (unsigned long long)s->unlinked[i].calls);
	if (s->n_unlinked)
		strbuf_printf(out,
			      "  %zu unit%s compiled with -flto and the plugin but linked without it:\n"
			      "  add -fplugin=perseus.so to the link step\n",
			      s->n_unlinked, s->n_unlinked == 1 ? "" : "s");
}

void sites_text(const char *name, const struct sites *s, bool skipped, struct strbuf *out)
{
	uint64_t calls = 0, mems = 0;

	for (size_t i = 0; i < s->n_units; i++) {
		calls += s->units[i].n_calls;
		mems += s->units[i].n_mems;
	}
	strbuf_printf(out, "%s: %llu call and %llu memory sites in %zu unit%s, %zu skipped%s\n", name,
		      (unsigned long long)calls, (unsigned long long)mems, s->n_units,
		      s->n_units == 1 ? "" : "s", s->n_skipped,
		      s->n_skipped && !skipped ? " (--skipped says why)" : "");
	text_unlinked(s, out);
	if (skipped) {
		text_skipped(s, out);
		text_tails(s, out);
	} else {
		text_units(s, out);
	}
}

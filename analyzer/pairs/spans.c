/* SPDX-License-Identifier: MIT */
#include "analyzer/pairs/spans.h"

static void spans_widen(struct use_span *to, const struct use_span *by)
{
	to->first = by->first < to->first ? by->first : to->first;
	to->last = by->last > to->last ? by->last : to->last;
	to->moves += by->moves;
	to->seen += by->seen;
}

/* One that stands for several sites begins and ends at times of theirs, too. */
static void add_span(struct use_spans *s, const struct use_span *u)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (s->at[i].site == u->site) {
			spans_widen(&s->at[i], u);
			return;
		}
	if (s->n < SPANS_MOST)
		s->at[s->n++] = *u;
	else
		spans_widen(&s->at[SPANS_MOST - 1], u);
}

void spans_add(struct use_spans *s, const struct prs_line *l, double scale)
{
	double moves = (double)prs_line_moves(l) * scale;
	struct use_span u = {l->site, l->first, l->last, moves, moves + (double)l->watched};

	if (u.moves > 0)
		add_span(s, &u);
}

void spans_join(struct use_spans *s, const struct use_spans *other)
{
	for (uint32_t i = 0; i < other->n; i++)
		add_span(s, &other->at[i]);
}

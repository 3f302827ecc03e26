/* SPDX-License-Identifier: MIT */
#include "analyzer/pairs/when.h"

#include <stdlib.h>

#include "lib/mem.h"

void when_add(struct pair_when *w, const char *name, const char *opening, double share)
{
	w->at = mem_resize(w->at, w->n + 1, sizeof(*w->at));
	w->at[w->n++] = (struct when_phase){mem_strdup(name), mem_strdup(opening), share};
}

void when_text(struct strbuf *sb, const struct pair_when *w)
{
	for (size_t i = 0; i < w->n; i++) {
		strbuf_printf(sb, "%s%s %s", text_between(i, w->n), w->at[i].name, w->at[i].opening);
		if (w->at[i].share > 0)
			strbuf_printf(sb, " %.0f %%", 100 * w->at[i].share);
	}
	if (w->reason)
		strbuf_printf(sb, "not known: %s", w->reason);
}

void when_release(struct pair_when *w)
{
	for (size_t i = 0; i < w->n; i++) {
		free(w->at[i].name);
		free(w->at[i].opening);
	}
	free(w->at);
	free(w->reason);
	*w = (struct pair_when){0};
}

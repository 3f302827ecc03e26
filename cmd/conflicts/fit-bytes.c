/* SPDX-License-Identifier: MIT */
/* perseus conflicts --max-bytes: of the findings those whose layouts fit, what saves most for a byte first. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/patch/patch.h"
#include "cmd/base/print.h"
#include "cmd/conflicts/parts.h"
#include "lib/mem.h"
#include "yaml/plan.h"

/* A finding and what its layouts take alone. */
struct fit_candidate {
	const struct sharing_finding *f;
	uint64_t bytes;
	double worth; /* percent saved by a byte; without prices transfers */
};

/* What the layouts of @findings take, with those of @old; 0: the error is said where they are made again. */
static uint64_t layouts_take(struct patch *p, const struct run *run, struct plan *old,
			     const struct sharing_finding *const *findings, size_t n)
{
	struct layout_items x;
	struct patch_result r;
	uint64_t bytes = 0;

	layout_items_begin(&x, run, old->layouts, old->n_layouts);
	if (!patch_layouts(&r, p, findings, n, &x, NULL))
		for (size_t i = 0; i < x.at.n; i++)
			bytes += x.at.at[i].l->bytes;
	patch_result_release(&r);
	layout_items_release(&x);
	return bytes;
}

static int by_worth(const void *a, const void *b)
{
	const struct fit_candidate *x = a, *y = b;

	if (x->f->priced != y->f->priced)
		return x->f->priced ? -1 : 1;
	if (x->worth != y->worth)
		return x->worth > y->worth ? -1 : 1;
	return strcmp(x->f->evidence, y->f->evidence);
}

/* Percent of run time that lines of its own save, as the plan's reason says; without prices transfers. */
static double saved_by(const struct sharing_finding *f)
{
	const struct sharing_remedy *pad = conflicts_pad_of(f);

	if (!f->priced)
		return f->transfers_per_s;
	return pad && pad->priced ? pad->saves_percent : f->cost;
}

static void tell_left_out(const struct fit_candidate *c, uint64_t all, uint64_t most)
{
	cmd_say(stderr,
		"perseus conflicts: --plan: %s %s is left out: with it the layouts take %llu bytes more, "
		"above --max-bytes=%llu\n",
		c->f->evidence, c->f->subject, (unsigned long long)all, (unsigned long long)most);
}

size_t conflicts_fit_bytes(struct patch *p, const struct run *run, struct plan *old,
			   const struct sharing_finding **chosen, size_t n, uint64_t most)
{
	struct fit_candidate *c = mem_new(n + 1, sizeof(*c));
	uint64_t before = layouts_take(p, run, old, NULL, 0);
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t all = layouts_take(p, run, old, &chosen[i], 1);

		c[i] = (struct fit_candidate){.f = chosen[i], .bytes = all > before ? all - before : 0};
		c[i].worth = saved_by(chosen[i]) / (double)(c[i].bytes ? c[i].bytes : 1);
	}
	qsort(c, n, sizeof(*c), by_worth);
	for (size_t i = 0; i < n; i++) {
		uint64_t all;

		chosen[kept] = c[i].f;
		all = c[i].bytes ? layouts_take(p, run, old, chosen, kept + 1) : 0;
		if (all > most)
			tell_left_out(&c[i], all, most);
		else
			kept++;
	}
	free(c);
	return kept;
}

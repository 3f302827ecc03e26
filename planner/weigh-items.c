/* SPDX-License-Identifier: MIT */
/* Layouts of a plan to items that are taken together, and which of them can be taken at all. */
#include <string.h>

#include "planner/weigh.h"

/* ---- which layouts belong together ---- */

static bool same_type(const struct plan_layout *a, const struct plan_layout *b)
{
	return a->kind == PLAN_LAYOUT_FIELD && b->kind == PLAN_LAYOUT_FIELD && !strcmp(a->type, b->type) &&
	       !strcmp(a->file, b->file);
}

/* The next of @ids, the caller frees it; NULL: there is none. */
static char *next_id(const char **ids)
{
	size_t n;
	char *id;

	if (!*ids)
		return NULL;
	*ids += strspn(*ids, ", ");
	n = strcspn(*ids, ", ");
	id = n ? mem_strndup(*ids, n) : NULL;
	*ids += n;
	return id;
}

/* Do they rest on a finding in common? */
static bool same_finding(const struct plan_layout *a, const struct plan_layout *b)
{
	const char *ids = a->evidence;
	bool found = false;

	for (char *id; !found && (id = next_id(&ids)); free(id))
		found = plan_has_evidence(b->evidence, id);
	return found;
}

/* Give all layouts of item @from to item @to. */
static void unite_items(struct weighing *w, uint32_t from, uint32_t to)
{
	for (size_t i = 0; i < w->from->n_layouts; i++)
		if (w->item_of[i] == from)
			w->item_of[i] = to;
}

static void group(struct weighing *w)
{
	const struct plan_layout *l = w->from->layouts;
	uint32_t n = (uint32_t)w->from->n_layouts;

	w->item_of = mem_new(n + 1, sizeof(*w->item_of));
	for (uint32_t i = 0; i < n; i++) {
		w->item_of[i] = i;
		for (uint32_t k = 0; k < i; k++)
			if (same_type(&l[i], &l[k]) || same_finding(&l[i], &l[k]))
				unite_items(w, w->item_of[i], w->item_of[k]);
	}
	for (uint32_t i = 0; i < n; i++)
		if (w->item_of[i] == i)
			unite_items(w, i, w->n_items++);
	w->items = mem_new(w->n_items + 1, sizeof(*w->items));
}

/* ---- what an item costs ---- */

/* Bytes of all objects of @l, of which @bytes are what they grow by; false: not known. */
static bool objects_of(const struct plan_layout *l, uint64_t bytes, uint64_t *before, uint64_t *after)
{
	uint64_t grows = l->size_after - l->size, n = grows ? bytes / grows : 0;

	if (l->kind == PLAN_LAYOUT_VARIABLE && !n)
		n = 1;
	*before = n * l->size;
	*after = n * l->size_after;
	return n && !(grows && bytes % grows);
}

/* Is there a layout of the type of @l in front of it?  Objects are counted once. */
static bool counted(const struct weighing *w, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (same_type(&w->from->layouts[k], &w->from->layouts[i]))
			return true;
	return false;
}

static uint64_t bytes_of_type(const struct weighing *w, size_t i)
{
	uint64_t sum = w->from->layouts[i].bytes;

	for (size_t k = i + 1; k < w->from->n_layouts; k++)
		if (same_type(&w->from->layouts[k], &w->from->layouts[i]))
			sum += w->from->layouts[k].bytes;
	return sum;
}

static void add_ids(struct strbuf *to, const char *ids)
{
	for (char *id; (id = next_id(&ids)); free(id))
		if (!plan_has_evidence(to->s, id))
			strbuf_printf(to, "%s%s", to->len ? ", " : "", id);
}

static void add_costs(struct weighing *w)
{
	bool *places = mem_new(w->n_items + 1, sizeof(*places)); /* of all objects known so far */

	for (uint32_t i = 0; i < w->n_items; i++)
		places[i] = w->items[i].bytes_known = true;
	for (size_t i = 0; i < w->from->n_layouts; i++) {
		const struct plan_layout *l = &w->from->layouts[i];
		struct weigh_item *it = &w->items[w->item_of[i]];
		uint64_t before, after, bytes;

		add_ids(&it->ids, l->evidence);
		it->bytes += l->bytes;
		if (counted(w, i))
			continue;
		bytes = bytes_of_type(w, i);
		it->bytes_known &= bytes || l->size_after == l->size;
		places[w->item_of[i]] &= objects_of(l, bytes, &before, &after);
		it->before += before;
		it->after += after;
	}
	for (uint32_t i = 0; i < w->n_items; i++)
		if (!places[i])
			w->items[i].before = w->items[i].after = 0;
	free(places);
}

/* ---- what it is good for ---- */

static void find_conflicts(struct weighing *w)
{
	w->ended_by = mem_new(w->whole->n_conflicts + 1, sizeof(*w->ended_by));
	for (size_t c = 0; c < w->whole->n_conflicts; c++) {
		const struct model_conflict *mc = &w->whole->conflicts[c];

		w->ended_by[c] = PROB_NONE;
		for (uint32_t i = 0; i < w->n_items && mc->is_false; i++)
			if (plan_has_evidence(w->items[i].ids.s, mc->evidence)) {
				w->ended_by[c] = i;
				w->items[i].conflicts++;
			}
	}
}

/* The smallest cache that the objects of @it were in without the layout and are not with it; 0: none, or not known. */
static uint64_t cache_left(const struct platform *pf, const struct weigh_item *it)
{
	const uint64_t sizes[] = {pf->core_cache_bytes, pf->group_cache_bytes};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		if (it->before <= sizes[i] && it->after > sizes[i])
			return sizes[i];
	return 0;
}

static enum weigh_fate fate_of(const struct weighing *w, const struct weigh_item *it)
{
	if (!it->conflicts)
		return WEIGH_NO_CONFLICT;
	if (w->limits.max_bytes && (!it->bytes_known || it->bytes > w->limits.max_bytes))
		return WEIGH_BYTES;
	return it->cache && !w->limits.any_cache ? WEIGH_CACHE : WEIGH_OPEN;
}

void weigh_items(struct weighing *w)
{
	group(w);
	add_costs(w);
	find_conflicts(w);
	for (uint32_t i = 0; i < w->n_items; i++) {
		struct weigh_item *it = &w->items[i];

		it->cache = cache_left(w->platform, it);
		it->fate = fate_of(w, it);
		if (it->fate == WEIGH_OPEN && w->n_open++ < WEIGH_ITEMS)
			w->open[w->n_open - 1] = i;
	}
}

/* ---- sets of items ---- */

uint64_t weigh_bytes(const struct weighing *w, uint64_t set)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < w->n_open; i++)
		if (set >> i & 1)
			sum += w->items[w->open[i]].bytes;
	return sum;
}

void weigh_ids(const struct weighing *w, uint64_t set, struct strbuf *out)
{
	for (uint32_t i = 0; i < w->n_open; i++)
		if (set >> i & 1)
			add_ids(out, w->items[w->open[i]].ids.s);
}

void weigh_model(const struct weighing *w, uint64_t set, const char *back, struct model *out)
{
	bool *gone = mem_new(w->n_items + 1, sizeof(*gone));

	for (uint32_t i = 0; i < w->n_open; i++)
		gone[w->open[i]] = set >> i & 1;
	*out = *w->whole;
	out->n_conflicts = 0;
	out->conflicts = mem_new(w->whole->n_conflicts + 1, sizeof(*out->conflicts));
	for (size_t c = 0; c < w->whole->n_conflicts; c++)
		if (w->ended_by[c] == PROB_NONE || !gone[w->ended_by[c]] ||
		    plan_has_evidence(back, w->whole->conflicts[c].evidence))
			out->conflicts[out->n_conflicts++] = w->whole->conflicts[c];
	free(gone);
}

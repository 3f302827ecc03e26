/* SPDX-License-Identifier: MIT */
#include "record/denormal/denormal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define FLUSHES 0x8040u /* of MXCSR: flush-to-zero and denormals-are-zero */

/* What the site at an address of a module does. */
struct key {
	uint64_t address;
	uint32_t module, kind;
	size_t site; /* index in @d */
};

/* A file being read; what is taken from it was checked before. */
struct reading {
	struct denormal *d;
	const unsigned char *data;
	uint64_t used;
	const char *name;
	struct err *err;
	size_t thread, object; /* where those of this file begin in @d */
	struct VEC(struct unit {
		const struct prs_den_unit *raw;
		const struct prs_den_row *rows;
		const char *text;
		size_t first; /* site of its first row; rows of one site share it */
	}) units;
	struct VEC(struct key) keys; /* in order */
};

static int damaged(const struct reading *r, const void *at, const char *what)
{
	return err_set(r->err, -EINVAL, "'%s': at byte %zu: %s", r->name,
		       (size_t)((const unsigned char *)at - r->data), what);
}

static int check_head(const struct reading *r, size_t size)
{
	const struct prs_den_head *h = (const void *)r->data;

	if (size < sizeof(*h) || memcmp(h->magic, PRS_DEN_MAGIC, sizeof(h->magic)))
		return err_set(r->err, -EINVAL, "'%s' holds no counts of denormals", r->name);
	if (h->version != PRS_DEN_VERSION)
		return err_set(r->err, -EINVAL, "'%s' is of version %" PRIu32 ", this perseus reads %u",
			       r->name, h->version, PRS_DEN_VERSION);
	if (h->used < sizeof(*h) || h->used > size)
		return err_set(r->err, -EINVAL, "'%s' is cut: %zu bytes of %" PRIu64, r->name, size, h->used);
	return 0;
}

static bool text_within(const struct prs_den_unit *u, uint64_t at)
{
	return at < u->text_bytes;
}

static struct denormal_site site_of(const struct prs_den_row *row, const char *text, const char *unit)
{
	return (struct denormal_site){
		.id = row->id,
		.kind = row->kind,
		.type = row->type,
		.line = row->line,
		.column = row->column,
		.flags = row->flags,
		.operands = row->operands,
		.file = mem_strdup(text + row->file),
		.function = mem_strdup(text + row->function),
		.name = mem_strdup(text + row->name),
		.unit = unit ? mem_strdup(unit) : NULL,
	};
}

/* One site for each row; rows of one operation meet in denormal_settle(). */
static int add_unit(struct reading *r, const struct prs_den_item *item)
{
	const struct prs_den_unit *u = (const void *)item;
	struct unit unit = {.raw = u, .rows = (const void *)(u + 1), .first = r->d->sites.n};
	uint64_t rows = (uint64_t)u->n_slots * sizeof(struct prs_den_row);
	const char *name = NULL;

	if (item->bytes < sizeof(*u) + rows || u->text_bytes > item->bytes - sizeof(*u) - rows)
		return damaged(r, item, "a unit is longer than its item");
	unit.text = (const char *)(unit.rows + u->n_slots);
	if (u->text_bytes && unit.text[u->text_bytes - 1])
		return damaged(r, item, "the text of a unit has no end");
	if (u->name && !text_within(u, u->name - 1))
		return damaged(r, item, "the name of a unit is out of range");
	if (u->name && strcmp(unit.text + (u->name - 1), "-") != 0)
		name = unit.text + (u->name - 1);
	r->d->n_units++;
	r->d->full |= u->mode != PRS_DEN_RESULTS;
	r->d->origins |= u->mode == PRS_DEN_ORIGIN;
	r->d->gates |= u->flags & PRS_DEN_DESC_GATES;
	for (uint32_t i = 0; i < u->n_slots; i++) {
		const struct prs_den_row *row = &unit.rows[i];

		if (row->role >= PRS_DEN_ROLES || row->kind >= PRS_DEN_KINDS || row->type >= PRS_DEN_TYPES ||
		    !text_within(u, row->file) || !text_within(u, row->function) ||
		    !text_within(u, row->name))
			return damaged(r, row, "a counter's description is out of range");
		vec_push(&r->d->sites, site_of(row, unit.text, name));
	}
	vec_push(&r->units, unit);
	return 0;
}

static int add_thread(struct reading *r, const struct prs_den_item *item)
{
	struct denormal_thread *t;

	if (item->bytes < sizeof(t->raw))
		return damaged(r, item, "a thread is longer than its item");
	t = vec_add(&r->d->threads);
	memcpy(&t->raw, item, sizeof(t->raw));
	t->raw.name[sizeof(t->raw.name) - 1] = '\0';
	t->pid = ((const struct prs_den_head *)r->data)->pid;
	r->d->n_invalid += t->raw.mxcsr_seen & 1;
	return 0;
}

static int add_object(struct reading *r, const struct prs_den_item *item)
{
	struct denormal_object *o;

	if (item->bytes < sizeof(o->raw))
		return damaged(r, item, "an object is longer than its item");
	o = vec_add(&r->d->objects);
	memcpy(&o->raw, item, sizeof(o->raw));
	o->file = r->d->files.n - 1;
	if (o->raw.where > PRS_DEN_ELSEWHERE)
		return damaged(r, item, "an object lies nowhere that is known");
	return 0;
}

static void count(struct denormal_site *s, const struct prs_den_row *row, uint64_t n)
{
	if (row->role == PRS_DEN_RESULT)
		s->results += n;
	else if (row->role == PRS_DEN_BIRTH)
		s->births += n;
	else if (row->role == PRS_DEN_DEATH)
		s->deaths += n;
	else if (row->role == PRS_DEN_WRAPPED)
		s->wrapped |= n != 0;
	else if (row->operand < DENORMAL_OPERANDS)
		s->operand[row->operand] += n;
}

static int add_table(struct reading *r, const struct prs_den_item *item)
{
	const struct prs_den_table *t = (const void *)item;
	struct unit *u;

	if (item->bytes < sizeof(*t) || t->unit >= r->units.n || t->thread >= r->d->threads.n - r->thread)
		return damaged(r, item, "counters of a unit or thread that is not there");
	u = &r->units.at[t->unit];
	if ((item->bytes - sizeof(*t)) / sizeof(*t->count) < u->raw->n_slots)
		return damaged(r, item, "more counters than the item holds");
	for (uint32_t i = 0; i < u->raw->n_slots; i++) {
		count(&r->d->sites.at[u->first + i], &u->rows[i], t->count[i]);
		if (u->rows[i].role == PRS_DEN_RESULT)
			r->d->threads.at[r->thread + t->thread].results += t->count[i];
	}
	return 0;
}

static int key_order(const void *a, const void *b)
{
	const struct key *x = a, *y = b;

	if (x->module != y->module)
		return x->module < y->module ? -1 : 1;
	return (x->address > y->address) - (x->address < y->address);
}

static void index_sites(struct reading *r)
{
	for (size_t u = 0; u < r->units.n; u++)
		for (uint32_t i = 0; i < r->units.at[u].raw->n_slots; i++) {
			const struct prs_den_row *row = &r->units.at[u].rows[i];
			struct key key = {row->site, r->units.at[u].raw->module, row->kind,
					  r->units.at[u].first + i};

			vec_push(&r->keys, key);
		}
	if (r->keys.n)
		qsort(r->keys.at, r->keys.n, sizeof(*r->keys.at), key_order);
}

/* The site of @row; NULL: no unit has it. */
static const struct key *site_at(const struct reading *r, const struct prs_den_array_row *row)
{
	struct key wanted = {row->site, row->module, 0, 0};

	return r->keys.n ? bsearch(&wanted, r->keys.at, r->keys.n, sizeof(wanted), key_order) : NULL;
}

static void add_to_object(struct denormal_object *o, const struct denormal_site *s, uint64_t n)
{
	if (s->kind == PRS_DEN_COPY && s->flags & PRS_DEN_SITE_INTO)
		o->in += n;
	else if (s->kind == PRS_DEN_COPY)
		o->out += n;
	else if (s->kind == PRS_DEN_STORE)
		o->stores += n;
	else
		o->loads += n;
}

static int add_arrays(struct reading *r, const struct prs_den_item *item)
{
	const struct prs_den_arrays *a = (const void *)item;
	const struct prs_den_array_row *row = (const void *)(a + 1);

	if (item->bytes < sizeof(*a) || a->n > (item->bytes - sizeof(*a)) / sizeof(*row))
		return damaged(r, item, "more rows than the item holds");
	for (uint32_t i = 0; i < a->n; i++) {
		const struct key *key = site_at(r, &row[i]);
		struct denormal_row to;

		if (row[i].object == UINT32_MAX || !row[i].count || !key)
			continue;
		if (row[i].object >= r->d->objects.n - r->object)
			return damaged(r, &row[i], "an array that is not there");
		to = (struct denormal_row){key->site, r->object + row[i].object, row[i].count};
		vec_push(&r->d->rows, to);
		add_to_object(&r->d->objects.at[to.object], &r->d->sites.at[key->site], to.count);
	}
	return 0;
}

/* Object @number of the file; false: it is not there.  ~0 is none. */
static bool object_at(const struct reading *r, uint32_t number, size_t *to)
{
	*to = number == UINT32_MAX ? DENORMAL_NONE : r->object + number;
	return number == UINT32_MAX || number < r->d->objects.n - r->object;
}

static int add_flows(struct reading *r, const struct prs_den_item *item)
{
	const struct prs_den_arrays *a = (const void *)item;
	const struct prs_den_flow_row *row = (const void *)(a + 1);

	if (item->bytes < sizeof(*a) || a->n > (item->bytes - sizeof(*a)) / sizeof(*row))
		return damaged(r, item, "more rows than the item holds");
	for (; row < (const struct prs_den_flow_row *)(a + 1) + a->n; row++) {
		struct prs_den_array_row at = {.site = row->site, .module = row->module};
		const struct key *key = row->site < PRS_DEN_TAG_SITES ? NULL : site_at(r, &at);
		struct denormal_flow to = {.kind = row->kind, .count = row->count, .site = DENORMAL_NONE};

		if (row->kind > PRS_DEN_FLOW_GUESSED || !object_at(r, row->from, &to.from) ||
		    !object_at(r, row->to, &to.to))
			return damaged(r, row, "an origin of what is not there");
		if (key)
			to.site = key->site;
		else
			to.tag = row->site < PRS_DEN_TAG_SITES ? (uint32_t)row->site : PRS_DEN_TAG_LOST;
		if (row->count)
			vec_push(&r->d->flows, to);
	}
	return 0;
}

static int add_states(struct reading *r, const struct prs_den_item *item)
{
	const struct prs_den_arrays *a = (const void *)item;
	const struct prs_den_state *row = (const void *)(a + 1);

	if (item->bytes < sizeof(*a) || a->n > (item->bytes - sizeof(*a)) / sizeof(*row))
		return damaged(r, item, "more variables than the item holds");
	for (uint32_t i = 0; i < a->n; i++) {
		struct prs_den_array_row at = {.site = row[i].site, .module = row[i].module};
		const struct key *key = site_at(r, &at);
		struct denormal_state to = {.count = row[i].count,
					    .bits = row[i].bits,
					    .run = row[i].run,
					    .most = row[i].most,
					    .first_ns = row[i].first_ns,
					    .last_ns = row[i].last_ns,
					    .end_ns = r->d->files.at[r->d->files.n - 1].end_ns};

		if (!key || !row[i].count)
			continue;
		to.site = key->site;
		vec_push(&r->d->states, to);
	}
	return 0;
}

static int add_map(struct reading *r, const struct prs_den_item *item)
{
	const struct prs_den_map *m = (const void *)item;
	struct denormal_map to = {0};
	uint64_t tiles, bytes;

	if (item->bytes < sizeof(*m) || !m->rows || !m->columns || m->rows > PRS_DEN_TILES ||
	    m->columns > PRS_DEN_TILES || m->rows * m->columns > PRS_DEN_TILES || m->epochs > PRS_DEN_EPOCHS)
		return damaged(r, item, "a map of impossible size");
	tiles = (uint64_t)m->rows * m->columns;
	bytes = tiles * m->epochs * sizeof(*to.count);
	if (bytes > item->bytes - sizeof(*m))
		return damaged(r, item, "a map is longer than its item");
	if (!m->pitch || !m->row_lines || !m->column_bytes || !object_at(r, m->object, &to.object) ||
	    to.object == DENORMAL_NONE)
		return damaged(r, item, "a map of what is not there");
	memcpy(&to.raw, m, sizeof(to.raw));
	to.count = mem_new(tiles * m->epochs + 1, sizeof(*to.count));
	memcpy(to.count, m->count, bytes);
	vec_push(&r->d->maps, to);
	return 0;
}

static int add_module(struct reading *r, const struct prs_den_item *item)
{
	const struct prs_den_module *m = (const void *)item;
	struct denormal_module *to;

	if (item->bytes < sizeof(*m) || m->build_id_bytes > sizeof(m->build_id))
		return damaged(r, item, "a module is longer than its item");
	to = vec_add(&r->d->modules);
	*to = (struct denormal_module){
		.file = r->d->files.n - 1, .start = m->start, .end = m->end, .bias = m->bias};
	for (uint32_t i = 0; i < m->build_id_bytes; i++)
		snprintf(to->build_id + 2 * i, 3, "%02x", m->build_id[i]);
	to->path = mem_strndup(m->path, strnlen(m->path, item->bytes - sizeof(*m)));
	return 0;
}

static int add_note(struct reading *r, const struct prs_den_item *item)
{
	const struct prs_den_note *n = (const void *)item;
	struct denormal_flush f;

	if (item->bytes < sizeof(*n))
		return damaged(r, item, "a note is longer than its item");
	if (n->kind == PRS_DEN_NOTE_LEFT && n->value < PRS_DEN_WAYS) {
		struct denormal_left l = {r->d->files.n - 1, n->address, n->count, n->value};

		vec_push(&r->d->lefts, l);
	}
	if (n->kind != PRS_DEN_NOTE_FTZ)
		return 0;
	if (n->thread >= r->d->threads.n - r->thread)
		return damaged(r, item, "a note of a thread that is not there");
	f = (struct denormal_flush){r->d->files.n - 1, r->thread + n->thread, n->address, false};
	f.later = !(r->d->threads.at[f.thread].raw.mxcsr & FLUSHES);
	vec_push(&r->d->flushes, f);
	return 0;
}

typedef int add_fn(struct reading *r, const struct prs_den_item *item);

/* What is counted may stand before what it refers to has all been read. */
static int walk(struct reading *r, add_fn *const *take)
{
	uint64_t at = PRS_DEN_HEAD_SIZE;
	int ret = 0;

	while (at < r->used && !ret) {
		const struct prs_den_item *item = (const void *)(r->data + at);

		if (r->used - at < 64 || item->bytes < 64 || item->bytes % 64 || item->bytes > r->used - at)
			return damaged(r, item, "an item of impossible length");
		if (item->type < PRS_DEN_ITEM_TYPES && take[item->type])
			ret = take[item->type](r, item);
		at += item->bytes;
	}
	return ret;
}

static void add_file(struct denormal *d, const struct prs_den_head *h)
{
	struct denormal_file f = {h->pid, h->parent, h->begin_ns, h->end_ns,
				  mem_strndup(h->exe, strnlen(h->exe, sizeof(h->exe)))};

	vec_push(&d->files, f);
}

int denormal_add(struct denormal *d, const void *data, size_t size, const char *name, struct err *err)
{
	static add_fn *const first[PRS_DEN_ITEM_TYPES] = {
		[PRS_DEN_ITEM_MODULE] = add_module,
		[PRS_DEN_ITEM_UNIT] = add_unit,
		[PRS_DEN_ITEM_THREAD] = add_thread,
		[PRS_DEN_ITEM_OBJECT] = add_object,
	};
	static add_fn *const second[PRS_DEN_ITEM_TYPES] = {
		[PRS_DEN_ITEM_TABLE] = add_table,   [PRS_DEN_ITEM_ARRAYS] = add_arrays,
		[PRS_DEN_ITEM_NOTE] = add_note,     [PRS_DEN_ITEM_FLOWS] = add_flows,
		[PRS_DEN_ITEM_STATES] = add_states, [PRS_DEN_ITEM_MAP] = add_map,
	};
	struct reading r = {.d = d, .data = data, .name = name, .err = err};
	const struct prs_den_head *h = data;
	int ret = check_head(&r, size);

	if (ret)
		return ret;
	add_file(d, h);
	r.used = h->used;
	r.thread = d->threads.n;
	r.object = d->objects.n;
	ret = walk(&r, first);
	if (!ret) {
		index_sites(&r);
		ret = walk(&r, second);
	}
	vec_release(&r.units);
	vec_release(&r.keys);
	d->n_running += !h->end_ns;
	d->lost += h->lost;
	return ret;
}

static int order(const void *a, const void *b)
{
	const struct denormal_site *x = a, *y = b;
	int c = strcmp(x->file, y->file);

	if (!c)
		c = strcmp(x->function, y->function);
	if (!c && x->line != y->line)
		c = x->line < y->line ? -1 : 1;
	if (!c && x->column != y->column)
		c = x->column < y->column ? -1 : 1;
	if (!c && x->id != y->id)
		c = x->id < y->id ? -1 : 1;
	return c ? c : (x->kind > y->kind) - (x->kind < y->kind);
}

static void free_site(struct denormal_site *s)
{
	free(s->file);
	free(s->function);
	free(s->name);
	free(s->unit);
}

static void merge_site(struct denormal_site *to, struct denormal_site *s)
{
	to->results += s->results;
	to->births += s->births;
	to->deaths += s->deaths;
	to->wrapped |= s->wrapped;
	for (int k = 0; k < DENORMAL_OPERANDS; k++)
		to->operand[k] += s->operand[k];
	free_site(s);
}

static int row_order(const void *a, const void *b)
{
	const struct denormal_row *x = a, *y = b;

	if (x->object != y->object)
		return x->object < y->object ? -1 : 1;
	return (x->site > y->site) - (x->site < y->site);
}

/* @now: where the sites of the files are now. */
static void settle_rows(struct denormal *d, const size_t *now)
{
	size_t n = 0;

	for (size_t i = 0; i < d->rows.n; i++)
		d->rows.at[i].site = now[d->rows.at[i].site];
	if (d->rows.n)
		qsort(d->rows.at, d->rows.n, sizeof(*d->rows.at), row_order);
	for (size_t i = 0; i < d->rows.n; i++) {
		if (n && !row_order(&d->rows.at[n - 1], &d->rows.at[i]))
			d->rows.at[n - 1].count += d->rows.at[i].count;
		else
			d->rows.at[n++] = d->rows.at[i];
	}
	d->rows.n = n;
}

static int flow_order(const void *a, const void *b)
{
	const struct denormal_flow *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	if (x->site != y->site)
		return x->site < y->site ? -1 : 1;
	return (x->tag > y->tag) - (x->tag < y->tag);
}

static void settle_flows(struct denormal *d, const size_t *now)
{
	size_t n = 0;

	for (size_t i = 0; i < d->flows.n; i++)
		if (d->flows.at[i].site != DENORMAL_NONE)
			d->flows.at[i].site = now[d->flows.at[i].site];
	if (d->flows.n)
		qsort(d->flows.at, d->flows.n, sizeof(*d->flows.at), flow_order);
	for (size_t i = 0; i < d->flows.n; i++) {
		if (n && !flow_order(&d->flows.at[n - 1], &d->flows.at[i]))
			d->flows.at[n - 1].count += d->flows.at[i].count;
		else
			d->flows.at[n++] = d->flows.at[i];
	}
	d->flows.n = n;
	for (size_t i = 0; i < d->states.n; i++)
		d->states.at[i].site = now[d->states.at[i].site];
}

static int unit_order(const char *a, const char *b)
{
	if (!a || !b)
		return (a != NULL) - (b != NULL);
	return strcmp(a, b);
}

static int home_order(const void *a, const void *b)
{
	const struct denormal_home *x = a, *y = b;
	int c = strcmp(x->file, y->file);

	if (!c)
		c = strcmp(x->function, y->function);
	return c ? c : unit_order(x->unit, y->unit);
}

/* While the sites of each unit stand by themselves. */
static void collect_homes(struct denormal *d)
{
	size_t n = 0;

	for (size_t i = 0; i < d->sites.n; i++) {
		const struct denormal_site *s = &d->sites.at[i];
		struct denormal_home h = {s->file, s->function, s->unit, s->births};

		if (s->births)
			vec_push(&d->homes, h);
	}
	if (d->homes.n)
		qsort(d->homes.at, d->homes.n, sizeof(*d->homes.at), home_order);
	for (size_t i = 0; i < d->homes.n; i++) {
		if (n && !home_order(&d->homes.at[n - 1], &d->homes.at[i]))
			d->homes.at[n - 1].births += d->homes.at[i].births;
		else
			d->homes.at[n++] = d->homes.at[i];
	}
	d->homes.n = n;
	for (size_t i = 0; i < n; i++) {
		struct denormal_home *h = &d->homes.at[i];

		h->file = mem_strdup(h->file);
		h->function = mem_strdup(h->function);
		h->unit = h->unit ? mem_strdup(h->unit) : NULL;
	}
}

void denormal_settle(struct denormal *d)
{
	size_t n = 0, *now = mem_new(d->sites.n + 1, sizeof(*now));

	collect_homes(d);
	for (size_t i = 0; i < d->sites.n; i++)
		d->sites.at[i].was = i;
	if (d->sites.n)
		qsort(d->sites.at, d->sites.n, sizeof(*d->sites.at), order);
	for (size_t i = 0; i < d->sites.n; i++) {
		struct denormal_site *s = &d->sites.at[i], *to = n ? &d->sites.at[n - 1] : NULL;
		size_t was = s->was;

		if (!to || order(to, s))
			d->sites.at[n++] = *s;
		else
			merge_site(to, s);
		now[was] = n - 1;
	}
	d->sites.n = n;
	settle_rows(d, now);
	settle_flows(d, now);
	free(now);
}

void denormal_release(struct denormal *d)
{
	for (size_t i = 0; i < d->sites.n; i++)
		free_site(&d->sites.at[i]);
	for (size_t i = 0; i < d->modules.n; i++)
		free(d->modules.at[i].path);
	for (size_t i = 0; i < d->files.n; i++)
		free(d->files.at[i].exe);
	for (size_t i = 0; i < d->homes.n; i++) {
		free(d->homes.at[i].file);
		free(d->homes.at[i].function);
		free(d->homes.at[i].unit);
	}
	vec_release(&d->homes);
	vec_release(&d->sites);
	vec_release(&d->objects);
	vec_release(&d->flushes);
	vec_release(&d->lefts);
	vec_release(&d->threads);
	vec_release(&d->rows);
	for (size_t i = 0; i < d->maps.n; i++)
		free(d->maps.at[i].count);
	vec_release(&d->flows);
	vec_release(&d->states);
	vec_release(&d->maps);
	vec_release(&d->modules);
	vec_release(&d->files);
}

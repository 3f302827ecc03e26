/* SPDX-License-Identifier: MIT */
#include "record/denormal/traps.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Where a module lay in the process of the file being read. */
struct placed {
	uint64_t start, end, bias;
	size_t module;
};

struct reading {
	struct denormal_traps *t;
	const unsigned char *data;
	uint64_t used;
	const char *name;
	struct err *err;
	size_t row, note; /* where those of this file begin */
	struct VEC(struct placed) placed;
	size_t n_threads, n_items;
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

static size_t module_of(struct denormal_traps *t, const char *path, const char *build_id)
{
	struct denormal_trap_module *m;

	for (size_t i = 0; i < t->modules.n; i++)
		if (!strcmp(t->modules.at[i].path, path) && !strcmp(t->modules.at[i].build_id, build_id))
			return i;
	m = vec_add(&t->modules);
	m->path = mem_strdup(path);
	strcpy(m->build_id, build_id);
	return t->modules.n - 1;
}

static int add_module(struct reading *r, const struct prs_den_item *item)
{
	const struct prs_den_module *m = (const void *)item;
	char build_id[2 * sizeof(m->build_id) + 1] = "";
	struct placed p;

	if (item->bytes <= sizeof(*m) || !memchr(m->path, '\0', item->bytes - sizeof(*m)))
		return damaged(r, item, "the path of a module has no end");
	if (m->build_id_bytes > sizeof(m->build_id))
		return damaged(r, item, "a build id is longer than its field");
	for (uint32_t i = 0; i < m->build_id_bytes; i++)
		snprintf(build_id + (size_t)2 * i, 3, "%02x", m->build_id[i]);
	p = (struct placed){m->start, m->end, m->bias, module_of(r->t, m->path, build_id)};
	vec_push(&r->placed, p);
	return 0;
}

static int add_thread(struct reading *r, const struct prs_den_item *item)
{
	if (item->bytes < sizeof(struct prs_den_thread))
		return damaged(r, item, "a thread is longer than its item");
	r->n_threads += ((const struct prs_den_thread *)item)->threads;
	return 0;
}

static int add_rows(struct reading *r, const struct prs_den_item *item)
{
	const struct prs_den_traps *traps = (const void *)item;
	const struct prs_den_trap_row *row = (const void *)(traps + 1);

	if (item->bytes < sizeof(*traps) || traps->n > (item->bytes - sizeof(*traps)) / sizeof(*row))
		return damaged(r, item, "more rows than the item holds");
	r->n_items++;
	for (uint32_t i = 0; i < traps->n; i++) {
		struct denormal_trap to = {.module = DENORMAL_NO_MODULE,
					   .address = row[i].address,
					   .operands = row[i].operands,
					   .results = row[i].results,
					   .lanes = row[i].lanes};

		/* One that was begun when the program was interrupted, or for ever. */
		if (row[i].operands || row[i].results)
			vec_push(&r->t->rows, to);
	}
	return 0;
}

static int add_note(struct reading *r, const struct prs_den_item *item)
{
	const struct prs_den_note *n = (const void *)item;
	struct denormal_trap_note to;

	if (item->bytes < sizeof(*n))
		return damaged(r, item, "a note is longer than its item");
	to = (struct denormal_trap_note){.kind = n->kind,
					 .pid = ((const struct prs_den_head *)r->data)->pid,
					 .thread = n->thread,
					 .value = n->value,
					 .count = n->count,
					 .module = DENORMAL_NO_MODULE};
	vec_push(&r->t->notes, to);
	return 0;
}

static int walk(struct reading *r)
{
	uint64_t at = PRS_DEN_HEAD_SIZE;
	int ret = 0;

	while (at < r->used && !ret) {
		const struct prs_den_item *item = (const void *)(r->data + at);

		if (r->used - at < 64 || item->bytes < 64 || item->bytes % 64 || item->bytes > r->used - at)
			return damaged(r, item, "an item of impossible length");
		if (item->type == PRS_DEN_ITEM_MODULE)
			ret = add_module(r, item);
		else if (item->type == PRS_DEN_ITEM_THREAD)
			ret = add_thread(r, item);
		else if (item->type == PRS_DEN_ITEM_TRAPS)
			ret = add_rows(r, item);
		else if (item->type == PRS_DEN_ITEM_NOTE)
			ret = add_note(r, item);
		at += item->bytes;
	}
	return ret;
}

/* The address as linked; of modules that lay in one place the last one. */
static void place(const struct reading *r, uint64_t *address, size_t *module)
{
	for (size_t i = r->placed.n; i-- > 0;) {
		const struct placed *p = &r->placed.at[i];

		if (*address < p->start || *address >= p->end)
			continue;
		*address -= p->bias;
		*module = p->module;
		return;
	}
}

static void place_all(struct reading *r)
{
	for (size_t i = r->row; i < r->t->rows.n; i++)
		place(r, &r->t->rows.at[i].address, &r->t->rows.at[i].module);
	for (size_t i = r->note; i < r->t->notes.n; i++) {
		struct denormal_trap_note *n = &r->t->notes.at[i];

		if (n->kind == PRS_DEN_NOTE_DECODE || n->kind == PRS_DEN_NOTE_HANDLER)
			place(r, &n->value, &n->module);
	}
}

int denormal_traps_add(struct denormal_traps *t, const void *data, size_t size, const char *name,
		       struct err *err)
{
	struct reading r = {
		.t = t, .data = data, .name = name, .err = err, .row = t->rows.n, .note = t->notes.n};
	const struct prs_den_head *h = data;
	int ret = check_head(&r, size);

	if (ret)
		return ret;
	r.used = h->used;
	ret = walk(&r);
	if (!ret && !r.n_items) {
		t->notes.n = r.note; /* of the other route */
	} else if (!ret) {
		place_all(&r);
		t->n_files++;
		t->n_running += !h->end_ns;
		t->n_threads += r.n_threads;
		t->lost += h->lost;
	}
	vec_release(&r.placed);
	return ret;
}

static int by_place(const void *a, const void *b)
{
	const struct denormal_trap *x = a, *y = b;

	if (x->module != y->module)
		return x->module < y->module ? -1 : 1;
	return (x->address > y->address) - (x->address < y->address);
}

static int by_traps(const void *a, const void *b)
{
	const struct denormal_trap *x = a, *y = b;
	uint64_t p = x->operands + x->results, q = y->operands + y->results;

	return p != q ? (p < q) - (p > q) : by_place(a, b);
}

void denormal_traps_settle(struct denormal_traps *t)
{
	size_t n = 0;

	if (!t->rows.n)
		return;
	qsort(t->rows.at, t->rows.n, sizeof(*t->rows.at), by_place);
	for (size_t i = 0; i < t->rows.n; i++) {
		struct denormal_trap *row = &t->rows.at[i], *to = n ? &t->rows.at[n - 1] : NULL;

		if (!to || by_place(to, row)) {
			t->rows.at[n++] = *row;
			continue;
		}
		to->operands += row->operands;
		to->results += row->results;
		to->lanes += row->lanes;
	}
	t->rows.n = n;
	qsort(t->rows.at, n, sizeof(*t->rows.at), by_traps);
}

void denormal_traps_release(struct denormal_traps *t)
{
	for (size_t i = 0; i < t->modules.n; i++)
		free(t->modules.at[i].path);
	for (size_t i = 0; i < t->rows.n; i++) {
		free(t->rows.at[i].function);
		free(t->rows.at[i].file);
	}
	vec_release(&t->modules);
	vec_release(&t->rows);
	vec_release(&t->notes);
}

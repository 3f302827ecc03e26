/* SPDX-License-Identifier: MIT */
/* The rows of all recordings, by key. */
#include <stdlib.h>
#include <string.h>

#include "report/diff/parts.h"

/* An entry and the recording that it is of, base first. */
struct found {
	const struct diff_entry *entry;
	size_t recording;
};

struct found_list VEC(struct found);

static int match_by_key(const void *a, const void *b)
{
	const struct found *x = a, *y = b;
	int order = strcmp(x->entry->key, y->entry->key);

	if (order)
		return order;
	return x->recording < y->recording ? -1 : x->recording > y->recording;
}

static void match_collect(struct found_list *all, const struct diff_side *s, size_t first)
{
	for (size_t i = 0; i < s->recordings.n; i++)
		for (size_t k = 0; k < s->recordings.at[i].rows.n; k++)
			vec_push(all, ((struct found){&s->recordings.at[i].rows.at[k], first + i}));
}

/* One row of all entries of a key; what a recording has twice is added up by diff_value(). */
static void add_row(struct diff *d, const struct found *f, size_t n)
{
	struct diff_row *r = vec_add(&d->rows);

	r->kind = f->entry->kind;
	r->key = f->entry->key;
	r->at = mem_new(diff_recordings(d), sizeof(*r->at));
	for (size_t i = 0; i < n; i++) {
		if (!r->at[f[i].recording])
			r->at[f[i].recording] = f[i].entry;
		/* The place in the newest source. */
		r->name = f[i].entry->name;
		r->file = f[i].entry->file;
		r->within = f[i].entry->within;
		r->line = f[i].entry->line;
	}
}

/* Entries of one key in one recording become one. */
static void join_doubles(struct found_list *all)
{
	size_t kept = 0;

	for (size_t i = 0; i < all->n; i++) {
		struct found *last = kept ? &all->at[kept - 1] : NULL;

		if (last && last->recording == all->at[i].recording && !match_by_key(last, &all->at[i])) {
			struct diff_entry *sum = (struct diff_entry *)last->entry;

			sum->value += all->at[i].entry->value;
			sum->calls += all->at[i].entry->calls;
			sum->share += all->at[i].entry->share;
			sum->sd += all->at[i].entry->sd;
			sum->matters |= all->at[i].entry->matters;
		} else {
			all->at[kept++] = all->at[i];
		}
	}
	all->n = kept;
}

/* True if only one side has the row, and the other could have it. */
static bool is_alone(const struct diff *d, const struct diff_row *r, bool in_new)
{
	size_t split = d->base->recordings.n;

	for (size_t i = 0; i < diff_recordings(d); i++)
		if ((r->at[i] != NULL) != ((i >= split) == in_new))
			return false;
	return true;
}

static const char *other_name(const struct diff *d, const struct diff_row *r)
{
	for (size_t i = 0; i < diff_recordings(d); i++)
		if (r->at[i])
			return r->at[i]->other;
	return "";
}

struct lone {
	struct diff_row *row;
	const char *other;
	bool in_new;
};

static int by_other(const void *a, const void *b)
{
	const struct lone *x = a, *y = b;
	int order = strcmp(x->other, y->other);

	return order ? order : (int)x->in_new - (int)y->in_new;
}

static size_t find_lone(const struct diff *d, struct lone *lone)
{
	size_t n = 0;

	for (size_t i = 0; i < d->rows.n; i++) {
		struct diff_row *r = &d->rows.at[i];
		bool in_new = is_alone(d, r, true);

		if (in_new || is_alone(d, r, false))
			lone[n++] = (struct lone){r, other_name(d, r), in_new};
	}
	qsort(lone, n, sizeof(*lone), by_other);
	return n;
}

/* What vanished and what came are the same if their other name is there once on each side. */
static void join_renamed(struct diff *d)
{
	struct lone *lone = mem_new(d->rows.n + 1, sizeof(*lone));
	size_t n = find_lone(d, lone), split = d->base->recordings.n;

	for (size_t i = 0, k; i < n; i = k) {
		for (k = i + 1; k < n && !strcmp(lone[k].other, lone[i].other); k++)
			;
		if (k - i != 2 || lone[i].in_new == lone[i + 1].in_new)
			continue;
		memcpy(lone[i + 1].row->at, lone[i].row->at, split * sizeof(*lone[i].row->at));
		lone[i + 1].row->was = lone[i].row->key;
		lone[i].row->gone = true;
	}
	free(lone);
}

static void drop_gone(struct diff *d)
{
	size_t kept = 0;

	for (size_t i = 0; i < d->rows.n; i++) {
		if (d->rows.at[i].gone)
			free(d->rows.at[i].at);
		else
			d->rows.at[kept++] = d->rows.at[i];
	}
	d->rows.n = kept;
}

size_t diff_recordings(const struct diff *d)
{
	return d->base->recordings.n + d->new->recordings.n;
}

void diff_match(struct diff *d)
{
	struct found_list all = VEC_INIT;

	match_collect(&all, d->base, 0);
	match_collect(&all, d->new, d->base->recordings.n);
	qsort(all.at, all.n, sizeof(*all.at), match_by_key);
	join_doubles(&all);
	for (size_t i = 0, n; i < all.n; i += n) {
		for (n = 1; i + n < all.n && !strcmp(all.at[i].entry->key, all.at[i + n].entry->key); n++)
			;
		add_row(d, &all.at[i], n);
	}
	vec_release(&all);
	join_renamed(d);
	drop_gone(d);
}

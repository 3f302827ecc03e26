/* SPDX-License-Identifier: MIT */
#include "analyzer/findings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/names.h"
#include "analyzer/parts.h"
#include "analyzer/remedy.h"
#include "lib/demangle.h"
#include "lib/hash.h"
#include "lib/mem.h"
#include "lib/strbuf.h"
#include "lib/vec.h"

#define LINE_BYTES 64u

/* A field of an object: the nodes that records connect. */
struct node {
	uint32_t object, field;
	uint32_t parent; /* union-find */
};
struct nodes VEC(struct node);

static uint32_t node_of(struct nodes *nodes, uint32_t object, uint32_t field)
{
	struct node n = {object, field, (uint32_t)nodes->n};

	for (uint32_t i = 0; i < nodes->n; i++)
		if (nodes->at[i].object == object && nodes->at[i].field == field)
			return i;
	vec_push(nodes, n);
	return n.parent;
}

static uint32_t root(struct nodes *nodes, uint32_t i)
{
	while (nodes->at[i].parent != i)
		i = nodes->at[i].parent = nodes->at[nodes->at[i].parent].parent;
	return i;
}

static void join(struct nodes *nodes, uint32_t a, uint32_t b)
{
	uint32_t x = root(nodes, a), y = root(nodes, b);

	nodes->at[x > y ? x : y].parent = x < y ? x : y;
}

/* Connect the fields of a record; returns its first node, or UINT32_MAX. */
static uint32_t connect(struct nodes *nodes, const struct pair_record *r)
{
	const struct pair_side *sides[2] = {&r->a, &r->b};
	uint32_t first = UINT32_MAX;

	for (int s = 0; s < 2; s++)
		for (uint32_t i = 0; i < sides[s]->n_fields; i++) {
			uint32_t n = node_of(nodes, sides[s]->object[i], sides[s]->field[i]);

			if (first == UINT32_MAX)
				first = n;
			join(nodes, first, n);
		}
	return first;
}

/* Where people look for the access: in the program's own source. */
static void set_place(struct sharing_side *out, const struct run *run, const struct run_mem_site *site)
{
	const struct run_function *f;
	struct run_place place;

	run_mem_place(run, site, &place);
	f = run_function(run, place.function);
	out->function = f && strcmp(f->pretty, "-") ? mem_strdup(f->pretty) : demangle_short(place.function);
	if (!out->function)
		out->function = mem_strdup(place.function);
	out->file = place.file && strcmp(place.file, "-") ? place.file : NULL;
	out->line = place.line;
}

static void add_side(struct sharing_side *out, const struct pair_side *s, const struct objects *os)
{
	*out = (struct sharing_side){.thread = s->thread, .site = s->site, .kind = s->kind};
	out->accesses = s->accesses;
	out->visits = s->visits;
	out->active_ns = s->active_ns;
	out->gap_waits = s->gap_waits;
	out->active_waits = s->active_waits;
	out->how = s->how;
	out->bytes_seen = s->bytes_seen;
	if (s->site)
		set_place(out, os->run, s->site);
	out->field =
		s->n_fields ? name_of_field(os->at[s->main_object].fields[s->main_field]) : mem_strdup("");
}

static void add_pair(struct sharing_finding *f, const struct pair_record *r, const struct objects *os)
{
	struct sharing_pair *p;

	f->pairs = mem_resize(f->pairs, f->n_pairs + 1, sizeof(*f->pairs));
	p = &f->pairs[f->n_pairs++];
	*p = (struct sharing_pair){.verdict = r->verdict, .transfers = r->transfers, .lines = r->lines};
	add_side(&p->a, &r->a, os);
	add_side(&p->b, &r->b, os);
	finding_objects_add(f, r, os);
	f->transfers += r->transfers;
	if (r->verdict == SHARING_FALSE && r->distance && r->distance < LINE_BYTES &&
	    LINE_BYTES - r->distance > f->pad_bytes)
		f->pad_bytes = LINE_BYTES - r->distance;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Order of people: fields by their place in the layout, else by name. */
static int field_rank(const struct object *o, const char *name)
{
	for (size_t i = 0; o->layout && i < o->layout->n_fields; i++)
		if (!strcmp(o->layout->fields[i].name, name))
			return (int)i;
	return 1 << 20;
}

static void sort_fields(const struct object *o, const char **names, size_t n)
{
	qsort(names, n, sizeof(*names), by_name);
	for (size_t i = 1; i < n; i++)
		for (size_t k = i; k && field_rank(o, names[k - 1]) > field_rank(o, names[k]); k--) {
			const char *t = names[k];

			names[k] = names[k - 1];
			names[k - 1] = t;
		}
}

static void join_names(struct strbuf *sb, const char *const *names, size_t n, const char *between)
{
	for (size_t i = 0; i < n; i++)
		strbuf_printf(sb, "%s%s", i ? between : "", names[i]);
}

/* "pairs[].a/b", "counters[]", "total". */
static void subject_of(struct strbuf *sb, const struct object *o, const char *const *names, size_t n)
{
	bool fields = n && names[n - 1][0] && strcmp(names[0], "[]");

	strbuf_puts(sb, o->subject);
	if (o->array || (n && !strcmp(names[0], "[]")))
		strbuf_puts(sb, "[]");
	if (!fields)
		return;
	strbuf_puts(sb, ".");
	join_names(sb, names, n, "/");
}

static void describe_object(struct strbuf *sb, const struct object *o)
{
	bool heap = o->kind == OBJECT_HEAP;

	if (heap)
		strbuf_puts(sb, o->container ? o->container : o->type ? o->type : "block");
	else
		strbuf_printf(sb, o->kind == OBJECT_GLOBAL ? "`%s`" : "%s", o->name);
	if (o->type && !heap)
		strbuf_printf(sb, ", %s", o->type);
	if (o->bytes)
		strbuf_printf(sb, ", %llu bytes", (unsigned long long)o->bytes);
	if (heap || o->kind == OBJECT_GLOBAL)
		strbuf_puts(sb, heap ? ", heap" : ", global");
	if (o->elements && o->first < o->last)
		strbuf_printf(sb, ", [%llu..%llu]", (unsigned long long)o->first,
			      (unsigned long long)o->last);
	if (o->file)
		strbuf_printf(sb, ", %s%s:%u", heap ? "allocated at " : "", o->file, o->line);
	if (o->only)
		strbuf_puts(sb, " (the only variable of the function in memory)");
	if (o->chain)
		strbuf_printf(sb, " called from %s", o->chain);
}

/* Texts of one finding while its objects are gone through. */
struct texts {
	struct strbuf subject, object, name, fields;
	const char **keys;
	size_t n_keys;
};

/* The names as people have them, each once. */
static size_t write_out(const char **words, const char *const *names, size_t n)
{
	size_t n_words = 0;

	for (size_t i = 0; i < n; i++) {
		char *word = name_of_field(names[i]);
		size_t k = 0;

		while (k < n_words && strcmp(words[k], word))
			k++;
		if (k == n_words)
			words[n_words++] = word;
		else
			free(word);
	}
	return n_words;
}

static void add_object(struct texts *t, const struct objects *os, const struct nodes *nodes, uint32_t set,
		       uint32_t object)
{
	const struct object *o = &os->at[object];
	const char **names = mem_new(o->n_fields + 1, sizeof(*names));
	const char **words = mem_new(o->n_fields + 1, sizeof(*words));
	struct strbuf key = STRBUF_INIT;
	size_t n = 0, n_words;

	for (uint32_t i = 0; i < nodes->n; i++)
		if (nodes->at[i].parent == set && nodes->at[i].object == object)
			names[n++] = o->fields[nodes->at[i].field];
	if (n) {
		sort_fields(o, names, n);
		n_words = write_out(words, names, n);
		strbuf_puts(&t->subject, t->n_keys ? "+" : "");
		subject_of(&t->subject, o, words, n_words);
		strbuf_puts(&t->object, t->n_keys ? "; " : "");
		describe_object(&t->object, o);
		strbuf_printf(&t->name, "%s%s", t->n_keys ? " and " : "", o->name);
		if (t->fields.len && words[n_words - 1][0])
			strbuf_puts(&t->fields, ", ");
		join_names(&t->fields, words, n_words, ", ");
		for (size_t i = 0; i < n_words; i++)
			free((void *)words[i]);
		strbuf_printf(&key, "%s|", o->key);
		qsort(names, n, sizeof(*names), by_name);
		join_names(&key, names, n, ",");
		t->keys = mem_resize(t->keys, t->n_keys + 1, sizeof(*t->keys));
		t->keys[t->n_keys++] = strbuf_detach(&key);
	}
	free(words);
	free(names);
}

/* The objects in the order of their keys, which is the same in every run. */
static uint32_t *by_key_order(const struct objects *os)
{
	uint32_t *order = mem_new(os->n + 1, sizeof(*order));

	for (uint32_t i = 0; i < os->n; i++) {
		uint32_t k = i;

		for (; k && strcmp(os->at[order[k - 1]].key, os->at[i].key) > 0; k--)
			order[k] = order[k - 1];
		order[k] = i;
	}
	return order;
}

static char *take(struct strbuf *sb)
{
	strbuf_puts(sb, "");
	return strbuf_detach(sb);
}

/* Object and field texts, and the key: the objects in the order of their names, no address. */
static void set_texts(struct sharing_finding *f, const struct objects *os, const struct nodes *nodes,
		      uint32_t set)
{
	struct texts t = {STRBUF_INIT, STRBUF_INIT, STRBUF_INIT, STRBUF_INIT, NULL, 0};
	struct strbuf key = STRBUF_INIT;
	uint32_t *order;

	order = by_key_order(os);
	for (uint32_t i = 0; i < os->n; i++)
		add_object(&t, os, nodes, set, order[i]);
	free(order);
	if (t.n_keys)
		qsort(t.keys, t.n_keys, sizeof(*t.keys), by_name);
	join_names(&key, t.keys, t.n_keys, "|");
	for (size_t i = 0; i < t.n_keys; i++)
		free((void *)t.keys[i]);
	free(t.keys);
	f->key = take(&key);
	f->subject = take(&t.subject);
	f->object = take(&t.object);
	f->object_name = take(&t.name);
	f->fields = take(&t.fields);
}

/* The verdict on most of the transfers that have one. */
static void set_verdict(struct sharing_finding *f)
{
	uint64_t n[3] = {0, 0, 0};

	for (size_t i = 0; i < f->n_pairs; i++)
		n[f->pairs[i].verdict] += f->pairs[i].transfers;
	if (n[SHARING_FALSE] || n[SHARING_TRUE])
		f->verdict = n[SHARING_FALSE] >= n[SHARING_TRUE] ? SHARING_FALSE : SHARING_TRUE;
	else
		f->verdict = SHARING_UNCLEAR;
	if (f->verdict != SHARING_FALSE)
		f->pad_bytes = 0;
}

void findings_add(struct sharing_report *rep, const struct pair_records *records, const struct objects *os)
{
	uint32_t *set = mem_new(records->n + 1, sizeof(*set));
	struct nodes nodes = VEC_INIT;

	for (size_t i = 0; i < records->n; i++)
		set[i] = connect(&nodes, &records->at[i]);
	for (uint32_t i = 0; i < nodes.n; i++)
		nodes.at[i].parent = root(&nodes, i);
	for (uint32_t s = 0; s < nodes.n; s++) {
		struct sharing_finding f = {.process = os->p};

		if (nodes.at[s].parent != s)
			continue;
		for (size_t i = 0; i < records->n; i++)
			if (set[i] != UINT32_MAX && nodes.at[set[i]].parent == s)
				add_pair(&f, &records->at[i], os);
		set_verdict(&f);
		set_texts(&f, os, &nodes, s);
		rep->findings = mem_resize(rep->findings, rep->n + 1, sizeof(*rep->findings));
		rep->findings[rep->n++] = f;
	}
	vec_release(&nodes);
	free(set);
}

static int by_key(const void *a, const void *b)
{
	return strcmp(((const struct sharing_finding *)a)->key, ((const struct sharing_finding *)b)->key);
}

static bool taken(const struct sharing_report *rep, size_t n, const char *id, const char *key)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(rep->findings[i].evidence, id) && strcmp(rep->findings[i].key, key))
			return true;
	return false;
}

void findings_number(struct sharing_report *rep)
{
	if (rep->n)
		qsort(rep->findings, rep->n, sizeof(*rep->findings), by_key);
	for (size_t i = 0; i < rep->n; i++) {
		struct sharing_finding *f = &rep->findings[i];
		unsigned step = 0;

		do
			evidence_id(f->evidence, sizeof(f->evidence), "share", f->key, step++);
		while (taken(rep, i, f->evidence, f->key));
	}
}

void finding_release(struct sharing_finding *f)
{
	for (size_t i = 0; i < f->n_pairs; i++) {
		free(f->pairs[i].a.name);
		free(f->pairs[i].b.name);
		free(f->pairs[i].a.function);
		free(f->pairs[i].b.function);
		free(f->pairs[i].a.field);
		free(f->pairs[i].b.field);
	}
	free(f->pairs);
	finding_objects_release(f);
	remedies_release(f);
	free(f->key);
	free(f->subject);
	free(f->object);
	free(f->object_name);
	free(f->fields);
}

/* SPDX-License-Identifier: MIT */
#include "analyzer/sharing/findings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/objects/names.h"
#include "analyzer/objects/origin.h"
#include "analyzer/pairs/joins.h"
#include "analyzer/sharing/parts.h"
#include "analyzer/sharing/remedy.h"
#include "lib/hash.h"
#include "lib/inspect/demangle.h"
#include "lib/mem.h"
#include "lib/strbuf.h"
#include "lib/vec.h"

#define LINE_BYTES 64u

/*
 * The graph that records connect: its nodes are the fields of the objects,
 * numbered object by object.
 */
struct graph {
	const struct objects *os;
	uint32_t *first;  /* by object: number of its first field */
	uint32_t *parent; /* by node: union-find; after settle() the root */
	uint32_t *object; /* by node */
	bool *used;       /* by node: a record names it */
	uint32_t n;
	uint32_t *rank;                /* by object: place in the order of the keys, the same in every run */
	uint32_t *of_root, *next_node; /* used nodes by root, as lists: number + 1, 0 ends */
	uint32_t *records, *next_record; /* the same of records */
};

static uint32_t root(struct graph *g, uint32_t i)
{
	while (g->parent[i] != i)
		i = g->parent[i] = g->parent[g->parent[i]];
	return i;
}

static void join(struct graph *g, uint32_t a, uint32_t b)
{
	uint32_t x = root(g, a), y = root(g, b);

	g->parent[x > y ? x : y] = x < y ? x : y;
}

/* Connect the fields of a record; returns its first node, or UINT32_MAX. */
static uint32_t connect(struct graph *g, const struct pair_record *r)
{
	const struct pair_side *sides[2] = {&r->a, &r->b};
	uint32_t first = UINT32_MAX;

	for (int s = 0; s < 2; s++)
		for (uint32_t i = 0; i < sides[s]->n_parts; i++) {
			uint32_t n = g->first[sides[s]->part[i].object] + sides[s]->part[i].field;

			g->used[n] = true;
			if (first == UINT32_MAX)
				first = n;
			join(g, first, n);
		}
	return first;
}

/* An object while the objects are put into the order of their keys. */
struct keyed {
	const char *key;
	uint32_t object;
};

static int by_object_key(const void *a, const void *b)
{
	const struct keyed *x = a, *y = b;
	int c = strcmp(x->key, y->key);

	return c ? c : x->object < y->object ? -1 : 1;
}

static void rank_objects(struct graph *g)
{
	struct keyed *order = mem_new(g->os->n + 1, sizeof(*order));

	for (uint32_t i = 0; i < g->os->n; i++)
		order[i] = (struct keyed){g->os->at[i].key, i};
	qsort(order, g->os->n, sizeof(*order), by_object_key);
	for (uint32_t i = 0; i < g->os->n; i++)
		g->rank[order[i].object] = i;
	free(order);
}

/* After all records: who belongs to which root, in ascending order. */
static void settle(struct graph *g, const uint32_t *set, size_t n_records)
{
	for (uint32_t i = g->n; i-- > 0;) {
		g->parent[i] = root(g, i);
		if (!g->used[i])
			continue;
		g->next_node[i] = g->of_root[g->parent[i]];
		g->of_root[g->parent[i]] = i + 1;
	}
	for (size_t i = n_records; i-- > 0;) {
		uint32_t *head = set[i] == UINT32_MAX ? NULL : &g->records[g->parent[set[i]]];

		if (!head)
			continue;
		g->next_record[i] = *head;
		*head = (uint32_t)i + 1;
	}
}

/* Fields of one object that are fought for in one line are one finding, whoever met whom. */
static void connect_lines(struct graph *g, const struct pair_records *records, const uint32_t *set)
{
	size_t n;
	struct join_line *lines = joins_lines(records, &n);

	for (size_t i = 1; i < n; i++)
		if (joins_same(&lines[i - 1], &lines[i]) && set[lines[i - 1].record] != UINT32_MAX &&
		    set[lines[i].record] != UINT32_MAX)
			join(g, set[lines[i - 1].record], set[lines[i].record]);
	free(lines);
}

static void graph_make(struct graph *g, const struct pair_records *records, const struct objects *os)
{
	uint32_t *set = mem_new(records->n + 1, sizeof(*set));
	bool *weak = joins_weak(records, os);

	*g = (struct graph){.os = os};
	g->first = mem_new(os->n + 1, sizeof(*g->first));
	g->rank = mem_new(os->n + 1, sizeof(*g->rank));
	for (size_t i = 0; i < os->n; i++) {
		g->first[i] = g->n;
		g->n += (uint32_t)os->at[i].n_fields;
	}
	g->parent = mem_new(g->n + 1, sizeof(*g->parent));
	g->object = mem_new(g->n + 1, sizeof(*g->object));
	g->used = mem_new(g->n + 1, sizeof(*g->used));
	g->of_root = mem_new(g->n + 1, sizeof(*g->of_root));
	g->next_node = mem_new(g->n + 1, sizeof(*g->next_node));
	g->records = mem_new(g->n + 1, sizeof(*g->records));
	g->next_record = mem_new(records->n + 1, sizeof(*g->next_record));
	for (uint32_t i = 0, n = 0; i < os->n; i++)
		for (size_t k = 0; k < os->at[i].n_fields; k++, n++) {
			g->parent[n] = n;
			g->object[n] = i;
		}
	rank_objects(g);
	for (size_t i = 0; i < records->n; i++)
		set[i] = weak[i] ? UINT32_MAX : connect(g, &records->at[i]);
	connect_lines(g, records, set);
	settle(g, set, records->n);
	free(set);
	free(weak);
}

static void graph_release(struct graph *g)
{
	free(g->first);
	free(g->rank);
	free(g->parent);
	free(g->object);
	free(g->used);
	free(g->of_root);
	free(g->next_node);
	free(g->records);
	free(g->next_record);
}

/* Where people look for the access: in the program's own source. */
static void set_place(struct sharing_side *out, const struct objects *os, const struct side_part *p)
{
	const struct run *run = os->run;
	const struct run_function *f;
	struct run_place place;

	origin_access(run, os->p, &os->p->threads[out->thread], p->site, p->accesses, p->round, &place);
	f = run_function(run, place.function);
	out->function = f && strcmp(f->pretty, "-") ? mem_strdup(f->pretty) : demangle_short(place.function);
	if (!out->function)
		out->function = mem_strdup(place.function);
	out->file = place.file && strcmp(place.file, "-") ? place.file : NULL;
	out->line = place.line;
}

/*
 * Brackets at the start of @word, which tell elements of the object itself (a std::array's), behind
 * the @n_outer that it has; what is one of several and no struct has none of its own.
 */
static unsigned outer_of(const char *word, unsigned n_outer, unsigned n_index)
{
	unsigned n = 0;

	while (!strncmp(word + 2 * n, "[]", 2))
		n++;
	return n_outer && !word[2 * n] && n_index <= n_outer ? n_outer : n_outer + n;
}

/* Size of one element of a struct that is an array and nothing else (std::array), else the largest number. */
static uint64_t inner_bytes(const struct object *o)
{
	const struct run_field *f = o->layout && o->layout->n_fields ? &o->layout->fields[0] : NULL;
	const char *bracket = f ? strchr(f->name, '[') : NULL;
	uint64_t n = bracket ? strtoull(bracket + 1, NULL, 10) : 0;

	return n && !f->offset && f->bytes > n ? f->bytes / n : UINT64_MAX;
}

/* What the main part of the side is called, and where it is used. */
static void add_part(struct sharing_side *out, const struct side_part *p, const struct objects *os)
{
	const struct object *o = &os->at[p->object];
	char *word = name_of_field(o->fields[p->field]);
	unsigned outer = outer_of(word, p->n_outer, p->n_index);
	const char *rest = word;

	while (!strncmp(rest, "[]", 2))
		rest += 2;
	rest += rest > word && *rest == '.';
	out->site = p->site;
	out->uses = p->kind;
	out->object = mem_strdup(o->subject);
	out->field = mem_strdup(rest > word && !*rest ? "[]" : rest);
	out->member = spot_text(NULL, rest, 0, p->first + outer, p->last + outer,
				p->n_index > outer ? p->n_index - outer : 0);
	out->what = spot_text(o->subject, rest, outer, p->first, p->last, p->n_index);
	out->element = spot_text(NULL, "", outer, p->first, p->last, p->n_index);
	out->offset = rest > word && p->offset != SPOT_UNKNOWN ? p->offset % inner_bytes(o) : p->offset;
	out->placed = p->offset != SPOT_UNKNOWN;
	if (p->site)
		set_place(out, os, p);
	free(word);
}

/* The part that is of @main.  Loads that belong to stores are counted with these, though they do not fight. */
static double named_part(const struct pair_side *s, const struct side_part *main)
{
	double own = main->accesses * (s->pairs > 0 && main->kind == PRS_KIND_STORE ? 2 : 1);

	return s->named > own ? own / s->named : 1;
}

static void add_side(struct sharing_side *out, const struct pair_side *s, const struct objects *os)
{
	const struct side_part *main = pair_side_main(s);

	*out = (struct sharing_side){.thread = s->thread, .kind = s->kind};
	out->accesses = s->accesses;
	out->accesses_low = s->low;
	out->accesses_high = s->high;
	out->named = named_part(s, main);
	out->counts = s->counts;
	out->visits = s->visits;
	out->active_ns = s->active_ns;
	out->dispute_ns = s->dispute_ns;
	out->disputed_ns = s->disputed_ns;
	out->disputed_least_ns = s->disputed_least_ns;
	out->gap_waits = s->gap_waits;
	out->active_waits = s->active_waits;
	out->frame = s->frame;
	out->wide = s->wide > 1 ? s->wide : 1;
	out->wide_short = s->wide_short > 1 ? s->wide_short : 1;
	out->how = s->how;
	out->by_count = s->by_count;
	out->at_least = s->how == EVIDENCE_SEEN;
	out->bytes_seen = s->bytes_seen;
	add_part(out, main, os);
}

/* Longer ranges that write are looked at where they begin and end only. */
#define RANGE_LINES 1024

/*
 * Both threads have a range that begins on a line they share: they go along the same
 * lines, as many as the shorter one has.
 */
static uint32_t lines_along(const struct pair_record *r)
{
	uint32_t bytes = r->a.extent < r->b.extent ? r->a.extent : r->b.extent;

	return bytes / LINE_BYTES > RANGE_LINES ? bytes / LINE_BYTES : 0;
}

static void add_pair(struct sharing_finding *f, const struct pair_record *r, const struct objects *os)
{
	struct sharing_pair *p;

	f->pairs = mem_resize(f->pairs, f->n_pairs + 1, sizeof(*f->pairs));
	p = &f->pairs[f->n_pairs++];
	*p = (struct sharing_pair){.verdict = r->verdict, .transfers = r->transfers, .lines = r->lines};
	p->along = lines_along(r);
	memcpy(p->spans, r->spans, sizeof(p->spans));
	p->part = r->part;
	add_side(&p->a, &r->a, os);
	add_side(&p->b, &r->b, os);
	finding_objects_add(f, r, os);
	f->transfers += r->transfers;
	if (r->verdict == SHARING_FALSE && r->distance && r->distance < LINE_BYTES &&
	    LINE_BYTES - r->distance > f->pad_bytes)
		f->pad_bytes = LINE_BYTES - r->distance;
}

/* Order of people: fields by their place in the layout, else by name. */
static int field_rank(const struct object *o, const char *name)
{
	for (size_t i = 0; o->layout && i < o->layout->n_fields; i++)
		if (run_field_is(&o->layout->fields[i], name))
			return (int)i;
	return 1 << 20;
}

static void sort_fields(const struct object *o, const char **names, size_t n)
{
	qsort(names, n, sizeof(*names), text_order);
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

/* True if the names are of elements of the object and none of the object itself. */
static bool all_of_elements(const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strncmp(names[i], "[]", 2))
			return false;
	return n > 0;
}

/* "pairs[].a/b", "counters[]", "total". */
static void subject_of(struct strbuf *sb, const struct object *o, const char *const *names, size_t n)
{
	bool elements = all_of_elements(names, n);
	const char *between = ".";

	strbuf_puts(sb, o->subject);
	if (o->array || elements || (n && !strcmp(names[0], "[]")))
		strbuf_puts(sb, "[]");
	for (size_t i = 0; i < n; i++) {
		const char *word = names[i] + (elements ? 2 : 0);

		word += elements && *word == '.';
		if (!*word || !strcmp(word, "[]"))
			continue;
		strbuf_printf(sb, "%s%s", *word == '[' && *between == '.' ? "" : between, word);
		between = "/";
	}
}

static void describe_object(struct strbuf *sb, const struct object *o)
{
	const char *type = o->written ? o->written : o->type;
	bool heap = o->kind == OBJECT_HEAP, local = o->kind == OBJECT_TLS && o->bytes;

	if (heap)
		strbuf_puts(sb, o->container ? o->container : type ? type : "block");
	else
		strbuf_printf(sb, o->kind == OBJECT_GLOBAL || local ? "`%s`" : "%s", o->name);
	if (type && !heap)
		strbuf_printf(sb, ", %s", type);
	if (o->bytes)
		strbuf_printf(sb, ", %llu bytes", (unsigned long long)o->bytes);
	if (heap || o->kind == OBJECT_GLOBAL)
		strbuf_puts(sb, o->mapped ? ", shared memory of several processes"
				: heap    ? ", heap"
					  : ", global");
	else if (local)
		strbuf_printf(sb, ", thread-local%s%s", o->owner && *o->owner ? " of " : "",
			      o->owner ? o->owner : "");
	if (o->elements && o->first < o->last)
		strbuf_printf(sb, ", [%llu..%llu]", (unsigned long long)o->first,
			      (unsigned long long)o->last);
	if (o->file)
		strbuf_printf(sb, ", %s%s:%u",
			      o->mapped ? "mapped at "
			      : heap    ? "allocated at "
					: "",
			      o->file, o->line);
	if (o->chain)
		strbuf_printf(sb, " called from %s", o->chain);
}

/* Texts of one finding while its objects are gone through. */
struct texts {
	struct strbuf subject, object, name, fields;
	const char **keys, **field_keys;
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

/* "odd" of "[].odd", which is a member of an element of the object. */
static const char *member_name(const char *word)
{
	while (!strncmp(word, "[].", 3) || !strncmp(word, "[][", 3))
		word += word[2] == '.' ? 3 : 2;
	return word;
}

/* Blocks of one type from several places are one to the reader. */
static void add_subject(struct texts *t, const struct object *o, const char *const *words, size_t n)
{
	struct strbuf sb = STRBUF_INIT;
	bool known = false;

	subject_of(&sb, o, words, n);
	for (const char *p = t->n_keys ? t->subject.s : NULL; p && !known; p = strchr(p, '+')) {
		p += *p == '+';
		known = !strncmp(p, sb.s, sb.len) && (!p[sb.len] || p[sb.len] == '+');
	}
	if (!known)
		strbuf_printf(&t->subject, "%s%s", t->n_keys ? "+" : "", sb.s);
	strbuf_release(&sb);
}

/* @list, "a; b" or NULL, has @text. */
static bool listed(const char *list, const char *text)
{
	size_t len = strlen(text);

	for (const char *at = list; at && (at = strstr(at, text)); at++)
		if ((at == list || !strncmp(at - 2, "; ", 2)) && (!at[len] || at[len] == ';'))
			return true;
	return false;
}

/* Fields @names[@n] of one object; several that are described alike, of unknown origin, are one to the reader. */
static void add_object(struct texts *t, const struct object *o, const char **names, size_t n)
{
	struct strbuf text = STRBUF_INIT;
	const char **words = mem_new(n + 1, sizeof(*words));
	struct strbuf key = STRBUF_INIT;
	size_t n_words;

	sort_fields(o, names, n);
	n_words = write_out(words, names, n);
	add_subject(t, o, words, n_words);
	strbuf_puts(&text, "");
	describe_object(&text, o);
	if (!listed(t->object.s, text.s))
		strbuf_printf(&t->object, "%s%s", t->n_keys ? "; " : "", text.s);
	strbuf_release(&text);
	strbuf_printf(&t->name, "%s%s", t->n_keys ? " and " : "", o->name);
	for (size_t i = 0; i < n_words; i++)
		if (words[i][0])
			strbuf_printf(&t->fields, "%s%s", t->fields.len ? ", " : "", member_name(words[i]));
	for (size_t i = 0; i < n_words; i++)
		free((void *)words[i]);
	free(words);
	strbuf_printf(&key, "%s|", o->key);
	qsort(names, n, sizeof(*names), text_order);
	join_names(&key, names, n, ",");
	t->keys = mem_resize(t->keys, t->n_keys + 1, sizeof(*t->keys));
	t->field_keys = mem_resize(t->field_keys, t->n_keys + 1, sizeof(*t->field_keys));
	t->keys[t->n_keys] = mem_strdup(o->key);
	t->field_keys[t->n_keys++] = strbuf_detach(&key);
}

/* A node of a finding, to be put into the order of the objects' keys. */
struct member {
	uint32_t rank, object, field;
};

static int by_rank(const void *a, const void *b)
{
	const struct member *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return x->field < y->field ? -1 : x->field > y->field;
}

/* Objects in the order of their keys, each with its fields of this finding. */
static void add_objects(struct texts *t, const struct graph *g, uint32_t set)
{
	struct vec_member VEC(struct member) all = VEC_INIT;
	const char **names;
	size_t to;

	for (uint32_t n = g->of_root[set]; n; n = g->next_node[n - 1]) {
		uint32_t o = g->object[n - 1];

		vec_push(&all, ((struct member){g->rank[o], o, n - 1 - g->first[o]}));
	}
	names = mem_new(all.n + 1, sizeof(*names));
	qsort(all.at, all.n, sizeof(*all.at), by_rank);
	for (size_t from = 0; from < all.n; from = to) {
		const struct object *o = &g->os->at[all.at[from].object];

		for (to = from; to < all.n && all.at[to].rank == all.at[from].rank; to++)
			names[to - from] = o->fields[all.at[to].field];
		add_object(t, o, names, to - from);
	}
	free(names);
	vec_release(&all);
}

static char *take(struct strbuf *sb)
{
	strbuf_puts(sb, "");
	return strbuf_detach(sb);
}

/* The keys of all objects, sorted, which are freed. */
static char *join_keys(const char **keys, size_t n)
{
	struct strbuf sb = STRBUF_INIT;

	if (n)
		qsort(keys, n, sizeof(*keys), text_order);
	join_names(&sb, keys, n, "|");
	for (size_t i = 0; i < n; i++)
		free((void *)keys[i]);
	free(keys);
	return take(&sb);
}

/* Object and field texts, and the keys: the objects in the order of their names, no address. */
static void set_texts(struct sharing_finding *f, const struct graph *g, uint32_t set)
{
	struct texts t = {STRBUF_INIT, STRBUF_INIT, STRBUF_INIT, STRBUF_INIT, NULL, NULL, 0};

	add_objects(&t, g, set);
	f->key = join_keys(t.keys, t.n_keys);
	f->field_key = join_keys(t.field_keys, t.n_keys);
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
	struct vec_finding VEC(struct sharing_finding) all = VEC_INIT;
	struct graph g;

	graph_make(&g, records, os);
	for (uint32_t s = 0; s < g.n; s++) {
		struct sharing_finding f = {.process = os->p};

		if (!g.of_root[s])
			continue;
		for (uint32_t i = g.records[s]; i; i = g.next_record[i - 1])
			add_pair(&f, &records->at[i - 1], os);
		set_verdict(&f);
		set_texts(&f, &g, s);
		vec_push(&all, f);
	}
	graph_release(&g);
	if (all.n) {
		rep->findings = mem_resize(rep->findings, rep->n + all.n, sizeof(*rep->findings));
		memcpy(rep->findings + rep->n, all.at, all.n * sizeof(*all.at));
		rep->n += all.n;
	}
	vec_release(&all);
}

void finding_release(struct sharing_finding *f)
{
	for (size_t i = 0; i < f->n_pairs; i++) {
		when_release(&f->pairs[i].when);
		free(f->pairs[i].a.name);
		free(f->pairs[i].b.name);
		free(f->pairs[i].a.function);
		free(f->pairs[i].b.function);
		free(f->pairs[i].a.field);
		free(f->pairs[i].b.field);
		free(f->pairs[i].a.member);
		free(f->pairs[i].b.member);
		free(f->pairs[i].a.object);
		free(f->pairs[i].b.object);
		free(f->pairs[i].a.what);
		free(f->pairs[i].b.what);
		free(f->pairs[i].a.element);
		free(f->pairs[i].b.element);
	}
	free(f->pairs);
	finding_objects_release(f);
	remedies_release(f);
	free(f->key);
	free(f->field_key);
	free(f->subject);
	free(f->object);
	free(f->object_name);
	free(f->fields);
}

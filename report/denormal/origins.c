/* SPDX-License-Identifier: MIT */
/* Mode origin: which births explain what was stored, which way it came, and variables that stay denormal. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/num.h"
#include "report/denormal/parts.h"

#define LONG_RUN 1000 /* equal values in succession from which on a variable is stuck */

static bool born_at(const struct denormal *d, const struct denormal_flow *f, const struct denormal_line *l)
{
	const struct denormal_site *s;

	if (f->kind != PRS_DEN_FLOW_BORN || f->site == DENORMAL_NONE)
		return false;
	s = &d->sites.at[f->site];
	return s->line == l->line && !strcmp(s->file, l->file) && !strcmp(s->function, l->function);
}

uint64_t denormal_explained(const struct denormal_report *r, const struct denormal_line *l)
{
	const struct denormal *d = &r->run->counts;
	uint64_t sum = 0;

	for (size_t i = 0; i < d->flows.n; i++)
		if (born_at(d, &d->flows.at[i], l))
			sum += d->flows.at[i].count;
	return sum;
}

/* Stores of which @tag is all that is known; PRS_DEN_TAG_NONE: whose birth was told by the sums of a loop. */
static uint64_t tagged(const struct denormal *d, uint32_t tag)
{
	enum prs_den_flow_kind kind = tag ? PRS_DEN_FLOW_BORN : PRS_DEN_FLOW_GUESSED;
	uint64_t sum = 0;

	for (size_t i = 0; i < d->flows.n; i++)
		if (d->flows.at[i].kind == kind &&
		    (!tag || (d->flows.at[i].site == DENORMAL_NONE && d->flows.at[i].tag == tag)))
			sum += d->flows.at[i].count;
	return sum;
}

static const char *array_called(const struct denormal_report *r, size_t object)
{
	for (size_t i = 0; i < r->arrays.n; i++)
		if (r->arrays.at[i].object == object)
			return r->arrays.at[i].name;
	return "memory that is not known";
}

static int by_count(const void *a, const void *b)
{
	const struct denormal_flow *const *x = a, *const *y = b;

	if ((*x)->count != (*y)->count)
		return (*x)->count > (*y)->count ? -1 : 1;
	return (*x > *y) - (*x < *y);
}

/* The edges, most used first; to be freed. */
static const struct denormal_flow **edges_of(const struct denormal *d, size_t *n)
{
	const struct denormal_flow **list = mem_new(d->flows.n + 1, sizeof(*list));

	*n = 0;
	for (size_t i = 0; i < d->flows.n; i++)
		if (d->flows.at[i].kind == PRS_DEN_FLOW_EDGE)
			list[(*n)++] = &d->flows.at[i];
	if (*n)
		qsort(list, *n, sizeof(*list), by_count);
	return list;
}

static void put_unknown(const struct denormal *d, struct strbuf *out, const char **head)
{
	static const struct {
		uint32_t tag;
		const char *one, *many;
	} texts[] = {
		{PRS_DEN_TAG_BROUGHT,
		 "was brought in: no counted operation had stored what it is computed of",
		 "were brought in: no counted operation had stored what they are computed of"},
		{PRS_DEN_TAG_INTEGERS,
		 "looks like a small integer in an array of floats, and is no arithmetic",
		 "look like small integers in an array of floats, and are no arithmetic"},
		{PRS_DEN_TAG_HANDED, "came through a call or a parameter, where origins are not followed",
		 "came through a call or a parameter, where origins are not followed"},
		{PRS_DEN_TAG_LOST,
		 "has a birth that is not known: its way through registers was not followed",
		 "have a birth that is not known: their way through registers was not followed"},
		{PRS_DEN_TAG_NONE, "has its birth by the sums of a loop, which do not tell elements apart",
		 "have their birth by the sums of a loop, which do not tell elements apart"},
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		uint64_t n = tagged(d, texts[i].tag);
		struct strbuf sb = STRBUF_INIT;
		char text[32];

		if (!n)
			continue;
		strbuf_printf(&sb, "%s store%s %s", num_group(text, sizeof(text), n), denormal_s(n),
			      n == 1 ? texts[i].one : texts[i].many);
		denormal_sentence(out, *head, sb.s);
		*head = "";
		strbuf_release(&sb);
	}
}

void denormal_origins_put(const struct denormal_report *r, size_t most, struct strbuf *out)
{
	const struct denormal *d = &r->run->counts;
	const struct denormal_flow **edges;
	const char *head = "origins";
	size_t n;

	if (!d->origins)
		return;
	edges = edges_of(d, &n);
	for (size_t i = 0; i < n && i < most; i++) {
		struct strbuf sb = STRBUF_INIT;
		char text[32];

		strbuf_printf(&sb, "%s -> %s  %s load%s that denormals were stored by",
			      array_called(r, edges[i]->from), array_called(r, edges[i]->to),
			      num_group(text, sizeof(text), edges[i]->count), denormal_s(edges[i]->count));
		denormal_sentence(out, head, sb.s);
		head = "";
		strbuf_release(&sb);
	}
	if (n > most)
		strbuf_printf(out, "          and %zu more way%s; --all shows %s\n", n - most,
			      denormal_s(n - most), n - most == 1 ? "it" : "them");
	put_unknown(d, out, &head);
	free(edges);
}

/* ---- variables ---- */

static double number_of(const struct denormal_site *s, uint64_t bits)
{
	uint32_t half = (uint32_t)bits;
	double d;
	float f;

	if (s->type == PRS_DEN_FLOAT) {
		memcpy(&f, &half, sizeof(f));
		return (double)f;
	}
	memcpy(&d, &bits, sizeof(d));
	return s->type == PRS_DEN_DOUBLE ? d : NAN;
}

static bool stuck(const struct denormal_state *s)
{
	return s->bits && s->run >= LONG_RUN;
}

static int by_values(const void *a, const void *b)
{
	const struct denormal_state *x = a, *y = b;

	if (stuck(x) != stuck(y))
		return stuck(x) ? -1 : 1;
	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return (x->site > y->site) - (x->site < y->site);
}

/* Those that are worth a word, in the order of that; to be freed. */
static struct denormal_state *states_of(const struct denormal *d, size_t *n)
{
	struct denormal_state *list = mem_new(d->states.n + 1, sizeof(*list));

	*n = 0;
	for (size_t i = 0; i < d->states.n; i++)
		if (d->states.at[i].count >= LONG_RUN)
			list[(*n)++] = d->states.at[i];
	if (*n)
		qsort(list, *n, sizeof(*list), by_values);
	return list;
}

static void put_state(const struct denormal *d, const struct denormal_state *s, struct strbuf *sb)
{
	const struct denormal_site *site = &d->sites.at[s->site];
	struct denormal_line at = {.file = site->file, .function = site->function, .line = site->line};
	char n[32];

	if (*site->name)
		strbuf_printf(sb, "%s, ", site->name);
	denormal_place(&at, sb);
	strbuf_printf(sb, "  denormal %s times; ", num_group(n, sizeof(n), s->count));
	if (stuck(s))
		strbuf_printf(sb, "stuck: the last %s times it was %.3g", num_group(n, sizeof(n), s->run),
			      number_of(site, s->bits));
	else
		strbuf_puts(sb, "it goes on changing");
}

void denormal_states_put(const struct denormal_report *r, size_t most, struct strbuf *out)
{
	const struct denormal *d = &r->run->counts;
	size_t n;
	struct denormal_state *list = states_of(d, &n);

	for (size_t i = 0; i < n && i < most; i++) {
		struct strbuf sb = STRBUF_INIT;

		put_state(d, &list[i], &sb);
		denormal_sentence(out, i ? "" : "states", sb.s);
		strbuf_release(&sb);
	}
	if (n > most)
		strbuf_printf(out, "          and %zu more variable%s; --all shows %s\n", n - most,
			      denormal_s(n - most), n - most == 1 ? "it" : "them");
	free(list);
}

/* ---- JSON ---- */

static void json_births(const struct denormal_report *r, struct json *j)
{
	const struct denormal *d = &r->run->counts;

	json_array(j, "births");
	for (size_t i = 0; i < d->flows.n; i++) {
		const struct denormal_flow *f = &d->flows.at[i];
		const struct denormal_site *s = f->site == DENORMAL_NONE ? NULL : &d->sites.at[f->site];

		if (f->kind != PRS_DEN_FLOW_BORN || !s)
			continue;
		json_object(j, NULL);
		json_string(j, "file", s->file);
		json_u64(j, "line", s->line);
		json_string(j, "function", s->function);
		json_string(j, "operation", denormal_kind_name(s->kind));
		json_string(j, "array", array_called(r, f->to));
		json_u64(j, "stores", f->count);
		json_end(j);
	}
	json_end(j);
}

static void json_edges(const struct denormal_report *r, struct json *j)
{
	size_t n;
	const struct denormal_flow **edges = edges_of(&r->run->counts, &n);

	json_array(j, "edges");
	for (size_t i = 0; i < n; i++) {
		json_object(j, NULL);
		json_string(j, "from", array_called(r, edges[i]->from));
		json_string(j, "to", array_called(r, edges[i]->to));
		json_u64(j, "loads", edges[i]->count);
		json_end(j);
	}
	json_end(j);
	free(edges);
}

static void json_states(const struct denormal *d, struct json *j)
{
	size_t n;
	struct denormal_state *list = states_of(d, &n);

	json_array(j, "states");
	for (size_t i = 0; i < n; i++) {
		const struct denormal_site *s = &d->sites.at[list[i].site];

		json_object(j, NULL);
		json_string(j, "name", *s->name ? s->name : NULL);
		json_string(j, "file", s->file);
		json_u64(j, "line", s->line);
		json_string(j, "function", s->function);
		json_u64(j, "denormal", list[i].count);
		json_bool(j, "stuck", stuck(&list[i]));
		json_u64(j, "last_equal", list[i].run);
		json_u64(j, "most_equal", list[i].most);
		json_double(j, "value", number_of(s, list[i].bits));
		json_end(j);
	}
	json_end(j);
	free(list);
}

/* Tiles with counts as "TILE:COUNT", so that a map of zeros is short. */
static void json_epoch(const struct denormal_map *m, uint32_t epoch, struct json *j)
{
	uint32_t tiles = m->raw.rows * m->raw.columns;
	const uint32_t *count = m->count + (size_t)epoch * tiles;
	struct strbuf sb = STRBUF_INIT;

	for (uint32_t i = 0; i < tiles; i++)
		if (count[i])
			strbuf_printf(&sb, "%s%u:%u", sb.len ? " " : "", i, count[i]);
	json_string(j, NULL, sb.len ? sb.s : "");
	strbuf_release(&sb);
}

static void json_maps(const struct denormal_report *r, struct json *j)
{
	const struct denormal *d = &r->run->counts;

	json_array(j, "maps");
	for (size_t i = 0; i < d->maps.n; i++) {
		const struct denormal_map *m = &d->maps.at[i];

		json_object(j, NULL);
		json_string(j, "array", array_called(r, m->object));
		json_u64(j, "rows", m->raw.rows);
		json_u64(j, "columns", m->raw.columns);
		json_u64(j, "bytes", m->raw.bytes);
		json_u64(j, "line_bytes", m->raw.pitch);
		json_u64(j, "lines_in_row", m->raw.row_lines);
		json_u64(j, "bytes_in_column", m->raw.column_bytes);
		json_u64(j, "epoch_ns", m->raw.epoch_ns);
		json_u64(j, "outside", m->raw.outside);
		json_array(j, "epochs");
		for (uint32_t e = 0; e < m->raw.epochs; e++)
			json_epoch(m, e, j);
		json_end(j);
		json_end(j);
	}
	json_end(j);
}

void denormal_origins_json(const struct denormal_report *r, struct json *j)
{
	const struct denormal *d = &r->run->counts;

	if (!d->origins)
		return;
	json_object(j, "origins");
	json_births(r, j);
	json_edges(r, j);
	json_u64(j, "brought", tagged(d, PRS_DEN_TAG_BROUGHT));
	json_u64(j, "integers", tagged(d, PRS_DEN_TAG_INTEGERS));
	json_u64(j, "handed", tagged(d, PRS_DEN_TAG_HANDED));
	json_u64(j, "lost", tagged(d, PRS_DEN_TAG_LOST));
	json_u64(j, "guessed", tagged(d, PRS_DEN_TAG_NONE));
	json_end(j);
	json_states(d, j);
	json_maps(r, j);
}

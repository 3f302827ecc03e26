/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The inliner leaves a BLOCK for each function it inlined, with the location
 * of the call.  They are there without -g and in lto1.
 */
#include "gcc-plugin/base/gcc-common.h"
#include "perseus/sites.h"
#include "gcc-plugin/base/callee.h"
#include "gcc-plugin/sites/sites.h"
#include "gcc-plugin/sites/team.h"
#include "gcc-plugin/base/text.h"
#include "gcc-plugin/sites/where.h"

#define CHAIN_MAX 64

struct call_link {
	tree fndecl;
	location_t call;
};

static bool is_inlined_body(tree block)
{
	return inlined_function_outer_scope_p(block) && block_ultimate_origin(block) &&
	       TREE_CODE(block_ultimate_origin(block)) == FUNCTION_DECL;
}

static void add_link(struct text *chain, uint64_t *hash, const struct call_link *l)
{
	struct fn_facts *f = facts_of(l->fndecl);
	expanded_location at = expand_location(LOCATION_LOCUS(l->call));
	char number[40];

	text_add(chain, "%s%s:%d", chain->n ? ">" : "", f->name, at.line);
	snprintf(number, sizeof(number), ":%d:%d", at.line - f->line, at.column);
	*hash = prs_fnv64_text(prs_fnv64_text(*hash, f->name), number);
}

/* Walk outwards; links[] gets the callers, innermost first. */
static int where_walk(tree block, tree fndecl, tree *inner, struct call_link *links)
{
	location_t call = UNKNOWN_LOCATION;
	int n = 0;

	*inner = NULL_TREE;
	for (; block && TREE_CODE(block) == BLOCK; block = BLOCK_SUPERCONTEXT(block)) {
		if (!is_inlined_body(block))
			continue;
		if (!*inner)
			*inner = block_ultimate_origin(block);
		else if (n < CHAIN_MAX - 1)
			links[n++] = call_link{block_ultimate_origin(block), call};
		call = BLOCK_SOURCE_LOCATION(block);
	}
	if (*inner)
		links[n++] = call_link{fndecl, call};
	else
		*inner = fndecl;
	return n;
}

static void find_chain(tree block, tree fndecl, struct where *w)
{
	static struct text chain;
	static struct call_link links[CHAIN_MAX];
	uint64_t hash = PRS_FNV_INIT;
	tree inner;
	int n = where_walk(block, fndecl, &inner, links);

	text_clear(&chain);
	w->fn = facts_of(inner);
	for (int i = n - 1; i >= 0; i--) {
		add_link(&chain, &hash, &links[i]);
		/* Readers show the callers of a header instead, and ask for their files. */
		if (!strncmp(w->fn->files[(unsigned)w->fn->file], "/usr/", 5))
			sites_mention_function(facts_of(links[i].fndecl));
	}
	w->chain = n ? text_get(&chain) : "-";
	w->instance = n ? (unsigned)hash : 0;
}

tree where_writer(gimple *stmt, function *fun)
{
	tree block = gimple_block(stmt);

	while (block && TREE_CODE(block) == BLOCK && !is_inlined_body(block))
		block = BLOCK_SUPERCONTEXT(block);
	return block && TREE_CODE(block) == BLOCK ? block_ultimate_origin(block) : fun->decl;
}

/* How many components, counted from the end, two paths have in common. */
static unsigned same_tail(const char *a, const char *b)
{
	const char *x = a + strlen(a), *y = b + strlen(b);
	unsigned n = 0;

	for (; x > a && y > b && x[-1] == y[-1]; x--, y--)
		n += x[-1] == '/';
	return n + ((x == a || x[-1] == '/') && (y == b || y[-1] == '/'));
}

/*
 * Under LTO a relative path is told as seen from the folder of the link, and a
 * mapped one is mapped again; the facts have it as seen by the compiler.  The
 * function's file whose path ends alike is meant.
 */
static const char *as_compiled(const struct fn_facts *f, const char *file)
{
	const char *best = file;
	unsigned most = 0;

	for (unsigned i = 0; i < f->files.length(); i++) {
		unsigned n = same_tail(f->files[i], file);

		if (!strcmp(f->files[i], file))
			return f->files[i];
		if (n > most) {
			most = n;
			best = f->files[i];
		}
	}
	return best;
}

void where_is(gimple *stmt, function *fun, struct where *w)
{
	location_t loc = team_location(stmt, fun->decl);
	expanded_location at = expand_location(LOCATION_LOCUS(loc));

	find_chain(gimple_block(stmt), fun->decl, w);
	w->file = at.line ? text_path(at.file) : NULL;
	w->line = at.line;
	w->col = at.column;
	if (w->file && in_lto_p)
		w->file = as_compiled(w->fn, w->file);
}

static bool at_place(const struct where *w, int file, int line, int col)
{
	return w->file && line == w->line && col == w->col && !strcmp(w->fn->files[(unsigned)file], w->file);
}

/* Of the facts about nested calls at one place, the first of which is number @first, that of @depth. */
static struct call_fact *nested(const struct where *w, unsigned first, unsigned depth)
{
	struct call_fact *c = &w->fn->calls[first];
	unsigned n = 1;

	while (first + n < w->fn->calls.length()) {
		struct call_fact *next = &w->fn->calls[first + n];

		if (next->line != c->line || next->col != c->col || next->file != c->file ||
		    strcmp(next->callee, c->callee))
			break;
		n++;
	}
	return &w->fn->calls[first + depth % n];
}

struct call_fact *where_call(const struct where *w, const char *callee, unsigned depth, bool *near)
{
	struct call_fact *indirect = NULL, *other = NULL, *same_name = NULL;

	*near = false;
	for (unsigned i = 0; i < w->fn->calls.length(); i++) {
		struct call_fact *c = &w->fn->calls[i];
		bool same = !strcmp(c->callee, callee);

		if (same && !same_name)
			same_name = c;
		if (!at_place(w, c->file, c->line, c->col))
			continue;
		if (same)
			return nested(w, i, depth);
		if (!strcmp(c->callee, "indirect"))
			indirect = c;
		else if (!other)
			other = c;
	}
	/*
	 * Devirtualised, or another name for the same thing (printf -> puts).  The call of a part
	 * that was split off has the place of what that part begins with, and is no call of it.
	 */
	if ((indirect || other) && !strstr(callee, ".part."))
		return indirect ? indirect : other;
	*near = same_name != NULL;
	return same_name;
}

/* How well fact @m fits an access; < 0: not at all. */
static int fit(const struct mem_fact *m, char kind, unsigned bytes, unsigned root, unsigned place)
{
	int score = 0;

	if ((m->kind == 'L') != (kind == 'L') || (m->kind == 'A') != (kind == 'A'))
		return -1;
	if (place && m->place == place)
		score += 4;
	if (m->root == root)
		score += root ? 3 : 1;
	else if (root && m->root)
		score -= 2;
	return score + (m->bytes == bytes);
}

/* First fact that is not before @line; facts lie in source order. */
static unsigned first_at(const struct fn_facts *f, int line)
{
	unsigned low = 0, high = f->mems.length();

	while (low < high) {
		unsigned mid = (low + high) / 2;

		if (f->mems[mid].line < line)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Facts of one line first; then all, the fit counting more than the distance. */
static struct mem_fact *best_of(const struct where *w, unsigned from, unsigned to, char kind, unsigned bytes,
				unsigned root, unsigned place, bool exact)
{
	struct mem_fact *best = NULL;
	int best_score = -1000000;

	for (unsigned i = from; i < to; i++) {
		struct mem_fact *m = &w->fn->mems[i];
		int score = fit(m, kind, bytes, root, place);

		if (exact && m->line != w->line)
			break;
		if (score < 0 || (exact && score < 1))
			continue;
		score *= 1000;
		if (exact)
			score += m->col == w->col ? 2500 : 0;
		else if (w->file)
			score -= MIN(abs(m->line - w->line), 2000);
		if (score > best_score) {
			best_score = score;
			best = m;
		}
	}
	return best;
}

struct mem_fact *where_mem(const struct where *w, char kind, unsigned bytes, unsigned root, unsigned place,
			   bool *near)
{
	unsigned n = w->fn->mems.length();
	struct mem_fact *m = NULL;

	*near = false;
	if (w->file)
		m = best_of(w, first_at(w->fn, w->line), n, kind, bytes, root, place, true);
	if (m)
		return m;
	*near = true;
	m = best_of(w, 0, n, kind, bytes, root, place, false);
	/* A merged read and write may have only one of the two in its facts. */
	return m || kind == 'L' ? m : best_of(w, 0, n, 'L', bytes, root, place, false);
}

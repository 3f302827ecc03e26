/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gcc-plugin/base/gcc-common.h"
#include "gcc-plugin/base/callee.h"
#include "gcc-plugin/base/names.h"
#include "gcc-plugin/sites/select.h"
#include "gcc-plugin/data/layout.h"
#include "gcc-plugin/sites/facts.h"
#include "gcc-plugin/sites/team.h"

static hash_map<tree, struct fn_facts *> *by_key;

/* Keys of the map; a root of the collector, so that no address is used twice. */
static tree kept;

void facts_keep_from_collector(void)
{
	static struct ggc_root_tab roots[] = {
		{&kept, 1, sizeof(kept), &gt_ggc_mx_tree_node, &gt_pch_nx_tree_node}, LAST_GGC_ROOT_TAB};

	register_callback("perseus", PLUGIN_REGISTER_GGC_ROOTS, NULL, roots);
}

/*
 * The text is the static chain of a call without function.  Identical code
 * folding merges only functions with equal attributes, and asks that of
 * attributes it does not know, too; but of two calls it compares the functions
 * and the arguments, never the chains.  So equal functions stay equal.
 */
static void attach_one(tree decl, tree text)
{
	tree holder = build_call_expr_internal_loc(UNKNOWN_LOCATION, IFN_NOP, void_type_node, 0);

	CALL_EXPR_STATIC_CHAIN(holder) = text;
	DECL_ATTRIBUTES(decl) = tree_cons(get_identifier(FACTS_ATTRIBUTE), build_tree_list(NULL_TREE, holder),
					  DECL_ATTRIBUTES(decl));
}

/* A thunk into which its function is inlined holds that function's calls, without a
   BLOCK that says so. */
static bool attach_thunk(cgraph_node *node, void *text)
{
	if (node->thunk && !lookup_attribute(FACTS_ATTRIBUTE, DECL_ATTRIBUTES(node->decl)))
		attach_one(node->decl, (tree)text);
	return false;
}

void facts_attach(tree decl, const char *text, size_t n)
{
	tree string = build_string((int)n + 1, text);
	cgraph_node *node = cgraph_node::get(decl);

	attach_one(decl, string);
	/* Constructors and destructors are inlined under the name of their
     abstract form, which has no body of its own. */
	if (DECL_ORIGIN(decl) != decl &&
	    !lookup_attribute(FACTS_ATTRIBUTE, DECL_ATTRIBUTES(DECL_ORIGIN(decl))))
		attach_one(DECL_ORIGIN(decl), string);
	if (node)
		node->call_for_symbol_thunks_and_aliases(attach_thunk, string, true);
}

/* Cut the next tab-separated field off *@at; "" at the end. */
static char *field(char **at)
{
	char *start = *at, *end = start + strcspn(start, "\t");

	*at = *end ? end + 1 : end;
	*end = 0;
	return start;
}

static int facts_number(char **at)
{
	return atoi(field(at));
}

static void facts_read_head(struct fn_facts *f, char *at)
{
	f->name = field(&at);
	f->pretty = field(&at);
	f->unit = field(&at);
	f->is_public = facts_number(&at) != 0;
	f->file = facts_number(&at);
	f->line = facts_number(&at);
}

static void read_call(struct fn_facts *f, char *at)
{
	struct call_fact c;

	c.file = facts_number(&at);
	c.line = facts_number(&at);
	c.col = facts_number(&at);
	c.site = field(&at);
	c.ordinal = (unsigned)facts_number(&at);
	c.callee = field(&at);
	c.type = field(&at);
	c.size = field(&at);
	c.equal = (unsigned)facts_number(&at);
	c.near = field(&at);
	c.cookie = (unsigned)facts_number(&at);
	f->calls.safe_push(c);
}

static void read_mem(struct fn_facts *f, char *at)
{
	struct mem_fact m;

	m.file = facts_number(&at);
	m.line = facts_number(&at);
	m.col = facts_number(&at);
	m.site = field(&at);
	m.kind = *field(&at);
	m.bytes = (unsigned)facts_number(&at);
	m.root = (unsigned)strtoul(field(&at), NULL, 16);
	m.place = (unsigned)strtoul(field(&at), NULL, 16);
	m.offset = field(&at);
	m.base = field(&at);
	m.type = field(&at);
	m.field = field(&at);
	f->mems.safe_push(m);
}

static void read_line(struct fn_facts *f, char *line)
{
	char *at = line + 1;

	if (*at == '\t')
		at++;
	switch (line[0]) {
	case 'F':
		facts_read_head(f, at);
		break;
	case 'f':
		f->files.safe_push(at);
		break;
	case 'c':
		read_call(f, at);
		break;
	case 'm':
		read_mem(f, at);
		break;
	case 'T':
		layout_learn(at);
		break;
	case 'P':
		layout_learn_parts(at);
		break;
	}
}

static int facts_by_line(const void *a, const void *b)
{
	const struct mem_fact *x = (const struct mem_fact *)a, *y = (const struct mem_fact *)b;

	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	if (x->col != y->col)
		return x->col < y->col ? -1 : 1;
	return x->site < y->site ? -1 : x->site > y->site; /* as they lie in the text */
}

static struct fn_facts *facts_parse(const char *text)
{
	struct fn_facts *f = XCNEW(struct fn_facts);
	char *line, *next;

	f->index = -1;
	f->text = xstrdup(text);
	for (line = f->text; *line; line = next) {
		next = line + strcspn(line, "\n");
		if (*next)
			*next++ = 0;
		read_line(f, line);
	}
	f->mems.qsort(facts_by_line);
	return f;
}

/* A function that the compiler made after the early pass ran. */
static struct fn_facts *invent(tree decl)
{
	struct fn_facts *f = XCNEW(struct fn_facts);
	expanded_location loc = expand_location(DECL_SOURCE_LOCATION(decl));

	f->index = -1;
	f->name = xstrdup(callee_asm_name(decl));
	f->pretty = xstrdup(team_is_region(decl) ? team_name(decl) : name_of_function(decl, 2));
	f->unit = xstrdup(name_of_unit());
	f->is_public = TREE_PUBLIC(decl);
	f->files.safe_push(xstrdup(loc.file ? text_path(loc.file) : "-"));
	f->line = loc.line;
	return f;
}

static tree text_on(tree decl)
{
	tree attr = lookup_attribute(FACTS_ATTRIBUTE, DECL_ATTRIBUTES(decl));

	return attr ? CALL_EXPR_STATIC_CHAIN(TREE_VALUE(TREE_VALUE(attr))) : NULL_TREE;
}

struct fn_facts *facts_of(tree decl)
{
	tree text = text_on(decl) ? text_on(decl) : text_on(DECL_ORIGIN(decl));
	/* Clones and the function itself share one attribute value. */
	tree key = text ? text : DECL_ORIGIN(decl);
	bool existed;

	if (!by_key)
		by_key = new hash_map<tree, struct fn_facts *>;
	struct fn_facts *&slot = by_key->get_or_insert(key, &existed);
	if (!existed) {
		kept = tree_cons(NULL_TREE, key, kept);
		slot = text ? facts_parse(TREE_STRING_POINTER(text)) : invent(DECL_ORIGIN(decl));
		select_learn(slot, decl);
	}
	return slot;
}

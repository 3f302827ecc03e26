/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pass-site: give every call and memory access its identity, before any
 * optimisation can move, copy or merge it.
 *
 *   int sum (struct s *p)        F  sum ... public, file, line
 *   {                            c  line col  SITE 0  get       get (p), first
 *     return get (p)             c  line col  SITE 1  get       get (p + 1), second
 *          + get (p + 1) + p->a; m  line col  SITE L 4 ... p->a struct s a
 *   }
 *
 * Runs right after "ssa" at every level, in the compiler proper only.  Nothing
 * in the function is changed but its declaration's attributes (facts.h).
 *
 * The id hashes names and an ordinal, never a line: the ordinal counts the
 * places in source order from which the function calls this callee.  Copies
 * that the front end itself makes (cleanups, macro arguments) lie at one place
 * and are one site, because nothing that survives LTO could distinguish them;
 * except that of calls inside each other's arguments, innermost first.
 */
#include "gcc-plugin/base/gcc-common.h"
#include "perseus/abi.h"
#include "perseus/sites.h"
#include "perseus/triggers.h"
#include "gcc-plugin/data/access.h"
#include "gcc-plugin/base/callee.h"
#include "gcc-plugin/data/cookie.h"
#include "gcc-plugin/sites/facts.h"
#include "gcc-plugin/data/layout.h"
#include "gcc-plugin/sites/lto-mark.h"
#include "gcc-plugin/base/names.h"
#include "gcc-plugin/choice/options.h"
#include "gcc-plugin/base/pass.h"
#include "gcc-plugin/choice/plan-file.h"
#include "gcc-plugin/choice/rules-file.h"
#include "gcc-plugin/sites/select.h"
#include "gcc-plugin/sites/team.h"
#include "gcc-plugin/base/text.h"

/* A call or access on its way into the facts. */
struct entry {
	location_t order; /* of the expansion point: monotonic in the source */
	expanded_location at;
	uint64_t group; /* hash of what the ordinal counts */
	unsigned seq;   /* place in the function's statements */
	unsigned depth; /* of calls at one place inside each other */
	unsigned ordinal;
	unsigned equal; /* places that the ordinal counts */
	unsigned near;  /* of a call: a hash of what is beside it */
	gimple *stmt;
	unsigned bytes;
	char kind;             /* 'c', or L S A */
	struct described what; /* of an access */
};

struct collector {
	vec<entry> entries;
	vec<const char *> files;
	struct text out;
	uint64_t seed; /* hash of function and unit */
};

static int by_group(const void *a, const void *b)
{
	const entry *x = (const entry *)a, *y = (const entry *)b;

	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	if (x->order != y->order)
		return x->order < y->order ? -1 : 1;
	if (x->depth != y->depth)
		return x->depth < y->depth ? -1 : 1;
	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

static int by_order(const void *a, const void *b)
{
	const entry *x = (const entry *)a, *y = (const entry *)b;

	if (x->order != y->order)
		return x->order < y->order ? -1 : 1;
	if ((x->kind == 'c') != (y->kind == 'c'))
		return x->kind == 'c' ? -1 : 1;
	/* Calls inside each other at one place stand together, where_call() counts on it. */
	if (x->kind == 'c' && x->group != y->group)
		return x->group < y->group ? -1 : 1;
	if (x->depth != y->depth)
		return x->depth < y->depth ? -1 : 1;
	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

static void place(struct entry *e, gimple *stmt, unsigned seq)
{
	location_t loc = LOCATION_LOCUS(team_location(stmt, current_function_decl));

	e->order = linemap_resolve_location(line_table, loc, LRK_MACRO_EXPANSION_POINT, NULL);
	e->at = expand_location(loc);
	e->seq = seq;
	e->stmt = stmt;
}

static void add_call(struct collector *c, gcall *call, unsigned seq)
{
	struct entry e;
	const char *why = callee_no_probe_reason(call);

	if (why && !*why)
		return;
	memset(&e, 0, sizeof(e));
	place(&e, call, seq);
	e.kind = 'c';
	e.depth = callee_depth(call);
	e.group = prs_fnv64_text(c->seed, callee_name(call));
	c->entries.safe_push(e);
}

static void add_access(struct collector *c, const struct mem_access *a, gimple *stmt, unsigned seq)
{
	const char *why = access_skip_reason(a);
	struct entry e;
	uint64_t h;

	if (why && !*why)
		return;
	memset(&e, 0, sizeof(e));
	place(&e, stmt, seq);
	if (EXPR_P(a->ref) && EXPR_HAS_LOCATION(a->ref))
		e.at = expand_location(LOCATION_LOCUS(EXPR_LOCATION(a->ref)));
	e.kind = PRS_KIND_LETTERS[a->kind];
	e.bytes = a->bytes;
	access_describe(a->says, true, &e.what);
	h = prs_fnv64_text(c->seed, e.what.base);
	h = prs_fnv64_text(prs_fnv64(h, "\t", 1), e.what.type);
	h = prs_fnv64_text(prs_fnv64(h, "\t", 1), e.what.field);
	h = prs_fnv64(prs_fnv64(h, "\t", 1), &e.kind, 1);
	e.group = h;
	c->entries.safe_push(e);
}

static void collect(struct collector *c, function *fun)
{
	struct mem_access acc[ACCESS_MAX];
	unsigned seq = 0;
	basic_block bb;

	FOR_EACH_BB_FN(bb, fun)
	{
		for (gimple_stmt_iterator gsi = gsi_start_bb(bb); !gsi_end_p(gsi); gsi_next(&gsi)) {
			gimple *stmt = gsi_stmt(gsi);

			seq++;
			if (is_gimple_debug(stmt))
				continue;
			if (gcall *call = dyn_cast<gcall *>(stmt))
				add_call(c, call, seq);
			if (!prs_opt.memory)
				continue;
			unsigned n = access_collect(stmt, acc);
			for (unsigned i = 0; i < n; i++)
				add_access(c, &acc[i], stmt, seq);
		}
	}
}

static bool same_place(const struct entry *a, const struct entry *b)
{
	return a->group == b->group && a->depth == b->depth && a->at.line == b->at.line &&
	       a->at.column == b->at.column &&
	       (a->at.file == b->at.file || (a->at.file && b->at.file && !strcmp(a->at.file, b->at.file)));
}

/* Behind the last of a group, which ends before entry @end. */
static void set_equal(struct collector *c, unsigned end)
{
	for (unsigned i = end; i-- > 0 && c->entries[i].group == c->entries[end - 1].group;)
		c->entries[i].equal = c->entries[end - 1].ordinal + 1;
}

/* The form of an argument, as far as no optimisation changes it. */
static uint64_t hash_argument(uint64_t h, tree arg)
{
	tree base = TREE_CODE(arg) == ADDR_EXPR ? get_base_address(TREE_OPERAND(arg, 0)) : NULL_TREE;
	char text[32];

	if (TREE_CODE(arg) == INTEGER_CST && tree_fits_shwi_p(arg)) {
		snprintf(text, sizeof(text), "%ld", (long)tree_to_shwi(arg));
		return prs_fnv64_text(h, text);
	}
	h = prs_fnv64_text(h, base && DECL_P(base) ? "&" : "v");
	return base && DECL_P(base) && DECL_NAME(base)
		       ? prs_fnv64_text(h, IDENTIFIER_POINTER(DECL_NAME(base)))
		       : h;
}

/* The next place from entry @i on (@step 1) or back (-1) that is a call and not a copy of it; NULL: there is none. */
static const struct entry *beside(const struct collector *c, unsigned i, int step)
{
	for (unsigned k = i + (unsigned)step; k < c->entries.length(); k += (unsigned)step) {
		const struct entry *o = &c->entries[k];

		if (o->kind == 'c' &&
		    (o->group != c->entries[i].group || o->ordinal != c->entries[i].ordinal))
			return o;
	}
	return NULL;
}

static uint64_t hash_callee(uint64_t h, const struct entry *e)
{
	return prs_fnv64_text(prs_fnv64(h, "\n", 1), e ? callee_name(as_a<gcall *>(e->stmt)) : "");
}

static unsigned half(uint64_t h)
{
	return (unsigned)(h ^ h >> 16 ^ h >> 32 ^ h >> 48) & 0xffff;
}

/* What tells a call from equal ones: what it is called with (high half), and the calls beside it. */
static void set_near(struct collector *c, unsigned i)
{
	gcall *call = as_a<gcall *>(c->entries[i].stmt);
	uint64_t calls = hash_callee(hash_callee(PRS_FNV_INIT, beside(c, i, -1)), beside(c, i, 1));
	uint64_t h = PRS_FNV_INIT;

	for (unsigned k = 0; k < gimple_call_num_args(call); k++)
		h = hash_argument(prs_fnv64(h, "\n", 1), gimple_call_arg(call, k));
	c->entries[i].near = half(h) << 16 | half(calls);
}

/* How much of that of @e is that of the plan: 0 to 3. */
static unsigned likeness(const struct entry *e, const struct plan_line *l)
{
	if (!l->near_then || e->kind != 'c')
		return 0;
	return (e->near >> 16 == l->near >> 16 ? 2u : 0u) + ((e->near & 0xffff) == (l->near & 0xffff));
}

static void number(struct collector *c)
{
	c->entries.qsort(by_group);
	for (unsigned i = 0; i < c->entries.length(); i++) {
		struct entry *e = &c->entries[i];
		struct entry *last = i ? &c->entries[i - 1] : NULL;

		if (last && last->group == e->group)
			e->ordinal = last->ordinal + !same_place(last, e);
		if (i + 1 == c->entries.length() || c->entries[i + 1].group != e->group)
			set_equal(c, i + 1);
	}
	c->entries.qsort(by_order);
	for (unsigned i = 0; i < c->entries.length(); i++)
		if (c->entries[i].kind == 'c')
			set_near(c, i);
}

static int file_index(struct collector *c, const char *path)
{
	if (!path)
		path = "-";
	for (unsigned i = c->files.length(); i-- > 0;)
		if (c->files[i] == path || !strcmp(c->files[i], path))
			return (int)i;
	c->files.safe_push(path);
	text_str(&c->out, "f\t");
	text_field(&c->out, remap_debug_filename(path));
	text_str(&c->out, "\n");
	return (int)c->files.length() - 1;
}

/* C++ copies the untyped result of `new` before it is used. */
#define COPIES_MAX 4u

static bool is_untyped(tree ptr)
{
	return TREE_CODE(ptr) == SSA_NAME && POINTER_TYPE_P(TREE_TYPE(ptr)) &&
	       VOID_TYPE_P(TREE_TYPE(TREE_TYPE(ptr)));
}

static tree used_as(tree ptr, unsigned copies, location_t *at);

/* What makes an object knows its type, whatever the pointer is converted to then. */
static bool constructs(gimple *stmt)
{
	tree callee = is_gimple_call(stmt) ? gimple_call_fndecl(stmt) : NULL_TREE;

	return callee && DECL_CXX_CONSTRUCTOR_P(callee);
}

/* The struct whose member, or itself, @stmt stores through the untyped @ptr: `new` sets members to 0 so; or NULL_TREE. */
static tree stored_through(gimple *stmt, tree ptr)
{
	tree base = get_base_address(gimple_assign_lhs(stmt));

	if (!base || TREE_CODE(base) != MEM_REF || TREE_OPERAND(base, 0) != ptr ||
	    !integer_zerop(TREE_OPERAND(base, 1)) || !RECORD_OR_UNION_TYPE_P(TREE_TYPE(base)))
		return NULL_TREE;
	return TREE_TYPE(base);
}

/* What a use of the untyped @ptr takes it for, or NULL_TREE; *@at: where in the source, 0 at its making. */
static tree taken_for(gimple *stmt, tree ptr, unsigned copies, location_t *at)
{
	tree type = NULL_TREE;

	*at = constructs(stmt) ? 0 : LOCATION_LOCUS(gimple_location(stmt));
	if (is_gimple_assign(stmt) && is_untyped(gimple_assign_lhs(stmt)))
		return gimple_assign_ssa_name_copy_p(stmt) && copies < COPIES_MAX
			       ? used_as(gimple_assign_lhs(stmt), copies + 1, at)
			       : NULL_TREE;
	if (gimple_store_p(stmt) && is_gimple_assign(stmt) && stored_through(stmt, ptr))
		return stored_through(stmt, ptr);
	if (is_gimple_assign(stmt))
		type = TREE_TYPE(gimple_assign_lhs(stmt));
	else if (is_gimple_call(stmt) && gimple_call_fntype(stmt) &&
		 TYPE_ARG_TYPES(gimple_call_fntype(stmt)) && gimple_call_num_args(stmt) &&
		 gimple_call_arg(stmt, 0) == ptr)
		type = TREE_VALUE(TYPE_ARG_TYPES(gimple_call_fntype(stmt)));
	if (!type || !POINTER_TYPE_P(type) || VOID_TYPE_P(TREE_TYPE(type)))
		return NULL_TREE;
	return TREE_TYPE(type);
}

/* Type that a pointer is known as: its own, or that of its first real use, which is at *@at. */
static tree used_as(tree ptr, unsigned copies, location_t *at)
{
	imm_use_iterator iter;
	use_operand_p use;
	tree best = NULL_TREE;

	*at = 0;
	if (!VOID_TYPE_P(TREE_TYPE(TREE_TYPE(ptr))))
		return TREE_TYPE(TREE_TYPE(ptr));
	FOR_EACH_IMM_USE_FAST(use, iter, ptr)
	{
		location_t here;
		tree type = taken_for(USE_STMT(use), ptr, copies, &here);

		/* The list of uses has no order of its own: take the first in the source. */
		if (type && (!best || here < *at)) {
			best = type;
			*at = here;
		}
	}
	return best;
}

/* True if a call gives memory whose type only its use tells: an allocator, or a function of untyped pointers. */
static bool gives_memory(gimple *stmt)
{
	enum heap_op op = callee_heap_op(callee_name(as_a<gcall *>(stmt)));
	tree given = gimple_call_return_type(as_a<gcall *>(stmt));

	if (op == HEAP_NONE)
		return POINTER_TYPE_P(given) && VOID_TYPE_P(TREE_TYPE(given));
	return op != HEAP_FREE && op != HEAP_MEMALIGN;
}

/* *@cookie: bytes of the block in front of what is of that type. */
static tree allocated_type(gimple *stmt, unsigned *cookie)
{
	tree lhs = gimple_call_lhs(stmt), array;
	location_t at;

	*cookie = array_cookie(stmt, &array);
	if (*cookie)
		lhs = array;

	if (!lhs || !POINTER_TYPE_P(TREE_TYPE(lhs)) || (!*cookie && !gives_memory(stmt)))
		return NULL_TREE;
	if (TREE_CODE(lhs) == SSA_NAME)
		return used_as(lhs, 0, &at);
	return VOID_TYPE_P(TREE_TYPE(TREE_TYPE(lhs))) ? NULL_TREE : TREE_TYPE(TREE_TYPE(lhs));
}

static void write_type(struct collector *c, tree type)
{
	char name[128];
	tree size = type ? TYPE_SIZE_UNIT(type) : NULL_TREE;

	if (!type) {
		text_str(&c->out, "\t-\t-");
		return;
	}
	layout_type_name(type, name, sizeof(name));
	text_str(&c->out, "\t");
	text_field(&c->out, name);
	if (size && tree_fits_uhwi_p(size))
		text_add(&c->out, "\t%lu", (unsigned long)tree_to_uhwi(size));
	else
		text_str(&c->out, "\t-");
	layout_note(type, name);
}

/* The equal call that the plan may mean: it is most like the one that was recorded, or the next one to its line. */
static const struct entry *find_namesake(const struct collector *c, const struct entry *e,
					 const struct plan_line *l)
{
	const struct entry *best = NULL;
	unsigned least = UINT_MAX, like = 0;

	for (unsigned i = 0; i < c->entries.length(); i++) {
		const struct entry *o = &c->entries[i];
		unsigned line = (unsigned)o->at.line, far = line > l->line ? line - l->line : l->line - line;

		if (o->group != e->group || o->ordinal == e->ordinal || likeness(o, l) < like ||
		    (likeness(o, l) == like && far >= least))
			continue;
		like = likeness(o, l);
		least = far;
		best = o;
	}
	return best;
}

/* The early pass found the site of @l: @e. */
static void place_line(const struct collector *c, const struct entry *e, struct plan_line *l)
{
	const struct entry *o = find_namesake(c, e, l);

	l->found = (unsigned)e->at.line;
	l->at = gimple_location(e->stmt);
	l->equal = e->equal;
	l->namesake = o ? (unsigned)o->at.line : 0;
	l->namesake_at = o ? gimple_location(o->stmt) : UNKNOWN_LOCATION;
	l->is_other = o && likeness(o, l) > likeness(e, l);
}

/* Plans and rules name sites: tell which of this unit's still have theirs. */
static void tell_plan(const struct collector *c, const struct entry *e, const char *callee)
{
	struct plan_line *l;
	char site[20];
	unsigned at = 0;

	snprintf(site, sizeof(site), "%016llx", (unsigned long long)prs_site_id(e->group, e->ordinal));
	rules_saw(site);
	while ((l = plan_find(site, "", &at)))
		if (!l->seen++) {
			plan_hold(l, callee_asm_name(current_function_decl), callee,
				  gimple_location(e->stmt));
			place_line(c, e, l);
		}
}

static void write_call(struct collector *c, const struct entry *e)
{
	const char *callee = callee_name(as_a<gcall *>(e->stmt));
	int file = file_index(c, e->at.file);
	unsigned cookie;
	tree type = allocated_type(e->stmt, &cookie);

	text_add(&c->out, "c\t%d\t%d\t%d\t%016llx\t%u\t", file, e->at.line, e->at.column,
		 (unsigned long long)prs_site_id(e->group, e->ordinal), e->ordinal);
	text_field(&c->out, callee);
	write_type(c, type);
	text_add(&c->out, "\t%u\t%08x\t%u\n", e->equal, e->near, cookie);
	tell_plan(c, e, callee);
	lto_mark_call();
}

static void write_access(struct collector *c, const struct entry *e)
{
	int file = file_index(c, e->at.file);

	text_add(&c->out, "m\t%d\t%d\t%d\t%016llx\t%c\t%u\t%x\t%x\t", file, e->at.line, e->at.column,
		 (unsigned long long)prs_site_id(e->group, e->ordinal), e->kind, e->bytes, e->what.root,
		 e->what.place);
	if (e->what.offset >= 0)
		text_add(&c->out, "%ld\t", e->what.offset);
	else
		text_str(&c->out, "-\t");
	text_field(&c->out, e->what.base);
	text_str(&c->out, "\t");
	text_field(&c->out, e->what.type);
	text_str(&c->out, "\t");
	text_field(&c->out, e->what.field);
	text_str(&c->out, "\n");
	tell_plan(c, e, "memory");
	if (e->what.aggregate)
		layout_note(e->what.aggregate, e->what.type);
}

static void write_all(struct collector *c)
{
	for (unsigned i = 0; i < c->entries.length(); i++) {
		struct entry *e = &c->entries[i];

		/* Copies at one place are one fact. */
		if (i && same_place(&c->entries[i - 1], e) && c->entries[i - 1].ordinal == e->ordinal)
			continue;
		if (e->kind == 'c')
			write_call(c, e);
		else
			write_access(c, e);
	}
}

static void write_head(struct collector *c, tree decl)
{
	expanded_location loc = expand_location(DECL_SOURCE_LOCATION(decl));

	text_str(&c->out, "F\t");
	text_field(&c->out, callee_asm_name(decl));
	text_str(&c->out, "\t");
	text_field(&c->out, team_is_region(decl) ? team_name(decl) : name_of_function(decl, 1));
	text_str(&c->out, "\t");
	text_field(&c->out, name_of_unit());
	text_add(&c->out, "\t%d\t0\t%d\n", TREE_PUBLIC(decl) ? 1 : 0, loc.line);
	file_index(c, loc.file);
}

static void seed(struct collector *c, tree decl)
{
	c->seed = prs_site_group(callee_asm_name(decl), TREE_PUBLIC(decl) ? "" : name_of_unit(), "");
}

/* Read by the verifier, and by nobody else once LTO has put their values into the code. */
static void keep_variables(void)
{
	static const char *const names[] = {PRS_PLAN_SHA256, PRS_THREAD_TABLE};

	for (unsigned i = 0; i < ARRAY_SIZE(names); i++) {
		symtab_node *node = symtab_node::get_for_asmname(get_identifier(names[i]));

		if (node && VAR_P(node->decl) && !DECL_EXTERNAL(node->decl)) {
			DECL_PRESERVE_P(node->decl) = 1;
			dyn_cast<varpool_node *>(node)->force_output = 1;
		}
	}
}

/*
 * What the platform file puts in the place of pthread_create(): were it inlined
 * into a caller under LTO, the call that the plan marks would be gone.
 */
static void keep_apart(tree decl)
{
	static const char *const names[] = {"pthread_create", "__wrap_pthread_create",
					    "perseus_thread_create"};
	static const char *const ask[] = {"noinline", "noclone", "noipa"};

	for (unsigned i = 0; i < ARRAY_SIZE(names); i++) {
		if (strcmp(callee_asm_name(decl), names[i]))
			continue;
		DECL_UNINLINABLE(decl) = 1;
		for (unsigned k = 0; k < ARRAY_SIZE(ask); k++)
			DECL_ATTRIBUTES(decl) =
				tree_cons(get_identifier(ask[k]), NULL_TREE, DECL_ATTRIBUTES(decl));
	}
}

/* Under LTO nothing refers to the generated functions before the triggers are
   put in, after the whole program has been looked at: keep them. */
static void keep_generated(function *fun)
{
	cgraph_node *node = cgraph_node::get(fun->decl);

	if (!node || !callee_is_trigger(callee_asm_name(fun->decl)))
		return;
	DECL_PRESERVE_P(fun->decl) = 1;
	node->mark_force_output();
	keep_variables();
}

static unsigned site_execute(function *fun)
{
	struct collector c;

	keep_generated(fun);
	if (prs_opt.plan)
		keep_apart(fun->decl);
	if (select_never(fun->decl) || select_impossible(fun) ||
	    lookup_attribute(FACTS_ATTRIBUTE, DECL_ATTRIBUTES(fun->decl)))
		return 0;
	memset(&c, 0, sizeof(c));
	seed(&c, fun->decl);
	collect(&c, fun);
	number(&c);
	write_head(&c, fun->decl);
	layout_begin();
	write_all(&c);
	layout_end(&c.out);
	facts_attach(fun->decl, text_get(&c.out), c.out.n);
	text_release(&c.out);
	c.entries.release();
	c.files.release();
	return 0;
}

static const pass_data site_data = {
	GIMPLE_PASS, "perseus-site", OPTGROUP_NONE, TV_NONE, PROP_cfg | PROP_ssa, 0, 0, 0, 0,
};

namespace
{
class pass_site : public gimple_opt_pass
{
      public:
	pass_site(gcc::context *ctxt) : gimple_opt_pass(site_data, ctxt)
	{
	}
	bool gate(function *) final override
	{
		return !in_lto_p && (prs_opt.calls || prs_opt.memory || prs_opt.plan);
	}
	unsigned int execute(function *fun) final override
	{
		return site_execute(fun);
	}
};
} // namespace

gimple_opt_pass *make_pass_site(gcc::context *ctxt)
{
	return new pass_site(ctxt);
}

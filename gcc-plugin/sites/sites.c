/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * .perseus.sites (include/perseus/sites.h).  Lines are collected as text in
 * the order in which the compiler gets to the functions, which is the same
 * for the same input; nothing here depends on an address, a time or the order
 * of a hash table.
 */
#include "gcc-plugin/base/gcc-common.h"
#include "gcc-plugin/base/names.h"
#include "perseus/sites.h"
#include "gcc-plugin/data/access.h"
#include "gcc-plugin/base/callee.h"
#include "gcc-plugin/data/layout.h"
#include "gcc-plugin/data/locked.h"
#include "gcc-plugin/arch/rounds.h"
#include "gcc-plugin/sites/sites.h"
#include "gcc-plugin/base/text.h"
#include "gcc-plugin/base/traces.h"
#include "gcc-plugin/base/warn.h"

typedef hash_map<int_hash<uint64_t, 0, 1>, unsigned> id_map;

struct call_line {
	struct text head, tail; /* before and after the flags */
	unsigned flags;
};

/* Functions without probes for one reason. */
struct unprobed_functions {
	const char *reason, *name; /* of the first */
	location_t first;
	unsigned count;
};

static vec<call_line> calls;
static vec<unprobed_functions> unprobed;
static struct text files, functions, mems, allocs, locks, globals, layouts, aliases, skips;
static vec<const char *> file_names, type_names;
static unsigned n_functions, n_mems;
static id_map *call_slots, *mem_slots;
static hash_set<int_hash<uint64_t, 0, 1>> *seen_skips;

unsigned sites_n_calls(void)
{
	return calls.length();
}

unsigned sites_n_mems(void)
{
	return n_mems;
}

static unsigned file_index(const char *path)
{
	unsigned i;

	for (i = 0; i < file_names.length(); i++)
		if (!strcmp(file_names[i], path))
			return i;
	file_names.safe_push(xstrdup(path));
	text_add(&files, "F\t%u\t%s\n", i, path);
	return i;
}

static int function_index(struct fn_facts *f)
{
	unsigned file;

	if (f->index >= 0)
		return f->index;
	file = file_index(f->files[(unsigned)f->file]);
	f->index = (int)n_functions++;
	text_add(&functions, "N\t%d\t%s\t%s\t%u\t%d\n", f->index, f->name, f->pretty, file, f->line);
	return f->index;
}

void sites_mention_function(struct fn_facts *f)
{
	function_index(f);
}

/* Bytes of the template argument at the start of @s. */
static size_t argument_len(const char *s)
{
	size_t n = 0;

	for (int depth = 0; s[n] && (depth || (s[n] != ',' && s[n] != '>')); n++)
		depth += (s[n] == '<' || s[n] == '(') - (s[n] == '>' || s[n] == ')');
	return n;
}

/* @name as a field, already escaped.  Each aggregate that is named gets its lines. */
static void mention_type(const char *name)
{
	const char *held = layout_held(name);

	if (held) {
		char *inner = xstrndup(held, argument_len(held));

		mention_type(inner);
		free(inner);
	}
	if (!layout_known(name))
		return;
	for (unsigned i = type_names.length(); i-- > 0;)
		if (!strcmp(type_names[i], name))
			return;
	type_names.safe_push(xstrdup(name));
	layout_lines(&layouts, name);
	layout_parts(name, mention_type);
}

/* Slot of (site, instance, extra) in @map, or @fresh; true if it is new. */
static bool sites_slot_of(id_map **map, const char *site, unsigned instance, unsigned extra, unsigned fresh,
			  unsigned *slot)
{
	uint64_t key = prs_fnv64_text(PRS_FNV_INIT, site);
	bool existed;

	key = prs_fnv64(prs_fnv64(key, &instance, sizeof(instance)), &extra, sizeof(extra)) | 2;
	if (!*map)
		*map = new id_map;
	unsigned &at = (*map)->get_or_insert(key, &existed);
	if (!existed)
		at = fresh;
	*slot = at;
	return !existed;
}

/* A call that the early pass did not see: its id tells only function and callee. */
const char *sites_late_id(const struct where *w, const char *what)
{
	static char id[24];
	uint64_t group = prs_site_group(w->fn->name, w->fn->is_public ? "" : w->fn->unit, what);

	snprintf(id, sizeof(id), "%016llx", (unsigned long long)prs_site_late_id(group));
	return id;
}

static void write_position(struct text *out, const struct where *w, const char *file, int line, int col)
{
	unsigned index = file_index(file ? file : w->fn->files[(unsigned)w->fn->file]);

	text_add(out, "%u\t%d\t%d\t", index, line, col);
}

unsigned sites_call(const struct where *w, const struct call_fact *fact, const char *callee, unsigned flags)
{
	const char *site = fact ? fact->site : sites_late_id(w, callee);
	struct call_line line;
	unsigned slot;

	if (!sites_slot_of(&call_slots, site, w->instance, 0, calls.length(), &slot)) {
		calls[slot].flags |= flags;
		return slot;
	}
	memset(&line, 0, sizeof(line));
	line.flags = flags;
	text_add(&line.head, "C\t%u\t%s\t%08x\t%d\t%s\t", slot, site, w->instance, function_index(w->fn),
		 fact ? fact->callee : callee);
	if (fact)
		write_position(&line.head, w, w->fn->files[(unsigned)fact->file], fact->line, fact->col);
	else /* what the optimiser made of a part of a function is called from no place: take the function's */
		write_position(&line.head, w, w->file, w->line ? w->line : w->fn->line, w->col);
	text_add(&line.head, "%u\t", fact ? fact->ordinal : 0);
	if (fact)
		text_add(&line.tail, "\t%s\t%u\t%s\n", w->chain, fact->equal, fact->near);
	else
		text_add(&line.tail, "\t%s\t-\t-\n", w->chain);
	calls.safe_push(line);
	if (fact && fact->type[0] != '-') {
		text_add(&allocs, "A\t%u\t%s\t%s", slot, fact->type, fact->size);
		if (fact->cookie)
			text_add(&allocs, "\t+%u", fact->cookie);
		text_str(&allocs, "\n");
		mention_type(fact->type);
	}
	return slot;
}

/* Name of the type of a variable or of its elements, and the dimensions, "" if it is no array. */
static void describe_variable(tree decl, char *name, size_t size, char *dims, size_t dims_size)
{
	tree type;

	*dims = 0;
	type = layout_dimensions(TREE_TYPE(decl), dims, dims_size);
	if (RECORD_OR_UNION_TYPE_P(type))
		access_type_name(type, DECL_NAME(decl) ? IDENTIFIER_POINTER(DECL_NAME(decl)) : NULL, name,
				 size);
	else
		layout_type_name(type, name, size);
	layout_note(type, name);
}

unsigned sites_frame(const struct where *w, tree var)
{
	const char *name = IDENTIFIER_POINTER(DECL_NAME(var)), *site = sites_late_id(w, name);
	struct text field = {NULL, 0, 0};
	char type[128], dims[64];
	struct call_line line;
	unsigned slot;

	if (!sites_slot_of(&call_slots, site, (unsigned)w->line, SITE_FRAME, calls.length(), &slot))
		return slot;
	memset(&line, 0, sizeof(line));
	line.flags = SITE_FRAME;
	text_add(&line.head, "C\t%u\t%s\t%08x\t%d\t", slot, site, 0, function_index(w->fn));
	text_field(&line.head, name);
	text_str(&line.head, "\t");
	write_position(&line.head, w, w->file, w->line, w->col);
	text_str(&line.head, "0\t");
	text_str(&line.tail, "\t-\t-\t-\n");
	calls.safe_push(line);
	describe_variable(var, type, sizeof(type), dims, sizeof(dims));
	text_field(&field, type);
	mention_type(field.s);
	text_add(&allocs, "A\t%u\t%s\t-\t%s\n", slot, field.s, *dims ? dims : "-");
	text_release(&field);
	return slot;
}

/* Only what stands in a header of the system needs the callers that it was inlined into. */
static const char *callers_of_header(const struct where *w, const struct mem_fact *fact)
{
	const char *file = fact ? w->fn->files[(unsigned)fact->file] : w->file;

	return file && !strncmp(file, "/usr/", 5) ? w->chain : "-";
}

/* A field of a line: "-" for what is empty. */
static void add_field(struct text *out, const char *s)
{
	text_str(out, "\t");
	text_field(out, *s ? s : "-");
}

void sites_locked(unsigned slot, unsigned arg, const struct locked *l)
{
	struct text type = {NULL, 0, 0};

	text_add(&locks, "O\t%u\t%u", slot, arg);
	add_field(&locks, l->type);
	add_field(&locks, l->field);
	if (l->offset >= 0)
		text_add(&locks, "\t%ld", l->offset);
	else
		text_str(&locks, "\t-");
	add_field(&locks, l->member);
	text_str(&locks, "\n");
	text_field(&type, l->type);
	mention_type(text_get(&type));
	text_release(&type);
}

unsigned sites_mem(const struct where *w, const struct mem_fact *fact, char kind, unsigned bytes,
		   unsigned flags)
{
	const char *site = fact ? fact->site : sites_late_id(w, "memory");
	unsigned slot, extra = bytes << 8 | (unsigned char)kind;

	if (!sites_slot_of(&mem_slots, site, w->instance, extra, n_mems, &slot))
		return slot;
	n_mems++;
	text_add(&mems, "M\t%u\t%s\t%08x\t%d\t%c\t%u\t", slot, site, w->instance, function_index(w->fn), kind,
		 bytes);
	if (fact)
		write_position(&mems, w, w->fn->files[(unsigned)fact->file], fact->line, fact->col);
	else
		write_position(&mems, w, w->file, w->line, w->col);
	if (fact) {
		text_add(&mems, "%s\t%s\t%s\t%s\t", fact->base, fact->type, fact->field, fact->offset);
		mention_type(fact->type);
	} else {
		text_str(&mems, "-\t-\t-\t-\t");
	}
	text_add(&mems, "%s\t%s\n", flags & SITE_NEAR ? "near" : "-", callers_of_header(w, fact));
	return slot;
}

void sites_skip(const char *kind, const char *reason, const struct where *w, const char *callee,
		const char *site)
{
	struct text line = {NULL, 0, 0};
	uint64_t key;

	text_add(&line, "S\t%s\t%s\t%d\t%s\t", kind, reason, function_index(w->fn), callee);
	text_add(&line, "%u\t%d\t%s\n", file_index(w->file ? w->file : w->fn->files[(unsigned)w->fn->file]),
		 w->line, site);
	key = prs_fnv64_text(PRS_FNV_INIT, line.s) | 2;
	if (!seen_skips)
		seen_skips = new hash_set<int_hash<uint64_t, 0, 1>>;
	if (!seen_skips->add(key))
		text_str(&skips, line.s);
	text_release(&line);
}

/* One warning per reason, at the first function: units full of them stay readable. */
static void note_unprobed(const char *reason, tree fndecl)
{
	for (unsigned i = 0; i < unprobed.length(); i++) {
		if (strcmp(unprobed[i].reason, reason))
			continue;
		unprobed[i].count++;
		return;
	}
	unprobed.safe_push(
		unprobed_functions{reason, facts_of(fndecl)->pretty, DECL_SOURCE_LOCATION(fndecl), 1});
}

void sites_skip_function(const char *reason, tree fndecl)
{
	struct where w;

	if (!reason)
		return;
	memset(&w, 0, sizeof(w));
	w.fn = facts_of(fndecl);
	w.line = w.fn->line;
	sites_skip(PRS_SK_FUNCTION, reason, &w, "-", "-");
	/* Resolvers run once, and compilers make them for every function with target_clones: no loss. */
	if (strcmp(reason, PRS_SR_ATTRIBUTE) && strcmp(reason, PRS_SR_TARGET) &&
	    strcmp(reason, PRS_SR_RESOLVER))
		note_unprobed(reason, fndecl);
}

void sites_warn(void)
{
	unsigned tails = 0;

	for (unsigned i = 0; i < unprobed.length(); i++) {
		const struct unprobed_functions *u = &unprobed[i];

		if (u->count == 1)
			warn_at(WARN_UNPROBED, u->first, "`%s' carries no probes (%s)", u->name, u->reason);
		else
			warn_at(WARN_UNPROBED, u->first, "`%s' and %u more carry no probes (%s)", u->name,
				u->count - 1, u->reason);
	}
	for (unsigned i = 0; i < calls.length(); i++)
		tails += (calls[i].flags & SITE_TAIL) != 0;
	if (tails)
		warn_at(WARN_TAIL_CALL, UNKNOWN_LOCATION,
			"%u tail call%s made as ordinary calls, so that their return is seen", tails,
			tails == 1 ? " is" : "s are");
}

void sites_aliases(tree fndecl)
{
	struct cgraph_node *node = cgraph_node::get(fndecl);
	struct ipa_ref *ref;
	bool any = false;

	if (!node || !node->icf_merged)
		return;
	FOR_EACH_ALIAS(node, ref)
	{
		symtab_node *alias = ref->referring;

		if (!any)
			text_add(&aliases, "K\t%s", callee_asm_name(fndecl));
		any = true;
		text_str(&aliases, "\t");
		text_field(&aliases, callee_asm_name(alias->decl));
	}
	if (any)
		text_str(&aliases, "\n");
}

static int by_order(const void *a, const void *b)
{
	const symtab_node *x = *(symtab_node *const *)a, *y = *(symtab_node *const *)b;

	return x->order < y->order ? -1 : x->order > y->order;
}

static void write_global(tree decl)
{
	expanded_location loc = expand_location(DECL_SOURCE_LOCATION(decl));
	tree size = DECL_SIZE_UNIT(decl), holder = DECL_CONTEXT(decl);
	struct text field = {NULL, 0, 0};
	char name[128], dims[64];

	describe_variable(decl, name, sizeof(name), dims, sizeof(dims));
	text_field(&field, name);
	mention_type(field.s);
	text_str(&globals, "G\t");
	text_field(&globals, callee_asm_name(decl));
	text_add(&globals, "\t%s\t", field.s);
	if (size && tree_fits_uhwi_p(size))
		text_add(&globals, "%lu", (unsigned long)tree_to_uhwi(size));
	else
		text_str(&globals, "-");
	text_add(&globals, "\t%u\t%d\t%s\t", file_index(text_path(loc.file)), loc.line, *dims ? dims : "-");
	/* "n.1" does not tell which of several functions has it. */
	text_field(&globals,
		   holder && TREE_CODE(holder) == FUNCTION_DECL ? name_of_function(holder, 0) : "-");
	text_str(&globals, "\n");
	text_release(&field);
}

/* Only what this object defines: variables that were really written out. */
static void collect_globals(void)
{
	vec<symtab_node *> nodes = vNULL;
	varpool_node *node;

	FOR_EACH_VARIABLE(node)
	if (TREE_ASM_WRITTEN(node->decl) && !DECL_EXTERNAL(node->decl) && !DECL_ARTIFICIAL(node->decl) &&
	    !DECL_VIRTUAL_P(node->decl) && DECL_NAME(node->decl) &&
	    LOCATION_LOCUS(DECL_SOURCE_LOCATION(node->decl)) > BUILTINS_LOCATION)
		nodes.safe_push(node);
	nodes.qsort(by_order);
	for (unsigned i = 0; i < nodes.length(); i++)
		write_global(nodes[i]->decl);
	nodes.release();
}

static void write_flags(struct text *out, unsigned flags)
{
	static const char *const names[] = {PRS_CF_NORETURN, PRS_CF_TAIL, PRS_CF_CREATE, PRS_CF_WAIT,
					    PRS_CF_ALLOC,    PRS_CF_FREE, "near",        PRS_CF_STRUCT,
					    PRS_CF_REGION,   PRS_CF_FRAME};
	const char *sep = "";

	if (!flags)
		text_str(out, "-");
	for (unsigned i = 0; i < ARRAY_SIZE(names); i++) {
		if (!(flags & 1u << i))
			continue;
		text_add(out, "%s%s", sep, names[i]);
		sep = ",";
	}
}

/* The M lines, with what the last passes know of them at their ends. */
static void write_mems(struct text *out)
{
	const char *s = text_get(&mems);

	for (unsigned i = 0; *s; i++) {
		const struct round *r = round_of(i);
		size_t n = strcspn(s, "\n");

		text_bytes(out, s, n);
		if (r->accesses)
			text_add(out, "\t%u-%u%s/%u\n", r->least, r->most, r->open ? "+" : "", r->accesses);
		else
			text_str(out, "\t-\n");
		s += n + 1;
	}
}

static void assemble(struct text *out)
{
	text_bytes(out, text_get(&files), files.n);
	text_bytes(out, text_get(&functions), functions.n);
	for (unsigned i = 0; i < calls.length(); i++) {
		text_bytes(out, calls[i].head.s, calls[i].head.n);
		write_flags(out, calls[i].flags);
		text_bytes(out, calls[i].tail.s, calls[i].tail.n);
	}
	write_mems(out);
	text_bytes(out, text_get(&allocs), allocs.n);
	text_bytes(out, text_get(&locks), locks.n);
	text_bytes(out, text_get(&globals), globals.n);
	text_bytes(out, text_get(&layouts), layouts.n);
	text_bytes(out, text_get(&aliases), aliases.n);
	text_bytes(out, text_get(&skips), skips.n);
}

static void write_lines(FILE *f, const char *s)
{
	while (*s) {
		size_t n = strcspn(s, "\n") + 1;

		fputs("\t.ascii \"", f);
		for (size_t i = 0; i < n; i++) {
			unsigned char c = (unsigned char)s[i];

			if (c == '\n')
				fputs("\\n", f);
			else if (c == '"' || c == '\\')
				fprintf(f, "\\%c", c);
			else if (c < 0x20 || c >= 0x7f)
				fprintf(f, "\\%03o", c);
			else
				putc(c, f);
		}
		fputs("\"\n", f);
		s += n;
	}
}

static const char *unit_flags(void)
{
	bool lto = in_lto_p || (flag_generate_lto && !flag_fat_lto_objects);

	if (trace_marked(SITES_LOADED_TWICE))
		return lto ? "lto," PRS_UF_DUPLICATE : PRS_UF_DUPLICATE;
	return lto ? "lto" : "-";
}

/* The language of a translation unit, "GNU C++17" is "c++17"; NULL: not one of C or C++. */
static const char *unit_language(tree unit)
{
	const char *name = unit ? TRANSLATION_UNIT_LANGUAGE(unit) : NULL;

	if (!name && !in_lto_p)
		name = lang_hooks.name;
	return name && !strncmp(name, "GNU C", 5) ? name + 4 : NULL;
}

/* The language of all units compiled here into @out, "-": several, or not known. */
static void write_language(struct text *out)
{
	const char *all = in_lto_p ? NULL : unit_language(NULL_TREE), *name;
	unsigned i;
	tree unit;

	FOR_EACH_VEC_SAFE_ELT(all_translation_units, i, unit)
	{
		name = unit_language(unit);
		if (!name || (all && strcmp(all, name))) {
			text_add(out, "-");
			return;
		}
		all = name;
	}
	if (!all)
		text_add(out, "-");
	for (; all && *all; all++)
		text_add(out, "%c", TOLOWER(*all));
}

uint64_t sites_write(void)
{
	struct text body = {NULL, 0, 0}, head = {NULL, 0, 0}, out = {NULL, 0, 0};
	uint64_t id;

	/* Also of a unit without sites: "n.0" of another one would be taken for its own. */
	collect_globals();
	text_add(&head, "%u\t%u\tperseus " PERSEUS_VERSION " gcc %s\t", calls.length(), n_mems,
		 version_string);
	text_field(&head, name_of_unit());
	text_add(&head, "\t%s\t", unit_flags());
	write_language(&head);
	text_add(&head, "\n");
	assemble(&body);
	id = prs_fnv64_text(prs_fnv64_text(PRS_FNV_INIT, head.s), text_get(&body));
	text_add(&out, "U\t%d\t%016llx\t%s%sZ\t%016llx\n", PRS_SITES_VERSION, (unsigned long long)id, head.s,
		 text_get(&body), (unsigned long long)id);
	fputs("\t.section\t" PRS_SITES_SECTION ",\"\",@progbits\n", asm_out_file);
	write_lines(asm_out_file, out.s);
	fputs("\t.text\n", asm_out_file);
	text_release(&body);
	text_release(&head);
	text_release(&out);
	return id;
}

/* SPDX-License-Identifier: MIT */
#include "analyzer/objects/names.h"

#include <stdlib.h>
#include <string.h>

#include "lib/shown.h"
#include "lib/inspect/demangle.h"
#include "lib/mem.h"
#include "lib/strbuf.h"

size_t name_root(const char *base)
{
	return strcspn(base, ".[-*&( ");
}

bool name_is_direct(const char *base)
{
	size_t n = name_root(base);

	return n && !strchr(base, '*') && !strchr(base, '&') && !strchr(base, '(') && !strstr(base, "->") &&
	       strncmp(base, "this", n > 4 ? n : 4);
}

/* "count" of "count.0", "state" of "state.lto_priv.0": what a compiler put behind. */
static size_t written_len(const char *symbol)
{
	const char *dot = strchr(symbol, '.');

	return dot && dot > symbol ? (size_t)(dot - symbol) : strlen(symbol);
}

static bool ends_in_number(const char *symbol)
{
	const char *dot = strrchr(symbol, '.');

	return dot && dot[1] && strspn(dot + 1, "0123456789") == strlen(dot + 1);
}

/* The function of @file that begins last before @line: the one that a declaration there is in. */
static const struct run_function *function_round(const struct run *run, const char *file, uint32_t line)
{
	const struct run_function *best = NULL;

	for (size_t m = 0; m < run->n_modules; m++)
		for (size_t i = 0; i < run->modules[m].sites.n_functions; i++) {
			const struct run_function *f = &run->modules[m].sites.functions[i];

			if (f->line && f->line <= line && !strcmp(f->file, file) &&
			    (!best || f->line > best->line))
				best = f;
		}
	return best;
}

static char *written_name(const struct run *run, const char *symbol, const struct run_variable *var)
{
	char *name = demangle_short(symbol);
	const struct run_function *f = NULL;
	struct strbuf sb = STRBUF_INIT;

	if (name)
		return name;
	if (var && var->function && *var->function)
		strbuf_printf(&sb, "%s()::", var->function);
	else if (var && !var->function && ends_in_number(symbol) && !strstr(symbol, ".lto_priv") && var->line)
		f = function_round(run, var->file, var->line);
	if (f)
		strbuf_printf(&sb, "%s()::", strcmp(f->pretty, "-") ? f->pretty : f->name);
	strbuf_printf(&sb, "%.*s", (int)written_len(symbol), symbol);
	return strbuf_detach(&sb);
}

char *name_of_symbol(const struct run *run, const char *symbol, const struct run_variable *var)
{
	char *name = written_name(run, symbol, var);

	shown_make(name, "");
	return name;
}

const char *name_stem(const char *name)
{
	const char *stem = name;
	int depth = 0;

	for (const char *p = name; *p; p++) {
		if (strchr("<({[", *p))
			depth++;
		else if (strchr(">)}]", *p))
			depth -= depth > 0;
		else if (*p == ':' && p[1] == ':' && !depth)
			stem = ++p + 1;
	}
	return stem;
}

/* ---- the C++ library ---- */

/* Types of the library's own that hold one element. */
static const struct {
	const char *type;
	const char *with_pair, *without; /* for elements std::pair<const K, V>, and others */
} nodes[] = {
	{"std::__detail::_Hash_node<", "std::unordered_map node", "std::unordered_set node"},
	{"std::_Rb_tree_node<", "std::map node", "std::set node"},
	{"std::_List_node<", "std::list node", "std::list node"},
	{"std::_Fwd_list_node<", "std::forward_list node", "std::forward_list node"},
	{"std::thread::_State_impl<", "std::thread state", "std::thread state"},
};

/* Functions of containers that allocate elements, mangled and written out. */
static const struct {
	const char *mangled, *written;
	const char *name; /* takes the element's type */
} containers[] = {
	{"St6vectorI", "std::vector<", "std::vector<%s> element"},
	{"12_Vector_baseI", "_Vector_base<", "std::vector<%s> element"},
	{"11_Deque_baseI", "_Deque_base<", "std::deque<%s> element"},
	{"12basic_stringI", "basic_string<", "std::string<%s> text"},
	{"10_HashtableI", "_Hashtable<", "std::unordered_map<%s> buckets"},
	{"8valarrayI", "std::valarray<", "std::valarray<%s> element"},
};

/* The first template argument of @type, behind @len bytes. */
static size_t argument_len(const char *type)
{
	int depth = 0;
	size_t n = 0;

	for (; type[n]; n++) {
		if (strchr("<({[", type[n]))
			depth++;
		else if (strchr(">)}]", type[n]) && !depth--)
			break;
		else if (type[n] == ',' && !depth)
			break;
	}
	return n;
}

char *name_of_shared(const char *type)
{
	static const char shared[] = "std::_Sp_counted_ptr_inplace<";

	if (!type || strncmp(type, shared, sizeof(shared) - 1))
		return NULL;
	type += sizeof(shared) - 1;
	return mem_strndup(type, argument_len(type));
}

static char *name_of_node(const char *type)
{
	char *held = name_of_shared(type);
	struct strbuf sb = STRBUF_INIT;

	for (size_t i = 0; i < sizeof(nodes) / sizeof(nodes[0]); i++) {
		size_t len = strlen(nodes[i].type);

		if (!strncmp(type, nodes[i].type, len))
			return mem_strdup(strncmp(type + len, "std::pair<const ", 16) ? nodes[i].without
										      : nodes[i].with_pair);
	}
	if (!held)
		return NULL;
	strbuf_printf(&sb, "std::shared_ptr<%s> object", held);
	free(held);
	return strbuf_detach(&sb);
}

char *name_of_container(const char *type, const char *where)
{
	char *node = type ? name_of_node(type) : NULL;

	if (node || !type || !where)
		return node;
	for (size_t i = 0; i < sizeof(containers) / sizeof(containers[0]); i++)
		if (strstr(where, containers[i].mangled) || strstr(where, containers[i].written)) {
			const char *to = strstr(containers[i].name, "%s");
			struct strbuf sb = STRBUF_INIT;

			strbuf_printf(&sb, "%.*s%s%s", (int)(to - containers[i].name), containers[i].name,
				      type, to + 2);
			return strbuf_detach(&sb);
		}
	return NULL;
}

/* Of a word inside of a mutex and its like, whose names are not the program's, the mutex; else NULL. */
static char *inside_of_lock(const char *field)
{
	static const char *const words[] = {".__data", ".__size", ".__align"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		/* A variable that is a lock, or a member that is one. */
		bool whole = !strncmp(field, words[i] + 1, strlen(words[i]) - 1);
		const char *at = whole ? field : strstr(field, words[i]);
		const char *end = at ? at + strlen(words[i]) - whole : NULL;
		struct strbuf sb = STRBUF_INIT;

		if (!at || (*end && *end != '.' && *end != '['))
			continue;
		strbuf_printf(&sb, "%.*s", (int)(at - field), field);
		return strbuf_detach(&sb);
	}
	return NULL;
}

bool name_in_lock(const char *field)
{
	char *lock = inside_of_lock(field);

	free(lock);
	return lock != NULL;
}

/* Members of the library's own that say something, and how; the others stand for what holds them. */
static const char *const members[][2] = {
	{"_M_impl._M_start", "begin"},
	{"_M_impl._M_finish", "end"},
	{"_M_impl._M_end_of_storage", "capacity"},
	{"_M_storage._M_storage", "value"},
	{"_M_impl._M_storage._M_storage", "value"},
	{"_M_h._M_element_count", "size"},
	{"_M_string_length", "size"},
	{"_M_use_count", "use_count"},
	{"_M_weak_count", "weak_count"},
	{"_M_nxt", "next"},
	{"_M_next", "next"},
	{"_M_prev", "previous"},
};

/* Length of @want at the start of @field, if whole members end there; else 0. */
static size_t begins_with(const char *field, const char *want)
{
	size_t n = strlen(want);

	return !strncmp(field, want, n) && (!field[n] || field[n] == '.') ? n : 0;
}

/* Read one member of the library's own at @s, add what people call it; what is behind it, without its dot. */
static const char *put_library(struct strbuf *sb, const char *s, const char *between)
{
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		size_t n = begins_with(s, members[i][0]);

		if (n) {
			strbuf_printf(sb, "%s%s", between, members[i][1]);
			return s + n;
		}
	}
	s += strcspn(s, ".[");
	/* The elements of a std::array are those of the variable. */
	strbuf_printf(sb, "%.*s", (int)strcspn(s, "."), s);
	s += strcspn(s, ".");
	/* What a lambda caught is a variable of the function round it. */
	return strncmp(s, ".__", 3) ? s : s + 3;
}

char *name_of_field(const char *field)
{
	struct strbuf sb = STRBUF_INIT;
	char *inner = inside_of_lock(field), *name;

	if (inner) {
		name = name_of_field(inner);
		free(inner);
		return name;
	}
	while (*field) {
		const char *between = sb.len ? "." : "";
		size_t n = strcspn(field, "."), digits = strspn(field, "0123456789");

		/* The compiler's number for a variable of its own: "tally.1" points to tally[n]. */
		if (sb.len && digits && (digits == n || field[digits] == '[')) {
			strbuf_add(&sb, field + digits, n - digits);
			field += n;
		} else if (!strncmp(field, "_M_", 3)) {
			field = put_library(&sb, field, between);
		} else {
			strbuf_printf(&sb, "%s%.*s", between, (int)n, field);
			field += n;
		}
		field += *field == '.';
	}
	strbuf_puts(&sb, "");
	return strbuf_detach(&sb);
}

bool name_known(const char *s)
{
	return s && *s && strcmp(s, "-");
}

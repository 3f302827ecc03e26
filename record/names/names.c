/* SPDX-License-Identifier: MIT */
/* From numbers and addresses to names; conversions of time. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/names/names.h"

#include "lib/search.h"

uint64_t run_span_ns(const struct run_process *p, uint64_t ticks)
{
	double ns = (double)ticks * p->ns_per_tick;

	return ns >= 18e18 ? (uint64_t)18e18 : (uint64_t)(ns + 0.5);
}

uint64_t run_ns(const struct run_process *p, uint64_t ticks)
{
	return ticks <= p->header->tsc_start ? 0 : run_span_ns(p, ticks - p->header->tsc_start);
}

const struct run_unit *process_unit(const struct run_process *p, bool mems, uint32_t site)
{
	const uint32_t *order = mems ? p->by_mem : p->by_call;
	size_t lo = 0, hi = mems ? p->n_by_mem : p->n_by_call;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		const struct prs_unit *u = p->units[order[mid]].raw;

		if ((mems ? u->first_mem : u->first_call) <= site)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo ? &p->units[order[lo - 1]] : NULL;
}

const struct run_call_site *run_call_site(const struct run_process *p, uint32_t site)
{
	const struct run_unit *u = process_unit(p, false, site);
	uint32_t local = u ? site - u->raw->first_call : 0;

	if (!u || !u->sites || local >= u->raw->n_calls || local >= u->sites->n_calls)
		return NULL;
	return &u->sites->calls[local];
}

const struct run_mem_site *run_mem_site(const struct run_process *p, uint32_t site)
{
	const struct run_unit *u = process_unit(p, true, site);
	uint32_t local = u ? site - u->raw->first_mem : 0;

	if (!u || !u->sites || local >= u->raw->n_mems || local >= u->sites->n_mems)
		return NULL;
	return &u->sites->mems[local];
}

/* A mark that the linker sets at the start or the end of a section, and no object. */
static bool is_mark(const struct run_symbol *s)
{
	static const char *const marks[] = {"__TMC_END__", "__bss_start", "_edata",       "edata",
					    "_end",        "end",         "__data_start", "data_start"};

	for (size_t i = 0; !s->bytes && i < sizeof(marks) / sizeof(marks[0]); i++)
		if (!strcmp(s->name, marks[i]))
			return true;
	return false;
}

const struct run_symbol *run_module_symbol(const struct run_module *m, uint64_t at)
{
	const struct run_symbol *label = NULL;
	size_t lo = search_first(m->n_symbols, i, m->symbols[i].address <= at);

	/* Symbols nest (an alias, a label inside a function): look a few back. */
	for (size_t i = lo; i > 0 && lo - i < 8; i--) {
		const struct run_symbol *s = &m->symbols[i - 1];

		if (at - s->address < s->bytes)
			return s;
		if (at == s->address && !label && !is_mark(s))
			label = s;
	}
	return label;
}

const struct run_symbol *run_symbol(const struct run *run, const struct run_process *p, uint64_t address,
				    uint64_t *offset)
{
	(void)run; /* the process knows its tables */
	/* Later entries first: an address may have had another module before. */
	for (size_t i = p->n_modules; i-- > 0;) {
		const struct prs_module *m = &p->modules[i];
		const struct run_module *tables = p->module_tables ? p->module_tables[i] : NULL;
		const struct run_symbol *s;

		if (!tables || address < m->start || address >= m->end)
			continue;
		s = run_module_symbol(tables, address - m->bias);
		if (!s)
			continue;
		if (offset)
			*offset = address - m->bias - s->address;
		return s;
	}
	return NULL;
}

static int function_named(const void *name, const void *f)
{
	return strcmp(name, ((const struct run_function *)f)->name);
}

const struct run_symbol *run_local_symbol(const struct run_process *p, const struct prs_thread *t,
					  uint64_t address, uint64_t *offset)
{
	const struct run_symbol *s = NULL;

	/* Where libraries have theirs is the loader's business; the program's end at the thread pointer. */
	for (size_t i = 0; !s && i < p->n_modules; i++)
		if (p->module_tables && p->module_tables[i] && !strcmp(p->modules[i].path, p->header->exe))
			s = run_module_symbol(p->module_tables[i], address - t->pthread_id);
	if (!s || (s->type != 'l' && s->type != 'L'))
		return NULL;
	*offset = address - t->pthread_id - s->address;
	return s;
}

const struct run_function *run_module_function(const struct run_module *m, const char *assembler_name)
{
	if (!m->sites.n_functions)
		return NULL;
	return bsearch(assembler_name, m->sites.functions, m->sites.n_functions, sizeof(*m->sites.functions),
		       function_named);
}

static int symbol_named(const void *name, const void *s)
{
	return strcmp(name, (*(const struct run_symbol *const *)s)->name);
}

static bool defines(const struct run_module *m, const char *name)
{
	if (run_module_function(m, name))
		return true;
	return m->n_functions &&
	       bsearch(name, m->functions, m->n_functions, sizeof(*m->functions), symbol_named);
}

const struct run_module *run_home(const struct run_process *p, const struct run_module *from,
				  const char *assembler_name)
{
	if (from && defines(from, assembler_name))
		return from;
	for (size_t i = 0; p->module_tables && i < p->n_modules; i++)
		if (p->module_tables[i] && defines(p->module_tables[i], assembler_name))
			return p->module_tables[i];
	return NULL;
}

const struct run_function *run_function(const struct run *run, const char *assembler_name)
{
	const struct run_function *f = NULL;

	for (size_t i = 0; !f && i < run->n_modules; i++) {
		const struct sites *s = &run->modules[i].sites;

		if (s->n_functions)
			f = bsearch(assembler_name, s->functions, s->n_functions, sizeof(*f), function_named);
	}
	return f;
}

static bool is_code(const struct run_symbol *s)
{
	return strchr("TtWwi", s->type) != NULL;
}

/* @symbol is @name, or what the compiler made of it: "work.constprop.0.isra.0". */
static bool is_made_of(const char *symbol, const char *name)
{
	size_t n = strlen(name);

	return !strncmp(symbol, name, n) && (!symbol[n] || symbol[n] == '.');
}

bool run_probed(const struct run *run, const char *name)
{
	if (run_function(run, name))
		return true;
	for (size_t m = 0; m < run->n_modules; m++) {
		const struct run_module *mod = &run->modules[m];

		if (!mod->sites.n_units)
			continue;
		for (size_t i = 0; i < mod->n_symbols; i++)
			if (is_code(&mod->symbols[i]) && is_made_of(mod->symbols[i].name, name))
				return true;
	}
	return false;
}

/* A name that the language keeps for its libraries; in C++ the length stands before it. */
static bool is_reserved(const char *name)
{
	if (!strncmp(name, "_Z", 2)) {
		name += name[2] == 'L' ? 3 : 2;
		name += strspn(name, "0123456789");
	}
	return !strncmp(name, "__", 2);
}

bool run_in_std(const char *name)
{
	const char *s = name;

	if (strncmp(s, "_Z", 2))
		return false;
	for (s += 2; *s == 'Z' || *s == 'N' || *s == 'K';)
		s++;
	return (*s == 'S' && s[1] && strchr("tabsiod", s[1])) || !strncmp(s, "9__gnu_cxx", 10);
}

bool run_is_library(const struct run *run, const char *name)
{
	const struct run_function *f = run_function(run, name);

	if (run_in_std(name))
		return true;
	return f && strcmp(f->file, "-") ? !strncmp(f->file, "/usr/", 5) : is_reserved(name);
}

/* Read the link `function:line` that ends at @end; false: it is none. */
static bool read_link(const char *begin, const char *end, struct run_place *place)
{
	const char *colon = memrchr(begin, ':', (size_t)(end - begin));
	size_t len = colon ? (size_t)(colon - begin) : 0;

	if (!len || len >= sizeof(place->function))
		return false;
	memcpy(place->function, begin, len);
	place->function[len] = '\0';
	place->line = (uint32_t)strtoul(colon + 1, NULL, 10);
	return true;
}

/*
 * Walk @chain outwards from its innermost link, or from behind function @from (NULL: from there), to
 * the first function of the program's own; false: there is none.
 */
static bool walk_out(const struct run *run, const char *chain, const char *unit, const char *from,
		     struct run_place *place)
{
	const char *end = chain + strlen(chain);
	bool behind = !from;
	struct run_place at;

	while (end > chain) {
		const char *sep = memrchr(chain, '>', (size_t)(end - chain));

		if (!read_link(sep ? sep + 1 : chain, end, &at)) {
			;
		} else if (!behind) {
			behind = !strcmp(at.function, from);
		} else if (!run_is_library(run, at.function)) {
			const struct run_function *f = run_function(run, at.function);

			at.file = f && strcmp(f->file, "-") ? f->file : unit;
			*place = at;
			return true;
		}
		end = sep ? sep : chain;
	}
	return false;
}

static void leave_library(const struct run *run, const char *chain, const char *unit, struct run_place *place)
{
	if (!strncmp(place->file, "/usr/", 5) && strcmp(chain, "-"))
		walk_out(run, chain, unit, NULL, place);
}

bool run_site_place_round(const struct run *run, const struct run_call_site *site, struct run_place *place)
{
	char from[sizeof(place->function)];

	if (!strcmp(site->chain, "-"))
		return false;
	snprintf(from, sizeof(from), "%s", place->function);
	return walk_out(run, site->chain, site->unit, strcmp(from, site->function) ? from : NULL, place);
}

void run_outermost(const char *chain, const char *function, char *out, size_t size)
{
	struct run_place first;
	const char *end = strchr(chain, '>');

	end = end ? end : chain + strlen(chain);
	snprintf(out, size, "%s", read_link(chain, end, &first) ? first.function : function);
}

void run_site_place(const struct run *run, const struct run_call_site *site, struct run_place *place)
{
	snprintf(place->function, sizeof(place->function), "%s", site->function);
	place->file = site->file;
	place->line = site->line;
	leave_library(run, site->chain, site->unit, place);
}

uint32_t run_site_round(const struct run_thread *t, uint32_t site)
{
	const struct rec_call *first = NULL;

	for (size_t i = 0; i < t->n_calls; i++)
		if (t->calls[i]->site == site && (!first || t->calls[i]->at < first->at))
			first = t->calls[i];
	if (!first)
		return PRS_NO_SITE;
	return first->up ? first->up->site : first->parent;
}

void run_mem_place(const struct run *run, const struct run_mem_site *site, struct run_place *place)
{
	snprintf(place->function, sizeof(place->function), "%s", site->function);
	place->file = site->file;
	place->line = site->line;
	leave_library(run, site->chain, site->unit, place);
}

static int type_named(const void *name, const void *t)
{
	return strcmp(name, ((const struct run_type *)t)->name);
}

const struct run_type *run_type(const struct run *run, const char *name)
{
	const struct run_type *t = NULL;

	for (size_t i = 0; !t && i < run->n_modules; i++) {
		const struct sites *s = &run->modules[i].sites;

		if (s->n_types)
			t = bsearch(name, s->types, s->n_types, sizeof(*t), type_named);
	}
	return t;
}

/* ---- fields ---- */

/* The number of elements that the brackets from @s on announce, "[4][8]", up to *@end; 1 if there are none. */
static uint64_t dimensions(const char *s, const char **end)
{
	uint64_t all = 1;

	while (*s == '[' && s[1] >= '1' && s[1] <= '9') {
		char *close;
		uint64_t n = strtoull(s + 1, &close, 10);

		if (*close != ']' || n > UINT32_MAX || all > UINT32_MAX)
			break;
		all *= n;
		s = close + 1;
	}
	*end = s;
	return all;
}

static const struct run_field *field_named(const struct run_type *type, const char *name, size_t len)
{
	for (size_t i = 0; i < type->n_fields; i++)
		if (!strncmp(type->fields[i].name, name, len) && !type->fields[i].name[len])
			return &type->fields[i];
	return NULL;
}

/* Index @linear of the array whose dimensions stand at @s, one by one; brackets without a number are none. */
static bool add_indices(struct run_field_place *out, const char *s, uint64_t linear)
{
	uint64_t all, n;
	const char *end;

	for (all = dimensions(s, &end); s < end; s = strchr(s, ']') + 1) {
		n = strtoull(s + 1, NULL, 10);
		all /= n;
		if (out->n_index == RUN_INDICES)
			return false;
		out->index[out->n_index++] = linear / all;
		linear %= all;
	}
	return true;
}

/* Go into the element of array @f that holds byte *@at, which is then as in the first. */
static bool enter(const struct run_field *f, const char *brackets, uint64_t *at, struct run_field_place *out)
{
	const char *end;
	uint64_t n = dimensions(brackets, &end), unit = f->bytes / n, i;
	bool open = end == brackets; /* "[]": without a bound */

	if (!unit || *at < f->offset || (*at - f->offset >= f->bytes && !open))
		return false;
	i = (*at - f->offset) / unit;
	if (open && out->n_index < RUN_INDICES)
		out->index[out->n_index++] = i;
	else if (i >= n || !add_indices(out, brackets, i))
		return false;
	out->bytes = unit;
	out->offset += i * unit;
	*at -= i * unit;
	return true;
}

/* Is byte @at in @f, or where an element of the arrays round it has @f? */
static bool holds(const struct run_type *type, const struct run_field *f, uint64_t at,
		  struct run_field_place *out)
{
	const char *s = f->name, *end;

	*out = (struct run_field_place){.field = f};
	while ((s = strchr(s, '['))) {
		const struct run_field *array = f;

		dimensions(s, &end);
		end += end == s && s[1] == ']' ? 2 : 0;
		if (end == s) {
			s++;
			continue;
		}
		if (*end)
			array = field_named(type, f->name, (size_t)(end - f->name));
		if (!array || !enter(array, s, &at, out))
			return false;
		s = end;
		if (!*end)
			break;
	}
	if (!s || *s) {
		out->bytes = f->bytes;
		if (at < f->offset || at - f->offset >= f->bytes)
			return false;
	}
	out->offset += f->offset;
	return true;
}

/* "v[3].x[1]" -> "v[].x[]". */
static bool generic(const char *name, char *out, size_t size)
{
	size_t n = 0;

	for (; *name && n + 1 < size; name++) {
		out[n++] = *name;
		if (*name == '[')
			name += strspn(name + 1, "0123456789");
	}
	out[n] = '\0';
	return !*name;
}

/* How well @said, the field of some type inside or outside of this one, fits @name; 0: not. */
static unsigned fits(const char *name, const char *said)
{
	size_t n = strlen(name), k = said ? strlen(said) : 0;

	if (!k || !strcmp(said, "-"))
		return 0;
	if (!strcmp(name, said))
		return 2;
	if (n > k && name[n - k - 1] == '.' && !strcmp(name + n - k, said))
		return 1;
	return k > n && said[k - n - 1] == '.' && !strcmp(said + k - n, name);
}

int run_field_at(const struct run_type *type, uint64_t offset, uint64_t bytes, const char *said,
		 struct run_field_place *out)
{
	struct run_field_place p;
	unsigned best = 0;

	for (size_t i = 0; i < type->n_fields; i++) {
		unsigned score = 1;

		if (!holds(type, &type->fields[i], offset, &p) ||
		    !generic(p.field->name, p.name, sizeof(p.name)))
			continue;
		score += 8 * fits(p.name, said);
		score += bytes && p.offset == offset && p.bytes == bytes ? 4 : 0;
		score += bytes && offset + bytes <= p.offset + p.bytes ? 2 : 0;
		if (score < best || (score == best && p.bytes > out->bytes))
			continue;
		best = score;
		*out = p;
	}
	return best ? 0 : -ENOENT;
}

/* Length of @name without the brackets at its end. */
static size_t stem_len(const char *name)
{
	size_t n = strlen(name), open;

	while (n && name[n - 1] == ']') {
		for (open = n - 1; open && name[open] != '[';)
			open--;
		if (!open)
			break;
		n = open;
	}
	return n;
}

bool run_field_is(const struct run_field *field, const char *name)
{
	const char *f = field->name, *f_end = f + stem_len(f), *n_end = name + stem_len(name);

	for (; f < f_end && name < n_end && *f == *name; f++, name++)
		if (*f == '[') {
			f += strspn(f + 1, "0123456789");
			name += strspn(name + 1, "0123456789");
		}
	return f >= f_end && name >= n_end;
}

int run_field_name(const struct run_type *type, uint64_t offset, char *buf, size_t size)
{
	struct run_field_place p;
	size_t n = 0, index = 0;

	if (run_field_at(type, offset, 0, NULL, &p))
		return -ENOENT;
	for (const char *s = p.name; *s; s++) {
		int len = *s == '[' && index < p.n_index
				  ? snprintf(buf + n, size - n, "[%llu", (unsigned long long)p.index[index++])
				  : snprintf(buf + n, size - n, "%c", *s);

		if (len < 0 || (size_t)len >= size - n)
			return -ENAMETOOLONG;
		n += (size_t)len;
	}
	return 0;
}

double run_own_ticks(const struct rec_call *c, uint64_t total)
{
	double own = c->sum > c->child ? (double)(c->sum - c->child) : 0;

	return c->timed && total > c->timed ? own * (double)total / (double)c->timed : own;
}

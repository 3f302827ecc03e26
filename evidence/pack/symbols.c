/* SPDX-License-Identifier: MIT */
/* Where the generated functions are in what was built. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evidence/pack/parts.h"
#include "lib/inspect/elf.h"
#include "lib/search.h"

#define MAX_CALLERS 16 /* functions compiled into one another */

static int symbols_by_name(const void *x, const void *y)
{
	const struct evidence_symbol *a = x, *b = y;
	int order = strcmp(a->name, b->name);

	return order ? order : (a->address > b->address) - (a->address < b->address);
}

/* "address size type name" a line, see lib/inspect/elf.h; only names of the generated code are kept. */
static void pack_symbols_parse(const struct evidence *p, struct evidence_object *o, char *text)
{
	for (char *save, *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		struct evidence_symbol s = {0};
		int at = 0;

		if (sscanf(line, "%" SCNx64 " %" SCNx64 " %c %n", &s.address, &s.size, &s.type, &at) < 3 ||
		    !at)
			continue;
		if (strncmp(line + at, "perseus_", 8) && !outline_find(&p->outline, line + at))
			continue;
		s.name = mem_strdup(line + at);
		vec_push(&o->symbols, s);
	}
	if (o->symbols.n)
		qsort(o->symbols.at, o->symbols.n, sizeof(*o->symbols.at), symbols_by_name);
}

char *evidence_stored_name(const char *what, size_t number, const char *path)
{
	const char *slash = strrchr(path, '/');
	struct strbuf out = STRBUF_INIT;

	strbuf_printf(&out, "inputs/%s", what);
	if (number)
		strbuf_printf(&out, "-%zu", number);
	strbuf_puts(&out, "-");
	for (const char *s = slash ? slash + 1 : path; *s && out.len < 120; s++) {
		bool safe = strchr("._+-", *s) || (*s >= '0' && *s <= '9') || (*s >= 'a' && *s <= 'z') ||
			    (*s >= 'A' && *s <= 'Z');

		strbuf_add(&out, safe ? s : "_", 1);
	}
	return strbuf_detach(&out);
}

static int one(struct evidence *p, const struct evidence_source *in, size_t number, struct err *err)
{
	struct evidence_object o = {.given = in->path, .is_binary = !number};
	struct strbuf text = STRBUF_INIT;
	int ret = elf_symbols(in->path, &text, err);

	if (!ret && text.len)
		pack_symbols_parse(p, &o, text.s);
	strbuf_release(&text);
	if (!ret && o.is_binary && !o.symbols.n) {
		ret = err_set(err, -EINVAL, "'%s' holds no symbol of the generated code", in->path);
		err_advise(err, "link it with the generated objects, and do not strip it");
	}
	o.name = evidence_stored_name(number ? "object" : "binary", number, in->path);
	vec_push(&p->objects, o);
	return ret;
}

int symbols_read(struct evidence *p, struct err *err)
{
	int ret = p->in->binary.path ? one(p, &p->in->binary, 0, err) : 0;

	for (size_t i = 0; !ret && i < p->in->n_objects; i++)
		ret = one(p, &p->in->objects[i], i + 1, err);
	return ret;
}

/* The first symbol that is not below @name: it, or its copy "NAME.constprop.0". */
static const struct evidence_symbol *symbols_find(const struct evidence_object *o, const char *name)
{
	size_t low, n = strlen(name);

	low = search_first(o->symbols.n, i, strcmp(o->symbols.at[i].name, name) < 0);
	if (low < o->symbols.n && !strncmp(o->symbols.at[low].name, name, n) &&
	    strchr(".", o->symbols.at[low].name[n]))
		return &o->symbols.at[low];
	return NULL;
}

bool object_symbol(const struct evidence_object *o, const char *name, uint64_t *address, uint64_t *size)
{
	const struct evidence_symbol *s = symbols_find(o, name);

	if (s) {
		*address = s->address;
		*size = s->size;
	}
	return s != NULL;
}

/* Platform files are objects of their own; the others are compiled as one. */
static bool is_of_platform(const struct outline_function *f)
{
	return strstr(f->file, "perseus_platform_") != NULL;
}

/*
 * A function without a symbol was compiled into those of its object that use it: the
 * first of them that has one.
 */
static const struct evidence_symbol *holder(const struct evidence *p, const struct evidence_object *o,
					    uint32_t function, int depth)
{
	const struct outline_functions *f = &p->outline.functions;
	const struct evidence_symbol *s = symbols_find(o, f->at[function].name);

	for (uint32_t i = 0; !s && depth < MAX_CALLERS && i < f->n; i++)
		for (size_t k = 0; !s && k < f->at[i].uses.n; k++)
			if (f->at[i].uses.at[k].function == function &&
			    is_of_platform(&f->at[i]) == is_of_platform(&f->at[function]))
				s = holder(p, o, i, depth + 1);
	return s;
}

bool object_address(const struct evidence *p, const struct evidence_object *o, uint32_t item,
		    uint64_t *address, const char **symbol)
{
	const struct evidence_item *it = &p->items.at[item];
	const struct outline_function *f = outline_find(&p->outline, it->function);
	const struct evidence_symbol *s =
		f ? holder(p, o, (uint32_t)(f - p->outline.functions.at), 0) : symbols_find(o, it->function);

	if (!s || it->kind == ITEM_LAYOUT)
		return false;
	*symbol = s->name;
	*address = s->address;
	/* A row of the table of threads. */
	if (!f && it->kind == ITEM_THREAD && p->in->plan->n_threads)
		*address += s->size / p->in->plan->n_threads * it->index;
	return true;
}

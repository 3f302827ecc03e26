/* SPDX-License-Identifier: MIT */
#include "verify/objects/closure.h"

#include <stdlib.h>
#include <string.h>

#include "verify/start/startup.h"

static char **closure_add(char **list, size_t *n, const char *name)
{
	size_t size = strlen(name) + 1;

	list = need_more(list, *n, sizeof(*list));
	list[*n] = need(size, 1);
	memcpy(list[(*n)++], name, size);
	return list;
}

void closure_read(struct closure *c, const struct image *e)
{
	size_t table = image_find(e, SHT_SYMTAB, 0), n;
	struct image_symbol s;

	n = table < e->n_sections ? image_symbols(e, table) : 0;
	for (size_t i = 1; i < n; i++)
		if (image_symbol(e, table, i, &s) && s.section != SHN_UNDEF && s.bind != STB_LOCAL)
			c->has = closure_add(c->has, &c->n_has, s.name);
}

void closure_want(struct closure *c, const char *name)
{
	for (size_t i = 0; i < c->n_want; i++)
		if (!strcmp(c->want[i], name))
			return;
	c->want = closure_add(c->want, &c->n_want, name);
}

void closure_join(struct closure *c, const struct closure *more)
{
	for (size_t i = 0; i < more->n_has; i++)
		c->has = closure_add(c->has, &c->n_has, more->has[i]);
	for (size_t i = 0; i < more->n_want; i++)
		closure_want(c, more->want[i]);
}

static int closure_by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* What linkers and the toolchain's own objects define. */
static bool is_linkers(const char *name)
{
	static const char *const known[] = {"_GLOBAL_OFFSET_TABLE_",
					    "_DYNAMIC",
					    "__dso_handle",
					    "__TMC_END__",
					    "__ehdr_start",
					    "__executable_start",
					    "_end",
					    "end",
					    "_edata",
					    "edata",
					    "_etext",
					    "etext",
					    "__bss_start",
					    "__real_pthread_create",
					    "__stack_chk_fail_local",
					    "__rela_iplt_start",
					    "__rela_iplt_end",
					    "__preinit_array_start",
					    "__preinit_array_end",
					    "__init_array_start",
					    "__init_array_end",
					    "__fini_array_start",
					    "__fini_array_end"};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (!strcmp(name, known[i]))
			return true;
	return !strncmp(name, "__start_", 8) || !strncmp(name, "__stop_", 7) || startup_has(name);
}

void closure_check(struct closure *c, struct findings *notes)
{
	if (c->n_has)
		qsort(c->has, c->n_has, sizeof(*c->has), closure_by_name);
	for (size_t i = 0; i < c->n_want; i++)
		if (!is_linkers(c->want[i]) &&
		    !(c->n_has && bsearch(&c->want[i], c->has, c->n_has, sizeof(*c->has), closure_by_name)))
			findings_add(notes,
				     "whose %s the objects use: none of them defines it, no library either",
				     c->want[i]);
}

static void objects_closure_release(char **list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(list[i]);
	free(list);
}

void closure_release(struct closure *c)
{
	objects_closure_release(c->has, c->n_has);
	objects_closure_release(c->want, c->n_want);
	*c = (struct closure){0};
}

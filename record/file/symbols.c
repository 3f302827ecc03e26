/* SPDX-License-Identifier: MIT */
/* Symbol listings: `address size type name`, hexadecimal, hexadecimal, nm's letter. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "record/file/file.h"

/* A hexadecimal number of 1 to 16 digits and the blank behind it. */
static int hex_word(char **s, uint64_t *out)
{
	char *p = *s;

	*out = 0;
	for (; (*p >= '0' && *p <= '9') || (*p >= 'a' && *p <= 'f'); p++) {
		if (p - *s == 16)
			return -EINVAL;
		*out = *out << 4 | (uint64_t)(*p <= '9' ? *p - '0' : *p - 'a' + 10);
	}
	if (p == *s || *p != ' ')
		return -EINVAL;
	*s = p + 1;
	return 0;
}

static int symbol_line(char *s, struct run_symbol *sym)
{
	if (hex_word(&s, &sym->address) || hex_word(&s, &sym->bytes) || !s[0] || s[1] != ' ' || !s[2])
		return -EINVAL;
	sym->type = s[0];
	sym->name = s + 2;
	return 0;
}

/* Of several names of one address the global, shorter one comes last: lookups take the last. */
static int by_address(const void *a, const void *b)
{
	const struct run_symbol *x = a, *y = b;
	bool gx = x->type >= 'A' && x->type <= 'Z', gy = y->type >= 'A' && y->type <= 'Z';

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	if (gx != gy)
		return gx - gy;
	return -strcmp(x->name, y->name);
}

static int by_name(const void *a, const void *b)
{
	return strcmp((*(const struct run_symbol *const *)a)->name,
		      (*(const struct run_symbol *const *)b)->name);
}

static void index_functions(struct run_module *m)
{
	m->functions = mem_new(m->n_symbols + 1, sizeof(*m->functions));
	for (size_t i = 0; i < m->n_symbols; i++)
		if (strchr("TtWwi", m->symbols[i].type))
			m->functions[m->n_functions++] = &m->symbols[i];
	qsort(m->functions, m->n_functions, sizeof(*m->functions), by_name);
}

int symbols_parse(struct run_module *m, const char *text, size_t len, const char *name, struct err *err)
{
	struct VEC(struct run_symbol) v = VEC_INIT;
	size_t line = 0;
	char *next;

	m->symbol_text = mem_strndup(text, len);
	for (char *s = m->symbol_text; *s; s = next) {
		struct run_symbol sym;
		char *nl = strchr(s, '\n');

		line++;
		next = nl ? nl + 1 : s + strlen(s);
		if (nl)
			*nl = '\0';
		if (symbol_line(s, &sym)) {
			vec_release(&v);
			return err_set(err, -EINVAL,
				       "%s: symbol table line %zu is '%.60s', expected `address size type "
				       "name`",
				       name, line, s);
		}
		vec_push(&v, sym);
	}
	if (v.n)
		qsort(v.at, v.n, sizeof(*v.at), by_address);
	m->symbols = v.at;
	m->n_symbols = v.n;
	index_functions(m);
	return 0;
}

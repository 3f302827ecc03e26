/* SPDX-License-Identifier: MIT */
/* Which units include a header. */
#include <stdlib.h>
#include <string.h>

#include "codegen/graft/tree.h"
#include "lib/fs.h"
#include "lib/mem.h"
#include "lib/vec.h"

struct words VEC(char *);

/* The last name of what `#include` line @text of @len bytes names; NULL: it is another line. */
static char *included(const char *text, size_t len)
{
	const char *end = text + len, *close = NULL, *from;

	text++;
	while (text < end && (*text == ' ' || *text == '\t'))
		text++;
	if (end - text < 7 || strncmp(text, "include", 7))
		return NULL;
	for (from = text; from < end && *from != '"' && *from != '<'; from++)
		;
	for (const char *p = from + 1; p < end && !close; p++)
		close = *p == '"' || *p == '>' ? p : NULL;
	if (!close)
		return NULL;
	for (const char *p = from + 1; p < close; p++)
		if (*p == '/')
			from = p;
	return mem_strndup(from + 1, (size_t)(close - from - 1));
}

static void read_includes(struct graft_tree *t, const char *name, struct words *out)
{
	struct graft_file *f = graft_tree_file(t, name);

	for (size_t i = 0; f && i < f->src.n; i++) {
		const struct token *k = &f->src.at[i];
		char *word = k->kind == TOKEN_DIRECTIVE ? included(f->src.text + k->at, k->len) : NULL;

		if (word)
			vec_push(out, word);
	}
}

static bool names(const struct words *w, const char *base)
{
	for (size_t i = 0; i < w->n; i++)
		if (!strcmp(w->at[i], base))
			return true;
	return false;
}

/* Mark what includes @header, and what includes that. */
static void reach(const struct graft_tree *t, const struct words *of, const char *header, bool *reached)
{
	struct {
		const char **at;
		size_t n, cap;
	} pending = VEC_INIT;

	vec_push(&pending, fs_base_name(header));
	for (size_t k = 0; k < pending.n; k++)
		for (size_t i = 0; i < t->tree.n; i++) {
			if (reached[i] || !strcmp(t->tree.names[i], header) || !names(&of[i], pending.at[k]))
				continue;
			reached[i] = true;
			vec_push(&pending, fs_base_name(t->tree.names[i]));
		}
	vec_release(&pending);
}

size_t graft_tree_units(struct graft_tree *t, const struct graft_file *f)
{
	struct words *of = mem_new(t->tree.n + 1, sizeof(*of));
	bool *reached = mem_new(t->tree.n + 1, sizeof(*reached));
	size_t units = 0;

	for (size_t i = 0; i < t->tree.n; i++)
		read_includes(t, t->tree.names[i], &of[i]);
	reach(t, of, f->name, reached);
	for (size_t i = 0; i < t->tree.n; i++) {
		units += reached[i] && graft_is_unit(t->tree.names[i]);
		for (size_t k = 0; k < of[i].n; k++)
			free(of[i].at[k]);
		vec_release(&of[i]);
	}
	free(of);
	free(reached);
	return units;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading guard files: perseus-guard(5). */
#include "gcc-plugin/base/gcc-common.h"
#include "gcc-plugin/base/text.h"
#include "gcc-plugin/guard/guard.h"
extern "C" {
#include "lib/hash.h"
}

#define FIELDS   1024 /* of a line, at most */
#define USES_MAX 4096 /* of an item */

struct guard_item *guard_items;
unsigned guard_n;

struct reader {
	const char *path;
	unsigned line;
	char *field[FIELDS];
	unsigned n;
};

static bool bad(const struct reader *r, const char *what)
{
	error("perseus: %qs line %u: %s; %<perseus conflicts --guard%> writes it", r->path, r->line, what);
	return false;
}

/* Cut the line at single blanks, and undo what is escaped. */
static bool cut(struct reader *r, char *at)
{
	for (r->n = 0; at; r->n++) {
		if (r->n == FIELDS)
			return bad(r, "too many fields");
		r->field[r->n] = at;
		at = strchr(at, ' ');
		if (at)
			*at++ = 0;
		if (!*r->field[r->n])
			return bad(r, "empty field: fields are separated by one blank");
		if (!text_undo_percent(r->field[r->n]))
			return bad(r, "'%' must be followed by two hex digits");
		/* They stand in messages. */
		for (char *s = r->field[r->n]; *s; s++)
			if ((unsigned char)*s < ' ' || *s == 0x7f)
				*s = '?';
	}
	return true;
}

/* BYTES EVIDENCE at field @at. */
static bool read_bytes(const struct reader *r, struct guard_item *it, unsigned at)
{
	const char *s = r->field[at];
	size_t n = strlen(s);

	it->evidence = r->field[at + 1];
	if (!n || n > 4 || strspn(s, "0123456789") != n)
		return bad(r, "BYTES must be a number");
	it->bytes = strtoul(s, NULL, 10);
	if (it->bytes < 16 || it->bytes > 4096 || (it->bytes & (it->bytes - 1)))
		return bad(r, "BYTES must be a power of two from 16 to 4096");
	return true;
}

static bool read_item(const struct reader *r)
{
	static const struct {
		const char *word;
		unsigned n;
		enum guard_kind kind;
	} heads[] = {
		{"members", 4, GUARD_MEMBERS},
		{"elements", 4, GUARD_ELEMENTS},
		{"variables", 3, GUARD_VARIABLES},
		{"array", 5, GUARD_ARRAY},
	};

	if (!strcmp(r->field[0], "ignore") && r->n == 2)
		return true;
	for (unsigned i = 0; i < ARRAY_SIZE(heads); i++) {
		struct guard_item it;

		if (strcmp(r->field[0], heads[i].word) || r->n != heads[i].n)
			continue;
		memset(&it, 0, sizeof(it));
		it.kind = heads[i].kind;
		it.name = it.kind == GUARD_VARIABLES ? NULL : r->field[1];
		it.file = it.kind == GUARD_ARRAY ? r->field[2] : NULL;
		if (!read_bytes(r, &it, r->n - 2))
			return false;
		guard_items = XRESIZEVEC(struct guard_item, guard_items, guard_n + 1);
		guard_items[guard_n++] = it;
		return true;
	}
	return bad(r,
		   "expected `members TYPE BYTES EVIDENCE', `elements TYPE BYTES EVIDENCE', `variables BYTES "
		   "EVIDENCE', `array NAME FILE BYTES EVIDENCE', `ignore EVIDENCE', `writes WHO NAME...' or "
		   "`reads WHO NAME...'");
}

static bool read_uses(const struct reader *r, bool written)
{
	struct guard_item *it = guard_n ? &guard_items[guard_n - 1] : NULL;

	if (!it || it->kind == GUARD_ARRAY || r->n < 3)
		return bad(r, "`writes WHO NAME...' and `reads WHO NAME...' stand below members, elements or "
			      "variables");
	for (unsigned i = 2; i < r->n; i++) {
		struct guard_use u = {r->field[1], r->field[i], NULL, written};
		char *file = it->kind == GUARD_VARIABLES ? strrchr(r->field[i], '@') : NULL;

		if (it->kind == GUARD_VARIABLES && !file)
			return bad(r, "expected NAME@FILE");
		if (file) {
			*file = 0;
			u.file = file + 1;
		}
		if (it->n_uses == USES_MAX)
			return bad(r, "more than 4096 members or variables of one finding");
		it->use = XRESIZEVEC(struct guard_use, it->use, it->n_uses + 1);
		it->use[it->n_uses++] = u;
	}
	return true;
}

static bool guard_line(struct reader *r)
{
	if (!strcmp(r->field[0], "writes") || !strcmp(r->field[0], "reads"))
		return read_uses(r, r->field[0][0] == 'w');
	return read_item(r);
}

static bool read_lines(struct reader *r, char *at)
{
	if (!*at) {
		error("perseus: guard file %qs is empty", r->path);
		return false;
	}
	while (*at) {
		char *end = strchr(at, '\n');

		r->line++;
		if (!end)
			return bad(r, "line without newline: the file was cut");
		*end = 0;
		if (r->line == 1 && strcmp(at, "perseus-guard 1"))
			return bad(r, strchr(at, '\r') ? "it ends with a carriage return"
						       : "expected `perseus-guard 1'");
		if (r->line > 1 && *at && *at != '#' && (!cut(r, at) || !guard_line(r)))
			return false;
		at = end + 1;
	}
	return true;
}

bool guard_read(const char *path, const char *hash)
{
	static struct reader r;
	char is[SHA256_HEX];
	const char *why;
	size_t size;
	char *text = text_read(path, &size, &why);

	if (!text) {
		error("perseus: cannot read guard file %qs: %s", path, why);
		return false;
	}
	r.path = path;
	sha256_of(text, size, is);
	if (hash && strcmp(hash, is)) {
		error("perseus: %qs has the SHA-256 %s, %<guard-hash%> asks for %s: ask for the flags again",
		      path, is, hash);
		return false;
	}
	if (strlen(text) != size) {
		error("perseus: %qs is no guard file: it holds a NUL", path);
		return false;
	}
	return read_lines(&r, text);
}

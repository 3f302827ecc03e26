/* SPDX-License-Identifier: MIT */
/* Files of declarations: a compiler runs in many folders, and is told of one header in many ways. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verify/elf/lines.h"
#include "verify/layouts/dwarf.h"

#define FILE_PRICE 20000u /* entries that finding a file counts for */

/* Take "." and ".." out of @path, which begins at the root. */
static void straighten(char *path)
{
	char *to = path;

	for (const char *s = path; *s;) {
		size_t n;

		s += strspn(s, "/");
		n = strcspn(s, "/");
		if (n == 2 && !strncmp(s, "..", 2)) {
			while (to > path && *--to != '/')
				;
		} else if (n && !(n == 1 && *s == '.')) {
			*to++ = '/';
			memmove(to, s, n);
			to += n;
		}
		s += n;
	}
	*to = 0;
}

/* "@a/@b", @b alone without @a or if it begins at the root; to be freed. */
static char *files_join(const char *a, const char *b)
{
	size_t size = (a ? strlen(a) : 0) + strlen(b) + 2;
	char *path = need(size, 1);

	snprintf(path, size, "%s%s%s", a && *b != '/' ? a : "", a && *a && *b != '/' ? "/" : "", b);
	return path;
}

static struct dwarf_file *read_file(struct dwarf_unit *u, uint64_t i)
{
	struct dwarf_file *file;
	struct line_file line;

	if (!lines_file(u->all->e, u->lines, i, &line))
		return NULL;
	file = need(1, sizeof(*file));
	file->typed = files_join(line.folder, line.name);
	if (*file->typed == '/' || line.root || u->folder)
		file->full = files_join(line.root ? line.root : u->folder, file->typed);
	if (file->full && *file->full == '/')
		straighten(file->full);
	file->last = strrchr(file->typed, '/') ? strrchr(file->typed, '/') + 1 : file->typed;
	return file;
}

const struct dwarf_file *dwarf_file(const struct die *die)
{
	struct dwarf_unit *u = die->unit;
	struct dwarf *d = u->all;
	uint64_t i = dwarf_number(die, AT_FILE);
	bool is_known = u->file[i % 8].known && u->file[i % 8].i == i;

	if (u->lines == UINT64_MAX || !dwarf_has(die, AT_FILE))
		return NULL;
	if (!is_known && d->left > FILE_PRICE) {
		struct dwarf_file *file = read_file(u, i);

		d->left -= FILE_PRICE;
		if (file) {
			d->file = need_more(d->file, d->n_files, sizeof(*d->file));
			d->file[d->n_files++] = file;
		}
		u->file[i % 8].file = file;
		u->file[i % 8].i = i;
		u->file[i % 8].known = is_known = true;
	}
	return is_known ? u->file[i % 8].file : NULL;
}

/* Behind the last "../", and "./" in front: what other folders see, too. */
static const char *from_common_folder(const char *path)
{
	const char *at = path;

	for (const char *s = path; *s; s++)
		if ((s == path || s[-1] == '/') && !strncmp(s, "../", 3))
			at = s + 3;
	while (!strncmp(at, "./", 2))
		at += 2;
	return at;
}

bool dwarf_same_path(const char *a, const char *b)
{
	size_t n, m;

	a = from_common_folder(a);
	b = from_common_folder(b);
	n = strlen(a);
	m = strlen(b);
	if (n > m)
		return dwarf_same_path(b, a);
	return n && !strcmp(a, b + m - n) && (n == m || *a == '/' || b[m - n - 1] == '/');
}

/* The last names of @path, from the root, are those of @written. */
static bool ends_with(const char *path, const char *written)
{
	size_t n = strlen(path), m = strlen(written);

	return m && n > m && !strcmp(path + n - m, written) && path[n - m - 1] == '/';
}

bool dwarf_is_file(const char *written, const struct dwarf_file *file)
{
	/* "t.h" of a unit that was compiled in b/ is b/t.h, and not what a plan calls a/t.h. */
	if (*written != '/' && file->full && *file->full == '/')
		return ends_with(file->full, from_common_folder(written));
	return dwarf_same_path(written, file->typed) || (file->full && dwarf_same_path(written, file->full));
}

bool dwarf_same_file(const struct dwarf_file *a, const struct dwarf_file *b)
{
	if (a->full && b->full)
		return !strcmp(a->full, b->full);
	return dwarf_same_path(a->full ? a->full : a->typed, b->full ? b->full : b->typed);
}

void dwarf_release_files(struct dwarf *d)
{
	for (size_t i = 0; i < d->n_files; i++) {
		free(d->file[i]->typed);
		free(d->file[i]->full);
		free(d->file[i]);
	}
	free(d->file);
}

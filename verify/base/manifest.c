/* SPDX-License-Identifier: MIT */
#include "verify/base/manifest.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "verify/base/sha256.h"

#define LIST_BYTES ((size_t)64 << 20)
#define FILE_BYTES ((size_t)4 << 30)
#define PATH_BYTES 4096

static int manifest_bad(const struct vmanifest *m, const char *path, struct fault *f, const char *what)
{
	return fault_set(f, "%s line %zu: %s", path, m->n + 1, what);
}

/* "\n", "\r" and "\\" of names that hold such characters, as sha256sum writes them. */
static bool unescape(char *s)
{
	char *to = s;

	for (; *s; s++) {
		if (*s != '\\') {
			*to++ = *s;
			continue;
		}
		s++;
		if (*s != 'n' && *s != 'r' && *s != '\\')
			return false;
		*to++ = *s == 'n' ? '\n' : *s == 'r' ? '\r' : '\\';
	}
	*to = '\0';
	return true;
}

/* One line, ended by NUL already. */
static int read_line(struct vmanifest *m, char *s, const char *path, struct fault *f)
{
	bool escaped = *s == '\\';

	s += escaped;
	if (strspn(s, "0123456789abcdef") != 64 || s[64] != ' ' || (s[65] != ' ' && s[65] != '*'))
		return manifest_bad(m, path, f, "expected 64 hexadecimal digits, two blanks and a path");
	if (!s[66] || (escaped && !unescape(s + 66)))
		return manifest_bad(m, path, f, "the path is empty, or has an unknown escape");
	s[64] = '\0';
	m->entry = need_more(m->entry, m->n, sizeof(*m->entry));
	m->entry[m->n] = (struct manifest_entry){s, s + 66, (uint32_t)m->n + 1};
	m->n++;
	return 0;
}

int vmanifest_read(struct vmanifest *m, const char *path, struct fault *f)
{
	char *s, *end;

	*m = (struct vmanifest){0};
	if (input_read(&m->in, path, LIST_BYTES, f))
		return -1;
	vsha256(m->in.data, m->in.size, m->sha256);
	s = (char *)m->in.data;
	if (strlen(s) != m->in.size)
		return fault_set(f, "%s holds a zero byte", path);
	for (; *s; s = end + 1) {
		end = strchr(s, '\n');
		if (!end)
			return manifest_bad(m, path, f, "the last line has no end");
		*end = '\0';
		if (read_line(m, s, path, f))
			return -1;
	}
	return m->n ? 0 : fault_set(f, "%s lists no file", path);
}

/* The place of @name below @folder of @n characters, if there is something. */
static bool manifest_is_there(char *out, const char *folder, size_t n, const char *name)
{
	struct stat st;
	int length = *name == '/' ? snprintf(out, PATH_BYTES, "%s", name)
				  : snprintf(out, PATH_BYTES, "%.*s%s%s", (int)n, folder, n ? "/" : "", name);

	return length > 0 && length < PATH_BYTES && !stat(out, &st);
}

static bool manifest_find(char *out, const char *list, char *const *root, int n_roots, const char *name)
{
	const char *slash = strrchr(list, '/');

	if (manifest_is_there(out, list, slash == list ? 1 : slash ? (size_t)(slash - list) : 0, name))
		return true;
	for (int i = 0; i < n_roots; i++)
		if (manifest_is_there(out, root[i], strlen(root[i]), name))
			return true;
	return false;
}

static void manifest_check_entry(struct vmanifest *m, const struct manifest_entry *e, const char *place,
				 struct findings *list)
{
	struct input in;
	struct fault f;
	char hash[65];

	if (input_read(&in, place, FILE_BYTES, &f)) {
		findings_add(list, "manifest line %u: %s", e->line, f.text);
		return;
	}
	vsha256(in.data, in.size, hash);
	input_release(&in);
	if (strcmp(hash, e->hash))
		findings_add(list, "manifest line %u: '%s' has sha256 %.16s.., listed %.16s..", e->line,
			     e->path, hash, e->hash);
	else
		m->equal++;
}

static int by_path(const void *a, const void *b)
{
	const struct manifest_entry *x = a, *y = b;
	int order = strcmp(x->path, y->path);

	return order ? order : x->line < y->line ? -1 : x->line > y->line;
}

bool vmanifest_lists(const struct vmanifest *m, const char *hash)
{
	for (size_t i = 0; i < m->n; i++)
		if (!strcmp(m->entry[i].hash, hash))
			return true;
	return false;
}

void vmanifest_check(struct vmanifest *m, const char *path, char *const *root, int n_roots,
		     const struct manifest_needed *needed, size_t n_needed, struct findings *list)
{
	char place[PATH_BYTES];

	qsort(m->entry, m->n, sizeof(*m->entry), by_path);
	for (size_t i = 0; i < m->n; i++) {
		const struct manifest_entry *e = &m->entry[i];

		if (i && !strcmp(e[-1].path, e->path))
			findings_add(list, "manifest line %u: '%s' is listed twice", e->line, e->path);
		if (manifest_find(place, path, root, n_roots, e->path))
			manifest_check_entry(m, e, place, list);
		else
			findings_add(list, "manifest line %u: '%s' is listed, but is not there", e->line,
				     e->path);
	}
	for (size_t i = 0; i < n_needed; i++)
		if (!vmanifest_lists(m, needed[i].hash))
			findings_add(list, "the manifest does not hold the %s (sha256 %.16s..)",
				     needed[i].what, needed[i].hash);
}

static bool is_named(const struct vmanifest *m, const char *name)
{
	for (size_t i = 0; i < m->n; i++) {
		const char *path = m->entry[i].path;

		if (!strcmp(!strncmp(path, "./", 2) ? path + 2 : path, name))
			return true;
	}
	return false;
}

/* Go through @folder, of which @inner is the part that the list sees; links are files. */
static void manifest_walk(const struct vmanifest *m, const char *folder, const char *inner, const char *own,
			  int depth, struct findings *list)
{
	struct dirent **entry;
	int n = scandir(folder, &entry, NULL, alphasort);

	for (int i = 0; i < n; i++) {
		const char *name = entry[i]->d_name;
		char path[PATH_BYTES], seen[PATH_BYTES];
		struct stat st;
		bool fits =
			snprintf(path, sizeof(path), "%s/%s", folder, name) < PATH_BYTES &&
			snprintf(seen, sizeof(seen), "%s%s%s", inner, *inner ? "/" : "", name) < PATH_BYTES;

		if (!strcmp(name, ".") || !strcmp(name, "..") || (!*inner && !strcmp(name, own)))
			;
		else if (fits && depth < 32 && !lstat(path, &st) && S_ISDIR(st.st_mode))
			manifest_walk(m, path, seen, own, depth + 1, list);
		else if (!fits || !is_named(m, seen))
			findings_add(list, "'%s' is not in the manifest", fits ? seen : name);
		free(entry[i]);
	}
	if (n >= 0)
		free(entry);
	else
		findings_add(list, "the folder '%s' of the manifest cannot be read", folder);
}

void vmanifest_check_folder(const struct vmanifest *m, const char *path, struct findings *list)
{
	const char *slash = strrchr(path, '/');
	char folder[PATH_BYTES] = ".";

	if (slash)
		snprintf(folder, sizeof(folder), "%.*s", (int)(slash - path + (slash == path)), path);
	manifest_walk(m, folder, "", slash ? slash + 1 : path, 0, list);
}

void vmanifest_release(struct vmanifest *m)
{
	free(m->entry);
	input_release(&m->in);
	*m = (struct vmanifest){0};
}

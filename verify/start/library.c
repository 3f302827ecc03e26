/* SPDX-License-Identifier: MIT */
#include "verify/start/library.h"

#include <stdlib.h>
#include <string.h>

struct library {
	const char *path;
	const char *name; /* by which programs ask for it */
	struct image image;
	struct needed needed;
};

static bool is_toolchain(const char *name)
{
	static const char *const known[] = {"libc.so.6",
					    "libm.so.6",
					    "libpthread.so.0",
					    "libdl.so.2",
					    "librt.so.1",
					    "libgcc_s.so.1",
					    "libstdc++.so.6",
					    "libgomp.so.1",
					    "libatomic.so.1",
					    "ld-linux-x86-64.so.2",
					    "libgfortran.so.5",
					    "libquadmath.so.0",
					    "libc.musl-x86_64.so.1"};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (!strcmp(name, known[i]))
			return true;
	return false;
}

/* The texts of .dynamic with @tag: the last one, and all of them in @out if that is not NULL. */
static const char *read_texts(const struct image *e, int64_t tag, struct needed *out)
{
	size_t i = image_find(e, SHT_DYNAMIC, 0), size = 0, n = 0, link;
	const uint8_t *data = i < e->n_sections ? image_bytes(e, i, &size) : NULL;
	const char *texts = NULL, *last = NULL;
	Elf64_Dyn d;

	link = data ? e->section[i].sh_link : e->n_sections;
	if (link < e->n_sections)
		texts = (const char *)image_bytes(e, link, &n);
	for (size_t at = 0; texts && n && !texts[n - 1] && at + sizeof(d) <= size; at += sizeof(d)) {
		memcpy(&d, data + at, sizeof(d));
		if (d.d_tag == DT_NULL)
			break;
		if (d.d_tag != tag || d.d_un.d_val >= n)
			continue;
		last = texts + d.d_un.d_val;
		if (out) {
			out->name = need_more(out->name, out->n, sizeof(*out->name));
			out->name[out->n++] = last;
		}
	}
	return last;
}

static int library_open(struct library *l, const char *path, struct fault *f)
{
	*l = (struct library){.path = path};
	if (image_open(&l->image, path, f))
		return -1;
	if (l->image.head.e_type != ET_DYN)
		return fault_set(f, "'%s' is not a shared library", path);
	l->name = read_texts(&l->image, DT_SONAME, NULL);
	if (!l->name)
		l->name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	read_texts(&l->image, DT_NEEDED, &l->needed);
	return 0;
}

static void library_release(struct library *l)
{
	dynamic_release(&l->needed);
	image_release(&l->image);
}

/* "memcmp@GLIBC_2.2.5" is memcmp. */
static bool is_imported(const struct names *imports, const char *name)
{
	for (size_t i = 0; i < imports->n; i++)
		if (symbols_same(imports->name[i], name))
			return true;
	return false;
}

static void check_symbols(const struct library *l, const struct names *imports, struct findings *list)
{
	size_t table = image_only(&l->image, SHT_DYNSYM), n;
	struct image_symbol s;

	n = table < l->image.n_sections ? image_symbols(&l->image, table) : 0;
	for (size_t i = 1; i < n; i++) {
		if (!image_symbol(&l->image, table, i, &s) || s.bind == STB_LOCAL)
			continue;
		if (s.section == SHN_UNDEF && !strncmp(s.name, "perseus_", 8))
			findings_add(list, "library %s uses %s of the program", l->name, s.name);
		if (s.section != SHN_UNDEF && is_imported(imports, s.name))
			findings_add(list, "library %s defines %s, which the generated code calls", l->name,
				     s.name);
	}
}

static bool is_given(const struct library *l, int n, const char *name)
{
	for (int i = 0; i < n; i++)
		if (!strcmp(l[i].name, name))
			return true;
	return false;
}

/* Libraries that are asked for, but were not looked at. */
static void name_missing(const struct needed *needed, const struct library *l, int n, struct names *out)
{
	for (size_t i = 0; i < needed->n; i++)
		if (!is_toolchain(needed->name[i]) && !is_given(l, n, needed->name[i]))
			names_add(out, needed->name[i]);
}

int library_check(char *const *paths, int n, const struct needed *needed, const struct names *imports,
		  struct findings *list, struct findings *notes, struct fault *f)
{
	struct library *l = need((size_t)n + 1, sizeof(*l));
	struct names missing = {0};
	int ret = 0, opened = 0;

	for (; opened < n && !ret; opened++)
		ret = library_open(&l[opened], paths[opened], f);
	for (int i = 0; i < n && !ret; i++)
		check_symbols(&l[i], imports, list);
	if (!ret)
		name_missing(needed, l, n, &missing);
	for (int i = 0; i < n && !ret; i++)
		name_missing(&l[i].needed, l, n, &missing);
	for (size_t i = 0; i < missing.n; i++)
		findings_add(
			notes,
			"that library %s leaves functions alone that the generated code calls (--libraries "
			"FILE looks at it)",
			missing.name[i]);
	for (int i = 0; i < opened; i++)
		library_release(&l[i]);
	names_release(&missing);
	free(l);
	return ret;
}

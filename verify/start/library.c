/* SPDX-License-Identifier: MIT */
#include "verify/start/library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verify/arch/reloc.h"

static bool is_toolchain(const char *name)
{
	static const char *const known[] = {"libc.so.6",        "libm.so.6",       "libpthread.so.0",
					    "libdl.so.2",       "librt.so.1",      "libgcc_s.so.1",
					    "libstdc++.so.6",   "libgomp.so.1",    "libatomic.so.1",
					    "libgfortran.so.5", "libquadmath.so.0"};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (!strcmp(name, known[i]))
			return true;
	for (size_t i = 0; reloc_libraries[i]; i++)
		if (!strcmp(name, reloc_libraries[i]))
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

static int library_open(struct libraries *ls, const char *path, struct fault *f)
{
	struct library *l;

	ls->l = need_more(ls->l, ls->n, sizeof(*ls->l));
	l = &ls->l[ls->n++];
	*l = (struct library){.path = need(strlen(path) + 1, 1)};
	memcpy(l->path, path, strlen(path));
	if (image_open(&l->image, l->path, f))
		return -1;
	if (l->image.head.e_type != ET_DYN)
		return fault_set(f, "'%s' is not a shared library", path);
	l->name = read_texts(&l->image, DT_SONAME, NULL);
	if (!l->name)
		l->name = strrchr(l->path, '/') ? strrchr(l->path, '/') + 1 : l->path;
	read_texts(&l->image, DT_NEEDED, &l->needed);
	return 0;
}

static void library_close(struct libraries *ls)
{
	struct library *l = &ls->l[--ls->n];

	dynamic_release(&l->needed);
	image_release(&l->image);
	free(l->path);
}

int libraries_open(struct libraries *l, char *const *paths, int n, struct fault *f)
{
	for (int i = 0; i < n; i++)
		if (library_open(l, paths[i], f))
			return -1;
	l->given = l->n;
	return 0;
}

void libraries_release(struct libraries *l)
{
	while (l->n)
		library_close(l);
	free(l->l);
	*l = (struct libraries){0};
}

static const struct library *library_named(const struct libraries *l, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(l->l[i].name, name))
			return &l->l[i];
	return NULL;
}

/* Open the library @name that lies in @folder, if one does. */
static void try_folder(struct libraries *l, const char *folder, const char *name)
{
	char path[256];
	struct fault f;

	if (strchr(name, '/') || library_named(l, l->n, name))
		return;
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	if (library_open(l, path, &f))
		library_close(l);
}

void libraries_find(struct libraries *l, const struct needed *needed)
{
	static const char *const folders[] = {"/lib64", "/usr/lib64", "/lib", "/usr/lib"};

	for (size_t i = 0; i < needed->n; i++) {
		for (size_t k = 0; reloc_folders[k]; k++)
			try_folder(l, reloc_folders[k], needed->name[i]);
		for (size_t k = 0; k < sizeof(folders) / sizeof(*folders); k++)
			try_folder(l, folders[k], needed->name[i]);
	}
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

/* Libraries that are asked for, but were not looked at. */
static void name_missing(const struct needed *needed, const struct libraries *l, struct names *out)
{
	for (size_t i = 0; i < needed->n; i++)
		if (!is_toolchain(needed->name[i]) && !library_named(l, l->given, needed->name[i]))
			names_add(out, needed->name[i]);
}

void libraries_unseen(const struct libraries *l, const struct needed *needed, struct names *out)
{
	name_missing(needed, l, out);
	for (size_t i = 0; i < l->given; i++)
		name_missing(&l->l[i].needed, l, out);
}

void libraries_check(const struct libraries *l, const struct needed *needed, const struct names *imports,
		     struct findings *list, struct findings *notes)
{
	struct names missing = {0};

	libraries_unseen(l, needed, &missing);
	for (size_t i = 0; i < l->given; i++)
		if (!is_toolchain(l->l[i].name))
			check_symbols(&l->l[i], imports, list);
	for (size_t i = 0; i < missing.n; i++)
		findings_add(
			notes,
			"that library %s leaves functions alone that the generated code calls (--libraries "
			"FILE looks at it)",
			missing.name[i]);
	names_release(&missing);
}

/* The version with @index among those that a library defines, or NULL. */
static const char *defined_version(const struct image *e, uint16_t index)
{
	size_t i = image_only(e, SHT_GNU_verdef), size = 0, at = 0;
	const uint8_t *data = i < e->n_sections ? image_bytes(e, i, &size) : NULL;
	Elf64_Verdef d = {.vd_next = 1};
	Elf64_Verdaux a;

	for (; data && d.vd_next && at <= size && size - at >= sizeof(d); at += d.vd_next) {
		memcpy(&d, data + at, sizeof(d));
		if (d.vd_ndx != index || size - at < sizeof(a) || d.vd_aux > size - at - sizeof(a))
			continue;
		memcpy(&a, data + at + d.vd_aux, sizeof(a));
		return image_text(e, i, a.vda_name);
	}
	return NULL;
}

/* Versions before the last are hidden from linkers. */
static bool has_version(const struct image *e, const char *name, const char **version)
{
	size_t table = image_only(e, SHT_DYNSYM), i = image_only(e, SHT_GNU_versym), size = 0;
	const uint8_t *data = i < e->n_sections ? image_bytes(e, i, &size) : NULL;
	struct image_symbol s;
	uint16_t index = VER_NDX_GLOBAL;

	for (size_t k = 1; table < e->n_sections && image_symbol(e, table, k, &s); k++) {
		if (s.section == SHN_UNDEF || s.bind == STB_LOCAL || strcmp(s.name, name) != 0)
			continue;
		if (data && k < size / 2)
			memcpy(&index, data + 2 * k, 2);
		if (index & 0x8000)
			continue;
		*version = index > VER_NDX_GLOBAL ? defined_version(e, index) : NULL;
		return true;
	}
	return false;
}

bool libraries_version(const struct libraries *l, const struct needed *needed, const char *name,
		       const char **version)
{
	for (size_t i = 0; i < needed->n; i++) {
		const struct library *k = library_named(l, l->n, needed->name[i]);

		if (k && has_version(&k->image, name, version))
			return true;
	}
	return false;
}

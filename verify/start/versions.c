/* SPDX-License-Identifier: MIT */
#include "verify/start/versions.h"

#include <stdlib.h>
#include <string.h>

#include "verify/elf/loader.h"
#include "verify/start/target.h"

#define VERSIONS_MAX 1024

struct version {
	uint16_t number;
	const char *name;
};

struct table {
	const struct image *e;
	const struct symbols *s;
	struct image_symbol *wanted; /* symbols of others in .symtab, by name */
	size_t n_wanted;
	struct version version[VERSIONS_MAX];
	size_t n, files;
	struct findings *list;
};

static uint32_t versions_hash_of(const char *name)
{
	uint32_t h = 0;

	for (; *name; name++) {
		h = (h << 4) + (uint8_t)*name;
		h ^= h >> 24 & 0xf0;
		h &= 0x0fffffff;
	}
	return h;
}

static bool is_needed(const struct needed *needed, const char *name)
{
	for (size_t i = 0; name && i < needed->n; i++)
		if (!strcmp(needed->name[i], name))
			return true;
	return false;
}

/* The versions of one library; false if they are damaged. */
static bool read_library(struct table *t, size_t section, const uint8_t *data, size_t size, size_t at,
			 const Elf64_Verneed *need_)
{
	Elf64_Vernaux a;

	at += need_->vn_aux;
	for (unsigned i = 0; i < need_->vn_cnt; i++, at += a.vna_next) {
		const char *name;

		if (at > size || size - at < sizeof(a) || t->n == VERSIONS_MAX)
			return false;
		memcpy(&a, data + at, sizeof(a));
		name = image_text(t->e, section, a.vna_name);
		if (!name || a.vna_hash != versions_hash_of(name) || a.vna_flags & ~VER_FLG_WEAK ||
		    a.vna_other < 2 || !a.vna_next != (i + 1 == need_->vn_cnt))
			return false;
		t->version[t->n++] = (struct version){a.vna_other, name};
	}
	return need_->vn_cnt;
}

static bool read_versions(struct table *t, const struct needed *needed)
{
	size_t i = image_only(t->e, SHT_GNU_verneed), size = 0, at = 0;
	const uint8_t *data = i < t->e->n_sections ? image_bytes(t->e, i, &size) : NULL;
	Elf64_Verneed n;

	for (bool more = data; more; more = n.vn_next, at += n.vn_next) {
		if (at > size || size - at < sizeof(n))
			return false;
		memcpy(&n, data + at, sizeof(n));
		if (n.vn_version != 1 || !is_needed(needed, image_text(t->e, i, n.vn_file)) ||
		    !read_library(t, i, data, size, at, &n))
			return false;
		t->files++;
	}
	return !data || t->files == t->e->section[i].sh_info;
}

static int versions_by_name(const void *a, const void *b)
{
	return strcmp(((const struct image_symbol *)a)->name, ((const struct image_symbol *)b)->name);
}

static void read_wanted(struct table *t)
{
	size_t table = image_find(t->e, SHT_SYMTAB, 0), n;
	struct image_symbol s;

	n = table < t->e->n_sections ? image_symbols(t->e, table) : 0;
	for (size_t i = 1; i < n; i++) {
		if (!image_symbol(t->e, table, i, &s) || s.section != SHN_UNDEF || !s.name[0])
			continue;
		t->wanted = need_more(t->wanted, t->n_wanted, sizeof(s));
		t->wanted[t->n_wanted++] = s;
	}
	if (t->n_wanted)
		qsort(t->wanted, t->n_wanted, sizeof(*t->wanted), versions_by_name);
}

/* The symbol table's entry for a symbol of others: "open@GLIBC_2.2.5", or "open". */
static const struct image_symbol *find_wanted(const struct table *t, const char *name)
{
	size_t low = 0, high = t->n_wanted;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (strcmp(t->wanted[mid].name, name) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	for (size_t n = strlen(name); low < t->n_wanted && !strncmp(t->wanted[low].name, name, n); low++)
		if (!t->wanted[low].name[n] || t->wanted[low].name[n] == '@')
			return &t->wanted[low];
	return NULL;
}

/* The same for one of its own; a variable that was copied out of a library carries its version, too. */
static const struct image_symbol *find_own(const struct table *t, const struct image_symbol *d)
{
	for (size_t i = symbols_at(t->s, d->address);
	     i < t->s->n_places && t->s->place[i].address == d->address; i++) {
		const struct image_symbol *s = &t->s->place[i];

		if (symbols_same(s->name, d->name) && s->type == d->type && s->bind == d->bind &&
		    s->size == d->size && s->section == d->section)
			return s;
	}
	return d->section >= SHN_LORESERVE ? d : NULL;
}

static const struct image_symbol *find_planned(const struct table *t, const struct image_symbol *d)
{
	return d->section == SHN_UNDEF ? find_wanted(t, d->name) : find_own(t, d);
}

static const char *version_of(const struct table *t, size_t number, uint16_t *out)
{
	size_t i = image_only(t->e, SHT_GNU_versym), size = 0;
	const uint8_t *data = i < t->e->n_sections ? image_bytes(t->e, i, &size) : NULL;

	*out = 1;
	if (data && number >= size / 2)
		*out = UINT16_MAX;
	else if (data)
		memcpy(out, data + 2 * number, 2);
	for (size_t k = 0; k < t->n; k++)
		if (t->version[k].number == *out)
			return t->version[k].name;
	return NULL;
}

/* What the symbol table says of it, or NULL; one linker alone writes it. */
static const char *planned_version(const struct image_symbol *s)
{
	const char *at = strchr(s->name, '@');

	return at ? at + strspn(at, "@") : NULL;
}

/* Libraries of the toolchain have a version for each of their functions; what the program defines may have one, too. */
static void check_version(const struct table *t, const struct image_symbol *d, const struct image_symbol *s,
			  size_t number, bool all)
{
	uint16_t index;
	const char *version = version_of(t, number, &index), *planned = planned_version(s);
	bool own = d->section != SHN_UNDEF;

	if (own && !version && strstr(s->name, "@@"))
		return;
	if (index >= 2 ? !version || (planned && strcmp(planned, version))
		       : planned || (all && !own && d->type == STT_FUNC))
		findings_add(t->list, "the loader looks for another version of %s than the program says",
			     d->name);
}

/* Where programs with fixed addresses have a library's function: at the PLT's entry for it, as some linkers tell the
 * loader alone. */
static bool is_entry_for(const struct table *t, const struct image_symbol *d)
{
	struct insn jump = {.flow = FLOW_JUMP, .target = d->address};
	struct target to = target_of(t->e, t->s, &jump);

	return to.known && to.import && !strcmp(to.import, d->name);
}

static void check_symbol(const struct table *t, const struct image_symbol *d, size_t number, bool all)
{
	const struct image_symbol *s = find_planned(t, d);

	if (!s || (d->section == SHN_UNDEF &&
		   (s->type != d->type || s->bind != d->bind || s->other != d->other || s->size != d->size ||
		    (s->address != d->address && (s->address || !is_entry_for(t, d))))))
		findings_add(t->list, "the loader's symbol %s is not the program's", d->name);
	else
		check_version(t, d, s, number, all);
}

/* Versions of functions whose arguments were others, or that did something else. */
static bool is_old(const char *name, const char *version)
{
	static const char *const old[][2] = {
		{"sched_setaffinity", "GLIBC_2.3.3"},      {"sched_getaffinity", "GLIBC_2.3.3"},
		{"pthread_setaffinity_np", "GLIBC_2.3.3"}, {"pthread_getaffinity_np", "GLIBC_2.3.3"},
		{"pthread_cond_wait", "GLIBC_2.2.5"},      {"pthread_cond_timedwait", "GLIBC_2.2.5"},
		{"pthread_cond_signal", "GLIBC_2.2.5"},    {"pthread_cond_broadcast", "GLIBC_2.2.5"},
		{"pthread_cond_init", "GLIBC_2.2.5"},      {"pthread_cond_destroy", "GLIBC_2.2.5"}};

	for (size_t i = 0; i < sizeof(old) / sizeof(*old); i++)
		if (!strcmp(old[i][0], name) && !strcmp(old[i][1], version))
			return true;
	return false;
}

void versions_check_used(const struct image *e, const struct needed *needed, const struct names *imports,
			 struct findings *list, struct findings *notes)
{
	struct table *t = need(1, sizeof(*t));
	size_t table = image_only(e, SHT_DYNSYM), n = table < e->n_sections ? image_symbols(e, table) : 0;
	struct image_symbol d;

	t->e = e;
	read_versions(t, needed);
	for (size_t i = 1; i < n && image_symbol(e, table, i, &d); i++) {
		uint16_t index;
		const char *version = version_of(t, i, &index);

		if (d.section != SHN_UNDEF || !version || !names_have(imports, d.name))
			continue;
		if (is_old(d.name, version))
			findings_add(list,
				     "the generated code calls %s of version %s, which is another function",
				     d.name, version);
		else if (strncmp(version, "GLIBC_", 6))
			findings_add(notes, "that %s of version %s is the C library's", d.name, version);
	}
	free(t);
}

void versions_check(const struct image *e, const struct symbols *s, const struct needed *needed,
		    struct findings *list)
{
	struct table *t = need(1, sizeof(*t));
	size_t table = image_only(e, SHT_DYNSYM), n = table < e->n_sections ? image_symbols(e, table) : 0;
	struct image_symbol d;

	t->e = e;
	t->s = s;
	t->list = list;
	read_wanted(t);
	if (n && !read_versions(t, needed))
		findings_add(list, "the loader's table of versions is damaged");
	for (size_t i = 1; i < n; i++) {
		if (!image_symbol(e, table, i, &d)) {
			findings_add(list, "the loader's symbol %zu is damaged", i);
			break;
		}
		if (d.type != STT_SECTION)
			check_symbol(t, &d, i, t->files == needed->n);
	}
	free(t->wanted);
	free(t);
}

/* Versions that the symbol table does not tell: of these, the first one that is not what a linker binds today. */
struct unsaid {
	size_t n;
	const char *name, *version;
};

/* Where one version is said, what has none is said to have none. */
static bool says_versions(const struct table *t)
{
	for (size_t i = 0; i < t->n_wanted; i++)
		if (planned_version(&t->wanted[i]))
			return true;
	return false;
}

/* A copied variable is a library's, too. */
static bool is_others(const struct image *e, const struct image_symbol *d)
{
	const struct store *copy = d->section != SHN_UNDEF ? loader_at(e, d->address) : NULL;

	return d->section == SHN_UNDEF || (copy && copy->type == RELOC_COPY);
}

static void check_bound(const struct table *t, size_t number, const struct image_symbol *d, bool said,
			const struct needed *needed, struct libraries *l, struct unsaid *out)
{
	const struct image_symbol *s = find_planned(t, d);
	const char *bound = NULL, *version;
	uint16_t index;

	version = version_of(t, number, &index);
	if (!s || planned_version(s) || (!version && (said || !is_others(t->e, d))))
		return;
	if (l->n == l->given)
		libraries_find(l, needed);
	libraries_version(l, needed, d->name, &bound);
	if (version == bound || (version && bound && !strcmp(version, bound)) || out->n++)
		return;
	out->name = d->name;
	out->version = version;
}

void versions_check_bound(const struct image *e, const struct symbols *s, const struct needed *needed,
			  struct libraries *l, struct findings *notes)
{
	struct table *t = need(1, sizeof(*t));
	size_t table = image_only(e, SHT_DYNSYM), n = table < e->n_sections ? image_symbols(e, table) : 0;
	struct unsaid u = {0};
	struct image_symbol d;
	bool said;

	t->e = e;
	t->s = s;
	read_wanted(t);
	read_versions(t, needed);
	said = says_versions(t);
	for (size_t i = 1; i < n && image_symbol(e, table, i, &d); i++)
		if (d.type != STT_SECTION)
			check_bound(t, i, &d, said, needed, l, &u);
	if (u.n)
		findings_add(notes,
			     "that the versions of %zu names of libraries are those meant: the linker does "
			     "not say it, "
			     "and %s of %s is not the default of a library that was found (--libraries FILE)",
			     u.n, u.name, u.version ? u.version : "no version");
	free(t->wanted);
	free(t);
}

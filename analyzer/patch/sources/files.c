/* SPDX-License-Identifier: MIT */
/* Finding sources again. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analyzer/patch/sources/sources.h"
#include "lib/fs.h"
#include "lib/mem.h"
#include "lib/shown.h"

/* "c11", "c17", "c2x"; "c++98" is an older one. */
static bool since_2011(const char *language)
{
	static const char *const old[] = {"-", "c89", "c90", "c99", "c++98", "c++03"};

	for (size_t i = 0; i < sizeof(old) / sizeof(old[0]); i++)
		if (!strcmp(language, old[i]))
			return false;
	return true;
}

static void look_at_unit(struct patch *p, const struct sites_unit *u)
{
	bool cxx = !strncmp(u->language, "c++", 3) || source_is_cxx(u->source),
	     old = !since_2011(u->language);

	p->cxx |= cxx;
	p->c |= !cxx;
	p->old_cxx |= cxx && old;
	p->old_c |= !cxx && old;
}

int patch_start(struct patch *p, const struct run *run, const char *root, struct err *err)
{
	int ret;

	*p = (struct patch){.run = run};
	ret = tree_open(&p->tree, root, err);
	if (ret) {
		err_prefix(err, "--source");
		return ret;
	}
	for (size_t m = 0; m < run->n_modules; m++)
		for (size_t u = 0; u < run->modules[m].sites.n_units; u++)
			look_at_unit(p, &run->modules[m].sites.units[u]);
	return 0;
}

void patch_release(struct patch *p)
{
	for (size_t i = 0; i < p->n_files; i++) {
		source_release(&p->files[i]->src);
		edits_release(&p->files[i]->edits);
		free(p->files[i]->name);
		free(p->files[i]);
	}
	free(p->files);
	for (size_t i = 0; p->texts && i < p->tree.n; i++)
		strbuf_release(&p->texts[i].text);
	free(p->texts);
	tree_release(&p->tree);
	*p = (struct patch){0};
}

static bool modified(const char *folder, const char *name, struct timespec *when)
{
	struct strbuf path = STRBUF_INIT;
	struct stat st;
	bool known;

	strbuf_printf(&path, "%s/%s", folder, name);
	known = !stat(path.s, &st);
	strbuf_release(&path);
	if (known)
		*when = st.st_mtim;
	return known;
}

static bool is_later(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec : a->tv_nsec > b->tv_nsec;
}

const char *patch_changed_since(const struct patch *p)
{
	struct timespec run, source;

	if (!p->run->path || !modified(p->run->path, "manifest.yaml", &run))
		return NULL;
	for (size_t i = 0; i < p->n_files; i++)
		if (modified(p->tree.root, p->files[i]->name, &source) && is_later(&source, &run))
			return p->files[i]->name;
	return NULL;
}

/* Can a unified diff name it as it is, and does it name nothing else? */
static bool is_plain(const char *name)
{
	size_t n;

	for (const char *s = name; *s; s += n)
		if (shown_not(shown_char(s, &n)) || *s == '"' || *s == '\\')
			return false;
	return *name && *name != '/' && strncmp(name, "../", 3) && !strstr(name, "/../");
}

/* The file @name below the root, opened once. */
static struct patch_file *open_below(struct patch *p, const char *name)
{
	char *real = tree_real(&p->tree, name);
	struct patch_file *f;

	if (!real)
		return NULL;
	name = tree_name(&p->tree, real);
	if (!is_plain(name)) {
		free(real);
		return NULL;
	}
	for (size_t i = 0; i < p->n_files; i++)
		if (!strcmp(p->files[i]->name, name)) {
			free(real);
			return p->files[i];
		}
	f = mem_new(1, sizeof(*f));
	if (source_read(&f->src, real, NULL)) {
		tree_note_unread(&p->tree, name);
		free(f);
		free(real);
		return NULL;
	}
	f->name = mem_strdup(name);
	free(real);
	p->files = mem_resize(p->files, p->n_files + 1, sizeof(*p->files));
	return p->files[p->n_files++] = f;
}

static void read_text(struct patch *p, struct patch_text *t, const char *name)
{
	char *real = tree_real(&p->tree, name);

	t->read = true;
	if (!real || fs_read(real, SOURCE_MAX, &t->text, NULL)) {
		strbuf_release(&t->text);
		tree_note_unread(&p->tree, name);
	}
	free(real);
}

struct patch_file *patch_open_tree(struct patch *p, size_t i, const char *word)
{
	struct patch_text *t;

	if (!p->texts)
		p->texts = mem_new(p->tree.n + 1, sizeof(*p->texts));
	t = &p->texts[i];
	if (!t->read)
		read_text(p, t, p->tree.names[i]);
	if (!t->text.len || !memmem(t->text.s, t->text.len, word, strlen(word)))
		return NULL;
	if (!t->file)
		t->file = open_below(p, p->tree.names[i]);
	return t->file;
}

static struct patch_file *open_by_name(struct patch *p, const char *base)
{
	const char *found = NULL;

	tree_list(&p->tree);
	for (size_t i = 0; i < p->tree.n; i++) {
		if (strcmp(fs_base_name(p->tree.names[i]), base))
			continue;
		if (found)
			return NULL;
		found = p->tree.names[i];
	}
	return found && !p->tree.cut ? open_below(p, found) : NULL;
}

struct patch_file *patch_open(struct patch *p, const char *path)
{
	size_t root = strlen(p->tree.root);
	struct patch_file *f = NULL;

	if (!path || !strcmp(path, "-"))
		return NULL;
	if (!strncmp(path, p->tree.root, root) && path[root] == '/')
		return open_below(p, path + root + 1);
	for (const char *rest = path; rest && *rest && !f; rest = strchr(rest, '/')) {
		rest += strspn(rest, "/");
		f = open_below(p, rest);
	}
	return f ? f : open_by_name(p, fs_base_name(path));
}

static bool is_c(const struct patch_file *f)
{
	size_t len = strlen(f->name);

	return len > 2 && !strcmp(f->name + len - 2, ".c");
}

bool patch_cxx(const struct patch *p, const struct patch_file *f)
{
	return f->src.cxx || (!is_c(f) && p->cxx);
}

enum dialect patch_dialect(const struct patch *p, const struct patch_file *f)
{
	bool cxx = patch_cxx(p, f), c = !f->src.cxx && (is_c(f) || p->c);

	if ((c && (cxx || p->old_c)) || (cxx && p->old_cxx))
		return DIALECT_ANY;
	return cxx ? DIALECT_CXX : DIALECT_C;
}

const char *patch_align(enum dialect d)
{
	static const char *const names[] = {"_Alignas(64)", "alignas(64)", "__attribute__((aligned(64)))"};

	return names[d];
}

char *patch_assertion(enum dialect d, const char *condition, const char *name)
{
	struct strbuf sb = STRBUF_INIT;

	if (d == DIALECT_ANY) {
		strbuf_puts(&sb, "typedef char perseus_keeps_");
		for (; *name; name++)
			if (strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", *name))
				strbuf_add(&sb, name, 1);
		strbuf_printf(&sb, "[(%s) ? 1 : -1] __attribute__((unused));", condition);
	} else {
		strbuf_printf(&sb, "%s(%s, \"threads would share a cache line\");",
			      d == DIALECT_C ? "_Static_assert" : "static_assert", condition);
	}
	return strbuf_detach(&sb);
}

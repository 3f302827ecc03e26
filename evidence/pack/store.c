/* SPDX-License-Identifier: MIT */
/* The pack on disk: a folder that appears as a whole, with the hashes of all that is in it. */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "evidence/pack/parts.h"
#include "lib/fs.h"

#define FILE_BYTES ((size_t)1 << 30)

static const char manifest[] = "manifest.sha256";

/* ---- manifests ---- */

static void manifest_csv(const struct evidence *p, struct strbuf *out)
{
	char hex[SHA256_HEX];

	strbuf_puts(out, "path,role,given as,bytes,sha256\n");
	for (size_t i = 0; i < p->files.n; i++) {
		const struct evidence_file *f = &p->files.at[i];

		sha256_of(f->text.s, f->text.len, hex);
		csv_put(out, f->path);
		csv_put(out, f->role);
		csv_put(out, f->given ? f->given : "");
		strbuf_printf(out, "%zu,%s\n", f->text.len, hex);
	}
}

static void manifest_line(struct strbuf *out, const char *path, const struct strbuf *text)
{
	char hex[SHA256_HEX];

	sha256_of(text->s, text->len, hex);
	strbuf_printf(out, "%s  %s\n", hex, path);
}

/* Sorted like p->files, with manifest.csv in its place. */
static void manifest_sha256(const struct evidence *p, const struct strbuf *csv, struct strbuf *out)
{
	static const char name[] = "manifest.csv";
	bool done = false;

	for (size_t i = 0; i < p->files.n; i++) {
		if (!done && strcmp(name, p->files.at[i].path) < 0) {
			manifest_line(out, name, csv);
			done = true;
		}
		manifest_line(out, p->files.at[i].path, &p->files.at[i].text);
	}
	if (!done)
		manifest_line(out, name, csv);
}

/* ---- what is there already ---- */

struct old_pack {
	struct match_list known; /* "HASH  PATH" lines of its manifest */
	const char *dir;
	struct err *err;
};

static int foreign(struct old_pack *o, const char *what, const char *how)
{
	err_set(o->err, -ENOTEMPTY, "'%s' holds '%s', which %s", o->dir, what, how);
	return err_advise(o->err, "give a folder that does not exist, or move what was added or filled in");
}

/* The file @path of the folder is as the manifest says. */
static int check_file(struct old_pack *o, const char *path)
{
	struct strbuf full = STRBUF_INIT, text = STRBUF_INIT, line = STRBUF_INIT;
	bool same = false, known = false;
	int ret;

	strbuf_printf(&full, "%s/%s", o->dir, path);
	ret = fs_read(full.s, FILE_BYTES, &text, o->err);
	if (!ret)
		manifest_line(&line, path, &text);
	for (size_t i = 0; !ret && i < o->known.n; i++) {
		const char *k = o->known.at[i].key;

		known |= strlen(k) > 66 && !strcmp(k + 66, path);
		same |= !strncmp(k, line.s, line.len - 1) && !k[line.len - 1];
	}
	if (!ret && strcmp(path, manifest) && !same)
		ret = foreign(o, path,
			      known ? "was changed since the pack was written"
				    : "is no file of an evidence pack");
	strbuf_release(&full);
	strbuf_release(&text);
	strbuf_release(&line);
	return ret;
}

static int check_folder(struct old_pack *o, const char *below, int depth);

static int pack_store_check_entry(struct old_pack *o, const char *below, const char *name, int depth)
{
	struct strbuf path = STRBUF_INIT, full = STRBUF_INIT;
	struct stat st;
	int ret;

	strbuf_printf(&path, "%s%s%s", below, *below ? "/" : "", name);
	strbuf_printf(&full, "%s/%s", o->dir, path.s);
	if (lstat(full.s, &st))
		ret = err_set(o->err, -errno, "cannot look at '%s': %s", full.s, strerror(errno));
	else if (S_ISDIR(st.st_mode) && depth < 2)
		ret = check_folder(o, path.s, depth + 1);
	else if (S_ISREG(st.st_mode))
		ret = check_file(o, path.s);
	else
		ret = foreign(o, path.s, "is no file of an evidence pack");
	strbuf_release(&path);
	strbuf_release(&full);
	return ret;
}

static int check_folder(struct old_pack *o, const char *below, int depth)
{
	struct strbuf full = STRBUF_INIT;
	struct fs_names names = VEC_INIT;
	int ret;

	strbuf_printf(&full, "%s/%s", o->dir, below);
	ret = fs_list(full.s, NULL, &names, o->err);
	for (size_t i = 0; i < names.n && !ret; i++)
		ret = pack_store_check_entry(o, below, names.at[i], depth);
	fs_names_release(&names);
	strbuf_release(&full);
	return ret;
}

static void read_manifest(struct old_pack *o)
{
	struct strbuf path = STRBUF_INIT, text = STRBUF_INIT;
	char *save, *line;

	strbuf_printf(&path, "%s/%s", o->dir, manifest);
	if (!fs_read(path.s, FILE_BYTES, &text, NULL))
		for (line = strtok_r(text.s, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
			match_add(&o->known, mem_strdup(line), 0);
	strbuf_release(&path);
	strbuf_release(&text);
}

/* Cut the last name off @path, with the slashes before it. */
static void pack_store_cut(struct strbuf *path)
{
	while (path->len > 1 && path->s[path->len - 1] == '/')
		path->len--;
	while (path->len && path->s[path->len - 1] != '/')
		path->len--;
	while (path->len > 1 && path->s[path->len - 1] == '/')
		path->len--;
	path->s[path->len] = '\0';
	if (!path->len)
		strbuf_puts(path, ".");
}

/* Rights say too little (a file system may refuse whoever asks): make a folder where the first will be made. */
static int try_folder(const char *dir, struct err *err)
{
	char *there = realpath(dir, NULL);
	struct strbuf path = STRBUF_INIT;
	struct stat st;
	int ret = 0;

	strbuf_puts(&path, there ? there : dir);
	free(there);
	do
		pack_store_cut(&path);
	while (stat(path.s, &st) && errno == ENOENT && strcmp(path.s, ".") && strcmp(path.s, "/"));
	strbuf_printf(&path, "/.perseus-evidence.%ld.tmp", (long)getpid());
	if (mkdir(path.s, 0700))
		ret = err_set(err, -errno, "cannot make folder '%s': %s", dir, strerror(errno));
	else
		rmdir(path.s);
	strbuf_release(&path);
	return ret;
}

int evidence_store_check(const char *dir, struct err *err)
{
	struct old_pack o = {.dir = dir, .err = err};
	struct stat st;
	int ret;

	if (stat(dir, &st) && errno != ENOENT)
		return err_set(err, -errno, "cannot look at '%s': %s", dir, strerror(errno));
	ret = try_folder(dir, err);
	if (ret || stat(dir, &st))
		return ret;
	if (!S_ISDIR(st.st_mode))
		return err_set(err, -ENOTDIR, "'%s' is not a directory", dir);
	read_manifest(&o);
	ret = check_folder(&o, "", 0);
	match_release(&o.known);
	return ret;
}

/* ---- writing ---- */

static int pack_store_put(const char *dir, const char *name, const struct strbuf *text, struct err *err)
{
	char path[PATH_MAX], *slash;
	int ret;

	if (snprintf(path, sizeof(path), "%s/%s", dir, name) >= (int)sizeof(path))
		return err_set(err, -ENAMETOOLONG, "cannot write into '%s': the name is too long", dir);
	slash = strrchr(path, '/');
	*slash = '\0';
	ret = fs_mkdirs(path, err);
	*slash = '/';
	return ret ? ret : fs_write(path, text->s, text->len, err);
}

static int write_all(const struct evidence *p, const char *dir, struct err *err)
{
	struct strbuf csv = STRBUF_INIT, sums = STRBUF_INIT;
	int ret = 0;

	manifest_csv(p, &csv);
	manifest_sha256(p, &csv, &sums);
	for (size_t i = 0; !ret && i < p->files.n; i++)
		ret = pack_store_put(dir, p->files.at[i].path, &p->files.at[i].text, err);
	if (!ret)
		ret = pack_store_put(dir, "manifest.csv", &csv, err);
	if (!ret)
		ret = pack_store_put(dir, manifest, &sums, err);
	strbuf_release(&csv);
	strbuf_release(&sums);
	return ret;
}

static int pack_store_remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st;
	(void)kind;
	(void)at;
	return remove(path);
}

static void remove_tree(const char *dir)
{
	nftw(dir, pack_store_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* The old pack, now under a name that nobody knows; what somebody has put into it meanwhile is kept, and said. */
static int remove_old(const char *old, struct err *err)
{
	struct old_pack o = {.dir = old, .err = err};
	int ret;

	read_manifest(&o);
	ret = check_folder(&o, "", 0);
	match_release(&o.known);
	if (ret)
		err_prefix(err, "the pack is written, and what was there is kept");
	else
		remove_tree(old);
	return ret;
}

/* Put @made in the place of @dir, which may be there; what was there is removed. */
static int swap(const char *made, const char *dir, struct err *err)
{
	struct strbuf aside = STRBUF_INIT;
	bool moved;
	int ret = 0;

	if (!renameat2(AT_FDCWD, made, AT_FDCWD, dir, RENAME_EXCHANGE))
		return remove_old(made, err);
	/* Nothing there, or a file system that cannot exchange. */
	strbuf_printf(&aside, "%s.old", made);
	moved = (errno == EINVAL || errno == ENOSYS) && !rename(dir, aside.s);
	if (rename(made, dir)) {
		ret = err_set(err, -errno, "cannot write '%s': %s", dir, strerror(errno));
		if (moved)
			rename(aside.s, dir);
		remove_tree(made);
	} else if (moved) {
		ret = remove_old(aside.s, err);
	}
	strbuf_release(&aside);
	return ret;
}

static int make_parent(const char *dir, struct err *err)
{
	char *copy = mem_strdup(dir), *slash = strrchr(copy, '/');
	int ret = 0;

	if (slash && slash != copy) {
		*slash = '\0';
		ret = fs_mkdirs(copy, err);
	}
	free(copy);
	return ret;
}

int evidence_store(const struct evidence *p, const char *dir, struct err *err)
{
	struct strbuf made = STRBUF_INIT;
	char *there = realpath(dir, NULL), *end = there ? there : mem_strdup(dir);
	size_t n = strlen(end);
	int ret = evidence_store_check(end, err);

	while (n > 1 && end[n - 1] == '/')
		end[--n] = '\0';
	strbuf_printf(&made, "%s.%ld.tmp", end, (long)getpid());
	if (!ret)
		ret = make_parent(end, err);
	if (!ret && mkdir(made.s, 0777))
		ret = err_set(err, -errno, "cannot make folder '%s': %s", made.s, strerror(errno));
	if (!ret) {
		ret = write_all(p, made.s, err);
		if (ret)
			remove_tree(made.s);
		else
			ret = swap(made.s, end, err);
	}
	strbuf_release(&made);
	free(end);
	return ret;
}

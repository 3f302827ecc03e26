/* SPDX-License-Identifier: MIT */
#include "recorder/rundir.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "lib/fs.h"
#include "lib/num.h"

#define LAST      RUNS_DIR "/last"
#define MIN_BYTES (16u << 20)

/* @name with everything that a shell or a YAML reader might trip over as '_'. */
static void safe_name(char *out, size_t size, const char *name)
{
	const char *base = strrchr(name, '/');
	size_t n = 0;

	for (base = base ? base + 1 : name; *base && n + 1 < size; base++)
		out[n++] = strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-", *base)
				   ? *base
				   : '_';
	out[n] = '\0';
	if (!n || out[0] == '.')
		out[0] = '_';
}

/* The highest N of the entries NAME-N in RUNS_DIR. */
static uint64_t highest(const char *name)
{
	size_t len = strlen(name);
	uint64_t best = 0, n;
	struct dirent *e;
	DIR *d = opendir(RUNS_DIR);

	if (!d)
		return 0;
	while ((e = readdir(d)) != NULL)
		if (!strncmp(e->d_name, name, len) && e->d_name[len] == '-' &&
		    !num_u64(e->d_name + len + 1, 1, UINT32_MAX, &n) && n > best)
			best = n;
	closedir(d);
	return best;
}

static int cannot_make(const char *path, struct err *err)
{
	int ret = err_set(err, -errno, "cannot create the run directory '%s': %s", path, strerror(errno));

	err_advise(err, "-o DIR puts the run somewhere else");
	return ret;
}

static int rundir_refuse(const char *path, const char *why, const char *advice, struct err *err)
{
	err_set(err, -EACCES, "the run directory '%s' is not used: %s", path, why);
	err_advise(err, "%s", advice);
	return -EACCES;
}

/*
 * Who can write the directory can put his own records in the place of ours,
 * and have files made, or replaced, where a link of his leads.
 */
static int check_ours(const char *path, struct err *err)
{
	struct stat st;
	char why[64];

	if (lstat(path, &st))
		return cannot_make(path, err);
	if (S_ISLNK(st.st_mode))
		return rundir_refuse(path, "it is a symbolic link", "-o DIR takes where it leads to", err);
	if (!S_ISDIR(st.st_mode))
		return rundir_refuse(path, "it is not a directory", "-o DIR puts the run somewhere else",
				     err);
	snprintf(why, sizeof(why), "it belongs to user %u, not to us", (unsigned)st.st_uid);
	if (st.st_uid != geteuid())
		return rundir_refuse(path, why, "-o DIR puts the run somewhere else", err);
	if (st.st_mode & (S_IWGRP | S_IWOTH))
		return rundir_refuse(path, "others can write there",
				     "chmod go-w takes that from them; -o DIR puts the run somewhere else",
				     err);
	return 0;
}

static int make_numbered(struct rundir *d, const char *program, struct err *err)
{
	char name[128];
	int ret;

	safe_name(name, sizeof(name), program);
	if (mkdir(RUNS_DIR, 0755) && errno != EEXIST)
		return cannot_make(RUNS_DIR, err);
	ret = check_ours(RUNS_DIR, err);
	if (ret)
		return ret;
	for (uint64_t n = highest(name) + 1;; n++) {
		snprintf(d->path, sizeof(d->path), RUNS_DIR "/%s-%llu", name, (unsigned long long)n);
		if (!mkdir(d->path, 0755))
			break;
		if (errno != EEXIST)
			return cannot_make(d->path, err);
	}
	d->created = true;
	return 0;
}

static bool is_empty(const char *path)
{
	struct dirent *e;
	bool empty = true;
	DIR *d = opendir(path);

	if (!d)
		return false;
	while ((e = readdir(d)) != NULL)
		if (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
			empty = false;
	closedir(d);
	return empty;
}

static int make_named(struct rundir *d, const char *want, struct err *err)
{
	char parent[PATH_MAX];
	char *slash;

	if (snprintf(d->path, sizeof(d->path), "%s", want) >= (int)sizeof(d->path))
		return err_set(err, -ENAMETOOLONG, "the name of the run directory is too long");
	strcpy(parent, d->path);
	slash = strrchr(parent, '/');
	if (slash && slash != parent) {
		int ret;

		*slash = '\0';
		ret = fs_mkdirs(parent, err);
		if (ret)
			return ret;
	}
	if (!mkdir(d->path, 0755)) {
		d->created = true;
		return 0;
	}
	if (errno != EEXIST)
		return cannot_make(d->path, err);
	if (is_empty(d->path) && !access(d->path, W_OK))
		return check_ours(d->path, err);
	err_set(err, -EEXIST, "'%s' is there already, and a run is not overwritten", d->path);
	return err_advise(err, "give another name, or remove it first");
}

static int check_space(const struct rundir *d, struct err *err)
{
	struct statvfs vfs;
	uint64_t left;

	if (statvfs(d->path, &vfs))
		return 0;
	left = (uint64_t)vfs.f_bavail * vfs.f_frsize;
	if (left >= MIN_BYTES)
		return 0;
	err_set(err, -ENOSPC, "only %llu kB are free in '%s', a run needs at least 16 MB",
		(unsigned long long)(left >> 10), d->path);
	return err_advise(err, "-o DIR puts the run on another disk");
}

static int replace_link(const char *tmp, const char *name, const char *to)
{
	int ret;

	unlink(tmp);
	if (symlink(to, tmp))
		return -errno;
	if (!rename(tmp, name))
		return 0;
	ret = -errno;
	unlink(tmp);
	return ret;
}

/*
 * Let the symbolic link @name point to @to, replacing it in one step.  What
 * is made in between lies in the run directory @dir, so that a recorder that
 * is killed leaves nothing outside; unless that is another file system.
 */
static int relink(const char *name, const char *to, const char *dir)
{
	char tmp[PATH_MAX + 16];
	int ret;

	snprintf(tmp, sizeof(tmp), "%s/last.tmp", dir);
	ret = replace_link(tmp, name, to);
	if (ret != -EXDEV)
		return ret;
	snprintf(tmp, sizeof(tmp), "%s.%ld.tmp", name, (long)getpid());
	return replace_link(tmp, name, to);
}

static void make_link(struct rundir_link *l, const char *suffix, const char *to, const char *dir)
{
	ssize_t n;

	snprintf(l->name, sizeof(l->name), LAST "%s%s", *suffix ? "-" : "", suffix);
	n = readlink(l->name, l->before, sizeof(l->before) - 1);
	l->before[n > 0 ? n : 0] = '\0';
	l->made = !relink(l->name, to, dir);
}

static void make_links(struct rundir *d, bool numbered, const char *purpose)
{
	const char *to = numbered ? strrchr(d->path, '/') + 1 : d->absolute;

	if (!numbered)
		mkdir(RUNS_DIR, 0755);
	if (check_ours(RUNS_DIR, NULL))
		return;
	make_link(&d->link[0], "", to, d->path);
	make_link(&d->link[1], purpose, to, d->path);
}

static void undo_link(struct rundir_link *l)
{
	if (l->made && l->before[0])
		relink(l->name, l->before, RUNS_DIR);
	else if (l->made)
		unlink(l->name);
}

int rundir_make(struct rundir *d, const char *want, const char *name, const char *purpose, struct err *err)
{
	int ret;

	memset(d, 0, sizeof(*d));
	ret = want ? make_named(d, want, err) : make_numbered(d, name, err);
	if (ret)
		return ret;
	if (!realpath(d->path, d->absolute)) {
		ret = cannot_make(d->path, err);
		rundir_remove(d);
		return ret;
	}
	ret = check_space(d, err);
	if (ret)
		rundir_remove(d);
	else
		make_links(d, !want, purpose);
	return ret;
}

static int rundir_remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	if (ftw->level)
		remove(path);
	return 0;
}

int rundir_save(const struct rundir *d, const struct manifest *m, struct err *err)
{
	char path[PATH_MAX + 16];

	snprintf(path, sizeof(path), "%s/manifest.yaml", d->absolute);
	return manifest_save(m, path, err);
}

void rundir_remove(struct rundir *d)
{
	nftw(d->path, rundir_remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
	if (d->created)
		rmdir(d->path);
	for (int i = 0; i < 2; i++)
		undo_link(&d->link[i]);
	rmdir(RUNS_DIR); /* if it is empty now, it was made for this run */
}

int rundir_link(const char *name, const char *to)
{
	char path[PATH_MAX];
	int ret = check_ours(RUNS_DIR, NULL);

	if (ret)
		return ret;
	if (snprintf(path, sizeof(path), RUNS_DIR "/%s", name) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	if (to)
		return relink(path, to, RUNS_DIR);
	return unlink(path) ? -errno : 0;
}

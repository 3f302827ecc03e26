/* SPDX-License-Identifier: MIT */
#include "recorder/stored.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fts.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/fs.h"
#include "lib/num.h"
#include "recorder/rundir.h"

#define LAST     "last"
#define MANIFEST "manifest.yaml"

static bool is_last(const char *name)
{
	size_t len = strlen(LAST);

	return !strncmp(name, LAST, len) && (!name[len] || name[len] == '-');
}

/* Do @visit for all that lies in the tree at @path, directories behind what is in them; never through a link. */
static int stored_walk(const char *path, int (*visit)(const FTSENT *, void *), void *to)
{
	char *roots[] = {(char *)path, NULL};
	FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_XDEV | FTS_NOCHDIR, NULL);
	int ret = tree ? 0 : -errno;
	FTSENT *e;

	while (tree && !ret && (e = fts_read(tree)) != NULL)
		ret = e->fts_info == FTS_D ? 0 : visit(e, to);
	if (tree)
		fts_close(tree);
	return ret;
}

static int add_size(const FTSENT *e, void *to)
{
	uint64_t *bytes = to;

	if (e->fts_info != FTS_NS && e->fts_info != FTS_DNR && e->fts_info != FTS_ERR)
		*bytes += (uint64_t)e->fts_statp->st_blocks * 512;
	return 0;
}

static void stored_fault(struct stored *s, int code, const char *path)
{
	if (err_is_fault(code) && !s->fault.code)
		err_set(&s->fault, code, "cannot read '%s': %s", path, strerror(-code));
}

/* A run is a directory, no link to one, with a manifest or a record. */
static bool is_run(struct stored *s, const char *path)
{
	bool found = false;
	struct dirent *e;
	struct stat st;
	DIR *d;

	if (lstat(path, &st)) {
		stored_fault(s, -errno, path);
		return false;
	}
	if (!S_ISDIR(st.st_mode))
		return false;
	d = opendir(path);
	if (!d)
		stored_fault(s, -errno, path);
	for (errno = 0; d && !found && (e = readdir(d)) != NULL; errno = 0) {
		size_t len = strlen(e->d_name);

		found = !strcmp(e->d_name, MANIFEST) || (len > 5 && (!strcmp(e->d_name + len - 5, ".prec") ||
								     !strcmp(e->d_name + len - 5, ".pden")));
	}
	if (d && !found)
		stored_fault(s, -errno, path);
	if (d)
		closedir(d);
	return found;
}

static void add_run(struct stored *s, const char *path, const char *name, bool elsewhere)
{
	struct err err = ERR_INIT;
	char manifest[PATH_MAX];
	struct stored_run *r;
	struct stat st;

	if (!is_run(s, path) ||
	    snprintf(manifest, sizeof(manifest), "%s/" MANIFEST, path) >= (int)sizeof(manifest))
		return;
	r = vec_add(&s->runs);
	r->name = mem_strdup(name);
	r->elsewhere = elsewhere;
	if (access(manifest, F_OK)) {
		stored_fault(s, -errno, manifest);
		r->why = mem_strdup(MANIFEST " is missing");
	} else if (manifest_load(&r->manifest, manifest, &err)) {
		stored_fault(s, err.code, manifest);
		r->why = mem_strdup(err.msg);
	}
	if (!stat(manifest, &st) || !stat(path, &st))
		r->recorded = st.st_mtime;
	stored_walk(path, add_size, &r->bytes);
}

static int newest_first(const void *a, const void *b)
{
	const struct stored_run *x = a, *y = b;

	if (x->elsewhere != y->elsewhere)
		return x->elsewhere - y->elsewhere;
	if (x->recorded != y->recorded)
		return x->recorded < y->recorded ? 1 : -1;
	return strcmp(x->name, y->name);
}

/* The name in the list of what the link @target leads to; a run elsewhere is added to the list. */
static const char *leads_to(struct stored *s, const char *target)
{
	char path[PATH_MAX], full[PATH_MAX];

	if (*target != '/' && (strchr(target, '/') ||
			       snprintf(path, sizeof(path), RUNS_DIR "/%s", target) >= (int)sizeof(path)))
		return NULL;
	for (int again = 0; again < 2; again++) {
		for (size_t i = 0; i < s->runs.n; i++)
			if (!strcmp(s->runs.at[i].name, target))
				return s->runs.at[i].name;
		if (*target != '/')
			return NULL;
		if (!realpath(target, full)) {
			stored_fault(s, -errno, target);
			return NULL;
		}
		add_run(s, target, target, true);
	}
	return NULL;
}

static void add_link(struct stored *s, const char *name)
{
	char path[PATH_MAX], target[PATH_MAX];
	struct stored_link *l;
	ssize_t n;

	snprintf(path, sizeof(path), RUNS_DIR "/%s", name);
	n = readlink(path, target, sizeof(target) - 1);
	if (n < 0)
		stored_fault(s, -errno, path);
	if (n <= 0)
		return;
	target[n] = '\0';
	l = vec_add(&s->links);
	l->name = mem_strdup(name);
	l->target = mem_strdup(target);
}

static int stored_by_name(const void *a, const void *b)
{
	return strcmp(((const struct stored_link *)a)->name, ((const struct stored_link *)b)->name);
}

int stored_list(struct stored *s, struct err *err)
{
	struct fs_names names = VEC_INIT;
	char path[PATH_MAX];
	int ret = fs_list(RUNS_DIR, NULL, &names, err);

	memset(s, 0, sizeof(*s));
	for (size_t i = 0; i < names.n && !ret; i++) {
		snprintf(path, sizeof(path), RUNS_DIR "/%s", names.at[i]);
		if (is_last(names.at[i]))
			add_link(s, names.at[i]);
		else
			add_run(s, path, names.at[i], false);
	}
	fs_names_release(&names);
	if (ret)
		return ret == -ENOENT ? 0 : ret;
	for (size_t i = 0; i < s->links.n; i++)
		leads_to(s, s->links.at[i].target);
	if (s->runs.n)
		qsort(s->runs.at, s->runs.n, sizeof(*s->runs.at), newest_first);
	if (s->links.n)
		qsort(s->links.at, s->links.n, sizeof(*s->links.at), stored_by_name);
	for (size_t i = 0; i < s->links.n; i++)
		s->links.at[i].run = leads_to(s, s->links.at[i].target);
	if (s->fault.code && err)
		*err = s->fault;
	return s->fault.code;
}

void stored_release(struct stored *s)
{
	for (size_t i = 0; i < s->runs.n; i++) {
		free(s->runs.at[i].name);
		free(s->runs.at[i].why);
		manifest_release(&s->runs.at[i].manifest);
	}
	for (size_t i = 0; i < s->links.n; i++) {
		free(s->links.at[i].name);
		free(s->links.at[i].target);
	}
	vec_release(&s->runs);
	vec_release(&s->links);
}

static const char *link_run(const struct stored *s, const char *name)
{
	for (size_t i = 0; i < s->links.n; i++)
		if (!strcmp(s->links.at[i].name, name))
			return s->links.at[i].run;
	return NULL;
}

const struct stored_run *stored_find(const struct stored *s, const char *word)
{
	const char *name = *word == '@' ? link_run(s, word + 1) : word;
	size_t len = strlen(RUNS_DIR "/");
	char bare[PATH_MAX];

	if (!name || strlen(name) >= sizeof(bare))
		return NULL;
	strcpy(bare, !strncmp(name, RUNS_DIR "/", len) ? name + len : name);
	for (size_t n = strlen(bare); n > 1 && bare[n - 1] == '/'; n--)
		bare[n - 1] = '\0';
	for (size_t i = 0; i < s->runs.n; i++)
		if (!strcmp(s->runs.at[i].name, bare))
			return &s->runs.at[i];
	return NULL;
}

/* True if a file below the directory @full stands in the table of what the process @pid has mapped. */
static bool maps_it(const char *pid, const char *full)
{
	size_t len = strlen(full);
	bool found = false;
	char path[64], *line = NULL;
	size_t size = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%.20s/maps", pid);
	f = fopen(path, "re");
	while (f && !found && getline(&line, &size, f) > 0) {
		const char *file = strchr(line, '/');

		found = file && !strncmp(file, full, len) && file[len] == '/';
	}
	free(line);
	if (f)
		fclose(f);
	return found;
}

/* A process that has a file of the run in its memory, 0: none that we may look at. */
static uint64_t user_of(const char *full)
{
	DIR *d = opendir("/proc");
	struct dirent *e;
	uint64_t pid = 0;

	while (d && !pid && (e = readdir(d)) != NULL)
		if (isdigit((unsigned char)e->d_name[0]) && maps_it(e->d_name, full))
			num_u64(e->d_name, 1, UINT32_MAX, &pid);
	if (d)
		closedir(d);
	return pid;
}

static int stored_remove_one(const FTSENT *e, void *to)
{
	(void)to;
	return remove(e->fts_accpath) ? -errno : 0;
}

int stored_delete(const struct stored_run *run, struct err *err)
{
	char path[PATH_MAX], full[PATH_MAX];
	struct stat st;
	uint64_t pid;
	int ret;

	if (run->elsewhere)
		return err_set(err, -EINVAL, "'%s' does not lie in " RUNS_DIR "/: remove it by hand",
			       run->name);
	snprintf(path, sizeof(path), RUNS_DIR "/%s", run->name);
	if (lstat(path, &st) || !realpath(path, full))
		return err_set(err, -errno, "cannot remove '%s': %s", path, strerror(errno));
	if (st.st_uid != geteuid())
		return err_set(err, -EACCES, "'%s' is not removed: it belongs to user %u, not to us", path,
			       (unsigned)st.st_uid);
	pid = user_of(full);
	if (pid)
		return err_set(err, -EBUSY, "'%s' is not removed: process %llu is being recorded there", path,
			       (unsigned long long)pid);
	ret = stored_walk(path, stored_remove_one, NULL);
	return ret ? err_set(err, ret, "cannot remove all of '%s': %s", path, strerror(-ret)) : 0;
}

static const char *newest(const struct stored *s, const char *link)
{
	const char *purpose = link[strlen(LAST)] ? link + strlen(LAST) + 1 : NULL;

	for (size_t i = 0; i < s->runs.n; i++) {
		const struct stored_run *r = &s->runs.at[i];

		if (!r->elsewhere &&
		    (!purpose || (r->manifest.purpose && !strcmp(r->manifest.purpose, purpose))))
			return r->name;
	}
	return NULL;
}

void stored_heal(const struct stored *s, struct strbuf *said)
{
	for (size_t i = 0; i < s->links.n; i++) {
		const struct stored_link *l = &s->links.at[i];
		const char *to = newest(s, l->name);

		if (l->run || rundir_link(l->name, to))
			continue;
		strbuf_printf(said, "@%s led to '%s', which is gone; ", l->name, l->target);
		if (to)
			strbuf_printf(said, "it is '%s' now\n", to);
		else
			strbuf_puts(said, "there is none now\n");
	}
}

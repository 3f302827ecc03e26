/* SPDX-License-Identifier: MIT */
#include "record/live/live.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/mem.h"
#include "record/live/parts.h"

void live_open(struct live *l, const char *dir)
{
	*l = (struct live){.looked_ns = 0};
	snprintf(l->dir, sizeof(l->dir), "%s", dir);
}

void live_close(struct live *l)
{
	for (size_t i = 0; i < l->files.n; i++)
		live_file_free(l->files.at[i]);
	vec_release(&l->files);
	vec_release(&l->threads);
}

static bool is_record(const char *name)
{
	size_t len = strlen(name);

	return len > 5 && !strcmp(name + len - 5, ".prec");
}

static bool is_watched(const struct live *l, const char *name)
{
	for (size_t i = 0; i < l->files.n; i++)
		if (!strcmp(live_file_name(l->files.at[i]), name))
			return true;
	return false;
}

static int live_files_order(const void *a, const void *b)
{
	return strcmp(live_file_name(*(struct live_file *const *)a),
		      live_file_name(*(struct live_file *const *)b));
}

/* Records of processes that came since the last look. */
static int find_files(struct live *l, struct err *err)
{
	DIR *dir = opendir(l->dir);
	struct dirent *e;
	size_t had = l->files.n;

	if (!dir)
		return err_set(err, -errno, "%s: %s", l->dir, strerror(errno));
	while ((e = readdir(dir))) {
		struct live_file *f = is_record(e->d_name) && !is_watched(l, e->d_name)
					      ? live_file_open(l->dir, e->d_name)
					      : NULL;

		if (f)
			vec_push(&l->files, f);
	}
	closedir(dir);
	if (l->files.n > had)
		qsort(l->files.at, l->files.n, sizeof(*l->files.at), live_files_order);
	return 0;
}

static bool is_over(const struct live *l, const struct live_file *f)
{
	for (size_t i = 0; i < l->files.n; i++)
		if (live_file_is_over(f, l->files.at[i]))
			return true;
	return false;
}

int live_look(struct live *l, struct err *err)
{
	struct timespec now;
	int ret = find_files(l, err);

	if (ret)
		return ret;
	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	l->looked_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	l->threads.n = 0;
	l->n_processes = l->n_ended = 0;
	l->sharing = l->in_bursts = l->counted = false;
	for (size_t i = 0; i < l->files.n; i++)
		if (!is_over(l, l->files.at[i]))
			live_file_look(l->files.at[i], l, l->looked_ns);
	return 0;
}

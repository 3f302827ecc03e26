/* SPDX-License-Identifier: MIT */
#include "record/file/folder.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_dir(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

/* Show where a link like `last` leads if it stays among the runs: that name is the run's own. */
static void follow_link(char *dir, size_t size)
{
	char target[NAME_MAX + 1];
	ssize_t n = readlink(dir, target, sizeof(target) - 1);

	if (n <= 0)
		return;
	target[n] = '\0';
	if (!strchr(target, '/'))
		snprintf(dir, size, RUNS_DIR "/%s", target);
}

int run_folder(const char *path, char *dir, size_t size, struct err *err)
{
	const char *name = *path == '@' ? path + 1 : path;

	if (*path != '@' && strlen(path) < size && is_dir(path)) {
		strcpy(dir, path);
		return 0;
	}
	if (*name && !strchr(name, '/') && strcmp(name, "..") &&
	    snprintf(dir, size, RUNS_DIR "/%s", name) < (int)size && is_dir(dir)) {
		follow_link(dir, size);
		return 0;
	}
	if (*path != '@' && !access(path, F_OK))
		return err_set(err, -ENOTDIR, "'%s' is a file, expected a run directory", path);
	err_set(err, -ENOENT, "there is no run '%s'", path);
	return err_advise(err, "perseus record PROGRAM makes one; runs lie in " RUNS_DIR "/");
}

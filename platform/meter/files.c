/* SPDX-License-Identifier: MIT */
/* Small files below a sysroot. */
#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/fs.h"
#include "platform/meter/parts.h"

static int by_version(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

void meter_glob(struct meter_paths *out, const char *sysroot, const char *pattern)
{
	char full[PATH_MAX];
	glob_t found;

	if (snprintf(full, sizeof(full), "%s%s", sysroot, pattern) >= (int)sizeof(full) ||
	    glob(full, 0, NULL, &found))
		return;
	for (size_t i = 0; i < found.gl_pathc; i++)
		vec_push(out, mem_strdup(found.gl_pathv[i] + strlen(sysroot)));
	globfree(&found);
	qsort(out->at, out->n, sizeof(*out->at), by_version);
}

void meter_glob_release(struct meter_paths *paths)
{
	for (size_t i = 0; i < paths->n; i++)
		free(paths->at[i]);
	vec_release(paths);
}

int meter_number(const char *sysroot, const char *path, double *out)
{
	char text[64], *end;
	int ret = fs_read_small(sysroot, path, text, sizeof(text));

	if (ret)
		return ret;
	if (!*text)
		return -ENODATA;
	*out = strtod(text, &end);
	return end == text || *end || !isfinite(*out) ? -EINVAL : 0;
}

const char *meter_why(int error)
{
	switch (error) {
	case ENODATA:
		return "is empty";
	case EINVAL:
		return "holds no number";
	case ESPIPE:
		return "is a pipe or a device, no file";
	case ENOENT:
		return "is not there";
	default:
		return strerror(error);
	}
}

bool meter_text(const char *sysroot, const char *path, const char *name, char *out, size_t size)
{
	char file[PATH_MAX];

	return snprintf(file, sizeof(file), "%s/%s", path, name) < (int)sizeof(file) &&
	       !fs_read_small(sysroot, file, out, size) && *out;
}

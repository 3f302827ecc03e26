/* SPDX-License-Identifier: MIT */
#include "lib/spawn/part.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int part_find(const char *what, char *path, size_t size, struct err *err)
{
	static const struct {
		const char *what, *file;
	} parts[] = {
		{"runtime", "libperseus-rt.so"},
		{"runtime-events", "libperseus-rt-events.so"},
		{"denormal", "libperseus-denormal.so"},
		{"trap", "libperseus-trap.so"},
		{"flush", "libperseus-flush.so"},
		{"trial", "libperseus-trial.so"},
		{"plugin", "perseus.so"},
		{"verify", "perseus-verify"},
		{"plan-check", "perseus-plan-check"},
		{"source-check", "perseus-source-check"},
		{"mpi", "perseus-mpi.so"},
	};
	static const char *const dirs[] = {"/../lib/perseus/", "/../libexec/perseus/", "/../lib/", "/"};
	char exe[PATH_MAX], full[PATH_MAX + 64];
	const char *file = what;
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

	if (n < 0)
		return err_set(err, -errno, "cannot read /proc/self/exe: %s", strerror(errno));
	exe[n] = '\0';
	*strrchr(exe, '/') = '\0';
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (!strcmp(parts[i].what, what))
			file = parts[i].file;
	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		snprintf(full, sizeof(full), "%s%s%s", exe, dirs[i], file);
		if (access(full, R_OK)) {
			if (errno == ENOENT || errno == ENOTDIR)
				continue;
			return err_set(err, -errno, "cannot read '%s': %s", full, strerror(errno));
		}
		if (!realpath(full, exe) || strlen(exe) >= size)
			return err_set(err, -ENAMETOOLONG, "the path of '%s' is too long", file);
		strcpy(path, exe);
		return 0;
	}
	return err_set(err, -ENOENT, "'%s' is not part of this installation (looked beside %s)", file, exe);
}

/* SPDX-License-Identifier: MIT */
#include "cmd/tune/build.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/fs.h"
#include "lib/spawn/child.h"
#include "lib/spawn/words.h"

static const char log_name[] = "perseus-build.log";

int builds_open(struct builds *b, const char *dir, struct err *err)
{
	char path[PATH_MAX];
	int ret = dir ? fs_mkdirs(dir, err) : fs_make_temporary(path, "perseus-builds", err);

	*b = (struct builds){.own = !dir};
	dir = dir ? dir : path;
	if (!ret && !realpath(dir, b->dir))
		ret = err_set(err, -errno, "'%s': %s", dir, strerror(errno));
	if (!ret && strlen(b->dir) > PATH_MAX - 128)
		ret = err_set(err, -ENAMETOOLONG, "the path of the builds is too long");
	return ret;
}

void builds_close(struct builds *b)
{
	if (b->own)
		fs_remove_all(b->dir);
	vec_release(&b->known);
	b->dir[0] = '\0';
}

static bool folder_name(void *arg, const char *name, size_t len, struct strbuf *out)
{
	if (len != 5 || strncmp(name, "build", len))
		return false;
	strbuf_puts(out, arg);
	return true;
}

/* By sh; what it says is in a file of the folder. */
static int run_command(const char *command, char *path, int *status, struct err *err)
{
	struct strbuf filled = STRBUF_INIT;
	char log[PATH_MAX + 32];
	char *const argv[] = {(char[]){"sh"}, (char[]){"-c"}, NULL, NULL}, **words = (char **)argv;
	struct child_spec spec = {.path = "/bin/sh", .argv = argv, .in = -1, .group = true};
	struct child_result r = {0};
	int ret;

	words_fill(command, folder_name, path, &filled);
	words[2] = filled.s;
	snprintf(log, sizeof(log), "%s/%s", path, log_name);
	spec.out = spec.error = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	ret = spec.out < 0 ? err_set(err, -errno, "cannot write '%s': %s", log, strerror(errno))
			   : child_run(&spec, &r, err);
	if (!ret && r.received)
		ret = err_set(err, -EINTR, "stopped by a signal");
	*status = child_exit_status(r.status);
	if (spec.out >= 0)
		close(spec.out);
	strbuf_release(&filled);
	return ret;
}

static const struct build *builds_find(const struct builds *b, const char *hex)
{
	for (size_t i = 0; i < b->known.n; i++)
		if (!strcmp(b->known.at[i].hex, hex))
			return &b->known.at[i];
	return NULL;
}

int builds_get(struct builds *b, const char *command, char path[PATH_MAX], bool *well, struct err *err)
{
	const struct build *known;
	struct build now;
	int ret, status = 0;

	sha256_of(command, strlen(command), now.hex);
	snprintf(path, PATH_MAX, "%.*s/%.24s", PATH_MAX - 32, b->dir, now.hex);
	known = builds_find(b, now.hex);
	if (known) {
		b->used++;
		*well = known->well;
		return 0;
	}
	ret = fs_mkdirs(path, err);
	if (!ret)
		ret = run_command(command, path, &status, err);
	if (ret)
		return ret;
	now.well = *well = !status;
	vec_push(&b->known, now);
	return 0;
}

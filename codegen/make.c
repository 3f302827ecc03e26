/* SPDX-License-Identifier: MIT */
#include "codegen/codegen.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "codegen/emit.h"
#include "codegen/graft/name.h"
#include "codegen/view/conflict.h"
#include "lib/fs.h"

const char *const codegen_backends[CODEGEN_BACKENDS + 1] = {
	[CODEGEN_LINUX] = "linux", [CODEGEN_POSIX] = "posix", [CODEGEN_STUB] = "stub"};

const char *const codegen_frequencies[CODEGEN_FREQUENCIES + 1] = {
	[CODEGEN_BY_PERSEUSD] = "perseusd", [CODEGEN_BY_DEVICE] = "device", [CODEGEN_BY_CPUFREQ] = "cpufreq"};

const char *codegen_file_name(enum codegen_backend backend, enum codegen_file file)
{
	static const char *const platform[CODEGEN_BACKENDS] = {
		[CODEGEN_LINUX] = "perseus_platform_linux.c",
		[CODEGEN_POSIX] = "perseus_platform_posix.c",
		[CODEGEN_STUB] = "perseus_platform_stub.c",
	};
	static const char *const names[CODEGEN_FILES] = {
		[CODEGEN_HEADER] = "perseus_triggers.h",   [CODEGEN_SOURCE] = "perseus_triggers.c",
		[CODEGEN_PLAN] = "perseus_triggers.plan",  [CODEGEN_MACHINE_H] = "perseus_machine.h",
		[CODEGEN_LAYOUTS] = "perseus_layouts.h",   [CODEGEN_STATUS_H] = "perseus_status.h",
		[CODEGEN_SUPPORT_H] = "perseus_support.h", [CODEGEN_PLATFORM_H] = "perseus_platform.h",
		[CODEGEN_MATRIX] = "perseus_matrix.csv",   [CODEGEN_TEST] = "perseus_triggers_test.c",
		[CODEGEN_GRAFT] = "perseus_graft.patch",
	};

	return file == CODEGEN_PLATFORM_C ? platform[backend] : names[file];
}

bool codegen_is_library(enum codegen_file file)
{
	return file >= CODEGEN_STATUS_H && file <= CODEGEN_PLATFORM_C;
}

/* An id is a hash of names: one that was left when they were changed, or the other way round. */
static void note_names(const struct plan *p, struct strbuf *notes)
{
	size_t n = 0, first = 0;

	for (size_t i = 0; i < p->n_sites; i++)
		if (!graft_names_fit(&p->sites[i]) && !n++)
			first = i;
	if (!n)
		return;
	strbuf_printf(notes, "site %zu: %s is not the id of a call of `", first, p->sites[first].id);
	graft_name_print(notes, p->sites[first].callee, 80);
	strbuf_puts(notes, "` in `");
	graft_name_print(notes, p->sites[first].function, 80);
	strbuf_puts(notes, "`");
	if (n > 1)
		strbuf_printf(notes, ", and so with %zu more", n - 1);
	strbuf_puts(notes, ": was the plan changed by hand? the plugin stops at such a call\n");
}

size_t codegen_settings(const struct plan *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n_threads; i++)
		n += p->threads[i].core != PLAN_NONE;
	for (size_t i = 0; i < p->n_triggers; i++)
		n += p->triggers[i].n_actions;
	return n + p->n_flushes + p->n_layouts;
}

int codegen_make(struct codegen_output *out, const struct codegen_input *in, struct err *err)
{
	struct view v;
	int ret = view_init(&v, in, err);

	*out = (struct codegen_output){.n_settings = ret ? 0 : codegen_settings(in->plan)};
	if (!ret && !out->n_settings) {
		ret = err_set(err, -ENODATA, "the plan sets nothing: nothing is generated");
		err_advise(err, "the program is left to the operating system: keep your build as it is");
	}
	if (!ret) {
		emit_header(&out->file[CODEGEN_HEADER], &v);
		emit_source(&out->file[CODEGEN_SOURCE], &v);
		emit_plan(&out->file[CODEGEN_PLAN], &v);
		emit_machine(&out->file[CODEGEN_MACHINE_H], &v);
		emit_layouts(&out->file[CODEGEN_LAYOUTS], &v);
		emit_status(&out->file[CODEGEN_STATUS_H], &v);
		emit_support(&out->file[CODEGEN_SUPPORT_H], &v);
		emit_platform_header(&out->file[CODEGEN_PLATFORM_H], &v);
		emit_platform_source(&out->file[CODEGEN_PLATFORM_C], &v);
		emit_matrix(&out->file[CODEGEN_MATRIX], &v);
		emit_test(&out->file[CODEGEN_TEST], &v);
		out->backend = in->backend;
		out->kind = v.kind;
		out->n_points = v.points.n;
		out->n_creates = v.creates.n;
		out->n_threads = in->plan->n_threads;
		note_names(in->plan, &out->notes);
		conflict_notes(in->plan, &out->notes);
	}
	view_release(&v);
	return ret;
}

/* Path of file @i below @dir; @kind is "part" of what is not finished, "old" of what was there, or NULL. */
static int codegen_make_path_of(char *path, const struct codegen_output *out, const char *dir, int i,
				const char *kind, struct err *err)
{
	char suffix[32] = "";

	if (kind)
		snprintf(suffix, sizeof(suffix), ".%ld.%s", (long)getpid(), kind);
	if (snprintf(path, PATH_MAX, "%s/%s%s", dir, codegen_file_name(out->backend, (enum codegen_file)i),
		     suffix) >= PATH_MAX)
		return err_set(err, -ENAMETOOLONG, "cannot write into '%.200s': the name is too long", dir);
	return 0;
}

/* Each file under the name of an unfinished one. */
static int write_parts(const struct codegen_output *out, const char *dir, struct err *err)
{
	char path[PATH_MAX];
	int ret = 0;

	for (int i = 0; !ret && i < CODEGEN_FILES; i++) {
		ret = codegen_make_path_of(path, out, dir, i, "part", err);
		if (!ret && out->file[i].len)
			ret = fs_write(path, out->file[i].s, out->file[i].len, err);
	}
	return ret;
}

/* rename() within a directory can only fail if the target is a directory: look before. */
static int check_places(const struct codegen_output *out, const char *dir, struct err *err)
{
	char path[PATH_MAX];
	struct stat st;

	for (int i = 0; i < CODEGEN_FILES; i++) {
		int ret = codegen_make_path_of(path, out, dir, i, NULL, err);

		if (ret)
			return ret;
		if (!lstat(path, &st) && S_ISDIR(st.st_mode))
			return err_set(err, -EISDIR, "cannot write '%s': it is a directory", path);
	}
	return 0;
}

/* The old file gets a second name, or where a file system has none, another one. */
static int keep_old(const char *path, const char *old)
{
	if (!link(path, old) || errno == ENOENT)
		return 0;
	if (errno != EPERM && errno != EOPNOTSUPP && errno != EMLINK && errno != ENOSYS)
		return -errno;
	return rename(path, old) ? -errno : 0;
}

/* A file that this plan does not have is not left over from another one. */
static int replace_one(const struct codegen_output *out, const char *dir, int i, struct err *err)
{
	char part[PATH_MAX], path[PATH_MAX], old[PATH_MAX];
	int ret = codegen_make_path_of(part, out, dir, i, "part", err);

	if (!ret)
		ret = codegen_make_path_of(path, out, dir, i, NULL, err);
	if (!ret)
		ret = codegen_make_path_of(old, out, dir, i, "old", err);
	if (ret)
		return ret;
	ret = keep_old(path, old);
	if (!ret && (out->file[i].len ? rename(part, path) : unlink(path) && errno != ENOENT)) {
		ret = -errno;
		rename(old, path);
	}
	return ret ? err_set(err, ret, "cannot write '%s': %s", path, strerror(-ret)) : 0;
}

/* The first @n files become what they were: the old one, or none. */
static void codegen_make_put_back(const struct codegen_output *out, const char *dir, int n)
{
	char path[PATH_MAX], old[PATH_MAX];

	for (int i = 0; i < n; i++)
		if (!codegen_make_path_of(path, out, dir, i, NULL, NULL) &&
		    !codegen_make_path_of(old, out, dir, i, "old", NULL) && rename(old, path) &&
		    errno == ENOENT)
			unlink(path);
}

static void remove_kind(const struct codegen_output *out, const char *dir, const char *kind)
{
	char path[PATH_MAX];

	for (int i = 0; i < CODEGEN_FILES; i++)
		if (!codegen_make_path_of(path, out, dir, i, kind, NULL))
			unlink(path);
}

/* All of them or none: a header of one plan with the source of another compiles, and is neither. */
static int replace_files(const struct codegen_output *out, const char *dir, struct err *err)
{
	int ret = 0;

	for (int i = 0; i < CODEGEN_FILES; i++) {
		ret = replace_one(out, dir, i, err);
		if (!ret)
			continue;
		codegen_make_put_back(out, dir, i);
		break;
	}
	remove_kind(out, dir, "old");
	return ret;
}

int codegen_write(const struct codegen_output *out, const char *dir, struct err *err)
{
	int ret = fs_mkdirs(dir, err);

	if (!ret)
		ret = check_places(out, dir, err);
	if (ret)
		return ret;
	ret = write_parts(out, dir, err);
	if (!ret)
		ret = replace_files(out, dir, err);
	if (ret)
		remove_kind(out, dir, "part");
	return ret;
}

void codegen_release(struct codegen_output *out)
{
	for (int i = 0; i < CODEGEN_FILES; i++)
		strbuf_release(&out->file[i]);
	strbuf_release(&out->notes);
}

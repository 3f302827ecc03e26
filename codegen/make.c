/* SPDX-License-Identifier: MIT */
#include "codegen/codegen.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>

#include "codegen/emit.h"
#include "lib/fs.h"

const char *codegen_file_name(enum codegen_file file)
{
	static const char *const names[CODEGEN_FILES] = {
		[CODEGEN_HEADER] = "perseus_triggers.h",
		[CODEGEN_SOURCE] = "perseus_triggers.c",
		[CODEGEN_PLAN] = "perseus_triggers.plan",
		[CODEGEN_PLATFORM_H] = "perseus_platform_linux.h",
		[CODEGEN_PLATFORM_C] = "perseus_platform_linux.c",
		[CODEGEN_MATRIX] = "perseus_matrix.csv",
	};

	return names[file];
}

int codegen_make(struct codegen_output *out, const struct codegen_input *in, struct err *err)
{
	struct view v;
	int ret = view_init(&v, in, err);

	*out = (struct codegen_output){0};
	if (!ret) {
		emit_header(&out->file[CODEGEN_HEADER], &v);
		emit_source(&out->file[CODEGEN_SOURCE], &v);
		emit_plan(&out->file[CODEGEN_PLAN], &v);
		emit_linux_header(&out->file[CODEGEN_PLATFORM_H], &v);
		emit_linux_source(&out->file[CODEGEN_PLATFORM_C], &v);
		emit_matrix(&out->file[CODEGEN_MATRIX], &v);
		out->n_points = v.points.n;
		out->n_creates = v.creates.n;
		out->n_threads = in->plan->n_threads;
	}
	view_release(&v);
	return ret;
}

int codegen_write(const struct codegen_output *out, const char *dir, struct err *err)
{
	char path[PATH_MAX];
	int ret = fs_mkdirs(dir, err);

	for (int i = 0; !ret && i < CODEGEN_FILES; i++) {
		const struct strbuf *file = &out->file[i];

		if (snprintf(path, sizeof(path), "%s/%s", dir, codegen_file_name(i)) >= (int)sizeof(path))
			return err_set(err, -ENAMETOOLONG, "cannot write into '%s': the name is too long",
				       dir);
		ret = fs_write(path, file->s, file->len, err);
	}
	return ret;
}

void codegen_release(struct codegen_output *out)
{
	for (int i = 0; i < CODEGEN_FILES; i++)
		strbuf_release(&out->file[i]);
}

/* SPDX-License-Identifier: MIT */
#include "verify/source/folder.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "verify/base/sha256.h"
#include "verify/source/tokens.h"

#define PATH_BYTES FOLDER_PATH
#define FILE_BYTES ((size_t)32 << 20)

bool folder_beside(char *path, const char *source, const char *name)
{
	const char *slash = strrchr(source, '/');
	int folder = slash ? (int)(slash - source) + 1 : 0;

	return snprintf(path, PATH_BYTES, "%.*s%s", folder, source, name) < PATH_BYTES;
}

/* The one token that constant @name stands for, brackets left out; NULL if there is none or are several. */
static const struct token *constant(const struct tokens *t, const char *name)
{
	for (size_t i = 0; i < t->n_macros; i++) {
		const struct macro *m = &t->macro[i];
		const struct token *body = &t->body[m->first];

		if (strcmp(m->name, name))
			continue;
		if (m->n == 3 && body[0].kind == TOKEN_SIGN && !strcmp(body[0].s, "("))
			return &body[1];
		return m->n == 1 ? body : NULL;
	}
	return NULL;
}

static void check_constants(const struct tokens *t, const struct vplan *p, struct findings *list)
{
	const struct token *cores = constant(t, "PERSEUS_CORES"), *cpu = constant(t, "PERSEUS_CPU");

	if (cores && (cores->kind != TOKEN_NUMBER || cores->number != p->n_cores))
		findings_add(list,
			     "perseus_machine.h: PERSEUS_CORES is not %" PRIu64
			     ", the plan's number of cores",
			     p->n_cores);
	if (cpu && (cpu->kind != TOKEN_TEXT || strcmp(cpu->s, p->cpu)))
		findings_add(list, "perseus_machine.h: PERSEUS_CPU is not \"%s\", the plan's processor",
			     p->cpu);
}

int folder_check_machine(const char *source, const struct vplan *p, struct findings *list, struct fault *f)
{
	char path[PATH_BYTES];
	struct tokens t = {0};
	int ret;

	if (!folder_beside(path, source, "perseus_machine.h") || access(path, F_OK))
		return 0;
	ret = tokens_read(&t, path, f);
	if (!ret)
		check_constants(&t, p, list);
	tokens_release(&t);
	return ret;
}

static bool is_generated(const char *name)
{
	size_t n = strlen(name);

	return !strncmp(name, "perseus_", 8) && n > 2 && name[n - 2] == '.' &&
	       (name[n - 1] == 'c' || name[n - 1] == 'h');
}

static void check_file(const char *source, const char *name, const struct vmanifest *m, struct findings *list)
{
	char path[PATH_BYTES], hash[65];
	struct input in;
	struct fault f;

	if (!folder_beside(path, source, name) || input_read(&in, path, FILE_BYTES, &f)) {
		findings_add(list, "%s beside the reviewed source cannot be read", name);
		return;
	}
	vsha256(in.data, in.size, hash);
	input_release(&in);
	if (!vmanifest_lists(m, hash))
		findings_add(
			list,
			"the manifest does not hold %s, which is beside the reviewed source (sha256 %.16s..)",
			name, hash);
}

void folder_check_listed(const char *source, const struct vmanifest *m, struct findings *list)
{
	struct dirent **entry;
	char folder[PATH_BYTES];
	int n = folder_beside(folder, source, ".") ? scandir(folder, &entry, NULL, alphasort) : -1;

	for (int i = 0; i < n; i++) {
		if (is_generated(entry[i]->d_name))
			check_file(source, entry[i]->d_name, m, list);
		free(entry[i]);
	}
	if (n >= 0)
		free(entry);
	else
		findings_add(list, "the folder of the reviewed source cannot be read");
}

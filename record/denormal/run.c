/* SPDX-License-Identifier: MIT */
#include "record/denormal/run.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "lib/fs.h"
#include "lib/strbuf.h"
#include "record/file/file.h"
#include "record/file/folder.h"
#include "record/file/sites.h"
#include "record/names/names.h"

#define FILE_MAX ((size_t)4 << 30)

static bool is_counts(const char *name)
{
	size_t len = strlen(name);

	return len > 5 && *name != '.' && !strcmp(name + len - 5, ".pden");
}

/* A copy in memory: the process may still count. */
static int add_file(struct denormal *d, struct denormal_traps *t, const char *dir, const char *name,
		    struct err *err)
{
	struct strbuf data = STRBUF_INIT;
	char path[PATH_MAX];
	int ret = 0;

	if (snprintf(path, sizeof(path), "%s/%s", dir, name) >= (int)sizeof(path))
		return err_set(err, -ENAMETOOLONG, "the path of the run directory is too long");
	ret = fs_read(path, FILE_MAX, &data, err);
	if (!ret)
		ret = denormal_add(d, data.s ? data.s : "", data.len, path, err);
	if (!ret && t)
		ret = denormal_traps_add(t, data.s, data.len, path, err);
	strbuf_release(&data);
	return ret;
}

static int read_files(struct denormal *d, struct denormal_traps *t, const char *dir, struct err *err)
{
	struct fs_names files = VEC_INIT;
	int ret;

	*d = (struct denormal){0};
	ret = fs_list(dir, is_counts, &files, err);
	for (size_t i = 0; i < files.n && !ret; i++)
		ret = add_file(d, t, dir, files.at[i], err);
	if (!ret && !files.n)
		ret = err_set(err, -ENODATA, "'%s' holds no counts of denormals", dir);
	fs_names_release(&files);
	if (!ret)
		denormal_settle(d);
	if (!ret && t)
		denormal_traps_settle(t);
	return ret;
}

int denormal_read(struct denormal *d, const char *dir, struct err *err)
{
	return read_files(d, NULL, dir, err);
}

/* Append modules/@key.@kind, if there is one; @path gets its path. */
static int read_table(const char *dir, const char *key, const char *kind, char path[PATH_MAX],
		      struct strbuf *text, struct err *err)
{
	int there;

	if (snprintf(path, PATH_MAX, "%s/modules/%s.%s", dir, key, kind) >= PATH_MAX)
		return 0;
	there = fs_is_there(path, err);
	return there > 0 ? fs_read(path, 0, text, err) : there;
}

static int load_symbols(struct run_module *m, const char *dir, const char *key, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	char path[PATH_MAX];
	int ret = read_table(dir, key, "symbols", path, &text, err);

	if (!ret && text.s)
		ret = symbols_parse(m, text.s, text.len, path, err);
	strbuf_release(&text);
	return ret;
}

/* A module has such a table if some of it has other probes, or units that lost theirs at the link. */
static int count_unlinked(size_t *n, const char *dir, const char *key, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	char path[PATH_MAX];
	struct sites s;
	int ret = read_table(dir, key, "sites", path, &text, err);

	if (!ret && text.s) {
		ret = sites_parse(&s, text.s, text.len, path, err);
		if (!ret) {
			*n += s.n_unlinked;
			sites_release(&s);
		}
	}
	strbuf_release(&text);
	return ret;
}

static int load_manifest(struct denormal_run *run, struct err *err)
{
	char path[PATH_MAX];
	int ret;

	if (snprintf(path, sizeof(path), "%s/manifest.yaml", run->path) >= (int)sizeof(path))
		return err_set(err, -ENAMETOOLONG, "the path of run '%s' is too long", run->path);
	ret = fs_is_there(path, err);
	if (ret < 0)
		return ret;
	if (!ret) {
		run->incomplete = mem_strdup("manifest.yaml is missing: nobody knows how the program ended");
		return 0;
	}
	ret = manifest_load(&run->manifest, path, err);
	if (ret)
		return ret;
	run->modules = mem_new(run->manifest.n_modules + 1, sizeof(*run->modules));
	for (size_t i = 0; i < run->manifest.n_modules && !ret; i++) {
		run->modules[i].info = &run->manifest.modules[i];
		ret = load_symbols(&run->modules[i], run->path, run->manifest.modules[i].key, err);
		if (!ret)
			ret = count_unlinked(&run->unlinked, run->path, run->manifest.modules[i].key, err);
	}
	return ret;
}

static int no_counts(const struct denormal_run *run, struct err *err)
{
	if (run->manifest.purpose && strcmp(run->manifest.purpose, "denormal")) {
		err_set(err, -ENODATA, "run '%s' is a %s run, it counted no denormals", run->path,
			run->manifest.purpose);
		return err_advise(err, "perseus record --purpose=denormal PROGRAM makes one that does");
	}
	err_set(err, -ENODATA, "run '%s' holds no counts of denormals: no code with counters ran", run->path);
	return err_advise(err, "build it with -fplugin-arg-perseus-probe=denormal, then record again");
}

static void judge(struct denormal_run *run)
{
	const struct manifest *m = &run->manifest;
	struct strbuf sb = STRBUF_INIT;

	if (run->incomplete)
		return;
	if (m->status && !strcmp(m->status, "killed"))
		strbuf_printf(&sb, "the program was killed by signal %d", m->signal);
	else if (m->status && !strcmp(m->status, "running"))
		strbuf_puts(&sb, "the recording has not ended, or perseus record itself was killed");
	else if (run->counts.n_running)
		strbuf_printf(&sb, "%zu process%s did not end by exit", run->counts.n_running,
			      run->counts.n_running == 1 ? "" : "es");
	if (sb.len)
		run->incomplete = strbuf_detach(&sb);
}

/* By the symbols that the run has, else by those of the files. */
static void name_traps(struct denormal_run *run)
{
	struct denormal_traps *t = &run->traps;

	for (size_t i = 0; i < t->modules.n; i++)
		for (size_t k = 0; k < run->manifest.n_modules; k++) {
			const struct manifest_module *m = &run->manifest.modules[k];

			if (m->build_id && *t->modules.at[i].build_id
				    ? !strncmp(m->build_id, t->modules.at[i].build_id, strlen(m->build_id))
				    : !strcmp(m->path, t->modules.at[i].path))
				denormal_traps_name_by(t, i, &run->modules[k]);
		}
	denormal_traps_name(t);
}

int denormal_run_open(struct denormal_run *run, const char *path, struct err *err)
{
	char dir[PATH_MAX];
	int ret;

	*run = (struct denormal_run){0};
	ret = run_folder(path, dir, sizeof(dir), err);
	if (ret)
		return ret;
	run->path = mem_strdup(dir);
	ret = load_manifest(run, err);
	if (!ret) {
		ret = read_files(&run->counts, &run->traps, dir, err);
		if (ret == -ENODATA)
			ret = no_counts(run, err);
	}
	if (ret) {
		denormal_run_close(run);
		return ret;
	}
	name_traps(run);
	judge(run);
	return 0;
}

/* The symbols of @m: the manifest's module of its build id, else of its path. */
static const struct run_module *symbols_of(const struct denormal_run *run, const struct denormal_module *m)
{
	for (size_t i = 0; i < run->manifest.n_modules; i++) {
		const char *id = run->manifest.modules[i].build_id;

		if (id && *m->build_id ? !strncmp(id, m->build_id, strlen(id))
				       : !strcmp(run->manifest.modules[i].path, m->path))
			return &run->modules[i];
	}
	return NULL;
}

const struct run_symbol *denormal_symbol(const struct denormal_run *run, size_t file, uint64_t address,
					 uint64_t *offset)
{
	const struct denormal *d = &run->counts;

	for (size_t i = d->modules.n; i-- > 0;) {
		const struct denormal_module *m = &d->modules.at[i];
		const struct run_module *tables;
		const struct run_symbol *s;

		if (m->file != file || address < m->start || address >= m->end)
			continue;
		tables = symbols_of(run, m);
		s = tables ? run_module_symbol(tables, address - m->bias) : NULL;
		if (s && offset)
			*offset = address - m->bias - s->address;
		if (s)
			return s;
	}
	return NULL;
}

void denormal_run_close(struct denormal_run *run)
{
	for (size_t i = 0; run->modules && i < run->manifest.n_modules; i++) {
		free(run->modules[i].symbols);
		free(run->modules[i].functions);
		free(run->modules[i].symbol_text);
	}
	free(run->modules);
	manifest_release(&run->manifest);
	denormal_release(&run->counts);
	denormal_traps_release(&run->traps);
	free(run->incomplete);
	free(run->path);
	*run = (struct denormal_run){0};
}

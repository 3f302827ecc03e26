/* SPDX-License-Identifier: MIT */
/* modules/<key>.sites and modules/<key>.symbols of a run directory. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/fs.h"
#include "lib/hash.h"
#include "record/parts.h"

#define TABLE_MAX ((size_t)1 << 30)

void module_build_id(const struct prs_module *m, char hex[41])
{
	for (uint32_t i = 0; i < m->build_id_bytes; i++) {
		hex[2 * i] = "0123456789abcdef"[m->build_id[i] >> 4];
		hex[2 * i + 1] = "0123456789abcdef"[m->build_id[i] & 15];
	}
	hex[2 * m->build_id_bytes] = '\0';
}

/* A key becomes part of a path: nothing in it may lead out of modules/. */
static bool safe_key(const char *key)
{
	return *key && *key != '.' && !strchr(key, '/') && strlen(key) < 200;
}

/* Append modules/<key>.<kind>; @name gets its path.  -ENOENT is left to the caller. */
static int read_table(const struct run *run, const char *key, const char *kind, char *name,
		      struct strbuf *out, struct err *err)
{
	if (snprintf(name, PATH_MAX, "%s/modules/%s.%s", run->path, key, kind) >= PATH_MAX)
		return err_set(err, -ENAMETOOLONG, "the path of module '%s' is too long", key);
	return fs_read(name, TABLE_MAX, out, err);
}

static int check_hash(const struct run_module *m, const struct strbuf *text, const char *name,
		      struct err *err)
{
	char hex[SHA256_HEX];

	if (!m->info || !m->info->sites_sha256)
		return 0;
	sha256_of(text->s, text->len, hex);
	if (!strcmp(hex, m->info->sites_sha256))
		return 0;
	return err_set(err, -EINVAL,
		       "'%s' was changed after recording: its sha256 is %.12s.., the manifest says %.12s..\n"
		       "  record again",
		       name, hex, m->info->sites_sha256);
}

static int load_sites(const struct run *run, struct run_module *m, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	char name[PATH_MAX];
	int ret = read_table(run, m->key, "sites", name, &text, err);

	if (ret == -ENOENT)
		ret = m->info && m->info->sites_sha256 ? 1 : 0;
	else if (!ret)
		ret = check_hash(m, &text, name, err);
	if (!ret && text.len)
		ret = sites_parse(&m->sites, text.s, text.len, name, err);
	strbuf_release(&text);
	return ret;
}

static int load_symbols(const struct run *run, struct run_module *m, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	char name[PATH_MAX];
	int ret = read_table(run, m->key, "symbols", name, &text, err);

	if (ret == -ENOENT)
		ret = 0;
	else if (!ret)
		ret = symbols_parse(m, text.s ? text.s : "", text.len, name, err);
	strbuf_release(&text);
	return ret;
}

static void list_manifest(struct run *run)
{
	run->modules = mem_new(run->manifest.n_modules + 1, sizeof(*run->modules));
	for (size_t i = 0; i < run->manifest.n_modules; i++) {
		run->modules[i].info = &run->manifest.modules[i];
		run->modules[i].key = mem_strdup(run->manifest.modules[i].key);
	}
	run->n_modules = run->manifest.n_modules;
}

static bool listed(const struct run *run, const char *key)
{
	for (size_t i = 0; i < run->n_modules; i++)
		if (!strcmp(run->modules[i].key, key))
			return true;
	return false;
}

/* Without a manifest the records themselves say which modules there were. */
static void list_records(struct run *run)
{
	struct VEC(struct run_module) v = VEC_INIT;

	for (size_t i = 0; i < run->n_processes; i++)
		for (size_t k = 0; k < run->processes[i].n_modules; k++) {
			char hex[41];

			module_build_id(&run->processes[i].modules[k], hex);
			if (!*hex || listed(run, hex))
				continue;
			vec_push(&v, ((struct run_module){.key = mem_strdup(hex)}));
			run->modules = v.at;
			run->n_modules = v.n;
		}
}

int modules_load(struct run *run, struct err *err)
{
	bool missing = false;

	if (run->manifest.program)
		list_manifest(run);
	else
		list_records(run);
	for (size_t i = 0; i < run->n_modules; i++) {
		struct run_module *m = &run->modules[i];
		int ret;

		if (!m->key || !safe_key(m->key))
			return err_set(err, -EINVAL,
				       "module %zu of the manifest has the key '%.60s', expected a file name",
				       i, m->key ? m->key : "");
		ret = load_sites(run, m, err);
		if (ret < 0)
			return ret;
		missing |= ret > 0;
		ret = load_symbols(run, m, err);
		if (ret < 0)
			return ret;
	}
	return missing;
}

void modules_release(struct run *run)
{
	for (size_t i = 0; i < run->n_modules; i++) {
		sites_release(&run->modules[i].sites);
		free(run->modules[i].symbols);
		free(run->modules[i].functions);
		free(run->modules[i].symbol_text);
		free(run->modules[i].key);
	}
	free(run->modules);
}

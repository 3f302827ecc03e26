/* SPDX-License-Identifier: MIT */
#include "recorder/modules.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/fs.h"
#include "lib/hash.h"
#include "lib/inspect/elf.h"
#include "lib/mem.h"
#include "perseus/sites.h"
#include "record/run.h"

#define RECORD_ID_HEX 40 /* a record file holds the first 20 bytes of a build id */

static bool known(const struct manifest *m, const char *path, const char *build_id)
{
	for (size_t i = 0; i < m->n_modules; i++) {
		const char *id = m->modules[i].build_id;

		if (build_id && *build_id && id ? !strcmp(id, build_id) : !strcmp(m->modules[i].path, path))
			return true;
	}
	return false;
}

/* The site table of @path, and its hash; a module without one has an empty text. */
static int read_sites(const char *path, struct strbuf *text, char sha[SHA256_HEX], struct err *err)
{
	int ret = elf_section(path, PRS_SITES_SECTION, text, err);

	sha[0] = '\0';
	if (ret == -ENODATA)
		return 0;
	if (!ret && text->len)
		sha256_of(text->s, text->len, sha);
	return ret;
}

static int save(const char *dir, const char *key, const char *kind, const struct strbuf *text,
		struct err *err)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/modules/%s.%s", dir, key, kind) >= (int)sizeof(path))
		return err_set(err, -ENAMETOOLONG, "the path of the run directory is too long");
	return fs_write(path, text->s ? text->s : "", text->len, err);
}

static int save_tables(const char *dir, const char *key, const struct strbuf *sites,
		       const struct strbuf *symbols, struct err *err)
{
	char path[PATH_MAX];
	int ret;

	snprintf(path, sizeof(path), "%s/modules", dir);
	ret = fs_mkdirs(path, err);
	if (!ret && sites->len)
		ret = save(dir, key, "sites", sites, err);
	if (!ret)
		ret = save(dir, key, "symbols", symbols, err);
	return ret;
}

static void modules_append(struct manifest *m, const char *path, const char *key, const char *build_id,
			   const char *sha)
{
	m->modules = mem_resize(m->modules, m->n_modules + 1, sizeof(*m->modules));
	m->modules[m->n_modules++] = (struct manifest_module){
		.path = mem_strdup(path),
		.key = mem_strdup(key),
		.build_id = *build_id ? mem_strdup(build_id) : NULL,
		.sites_sha256 = *sha ? mem_strdup(sha) : NULL,
	};
}

static int copy_tables(struct manifest *m, const char *dir, const char *path, const char *build_id,
		       struct err *err)
{
	struct strbuf sites = STRBUF_INIT, symbols = STRBUF_INIT;
	char sha[SHA256_HEX], key[SHA256_HEX];
	int ret = read_sites(path, &sites, sha, err);

	if (!ret)
		ret = elf_symbols(path, &symbols, err);
	if (!ret) {
		/* Without a build id the contents name the files. */
		if (*build_id)
			snprintf(key, sizeof(key), "%.*s", RECORD_ID_HEX, build_id);
		else
			sha256_of(sites.len ? sites.s : path, sites.len ? sites.len : strlen(path), key);
		ret = save_tables(dir, key, &sites, &symbols, err);
	}
	if (!ret)
		modules_append(m, path, key, build_id, sha);
	strbuf_release(&sites);
	strbuf_release(&symbols);
	return ret;
}

int modules_add(struct manifest *m, const char *dir, const char *path, const char *build_id, struct err *err)
{
	struct elf_facts facts;
	int ret;

	if (known(m, path, build_id))
		return 0;
	ret = elf_facts(path, &facts, err);
	if (ret)
		return ret;
	facts.build_id[RECORD_ID_HEX] = '\0';
	if (build_id && *build_id && strcmp(build_id, facts.build_id))
		return err_set(err, -ESTALE,
			       "'%s' was replaced during the run: build id %.12s.. became %.12s..", path,
			       build_id, facts.build_id);
	if (known(m, path, facts.build_id))
		return 0;
	return copy_tables(m, dir, path, facts.build_id, err);
}

static void hex_of(const struct prs_module *module, char *hex)
{
	uint32_t n = module->build_id_bytes < sizeof(module->build_id) ? module->build_id_bytes
								       : sizeof(module->build_id);

	for (uint32_t i = 0; i < n; i++)
		snprintf(hex + 2 * i, 3, "%02x", module->build_id[i]);
	hex[2 * n] = '\0';
}

static void gather_process(struct manifest *m, const char *dir, const struct run_process *p,
			   struct strbuf *notes)
{
	for (size_t i = 0; i < p->n_modules; i++) {
		char path[sizeof(p->modules[i].path) + 1], hex[RECORD_ID_HEX + 1];
		struct err err = ERR_INIT;

		snprintf(path, sizeof(path), "%.*s", (int)sizeof(p->modules[i].path), p->modules[i].path);
		hex_of(&p->modules[i], hex);
		if (modules_add(m, dir, *path ? path : p->header->exe, hex, &err))
			strbuf_printf(notes, "no names for the sites of a module: %s\n", err.msg);
	}
}

/* Something was called by a pointer that lies in no module of the record. */
static bool calls_others(const struct run_process *p)
{
	for (size_t i = 0; i < p->n_threads; i++)
		for (size_t k = 0; k < p->threads[i].n_calls; k++) {
			uint64_t at = p->threads[i].calls[k]->callee;
			bool inside = !at;

			for (size_t m = 0; m < p->n_modules && !inside; m++)
				inside = at >= p->modules[m].start && at < p->modules[m].end;
			if (!inside)
				return true;
		}
	return false;
}

int modules_gather(struct manifest *m, const char *dir, struct strbuf *notes, bool *others, struct err *err)
{
	struct run run;
	int ret = run_open(&run, dir, err);

	if (ret)
		return ret;
	*others = false;
	for (size_t i = 0; i < run.n_processes; i++) {
		gather_process(m, dir, &run.processes[i], notes);
		*others |= calls_others(&run.processes[i]);
	}
	run_close(&run);
	return 0;
}

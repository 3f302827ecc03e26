/* SPDX-License-Identifier: MIT */
/*
 * A builder of run directories for tests: record files chunk by chunk,
 * manifest, site tables.  Everything is written plainly so that a test can
 * spoil any byte of it afterwards.
 */
#ifndef PERSEUS_TESTS_RECORD_BUILD_H
#define PERSEUS_TESTS_RECORD_BUILD_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/fs.h"
#include "lib/hash.h"
#include "lib/strbuf.h"
#include "perseus/abi.h"
#include "perseus/record.h"
#include "yaml/manifest.h"

#define BUILD_BUILD_ID "00112233445566778899aabbccddeeff00112233"

/* A record in the making. */
struct prec {
	struct strbuf file;
};

static inline struct prs_rec_header *prec_header(struct prec *r)
{
	return (struct prs_rec_header *)(void *)r->file.s;
}

/* A closed timing record of one second at 2 GHz, without chunks. */
static inline void prec_start(struct prec *r, uint32_t pid)
{
	static const char page[PRS_PAGE_BYTES];
	struct prs_rec_header *h;

	r->file = (struct strbuf)STRBUF_INIT;
	strbuf_add(&r->file, page, sizeof(page));
	h = prec_header(r);
	memcpy(h->magic, PRS_REC_MAGIC, sizeof(h->magic));
	h->major = PRS_REC_MAJOR;
	h->minor = PRS_REC_MINOR;
	h->header_bytes = PRS_PAGE_BYTES;
	h->pid = pid;
	h->ppid = 1;
	h->state = PRS_REC_CLOSED;
	h->tsc_start = 1000;
	h->tsc_end = 1000 + 2000000000ull;
	h->mono_start_ns = 500 + pid;
	h->mono_end_ns = h->mono_start_ns + 1000000000ull;
	h->clock_ticks = 22;
	h->block_ticks = 40000;
	h->next = sizeof(page);
	strcpy(h->exe, "/usr/bin/prog");
}

/* Add a chunk of @n entries, the rest of its @pages zero; returns its file offset. */
static inline uint64_t prec_chunk(struct prec *r, uint16_t type, uint32_t thread, const void *entries,
				  uint16_t entry_bytes, uint64_t n, uint64_t pages)
{
	static const char page[PRS_PAGE_BYTES];
	struct prs_chunk c = {.magic = PRS_CHUNK_MAGIC,
			      .type = type,
			      .entry_bytes = entry_bytes,
			      .thread = thread,
			      .bytes = pages * PRS_PAGE_BYTES,
			      .used = n};
	uint64_t at = r->file.len;

	for (uint64_t i = 0; i < pages; i++)
		strbuf_add(&r->file, page, sizeof(page));
	memcpy(r->file.s + at, &c, sizeof(c));
	if (n)
		memcpy(r->file.s + at + sizeof(c), entries, n * entry_bytes);
	prec_header(r)->next = r->file.len;
	return at;
}

#define PREC_ADD(r, type, thread, array)                                                                     \
	prec_chunk(r, type, thread, array, sizeof((array)[0]), sizeof(array) / sizeof((array)[0]), 8)

/* Write @dir/NAME; ends the test program if it cannot. */
static inline void build_write(const char *dir, const char *name, const void *data, size_t len)
{
	struct err err = ERR_INIT;
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	if (fs_write(path, data, len, &err)) {
		fprintf(stderr, "%s\n", err.msg);
		exit(1);
	}
}

/* Write the record as @dir/PID.EPOCH.prec and free it. */
static inline void prec_save(struct prec *r, const char *dir)
{
	char name[64];

	snprintf(name, sizeof(name), "%u.%u.prec", prec_header(r)->pid, prec_header(r)->epoch);
	build_write(dir, name, r->file.s, r->file.len);
	strbuf_release(&r->file);
}

/* A fresh directory with modules/ below the scratch directory; the caller frees the name. */
static inline char *build_dir(void)
{
	const char *tmp = getenv("TMPDIR");
	struct err err = ERR_INIT;
	char path[256], sub[300];

	snprintf(path, sizeof(path), "%s/perseus-run.XXXXXX", tmp ? tmp : "/tmp");
	if (!mkdtemp(path)) {
		perror(path);
		exit(1);
	}
	snprintf(sub, sizeof(sub), "%s/modules", path);
	if (fs_mkdirs(sub, &err)) {
		fprintf(stderr, "%s\n", err.msg);
		exit(1);
	}
	return strdup(path);
}

/* Remove what build_dir() made and everything in it. */
static inline void build_remove(char *dir)
{
	char cmd[300];

	snprintf(cmd, sizeof(cmd), "rm -rf '%s'", dir);
	if (system(cmd))
		fprintf(stderr, "cannot remove %s\n", dir);
	free(dir);
}

/* The manifest of a program that exited with 0; @sites is its site table, NULL: built without the plugin. */
static inline void build_manifest(const char *dir, const char *status, int signal, const char *sites)
{
	static char *argv[] = {(char *)"prog"};
	char sha[SHA256_HEX] = "", path[512];
	struct manifest_module mod = {.path = (char *)"/usr/bin/prog",
				      .key = (char *)BUILD_BUILD_ID,
				      .build_id = (char *)BUILD_BUILD_ID,
				      .sites_sha256 = sites ? sha : NULL};
	struct manifest m = {.program = (char *)"prog",
			     .argv = argv,
			     .n_argv = 1,
			     .purpose = (char *)"timing",
			     .status = (char *)status,
			     .signal = signal,
			     .wall_ns = 1000000000,
			     .cores = 2,
			     .cpu = (char *)"test",
			     .modules = &mod,
			     .n_modules = 1};
	struct err err = ERR_INIT;

	if (sites) {
		sha256_of(sites, strlen(sites), sha);
		build_write(dir, "modules/" BUILD_BUILD_ID ".sites", sites, strlen(sites));
	}
	snprintf(path, sizeof(path), "%s/manifest.yaml", dir);
	if (manifest_save(&m, path, &err)) {
		fprintf(stderr, "%s\n", err.msg);
		exit(1);
	}
}

/* The module entry of /usr/bin/prog, loaded at 0x400000 with bias 0. */
static inline struct prs_module build_module(void)
{
	struct prs_module m = {.start = 0x400000, .end = 0x500000, .build_id_bytes = 20};

	for (int i = 0; i < 20; i++)
		sscanf(BUILD_BUILD_ID + 2 * i, "%2hhx", &m.build_id[i]);
	strcpy(m.path, "/usr/bin/prog");
	return m;
}

#endif

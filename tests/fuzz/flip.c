/* SPDX-License-Identifier: MIT */
/*
 * flip RUN SEED COUNT [bare]
 *
 * Spoils the record files of the run directory RUN, reads the run and mends
 * it again, COUNT times: mostly a single bit, else a sector of zeros or a page
 * that comes from elsewhere in the file.  Counts how that ended:
 *
 *   refused   the reader says that this is no record, or a truncated one
 *   named     it goes on and names the damage
 *   harmless  the answer is the same as before
 *   wrong     the answer differs, and nobody says so
 *
 * bare: first take all checksums away (from a run that is not needed any
 * more), to see what they are good for.  Exit 0 whatever comes out.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/crc32c.h"
#include "lib/rng.h"
#include "report/summary.h"

#define SECTOR 512

struct answer {
	bool refused, named;
	uint32_t digest;
};

static void die(const char *what)
{
	perror(what);
	exit(2);
}

static uint32_t digest_calls(uint32_t crc, const struct run_thread *t)
{
	for (size_t i = 0; i < t->n_calls; i++) {
		struct rec_call c = *t->calls[i];

		c.up = NULL; /* an address of ours */
		crc = crc32c(crc, &c, offsetof(struct rec_call, hist));
		crc = crc32c(crc, c.hist, sizeof(c.hist));
	}
	for (size_t i = 0; i < t->n_open; i++) {
		crc = crc32c(crc, &t->open[i].site, sizeof(t->open[i].site));
		crc = crc32c(crc, &t->open[i].start, sizeof(t->open[i].start));
	}
	return crc;
}

/* What report does not show. */
static uint32_t digest_entries(uint32_t crc, const struct run_process *p)
{
	for (size_t i = 0; i < p->n_threads; i++) {
		const struct run_thread *t = &p->threads[i];

		crc = crc32c(crc, t->raw, sizeof(*t->raw));
		crc = crc32c(crc, t->totals, t->n_calls * sizeof(*t->totals));
		crc = crc32c(crc, t->log, t->n_log * sizeof(*t->log));
		crc = crc32c(crc, t->events, t->n_events * sizeof(*t->events));
		crc = crc32c(crc, t->notes, t->n_notes * sizeof(*t->notes));
		crc = crc32c(crc, t->waits, t->n_waits * sizeof(*t->waits));
		crc = digest_calls(crc, t);
		for (size_t k = 0; k < t->n_lines; k++)
			crc = crc32c(crc, t->lines[k], sizeof(*t->lines[k]));
		if (t->mem_counts)
			crc = crc32c(crc, t->mem_counts, 8 * (size_t)p->header->n_mems);
	}
	return crc;
}

static uint32_t digest(const struct run *run)
{
	static const struct report_view view = {.rows = 1000, .threads = true};
	struct strbuf out = STRBUF_INIT;
	struct report_summary s;
	uint32_t crc = 0;

	for (size_t i = 0; i < run->n_processes; i++)
		crc = digest_entries(crc, &run->processes[i]);
	report_summarise(&s, run);
	report_json(&s, &view, &out);
	crc = crc32c(crc, out.s, out.len);
	report_summary_release(&s);
	strbuf_release(&out);
	return crc;
}

static struct answer ask(const char *dir)
{
	struct answer a = {0};
	struct err err = ERR_INIT;
	struct run run;

	if (run_open(&run, dir, &err)) {
		a.refused = true;
		return a;
	}
	for (size_t i = 0; i < run.n_processes; i++)
		a.named |= run.processes[i].damage != NULL;
	a.digest = digest(&run);
	run_close(&run);
	return a;
}

/* ---- files ---------------------------------------------------------------------- */

struct extent {
	off_t begin, end;
};

struct target {
	int fd;
	struct extent data[512];
	size_t n;
	off_t bytes; /* of data */
};

static void open_target(struct target *t, const char *path)
{
	off_t at = 0;
	struct stat st;

	*t = (struct target){.fd = open(path, O_RDWR)};
	if (t->fd < 0 || fstat(t->fd, &st))
		die(path);
	while (t->n < sizeof(t->data) / sizeof(t->data[0]) && (at = lseek(t->fd, at, SEEK_DATA)) >= 0) {
		off_t end = lseek(t->fd, at, SEEK_HOLE);

		t->data[t->n++] = (struct extent){at, end};
		t->bytes += end - at;
		at = end;
	}
	if (!t->bytes)
		die("no data");
}

static off_t place(const struct target *t, off_t i)
{
	size_t k = 0;

	while (i >= t->data[k].end - t->data[k].begin) {
		i -= t->data[k].end - t->data[k].begin;
		k++;
	}
	return t->data[k].begin + i;
}

static unsigned char byte_at(const struct target *t, off_t at)
{
	unsigned char b = 0;

	if (pread(t->fd, &b, 1, at) != 1)
		die("pread");
	return b;
}

static void page_io(const struct target *t, unsigned char page[PRS_PAGE_BYTES], off_t at, bool store)
{
	ssize_t n = store ? pwrite(t->fd, page, PRS_PAGE_BYTES, at) : pread(t->fd, page, PRS_PAGE_BYTES, at);

	if (n != PRS_PAGE_BYTES)
		die("a page of the record");
}

/* Half of the places lie anywhere in the data, half at bytes that are not zero. */
static off_t choose(const struct target *t, struct rng *rng)
{
	bool written = rng_below(rng, 2);
	off_t at;

	do
		at = place(t, (off_t)rng_below(rng, (uint64_t)t->bytes));
	while (written && !byte_at(t, at));
	return at;
}

static off_t page_of(off_t at)
{
	return at / PRS_PAGE_BYTES * PRS_PAGE_BYTES;
}

/* One bit; now and then a sector of zeros, or another page of the file. */
static void spoil(const struct target *t, struct rng *rng, off_t at, unsigned char page[PRS_PAGE_BYTES])
{
	size_t byte = (size_t)(at % PRS_PAGE_BYTES);

	switch (rng_below(rng, 10)) {
	case 0:
		memset(page + byte / SECTOR * SECTOR, 0, SECTOR);
		break;
	case 1:
		page_io(t, page, page_of(choose(t, rng)), false);
		break;
	default:
		page[byte] ^= (unsigned char)(1u << rng_below(rng, 8));
	}
}

static void take_sums_away(const struct target *t)
{
	static const char zeros[4];
	struct prs_chunk c;
	off_t end = lseek(t->fd, 0, SEEK_END);

	pwrite(t->fd, zeros, 4, offsetof(struct prs_rec_header, checksum_kind));
	for (off_t at = PRS_PAGE_BYTES; at < end;) {
		if (pread(t->fd, &c, sizeof(c), at) != sizeof(c) || c.magic != PRS_CHUNK_MAGIC || !c.bytes) {
			at += PRS_PAGE_BYTES;
			continue;
		}
		if (pwrite(t->fd, zeros, 4, at + (off_t)offsetof(struct prs_chunk, crc)) != 4)
			die("pwrite");
		at += (off_t)c.bytes;
	}
}

static size_t find_records(const char *dir, struct target *t, size_t max)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	char path[1000];
	size_t n = 0;

	while (d && n < max && (e = readdir(d))) {
		if (!strstr(e->d_name, ".prec"))
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
		open_target(&t[n++], path);
	}
	if (d)
		closedir(d);
	return n;
}

int main(int argc, char **argv)
{
	uint64_t refused = 0, named = 0, harmless = 0, wrong = 0, count;
	static struct target files[16];
	struct answer before, after;
	struct rng rng;
	size_t n;

	if (argc < 4 || !(n = find_records(argv[1], files, 16)))
		return 2;
	rng = rng_keyed(strtoull(argv[2], NULL, 10), 0, 0, 0);
	count = strtoull(argv[3], NULL, 10);
	for (size_t i = 0; argc > 4 && i < n; i++)
		take_sums_away(&files[i]);
	before = ask(argv[1]);
	if (before.refused || before.named) {
		fprintf(stderr, "the run is damaged before anything was spoilt\n");
		return 2;
	}
	for (uint64_t i = 0; i < count; i++) {
		const struct target *t = &files[rng_below(&rng, n)];
		unsigned char page[PRS_PAGE_BYTES], spoilt[PRS_PAGE_BYTES];
		off_t at = choose(t, &rng);

		page_io(t, page, page_of(at), false);
		memcpy(spoilt, page, sizeof(page));
		spoil(t, &rng, at, spoilt);
		page_io(t, spoilt, page_of(at), true);
		after = ask(argv[1]);
		page_io(t, page, page_of(at), true);
		refused += after.refused;
		named += !after.refused && after.named;
		harmless += !after.refused && !after.named && after.digest == before.digest;
		if (after.refused || after.named || after.digest == before.digest)
			continue;
		if (wrong++ < 5)
			fprintf(stderr, "byte %lld: another answer, and nobody says so\n", (long long)at);
	}
	printf("flips=%llu refused=%llu named=%llu harmless=%llu wrong=%llu\n", (unsigned long long)count,
	       (unsigned long long)refused, (unsigned long long)named, (unsigned long long)harmless,
	       (unsigned long long)wrong);
	return 0;
}

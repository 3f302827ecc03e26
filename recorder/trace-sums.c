/* SPDX-License-Identifier: MIT */
#include "recorder/trace-sums.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "lib/crc32c.h"
#include "lib/mem.h"
#include "lib/vec.h"
#include "perseus/sums.h"
#include "perseus/trace.h"

#define PLACES_FIRST 64u
#define PAGES_MAX    64u         /* of a piece of the file */
#define SPACE_MIN    (16u << 20) /* left free on the disk, for the program and the record */
#define UNKNOWN_SITE (PRS_TRACE_SITES - 1)

/* Where a call record has its sums. */
struct place {
	uint32_t record; /* 0: free */
	uint32_t site;
	struct prs_sum *sum; /* NULL: there was no room */
};

/* Pages of the file that belong to this thread. */
struct piece {
	struct prs_sums_page *at;
	uint32_t pages;
};

struct sums {
	char *records, *file; /* paths */
	uint32_t pid, epoch, thread;
	struct place *places; /* open addressing */
	uint32_t shift;       /* 32 - log2 of how many there are */
	uint32_t n;
	struct piece_list VEC(struct piece) pieces;
	uint32_t page;     /* of the last piece: where the next entry goes */
	bool full;         /* of no more use: the disk, or a limit */
	uint64_t unstored; /* calls */
};

static char *trace_sums_path_of(const char *trace, uint32_t pid, uint32_t epoch, const char *kind)
{
	char path[PATH_MAX + 48];

	snprintf(path, sizeof(path), "%s/../%u.%u.%s", trace, pid, epoch, kind);
	return mem_strdup(path);
}

/* That it is there says that nothing of it was lost on the way. */
static void make_file(const struct sums *s)
{
	int fd = open(s->file, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);

	if (fd >= 0)
		close(fd);
}

struct sums *sums_begin(const char *trace, uint32_t pid, uint32_t epoch, uint32_t thread)
{
	struct sums *s = mem_new(1, sizeof(*s));

	s->records = trace_sums_path_of(trace, pid, epoch, "prec");
	s->file = trace_sums_path_of(trace, pid, epoch, "sums");
	s->pid = pid;
	s->epoch = epoch;
	s->thread = thread;
	s->places = mem_new(PLACES_FIRST, sizeof(*s->places));
	s->shift = 32 - (uint32_t)__builtin_ctz(PLACES_FIRST);
	make_file(s);
	return s;
}

/* ---- the file ---------------------------------------------------------------------- */

/* Filling the disk would harm the program that is being looked at. */
static bool disk_has_room(int fd)
{
	struct statvfs vfs;

	return fstatvfs(fd, &vfs) || (uint64_t)vfs.f_bavail * vfs.f_frsize >= SPACE_MIN;
}

/* Append @pages to the file, and map them; NULL: there is no room. */
static void *trace_sums_append(int fd, uint32_t pages)
{
	size_t bytes = (size_t)pages * PRS_PAGE_BYTES;
	struct stat st;
	void *at;

	if (fstat(fd, &st) || st.st_size % PRS_PAGE_BYTES || !disk_has_room(fd) ||
	    posix_fallocate(fd, st.st_size, (off_t)bytes))
		return NULL;
	at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, st.st_size);
	return at == MAP_FAILED ? NULL : at;
}

static void begin_page(const struct sums *s, struct prs_sums_page *page)
{
	*page = (struct prs_sums_page){.pid = s->pid, .epoch = s->epoch, .thread = s->thread};
	memcpy(page->magic, PRS_SUMS_MAGIC, sizeof(page->magic));
}

/* Another piece, larger than the last. */
static bool more_pages(struct sums *s)
{
	uint32_t pages = s->pieces.n ? 2 * s->pieces.at[s->pieces.n - 1].pages : 1;
	int fd = open(s->file, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
	struct piece piece = {.pages = pages < PAGES_MAX ? pages : PAGES_MAX};

	if (fd < 0)
		return false;
	piece.at = trace_sums_append(fd, piece.pages);
	close(fd);
	if (!piece.at)
		return false;
	vec_push(&s->pieces, piece);
	s->page = 0;
	begin_page(s, piece.at);
	return true;
}

static struct prs_sums_page *page_at(const struct piece *p, uint32_t i)
{
	return (struct prs_sums_page *)(void *)((unsigned char *)p->at + (size_t)i * PRS_PAGE_BYTES);
}

/* The page that has room for an entry; NULL: there is none. */
static struct prs_sums_page *room(struct sums *s)
{
	struct piece *last = s->pieces.n ? &s->pieces.at[s->pieces.n - 1] : NULL;
	struct prs_sums_page *page = last ? page_at(last, s->page) : NULL;

	if (page && page->n_entries < PRS_SUMS_PER_PAGE)
		return page;
	if (last && s->page + 1 < last->pages) {
		page = page_at(last, ++s->page);
		begin_page(s, page);
		return page;
	}
	if (s->full || !more_pages(s)) {
		s->full = true;
		return NULL;
	}
	return s->pieces.at[s->pieces.n - 1].at;
}

static struct prs_sum *new_sum(struct sums *s, uint32_t record, uint32_t site)
{
	struct prs_sums_page *page = room(s);
	struct prs_sum *sum;

	if (!page)
		return NULL;
	sum = (struct prs_sum *)(void *)(page + 1) + page->n_entries;
	*sum = (struct prs_sum){.record = record, .site = site, .min = ~0ull};
	page->n_entries++;
	return sum;
}

/* ---- records ----------------------------------------------------------------------- */

/* The site of call record @record; false: there is no such record, or it cannot be read. */
static bool read_site(const struct sums *s, uint32_t record, uint32_t *site)
{
	int fd = open(s->records, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	off_t at = (off_t)record * 64;
	struct prs_call call;
	struct stat st;
	bool here;

	if (fd < 0)
		return false;
	/* A file has no more records than fit into it, whatever the program writes to its ring. */
	here = !fstat(fd, &st) && s->n < (uint64_t)st.st_size / sizeof(call) &&
	       pread(fd, &call, sizeof(call), at) == (ssize_t)sizeof(call) && call.site < UNKNOWN_SITE &&
	       call.count;
	close(fd);
	*site = here ? call.site : UNKNOWN_SITE;
	return here;
}

static void trace_sums_grow(struct sums *s)
{
	uint32_t room = 1u << (32 - s->shift);
	struct place *old = s->places;

	s->shift--;
	s->places = mem_new((size_t)room * 2, sizeof(*s->places));
	for (uint32_t i = 0; i < room; i++) {
		uint32_t h = old[i].record * 2654435769u >> s->shift;

		while (old[i].record && s->places[h].record)
			h = (h + 1) & (2 * room - 1);
		if (old[i].record)
			s->places[h] = old[i];
	}
	free(old);
}

static struct place *trace_sums_find(const struct sums *s, uint32_t record)
{
	uint32_t h = record * 2654435769u >> s->shift, mask = (1u << (32 - s->shift)) - 1;

	while (s->places[h].record != record && s->places[h].record)
		h = (h + 1) & mask;
	return &s->places[h];
}

/* The place of a record that was not seen before; NULL: it is none. */
static struct place *trace_sums_make(struct sums *s, uint32_t record)
{
	struct place *p;
	uint32_t site;

	if (!record || !read_site(s, record, &site))
		return NULL;
	if (2 * ++s->n > 1u << (32 - s->shift))
		trace_sums_grow(s);
	p = trace_sums_find(s, record);
	*p = (struct place){.record = record, .site = site, .sum = new_sum(s, record, site)};
	return p;
}

static void trace_sums_add(struct prs_sum *sum, uint64_t ticks)
{
	sum->hist[prs_hist_index(ticks)]++;
	sum->sum += ticks;
	if (ticks < sum->min)
		sum->min = ticks;
	if (ticks > sum->max)
		sum->max = ticks;
	sum->timed++;
}

uint64_t sums_call(struct sums *s, uint64_t word)
{
	uint64_t ticks = word & ((1u << PRS_LENGTH_BITS) - 1);
	uint32_t record = (uint32_t)(word >> 32);
	struct place *p = trace_sums_find(s, record);

	if (!p->record || !record)
		p = trace_sums_make(s, record);
	if (p && p->sum)
		trace_sums_add(p->sum, ticks);
	else
		s->unstored++;
	return ticks | (uint64_t)(p ? p->site : UNKNOWN_SITE) << 32;
}

/* ---- the end ----------------------------------------------------------------------- */

static void seal(struct prs_sums_page *page)
{
	uint32_t crc = crc32c(0, page, PRS_PAGE_BYTES);

	page->crc = crc ? crc : 1;
}

uint64_t sums_end(struct sums *s)
{
	uint64_t unstored = s->unstored;

	for (size_t i = 0; i < s->pieces.n; i++) {
		struct piece *p = &s->pieces.at[i];

		for (uint32_t k = 0; k < p->pages; k++)
			if (page_at(p, k)->n_entries)
				seal(page_at(p, k));
		munmap(p->at, (size_t)p->pages * PRS_PAGE_BYTES);
	}
	vec_release(&s->pieces);
	free(s->places);
	free(s->records);
	free(s->file);
	free(s);
	return unstored;
}

/* SPDX-License-Identifier: MIT */
#include "record/file/seal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/fs.h"
#include "record/file/file.h"

/* ---- is the process that writes it gone? ----------------------------------- */

/*
 * A lease for reading is granted only if nobody has the file open or mapped
 * for writing.  1 nobody, 0 somebody, -1 this file system does not know.
 */
static int without_writer(int fd)
{
	/* Should somebody open it right now, the kernel tells by a signal that is ignored by default. */
	if (fcntl(fd, F_SETSIG, SIGURG) || fcntl(fd, F_SETLEASE, F_RDLCK))
		return errno == EAGAIN ? 0 : -1;
	fcntl(fd, F_SETLEASE, F_UNLCK);
	return 1;
}

/* Where the file system does not know, only a record that was closed by a process that is gone is safe. */
static bool finished(int fd, const struct prs_rec_header *h)
{
	bool gone = kill((pid_t)h->pid, 0) && errno == ESRCH;
	int without = without_writer(fd);

	return gone && (without == 1 || (without < 0 && h->state == PRS_REC_CLOSED));
}

/* ---- sealing ---------------------------------------------------------------- */

/* Bytes of content of a raw chunk: up to its last byte that is not zero, in words. */
static uint64_t raw_content(const struct image *image, uint64_t at, uint64_t bytes)
{
	uint64_t first = at + sizeof(struct prs_chunk), end = at + bytes;

	for (size_t i = image->data.n; i-- > 0;) {
		const struct extent *e = &image->data.at[i];
		uint64_t stop = e->end < end ? e->end : end, begin = e->begin > first ? e->begin : first;

		while (stop > begin && !image->base[stop - 1])
			stop--;
		if (stop > begin)
			return (stop - first + 7) / 8 * 8;
	}
	return 0;
}

static int write_at(int fd, const void *data, size_t len, uint64_t at)
{
	const char *p = data;

	while (len) {
		ssize_t n = pwrite(fd, p, len, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		p += n;
		len -= (size_t)n;
		at += (uint64_t)n;
	}
	return 0;
}

/* A chunk that has a checksum keeps it, right or wrong: the reader is to see what happened to it. */
static int seal_chunk(int fd, const struct image *image, uint64_t at)
{
	struct prs_chunk *c = (void *)(image->base + at);

	if (c->crc)
		return 0;
	if (!c->entry_bytes && !c->used)
		c->used = raw_content(image, at, c->bytes);
	c->crc = sum_in_image(image, at);
	return write_at(fd, c, sizeof(*c), at);
}

static int seal_chunks(int fd, const struct image *image, uint32_t *n, struct err *err)
{
	uint64_t at = PRS_PAGE_BYTES;
	size_t extent = 0;
	int ret = 0;

	*n = 0;
	while (!ret && (at = image_skip_hole(image, at, &extent)) + PRS_PAGE_BYTES <= image->bytes) {
		const struct prs_chunk *c = (const void *)(image->base + at);

		if (c->magic != PRS_CHUNK_MAGIC) {
			at += PRS_PAGE_BYTES;
			continue;
		}
		if (c->bytes < PRS_PAGE_BYTES || c->bytes % PRS_PAGE_BYTES || c->bytes > image->bytes - at)
			return err_set(err, -EINVAL, "the chunk at byte %llu is %llu bytes long",
				       (unsigned long long)at, (unsigned long long)c->bytes);
		ret = seal_chunk(fd, image, at);
		++*n;
		at += c->bytes;
	}
	return ret ? err_set(err, ret, "cannot be written: %s", strerror(-ret)) : 0;
}

/* Last, and in one piece: the three fields that make the file a sealed one. */
static int seal_header(int fd, const struct image *image, uint32_t n, struct err *err)
{
	struct prs_rec_header *h = (void *)image->base;
	size_t at = offsetof(struct prs_rec_header, checksum_kind);
	int ret;

	h->checksum_kind = PRS_SUM_SEALED;
	h->n_chunks = n;
	h->header_crc = sum_of_header(h, PRS_SUM_SEALED);
	ret = write_at(fd, &h->checksum_kind, 3 * sizeof(uint32_t), at);
	return ret ? err_set(err, ret, "cannot be written: %s", strerror(-ret)) : 0;
}
_Static_assert(offsetof(struct prs_rec_header, header_crc) ==
			       offsetof(struct prs_rec_header, checksum_kind) + 4 &&
		       offsetof(struct prs_rec_header, n_chunks) ==
			       offsetof(struct prs_rec_header, checksum_kind) + 8,
	       "the fields of the seal follow one another");

/* 0: the record open as @fd is to be sealed; 1: it is not. */
static int check(int fd, struct err *err)
{
	static const char zeros[8];
	union {
		struct prs_rec_header header;
		char page[PRS_PAGE_BYTES];
	} front = {0};
	const struct prs_rec_header *h = &front.header;
	struct stat st;
	ssize_t n;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		return err_set(err, -EINVAL, "is not a regular file");
	n = pread(fd, &front, sizeof(front), 0);
	if (n < 0)
		return err_set(err, -errno, "cannot be read: %s", strerror(errno));
	if (!memcmp(h->magic, zeros, sizeof(zeros)))
		return 1;
	if (n < PRS_PAGE_BYTES || memcmp(h->magic, PRS_REC_MAGIC, sizeof(h->magic)))
		return err_set(err, -EINVAL, "is not a Perseus record");
	if (h->major != PRS_REC_MAJOR || h->header_bytes != PRS_PAGE_BYTES)
		return err_set(err, -EINVAL, "is of format version %u.%u, expected %u.x", h->major, h->minor,
			       PRS_REC_MAJOR);
	/* Another version has fields elsewhere: its own recorder seals it. */
	return h->minor != PRS_REC_MINOR || h->checksum_kind == PRS_SUM_SEALED || !finished(fd, h);
}

static int seal_image(const char *path, const struct image *image, struct err *err)
{
	int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW), ret;
	uint32_t n;

	if (fd < 0)
		return err_set(err, -errno, "cannot be opened for writing: %s", strerror(errno));
	ret = seal_chunks(fd, image, &n, err);
	if (!ret)
		ret = seal_header(fd, image, n, err);
	close(fd);
	return ret;
}

/* Decided before the file is copied: from then on nobody writes to it. */
static int seal_file(const char *path, struct err *err)
{
	/* Not blocking: a pipe by that name must not hang the recorder. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW), ret;
	struct image image;

	if (fd < 0)
		return err_set(err, -errno, "cannot be opened: %s", strerror(errno));
	ret = check(fd, err);
	close(fd);
	if (!ret)
		ret = image_load(&image, path, err);
	if (ret)
		return ret;
	ret = seal_image(path, &image, err);
	image_release(&image);
	return ret;
}

int seal_record(const char *path, struct err *err)
{
	char what[sizeof(err->msg)];
	int ret = seal_file(path, err);

	if (ret < 0 && err) {
		snprintf(what, sizeof(what), "%s", err->msg);
		err_set(err, ret, "record '%s' %s", path, what);
	}
	return ret;
}

int seal_run(const char *dir, size_t *n_left, struct err *err)
{
	struct fs_names names = VEC_INIT;
	int first = fs_list(dir, process_is_record, &names, err);

	for (size_t i = 0; i < names.n; i++) {
		char path[PATH_MAX];
		int ret;

		if (snprintf(path, sizeof(path), "%s/%s", dir, names.at[i]) >= (int)sizeof(path))
			continue;
		ret = seal_record(path, first ? NULL : err);
		if (ret > 0 && n_left)
			++*n_left;
		if (ret < 0 && !first)
			first = ret;
	}
	fs_names_release(&names);
	return first;
}

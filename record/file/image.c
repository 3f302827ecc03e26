/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/file/file.h"

/* Far above any limit a recorder sets; keeps a hostile sparse file from eating the address space. */
#define IMAGE_MAX ((off_t)64 << 30)

/* Read [begin, end) of @fd to the same place of the copy; a file that got shorter leaves zeros. */
static int copy_extent(struct image *image, int fd, size_t begin, size_t end)
{
	struct extent e = {begin, end};

	while (begin < end) {
		ssize_t n = pread(fd, image->base + begin, end - begin, (off_t)begin);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			break;
		begin += (size_t)n;
	}
	vec_push(&image->data, e);
	return 0;
}

static int copy_data(struct image *image, int fd)
{
	off_t at = 0, size = (off_t)image->bytes;
	int ret = 0;

	while (!ret && at < size) {
		off_t begin = lseek(fd, at, SEEK_DATA), end;

		if (begin < 0 && errno == ENXIO)
			break;
		if (begin < 0) /* a file system that does not know its holes */
			return copy_extent(image, fd, (size_t)at, image->bytes);
		end = lseek(fd, begin, SEEK_HOLE);
		if (end < begin || end > size)
			end = size;
		if (begin >= end)
			break;
		ret = copy_extent(image, fd, (size_t)begin, (size_t)end);
		at = end;
	}
	return ret;
}

static int load_fd(struct image *image, int fd, const char *path, struct err *err)
{
	struct stat st;
	int ret;

	if (fstat(fd, &st))
		return err_set(err, -errno, "cannot read '%s': %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return err_set(err, -EINVAL, "'%s' is not a regular file", path);
	if (!st.st_size)
		return err_set(err, -ENODATA, "'%s' is empty", path);
	if (st.st_size > IMAGE_MAX)
		return err_set(err, -EFBIG, "'%s' has %lld bytes, expected at most %lld", path,
			       (long long)st.st_size, (long long)IMAGE_MAX);
	image->bytes = (size_t)st.st_size;
	image->base = mmap(NULL, image->bytes, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (image->base == MAP_FAILED) {
		image->base = NULL;
		return err_set(err, -ENOMEM, "cannot hold the %zu bytes of '%s': %s", image->bytes, path,
			       strerror(errno));
	}
	ret = copy_data(image, fd);
	if (ret)
		return err_set(err, ret, "cannot read '%s': %s", path, strerror(-ret));
	return 0;
}

int image_load(struct image *image, const char *path, struct err *err)
{
	/* Not blocking: a pipe by that name must not hang the reader. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	int ret;

	*image = (struct image){0};
	if (fd < 0)
		return err_set(err, -errno, "cannot open '%s': %s", path, strerror(errno));
	ret = load_fd(image, fd, path, err);
	close(fd);
	if (ret)
		image_release(image);
	return ret;
}

uint64_t image_skip_hole(const struct image *image, uint64_t at, size_t *extent)
{
	while (*extent < image->data.n && image->data.at[*extent].end <= at)
		++*extent;
	if (*extent == image->data.n)
		return image->bytes;
	if (image->data.at[*extent].begin > at)
		at = image->data.at[*extent].begin / PRS_PAGE_BYTES * PRS_PAGE_BYTES;
	return at;
}

void image_release(struct image *image)
{
	if (image->base)
		munmap(image->base, image->bytes);
	vec_release(&image->data);
	*image = (struct image){0};
}

bool process_is_record(const char *name)
{
	size_t len = strlen(name);

	return name[0] != '.' && len > 5 && !strcmp(name + len - 5, ".prec");
}

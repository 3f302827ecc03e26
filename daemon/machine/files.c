/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "daemon/machine/files.h"

#define PATH_BYTES 4096

int file_path(char *out, size_t size, const char *dir, const char *name)
{
	int n = snprintf(out, size, "%s/%s", dir, name);

	return n < 0 || (size_t)n >= size ? -ENAMETOOLONG : 0;
}

int file_open(const char *dir, const char *name, int flags)
{
	char path[PATH_BYTES];
	int fd = file_path(path, sizeof(path), dir, name);

	if (fd)
		return fd;
	fd = open(path, flags | O_CLOEXEC | O_NOCTTY);
	return fd < 0 ? -errno : fd;
}

int file_read(int fd, char *out, size_t size)
{
	ssize_t n = pread(fd, out, size - 1, 0);

	if (n < 0)
		return -errno;
	out[n] = '\0';
	return (int)n;
}

int file_read_at(const char *dir, const char *name, char *out, size_t size)
{
	int fd = file_open(dir, name, O_RDONLY), n;

	if (fd < 0)
		return fd;
	n = file_read(fd, out, size);
	close(fd);
	return n;
}

int file_read_number(int fd, prs_u32 *out)
{
	char text[32];
	prs_u64 value = 0;
	int n = file_read(fd, text, sizeof(text)), i = 0;

	if (n < 0)
		return n;
	for (; text[i] >= '0' && text[i] <= '9' && value <= UINT32_MAX; i++)
		value = value * 10 + (prs_u64)(text[i] - '0');
	if (!i || value > UINT32_MAX || (text[i] && text[i] != '\n'))
		return -EINVAL;
	*out = (prs_u32)value;
	return 0;
}

int file_read_number_at(const char *dir, const char *name, prs_u32 *out)
{
	int fd = file_open(dir, name, O_RDONLY), error;

	if (fd < 0)
		return fd;
	error = file_read_number(fd, out);
	close(fd);
	return error;
}

int file_write(int fd, const char *text)
{
	size_t n = strlen(text);
	ssize_t done = pwrite(fd, text, n, 0);

	if (done < 0)
		return -errno;
	return (size_t)done == n ? 0 : -EIO;
}

int file_write_number(int fd, prs_u32 value)
{
	char text[16];

	snprintf(text, sizeof(text), "%u\n", value);
	return file_write(fd, text);
}

void file_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

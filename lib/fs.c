/* SPDX-License-Identifier: MIT */
#include "lib/fs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lib/mem.h"

static int fs_read_all(int fd, size_t max, struct strbuf *out)
{
	char buf[65536];
	ssize_t n;

	while ((n = read(fd, buf, sizeof(buf))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (out->len + (size_t)n > max)
			return -EFBIG;
		strbuf_add(out, buf, (size_t)n);
	}
	strbuf_add(out, "", 0);
	return 0;
}

int fs_read(const char *path, size_t max, struct strbuf *out, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int ret;

	if (fd < 0)
		return err_set(err, -errno, "cannot open '%s': %s", path, strerror(errno));
	ret = fs_read_all(fd, max ? max : (size_t)1 << 30, out);
	close(fd);
	if (ret)
		err_set(err, ret, "cannot read '%s': %s", path, strerror(-ret));
	return ret;
}

static int write_all(int fd, const char *p, size_t len)
{
	while (len) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

/* Where there is no randomness the name is still new: O_EXCL refuses one that is there. */
static uint64_t random_number(void)
{
	struct timespec now;
	uint64_t v;

	if (getrandom(&v, sizeof(v), GRND_NONBLOCK) == sizeof(v))
		return v;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_nsec << 32 ^ (uint64_t)now.tv_sec ^ (uint64_t)getpid() << 16;
}

/*
 * A new file beside @path, whose directory others may be able to write: no
 * name that they can foresee, and no link of theirs is followed.
 */
static int create_beside(const char *path, char tmp[PATH_MAX])
{
	enum { TRIES = 100 };
	int fd = -EEXIST;

	for (int i = 0; i < TRIES && fd == -EEXIST; i++) {
		if (snprintf(tmp, PATH_MAX, "%s.%016llx.tmp", path, (unsigned long long)random_number()) >=
		    PATH_MAX)
			return -ENAMETOOLONG;
		fd = open(tmp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
		if (fd < 0)
			fd = -errno;
	}
	return fd;
}

/* The directory that @path is in. */
static void directory_of(const char *path, char dir[PATH_MAX])
{
	const char *slash = strrchr(path, '/');

	snprintf(dir, PATH_MAX, "%.*s", slash ? (int)(slash - path + (slash == path)) : 1,
		 slash ? path : ".");
}

/* A file without a name in the directory of @path, which is gone if this process is; negative: there is no such thing here. */
static int create_unnamed(const char *path)
{
	char dir[PATH_MAX];

	if (strlen(path) >= PATH_MAX || access("/proc/self/fd", X_OK))
		return -ENOTSUP;
	directory_of(path, dir);
	return open(dir, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
}

/* Give the file a name beside @path that nobody can foresee. */
static int name_beside(int fd, const char *path, char tmp[PATH_MAX])
{
	enum { TRIES = 100 };
	char of[32];

	snprintf(of, sizeof(of), "/proc/self/fd/%d", fd);
	for (int i = 0; i < TRIES; i++) {
		if (snprintf(tmp, PATH_MAX, "%s.%016llx.tmp", path, (unsigned long long)random_number()) >=
		    PATH_MAX)
			return -ENAMETOOLONG;
		if (!linkat(AT_FDCWD, of, AT_FDCWD, tmp, AT_SYMLINK_FOLLOW))
			return 0;
		if (errno != EEXIST)
			return -errno;
	}
	return -EEXIST;
}

/* What is no file is written to as it is: a pipe, a terminal, /dev/null, or stdout. */
static bool is_stream(const char *path)
{
	struct stat st;

	return !strcmp(path, "-") || (!stat(path, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode));
}

/* A link or a pipe of somebody else's, in a directory that he can write, leads where he likes. */
static bool is_strangers(const char *path)
{
	struct stat st;

	return !lstat(path, &st) && !S_ISCHR(st.st_mode) && !S_ISBLK(st.st_mode) && st.st_uid &&
	       st.st_uid != geteuid();
}

/* A descriptor or a negative errno. */
static int open_stream(const char *path)
{
	int fd;

	if (strcmp(path, "-") && is_strangers(path))
		return -EPERM;
	fd = strcmp(path, "-") ? open(path, O_WRONLY | O_CLOEXEC) : dup(STDOUT_FILENO);
	return fd < 0 ? -errno : fd;
}

static int write_stream(const char *path, const void *data, size_t len)
{
	int fd = open_stream(path), ret = fd < 0 ? fd : write_all(fd, data, len);

	if (fd >= 0)
		close(fd);
	return ret;
}

static int write_file(const char *path, const void *data, size_t len, bool is_private)
{
	char tmp[PATH_MAX];
	int fd = create_beside(path, tmp), ret;

	if (fd < 0)
		return fd;
	ret = is_private && fchmod(fd, 0600) ? -errno : write_all(fd, data, len);
	if (close(fd) && !ret)
		ret = -errno;
	if (!ret && rename(tmp, path))
		ret = -errno;
	if (ret)
		unlink(tmp);
	return ret;
}

static int say_written(const char *path, int ret, struct err *err)
{
	if (ret == -ENAMETOOLONG)
		return err_set(err, ret, "cannot write '%s': the name is too long", path);
	return ret ? err_set(err, ret, "cannot write '%s': %s", path, strerror(-ret)) : 0;
}

int fs_write(const char *path, const void *data, size_t len, struct err *err)
{
	return say_written(
		path, is_stream(path) ? write_stream(path, data, len) : write_file(path, data, len, false),
		err);
}

int fs_write_private(const char *path, const void *data, size_t len, struct err *err)
{
	return say_written(
		path, is_stream(path) ? write_stream(path, data, len) : write_file(path, data, len, true),
		err);
}

int fs_begin(struct fs_file *f, const char *path, struct err *err)
{
	bool stream = is_stream(path);
	char tmp[PATH_MAX] = "";
	int fd = stream ? open_stream(path) : create_unnamed(path);

	*f = (struct fs_file){.unnamed = !stream && fd >= 0};
	if (!stream && fd < 0)
		fd = create_beside(path, tmp);
	if (fd < 0)
		return say_written(path, fd, err);
	f->to = fdopen(fd, "w");
	if (!f->to) {
		close(fd);
		if (*tmp)
			unlink(tmp);
		return say_written(path, -ENOMEM, err);
	}
	f->path = mem_strdup(path);
	f->tmp = *tmp ? mem_strdup(tmp) : NULL;
	return 0;
}

int fs_end(struct fs_file *f, bool keep, struct err *err)
{
	char tmp[PATH_MAX] = "";
	int ret = 0;

	errno = 0;
	if (ferror(f->to) || fflush(f->to))
		ret = errno ? -errno : -EIO;
	if (!ret && keep && f->unnamed)
		ret = name_beside(fileno(f->to), f->path, tmp);
	if (!f->unnamed && f->tmp)
		snprintf(tmp, sizeof(tmp), "%s", f->tmp);
	if (fclose(f->to) && !ret)
		ret = -errno;
	if (!ret && keep && *tmp && rename(tmp, f->path))
		ret = -errno;
	if (*tmp && (ret || !keep))
		unlink(tmp);
	if (keep)
		ret = say_written(f->path, ret, err);
	free(f->path);
	free(f->tmp);
	return ret;
}

static bool fs_keep_all(const char *name)
{
	return strcmp(name, ".") && strcmp(name, "..");
}

int fs_list(const char *path, bool (*keep)(const char *name), struct fs_names *out, struct err *err)
{
	DIR *d = opendir(path);
	struct dirent *e;
	int ret = 0;

	if (!d)
		return err_set(err, -errno, "cannot read directory '%s': %s", path, strerror(errno));
	for (errno = 0; (e = readdir(d)) != NULL; errno = 0)
		if ((keep ? keep : fs_keep_all)(e->d_name))
			vec_push(out, mem_strdup(e->d_name));
	if (errno)
		ret = err_set(err, -errno, "cannot read directory '%s': %s", path, strerror(errno));
	closedir(d);
	if (out->n)
		qsort(out->at, out->n, sizeof(*out->at), text_order);
	return ret;
}

void fs_names_release(struct fs_names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free(names->at[i]);
	vec_release(names);
}

int fs_is_there(const char *path, struct err *err)
{
	struct stat st;

	if (!stat(path, &st))
		return 1;
	if (errno == ENOENT || errno == ENOTDIR)
		return 0;
	return err_set(err, -errno, "cannot look for '%s': %s", path, strerror(errno));
}

bool fs_same(const char *a, const char *b)
{
	struct stat x, y;

	return !stat(a, &x) && !stat(b, &y) && S_ISREG(x.st_mode) && x.st_dev == y.st_dev &&
	       x.st_ino == y.st_ino;
}

int fs_mkdirs(const char *path, struct err *err)
{
	char part[PATH_MAX];
	struct stat st;

	if (snprintf(part, sizeof(part), "%s", path) >= (int)sizeof(part))
		return err_set(err, -ENAMETOOLONG, "cannot create '%s': the name is too long", path);
	for (char *p = part + 1;; p++) {
		char c = *p;

		if (c != '/' && c != '\0')
			continue;
		*p = '\0';
		if (mkdir(part, 0777) && errno != EEXIST && !(errno == EROFS && !stat(part, &st)))
			return err_set(err, -errno, "cannot create directory '%s': %s", part,
				       strerror(errno));
		*p = c;
		if (!c)
			break;
	}
	if (stat(path, &st) || !S_ISDIR(st.st_mode))
		return err_set(err, -ENOTDIR, "'%s' is not a directory", path);
	return 0;
}

int fs_read_small(const char *sysroot, const char *path, char *buf, size_t size)
{
	char full[PATH_MAX];
	struct stat st;
	ssize_t n;
	int fd;

	if (snprintf(full, sizeof(full), "%s%s", sysroot, path) >= (int)sizeof(full))
		return -ENAMETOOLONG;
	/* A pipe without a writer must not hold us up. */
	fd = open(full, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return -errno;
	if (!fstat(fd, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) {
		close(fd);
		return -ESPIPE;
	}
	n = read(fd, buf, size - 1);
	if (n < 0) {
		int ret = -errno;

		close(fd);
		return ret;
	}
	close(fd);
	while (n > 0 && (buf[n - 1] == '\n' || buf[n - 1] == ' '))
		n--;
	buf[n] = '\0';
	return 0;
}

int fs_make_temporary(char *path, const char *name, struct err *err)
{
	const char *tmp = getenv("TMPDIR");
	int ret;

	if (snprintf(path, PATH_MAX, "%s/%s.XXXXXX", tmp && *tmp ? tmp : "/tmp", name) >= PATH_MAX - 100) {
		*path = '\0';
		return err_set(err, -ENAMETOOLONG, "TMPDIR is too long");
	}
	if (mkdtemp(path))
		return 0;
	ret = err_set(err, -errno, "cannot make the directory '%s': %s", path, strerror(errno));
	*path = '\0';
	err_advise(err, "set TMPDIR to one that is writable");
	return ret;
}

static int fs_remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	remove(path);
	return 0;
}

void fs_remove_all(const char *path)
{
	if (*path)
		nftw(path, fs_remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

void fs_hold_standard(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
		    open("/dev/null", (fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC) != fd)
			return;
}

const char *fs_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

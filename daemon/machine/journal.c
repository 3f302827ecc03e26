/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "daemon/machine/audit.h"
#include "daemon/machine/files.h"
#include "daemon/machine/journal.h"

#define LOCK_TRIES 100 /* of 50 ms */

int trust_file(int fd, const char *path, const char *what, struct problem *problem)
{
	struct stat st;

	if (fstat(fd, &st))
		return problem_set(problem, EXIT_MACHINE, "%s '%s': %s", what, path, strerror(errno));
	if (st.st_uid && st.st_uid != geteuid())
		return problem_set(
			problem, EXIT_MACHINE,
			"%s '%s' is not trusted: it belongs to user %u, not to root\n  chown root '%s'", what,
			path, (unsigned int)st.st_uid, path);
	/* In a sticky directory nobody can replace the files of others. */
	if (st.st_mode & (S_IWGRP | S_IWOTH) && !(S_ISDIR(st.st_mode) && st.st_mode & S_ISVTX))
		return problem_set(problem, EXIT_MACHINE,
				   "%s '%s' is not trusted: others than its owner can write it (mode %04o)\n"
				   "  chmod go-w '%s'",
				   what, path, (unsigned int)(st.st_mode & 07777), path);
	return 0;
}

/* A directory of a path, or a link in the place of one: who owns it, or can write it, can put another there. */
static int trust_part(const char *path, struct problem *problem)
{
	struct stat st;
	int fd, status;

	if (!lstat(path, &st) && S_ISLNK(st.st_mode) && st.st_uid && st.st_uid != geteuid())
		return problem_set(problem, EXIT_MACHINE,
				   "link '%s' is not trusted: it belongs to user %u, not to root", path,
				   (unsigned int)st.st_uid);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? 0
				       : problem_set(problem, EXIT_MACHINE, "directory '%s': %s", path,
						     strerror(errno));
	status = trust_file(fd, path, "directory", problem);
	close(fd);
	return status;
}

/*
 * All directories on the way to the file @path, which is changed and put right again; but for the top: who
 * could change that has the machine.
 */
static int trust_way(char *path, struct problem *problem)
{
	int status = 0;

	for (char *slash = strchr(path + 1, '/'); slash && !status; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		status = trust_part(path, problem);
		*slash = '/';
	}
	return status;
}

int trust_dir_of(const char *path, struct problem *problem)
{
	const char *name = strrchr(path, '/');
	char way[4096], real[PATH_MAX + 2], cwd[PATH_MAX] = "";
	int status;

	if ((*path != '/' && !getcwd(cwd, sizeof(cwd))) ||
	    snprintf(way, sizeof(way), "%s%s%s", cwd, *path == '/' ? "" : "/", path) >= (int)sizeof(way))
		return problem_set(problem, EXIT_USAGE, "the name '%.80s...' is too long", path);
	status = trust_way(way, problem);
	if (status)
		return status;
	/* Where links lead to. */
	snprintf(way, sizeof(way), "%.*s", name ? (int)(name - path) + 1 : 1, name ? path : ".");
	if (!realpath(way, real))
		return 0;
	strcat(real, "/");
	return trust_way(real, problem);
}

static const char *next_step(int error)
{
	if (error == ENOENT)
		return "\n  make the directory that it lies in, with mkdir";
	return (error == EACCES || error == EPERM) && geteuid() ? "\n  perseusd starts as root" : "";
}

static int open_dir(const char *dir, struct problem *problem)
{
	int fd;

	if (mkdir(dir, 0755) && errno != EEXIST)
		return -problem_set(problem, EXIT_MACHINE, "directory '%s' cannot be made: %s%s", dir,
				    strerror(errno), next_step(errno));
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -problem_set(problem, EXIT_MACHINE, "directory '%s': %s", dir, strerror(errno));
	if (trust_file(fd, dir, "directory", problem)) {
		close(fd);
		return -EXIT_MACHINE;
	}
	return fd;
}

static int lock(int fd)
{
	for (int i = 0; i < LOCK_TRIES; i++) {
		if (!flock(fd, LOCK_EX | LOCK_NB))
			return 0;
		if (errno != EWOULDBLOCK && errno != EINTR)
			return -errno;
		nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
	}
	return -EWOULDBLOCK;
}

/* The state file, trusted and locked. */
static int open_state(const char *dir, struct problem *problem)
{
	int dir_fd = open_dir(dir, problem), fd, error;
	static struct journal other;
	char path[4096];
	struct stat st;

	if (dir_fd < 0)
		return dir_fd;
	fd = openat(dir_fd, "state", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0600);
	error = errno;
	close(dir_fd);
	if (file_path(path, sizeof(path), dir, "state") || fd < 0)
		return -problem_set(problem, EXIT_MACHINE, "state file '%s/state': %s%s", dir,
				    strerror(error), next_step(error));
	if (trust_file(fd, path, "state file", problem))
		goto fail;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_nlink != 1) {
		problem_set(problem, EXIT_MACHINE,
			    "state file '%s' is not trusted: not a file of one name\n  remove it", path);
		goto fail;
	}
	error = lock(fd);
	if (!error)
		return fd;
	if (error == -EWOULDBLOCK && pread(fd, &other, sizeof(other), 0) == sizeof(other))
		problem_set(problem, EXIT_MACHINE,
			    "state file '%s' is locked: another perseusd runs (pid %u, its guard %u)\n"
			    "  end the daemon, and its guard if that is all that is left",
			    path, other.daemon, other.guard);
	else
		problem_set(problem, EXIT_MACHINE, "state file '%s' is locked: %s", path, strerror(-error));
fail:
	close(fd);
	return -EXIT_MACHINE;
}

/* A file that has just been made, or that nobody has written into, is all zeros. */
static enum journal_found journal_look(const struct journal *journal, const char *boot)
{
	const prs_u8 *byte = (const prs_u8 *)journal;

	if (journal->magic == JOURNAL_MAGIC && journal->bytes == sizeof(*journal))
		return strncmp(journal->boot, boot, sizeof(journal->boot)) ? JOURNAL_OLD : JOURNAL_OURS;
	for (size_t i = 0; i < sizeof(*journal); i++)
		if (byte[i])
			return JOURNAL_DAMAGED;
	return JOURNAL_NONE;
}

int journal_open(struct journal **journal, const char *dir, const char *sysroot, enum journal_found *found,
		 struct problem *problem)
{
	char boot[40] = "", boot_dir[4096];
	int fd = open_state(dir, problem), error;

	if (fd < 0)
		return -fd;
	if (!file_path(boot_dir, sizeof(boot_dir), sysroot, "proc/sys/kernel/random"))
		file_read_at(boot_dir, "boot_id", boot, sizeof(boot));
	error = posix_fallocate(fd, 0, sizeof(**journal));
	*journal =
		error ? MAP_FAILED : mmap(NULL, sizeof(**journal), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (*journal == MAP_FAILED) {
		error = error ? error : errno;
		close(fd);
		return problem_set(problem, EXIT_MACHINE, "state file '%s/state': %s%s", dir, strerror(error),
				   next_step(error));
	}
	/* The descriptor stays open: the lock is its. */
	*found = journal_look(*journal, boot);
	if (*found == JOURNAL_DAMAGED)
		audit("change=left notes=damaged");
	if (*found != JOURNAL_OURS) {
		memset(*journal, 0, sizeof(**journal));
		memcpy((*journal)->boot, boot, sizeof(boot));
		(*journal)->bytes = sizeof(**journal);
		journal_barrier();
		(*journal)->magic = JOURNAL_MAGIC;
	}
	return 0;
}

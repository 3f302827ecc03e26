/* SPDX-License-Identifier: MIT */
#include "evidence/pack/run.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/fs.h"
#include "lib/mem.h"
#include "lib/spawn/child.h"

#define OUTPUT_BYTES ((size_t)16 << 20)

static int pack_run_path_of(const struct run_place *place, const char *name, char *path, struct err *err)
{
	if (snprintf(path, PATH_MAX, "%s/%s", place->dir, name) >= PATH_MAX)
		return err_set(err, -ENAMETOOLONG, "the name of '%s' is too long", name);
	return 0;
}

int run_begin(struct run_place *place, struct err *err)
{
	const char *tmp = getenv("TMPDIR");
	struct strbuf dir = STRBUF_INIT;

	strbuf_printf(&dir, "%s/perseus-evidence.XXXXXX", tmp && *tmp == '/' ? tmp : "/tmp");
	if (!mkdtemp(dir.s)) {
		err_set(err, -errno, "cannot make a scratch folder '%s': %s", dir.s, strerror(errno));
		strbuf_release(&dir);
		return err->code;
	}
	place->dir = strbuf_detach(&dir);
	return 0;
}

int run_put(const struct run_place *place, const char *name, const void *data, size_t len, struct err *err)
{
	char path[PATH_MAX], *slash;
	int ret = pack_run_path_of(place, name, path, err);

	if (ret)
		return ret;
	slash = strrchr(path, '/');
	*slash = '\0';
	ret = fs_mkdirs(path, err);
	*slash = '/';
	return ret ? ret : fs_write(path, data, len, err);
}

int run_get(const struct run_place *place, const char *name, struct strbuf *out)
{
	char path[PATH_MAX];
	int ret = pack_run_path_of(place, name, path, NULL);

	return ret ? ret : fs_read(path, OUTPUT_BYTES, out, NULL);
}

bool run_has(const char *tool)
{
	const char *path = getenv("PATH");
	char full[PATH_MAX];

	while (path && *path) {
		size_t n = strcspn(path, ":");

		if (n && snprintf(full, sizeof(full), "%.*s/%s", (int)n, path, tool) < (int)sizeof(full) &&
		    !access(full, X_OK))
			return true;
		path += n + (path[n] == ':');
	}
	return false;
}

/* ---- the child ---- */

static void pack_run_become(const struct run_place *place, const char *const *argv, int out,
			    const sigset_t *mask)
{
	int null = open("/dev/null", O_RDONLY);

	setpgid(0, 0); /* what it starts ends with it */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	dup2(null, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	dup2(out, STDERR_FILENO);
	sigprocmask(SIG_SETMASK, mask, NULL);
	if (chdir(place->dir))
		_exit(127);
	setenv("PWD", place->dir, 1); /* some believe it */
	setenv("HOME", place->dir, 1);
	setenv("XDG_CACHE_HOME", place->dir, 1);
	setenv("XDG_CONFIG_HOME", place->dir, 1);
	setenv("TMPDIR", place->dir, 1);
	setenv("LC_ALL", "C", 1);
	setenv("NO_COLOR", "1", 1);
	unsetenv("GCC_COLORS");
	unsetenv("MAKEFLAGS");
	execvp(argv[0], (char *const *)argv);
	_exit(127);
}

static time_t now(void)
{
	return (time_t)(child_clock_ns() / 1000000000u);
}

/* Wait for @pid until @deadline; 0, -ETIME, or -EINTR if this process was signalled. */
static int attend(pid_t pid, const sigset_t *wait, time_t deadline, int *status)
{
	for (;;) {
		struct timespec tick = {1, 0};
		int sig;

		if (waitpid(pid, status, WNOHANG) == pid)
			return 0;
		sig = sigtimedwait(wait, NULL, &tick);
		if (sig > 0 && sig != SIGCHLD)
			return -EINTR;
		if (now() >= deadline)
			return -ETIME;
	}
}

static int pack_run_finish(pid_t pid, int ended, int status, struct run_result *result, struct err *err)
{
	if (ended) {
		kill(-pid, SIGKILL);
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
	}
	result->too_long = ended == -ETIME;
	result->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	return ended == -EINTR ? err_set(err, -EINTR, "interrupted: nothing was written") : 0;
}

static int pack_run_start(const struct run_place *place, const char *const *argv, unsigned seconds, int out,
			  struct run_result *result, struct err *err)
{
	sigset_t wait, old;
	int status = 0, ret;
	pid_t pid;

	sigemptyset(&wait);
	sigaddset(&wait, SIGINT);
	sigaddset(&wait, SIGTERM);
	sigaddset(&wait, SIGHUP);
	sigaddset(&wait, SIGCHLD);
	sigprocmask(SIG_BLOCK, &wait, &old);
	fflush(NULL);
	pid = fork();
	if (!pid)
		pack_run_become(place, argv, out, &old);
	ret = pid < 0 ? err_set(err, -errno, "cannot fork for '%s': %s", argv[0], strerror(errno)) : 0;
	if (!ret) {
		int ended = attend(pid, &wait, now() + (time_t)seconds, &status);

		ret = pack_run_finish(pid, ended, status, result, err);
	}
	sigprocmask(SIG_SETMASK, &old, NULL);
	return ret;
}

/* At most OUTPUT_BYTES of what the tool has written. */
static void read_back(int fd, struct strbuf *out)
{
	char buf[65536];
	ssize_t n = 1;

	lseek(fd, 0, SEEK_SET);
	while (n > 0 && out->len < OUTPUT_BYTES) {
		n = read(fd, buf, sizeof(buf));
		if (n > 0)
			strbuf_add(out, buf, (size_t)n);
	}
	strbuf_puts(out, "");
}

int run_tool(const struct run_place *place, const char *const *argv, unsigned seconds,
	     struct run_result *result, struct err *err)
{
	char path[PATH_MAX];
	int ret = pack_run_path_of(place, ".output", path, err), fd;

	*result = (struct run_result){0};
	if (ret)
		return ret;
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_set(err, -errno, "cannot write '%s': %s", path, strerror(errno));
	ret = pack_run_start(place, argv, seconds, fd, result, err);
	read_back(fd, &result->out);
	close(fd);
	return ret;
}

static int pack_run_remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st;
	(void)kind;
	(void)at;
	(void)remove(path);
	return 0;
}

void run_end(struct run_place *place)
{
	if (place->dir)
		nftw(place->dir, pack_run_remove_one, 16, FTW_DEPTH | FTW_PHYS);
	free(place->dir);
	place->dir = NULL;
}

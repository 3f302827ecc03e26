/* SPDX-License-Identifier: MIT */
#include "cmd/cc1/driver.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/fs.h"
#include "lib/strbuf.h"

/* ---- COMPILER_PATH ---- */

static bool same_directory(const char *a, size_t len, const char *b)
{
	char name[PATH_MAX];
	struct stat sa, sb;

	snprintf(name, sizeof(name), "%.*s", (int)len, a);
	return len < sizeof(name) && !stat(name, &sa) && !stat(b, &sb) && sa.st_dev == sb.st_dev &&
	       sa.st_ino == sb.st_ino;
}

void driver_clean_path(const char *links)
{
	const char *path = getenv("COMPILER_PATH");
	struct strbuf rest = STRBUF_INIT;

	for (const char *p = path ? path : ""; *p;) {
		size_t len = strcspn(p, ":");

		if (len && !same_directory(p, len, links))
			strbuf_printf(&rest, "%s%.*s", rest.len ? ":" : "", (int)len, p);
		p += len + (p[len] == ':');
	}
	if (rest.len)
		setenv("COMPILER_PATH", rest.s, 1);
	else
		unsetenv("COMPILER_PATH");
	strbuf_release(&rest);
}

/* ---- questions to the driver ---- */

static void answer(int out, const char *path, const char *name, const char *option)
{
	char *argv[] = {(char *)(uintptr_t)name, (char *)(uintptr_t)option, NULL};
	int null = open("/dev/null", O_RDWR);

	dup2(null, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	execv(path, argv);
	_exit(127);
}

static size_t read_answer(int fd, char *line, size_t size)
{
	size_t n = 0;
	ssize_t got;

	while ((got = read(fd, line + n, size - 1 - n)) != 0) {
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			break;
		n += (size_t)got;
	}
	line[n] = '\0';
	line[strcspn(line, "\n")] = '\0';
	return n;
}

/* First line that the driver @path, called @name, prints for @option. */
static bool ask(const char *path, const char *name, const char *option, char *line, size_t size)
{
	int fds[2], status = 1;
	size_t n;
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC))
		return false;
	pid = fork();
	if (pid == 0)
		answer(fds[1], path, name, option);
	close(fds[1]);
	n = pid > 0 ? read_answer(fds[0], line, size) : 0;
	close(fds[0]);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return n && status == 0;
}

static bool is_self(const char *path)
{
	struct stat self, other;

	return !stat("/proc/self/exe", &self) && !stat(path, &other) && self.st_dev == other.st_dev &&
	       self.st_ino == other.st_ino;
}

static bool ask_all(const char *path, const char *name, const char *tool, struct real_tool *t)
{
	char option[64];

	snprintf(option, sizeof(option), "-print-prog-name=%s", tool);
	if (!ask(path, name, option, t->path, sizeof(t->path)) || access(t->path, X_OK) || is_self(t->path) ||
	    !strchr(t->path, '/'))
		return false;
	return ask(path, name, "-dumpmachine", t->machine, sizeof(t->machine)) &&
	       ask(path, name, "-dumpfullversion", t->version, sizeof(t->version));
}

/* ---- which driver ---- */

/* The file that execvp(@name) would run. */
static bool locate(const char *name, char *path, size_t size)
{
	const char *dirs = getenv("PATH");

	if (strchr(name, '/')) {
		snprintf(path, size, "%s", name);
		return !access(path, X_OK);
	}
	for (const char *p = dirs ? dirs : "/bin:/usr/bin"; *p;) {
		size_t len = strcspn(p, ":");

		snprintf(path, size, "%.*s%s%s", (int)len, p, len ? "/" : "./", name);
		if (!access(path, X_OK))
			return true;
		p += len + (p[len] == ':');
	}
	return false;
}

/* A program that is no driver would take the question for something else. */
static bool parent_driver(char *path, size_t size)
{
	static const char *const names[] = {"gcc", "g++", "c++", "gfortran", "gnat", "gdc"};
	char link[64];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/%ld/exe", (long)getppid());
	n = readlink(link, path, size - 1);
	if (n <= 0)
		return false;
	path[n] = '\0';
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strstr(strrchr(path, '/'), names[i]))
			return true;
	return false;
}

/* ---- answers that were given before ---- */

static uint64_t mix(uint64_t h, const char *s)
{
	for (; s && *s; s++)
		h = (h ^ (unsigned char)*s) * UINT64_C(0x100000001b3);
	return (h ^ 0xff) * UINT64_C(0x100000001b3);
}

static bool cache_read(const char *file, struct real_tool *t)
{
	FILE *f = fopen(file, "re");
	bool good;

	if (!f)
		return false;
	good = fscanf(f, "%4095[^\n]\n%127[^\n]\n%31[^\n]\n", t->path, t->machine, t->version) == 3;
	fclose(f);
	return good && !access(t->path, X_OK);
}

static void cache_write(const char *file, const struct real_tool *t)
{
	struct strbuf text = STRBUF_INIT;

	strbuf_printf(&text, "%s\n%s\n%s\n", t->path, t->machine, t->version);
	fs_write(file, text.s, text.len, NULL);
	strbuf_release(&text);
}

/* Everything that the answer depends on. */
static void cache_name(const char *cache, const char *driver, const char *tool, char *file, size_t size)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);
	char cwd[PATH_MAX] = "";

	if (driver[0] != '/' && !getcwd(cwd, sizeof(cwd)))
		cwd[0] = '\0';
	h = mix(mix(mix(h, driver), tool), cwd);
	h = mix(mix(mix(h, getenv("COMPILER_PATH")), getenv("GCC_EXEC_PREFIX")), getenv("PATH"));
	snprintf(file, size, "%s/tool-%016" PRIx64, cache, h);
}

int driver_find(const char *tool, const char *cache, struct real_tool *t, struct err *err)
{
	const char *name = getenv("COLLECT_GCC");
	char path[PATH_MAX], file[PATH_MAX + 32];
	bool found;

	if (name && cache) {
		cache_name(cache, name, tool, file, sizeof(file));
		if (cache_read(file, t))
			return 0;
	}
	found = name && locate(name, path, sizeof(path)) && ask_all(path, name, tool, t);
	if (!found)
		found = parent_driver(path, sizeof(path)) && ask_all(path, path, tool, t);
	if (!found)
		return err_set(err, -ENOENT,
			       "the driver '%s' knows no %s: is this language installed for it?",
			       name ? name : "(unknown)", tool);
	if (name && cache)
		cache_write(file, t);
	return 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * pack OUT NAME=FILE...: an initial file system for Linux (cpio, "newc"), with
 * /dev/console and the files as NAME; FILE may be empty for a directory.  Any
 * user can run it: the device is only an entry in the archive.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static FILE *out;
static unsigned long written;
static unsigned inode;

static void bytes(const void *data, size_t n)
{
	if (fwrite(data, 1, n, out) != n) {
		perror("pack: write");
		exit(3);
	}
	written += n;
}

static void align(void)
{
	bytes("\0\0\0", (4 - written % 4) % 4);
}

static void entry(const char *name, unsigned mode, const char *data, size_t n, unsigned major, unsigned minor)
{
	char head[111];

	snprintf(head, sizeof(head), "070701%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x", ++inode,
		 mode, 0u, 0u, 1u, 0u, (unsigned)n, 0u, 0u, major, minor, (unsigned)strlen(name) + 1, 0u);
	bytes(head, 110);
	bytes(name, strlen(name) + 1);
	align();
	bytes(data, n);
	align();
}

static char *contents(const char *path, size_t *n, unsigned *mode)
{
	struct stat st;
	FILE *f = fopen(path, "rb");
	char *data;

	if (!f || fstat(fileno(f), &st)) {
		perror(path);
		exit(3);
	}
	*n = (size_t)st.st_size;
	*mode = (unsigned)st.st_mode;
	data = malloc(*n + 1);
	if (!data || fread(data, 1, *n, f) != *n) {
		perror(path);
		exit(3);
	}
	fclose(f);
	return data;
}

/* Directories above NAME that were not there before. */
static void parents(const char *name)
{
	static char seen[64][96];
	static unsigned n;
	char path[96];

	for (const char *p = strchr(name, '/'); p; p = strchr(p + 1, '/')) {
		unsigned i;

		snprintf(path, sizeof(path), "%.*s", (int)(p - name), name);
		for (i = 0; i < n && strcmp(seen[i], path);)
			i++;
		if (i < n || n == 64)
			continue;
		strcpy(seen[n++], path);
		entry(path, S_IFDIR | 0755, "", 0, 0, 0);
	}
}

static void add(char *argument)
{
	char *file = strchr(argument, '='), *data;
	unsigned mode;
	size_t n;

	if (!file) {
		fprintf(stderr, "pack: '%s' is not NAME=FILE\n", argument);
		exit(2);
	}
	*file++ = '\0';
	parents(argument);
	if (!*file) {
		entry(argument, S_IFDIR | 0755, "", 0, 0, 0);
		return;
	}
	data = contents(file, &n, &mode);
	entry(argument, S_IFREG | (mode & 0111 ? 0755 : 0644), data, n, 0, 0);
	free(data);
}

int main(int argc, char **argv)
{
	out = argc > 1 ? fopen(argv[1], "wb") : NULL;
	if (!out) {
		fprintf(stderr, "usage: pack OUT NAME=FILE...\n");
		return 2;
	}
	parents("dev/");
	entry("dev/console", S_IFCHR | 0600, "", 0, 5, 1);
	for (int i = 2; i < argc; i++)
		add(argv[i]);
	entry("TRAILER!!!", 0, "", 0, 0, 0);
	return fclose(out) ? 3 : 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * perseus.so: what `-fplugin=perseus.so` loads.
 *
 * It uses no symbol of GCC and only the two structures that plugins have been
 * handed since GCC 4.5, so one file loads into every compiler.  It opens the
 * back end that was built for the compiler that runs, or says in one line
 * which one is missing; a back end opened directly by another version of GCC
 * would die in the dynamic loader on an undefined mangled symbol.  Probes are
 * machine code: a compiler for another processor goes on without, and says so.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dladdr */
#endif
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "target.h" /* of the folder in arch/ that the build is for */

#ifndef PERSEUS_PLUGIN_DIR
#define PERSEUS_PLUGIN_DIR "/usr/local/lib/perseus"
#endif
#ifndef PERSEUS_BACK_ENDS
#define PERSEUS_BACK_ENDS "?" /* major versions, separated by blanks */
#endif
#ifndef PERSEUS_BACK_ENDS_HASH
#define PERSEUS_BACK_ENDS_HASH "?" /* SHA-256 of their files: what caches hash this file for */
#endif
#define OLDEST  11
#define VISIBLE __attribute__((visibility("default")))

struct plugin_name_args;
struct plugin_gcc_version {
	const char *basever, *datestamp, *devphase, *revision, *configuration_arguments;
};
typedef int init_fn(struct plugin_name_args *, struct plugin_gcc_version *);

VISIBLE int plugin_is_GPL_compatible;
VISIBLE const char perseus_back_ends[] = PERSEUS_BACK_ENDS_HASH;
VISIBLE int plugin_init(struct plugin_name_args *args, struct plugin_gcc_version *gcc);

struct place {
	char path[PATH_MAX + 32];
	char why[PATH_MAX + 256]; /* it cannot be loaded */
	int exists;
};

/* Path of this shared object; "" if it has none. */
static void own_path(char *out)
{
	Dl_info info;

	out[0] = 0;
	if (dladdr(&plugin_is_GPL_compatible, &info) && info.dli_fname && strlen(info.dli_fname) < PATH_MAX)
		strcpy(out, info.dli_fname);
}

/* Do the parts that are mapped lie within the file? */
static int parts_fit(int fd, const Elf64_Ehdr *head, off_t size)
{
	Elf64_Phdr part;

	for (unsigned i = 0; i < head->e_phnum; i++) {
		off_t at = (off_t)head->e_phoff + (off_t)(i * sizeof(part));

		if (pread(fd, &part, sizeof(part), at) != (ssize_t)sizeof(part))
			return 0;
		if (part.p_type == PT_LOAD &&
		    (part.p_offset > (Elf64_Off)size || part.p_filesz > (Elf64_Off)size - part.p_offset))
			return 0;
	}
	return 1;
}

/* The dynamic loader dies of a file that was cut off; half-copied ones exist. */
static int is_whole(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), good;
	struct stat st;
	Elf64_Ehdr head;

	if (fd < 0)
		return 0;
	good = !fstat(fd, &st) && pread(fd, &head, sizeof(head), 0) == (ssize_t)sizeof(head) &&
	       !memcmp(head.e_ident, ELFMAG, SELFMAG) && head.e_ident[EI_CLASS] == ELFCLASS64 &&
	       head.e_phentsize == sizeof(Elf64_Phdr) && parts_fit(fd, &head, st.st_size);
	close(fd);
	return good;
}

/* Try to open the back end beside @file.  Symbols are bound when they are used:
   most compilations use few, and a look-up in the compiler costs thousands of
   instructions. */
static void *open_beside(const char *file, int major, struct place *at)
{
	const char *slash = strrchr(file, '/');
	void *handle;

	snprintf(at->path, sizeof(at->path), "%.*sperseus-gcc%d.so", slash ? (int)(slash - file + 1) : 0,
		 file, major);
	at->exists = slash && !access(at->path, F_OK);
	if (at->exists && !is_whole(at->path)) {
		snprintf(at->why, sizeof(at->why), "%s: cannot be read, or is cut off", at->path);
		return NULL;
	}
	handle = at->exists ? dlopen(at->path, RTLD_LAZY | RTLD_LOCAL) : NULL;
	if (handle)
		return handle;
	if (at->exists)
		snprintf(at->why, sizeof(at->why), "%s", dlerror());
	return NULL;
}

/* Beside the plugin as it was named, beside the file that a link leads to, and
   where `make install` puts it; what is there but damaged ends the search. */
static void *open_back_end(int major, struct place *at)
{
	char named[PATH_MAX], real[PATH_MAX];
	void *handle;

	own_path(named);
	handle = open_beside(named, major, at);
	if (!handle && !at->exists && realpath(named, real) && strcmp(named, real))
		handle = open_beside(real, major, at);
	if (!handle && !at->exists)
		handle = open_beside(PERSEUS_PLUGIN_DIR "/", major, at);
	return handle;
}

/*
 * One line on stderr: both versions, what is wrong, what to do.  GCC would add
 * a line of its own if plugin_init returned an error; nothing has been written
 * yet, and the driver takes the exit status as it is.
 */
static void shim_refuse(const char *version, int major, const struct place *at)
{
	fprintf(stderr,
		"%s: error: perseus: no back end perseus-gcc%d.so for this compiler, GCC %s (Perseus here is "
		"built for GCC %s): ",
		program_invocation_short_name, major, version, PERSEUS_BACK_ENDS);
	if (major < OLDEST)
		fprintf(stderr, "GCC %d is the oldest that Perseus knows; use a newer compiler\n", OLDEST);
	else if (at->exists)
		fprintf(stderr, "%s; the file is damaged or not ours, run make install again\n", at->why);
	else
		fprintf(stderr,
			"not in the folder of the plugin nor in %s; install the Debian package "
			"gcc-%d-plugin-dev, "
			"then make install\n",
			PERSEUS_PLUGIN_DIR, major);
	exit(1);
}

/* The machine that the compiler makes code for, as its builder named it, if there are no probes for it. */
static const char *other_machine(const struct plugin_gcc_version *gcc)
{
	static const char *const ours[] = {TARGET_BEGINS};
	static char name[64];
	const char *at = strstr(gcc->configuration_arguments, "--target=");

	if (!at || sscanf(at + strlen("--target="), "%63[^ ']", name) != 1)
		return NULL;
	for (size_t i = 0; i < sizeof(ours) / sizeof(*ours); i++)
		if (!strncmp(name, ours[i], strlen(ours[i])))
			return NULL;
	return name;
}

/* Whether nobody needs to be told: at the link, as the units said it, and where a configure step tries something. */
static int is_silent(void)
{
	static const char *const signs[] = {"conftest.", "CMakeTmp",    "CMakeScratch",
					    "cmTC_",     "CompilerIdC", "meson-private"};
	static char line[65536];
	int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, line, sizeof(line));

	if (fd >= 0)
		close(fd);
	for (size_t i = 0; n > 0 && i < sizeof(signs) / sizeof(*signs); i++)
		if (memmem(line, (size_t)n, signs[i], strlen(signs[i])))
			return 1;
	return !strcmp(program_invocation_short_name, "lto1");
}

int plugin_init(struct plugin_name_args *args, struct plugin_gcc_version *gcc)
{
	static struct place at;
	int major = atoi(gcc->basever);
	void *back_end;
	const char *machine = other_machine(gcc);
	init_fn *init;

	if (machine) {
		if (!is_silent())
			fprintf(stderr,
				"%s: perseus: no probes: they are for " TARGET_NAME
				", and this compiler makes code for %s\n",
				program_invocation_short_name, machine);
		return 0;
	}
	back_end = open_back_end(major, &at);
	if (!back_end)
		shim_refuse(gcc->basever, major, &at);
	*(void **)&init = dlsym(back_end, "perseus_init");
	if (!init) {
		at.exists = 1;
		snprintf(at.why, sizeof(at.why), "%s has no perseus_init", at.path);
		shim_refuse(gcc->basever, major, &at);
	}
	return init(args, gcc);
}

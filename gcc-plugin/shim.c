/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * perseus.so: what `-fplugin=perseus.so` loads.
 *
 * It uses no symbol of GCC and only the two structures that plugins have been
 * handed since GCC 4.5, so one file loads into every compiler.  It opens the
 * back end that was built for the compiler that runs, or says in one line
 * which one is missing; a back end opened directly by another version of GCC
 * would die in the dynamic loader on an undefined mangled symbol.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dladdr */
#endif
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef PERSEUS_PLUGIN_DIR
#define PERSEUS_PLUGIN_DIR "/usr/local/lib/perseus"
#endif
#define VISIBLE __attribute__((visibility("default")))

struct plugin_name_args;
struct plugin_gcc_version {
	const char *basever, *datestamp, *devphase, *revision, *configuration_arguments;
};
typedef int init_fn(struct plugin_name_args *, struct plugin_gcc_version *);

VISIBLE int plugin_is_GPL_compatible;
VISIBLE int plugin_init(struct plugin_name_args *args, struct plugin_gcc_version *gcc);

/* Folder of this shared object, with the final slash; "" if it has none. */
static void own_folder(char *out, size_t size)
{
	Dl_info info;
	const char *slash = NULL;

	out[0] = 0;
	if (dladdr(&plugin_is_GPL_compatible, &info) && info.dli_fname)
		slash = strrchr(info.dli_fname, '/');
	if (slash)
		snprintf(out, size, "%.*s", (int)(slash - info.dli_fname + 1), info.dli_fname);
}

static void *open_in(const char *folder, int major)
{
	char path[4200];

	snprintf(path, sizeof(path), "%sperseus-gcc%d.so", folder, major);
	return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

/* One line on stderr: both versions, what is missing, where to get it. */
static int refuse(const char *version, int major, const char *why)
{
	fprintf(stderr,
		"perseus: error: no back end perseus-gcc%d.so for this compiler, GCC %s (Perseus here is "
		"built for "
		"GCC %d): %s\n"
		"  install Perseus built for gcc-%d (Debian package gcc-%d-plugin-dev, then make install "
		"CC=gcc-%d)\n",
		major, version, __GNUC__, why, major, major, major);
	return 1;
}

int plugin_init(struct plugin_name_args *args, struct plugin_gcc_version *gcc)
{
	int major = atoi(gcc->basever);
	char folder[4096], why[512] = "not found";
	void *back_end;
	init_fn *init;

	own_folder(folder, sizeof(folder));
	back_end = open_in(folder, major);
	if (!back_end) {
		/* dlerror()'s text lives only until the next dl call. */
		snprintf(why, sizeof(why), "%s", dlerror());
		back_end = open_in(PERSEUS_PLUGIN_DIR "/", major);
	}
	if (!back_end)
		return refuse(gcc->basever, major, why);
	*(void **)&init = dlsym(back_end, "perseus_init");
	return init ? init(args, gcc) : refuse(gcc->basever, major, "it is no back end of Perseus");
}

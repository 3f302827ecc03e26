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

int plugin_init(struct plugin_name_args *args, struct plugin_gcc_version *gcc)
{
	int major = atoi(gcc->basever);
	char folder[4096];
	const char *why;
	void *back_end;
	init_fn *init;

	own_folder(folder, sizeof(folder));
	back_end = open_in(folder, major);
	why = back_end ? NULL : dlerror();
	if (!back_end)
		back_end = open_in(PERSEUS_PLUGIN_DIR "/", major);
	if (back_end) {
		*(void **)&init = dlsym(back_end, "perseus_init");
		if (init)
			return init(args, gcc);
		why = dlerror();
	}
	fprintf(stderr,
		"perseus: error: this compiler is GCC %s, but no back end "
		"perseus-gcc%d.so fits (this "
		"perseus.so was "
		"built beside GCC %d): %s; install Perseus built for gcc-%d (package "
		"gcc-%d-plugin-dev, then "
		"make "
		"install)\n",
		gcc->basever, major, __GNUC__, why ? why : "not found", major, major);
	return 1;
}

/* SPDX-License-Identifier: MIT */
/* Runs the main() of a library: of the file that is named, else of one that was linked. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : RTLD_NEXT;
	int (*run)(int, char **) = library ? (int (*)(int, char **))dlsym(library, "main") : NULL;

	if (!run) {
		fprintf(stderr, "loader: %s\n", dlerror());
		return 99;
	}
	return run(1, argv);
}

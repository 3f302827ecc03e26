/* SPDX-License-Identifier: MIT */
/* objects SCENARIO: objects that come, go, or do not fit. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/runtime/probe.h"

static struct prs_desc desc = {.version = PRS_ABI_VERSION, .n_calls = 2, .unit_id = 0x11};

static int load(const char *path, unsigned calls)
{
	void (*call)(unsigned);
	void *h = dlopen(path, RTLD_NOW | RTLD_LOCAL);

	if (!h) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	*(void **)&call = dlsym(h, "plug_call");
	call(calls);
	dlclose(h);
	return 0;
}

static int reload(const char *path, unsigned times)
{
	__prs_attach(&desc);
	for (unsigned i = 0; i < times; i++)
		if (load(path, 70))
			return 1;
	probe_leave(&desc, 0, probe_enter(&desc, 0));
	return 0;
}

/* Another version, far too many sites, and one that fits after them. */
static int misfits(void)
{
	static struct prs_desc other = {.version = PRS_ABI_VERSION + 1, .n_calls = 5, .unit_id = 0xbad};
	static struct prs_desc large = {.version = PRS_ABI_VERSION, .n_calls = 1u << 28, .unit_id = 0xb16};
	static struct prs_desc wide = {.version = PRS_ABI_VERSION, .n_calls = 2000000, .unit_id = 0x31de};

	__prs_attach(&other);
	__prs_attach(&large);
	__prs_attach(&desc);
	__prs_attach(&desc);
	__prs_attach(&wide);
	__prs_attach(&wide);
	probe_leave(&desc, 1, probe_enter(&desc, 1));
	probe_leave(&wide, 1999999, probe_enter(&wide, 1999999));
	return other.tls || large.tls || !desc.tls;
}

static struct prs_desc many[64];

static void *attacher(void *arg)
{
	for (int i = 0; i < 64; i++) {
		__prs_attach(&many[i]);
		probe_leave(&many[i], 1, probe_enter(&many[i], 1));
	}
	return arg;
}

/* Every thread attaches every object; each must get one piece of the block. */
static int race(void)
{
	pthread_t id[8];

	for (unsigned i = 0; i < 64; i++)
		many[i] = (struct prs_desc){.version = PRS_ABI_VERSION, .n_calls = 2, .unit_id = 0x1000 + i};
	for (int i = 0; i < 8; i++)
		pthread_create(&id[i], NULL, attacher, NULL);
	for (int i = 0; i < 8; i++)
		pthread_join(id[i], NULL);
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!__prs_attach)
		return 0;
	if (!strcmp(what, "reload") && argc > 3)
		return reload(argv[2], (unsigned)atoi(argv[3]));
	if (!strcmp(what, "misfits"))
		return misfits();
	if (!strcmp(what, "race"))
		return race();
	return 2;
}

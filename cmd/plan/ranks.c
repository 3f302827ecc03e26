/* SPDX-License-Identifier: MIT */
#include "cmd/plan/ranks.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/base/cmd.h"
#include "lib/hash.h"
#include "lib/mem.h"
#include "lib/spawn/part.h"

/* What a rank says before the search. */
struct word {
	int code;
	char hash[SHA256_HEX];
	char msg[sizeof(((struct err *)0)->msg)];
};

static void fall_silent(void)
{
	if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
		abort(); /* without /dev/null nothing works */
}

static int ranks_load(struct ranks_session *s, const char *path, struct err *err)
{
	/* Global, since the library loads parts of its own that look for its names. */
	void *handle = dlopen(path, RTLD_NOW | RTLD_GLOBAL);

	if (!handle)
		return err_set(err, -ENOTSUP, "cannot load '%s': %s", path, dlerror());
	s->module = dlsym(handle, RANKS_MODULE_SYMBOL);
	if (!s->module || s->module->version != RANKS_MODULE_VERSION) {
		s->module = NULL;
		return err_set(err, -ENOTSUP,
			       "'%s' is of another version of perseus\n  build and install again", path);
	}
	if (s->module->begin(&s->ranks)) {
		s->module = NULL;
		return err_set(err, -ENOTSUP, "the message passing library of '%s' does not start", path);
	}
	return 0;
}

/* How many processes mpirun says there are; 0: it did not start this one. */
static unsigned long started(void)
{
	const char *size = getenv("OMPI_COMM_WORLD_SIZE");

	return size ? strtoul(size, NULL, 10) : 0;
}

int ranks_begin(struct ranks_session *s, struct err *err)
{
	const char *rank = getenv("OMPI_COMM_WORLD_RANK");
	char path[PATH_MAX];
	int ret;

	*s = (struct ranks_session){0};
	if (started() < 2)
		return 0;
	ret = part_find("mpi", path, sizeof(path), NULL);
	if (ret)
		err_set(err, -ENOTSUP,
			"mpirun started %lu processes, but perseus-mpi.so is not part of this installation\n"
			"  install libopenmpi-dev and build again, or run perseus plan without mpirun",
			started());
	else
		ret = ranks_load(s, path, err);
	if (rank && strcmp(rank, "0") != 0)
		fall_silent();
	return ret;
}

const struct ranks *ranks_of(const struct ranks_session *s)
{
	return s->module ? &s->ranks : NULL;
}

static int ranks_compare(const struct word *all, uint32_t n, struct err *err)
{
	for (uint32_t i = 0; i < n; i++)
		if (all[i].code) {
			err_set(err, all[i].code, "%s", all[i].msg);
			return i ? err_prefix(err, "process %u of %u", i, n) : all[i].code;
		}
	for (uint32_t i = 1; i < n; i++)
		if (strcmp(all[i].hash, all[0].hash) != 0)
			return err_set(err, -EINVAL,
				       "process %u of %u has another model, platform or command line than "
				       "the first\n"
				       "  give all machines the same files",
				       i, n);
	return 0;
}

int ranks_join(const struct ranks_session *s, int ret, const char *hash, struct err *err)
{
	struct word own = {.code = ret}, *all;

	if (!s->module)
		return ret;
	if (ret)
		snprintf(own.msg, sizeof(own.msg), "%s", err->msg);
	else
		snprintf(own.hash, sizeof(own.hash), "%s", hash);
	all = mem_new(s->ranks.size, sizeof(*all));
	s->ranks.gather(s->ranks.ctx, &own, all, sizeof(own));
	ret = ranks_compare(all, s->ranks.size, err);
	free(all);
	return ret;
}

int ranks_end(struct ranks_session *s, int status)
{
	if (!s->module)
		return status;
	s->module->end();
	return s->ranks.rank ? CMD_OK : status;
}

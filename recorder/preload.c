/* SPDX-License-Identifier: MIT */
#include "recorder/preload.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/spawn/environment.h"
#include "lib/spawn/part.h"
#include "lib/strbuf.h"
#include "perseus/control.h"
#include "perseus/counter.h"
#include "perseus/denormal.h"
#include "perseus/record.h"
#include "perseus/trace.h"

void preload_list(struct environment *e, const char *name, const char *value, bool in_front)
{
	const char *old = getenv(name);

	if (!old || !*old)
		environment_set(e, "%s=%s", name, value);
	else
		environment_set(e, "%s=%s:%s", name, in_front ? value : old, in_front ? old : value);
}

/* The runtime first: what attaches comes to it. */
static void set_libraries(const struct preload *p, struct environment *e)
{
	struct strbuf list = STRBUF_INIT;

	strbuf_printf(&list, "%s%s%s", p->runtime, p->trial ? ":" : "", p->trial ? p->trial->libraries : "");
	preload_list(e, "LD_PRELOAD", list.s, true);
	strbuf_release(&list);
	if (p->trial)
		trial_watch_environment(p->trial, e);
}

static void make_environment(const struct preload *p, const struct target *t, struct environment *e)
{
	environment_set(e, PRS_ENV_DIR "=%s", p->run_dir);
	environment_set(e, PRS_ENV_PURPOSE "=%s", p->purpose);
	environment_set(e, PRS_ENV_SHARING "=%s", p->sharing);
	environment_set(e, PRS_ENV_BLOCK "=%llu", (unsigned long long)p->block_us);
	environment_set(e, PRS_ENV_LIMIT "=%llu", (unsigned long long)p->limit_mb);
	environment_set(e, PRS_ENV_BUDGET "=%u", p->budget_ppm);
	environment_set(e, PRS_DEN_ENV_RATE "=%llu", (unsigned long long)p->trap_rate);
	environment_set(e, PRS_ENV_START "=%d", p->watch.wake != NULL);
	environment_set(e, PRS_ENV_EVENTS "=%s", p->events ? p->events : "");
	environment_set(e, PRS_ENV_TRACE "=%s", p->trace ? p->trace : "");
	/* A program that carries the runtime must not get a second one; counts of denormals are none. */
	if (!t->elf.has_hooks || !strcmp(p->purpose, "denormal"))
		set_libraries(p, e);
	/* AddressSanitizer insists on being the first library, unless told otherwise. */
	if (t->elf.needs_asan)
		preload_list(e, "ASAN_OPTIONS", "verify_asan_link_order=0", false);
	vec_push(e, NULL);
}

int preload_find(const char *purpose, bool events, char *path, size_t size, struct err *err)
{
	bool own = !strcmp(purpose, "denormal") || !strcmp(purpose, "trap");
	const char *part = own ? purpose : events ? "runtime-events" : "runtime";
	int ret = part_find(part, path, size, err);

	if (ret)
		return ret;
	/* Entries of LD_PRELOAD end at blanks and colons. */
	if (!strpbrk(path, " :"))
		return 0;
	err_set(err, -ENOTSUP, "the runtime lies at '%s', and LD_PRELOAD takes no blank or colon", path);
	return err_advise(err, "install perseus below a path without them");
}

int preload_run(const struct preload *p, const struct target *t, char **argv, struct child_result *result,
		struct err *err)
{
	struct environment e = VEC_INIT;
	struct child_spec spec = {t->path, argv, NULL, -1, -1, -1, 0, p->watch, false};
	int ret;

	make_environment(p, t, &e);
	spec.environment = e.at;
	ret = child_run(&spec, result, err);
	environment_release(&e);
	return ret;
}

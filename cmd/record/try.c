/* SPDX-License-Identifier: MIT */
#include "cmd/record/try.h"

#include <errno.h>
#include <string.h>

#include "cmd/record/options.h"
#include "lib/mem.h"

int record_try_check(const struct record_options *o, struct err *err)
{
	if (!o->plan_try.plan && o->plan_try.socket)
		return err_set(err, -EINVAL, "--socket is perseusd's, for the frequency steps of --try");
	if (!o->plan_try.plan)
		return 0;
	if (!strcmp(o->purpose, "denormal"))
		return err_set(
			err, -EINVAL,
			"--try: the plan acts by the probes of calls; use --purpose=timing or sharing");
	if (o->start.signal || o->start.delay_ns || o->start.duration_ns)
		return err_set(err, -EINVAL,
			       "--try is of the whole run: without --start-signal, --delay and --duration");
	if (o->budget_ppm)
		return err_set(err, -EINVAL,
			       "--try has to see each call of the plan, --budget leaves some uncounted");
	return 0;
}

int record_try_prepare(struct record_try *t, const struct target *target, struct manifest *m, struct err *err)
{
	struct trial_request request = {.plan = t->plan, .program = target->real, .socket = t->socket};
	int ret;

	if (!t->plan)
		return 0;
	ret = trial_possible(target, err);
	if (!ret)
		ret = trial_make(&t->made, &request, err);
	if (!ret)
		ret = trial_watch_open(&t->watch, t->made.library, target, err);
	if (!ret)
		m->trial = mem_strdup(t->made.sha256);
	return ret;
}

const struct trial_watch *record_try_watch(const struct record_try *t)
{
	return t->plan ? &t->watch : NULL;
}

void record_try_end(struct record_try *t, const char *program, const struct child_result *child, bool quiet)
{
	struct try_told told = {.plan = t->plan, .program = program, .made = &t->made, .child = *child};
	struct strbuf out = STRBUF_INIT;

	if (!t->plan)
		return;
	if (t->watch.page && child->wall_ns)
		try_given_back(t->socket, t->watch.page);
	if (t->watch.page && child->wall_ns && !quiet) {
		told.status = *t->watch.page;
		try_text(&told, &out);
		cmd_put(stderr, out.s);
	}
	strbuf_release(&out);
	trial_watch_close(&t->watch);
	trial_made_release(&t->made);
}

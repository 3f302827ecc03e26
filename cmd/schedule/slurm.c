/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <signal.h>
#include <stdio.h>

#include "cmd/schedule/schedule.h"
#include "lib/json.h"
#include "scheduler/slurm/run.h"

#define POLL_MS 1000

static void say_line(void *arg, const char *text)
{
	(void)arg;
	cmd_say(stderr, "%s\n", text);
}

static void slurm_put(const struct schedule_opts *o, const struct workflow *w, const struct slurm_result *r)
{
	struct strbuf out = STRBUF_INIT;
	struct json j;

	if (o->json) {
		json_init(&j, &out);
		json_object(&j, NULL);
		json_u64(&j, "schema", 1);
		json_u64(&j, "tasks", w->tasks.n);
		json_u64(&j, "done", r->done);
		json_u64(&j, "failed", r->failed);
		json_u64(&j, "skipped", r->skipped);
		json_u64(&j, "lost", r->lost);
		json_end(&j);
		strbuf_puts(&out, "\n");
	} else {
		strbuf_printf(&out, "%zu tasks: %zu done, %zu failed, %zu not run, %zu of unknown end\n",
			      w->tasks.n, r->done, r->failed, r->skipped, r->lost);
	}
	cmd_put(stdout, out.s);
	strbuf_release(&out);
}

int schedule_slurm(const struct cmd *cmd, const struct schedule_opts *o, const struct workflow *w)
{
	struct strbuf journal = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct slurm_result r;
	int ret;

	strbuf_printf(&journal, "%s%s", o->log ? o->log : o->words[0], o->log ? "" : ".journal");
	ret = slurm_run(w,
			&(struct slurm_options){.journal = journal.s,
						.seed = o->seed,
						.effort = o->effort,
						.poll_ms = POLL_MS,
						.say = say_line},
			&r, &err);
	strbuf_release(&journal);
	if (ret == -EINTR)
		return cmd_fail(cmd, &err, 128 + SIGINT);
	if (ret == -ENOENT || ret == -EWOULDBLOCK)
		return cmd_fail(cmd, &err, CMD_MACHINE);
	if (ret)
		return cmd_fail(cmd, &err, cmd_status(&err));
	slurm_put(o, w, &r);
	return r.done == w->tasks.n ? CMD_OK : CMD_FINDINGS;
}

/* SPDX-License-Identifier: MIT */
#include "cmd/schedule/schedule.h"
#include "lib/fs.h"
#include "lib/json.h"
#include "scheduler/simulate/simulate.h"

static void simulated_json(struct json *j, enum policy p, const struct simulated *s)
{
	json_object(j, NULL);
	json_string(j, "policy", policies[p]);
	json_double(j, "makespan", s->makespan);
	json_double(j, "wait", s->wait);
	json_double(j, "idle_percent", 100 * s->idle);
	json_u64(j, "ended", s->ended);
	json_u64(j, "runs", s->runs);
	json_end(j);
}

/* All policies, one after the other; or one. */
static void simulated_put(const struct schedule_opts *o, const struct load *l)
{
	struct strbuf out = STRBUF_INIT;
	struct json j;

	json_init(&j, &out);
	if (o->json) {
		json_object(&j, NULL);
		json_u64(&j, "schema", 1);
		json_array(&j, "policies");
	}
	for (int p = 0; p < POLICIES; p++) {
		struct simulated s;

		if (o->policy != POLICIES && o->policy != (unsigned)p)
			continue;
		s = simulate(l, (enum policy)p, o->seed, o->effort);
		if (o->json)
			simulated_json(&j, (enum policy)p, &s);
		else
			strbuf_printf(
				&out,
				"%-9s makespan %.0f s, wait %.0f s, idle %.1f %%, %zu tasks in %zu runs\n",
				policies[p], s.makespan, s.wait, 100 * s.idle, s.ended, s.runs);
	}
	if (o->json) {
		json_end(&j);
		json_end(&j);
		strbuf_puts(&out, "\n");
	}
	cmd_put(stdout, out.s);
	strbuf_release(&out);
}

int schedule_simulate(const struct cmd *cmd, const struct schedule_opts *o)
{
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct load l;
	int ret = o->swf ? fs_read(o->swf, 0, &text, &err) : 0;

	if (!ret && o->swf)
		ret = load_read(&l, text.s, text.len, o->swf, o->tasks, o->nodes, &err);
	else if (!ret)
		load_make(&l, o->seed, o->tasks, o->nodes, o->error / 100, o->fail / 100);
	strbuf_release(&text);
	if (ret)
		return cmd_fail(cmd, &err, cmd_status(&err));
	simulated_put(o, &l);
	load_release(&l);
	return CMD_OK;
}

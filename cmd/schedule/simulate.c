/* SPDX-License-Identifier: MIT */
#include "cmd/schedule/schedule.h"
#include "lib/fs.h"
#include "lib/json.h"
#include "scheduler/simulate/mold.h"

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

static void molded_one(const struct schedule_opts *o, const struct mold_case *m, enum mold_policy policy,
		       struct json *j, struct strbuf *out)
{
	enum mold_policy done;
	struct simulated s = mold_run(m, o->seed, policy, &done);

	if (!o->json) {
		strbuf_printf(out, "%-10s makespan %.0f s, wait %.0f s, idle %.1f %%, %zu tasks",
			      mold_policies[policy], s.makespan, s.wait, 100 * s.idle, s.ended);
		strbuf_printf(out, policy == MOLD_CHOSEN ? ": %s\n" : "\n", mold_policies[done]);
		return;
	}
	json_object(j, NULL);
	json_string(j, "policy", mold_policies[policy]);
	json_string(j, "done", mold_policies[done]);
	json_double(j, "makespan", s.makespan);
	json_double(j, "wait", s.wait);
	json_double(j, "idle_percent", 100 * s.idle);
	json_u64(j, "ended", s.ended);
	json_end(j);
}

/* Registrations on any number of nodes, with probes and without. */
static void molded_put(const struct schedule_opts *o)
{
	const struct mold_case m = {.load = (enum mold_load)(o->load - 1),
				    .tasks = o->tasks,
				    .nodes = o->nodes,
				    .error = o->error / 100,
				    .cost = o->probe_cost / 100};
	struct strbuf out = STRBUF_INIT;
	struct json j;

	json_init(&j, &out);
	if (o->json) {
		json_object(&j, NULL);
		json_u64(&j, "schema", 1);
		json_array(&j, "policies");
	}
	for (unsigned p = 0; p < MOLD_POLICIES; p++)
		molded_one(o, &m, (enum mold_policy)p, &j, &out);
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
	int ret;

	if (o->load != SCHEDULE_LOAD_MIXED) {
		molded_put(o);
		return CMD_OK;
	}
	ret = o->swf ? fs_read(o->swf, 0, &text, &err) : 0;

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

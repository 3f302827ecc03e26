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

/* What is printed: one entry for each policy, as JSON if @o says so. */
struct listing {
	struct strbuf out;
	struct json j;
};

static void listing_begin(struct listing *l, const struct schedule_opts *o)
{
	*l = (struct listing){.out = STRBUF_INIT};
	json_init(&l->j, &l->out);
	if (!o->json)
		return;
	json_object(&l->j, NULL);
	json_u64(&l->j, "schema", 1);
	json_array(&l->j, "policies");
}

static void listing_end(struct listing *l, const struct schedule_opts *o)
{
	if (o->json) {
		json_end(&l->j);
		json_end(&l->j);
		strbuf_puts(&l->out, "\n");
	}
	cmd_put(stdout, l->out.s);
	strbuf_release(&l->out);
}

/* What of a log is not simulated. */
static void left_out(const struct schedule_opts *o, const struct load *l)
{
	if (l->idle)
		cmd_say(stderr, "note: %s: jobs left out that never ran: %zu\n", o->swf, l->idle);
	if (l->wide)
		cmd_say(stderr, "note: %s: jobs left out that had more than %d processors: %zu\n", o->swf,
			WORK_NODES, l->wide);
}

/* All policies, one after the other; or one. */
static void simulated_put(const struct schedule_opts *o, const struct load *l)
{
	struct listing list;

	listing_begin(&list, o);
	for (int p = 0; p < POLICIES; p++) {
		struct simulated s;

		if (o->policy != POLICIES && o->policy != (unsigned)p)
			continue;
		s = simulate(l, (enum policy)p, o->seed, o->effort);
		if (o->json)
			simulated_json(&list.j, (enum policy)p, &s);
		else
			strbuf_printf(
				&list.out,
				"%-9s makespan %.0f s, wait %.0f s, idle %.1f %%, %zu tasks in %zu runs\n",
				policies[p], s.makespan, s.wait, 100 * s.idle, s.ended, s.runs);
	}
	listing_end(&list, o);
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
	struct listing list;

	listing_begin(&list, o);
	for (unsigned p = 0; p < MOLD_POLICIES; p++)
		molded_one(o, &m, (enum mold_policy)p, &list.j, &list.out);
	listing_end(&list, o);
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
	left_out(o, &l);
	simulated_put(o, &l);
	load_release(&l);
	return CMD_OK;
}

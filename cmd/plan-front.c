/* SPDX-License-Identifier: MIT */
#include "cmd/plan-front.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "lib/num.h"
#include "lib/strbuf.h"

static int save(const struct plan *plan, const char *dir, uint32_t i, struct err *err)
{
	struct strbuf path = STRBUF_INIT;
	int ret;

	if (mkdir(dir, 0777) && errno != EEXIST)
		return err_set(err, -errno, "cannot make directory %s", dir);
	strbuf_printf(&path, "%s/front-%02u.yaml", dir, i + 1);
	ret = plan_save(plan, path.s, err);
	strbuf_release(&path);
	return ret;
}

int plan_front_make(const struct cmd *cmd, struct planner *p, const char *dir)
{
	struct err err = ERR_INIT;
	int ret = 0;

	for (uint32_t i = 0; i < p->n_plans && !ret; i++) {
		struct plan plan;

		ret = planner_front_plan(p, i, &plan, &err);
		if (ret)
			return cmd_fail(cmd, &err, cmd_status(&err));
		p->plans[i].starts = (uint32_t)plan_thread_starts(&plan);
		p->plans[i].triggers = (uint32_t)plan_call_triggers(&plan);
		if (dir)
			ret = save(&plan, dir, i, &err);
		plan_release(&plan);
	}
	return ret ? cmd_fail(cmd, &err, cmd_write_status(&err)) : CMD_OK;
}

static double share(uint64_t now, uint64_t base)
{
	return base ? 100.0 * ((double)now / (double)base - 1) : 0;
}

static void print_error(const struct planner *p)
{
	if (p->front_proven && p->front_error <= 0)
		puts("          exact before the prices of changes");
	else
		printf("          no plan is more than %.1f %% better in time and energy%s\n",
		       100 * p->front_error, p->front_proven ? " (thinned)" : " (not enumerated)");
}

void plan_front_print(const struct planner *p)
{
	const struct cost *base = &p->base_ev.total;

	if (!p->n_plans)
		return;
	puts("front         time              energy            peak     starts  triggers");
	for (uint32_t i = 0; i < p->n_plans; i++) {
		const struct front_plan *at = &p->plans[i];
		char time[32];

		printf("  %2u %9s %+6.1f %% %9.2f J %+6.1f %% %7.2f W %8u %9u%s\n", i + 1,
		       num_time(time, sizeof(time), (double)at->cost.time_ns * 1e-9),
		       share(at->cost.time_ns, base->time_ns), (double)at->cost.energy_pj * 1e-12,
		       share(at->cost.energy_pj, base->energy_pj), (double)at->cost.peak_mw / 1000,
		       at->starts, at->triggers, at->knee ? "  knee" : "");
	}
	print_error(p);
}

void plan_front_json(const struct planner *p, struct json *j)
{
	if (!p->n_plans)
		return;
	json_bool(j, "front_proven", p->front_proven);
	json_double(j, "front_error", p->front_error);
	json_array(j, "front");
	for (uint32_t i = 0; i < p->n_plans; i++) {
		const struct front_plan *at = &p->plans[i];

		json_object(j, NULL);
		json_u64(j, "time_ns", at->cost.time_ns);
		json_u64(j, "energy_nj", at->cost.energy_pj / 1000);
		json_u64(j, "peak_mw", at->cost.peak_mw);
		json_u64(j, "thread_starts", at->starts);
		json_u64(j, "call_triggers", at->triggers);
		json_bool(j, "knee", at->knee);
		json_end(j);
	}
	json_end(j);
}

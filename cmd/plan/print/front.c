/* SPDX-License-Identifier: MIT */
#include "cmd/plan/print/front.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/mem.h"
#include "lib/num.h"
#include "lib/strbuf.h"

#define FILES_MAX 99

/* "DIR/front-01.yaml"; the caller frees it. */
static char *file_name(const char *dir, uint32_t i)
{
	struct strbuf path = STRBUF_INIT;

	strbuf_printf(&path, "%s/front-%02u.yaml", dir, i + 1);
	return strbuf_detach(&path);
}

static void remove_files(const char *dir, uint32_t first, uint32_t last)
{
	for (uint32_t i = first; i < last; i++) {
		char *path = file_name(dir, i);

		unlink(path);
		free(path);
	}
}

static int save_all(const struct plan *plans, uint32_t n, const char *dir, struct err *err)
{
	int ret = 0;

	for (uint32_t i = 0; i < n && !ret; i++) {
		char *path = file_name(dir, i);

		ret = plan_save(&plans[i], path, err);
		free(path);
	}
	return ret;
}

static int move_all(uint32_t n, const char *from, const char *to, struct err *err)
{
	int ret = 0;

	for (uint32_t i = 0; i < n && !ret; i++) {
		char *old = file_name(from, i), *new = file_name(to, i);

		if (rename(old, new)) {
			ret = err_set(err, -errno, "cannot write %s: %s", new, strerror(errno));
			remove_files(to, 0, i);
		}
		free(old);
		free(new);
	}
	return ret;
}

/*
 * The directory gets all plans or none, and keeps none of an earlier front:
 * they are written, and read back, in one of their own inside of it.
 */
static int plan_front_fill(const struct plan *plans, uint32_t n, const char *dir, struct err *err)
{
	bool made = !mkdir(dir, 0777);
	struct strbuf own = STRBUF_INIT;
	int ret;

	if (!made && errno != EEXIST)
		return err_set(err, -errno, "cannot make directory %s: %s", dir, strerror(errno));
	strbuf_printf(&own, "%s/.front-XXXXXX", dir);
	if (!mkdtemp(own.s)) {
		ret = err_set(err, -errno, "cannot write into directory %s: %s", dir, strerror(errno));
	} else {
		ret = save_all(plans, n, own.s, err);
		if (!ret)
			ret = move_all(n, own.s, dir, err);
		remove_files(own.s, 0, n);
		rmdir(own.s);
	}
	if (!ret)
		remove_files(dir, n, FILES_MAX);
	else if (made)
		rmdir(dir);
	strbuf_release(&own);
	return ret;
}

int plan_front_make(const struct cmd *cmd, struct planner *p, const char *dir)
{
	struct plan *plans = mem_new(p->out.n_plans + 1, sizeof(*plans));
	struct err err = ERR_INIT;
	int ret = 0, status = CMD_OK;

	for (uint32_t i = 0; i < p->out.n_plans && !ret; i++) {
		ret = planner_front_plan(p, i, &plans[i], &err);
		if (ret)
			break;
		p->out.plans[i].starts = (uint32_t)plan_thread_starts(&plans[i]);
		p->out.plans[i].triggers = (uint32_t)plan_call_triggers(&plans[i]);
	}
	if (ret)
		status = cmd_fail(cmd, &err, cmd_status(&err));
	else if (dir && plan_front_fill(plans, p->out.n_plans, dir, &err))
		status = cmd_fail(cmd, &err, cmd_write_status(&err));
	for (uint32_t i = 0; i < p->out.n_plans; i++)
		plan_release(&plans[i]);
	free(plans);
	return status;
}

static double plan_front_share(uint64_t now, uint64_t base)
{
	return base ? 100.0 * ((double)now / (double)base - 1) : 0;
}

static void print_error(const struct outcome *o)
{
	if (o->front_proven && o->front_error <= 0)
		cmd_print("          exact before the prices of changes\n");
	else
		cmd_print("          no plan is more than %.1f %% better in time and energy%s\n",
			  100 * o->front_error, o->front_proven ? " (thinned)" : " (not enumerated)");
}

void plan_front_print(const struct outcome *o)
{
	const struct cost *base = &o->base_ev.total;

	if (!o->n_plans)
		return;
	cmd_print("front         time              energy            peak     starts  triggers\n");
	for (uint32_t i = 0; i < o->n_plans; i++) {
		const struct front_plan *at = &o->plans[i];
		char time[32];

		cmd_print(
			"  %2u %9s %+6.1f %% %9.2f J %+6.1f %% %7.2f W %8u %9u%s\n", i + 1,
			num_time(time, sizeof(time), (double)at->cost.time_ns * 1e-9),
			plan_front_share(at->cost.time_ns, base->time_ns), (double)at->cost.energy_pj * 1e-12,
			plan_front_share(at->cost.energy_pj, base->energy_pj),
			(double)at->cost.peak_mw / 1000, at->starts, at->triggers, at->knee ? "  knee" : "");
	}
	if (o->n_plans == 1 && o->plans[0].nothing)
		cmd_print("          nothing is set: no placement needs less time or less energy than the "
			  "baseline and `os` do\n");
	else
		print_error(o);
}

void plan_front_json(const struct outcome *o, struct json *j)
{
	if (!o->n_plans)
		return;
	json_bool(j, "front_proven", o->front_proven);
	json_double(j, "front_error", o->front_error);
	json_array(j, "front");
	for (uint32_t i = 0; i < o->n_plans; i++) {
		const struct front_plan *at = &o->plans[i];

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

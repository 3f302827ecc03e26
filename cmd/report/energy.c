/* SPDX-License-Identifier: MIT */
#include "cmd/report/energy.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>

#include "cmd/base/option.h"
#include "lib/fs.h"
#include "record/power/meter-file.h"
#include "report/summary.h"

int report_energy_take_rule(const struct cmd *cmd, const char *name, const char *value, void *to)
{
	struct report_energy_opts *o = to;
	int i = option_choice(cmd, name, value, energy_rules);

	if (i >= 0)
		o->rule = (enum energy_rule)i;
	o->wanted = true;
	return i < 0 ? CMD_USAGE : 0;
}

int report_energy_check_meter(const char *meter, struct err *err)
{
	struct meter_file_options o;
	int ret = meter_file_options_parse(&o, meter, err);

	if (!ret)
		meter_file_options_release(&o);
	return ret;
}

/* joules.yaml of @run: 1, 0 if it has none, or a negative errno. */
static int load(struct joules *j, const struct run *run, struct err *err)
{
	char path[PATH_MAX];
	int ret;

	if (snprintf(path, sizeof(path), "%s/" JOULES_FILE, run->path) >= (int)sizeof(path))
		return err_set(err, -ENAMETOOLONG, "the path of the run is too long");
	ret = fs_is_there(path, err);
	if (ret <= 0)
		return ret;
	ret = joules_load(j, path, err);
	return ret ? ret : 1;
}

/* What a file of a meter says that was fetched since. */
static int measure(struct joules *j, const char *meter, struct err *err)
{
	struct meter_file_options o;
	int ret = meter_file_options_parse(&o, meter, err);

	if (ret)
		return ret;
	ret = meter_file_measure(j, &o, err);
	meter_file_options_release(&o);
	return ret;
}

static int print(const struct run *run, struct joules *j, const struct energy_wanted *w,
		 const struct report_view *view, bool json)
{
	struct strbuf out = STRBUF_INIT;
	struct report_summary s;
	struct energy_report r;
	int status;

	report_summarise(&s, run);
	energy_report_make(&r, &s, j, w);
	if (json)
		energy_report_json(&r, view, &out);
	else
		energy_report_text(&r, view, &out);
	cmd_put(stdout, out.s);
	status = r.mode == ENERGY_ABSENT ? CMD_MACHINE : CMD_OK;
	energy_report_release(&r);
	report_summary_release(&s);
	strbuf_release(&out);
	return status;
}

int report_energy_print(const struct cmd *cmd, const struct report_energy_opts *o, const struct run *run,
			const struct report_view *view, bool json)
{
	struct energy_wanted w = {NULL, o->rule};
	struct err err = ERR_INIT;
	struct joules j = {0};
	struct energy model;
	int ret = load(&j, run, &err), status;

	if (ret > 0 && o->meter && measure(&j, o->meter, &err))
		ret = err.code;
	if (ret >= 0 && o->model && !energy_load(&model, o->model, &err))
		w.model = &model;
	if (ret < 0 || err.code) {
		joules_release(&j);
		return cmd_fail(cmd, &err, cmd_status(&err));
	}
	status = print(run, ret ? &j : NULL, &w, view, json);
	if (w.model)
		energy_release(&model);
	return status;
}

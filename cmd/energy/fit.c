/* SPDX-License-Identifier: MIT */
/* perseus energy fit, check and watts: files, and what becomes of them. */
#include <string.h>

#include "analyzer/energy/watts.h"
#include "cmd/energy/energy.h"

int energy_run_fit(const struct cmd *cmd, const struct energy_request *r, const char *table)
{
	struct err err = ERR_INIT;
	struct energy doc;
	int ret = energy_train(&doc, table, &r->fit, &err);

	if (ret)
		return cmd_fail(cmd, &err, cmd_status(&err));
	ret = energy_save(&doc, r->output, &err) ? cmd_fail(cmd, &err, cmd_write_status(&err)) : CMD_OK;
	if (!ret && r->json) {
		energy_print_json(&doc);
	} else if (!ret) {
		/* With the document on stdout, the talk goes to the other side. */
		FILE *out = strcmp(r->output, "-") ? stdout : stderr;

		energy_print(out, &doc, r->verbose);
		if (out == stdout)
			cmd_print("wrote %s\n", r->output);
	}
	energy_release(&doc);
	return ret;
}

int energy_run_check(const struct cmd *cmd, const struct energy_request *r, const char *model,
		     const char *table)
{
	struct err err = ERR_INIT;
	struct energy_check result;
	struct energy doc;
	bool passed;

	if (energy_load(&doc, model, &err))
		return cmd_fail(cmd, &err, cmd_status(&err));
	if (energy_check_table(&result, &doc, table, &r->fit.columns, &err)) {
		energy_release(&doc);
		return cmd_fail(cmd, &err, cmd_status(&err));
	}
	if (r->json)
		energy_print_check_json(&doc, &result);
	else
		energy_print_check(&doc, &result);
	passed = 100.0 * (double)result.held >= r->least * (double)result.rows;
	energy_check_release(&result);
	energy_release(&doc);
	return passed ? CMD_OK : CMD_FINDINGS;
}

static void print_steps(FILE *out, const struct platform *p)
{
	cmd_say(out, "%-10s %18s %18s\n", "MHz", "busy core", "idle core");
	for (uint32_t i = 0; i < p->n_steps; i++) {
		const struct platform_step *s = &p->steps[i];

		cmd_say(out, "%-10.0f %7.2f +- %5.2f W %7.2f +- %5.2f W\n", s->khz / 1e3,
			(double)s->busy_mw / 1e3, (double)s->busy_error_mw / 1e3, (double)s->idle_mw / 1e3,
			(double)s->idle_error_mw / 1e3);
	}
}

int energy_run_watts(const struct cmd *cmd, const struct energy_request *r, const char *model,
		     const char *platform)
{
	const char *output = r->output ? r->output : platform;
	struct err err = ERR_INIT;
	struct platform p;
	struct energy doc;
	int ret = energy_load(&doc, model, &err);

	if (ret)
		return cmd_fail(cmd, &err, cmd_status(&err));
	if (platform_load(&p, platform, &err)) {
		energy_release(&doc);
		return cmd_fail(cmd, &err, cmd_status(&err));
	}
	if (energy_fill_platform(&p, &doc, r->cores, &err))
		ret = cmd_fail(cmd, &err, cmd_status(&err));
	else if (platform_save(&p, output, &err))
		ret = cmd_fail(cmd, &err, cmd_write_status(&err));
	if (!ret) {
		FILE *out = strcmp(output, "-") ? stdout : stderr;

		print_steps(out, &p);
		if (out == stdout)
			cmd_print("wrote %s\n", output);
	}
	platform_release(&p);
	energy_release(&doc);
	return ret;
}

/* SPDX-License-Identifier: MIT */
#include "cmd/base/option.h"
#include "cmd/plan/diff.h"

#include <getopt.h>
#include <stdbool.h>
#include <string.h>

#include "lib/json.h"
#include "planner/diff/diff.h"
#include "yaml/plan.h"

static void change_json(struct json *j, const struct diff_change *c)
{
	json_object(j, NULL);
	json_string(j, "kind", diff_kind_name(c->kind));
	json_string(j, "subject", c->subject);
	if (c->what)
		json_string(j, "what", c->what);
	if (c->trigger != PLAN_NONE)
		json_u64(j, "trigger", c->trigger);
	json_string(j, "before", c->before);
	json_string(j, "after", c->after);
	json_string(j, "text", c->text);
	json_end(j);
}

static void diff_print_json(const struct plan_diff *d)
{
	struct strbuf out = STRBUF_INIT;
	struct json j;

	json_init(&j, &out);
	json_object(&j, NULL);
	json_bool(&j, "same", !d->n_differences);
	json_u64(&j, "differences", d->n_differences);
	json_array(&j, "changes");
	for (size_t i = 0; i < d->changes.n; i++)
		change_json(&j, &d->changes.at[i]);
	json_end(&j);
	json_end(&j);
	cmd_print("%s\n", out.s);
	strbuf_release(&out);
}

static void print_text(const struct plan_diff *d, const char *old, const char *new)
{
	size_t notes = d->changes.n - d->n_differences;

	if (d->n_differences)
		cmd_print("different: %zu difference%s from %s to %s\n", d->n_differences,
			  d->n_differences == 1 ? "" : "s", old, new);
	else
		cmd_print("the plans mean the same\n");
	for (size_t i = 0; i < d->changes.n; i++)
		cmd_print("%-9s %s\n", diff_kind_name(d->changes.at[i].kind), d->changes.at[i].text);
	if (notes && !d->n_differences)
		cmd_print("Notes say how a plan was found and why: they change nothing that it sets or "
			  "promises.\n");
}

static int diff_load(struct plan *plan, const char *path, const struct cmd *cmd)
{
	struct err err = ERR_INIT;

	return plan_load(plan, path, &err) ? cmd_fail(cmd, &err, CMD_DATA) : CMD_OK;
}

int plan_diff_run(const struct cmd *cmd, int argc, char **argv)
{
	struct plan plans[2] = {{0}, {0}};
	struct plan_diff d;
	bool json = false;
	const struct option_row rows[] = {OPTION_FLAG(0, "json", &json), OPTION_END};
	int status;

	status = option_read(cmd, rows, argc, argv, OPTION_OPERANDS);
	if (status)
		return status;
	if (argc - optind != 2)
		return cmd_usage(cmd, "diff: expected two plans, got %d", argc - optind);
	status = diff_load(&plans[0], argv[optind], cmd);
	if (!status)
		status = diff_load(&plans[1], argv[optind + 1], cmd);
	if (!status) {
		plan_diff(&d, &plans[0], &plans[1]);
		if (json)
			diff_print_json(&d);
		else
			print_text(&d, argv[optind], argv[optind + 1]);
		status = d.n_differences ? CMD_FINDINGS : CMD_OK;
		plan_diff_release(&d);
	}
	plan_release(&plans[0]);
	plan_release(&plans[1]);
	return status;
}

/* SPDX-License-Identifier: MIT */
#include "cmd/plan/files.h"

#include "lib/fs.h"
#include "lib/strbuf.h"
#include "planner/result/export.h"

int plan_write_export(const struct cmd *cmd, const struct planner *p, const struct plan_options *o)
{
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;
	int status = CMD_OK;

	if (!o->export)
		return CMD_OK;
	if (planner_export(&p->out, &text, &err)) {
		err_prefix(&err, "cannot export");
		status = cmd_fail(cmd, &err, cmd_status(&err));
	} else if (fs_write(o->export, text.s, text.len, &err)) {
		status = cmd_fail(cmd, &err, cmd_write_status(&err));
	}
	strbuf_release(&text);
	return status;
}

int plan_write_log(const struct cmd *cmd, const struct convergence *log, const struct plan_options *o)
{
	struct err err = ERR_INIT;

	if (!o->log || !fs_write(o->log, log->text.s, log->text.len, &err))
		return CMD_OK;
	return cmd_fail(cmd, &err, cmd_write_status(&err));
}

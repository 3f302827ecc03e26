/* SPDX-License-Identifier: MIT */
#include "cmd/calibrate/show.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd/calibrate/print.h"
#include "cmd/calibrate/snoops.h"
#include "lib/fs.h"
#include "yaml/platform.h"

/* Beside the platform: it is no price of it, and is measured apart. */
static void snoops_path(const char *output, char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, "%.*s.snoops", PATH_MAX - 16, output);
}

int calibrate_snoops(const struct cmd *cmd, const char *output, bool quick)
{
	struct snoops_rows rows = VEC_INIT;
	struct err err = ERR_INIT;
	char path[PATH_MAX];
	int ret;

	snoops_path(output, path);
	ret = snoops_measure(&rows, quick, &err);
	if (!ret)
		ret = snoops_save(&rows, path, &err);
	if (!ret) {
		snoops_print(stdout, &rows);
		cmd_print("wrote %s\n", path);
	}
	vec_release(&rows);
	return ret ? cmd_fail(cmd, &err, CMD_MACHINE) : CMD_OK;
}

int calibrate_show(const struct cmd *cmd, const char *output)
{
	struct snoops_rows rows = VEC_INIT;
	struct err err = ERR_INIT;
	char path[PATH_MAX];
	struct platform p;
	int ret = platform_load(&p, output, &err);

	if (ret)
		return cmd_fail(cmd, &err, cmd_status(&err));
	calibrate_print_platform(stdout, &p);
	platform_release(&p);
	snoops_path(output, path);
	ret = fs_is_there(path, &err);
	if (!ret) {
		cmd_print("snoops    not measured: perseus calibrate --snoops -o %s\n", output);
	} else if (ret > 0) {
		ret = snoops_load(&rows, path, &err);
		if (!ret)
			snoops_print(stdout, &rows);
	}
	vec_release(&rows);
	return ret ? cmd_fail(cmd, &err, cmd_status(&err)) : CMD_OK;
}

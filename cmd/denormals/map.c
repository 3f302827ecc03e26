/* SPDX-License-Identifier: MIT */
#include "cmd/denormals/map.h"

#include <errno.h>
#include <string.h>

#include "lib/fs.h"
#include "report/denormal/report.h"

int map_draw(const struct cmd *cmd, const struct denormal_run *run, const char *path)
{
	struct strbuf png = STRBUF_INIT, legend = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct denormal_report r;
	int status = CMD_OK;

	denormal_report_make(&r, run, NULL);
	if (!run->counts.maps.n) {
		err_set(&err, -ENODATA, "run '%s' has no maps", run->path);
		err_advise(
			&err,
			run->counts.origins
				? "no denormals were stored by code that was built with them"
				: "build with -fplugin-arg-perseus-probe=denormal:origin, then record again");
		status = cmd_fail(cmd, &err, CMD_DATA);
	} else if (denormal_map_png(&r, &png, &legend, &err)) {
		status = cmd_fail(cmd, &err, cmd_status(&err));
	} else if (fs_write(path, png.s, png.len, &err)) {
		status = cmd_fail(cmd, &err, cmd_write_status(&err));
	} else {
		cmd_put(strcmp(path, "-") ? stdout : stderr, legend.s);
	}
	denormal_report_release(&r);
	strbuf_release(&png);
	strbuf_release(&legend);
	return status;
}

/* SPDX-License-Identifier: MIT */
#include "cmd/record/close.h"

#include "cmd/base/print.h"
#include "record/file/seal.h"
#include "record/run.h"
#include "report/summary.h"

int record_summarise(const struct rundir *dir, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	struct run run;
	int ret = run_open(&run, dir->path, err);

	if (ret)
		return ret;
	ret = report_summary_text(&run, &text, err);
	if (!ret)
		cmd_put(stderr, text.s);
	strbuf_release(&text);
	run_close(&run);
	return ret;
}

void record_seal(const struct rundir *dir)
{
	struct err err = ERR_INIT;

	if (seal_run(dir->absolute, NULL, &err))
		cmd_say(stderr, "perseus record: %s\n  it is left without checksums\n", err.msg);
}

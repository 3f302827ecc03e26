/* SPDX-License-Identifier: MIT */

#include "lib/fs.h"
#include "report/denormal/report.h"

/* Its prices are taken if nobody names others. */
#define DENORMAL_PLATFORM "platform.yaml"

int denormal_case_open(struct denormal_case *c, const char *name, const char *platform, struct err *err)
{
	int ret = platform ? 0 : fs_is_there(DENORMAL_PLATFORM, err);

	*c = (struct denormal_case){.platformed = false};
	if (ret < 0)
		return ret;
	if (ret)
		platform = DENORMAL_PLATFORM;
	ret = platform ? platform_find(&c->platform, platform, err) : 0;
	if (ret)
		return ret;
	c->platformed = platform != NULL;
	ret = denormal_run_open(&c->run, name, err);
	if (!ret)
		denormal_report_make(&c->rep, &c->run, c->platformed ? &c->platform : NULL);
	else if (c->platformed)
		platform_release(&c->platform);
	return ret;
}

bool denormal_is_run(const char *name)
{
	struct err quiet = ERR_INIT;
	struct denormal_run run;

	if (denormal_run_open(&run, name, &quiet))
		return false;
	denormal_run_close(&run);
	return true;
}

void denormal_case_close(struct denormal_case *c)
{
	denormal_report_release(&c->rep);
	denormal_run_close(&c->run);
	if (c->platformed)
		platform_release(&c->platform);
	*c = (struct denormal_case){.platformed = false};
}

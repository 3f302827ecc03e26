/* SPDX-License-Identifier: MIT */
#include "cmd/plan/weigh.h"

#include <errno.h>
#include <string.h>

int plan_weigh_run(struct plan_weigh *x, const struct plan_options *o, const struct model *model,
		   const struct platform *platform, struct err *err)
{
	int ret = plan_load(&x->proposed, o->layouts, err);

	if (ret) {
		if (ret == -ENOENT)
			err_advise(err, "perseus conflicts --plan=%s writes it", o->layouts);
		return ret;
	}
	if (strcmp(x->proposed.program, model->program))
		return err_set(err, -EINVAL, "'%s' has layouts of %s, the model is of %s", o->layouts,
			       x->proposed.program, model->program);
	return weigh_run(&x->w, model, platform, &x->proposed, &o->search, &o->weigh, err);
}

void plan_weigh_release(struct plan_weigh *x)
{
	weigh_release(&x->w);
	plan_release(&x->proposed);
}

/* SPDX-License-Identifier: MIT */
#include "cmd/plan/models.h"

#include <stdlib.h>

#include "lib/mem.h"

int plan_models_load(struct plan_models *m, char *const *names, uint32_t n, struct err *err)
{
	int ret = 0;

	*m = (struct plan_models){.at = mem_new(n, sizeof(*m->at))};
	for (; m->n < n && !ret; m->n += !ret)
		ret = model_load(&m->at[m->n], names[m->n], err);
	if (!ret && n > 1)
		ret = inputs_join(&m->inputs, m->at, (const char *const *)names, n, err);
	m->model = n > 1 ? &m->inputs.joined : &m->at[0];
	return ret;
}

void plan_models_release(struct plan_models *m)
{
	inputs_release(&m->inputs);
	for (uint32_t i = 0; i < m->n; i++)
		model_release(&m->at[i]);
	free(m->at);
	*m = (struct plan_models){0};
}

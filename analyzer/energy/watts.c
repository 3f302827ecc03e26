/* SPDX-License-Identifier: MIT */
#include "analyzer/energy/watts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "lib/mem.h"

#define SAME_STEP 0.03 /* a frequency that was measured is a step if it is as near to it */

static const struct energy_model *model_of(const struct energy *e, uint32_t khz)
{
	for (size_t i = 0; i < e->n_models; i++)
		if (e->models[i].mhz > 0 && fabs(khz / 1e3 / e->models[i].mhz - 1) < SAME_STEP)
			return &e->models[i];
	return e->n_models == 1 && !e->models[0].mhz && !e->models[0].scaled ? &e->models[0] : NULL;
}

static double mean_power(const struct energy_model *m)
{
	double watts = m->constant;

	for (size_t i = 0; i < m->n_weights; i++)
		watts += m->weights[i] * m->mean[i];
	return watts;
}

static uint64_t milliwatts(double watts)
{
	return watts > 0 ? (uint64_t)(watts * 1000 + 0.5) : 0;
}

static int fill_step(struct platform_step *s, const struct platform *p, const struct energy *e, double cores,
		     struct err *err)
{
	const struct energy_model *m = model_of(e, s->khz);
	double power, idle, error;

	if (!m)
		return err_set(
			err, -EINVAL,
			"'%s' has no model for %.0f MHz, a step of the platform\n  train at each step of it",
			e->source, s->khz / 1e3);
	if (m->interval <= 0)
		return err_set(
			err, -EINVAL,
			"the model for %.0f MHz was not tested on other programs: its error is not known",
			s->khz / 1e3);
	power = mean_power(m);
	if (m->constant < 0 || power <= m->constant)
		return err_set(
			err, -EINVAL,
			"the model for %.0f MHz says %.3g W for idle cores and %.3g W for busy ones\n  "
			"fit it with --model=nnls",
			s->khz / 1e3, m->constant, power);
	idle = m->constant / p->n_cores;
	error = m->interval * power;
	s->idle_mw = milliwatts(idle);
	s->busy_mw = milliwatts(idle + (power - m->constant) / cores);
	s->idle_error_mw = milliwatts(error / p->n_cores);
	s->busy_error_mw = milliwatts(error / cores);
	return 0;
}

int energy_fill_platform(struct platform *p, const struct energy *e, double cores, struct err *err)
{
	struct platform_step *steps = mem_new(p->n_steps, sizeof(*steps));
	int ret = 0;

	for (uint32_t i = 0; i < p->n_steps && !ret; i++) {
		steps[i] = p->steps[i];
		ret = fill_step(&steps[i], p, e, cores, err);
	}
	if (ret) {
		free(steps);
		return ret;
	}
	free(p->steps);
	p->steps = steps;
	p->energy_known = true;
	platform_complete(p);
	return 0;
}

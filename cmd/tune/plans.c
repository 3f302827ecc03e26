/* SPDX-License-Identifier: MIT */
#include "cmd/tune/plans.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/try/try.h"
#include "lib/mem.h"
#include "recorder/preload.h"

static const char none[] = "none"; /* the program as it is */

static int find_tunable(struct tune_plans *p, const struct space *space, const char *name, struct err *err)
{
	for (size_t j = 0; j < space->n_tunables; j++)
		if (!strcmp(space->tunables[j].name, name))
			p->tunable = j;
	if (p->tunable == SIZE_MAX)
		return err_set(err, -EINVAL, "--plans=%s: there is no such tunable", name);
	if (space->tunables[p->tunable].kind != TUNABLE_LIST)
		return err_set(err, -EINVAL, "--plans=%s: expected a list, of plans and `none`", name);
	return 0;
}

int tune_plans_open(struct tune_plans *p, const struct space *space, const char *name, const char *program,
		    const char *keep, const char *socket, struct err *err)
{
	struct target target;
	int ret;

	*p = (struct tune_plans){.tunable = SIZE_MAX, .socket = socket};
	if (!name)
		return 0;
	ret = find_tunable(p, space, name, err);
	if (!ret)
		ret = target_find(&target, program, err);
	if (!ret)
		ret = trial_possible(&target, err);
	if (ret)
		return ret;
	p->n = space->tunables[p->tunable].n_values;
	p->made = mem_new(p->n, sizeof(*p->made));
	p->watch = mem_new(p->n, sizeof(*p->watch));
	for (size_t i = 0; i < p->n && !ret; i++) {
		const char *plan = space->tunables[p->tunable].values[i];
		struct trial_request request = {
			.plan = plan, .program = target.real, .keep = keep, .socket = socket};

		if (!strcmp(plan, none))
			continue;
		ret = trial_make(&p->made[i], &request, err);
		if (!ret)
			ret = trial_watch_open(&p->watch[i], p->made[i].library, &target, err);
	}
	return ret;
}

void tune_plans_close(struct tune_plans *p)
{
	for (size_t i = 0; i < p->n; i++) {
		trial_watch_close(&p->watch[i]);
		trial_made_release(&p->made[i]);
	}
	free(p->made);
	free(p->watch);
	*p = (struct tune_plans){.tunable = SIZE_MAX};
}

/* The watch of the plan in @x, NULL: it has none. */
static const struct trial_watch *watch_of(const struct tune_plans *p, const struct setting *x)
{
	if (p->tunable == SIZE_MAX || !p->n || !p->watch[x->at[p->tunable]].page)
		return NULL;
	return &p->watch[x->at[p->tunable]];
}

void tune_plans_environment(const struct tune_plans *p, const struct space *space, const struct setting *x,
			    struct environment *e)
{
	const struct trial_watch *w = watch_of(p, x);

	(void)space;
	if (!w)
		return;
	trial_watch_environment(w, e);
	preload_list(e, "LD_PRELOAD", w->libraries, true);
}

int tune_plans_begin(const struct tune_plans *p, const struct setting *x, struct err *err)
{
	const struct trial_watch *w = watch_of(p, x);

	return w ? trial_watch_again(w, err) : 0;
}

void tune_plans_end(const struct tune_plans *p, const struct setting *x)
{
	const struct trial_watch *w = watch_of(p, x);

	if (w)
		try_given_back(p->socket, w->page);
}

/* Of the five outcomes of a setting the first is that it was made. */
static uint32_t not_made(const uint32_t *outcomes)
{
	return outcomes[1] + outcomes[2] + outcomes[3] + outcomes[4];
}

int tune_plans_acted(const struct tune_plans *p, const struct space *space, const struct setting *x,
		     struct err *err)
{
	const struct trial_watch *w = watch_of(p, x);
	const char *plan = w ? space->tunables[p->tunable].values[x->at[p->tunable]] : "";
	uint32_t cores, steps;

	if (!w)
		return 0;
	if (!w->page->processes)
		return err_set(err, -ENOTSUP, "'%s' did not act: the program clears its environment", plan);
	if (w->page->words[PRS_TRIAL_MACHINE] != 1)
		return err_set(err, -ENOTSUP, "'%s' is of another machine: nothing was set", plan);
	cores = not_made(w->page->words + PRS_TRIAL_PINS);
	steps = not_made(w->page->words + PRS_TRIAL_STEPS);
	if (!cores && !steps)
		return 0;
	err_set(err, -ENOTSUP,
		"'%s' did not act as planned: %" PRIu32 " cores and %" PRIu32 " frequency steps were not set",
		plan, cores, steps);
	return err_advise(err, "`perseus try` says why");
}

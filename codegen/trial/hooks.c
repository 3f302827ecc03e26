/* SPDX-License-Identifier: MIT */
/* Sites of a plan among the call slots of a program. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codegen/trial/trial.h"
#include "perseus/sites.h"
#include "perseus/triggers.h"

#define HOOKS_MOST 65534u /* slots name them by 16 bits */

static int another_call(const struct plan_site *s, const struct run_call_site *c, const char *program,
			struct err *err)
{
	err_set(err, -EINVAL,
		"site %s is the call of '%s' in '%s' in '%s', the plan has it as that of '%s' in '%s'", s->id,
		c->callee, c->function, program, s->callee, s->function);
	return err_advise(err, "id and names come from the record together: was the plan changed by hand?");
}

/* A count of equal calls, or what stood beside this one, tells whether calls were added in between. */
static int moved(const struct plan_site *s, const struct run_call_site *c, const char *program,
		 struct err *err)
{
	err_set(err, -EINVAL,
		"site %s, the call of '%s' in '%s' (line %" PRIu32
		"): '%s' has other calls beside it than the recorded build",
		s->id, s->callee, s->function, c->line, program);
	return err_advise(err, "record this build and plan again");
}

static int check_call(const struct plan_site *s, const struct run_call_site *c, bool after,
		      const char *program, struct err *err)
{
	if (strcmp(s->function, c->function) || strcmp(s->callee, c->callee))
		return another_call(s, c, program, err);
	if ((s->equal && c->equal && s->equal != c->equal) ||
	    (s->equal > 1 && s->near && c->near && strcmp(s->near, c->near)))
		return moved(s, c, program, err);
	if (after && run_has_flag(c->flags, PRS_CF_NORETURN))
		return err_set(err, -EINVAL,
			       "site %s: nothing can be done after a call of '%s', which does not return",
			       s->id, s->callee);
	return 0;
}

static bool is_site(const struct plan_site *s, const struct run_call_site *c)
{
	return !run_site_is_frame(c) && !strcmp(s->id, c->id) &&
	       (!strcmp(s->instance, "*") || !strcmp(s->instance, c->instance));
}

/* Equal objects share an id, and hooks. */
static bool seen_before(const struct sites *sites, size_t unit)
{
	for (size_t i = 0; i < unit; i++)
		if (sites->units[i].unit_id == sites->units[unit].unit_id)
			return true;
	return false;
}

struct searching {
	struct trial_hooks *hooks;
	const struct sites *sites;
	const char *program;
};

static int not_there(const struct plan_site *s, const char *program, struct err *err)
{
	err_set(err, -EINVAL, "site %s, the call of '%s' in '%s' (%s): '%s' has no probe there", s->id,
		s->callee, s->function, s->unit, program);
	err_advise(err,
		   "the plan is of another program, or this build has other probes than the recorded one;");
	return err_advise(err, "calls in libraries of the program cannot be tried");
}

/* @function on a side of all calls of the site. */
static int hook(const struct searching *s, const struct plan_site *site, bool after, const char *function,
		struct err *err)
{
	size_t before = s->hooks->n;

	for (size_t u = 0; u < s->sites->n_units; u++) {
		const struct sites_unit *unit = &s->sites->units[u];

		if (seen_before(s->sites, u))
			continue;
		for (uint32_t i = 0; i < unit->n_calls; i++) {
			struct trial_hook h = {
				.unit_id = unit->unit_id, .slot = i, .number = s->hooks->n, .after = after};
			int ret;

			if (!is_site(site, &unit->calls[i]))
				continue;
			ret = check_call(site, &unit->calls[i], after, s->program, err);
			if (ret)
				return ret;
			snprintf(h.function, sizeof(h.function), "%s", function);
			vec_push(s->hooks, h);
		}
	}
	if (s->hooks->n == before)
		return not_there(site, s->program, err);
	return s->hooks->n <= HOOKS_MOST ? 0
					 : err_set(err, -ENOTSUP, "a trial has at most %u hooks", HOOKS_MOST);
}

/* What is at one slot stays in the order in which the plugin would insert it. */
static int by_place(const void *a, const void *b)
{
	const struct trial_hook *x = a, *y = b;

	if (x->unit_id != y->unit_id)
		return x->unit_id < y->unit_id ? -1 : 1;
	if (x->slot != y->slot)
		return x->slot < y->slot ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

int trial_hooks_find(struct trial_hooks *hooks, const struct view *v, const struct sites *sites,
		     const char *program, struct err *err)
{
	const struct searching s = {hooks, sites, program};
	char name[48];
	int ret = 0;

	if (v->plan->n_flushes) {
		err_set(err, -ENOTSUP,
			"the plan flushes denormals in '%s': whole functions, and those have no probes",
			v->plan->flushes[0].function);
		return err_advise(err, "take `flushes` out to try the rest");
	}
	if (v->plan->n_layouts) {
		err_set(err, -ENOTSUP,
			"the plan aligns fields or variables, declared in '%s': for that the program has to "
			"be "
			"compiled",
			v->plan->layouts[0].file);
		return err_advise(err, "take `layouts` out to try the rest");
	}
	for (size_t i = 0; !ret && i < v->creates.n; i++) {
		const struct plan_site *site = &v->plan->sites[v->creates.at[i]];

		snprintf(name, sizeof(name), PRS_FN_CREATE_BEGIN, (unsigned)i + 1);
		ret = hook(&s, site, false, name, err);
		if (!ret)
			ret = hook(&s, site, true, PRS_FN_CREATE_END, err);
	}
	for (size_t i = 0; !ret && i < v->points.n; i++) {
		const struct view_point *p = &v->points.at[i];

		snprintf(name, sizeof(name), PRS_TRIGGER_PREFIX "%04u", (unsigned)p->number);
		ret = hook(&s, &v->plan->sites[p->site], p->after, name, err);
	}
	if (!ret && hooks->n)
		qsort(hooks->at, hooks->n, sizeof(*hooks->at), by_place);
	return ret;
}

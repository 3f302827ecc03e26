/* SPDX-License-Identifier: MIT */
/* What kind of plan this is, by what it does and not by what it calls itself. */
#include <errno.h>

#include "codegen/view/check.h"
#include "codegen/view/view.h"

static const struct plan_trigger *first_at_call(const struct plan *p)
{
	for (size_t i = 0; i < p->n_triggers; i++)
		if (p->triggers[i].at == PLAN_AT_CALL)
			return &p->triggers[i];
	return NULL;
}

/* A phase begins when a synchronisation returns: nothing of a plan by phases stands before a call. */
static const struct plan_trigger *first_before(const struct plan *p)
{
	for (size_t i = 0; i < p->n_triggers; i++)
		if (p->triggers[i].at == PLAN_AT_CALL && !p->triggers[i].after)
			return &p->triggers[i];
	return NULL;
}

/* Does the plan keep to the kind that it says it is? */
static int check_word(const struct plan *p, const struct plan_trigger *call, struct err *err)
{
	const struct plan_trigger *before = first_before(p);

	if (p->kind != PLAN_KIND_CALL && p->n_flushes)
		return err_set(
			err, -EINVAL,
			"flush %u changes a function, but the plan is of kind %s\n  such a plan has no "
			"flushes",
			p->flushes[0].number, plan_kind_words[p->kind]);
	if (p->kind == PLAN_KIND_START && call)
		return err_set(err, -EINVAL,
			       "trigger %u stands at a call, but the plan is of kind start\n  such a plan "
			       "sets something at the start of program and threads only",
			       call->number);
	if (p->kind == PLAN_KIND_PHASE && before)
		return err_set(err, -EINVAL,
			       "trigger %u stands before a call, but the plan is of kind phase\n  a phase "
			       "begins when a call has returned",
			       before->number);
	return 0;
}

int check_kind(const struct plan *p, enum plan_kind limit, enum plan_kind *need, struct err *err)
{
	const struct plan_trigger *call = first_at_call(p), *before = first_before(p);
	int ret = check_word(p, call, err);

	if (ret)
		return ret;
	*need = before || p->n_flushes ? PLAN_KIND_CALL : call ? PLAN_KIND_PHASE : PLAN_KIND_START;
	/* The kinds count from the one that may do most. */
	if (*need >= limit)
		return 0;
	if (p->n_flushes)
		return err_set(err, -EINVAL,
			       "flush %u needs a plan of kind call, more than kind %s allows: it stands in a "
			       "function "
			       "of the program",
			       p->flushes[0].number, plan_kind_words[limit]);
	return err_set(
		err, -EINVAL,
		"trigger %u needs a plan of kind %s, more than kind %s allows: it stands %s a call\n  plan "
		"with --kind=%s, or allow it with --kind=%s",
		before ? before->number : call->number, plan_kind_words[*need], plan_kind_words[limit],
		before ? "before" : "after", plan_kind_words[limit], plan_kind_words[*need]);
}
